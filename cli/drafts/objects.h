// Objects to try: of a kind that a policy's rules let through, with values at the paths that its expressions read.
// Tested by tests/cli/test_init.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/drafts/reads.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"
#include "manifests/resources.h"

namespace portcullis::drafts {

struct ObjectKind {
  std::string api_version, kind, operation;
  std::string subresource;        // whose requests have such an object: "status", "pods/exec"; empty: none
  std::string guessed_from;       // the resource, if no definition says its kind
  const Value* schema = nullptr;  // of its definition, if it has one
  std::string example;            // JSON of one that its definition suggests; empty: none
};

// Kinds that the rules of the policy let through: one, well-known ones before others, and those that its expressions
// name (object.kind == 'CronJob'), or the param (JSON). If all are unknown, a kind that could have such a resource;
// empty if there is none.
std::vector<ObjectKind> kinds_of(const InputObject& policy, const Reads& reads, const std::string& param,
                                 const Resources& resources);

// The smallest object of the kind that the API server decodes, in JSON.
std::string smallest(const ObjectKind& kind);

// An object that is changed, path by path.
class Edited {
 public:
  explicit Edited(const std::string& json);
  // Sets `value` (JSON) at the path, as with_value() does. False, and nothing changes, if there is something else on
  // the way.
  bool set(const Path& path, const std::string& value);
  // Whether something is at the path, of lists and maps in the first element.
  bool has(const Path& path) const { return !json_at(path).empty(); }
  // What is there, in JSON; empty: nothing. Of a map's keys the first.
  std::string json_at(const Path& path) const;
  std::string json() const;

 private:
  Arena arena_;
  Value value_;
};

// The object with `value` (JSON) at the path, in every element of lists, of which it makes one, and of maps; an empty
// value removes what is there. Empty if the object has something else on the way.
std::string with_value(const std::string& object, const Path& path, const std::string& value);

// Whether something is at the path of the object, of lists and maps in the first element.
bool has_value(const std::string& object, const Path& path);

// The values (JSON) to try at a path; an empty one means that nothing is there. `param`: the object (JSON) whose values
// are clues, too; empty: none.
std::vector<std::string> values_for(const Reads& reads, const std::string& param = {});

}  // namespace portcullis::drafts
