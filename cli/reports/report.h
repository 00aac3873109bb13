// The output of decisions: text for people, JSON and YAML with a stable schema, AdmissionReview.
//
// Idea: a Decider (cli/session/) makes one ReviewResult for each manifest; a Reporter prints them. docs/output.md documents
// the schema of `-o json` and `-o yaml`, which only ever grows. Tested by tests/cli.py.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "admission/objects/difference.h"
#include "admission/objects/field_error.h"
#include "admission/patching/merge_trace.h"
#include "cli/cluster/cluster.h"
#include "cli/commands.h"
#include "cli/messages/destination.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "cli/reports/explain.h"
#include "cli/requests/request.h"

namespace portcullis {

// A message expression without a usable value, so that the API server uses another message.
struct UnusedMessage : ExplainedExpression {
  std::string why;  // "it fails to evaluate: ..."; empty: it is absent or used
  std::vector<ExplainedExpression> variables;
};

// --explain: the merge steps of an apply configuration. Valid until the next request.
struct ExplainedMerge {
  std::span<const patching::MergeStep> steps;
  size_t untold = 0;  // the number of omitted steps
};

// A validation or a rule of a definition that failed, or an evaluation that was impossible.
struct ReviewFailure {
  std::string policy, binding, param;
  // Of a rule of a CustomResourceDefinition: the name of that, and "VERSION/PATH" of the rule in its schema. No policy then.
  std::string definition, rule;
  bool mutating = false;  // of a MutatingAdmissionPolicy
  int validation = -1;    // index; -1: not a validation
  int mutation = -1;      // index; -1: not a mutation
  std::string expression, message, reason;
  std::string hint;  // what may help; may be empty
  bool denied = false, warned = false, audited = false;
  bool error = false;                 // an error of evaluation or configuration, not `false`
  bool unevaluated = false;           // of a validating policy: an error of evaluation
  std::string policy_file;            // the file of the expression
  Position position;                  // of the expression; without a validation, of the cause
  PointedText source;                 // text of that file, to show the cause; empty: show the expression
  int blame = -1;                     // code point in `expression` of the deciding part
  std::string subject;                // the path in the object that this part reads; empty: unknown
  std::vector<ExplainedPart> values;  // --explain: the deciding values (text), or all
  std::vector<ExplainedExpression> variables;  // those that failed; --explain: all that were read
  UnusedMessage unused_message;
  std::vector<ExplainedExpression> conditions;  // match conditions that failed to evaluate
  ExplainedMerge merge;                         // of a mutation that fails after it
};

// A validation that was evaluated. Its texts are the engine's: most results have many of them, and few reports read them.
struct ReviewEvaluated {
  std::string_view policy, expression;
  int validation = 0;  // index
  bool passed = false;
  uint64_t cost = 0;
};

// The answer to a question about mutations (doubts.h).
struct ReviewDoubt {
  enum class About {
    Order,       // another order has another result
    Repetition,  // the policies would change their own result again
    Untried,     // more pairs of policies write one path than were tried
  };
  About about;
  std::string text;
  // Of Order: the two policies that change places, in their order, and the paths that they write; no policies if all
  // invocations run in the reverse order, no paths if they write none of the other's.
  std::vector<std::string> policies, writes;
  // The first path that differs, and the values there, as JSON, as it is and otherwise; empty: absent. No path: one of
  // the results is a refusal.
  std::string path, value, otherwise;
  std::string refused;  // "now" or "otherwise": which one it is; empty: neither
};

// The changes that a mutation made to the object; with --explain also invocations without changes.
struct ReviewChange {
  std::string policy, binding, param;
  int mutation = 0;  // index in the policy's list; -1: the whole invocation
  int pass = 1;      // 2: invoked again
  std::string file;  // the file of the expression
  Position position;
  std::vector<Difference> differences;  // of the object at the version that the policy matched
  std::string what;                     // in their place: "its match conditions exclude it"
  std::string why_again;                // --explain, second pass: "x, binding y, changed the object after it"
  std::string value;                    // --explain: the value of the expression
  ExplainedMerge merge;
};

// What became of a webhook in one pass.
struct ReviewWebhook {
  std::string configuration, webhook;
  bool mutating = false;
  int pass = 1;         // 2: invoked again
  std::string outcome;  // "allowed", "denied", "failed", "ignored", "unknown", "notReached", "notAgain"
  std::string text;     // the message, or why it was not called
  std::string version;  // of the AdmissionReview, if it was called
  std::string patch;    // JSON of the operations that it answered with; empty: none
  std::vector<Difference> differences;  // that they made to the object, at the version of the call
  std::string file;
  Position position;
};

// A policy, binding or webhook that a request reaches or misses (reached.h).
struct ReviewReach {
  enum class Stage { MutatingPolicies, MutatingWebhooks, ValidatingPolicies, ValidatingWebhooks };
  Stage stage = Stage::ValidatingPolicies;
  std::string policy, binding, param;  // of policies; empty binding: the whole policy
  std::string configuration, webhook;  // of webhooks
  int pass = 1;                        // 2: invoked again
  bool reached = false;
  // If it is reached, the gravest of "allowed", "denied", "failed", "ignored" (an error, which failurePolicy lets
  // pass), "warned", "audited", "changed", "unchanged", "unknown" (nobody asks the webhook); empty: not known.
  std::string outcome;
  std::string version;  // of the AdmissionReview that the webhook is sent
  std::string why;      // the rule that matches, or what does not; of the second pass, why it runs
  std::string file;
  Position position;              // of the cause
  ExplainedExpression condition;  // the match condition that excluded the request, if it has a name
};

// What the API server itself says of an object, before it asks validating policies: by the definition of its kind, or
// since an update conflicts with the stored object, or by an admission plugin.
struct ServerFinding {
  bool is_warning;
  std::string text;                        // without "warning: "
  Position position;                       // of the cause in the file
  std::string hint = {};                   // may be empty
  std::optional<ReviewFailure> rule = {};  // of an error: the rule that failed
  std::string_view source = "definition";  // in reports: "definition", "conflict", or a plugin

