// The number of bytes of a value as JSON text of Go's encoding/json. Tested by
// admission/patching/json_patch_test.cc.
#pragma once

#include <cstdint>

#include "interpreter/values/value.h"

namespace portcullis::patching {

// The size of plain data without spaces. Counting stops soon after `most`, since values that share parts may
// have any size.
uint64_t json_size(const Value& v, uint64_t most);

}  // namespace portcullis::patching
