// metadata.managedFields after mutation, which the API server resets if a webhook or policy leaves them invalid.
//
// Limits: of an entry whose fieldsV1 cannot be read, the server's text shows the entry as Go prints it; ours does not.
// Source of behaviour: apiserver pkg/endpoints/handlers/fieldmanager/admission.go, apimachinery
// pkg/util/managedfields/internal/managedfields.go. Tested by tests/cli/after_mutation.txt.
#pragma once

#include "chain/chain.h"

namespace portcullis::chain {

// Gives the object that `mutate` has changed the managedFields of `asked` if its own are invalid, and adds the warning.
void keep_valid_managed_fields(const AdmissionRequest& asked, Admission& admission);

}  // namespace portcullis::chain
