// What nearly every source of interpreter/ includes, parsed once (its tables of functions cannot be one unit); tests.h
// includes it, too. No source relies on it: each includes what it uses itself, and the sanitized build, which has
// none for interpreter/, finds those that do not.
#include <fmt/format.h>

#include <cstdint>
