// Policies and definitions on the API servers of several minors: which accept each expression, and what they make of it.
//
// Idea: expressions are compiled with the libraries of each minor, as the API server compiles them when the object is
// written (check_decoded, crd/rule_costs.h). A server of 1.N takes *new* expressions with the libraries of 1.N-1, so that
// the server before it can read them after a rollback; it runs *stored* ones with all that it has. What its cel-go lacks,
// or has and later ones have not, counts for both (KubernetesVersion::compiler).
// Source of behaviour: apiserver pkg/cel/environment/base.go, component-base pkg/version (MinCompatibilityVersion).
// Limits: libraries and options differ, the code is that of 1.37: error texts and costs are what it says. Feature gates
// are at their defaults. Other rules of validation that came or went are not looked at; docs/skew.md names what is known.
// Tested by tests/cli/skew.txt, and against the oracle by tests/oracle/skew.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admission/expressions/needs.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/reading/input.h"

namespace portcullis {

// Servers of 1.`from` to 1.`to`.
struct ServerRange {
  // The first release with an environment for each compatibility version.
  static constexpr uint32_t kFirst = 28;
  uint32_t from = 30, to = KubernetesVersion::kLast;
  size_t count() const { return to - from + 1; }
};

// An expression in one environment.
struct ExpressionState {
  std::string error;          // why it does not compile; empty: it does
  std::string refused = {};   // why it is refused although it compiles: a rule that costs too much
  std::string type = {};      // of its result
  uint64_t min = 0, max = 0;  // static cost; of a rule, max is that of all values that it is run for
  bool compiles() const { return error.empty(); }
  bool operator==(const ExpressionState&) const = default;
};

// What an expression came to on a manifest.
struct ExpressionResult {
  std::string value;  // or the error
  bool failed = false;
  uint64_t cost = 0;
  bool operator==(const ExpressionResult&) const = default;
};
struct ManifestResults {
  const InputObject* manifest = nullptr;
  std::string param;                                // namespace/name, empty if none
  std::vector<std::optional<ExpressionResult>> on;  // by server; nothing: not evaluated
};

struct ExpressionSkew {
  std::string path, label;
  Position position;
  std::vector<ExpressionState> states;  // of each server, as a new expression and as a stored one
  std::vector<Need> needs;
  std::vector<ManifestResults> results;
  // The first so many servers do not compile it, whatever their libraries, since they drop a field of it. And why.
  size_t dropping = 0;
  std::string dropping_error;

  // `server`: counted from the first.
  const ExpressionState& fresh(size_t server) const { return states[2 * server]; }
  const ExpressionState& stored(size_t server) const { return states[2 * server + 1]; }
  bool accepts(size_t server) const { return refusal(server).empty(); }
  bool runs(size_t server) const { return server >= dropping && stored(server).compiles(); }
  // Why a server refuses it as a new expression; empty if it accepts it.
  const std::string& refusal(size_t server) const {
    if (!fresh(server).compiles()) return fresh(server).error;
    return server < dropping ? dropping_error : fresh(server).refused;
  }
};

// A field that a server without it drops or ignores, so that the object means something else there.
struct LateField {
  std::string path;
  Position position;
  uint32_t since = 0;
  bool ignored = false;  // the server stores it
};

struct ObjectSkew {
  const InputObject* object = nullptr;
  std::vector<bool> served;  // by server: the kind at this version
  uint32_t since = 0,
           gone = 0;        // the minors that introduced and removed the version; 0: before all and not yet
  uint32_t kind_since = 0;  // the one that introduced the kind
  uint32_t enabled_since = 0;   // the one whose servers run it without a feature gate
  bool off_by_default = false;  // a cluster serves it only if configured
  std::vector<LateField> late;
  std::vector<ExpressionSkew> expressions;
  std::string invalid;  // an error that no release would not have; empty if there is none
};

// "first() came with 1.33"
std::string late(const Need& need);

// All policies, bindings and webhook configurations of the cluster, and definitions.
std::vector<ObjectSkew> skew_of(const ReviewCluster& cluster, const Definitions& definitions,
                                ServerRange range);

}  // namespace portcullis
