// See condition_checks.h.
#include "cli/checks/condition_checks.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "admission/builtin/registration.h"
#include "admission/foresight/condition.h"
#include "cli/messages/lists.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using foresight::Audience;
using foresight::Foreseen;
using foresight::KnownRequest;
using Verdict = Foreseen::Result;

// A message lists so many resources.
constexpr size_t kMostListed = 3;

// All conditions of a webhook or policy may cost so much; then the others are open. Real ones cost a tenth of it with the
// rules `*`.
constexpr uint64_t kMostCostOfAll = 5'000'000;

// The conditions of a policy or a webhook, with the rules before them.
struct Conditions {
  const InputObject* object;
  std::string path;     // of the list: "spec.matchConditions"
  std::string subject;  // at the start of messages: `webhook "a": `, or nothing
  bool webhook;
  bool ignores;  // failurePolicy Ignore
  const Data* list;
};

class ConditionCheck {
 public:
  ConditionCheck(const Conditions& of, const CompiledExpressions& compiled, Context& context,
                 std::vector<KnownRequest> requests, std::vector<PolicyProblem>& out)
      : of_(of), compiled_(compiled), context_(context), requests_(std::move(requests)), out_(out) {}

  void run() {
    if (requests_.empty()) return;  // rule_checks.h says why
    for (size_t i = 0; i < of_.list->size(); i++) foreseen_.push_back(judge(path_of(i)));
    for (size_t i = 0; i < foreseen_.size(); i++) report(i);
    bool never = !reported_never_ && of_.list->size() != 0;
    for (size_t r = 0; r < requests_.size(); r++) never = never && is_false(r, foreseen_.size());
    if (never)
      warn(of_.path,
           "of its match conditions at least one is false for every request" + let_through() + ", so " +
               never_runs(),
           "correct the conditions or the rules");
  }

  // Reports the validations of a policy that fail for all requests of an operation; after run().
  void run_validations(const Data& validations) {
    for (size_t i = 0; i < validations.size(); i++) {
      const std::string path = "spec.validations[" + std::to_string(i) + "].expression";
      const std::optional<Failures> found = failures(judge(path), kNone);
      if (!found) continue;
      warn(path,
           "validation " + std::to_string(i) + " fails for every " + found->sort("request") +
               " that the policy sees (" + found->error + "), so " +
               (of_.ignores ? "it has no effect on them"
                            : std::string(found->others ? "they are" : "all of them are") +
                                  " denied where a binding says Deny"),
           advice(validations.items[i].field_text("expression"), *found, "the validation"));
    }
  }

 private:
  using Results = std::vector<Foreseen>;  // by request
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  Results judge(const std::string& path) {
    Results results(requests_.size());
    ExpressionPtr expression = compiled_.find(*of_.object, path);
    if (expression == nullptr) return results;
    foresight::Condition condition(expression);
    for (size_t r = 0; r < requests_.size() && cost_ < kMostCostOfAll; r++) {
      results[r] = condition.judge(requests_[r], context_);
      cost_ += results[r].cost;
    }
    return results;
  }

  std::string path_of(size_t index) const { return of_.path + "[" + std::to_string(index) + "].expression"; }

  // Whether a condition other than `except` is false for the request.
  bool is_false(size_t request, size_t except) const {
    for (size_t i = 0; i < foreseen_.size(); i++) {
      if (i != except && foreseen_[i][request].result == Verdict::False) return true;
    }
    return false;
  }

  // "the webhook is never called".
  std::string never_runs() const {
    return of_.webhook ? "the webhook is never called" : "the policy never applies";
  }

  void report(size_t index) {
    const Results& results = foreseen_[index];
    auto all = [&](Verdict wanted) {
      return std::ranges::all_of(results, [&](const Foreseen& f) { return f.result == wanted; });
    };
    const std::string name = "match condition " + quote_json((*of_.list).items[index].field_text("name"));
    if (all(Verdict::False)) {
      reported_never_ = true;
      return warn(path_of(index),
                  name + " is false for every request" + let_through() + ", so " + never_runs(),
                  "correct the condition or the rules");
    }
    if (all(Verdict::True))
      return warn(path_of(index),
                  name + " is true for every request" + let_through() + ", so it excludes nothing",
                  "correct the condition, or remove it");
    report_failures(index, name);
  }

  // An expression that fails for all requests of some operations.
  struct Failures {
    uint8_t operations;
    bool others;        // there are requests of other operations
    std::string error;  // of the first
    // "CREATE and every UPDATE", or `all` if there are no others.
    std::string sort(const std::string& all) const {
      std::string out = others ? operation_names(operations) : all;
      if (const size_t at = out.find(" and "); others && at != out.npos) out.replace(at, 5, " and every ");
      return out;
    }
  };

  // Those among the requests that no condition other than `except` keeps away.
  std::optional<Failures> failures(const Results& results, size_t except) const {
    uint8_t failing = 0, other = 0;
    for (size_t r = 0; r < requests_.size(); r++) {
      if (is_false(r, except)) continue;
      (results[r].result == Verdict::Fails ? failing : other) |= operation_bit(requests_[r].operation);
    }
    failing &= static_cast<uint8_t>(~other);
    for (size_t r = 0; r < requests_.size(); r++) {
      if ((failing & operation_bit(requests_[r].operation)) == 0 || is_false(r, except)) continue;
      return Failures{failing, other != 0, results[r].error};
    }
    return {};
  }

