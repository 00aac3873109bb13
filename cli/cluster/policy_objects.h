// The policies, bindings and webhook configurations among the files as all see them who look at them: problems, types,
// costs. The object that was asked for last is decoded, and parses of expressions are shared.
// Limits: parses are kept until they are forgotten (they are the most of what a command holds); objects stay where they
// are and do not change once they were looked at. Tested by tests/cli/check.txt.
#pragma once

#include <memory>
#include <utility>

#include "admission/builtin/registration.h"
#include "admission/policies/validation.h"
#include "cli/reading/input.h"
#include "grammar/shared_parses.h"

namespace portcullis {

struct PreparedObjects;  // prepared_objects.h

class PolicyObjects {
 public:
  // Lives until another object is asked for.
  const Decoded& decoded(const InputObject& object);
  SharedParses& parses() { return parses_; }
  ValidExpressions& valid() { return valid_; }
  // Policies that are compiled for loading already; null if none is.
  const std::shared_ptr<PreparedObjects>& prepared() const { return prepared_; }
  void prepare(std::shared_ptr<PreparedObjects> objects) { prepared_ = std::move(objects); }
  // What is asked for again is decoded and parsed again.
  void forget();

 private:
  Arena arena_;  // of the decoded object
  Decoded decoded_;
  const InputObject* last_ = nullptr;  // which it is
  SharedParses parses_;
  ValidExpressions valid_;
  std::shared_ptr<PreparedObjects> prepared_;
};

}  // namespace portcullis
