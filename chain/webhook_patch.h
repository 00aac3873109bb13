// The patch in the answer of a mutating webhook.
// Source of behaviour: gopkg.in/evanphx/json-patch.v4 (Operation), apiserver
// pkg/admission/plugin/webhook/mutating/dispatcher.go. Tested by tests/oracle/random_webhooks.py.
#pragma once

#include <span>
#include <string>

#include "admission/objects/document.h"
#include "admission/patching/json_patch.h"

namespace portcullis::chain {

// The operations of a list of objects, in the arena, which values refer to as long as it lives.
Result<std::span<const patching::JsonOperation>> read_operations(Arena& arena, const Document& patch);

// The operations as the audit annotation shows them: members sorted, values as they were written.
std::string print_operations(const Document& patch);

}  // namespace portcullis::chain
