// MergeType: how values of a schema merge, which determines the field sets of objects.
//
// Idea: a graph of small immutable nodes, which may be cyclic. admission/builtin makes it for built-in kinds,
// admission/crd for custom resources.
// Source of behaviour: kube-openapi pkg/schemaconv. Tested by admission/ownership/compare_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis::ownership {

struct MergeType;

// A key of a list of type map, and its default for items that lack it.
struct MergeKey {
  Value name;
  Value fallback;
  bool has_fallback = false;
};

// The declared fields of an object.
class MergeFields {
 public:
  // Null if there is no field of this name (a String). `near`: the number of the field that the caller
  // expects; afterwards that of the next one, so that a walk over the entries of a map is quick.
  virtual const MergeType* find(const Value& name, int& near) const = 0;
  // All names, for hints; views live as long as the schema.
  virtual std::vector<std::string_view> names() const = 0;

 protected:
  ~MergeFields() = default;
};

enum class Form : uint8_t {
  Scalar,
  List,
  Map,
  Any,  // the form of the value decides: lists are leaves, and maps, too, if `atomic`
};
// The type that a scalar must have; null is always accepted.
enum class ScalarForm : uint8_t { Any, Text, Number, Boolean };

// Whether a definition declares a value, and all that it has. Of what it does not, another one knows how it merges.
enum class Declared : uint8_t { Fully, Partly, Not };

struct MergeType {
  Form form = Form::Scalar;
  ScalarForm scalar = ScalarForm::Any;
  bool atomic = false;    // whether the list or map is one leaf
  bool fallible = false;  // whether `conforms` refuses some decoded values of this form
  Declared declared = Declared::Fully;
  std::span<const MergeKey> keys;  // of a list that is not atomic, sorted by name; empty: a set of scalars
  std::string_view key_names;      // as errors show them, in the order of the schema: ["name"]
  const MergeType* item =
      nullptr;  // of the items of a list, or of the undeclared entries of a map; null: there are none
  const MergeFields* fields = nullptr;  // of a map; null if it declares none
};

}  // namespace portcullis::ownership
