// Time zones by the names that expressions use: IANA names and offsets like "-08:30".
//
// Idea: absl reads the tz database. Names that Go's time.LoadLocation refuses are refused before absl sees
// them, and absl is asked only for files that exist, because it remembers every name it was ever asked for.
// Each thread keeps the zones it has loaded in a small table, so a lookup takes no lock.
// Limits: needs the tz database at /usr/share/zoneinfo; "Local" is UTC, as for an API server in its
// container.
// Tested by tests/language/time.cel.
#pragma once

#include <cstdint>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

// Sets `offset` to the seconds east of UTC in `zone` at the instant `seconds` (Unix). If the zone does not
// exist, returns false and appends Go's error text to `failure`: "unknown time zone X", "strconv.Atoi:
// parsing ...".
// Source of behaviour: cel-go common/stdlib, inTimeZone; Go's time.LoadLocation.
bool zone_offset(std::string_view zone, int64_t seconds, int64_t& offset, TextBuilder& failure);

}  // namespace portcullis
