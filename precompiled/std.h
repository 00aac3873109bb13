// What nearly every source includes, parsed once for each library. No source relies on it: each includes what it
// uses itself. The sanitized build has none for the library, which finds those that do not.
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
