// Why a validation failed: the place in the expression that decided, and the values of its parts.
// Tested by tests/cli.py.
#pragma once

#include "admission/admission.h"
#include "cli/report.h"

namespace portcullis {

// Sets `blame`, and with `values` the values of the subexpressions, of a failure of `request`.
void explain_failure(ReviewFailure& failure, bool values, const AdmissionRequest& request);

}  // namespace portcullis
