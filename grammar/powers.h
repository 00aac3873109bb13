// The bounds of 64-bit integers as doubles, which hold them exactly. Tested by tests/language.
#pragma once

namespace portcullis {

inline constexpr double kTwoTo63 = 0x1p63, kTwoTo64 = 0x1p64;

}  // namespace portcullis
