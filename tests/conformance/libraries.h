// Rows of other versions of CEL that the tables were recorded with: in tests alone, since no API server has them.
#pragma once

#include "typecheck/function.h"

namespace portcullis::tests {

// What cel-spec wants otherwise than cel-go.
extern const Library kSpecLibrary;
// startsWith and endsWith as cel-go charged them before 0.29. Both are to be put behind the other libraries.
extern const Library kEarlierLibrary;

}  // namespace portcullis::tests
