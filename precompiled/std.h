// What nearly every source includes, parsed once for each library. No source relies on it: each includes what it
// uses itself, and CI's build with clang has no precompiled headers (-Db_pch=false).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
