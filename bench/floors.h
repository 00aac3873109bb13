// The 22 cases of ../shared/bench/cases.json as a person would write them in C++.
#pragma once

#include <re2/re2.h>
#include <simdjson.h>

#include <string_view>

namespace portcullis::bench {

// Whether the variables pass the case NAME; null: there is no such case. A case whose result is no bool passes if the
// result is the expected one.
using Floor = bool (*)(const simdjson::dom::element& variables);
Floor find_floor(std::string_view name);

}  // namespace portcullis::bench
