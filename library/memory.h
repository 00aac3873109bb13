// The contents of a Memory of the public face. Tested by library/cel_test.cc.
#pragma once

#include <portcullis/value.h>

#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"

namespace portcullis::v1 {

struct Memory::State {
  Arena arena;
  JsonReader reader;
};

}  // namespace portcullis::v1
