// MergeType: what a schema says about the merging of a value, which is what field sets are made by.
//
// Idea: a graph of small nodes, made by those who know the schema: admission/builtin for the built-in kinds,
// admission/crd for custom resources. Immutable, may be cyclic.
// Source of behaviour: kube-openapi pkg/schemaconv. Tested by admission/ownership/compare_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "interpreter/values/value.h"

namespace portcullis::ownership {

struct MergeType;

// A key of a list of type map, and what stands for it where an item does not have it.
struct MergeKey {
  Value name;
  Value fallback;
  bool has_fallback = false;
};

// The fields that an object declares.
class MergeFields {
 public:
  // Null: there is none of this name (a String).
  virtual const MergeType* find(const Value& name) const = 0;
  // All names, for hints; views live as long as the schema.
  virtual std::vector<std::string_view> names() const = 0;

 protected:
  ~MergeFields() = default;
};

enum class Form : uint8_t {
  Scalar,
  List,
  Map,
  Any,  // what the value is: lists are leaves, maps too if `atomic`
};
// What a scalar must be; null is always taken.
enum class ScalarForm : uint8_t { Any, Text, Number, Boolean };

struct MergeType {
  Form form = Form::Scalar;
  ScalarForm scalar = ScalarForm::Any;
  bool atomic = false;             // a list or map that is one leaf
  bool fallible = false;           // are there values of this form that `conforms` refuses?
  std::span<const MergeKey> keys;  // of a list that is not atomic, sorted by name; none: a set of scalars
  std::string_view key_names;      // as errors show them, in the order of the schema: ["name"]
  const MergeType* item =
      nullptr;  // of a list, and of a map's entries that are no declared fields; null: there are none
  const MergeFields* fields = nullptr;  // of a map; null: none
};

}  // namespace portcullis::ownership
