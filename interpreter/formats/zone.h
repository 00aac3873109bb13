// Time zones by the name that a CEL expression gives: IANA names and offsets like "-08:30".
//
// Idea: absl reads the tz database; the names that Go's time.LoadLocation refuses are refused before absl
// sees them, and only files that exist are asked for, because absl remembers every name it was ever asked. A
// zone that was loaded is kept in a small table of the thread, so that a lookup takes no lock.
// Limits: needs the tz database at /usr/share/zoneinfo; "Local" is UTC, as on an API server in its container.
// Tested by tests/language/time.cel.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

// Seconds east of UTC in `zone` at the instant `seconds` (Unix) are put into `offset`. False, and Go's error
// text appended to `failure`, if there is no such zone: "unknown time zone X", "strconv.Atoi: parsing ...".
// Source of behaviour: cel-go common/stdlib, inTimeZone; Go's time.LoadLocation.
bool zone_offset(std::string_view zone, int64_t seconds, int64_t& offset, TextBuilder& failure);

}  // namespace portcullis
