// What users of the installed library include for expressions: compile once, evaluate from many threads. A
// door only; what is behind it stands in interpreter/cel.h, environments (which functions and variables there
// are) in admission/environment.h for those of Kubernetes and typecheck/environment.h for one's own, the
// libraries of the language in interpreter/functions/libraries.h, how to write functions in
// interpreter/call.h, JSON in interpreter/json.h. Tested by tests/client.
#pragma once

#include "interpreter/call.h"                 // IWYU pragma: export
#include "interpreter/cel.h"                  // IWYU pragma: export
#include "interpreter/functions/libraries.h"  // IWYU pragma: export
#include "interpreter/json.h"                 // IWYU pragma: export
#include "typecheck/environment.h"            // IWYU pragma: export
