// Labels of namespaces, as --namespace-label gives them: NAMESPACE:KEY=VALUE.
//
// Idea: a repository of manifests often does not hold its namespaces, whose labels decide which policies
// apply. What the flag says stands beside the labels of a Namespace among the files, or in place of one with
// its key; a namespace that only the flag names exists. Tested by tests/cli/namespace_labels.txt.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reading/input.h"

namespace portcullis {

class NamespaceLabels {
 public:
  // Reads the arguments of the flags; false, and said in the API server's words, if one is none.
  bool read(const std::vector<std::string>& flags);

  bool has(std::string_view name) const { return labels_.find(name) != labels_.end(); }
  // `space`, a Namespace, with its labels; in the arena.
  Value put_on(const Value& space, std::string_view name, Arena& arena) const;
  std::vector<std::string_view> names() const;

 private:
  std::map<std::string, std::map<std::string, std::string>, std::less<>> labels_;
};

}  // namespace portcullis
