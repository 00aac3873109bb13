// Objects as policies see them, outside of a review: for `normalize` and `eval`.
//
// Idea: it does what the API server does before any policy. An object of a built-in kind is decoded,
// defaulted and filled in (admission/builtin/normalize.h); the definition of a custom kind applies (crd.h);
// an object of an undefined kind stays unchanged; a kind that no server has is refused. Problems are printed
// with their positions. Tested by tests/cli/normalize.txt, tests/cli/eval.txt.
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
    std::string_view namespace_name;  // of objects without one
    bool managed_fields = false;      // objects have metadata.managedFields
    std::string_view field_manager;   // their manager; empty: kubectl's
  };
  // Results live in `arena`.
  SeenObjects(Arena& arena, const Settings& settings) : arena_(&arena), settings_(settings) {}
  // A copy that makes its results in `arena`, for another thread. What this one has learned must outlive it.
  SeenObjects in(Arena& arena) const {
    SeenObjects out = *this;
    out.arena_ = &arena;
    return out;
  }

  // Adds the definitions among the objects and the objects that admission plugins read, then settles the
  // namespaces of all. The objects must outlive this.
  void learn(std::vector<InputObject>& objects);
  // Whether learn() needs it, and does more than settle its namespace.
  static bool learns_from(const InputObject& object);
  // Settles the namespaces of other objects; new values live in `arena`.
  void settle(std::vector<InputObject>& objects, Arena& arena) const;

  // The object as created. Prints the error and returns nothing if the API server refuses it.
  std::optional<Value> created(const InputObject& object);
  // The object as it replaces `old`, and `old` as stored.
  std::optional<std::pair<Value, Value>> updated(const InputObject& object, const InputObject& old);
  // The object as a param.
  std::optional<Value> param(const InputObject& object);

 private:
  bool can_exist(const InputObject& object) const;
  std::optional<Value> custom(const InputObject& object);
  builtin::DecodeOptions options_for(const InputObject& object, Operation operation,
                                     std::vector<builtin::UnknownField>& unknown) const;

  Arena* arena_;
  Settings settings_;
  Resources resources_;
  CustomResources customs_;
  builtin::Surroundings around_;
};

}  // namespace portcullis
