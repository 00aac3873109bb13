// Durations: signed nanoseconds in 64 bits, read and printed as Go does.
// Tested by tests/language/time.cel.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis {

inline constexpr int64_t kNanosPerSecond = 1'000'000'000;

// time.ParseDuration: a sign, then numbers with units ns, us, µs, μs, ms, s, m, h; or "0" alone. Nothing if
// the text is malformed or exceeds 64 bits.
std::optional<int64_t> parse_duration(std::string_view text);

// time.Duration.Seconds(): whole seconds plus fraction, in double arithmetic.
double duration_seconds(int64_t nanos);

// string(duration): the seconds as shortest decimal, followed by "s" ("5400s", "-0.001s").
void append_duration_seconds(TextBuilder& out, int64_t nanos);
// time.Duration.String(): "1h30m0s", "1.5ms", "0s".
void append_duration(TextBuilder& out, int64_t nanos);

}  // namespace portcullis
