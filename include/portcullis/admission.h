// What users of the installed library include for policies: load once, decide many requests. A door only;
// what is behind it stands in admission/admission.h. Tested by tests/client.
#pragma once

#include "admission/admission.h"                // IWYU pragma: export
#include "admission/expressions/environment.h"  // IWYU pragma: export