  void report_failures(size_t index, const std::string& name) {
    const std::optional<Failures> found = failures(foreseen_[index], index);
    if (!found) return;
    warn(path_of(index),
         name + " fails for every " + found->sort("request" + let_through()) + " (" + found->error +
             "), so " +
             (of_.ignores ? of_.webhook ? "the webhook is not called" : "the policy does not apply"
                          : "the API server refuses " + std::string(found->others ? "them" : "all of them")),
         advice((*of_.list).items[index].field_text("expression"), *found, "the condition"));
  }

  static std::string advice(std::string_view text, const Failures& found, std::string_view what) {
    const std::string& error = found.error;
    if (error == "no such key: subResource" || error == "no such key: requestSubResource" ||
        error == "no such key: namespace" || error == "no such key: name")
      return "the field is absent where it is empty: test has(request." + error.substr(error.rfind(' ') + 1) +
             ") first";
    if (found.operations == operation_bit(Operation::Delete) && text.find("object") != text.npos)
      return "object is null in a DELETE: test object != null or request.operation first";
    if (found.operations == operation_bit(Operation::Create) && text.find("oldObject") != text.npos)
      return "oldObject is null in a CREATE: test oldObject != null or request.operation first";
    return "correct " + std::string(what) + " or the rules";
  }

  // " that the rules let through (CREATE and UPDATE of pods)".
  std::string let_through() const {
    std::vector<std::string> names;
    uint8_t operations = 0;
    bool known = true;
    for (const KnownRequest& k : requests_) {
      operations |= operation_bit(k.operation);
      known = known && k.resource && k.subresource;
      if (!known) break;
      std::string name(*k.resource);
      if (!k.subresource->empty()) name.append("/").append(*k.subresource);
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    std::string out = " that the rules let through";
    if (!known || names.size() > kMostListed) return out;
    return out + " (" + operation_names(operations) + " of " + listed(names) + ")";
  }

  void warn(const std::string& path, const std::string& text, std::string hint) {
    out_.push_back({of_.object,
                    Severity::Warning,
                    path,
                    of_.subject + text,
                    of_.object->locate(path),
                    {},
                    std::move(hint)});
    out_.back().ours = true;
  }

  const Conditions& of_;
  const CompiledExpressions& compiled_;
  Context& context_;
  const std::vector<KnownRequest> requests_;
  std::vector<Results> foreseen_;  // by condition
  std::vector<PolicyProblem>& out_;
  bool reported_never_ = false;
  uint64_t cost_ = 0;
};

void check_conditions(const Conditions& of, const MatchRules& rules, Audience audience,
                      const CompiledExpressions& compiled, const ServedByCluster& served, Context& context,
                      std::vector<PolicyProblem>& out, const Data* validations = nullptr) {
  if (of.list->size() == 0 && validations == nullptr) return;
  ConditionCheck check(of, compiled, context, requests_of(rules, audience, served.served()), out);
  check.run();
  if (validations != nullptr) check.run_validations(*validations);
}

}  // namespace

ServedByCluster::ServedByCluster(const Resources& resources) : former_(Resources::former(resources.minor())) {
  // The Go structs are those of the newest release.
  const bool newest = former_.empty() || std::ranges::none_of(former_, &Resources::Former::served);
  for (const Served& s : resources.served()) {
    const builtin::StructRow* fields =
        newest && s.built_in ? builtin::find_kind(join_api_version(s.body_group, s.body_version), s.body_kind)
                             : nullptr;
    list_.push_back({s.group, s.version, s.resource, s.subresource, s.body_group, s.body_version, s.body_kind,
                     s.namespaced, s.built_in, s.operations, fields});
  }
  for (const Resources::Former& f : former_) {
    if (f.served)
      list_.push_back({f.group, f.version, f.plural, "", f.group, f.version, f.kind, f.namespaced, true,
                       kWritten, nullptr});
  }
  served_ = {list_, [](std::string_view group) { return Resources::is_closed(group); }};
}

void add_condition_problems(const ReviewCluster& cluster, const CompiledExpressions& compiled,
                            const ServedByCluster& served, std::vector<PolicyProblem>& out) {
  Context context;
  Arena arena;  // of one object at a time
  for (const InputObject* p : cluster.policies()) {
    arena.reset();
    const Decoded decoded = decode_object(arena, p->value);
    const Data spec = decoded.data["spec"], list = spec["matchConditions"], validations = spec["validations"];
    Conditions of{p, "spec.matchConditions", "", false, spec.field_text("failurePolicy") == "Ignore", &list};
    Audience audience = is_mutating(*p) ? Audience::MutatingPolicy : Audience::ValidatingPolicy;
    check_conditions(of, MatchRules(spec["matchConstraints"], true), audience, compiled, served, context, out,
                     is_mutating(*p) ? nullptr : &validations);
  }
  for (const InputObject* c : cluster.configurations()) {
    arena.reset();
    const Decoded decoded = decode_object(arena, c->value);
    const Data hooks = decoded.data["webhooks"];
    for (size_t i = 0; i < hooks.size(); i++) {
      const Data hook = hooks.items[i], list = hook["matchConditions"];
      Conditions of{c,
                    "webhooks[" + std::to_string(i) + "].matchConditions",
                    "webhook " + quote_json(hook.field_text("name")) + ": ",
                    true,
                    hook.field_text("failurePolicy") == "Ignore",
                    &list};
      check_conditions(of, MatchRules::of_webhook(hook), Audience::Webhook, compiled, served, context, out);
    }
  }
}

}  // namespace portcullis
