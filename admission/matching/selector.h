// LabelSelector: the labels of Kubernetes' API, as they are looked at for each request.
//
// Idea: parsed once at load into requirements that are ANDed; matching reads the labels where they stand
// in the object. Source of behaviour: apimachinery pkg/apis/meta/v1/helpers.go
// (LabelSelectorAsSelector), pkg/labels/selector.go. Limits: a stored selector that does not parse keeps
// its error text and matches nothing.
// Tested by admission/engine/engine_test.cc, tests/admission/matching.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "admission/builtin/data.h"
#include "interpreter/values/value.h"

namespace portcullis {

class LabelSelector {
 public:
  // Matches everything.
  LabelSelector() = default;
  // `selector` is a decoded metav1.LabelSelector.
  explicit LabelSelector(const Data& selector);

  // Kubernetes' text if the selector cannot be used; empty if it can.
  const std::string& error() const { return error_; }
  // Whether it selects everything, whatever the labels.
  bool everything() const { return error_.empty() && requirements_.empty(); }
  enum class Operator : uint8_t { In, NotIn, Exists, DoesNotExist };
  struct Requirement {
    std::string key;
    Operator op = Operator::In;
    std::vector<std::string> values;
    int expression = -1;  // its place in matchExpressions; -1: it stands in matchLabels

    // `labels`: a map of strings (and nulls, which count as empty), or null for none.
    bool holds(const Value& labels) const;
    // As kubectl writes it: "env=prod", "env notin (a,b)", "!env".
    std::string text() const;
  };
  // Whether all requirements hold.
  bool matches(const Value& labels) const { return error_.empty() && first_unmet(labels) == nullptr; }
  // The first requirement that does not hold; null if all do.
  const Requirement* first_unmet(const Value& labels) const;

 private:
  std::vector<Requirement> requirements_;
  std::string error_;
};

// metadata.labels of an object; null where there are none or they are no strings. A label that is
// null counts as empty.
Value labels_of(const Value& object);
// A string field of metadata; empty where there is none.
std::string_view metadata_text(const Value& object, std::string_view field);

}  // namespace portcullis
