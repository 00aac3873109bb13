// The objects of a cluster as Engine::load takes them. Tested by admission/engine/engine_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "admission/builtin/registration.h"
#include "admission/expressions/environment.h"
#include "admission/expressions/expression.h"

namespace portcullis {

// The libraries of the expressions of stored policies.
inline constexpr ExpressionVersion kStoredExpressions = {.stored = true};

class PreparedPolicies;  // admission/engine/prepared.h

// The place of a policy among prepared ones.
struct PreparedPlace {
  bool mutating;
  uint32_t number;
};

// A policy, binding or webhook configuration: decoded, or a value that is decoded while it is loaded, and only then. A
// policy may be prepared.
struct ClusterObject {
  explicit ClusterObject(std::shared_ptr<const Decoded> decoded) : object(std::move(decoded)) {}
  explicit ClusterObject(const Value& value) : object(value) {}
  explicit ClusterObject(PreparedPlace place) : object(place) {}
  const PreparedPlace* prepared() const { return std::get_if<PreparedPlace>(&object); }
  std::variant<std::shared_ptr<const Decoded>, Value, PreparedPlace> object;
};

// The objects of a cluster as `load` takes them; the options (kinds of params, equivalents) are in Cluster. The caller
// owns what the objects refer to, and keeps it until `load` returns.
struct ObjectsToLoad {
  std::vector<ClusterObject> policies, bindings, configurations;  // including those that do not decode
  std::vector<std::string> params;  // JSON, as a cluster stores them; of two of one name the later one counts
  // So many of the first params are objects of requests. To the request that creates it, such a param does not exist.
  size_t params_under_review = 0;
  std::vector<Value> namespaces;
  PreparedPolicies* prepared = nullptr;  // loading takes them; null: there are none
  SharedParses* parses = nullptr;        // of all who look at the policies; loading forgets them. May be null
  ExpressionVersion expressions = kStoredExpressions;  // the libraries of policies, which a release may lack
};

}  // namespace portcullis
