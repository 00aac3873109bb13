// Whether an environment follows cel-spec where cel-go departs from it: if the library
// "cel-spec" is among its own.
//
// Then a map literal with a repeated key, or with one that is neither bool, int, uint nor string, fails;
// has(none.f) is false; [T, null] has elements of type T; and the functions of the library replace those of
// cel-go. Tested by interpreter/cel_test.cc, tests/conformance (cel-spec).
#pragma once

#include <string_view>

#include "typecheck/environment.h"

namespace portcullis {

inline constexpr std::string_view kSpecLibrary = "cel-spec";

inline bool follows_spec(const Environment& environment) {
  for (const Environment::Use& use : environment.libraries()) {
    if (use.library->name == kSpecLibrary) return true;
  }
  return false;
}

}  // namespace portcullis