  // The text as JSON has it.
  std::string whole() const { return (is_warning ? "warning: " : "") + text; }
};

struct ReviewResult {
  const InputObject* object = nullptr;
  std::string api_version, kind, namespace_name, name, operation, uid;
  std::string resource;  // "apps/v1 deployments/scale"
  bool deleted = false;  // of --deleted
  bool allowed = true;
  std::string status;               // JSON of the metav1.Status of a refusal; empty if allowed
  std::string message;              // of the refusal
  std::vector<FieldError> invalid;  // of a custom resource that its definition refuses: the errors
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> audit_annotations;
  std::vector<ReviewFailure> failures;
  std::vector<ReviewEvaluated> evaluated;
  std::vector<ReviewChange> changes;  // in the order in which they were made
  std::vector<ReviewDoubt> doubts;    // --explain: what another order, or doing it twice, would change
  // The object as mutating policies saw it first, as they left it, and as the API server completes it for validating
  // ones; null if they did not change it. Good until the next request.
  Value before, after, completed;
  // What policies would see of another manifest in place of this one: with the API server's defaults. Null if the server
  // refuses it, or its kind is unknown. Empty where mutating policies changed nothing. Good until the next request.
  std::function<Value(const Value& manifest)> served;
  std::vector<ReviewReach> not_applied;  // --explain: policies and bindings
  std::vector<ReviewReach> reached;      // `who`: everything, in the order of events
  // In the order of events: denials, failures, changes and those that nobody asked; --explain: all.
  std::vector<ReviewWebhook> webhooks;
  std::optional<Refusal> refusal;  // if set, there is no verdict, and `allowed` is false
  std::vector<ServerFinding> findings;
  std::vector<Remark> remarks;
  int policies_matched = 0, webhooks_reached = 0;
};

// Appends what its definition says of the object, with places.
void add_findings(std::string& out, const ReviewResult& result, const Paint& paint);
// Appends why there is no verdict, with its place; nothing if there is one.
void add_refusal(std::string& out, const ReviewResult& result, const Paint& paint);
// "Pod shop/cart".
std::string full_name(const ReviewResult& result);
// The JSON Patch of all that mutations changed.
std::string whole_patch(const ReviewResult& result);

// How the names of gates begin that fail as a denial does.
inline constexpr std::string_view kFailOn = "fail-on-";

// Why a review fails in addition to its verdicts (gates.h), and what of its object is known when that is gone.
struct GateFailure {
  std::string_view gate;  // the option without dashes: "require-match"
  std::string text;
  std::optional<size_t> result;  // the number of the result, from 0; of a policy nothing
  const InputObject* policy = nullptr;
  std::string file, kind, name;
  int line = 0;          // of the object
  Message message = {};  // of --require-match
};

// What to print after the results.
struct Remainder {
  std::span<const NotEvaluated> not_evaluated;  // objects that the verdicts ignore
  std::span<const LeftOut> left_out;            // files that are no manifests
  std::span<const SaidError> errors;            // input that could not be read
  bool gated = false;                           // whether gates are requested
  std::span<const GateFailure> gates = {};      // the failed gates
};

// A result for people: a line that begins with the verdict, and indented lines with its reasons.
std::string result_text(const ReviewResult& result, const Paint& paint);

// Prints results as they come and a summary at the end. What a result refers to is gone after add().
class Reporter {
 public:
  virtual ~Reporter() = default;
  // Called before and after the results of a few documents, with everything that is in them, requests or not.
  virtual void begin(std::span<const InputObject>) {}
  virtual void end() {}
  virtual void add(const ReviewResult& result) = 0;

  // A reporter that hears of a part of the results, on a thread of its own, and prints nothing. take() then takes over
  // what it heard; parts come in the order of the input. Null: this one must hear of all results itself.
  virtual std::unique_ptr<Reporter> part() const { return nullptr; }
  virtual void take(Reporter&) {}

  virtual void finish(const Remainder& rest) = 0;
  // Called in place of add() and finish(): nothing can be decided. Standard error has the reasons for people.
  virtual void give_up(const Remainder&) {}

  // The reporter for one of kReviewFormats, which prints to `to`. `quiet`: omits from text what is admitted without
  // remark.
  static std::unique_ptr<Reporter> make(std::string_view format, bool quiet, Destination& to);
};

// Runs `portcullis review` and reports results to `reporter` (review.cc). Returns the exit status.
int review(const ReviewOptions& options, Reporter& reporter);

}  // namespace portcullis
