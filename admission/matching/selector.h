// LabelSelector: a metav1.LabelSelector, prepared for matching.
//
// Idea: load parses the selector into requirements, which are ANDed. Matching reads the labels in the object
// itself. Source of behaviour: apimachinery pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector),
// pkg/labels/selector.go. Limits: a stored selector that does not parse keeps its error text and matches
// nothing.
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
  // A selector that matches everything.
  LabelSelector() = default;
  // `selector` is a decoded metav1.LabelSelector.
  explicit LabelSelector(const Data& selector);

  // The error text of Kubernetes if the selector is invalid; else empty.
  const std::string& error() const { return error_; }
  // Whether the selector matches any labels.
  bool everything() const { return error_.empty() && requirements_.empty(); }
  enum class Operator : uint8_t { In, NotIn, Exists, DoesNotExist };
  struct Requirement {
    std::string key;
    Operator op = Operator::In;
    std::vector<std::string> values;
    int expression = -1;  // index in matchExpressions; -1: from matchLabels

    // `labels`: a map of strings (a null counts as an empty string), or null.
    bool holds(const Value& labels) const;
    // The requirement as kubectl prints it: "env=prod", "env notin (a,b)", "!env".
    std::string text() const;
  };
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // Whether all requirements hold.
  bool matches(const Value& labels) const { return error_.empty() && first_unmet(labels) == nullptr; }
  // The first requirement that does not hold; null if all do.
  const Requirement* first_unmet(const Value& labels) const;

 private:
  std::vector<Requirement> requirements_;
  std::string error_;
};

// metadata.labels of an object; null if absent or not a map of strings. A null label counts as an empty
// string.
Value labels_of(const Value& object);
// A string field of metadata; empty if absent.
std::string_view metadata_text(const Value& object, std::string_view field);

}  // namespace portcullis
