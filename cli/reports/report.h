// How decisions are shown: text for people, JSON and YAML with a stable schema, AdmissionReview.
//
// Idea: review.cc collects one ReviewResult a manifest; a Reporter prints them. The schema of `-o json` and
// `-o yaml` is documented in docs/output.md and only ever grows.
// Tested by tests/cli.py.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/objects/difference.h"
#include "admission/patching/merge_trace.h"
#include "cli/cluster/cluster.h"
#include "cli/commands.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "cli/reports/explain.h"
#include "cli/requests/request.h"

namespace portcullis {

// A message expression that gave no message, so that the API server says another.
struct UnusedMessage : ExplainedExpression {
  std::string why;  // "it fails to evaluate: ..."; empty: there is no such expression, or it is used
  std::vector<ExplainedExpression> variables;
};

// A validation that did not pass, or an evaluation that could not be done.
struct ReviewFailure {
  std::string policy, binding, param;
  bool mutating = false;  // of a MutatingAdmissionPolicy
  int validation = -1;    // index; -1: not a validation
  int mutation = -1;      // index; -1: not a mutation
  std::string expression, message, reason;
  bool denied = false, warned = false, audited = false;
  bool error = false;       // failed to evaluate or to be configured, rather than false
  std::string policy_file;  // where the expression stands
  Position position;        // of the expression; without a validation, of the cause
  std::string_view source;  // text of that file, to show the cause in; empty: the expression is shown
  int blame = -1;           // code point in `expression` of the part that decided
  std::vector<ExplainedPart> values;  // --explain: what decided (text), or everything
  std::vector<ExplainedExpression>
      variables;  // that failed on the way to an error; --explain: that were read
  UnusedMessage unused_message;
  std::vector<ExplainedExpression> conditions;  // match conditions that failed to evaluate
};

// What a mutation made of the object; with --explain also what else became of an invocation.
struct ReviewChange {
  std::string policy, binding, param;
  int mutation = 0;  // index in the policy's list; -1: the whole invocation
  int pass = 1;      // 2: invoked again
  std::string file;  // where the expression stands
  Position position;
  std::vector<Difference> differences;  // of the object at the version that the policy matched
  std::string what;                     // in place of them: "its match conditions left it out"
  std::string why_again;  // --explain, of the second pass: "x, binding y, changed the object after it"
  std::string value;      // --explain: what the expression gave
  // --explain: which items of a configuration met which. Good until the next request.
  std::span<const patching::MergeStep> merge;
  size_t merge_untold = 0;  // steps that are only counted
};

// A policy or binding that had no say (not_applied.h).
struct NotApplied {
  std::string policy, binding, param;  // without binding: the whole policy
  std::string why, file;
  Position position;              // of the cause
  ExplainedExpression condition;  // the match condition that left the request out; no name: none did
};

struct ReviewResult {
  const InputObject* object = nullptr;
  std::string api_version, kind, namespace_name, name, operation, uid;
  bool allowed = true;
  std::string status;   // JSON of the metav1.Status of a refusal; empty if allowed
  std::string message;  // of the refusal
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> audit_annotations;
  std::vector<ReviewFailure> failures;
  std::vector<ReviewChange> changes;  // in the order in which they were made
  std::vector<std::string> doubts;    // --explain: what another order, or doing it twice, would change
  // The object as mutating policies saw it first, as they left it, and as the API server completes it for validating
  // ones; null if they did not change it. Good until the next request.
  Value before, after, completed;
  // What the API server makes of another manifest in place of this one, before policies see it; null if it refuses it,
  // or nobody knows. Empty where mutating policies changed nothing. Good until the next request.
  std::function<Value(const Value& manifest)> served;
  std::vector<NotApplied> not_applied;  // --explain
  std::optional<Refusal> refusal;       // no verdict, and why; then `allowed` is false
  std::vector<std::string> findings;    // of the definition of a custom resource, before any policy
  int policies_matched = 0;
};

// "Pod shop/cart".
std::string full_name(const ReviewResult& result);

// Why a review fails beyond its verdicts (gates.h).
struct GateFailure {
  std::string_view gate;  // the option without dashes: "require-match"
  const InputObject* object;
  std::string text;
};

// What is to be said beside the results.
struct Remainder {
  std::span<const NotEvaluated> not_evaluated;  // what the verdicts say nothing of
  std::span<const LeftOut> left_out;            // what was not taken for manifests
  std::span<const SaidError> errors;            // what could not be read
  bool gated = false;                           // gates are asked for
  std::span<const GateFailure> gates = {};      // those that fail
};

// A result as people read it: a line that begins with the verdict, and indented ones with what is behind it.
std::string result_text(const ReviewResult& result, const Paint& paint);

// Prints results one by one and a summary at the end.
class Reporter {
 public:
  virtual ~Reporter() = default;
  // Before all others: everything that was given as manifests, requests or not.
  virtual void begin(std::span<const InputObject>) {}
  virtual void add(const ReviewResult& result) = 0;
  virtual void finish(const Remainder& rest) = 0;
  // Instead of the other two: nothing can be decided. People have read why on standard error.
  virtual void give_up(const Remainder&) {}

  // For "text", "json", "yaml", "admissionreview"; null for another name. `quiet`: text without what
  // is simply admitted.
  static std::unique_ptr<Reporter> make(std::string_view format, bool quiet);
};

// What `portcullis review` does, with results told to `reporter` (review.cc). The exit status.
int review(const ReviewOptions& options, Reporter& reporter);

}  // namespace portcullis
