// What users of the installed library include for expressions: compile once, evaluate from many threads. A
// door only; what is behind it stands in interpreter/cel.h, environments (which functions and variables there
// are) in admission/expressions/environment.h for those of Kubernetes and typecheck/environment.h for one's own, the
// libraries of the language in interpreter/functions/libraries.h, how to write functions in
// interpreter/functions/call.h, JSON in interpreter/values/json.h. Tested by tests/client.
#pragma once

#include "interpreter/cel.h"                  // IWYU pragma: export
#include "interpreter/functions/call.h"       // IWYU pragma: export
#include "interpreter/functions/libraries.h"  // IWYU pragma: export
#include "interpreter/values/json.h"          // IWYU pragma: export
#include "typecheck/environment.h"            // IWYU pragma: export
