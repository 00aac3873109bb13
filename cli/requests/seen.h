// Objects as policies see them, outside a review: for `normalize` and `eval`.
//
// Idea: what the API server does to an object before any policy is asked. Of a built-in kind it is decoded,
// defaulted and filled in (admission/builtin/normalize.h), of a custom kind its definition is applied (crd.h); of a kind
// that nobody defines it stands as it is, and of a kind that no server has it is refused. What is found on the
// way is said with its place. Tested by tests/cli/normalize.txt, tests/cli/eval.txt.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "admission/builtin/normalize.h"
#include "admission/builtin/surroundings.h"
#include "cli/cluster/crd.h"
#include "cli/reading/input.h"
#include "manifests/resources.h"

namespace portcullis {

class SeenObjects {
 public:
  struct Settings {
    std::string_view namespace_name;  // of objects that name none
    bool managed_fields = false;      // objects have metadata.managedFields
    std::string_view field_manager;   // whom they name; empty: that of kubectl
  };
  // What is made lives in `arena`.
  SeenObjects(Arena& arena, const Settings& settings) : arena_(arena), settings_(settings) {}

  // Learns the definitions among the objects and what admission plugins look at, then puts the objects into
  // their namespaces. They must outlive this.
  void learn(std::vector<InputObject>& objects);

  // The object when it is created. Nothing, and said, if the API server refuses it.
  std::optional<Value> created(const InputObject& object);
  // The object when it takes the place of `old`, and `old` as it is stored.
  std::optional<std::pair<Value, Value>> updated(const InputObject& object, const InputObject& old);
  // The object as a param.
  std::optional<Value> param(const InputObject& object);

 private:
  bool can_exist(const InputObject& object) const;
  std::optional<Value> custom(const InputObject& object);
  builtin::DecodeOptions options_for(const InputObject& object, Operation operation,
                                     std::vector<builtin::UnknownField>& unknown) const;

  Arena& arena_;
  Settings settings_;
  Resources resources_;
  CustomResources customs_;
  builtin::Surroundings around_;
};

// The object without metadata.managedFields, as kubectl prints it. Lives in `arena`, with parts of `object`.
Value without_managed_fields(Arena& arena, const Value& object);

}  // namespace portcullis
