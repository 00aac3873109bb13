// The policies, bindings and webhook configurations among the files, each decoded once, with the parses of their
// expressions, for all who look at them: problems, types, costs, loading.
// Limits: kept until they are forgotten, which ends their use (parses are the most of what a command holds); objects
// stay where they are and do not change once they were looked at.
#pragma once

#include <memory>
#include <unordered_map>

#include "admission/builtin/registration.h"
#include "cli/reading/input.h"
#include "grammar/shared_parses.h"

namespace portcullis {

class PolicyObjects {
 public:
  const std::shared_ptr<const Decoded>& decoded(const InputObject& object);
  SharedParses& parses() { return parses_; }
  // What is asked for again is decoded and parsed again.
  void forget();

 private:
  Arena arena_;  // of decoded objects
  std::unordered_map<const InputObject*, std::shared_ptr<const Decoded>> decoded_;
  SharedParses parses_;
};

}  // namespace portcullis
