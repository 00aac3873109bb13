// The contents of Manifests of the public face.
#pragma once

#include <portcullis/manifests.h>

#include <deque>
#include <vector>

#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "manifests/object.h"

namespace portcullis::v1 {

struct Manifests::State {
  Arena arena;
  JsonReader reader;
  std::deque<SourceFile> files;
  std::vector<InputObject> objects;
  std::vector<Problem> problems;
};

}  // namespace portcullis::v1
