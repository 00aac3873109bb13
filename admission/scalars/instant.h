// Instant: the timestamps of API objects, as Go's time package reads and writes them (RFC 3339).
//
// Idea: the layout is walked element by element as Go does, since its errors name the element and the rest of
// the text. Limits: years 0 to 9999. Tested by tests/decoded.cc and tests/oracle/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portcullis {

struct Instant {
  int64_t seconds = 0;  // since 1970
  int32_t nanos = 0;
};

// time.Parse(time.RFC3339, text). Returns Go's error text, empty on success.
std::string parse_instant(std::string_view text, Instant& out);

// As metav1.Time prints: UTC, whole seconds.
std::string format_instant(Instant at);

}  // namespace portcullis
