// How many bytes a value takes as JSON text of Go's encoding/json.
// Tested by admission/patching/json_patch_test.cc.
#pragma once

#include <cstdint>

#include "interpreter/values/value.h"

namespace portcullis::patching {

// Of plain data, without spaces. Stops counting a while after `most`, since values that share their parts may
// be of any size.
uint64_t json_size(const Value& v, uint64_t most);

}  // namespace portcullis::patching
