// What a session must know of manifests before the first verdict, although it has them one after the other.
//
// Idea: an object stays if it decides, or if others depend on it: policies, params, namespaces, definitions, RBAC
// objects, what admission plugins read. Of the rest the first of each sort stays, since messages speak of sorts: kinds,
// with a namespace or without one, recorded requests of a kind. Tested by tests/cli/streams.txt.
#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "cli/requests/recorded.h"
#include "manifests/object.h"

namespace portcullis {

class Survey {
 public:
  // Learns which kinds of objects are params of these; true if a new one was seen already.
  bool learn(std::span<const InputObject> policies);
  // Whether it stays whatever came before. Thread-safe.
  bool wants(const InputObject& object) const;
  // Counts `object`; true if none of its sort came before.
  bool see(const InputObject& object);

  const RequestCounts& counts() const { return counts_; }
  // The namespaces that objects name.
  const std::set<std::string, std::less<>>& namespaces() const { return namespaces_; }

 private:
  using Kind = std::pair<std::string, std::string>;  // group, kind
  std::set<Kind> params_, seen_;
  std::unordered_set<std::string> sorts_;
  std::string last_;  // sort and namespace
  std::set<std::string, std::less<>> namespaces_;
  RequestCounts counts_;
};

}  // namespace portcullis
