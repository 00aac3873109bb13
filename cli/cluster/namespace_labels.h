// Labels of namespaces from --namespace-label: NAMESPACE:KEY=VALUE.
//
// Idea: a repository of manifests often lacks its namespaces, but their labels decide which policies apply. A
// label of the flag is added to those of a Namespace among the files, or replaces one with the same key. A
// namespace that only the flag names exists. Tested by tests/cli/namespace_labels.txt.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reading/input.h"

namespace portcullis {

class NamespaceLabels {
 public:
  // Parses the arguments of the flags; if one is invalid, prints the API server's error and returns false.
  bool read(const std::vector<std::string>& flags);

  bool has(std::string_view name) const;
  // `space`, a Namespace, with its labels added; in the arena.
  Value put_on(const Value& space, std::string_view name, Arena& arena) const;
  std::vector<std::string_view> names() const;

 private:
  std::map<std::string, std::map<std::string, std::string>, std::less<>> labels_;
};

}  // namespace portcullis
