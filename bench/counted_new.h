// Replaces operator new in a program that is linked with counted_new.cc: it counts. Limits: direct calls of malloc are not
// counted; neither we nor simdjson or RE2 make any. Not for threads.
#pragma once

#include <cstddef>

namespace portcullis::bench {

extern size_t allocations;

}  // namespace portcullis::bench
