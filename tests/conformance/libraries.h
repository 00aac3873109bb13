// Rows of other versions of CEL, with which the tables were recorded. Only tests have them, since no API
// server does.
#pragma once

#include "typecheck/function.h"

namespace portcullis::tests {

// Rows in which cel-spec differs from cel-go.
extern const Library kSpecLibrary;
// startsWith and endsWith with the costs of cel-go before 0.29. Both libraries must come after the others.
extern const Library kEarlierLibrary;

}  // namespace portcullis::tests
