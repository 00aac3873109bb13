// The contents of Manifests of the public face. Tested by library/load_test.cc.
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

  // The halves of Manifests::add(): parses a text as far as it can be read, and adds the objects of its documents.
  SourceFile& parse(std::string_view text, std::string_view source);
  void add_objects(const SourceFile& file);
  void fail(std::string_view source, Position at, std::string_view what);
};

}  // namespace portcullis::v1
