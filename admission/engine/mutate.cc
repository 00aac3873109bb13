// Engine::mutate: matches policies, bindings and params, runs their mutations in order, runs the second pass,
// and makes the Status of a refusal.
//
// Idea: the loops of the API server's dispatcher. A pass lists all invocations before its first mutation, so
// a mutation never changes which others run in its pass. Each mutation sees the object as earlier ones left
// it at the same version. Source of behaviour: apiserver pkg/admission/plugin/policy/mutating/dispatcher.go,
// .../generic/policy_dispatcher.go, pkg/admission/reinvocation.go. Between the passes chain/ may run webhooks, which
// change the object. Tested by admission/engine/mutate_test.cc, tests/admission/mutation,
// tests/oracle/random_mutating_reviews.py.
#include <fmt/format.h>

#include <algorithm>

#include "admission/builtin/normalize.h"
#include "admission/builtin/plain.h"
#include "admission/engine/conditions.h"
#include "admission/engine/converted.h"
#include "admission/engine/evaluation_trace.h"
#include "admission/engine/loaded.h"
#include "admission/engine/mutation_state.h"
#include "admission/engine/request_values.h"
#include "admission/engine/scene.h"
#include "admission/engine/stage.h"
#include "admission/patching/kind.h"
#include "admission/scalars/group_version.h"
#include "grammar/quote.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/list_types.h"

namespace portcullis {
namespace {

using Why = MutationOutcome::Why;

}  // namespace

// The mutation of one request, in both passes.
class Mutator {
 public:
  Mutator(const Engine::Loaded& loaded, const AdmissionRequest& request, ReviewContext& context,
          Mutation& out)
      : loaded_(loaded),
        request_(request),
        context_(context),
        memory_(context.mutation_state()),
        state_(memory_.state),
        out_(out) {}

  void run(int pass) {
    pass_ = pass;
    out_.again = false;
    out_.object = request_.object;
    if (loaded_.mutating.empty() || request_.operation == Operation::Delete ||
        exempt_from_policies(request_.resource))
      return;
    if (pass == 1) {
      memory_.begin(loaded_, request_, context_);
      complete_ = true;
    } else {
      // What changed the object since then may have converted it, and the first pass may have, too.
      complete_ = memory_.complete && request_.object.is_identical(memory_.last_output);
    }
    run_pass();
    memory_.complete = complete_;
    out_.again = again_;
    out_.object = out_.allowed ? request_.object : Value();
  }

 private:
  Arena& arena() { return state_.context.arena(); }
  std::string_view join(std::initializer_list<std::string_view> parts) { return joined(arena(), parts); }

  void run_pass() {
    out_.passes = pass_;
    memory_.begin_pass();
    scene_ = scene_of(loaded_, request_, arena());
    last_ = nullptr;
    state_.outcomes.begin(*loaded_.rules, scene_);
    state_.matched.clear();
    loaded_.mutating_index.find(scene_, state_.outcomes, state_.scratch, state_.matched);
    for (uint32_t i : state_.matched) list_policy(loaded_.mutating[in_turn(i)]);
    if (context_.order.reversed) std::ranges::reverse(memory_.invocations);
    if (!memory_.invocations.empty() && !invoke_all()) return;
    refuse();
  }

  // --- what is invoked ---

  // The policy that takes the turn of `policy` in the requested order.
  uint32_t in_turn(uint32_t policy) const {
    const MutationOrder& order = context_.order;
    if (order.one.empty()) return policy;
    std::string_view name = loaded_.mutating[policy].name;
    if (name != order.one && name != order.other) return policy;
    std::string_view wanted = name == order.one ? order.other : order.one;
    auto found = std::ranges::find(loaded_.mutating, wanted, &LoadedPolicy::name);
    return found == loaded_.mutating.end() ? policy : static_cast<uint32_t>(found - loaded_.mutating.begin());
  }

  void list_policy(const LoadedPolicy& policy) {
    if (context_.reinvoked && *context_.reinvoked != policy.reinvoked) return;
    const std::string_view versions = context_.versions;
    if (!versions.empty() && !(*loaded_.rules)[policy.match].asks_for(request_, versions)) return;
    const MatchOutcome& match = state_.outcomes[policy.match];
    if (!match.error.empty())
      return config_error(policy, nullptr, match.error, "spec.matchConstraints", &match);
    if (!match.matches) return;
    if (pass_ == 1) out_.policies_matched++;
    if (!policy.configuration_error.empty())
      return config_error(policy, nullptr, policy.configuration_error, "spec.paramKind");
    Invocation made{&policy, nullptr, nullptr, match.as == nullptr ? request_.kind : match.as->kind,
                    match.as == nullptr ? request_.resource : match.as->resource};
    const Conversion conversion = scene_.conversion_to(match.as);
    for (const PolicyBinding& binding : loaded_.bindings_of(policy))
      list_binding(policy, binding, made, conversion);
  }

  void list_binding(const LoadedPolicy& policy, const PolicyBinding& binding, Invocation made,
                    Conversion conversion) {
    const MatchOutcome& match = state_.outcomes[binding.match];
    if (!match.error.empty())
      return config_error(policy, &binding, match.error, "spec.matchResources", &match);
    if (!match.matches) return;
    if (pass_ == 1) out_.bindings_matched++;
    if (conversion != Conversion::Known) {
      out_.incomplete |= policy.failure == FailurePolicy::Ignore;
      return config_error(policy, nullptr, not_converted(request_.kind_of_objects(), conversion, arena()),
                          "spec.matchConstraints");
    }
    memory_.params.clear();
    ParamProblem problem = find_params(policy, binding, request_, memory_.params);
    if (context_.trace != nullptr && pass_ == 1) tell_bound(policy, binding, problem);
    if (!problem.text.empty()) return config_error(policy, &binding, problem.text, problem.field);
    made.binding = &binding;
    for (const Param* param : memory_.params) {
      made.param = param;
      memory_.invocations.push_back(made);
    }
  }

  void tell_bound(const LoadedPolicy& policy, const PolicyBinding& binding, const ParamProblem& problem) {
    const bool has_params = policy.has_param_kind && binding.param != nullptr;
    context_.trace->bound({.policy = policy.name,
                           .binding = binding.name,
                           .mutating = true,
                           .has_params = has_params,
                           .params = has_params ? memory_.params.size() : 0,
                           .error = problem.text});
  }

  // `field`: the cause in the binding or, without binding, in the policy. `match`: the match that failed, if one did.
  void config_error(const LoadedPolicy& policy, const PolicyBinding* binding, std::string_view error,
                    std::string_view field, const MatchOutcome* match = nullptr) {
    std::string_view message = not_configured(binding, error, arena());
    memory_.errors.push_back({&policy, binding, message, {}, missing_namespace_of(match)});
    if (!context_.want_outcomes) return;
    MutationOutcome& o = out_.outcomes.emplace_back();
    o.kind = MutationOutcome::Kind::ConfigError;
    o.pass = pass_;
    o.policy = policy.name;
    if (binding != nullptr) o.binding = binding->name;
    o.of_binding = binding != nullptr;
    o.message = message;
    o.reason = "Forbidden";
    o.ignored = policy.failure == FailurePolicy::Ignore;
    o.field = field_within(field, match, arena());
  }

  // --- invocations ---

  // False if the request is refused at once.
  bool invoke_all() {
    if (pass_ == 2 && !same_data(memory_.last_output, request_.object))
      mark_waiting(Why::SomethingRan, nullptr);
    bool allowed = invoke_each();
    memory_.last_output = request_.object;
    return allowed;
  }

  bool invoke_each() {
    again_ = false;
    namespace_ = nullptr;
    if (needs_namespace(request_)) {
      namespace_ = namespace_of(loaded_, request_.namespace_name, assumed_, arena());
      if (namespace_ == nullptr) {
        out_.allowed = false;
        refuse_missing_namespace(request_, arena(), out_.status);
        return false;
      }
    }
    cursor_ = 0;
    for (const Invocation& i : memory_.invocations) {
      if (!invoke(i)) return false;
      if (context_.interrupted) return true;
    }
    if (last_ != nullptr && last_->dirty && !last_->object.is_null()) {
      mark_waiting(Why::SomethingRan, nullptr);
      again_ = true;
      return write_back(*last_);
    }
    return true;
  }

  bool invoke(const Invocation& invocation) {
    const LoadedPolicy& policy = *invocation.policy;
    if (policy.mutations.size() != policy.mutation_count) return refuse_uncompiled(invocation);
    why_ = Why::FirstPass;
    by_ = nullptr;
    VersionedObjects& objects = objects_of(invocation.kind);
    set_param(invocation);
    if (!policy.conditions.empty() && !conditions_hold(invocation, objects)) return true;
    if (pass_ == 2 && !runs_again(invocation)) return true;
    Value before = objects.object;
    for (size_t i = 0; i < policy.mutations.size(); i++) {
      last_ = &objects;
      if (!mutate(invocation, i, objects)) return false;
    }
    // In the second pass, a change also lets those run again that wait since the first pass and come later in order.
    if (pass_ == 2 && memory_.waiting.empty()) return true;
    if (!same_data(before, objects.object)) {
      mark_waiting(Why::LaterChange, &invocation);
      again_ = true;
    }
    if (pass_ == 2) return true;
    if (policy.reinvoked) memory_.waiting.push_back(invocation);
    if (context_.want_outcomes) memory_.ran.push_back(invocation);
    return true;
  }

  // Reports a mutation without the expression of its patchType; the API server would not store such a policy.
  bool refuse_uncompiled(const Invocation& invocation) {
    const LoadedPolicy& policy = *invocation.policy;
    std::string text = fmt::format("expected {} compiled evaluators for policy {}, got {}",
                                   policy.mutation_count, policy.name, policy.mutations.size());
    MutationOutcome& o = note(invocation, -1);
    o.kind = MutationOutcome::Kind::Error;
    o.field = "spec.mutations";
    return refuse_at_once(o, patching::internal_error(arena(), text));
  }

  // --- the second pass ---

  void mark_waiting(Why why, const Invocation* by) {
    for (const Invocation& i : memory_.waiting)
      memory_.again.push_back(
          {i, why, by == nullptr ? nullptr : by->policy, by == nullptr ? nullptr : by->binding});
    memory_.waiting.clear();
  }

  bool runs_again(const Invocation& invocation) {
    // Invocations mostly have the order of the first pass, so the search starts after the last hit.
    const std::vector<Reinvocation>& again = memory_.again;
    for (size_t n = 0; n < again.size(); n++) {
      const Reinvocation& r = again[(cursor_ + n) % again.size()];
      if (!r.invocation.same_key(invocation)) continue;
      cursor_ += n + 1;
      why_ = r.why;
      by_ = &r;
      return true;
    }
    if (!context_.want_outcomes) return false;
    MutationOutcome& o = note(invocation, -1);
    o.kind = MutationOutcome::Kind::NotAgain;
    bool ran = std::ranges::any_of(memory_.ran, [&](const Invocation& i) { return i.same_key(invocation); });
    o.why = !ran ? Why::DidNotRun : !invocation.policy->reinvoked ? Why::PolicyIsNever : Why::NothingNew;
    return false;
  }

  // --- objects ---

  VersionedObjects& objects_of(const GroupVersionKind& kind) {
    for (VersionedObjects& v : memory_.versions) {
      if (v.kind == kind) return v;
    }
    // Reserves room for the whole pass, because pointers to the elements are kept.
    if (memory_.versions.empty()) memory_.versions.reserve(memory_.invocations.size());
    VersionedObjects& made = memory_.versions.emplace_back();
    made.kind = kind;
    made.object = to_kind(request_.object, kind);
    made.old_object = to_kind(request_.old_object, kind);
    made.complete = complete_ && kind == request_.kind;  // a conversion sets no defaults
    return made;
  }
  Value to_kind(const Value& object, const GroupVersionKind& kind) {
    return kind == request_.kind_of_objects() ? object : at_version(arena(), request_.typed, object, kind);
  }
  // Makes the object at this version the object of the request; changes at other versions are lost. False if
  // the conversion fails.
  bool write_back(const VersionedObjects& from) {
    complete_ = from.kind == request_.kind;
    patching::Patched written = written_back(from.object, from.kind);
    if (!written.ok())
      return refuse_at_once(
          note_culprit(from.kind),
          patching::internal_error(arena(), join({"failed to convert object: ", written.error})));
    request_.object = request_.sent ? at_version(arena(), request_.typed, written.object, request_.sent->kind)
                                    : written.object;
    return true;
  }
  patching::Patched written_back(Value object, const GroupVersionKind& kind) {
    const patching::KindSchema schema = memory_.schemas.find(kind);
    if (patching::keeps_former(schema))
      object = patching::over_former(arena(), schema, object, to_kind(request_.object, kind));
    if (kind == request_.kind) return patching::written_back(arena(), schema, object);
    return patching::written_back(arena(), memory_.schemas.find(request_.kind),
                                  at_version(arena(), request_.typed, object, request_.kind));
  }
  // The outcome of a failure to write back: that of the last mutation of this pass to an object of `kind` which could
  // be written back before it and not after it. The API server names no policy.
  MutationOutcome& note_culprit(const GroupVersionKind& kind) {
    scrap_ = {};
    for (size_t i = out_.outcomes.size(); i-- > 0;) {
      const MutationOutcome& o = out_.outcomes[i];
      if (o.pass != pass_ || !o.changed || !(o.as == kind)) continue;
      if (written_back(o.after, kind).ok() || !written_back(o.before, kind).ok()) continue;
      MutationOutcome made = o;
      made.before = made.after;
      made.changed = false;
      return out_.outcomes.emplace_back(made);
    }
    return scrap_;
  }

  // --- expressions ---

  void set_param(const Invocation& invocation) {
    if (!invocation.policy->has_param_kind) return;
    state_.set(loaded_.numbers->params,
               invocation.param == nullptr ? Value() : invocation.param->in_mutations);
  }

  // Sets the objects to what expressions see now.
  void set_objects(VersionedObjects& objects) {
    auto view = [&](const Value& object) {
      return objects.as_structs || !request_.typed ? object : builtin::plain_data(arena(), object);
    };
    if (!objects.object_seen) objects.object_view = view(objects.object);
    if (!objects.old_object_seen) objects.old_object_view = view(objects.old_object);
    objects.object_seen = objects.old_object_seen = true;
    state_.set(loaded_.numbers->object, objects.object_view);
    state_.set(loaded_.numbers->old_object, objects.old_object_view);
  }

  bool run_stage(const Invocation& invocation, std::span<const PolicyExpression> expressions, int64_t budget,
                 ReviewTrace::Part part, int index) {
    const LoadedPolicy& policy = *invocation.policy;
    bool fits = state_.runner.run(expressions, variables_of(policy, loaded_.numbers->variables),
                                  *state_.activation, budget, memory_.evaluations);
    if (context_.trace == nullptr) return fits;
    ReviewTrace::Evaluated told = {.policy = policy.name, .param = param_key(invocation), .part = part};
    told.mutating = true;
    told.index = index;
    tell_evaluations(*context_.trace, state_, policy.variables, told, expressions, memory_.evaluations);
    return fits;
  }
  static std::string_view param_key(const Invocation& invocation) {
    return invocation.param == nullptr ? std::string_view() : std::string_view(invocation.param->key);
  }

  bool conditions_hold(const Invocation& invocation, VersionedObjects& objects) {
    const LoadedPolicy& policy = *invocation.policy;
    objects.as_structs = true;
    set_objects(objects);
    // Quirks of upstream: no namespace, and the request's own resource beside the matched kind.
    state_.set_request(loaded_, request_, invocation.kind, request_.resource);
    state_.set(loaded_.numbers->namespace_object, {});
    state_.set_authorizer(loaded_, request_, true);
    bool fits = run_stage(invocation, policy.conditions, kMatchConditionsCostBudget,
                          ReviewTrace::Part::MatchCondition, 0);
    ConditionsVerdict verdict =
        judge_conditions(policy.failure, fits, memory_.evaluations, memory_.texts, arena());
    if (verdict.hold) return true;
    MutationOutcome& o = note(invocation, -1);
    o.kind = MutationOutcome::Kind::ConditionsFalse;
    if (verdict.error.empty()) return false;
    o.field = "spec.matchConditions";
    policy_error(invocation, verdict.error, o);
    return false;
  }

  // --- mutations ---

  // False if the request is refused at once.
  bool mutate(const Invocation& invocation, size_t index, VersionedObjects& objects) {
    MutationOutcome& o = note(invocation, static_cast<int>(index));
    o.before = o.after = objects.object;
    if (objects.object.is_null()) {
      o.kind = MutationOutcome::Kind::NoObject;
      return true;
    }
    patching::Patched patched = patch(invocation, index, objects, o);
    if (patched.is_status()) return refuse_at_once(o, patched);
    if (!patched.ok()) {
      policy_error(invocation, patched.error, o);
      return true;
    }
    o.kind = patched.skipped ? MutationOutcome::Kind::TestFailed : MutationOutcome::Kind::Applied;
    o.after = patched.object;
    if (context_.want_outcomes) o.changed = !same_data(o.before, o.after);
    objects.object = patched.object;
    objects.dirty = true;
    objects.complete |= !patched.skipped;
    objects.object_seen = false;
    return true;
  }

  patching::Patched patch(const Invocation& invocation, size_t index, VersionedObjects& objects,
                          MutationOutcome& o) {
    const PolicyMutation& mutation = invocation.policy->mutations[index];
    const PolicyExpression& expression = mutation.expression;
    patching::KindSchema schema = memory_.schemas.find(objects.kind);
    if (scales_custom_resource(request_)) schema.handling = patching::Handling::Unconvertible;
    schema.fills_defaults = memory_.schemas.fills_defaults(arena(), schema);
    // Fails, whatever the value of the expression is.
    if (schema.handling == patching::Handling::Unknown)
      return patching::mutate_by_json_patch(arena(), schema, {objects.object}, {});
    if (expression.program == nullptr) return patching::refused(arena(), {expression.compile_error});
    set_objects(objects);
    state_.set_request(loaded_, request_, invocation.kind, invocation.resource);
    state_.set(loaded_.numbers->namespace_object, namespace_ == nullptr ? Value() : namespace_->whole);
    state_.set_authorizer(loaded_, request_, true);
    if (!run_stage(invocation, {&expression, 1}, kPolicyCostBudget, ReviewTrace::Part::Mutation,
                   static_cast<int>(index)))
      return patching::refused(arena(), {kOutOfBudget});
    const Evaluation& given = memory_.evaluations[0];
    o.cost = given.cost;
    if (!given.error.empty()) return patching::refused(arena(), {given.error});
    o.value = given.value;
    const patching::Current current = {objects.object, objects.complete};
    patching::Patched patched = mutation.json_patch
                                    ? patching::mutate_by_json_patch(arena(), schema, current, given.value)
                                    : configure(schema, current, given.value, o);
    bool decoded = schema.handling == patching::Handling::Decoded;
    return patched.ok() && decoded ? at_version_of_request(arena(), request_.kind, objects.kind, patched)
                                   : patched;
  }

  patching::Patched configure(patching::KindSchema schema, const patching::Current& current,
                              const Value& literal, MutationOutcome& o) {
    schema.is_older = memory_.schemas.is_older(schema);
    if (!context_.want_merges) return patching::mutate_by_configuration(arena(), schema, current, literal);
    patching::MergeTrace trace(arena());
    patching::Patched patched = patching::mutate_by_configuration(arena(), schema, current, literal, &trace);
    o.merge = trace.steps();
    o.merge_untold = trace.untold();
    return patched;
  }

  // --- errors ---

  void policy_error(const Invocation& invocation, std::string_view message, MutationOutcome& o) {
    memory_.errors.push_back({invocation.policy, invocation.binding, message, "Invalid"});
    o.kind = MutationOutcome::Kind::Error;
    o.message = message;
    o.reason = "Invalid";
    o.ignored = invocation.policy->failure == FailurePolicy::Ignore;
  }

  // An error that is a Status of its own.
  bool refuse_at_once(MutationOutcome& o, const patching::Patched& error) {
    o.kind = MutationOutcome::Kind::Error;
    o.at_once = true;
    Status& s = out_.status;
    out_.allowed = false;
    s.code = error.code;
    s.reason = o.reason = error.reason;
    s.message = o.message = error.error;
    s.has_details = !error.cause.empty();
    if (s.has_details) s.causes.push_back({error.cause});
    return false;
  }

  // Go quotes the name of the policy where the message names no binding.
  std::string_view denial(const MutationError& e) {
    if (e.binding == nullptr) return join({"policy ", quote(e.policy->name), " denied request: ", e.message});
    return join(
        {"policy '", e.policy->name, "' with binding '", e.binding->name, "' denied request: ", e.message});
  }

  // Refuses the request if an error remains that no failurePolicy ignores.
  void refuse() {
    Status& s = out_.status;
    for (const MutationError& e : memory_.errors) {
      if (e.policy->failure == FailurePolicy::Ignore) continue;
      std::string_view text = denial(e);
      if (out_.allowed) {
        out_.allowed = false;
        s.code = 403;
        s.message = text;
        s.missing_namespace = end_of(text, e.missing_namespace);
        s.reason = e.reason.empty() ? "Forbidden" : e.reason;
        s.has_details = true;
        s.name = shown_name(request_, scene_);
        s.group = request_.resource.group;
        s.kind = request_.resource.resource;
      }
      s.causes.push_back({text});
    }
  }

  // The outcome to fill in; a scratch one if the caller does not want outcomes.
  MutationOutcome& note(const Invocation& invocation, int mutation) {
    if (!context_.want_outcomes) return scrap_ = {};
    MutationOutcome& o = out_.outcomes.emplace_back();
    o.pass = pass_;
    o.policy = invocation.policy->name;
    o.binding = invocation.binding->name;
    o.param = param_key(invocation);
    o.as = invocation.kind;
    o.why = why_;
    if (by_ != nullptr && by_->by_policy != nullptr) {
      o.by_policy = by_->by_policy->name;
      o.by_binding = by_->by_binding->name;
    }
    o.mutation = mutation;
    if (mutation < 0) return o;
    const PolicyMutation& m = invocation.policy->mutations[static_cast<size_t>(mutation)];
    o.json_patch = m.json_patch;
    o.expression = m.expression.text;
    return o;
  }

  const Engine::Loaded& loaded_;
  AdmissionRequest request_;  // its object is that of the start of the pass
  ReviewContext& context_;
  ReviewContext::MutationState& memory_;
  ReviewContext::State& state_;
  Mutation& out_;
  MatchScene scene_;
  const NamespaceValues* namespace_ = nullptr;
  NamespaceValues assumed_;           // holds the namespace that `namespace_` points to if it is only assumed
  VersionedObjects* last_ = nullptr;  // the last one used in this pass
  int pass_ = 1;
  bool again_ = false;    // whether a second pass is needed
  bool complete_ = true;  // whether the object of the request has its defaults
  size_t cursor_ = 0;     // position in the list of invocations to run again
  Why why_ = Why::FirstPass;
  const Reinvocation* by_ = nullptr;
  MutationOutcome scrap_;
};

void Mutation::clear() {
  allowed = true;
  status.clear();
  object = {};
  changed = false;
  passes = 0;
  again = false;
  outcomes.clear();
  policies_matched = bindings_matched = 0;
  incomplete = false;
}

void Engine::mutate(const AdmissionRequest& request, ReviewContext& context, Mutation& mutation) const {
  AdmissionRequest now = request;
  for (int pass = 1; pass <= 2; pass++) {
    mutate_pass(now, pass, context, mutation);
    if (!mutation.allowed || !mutation.again) break;
    now.object = mutation.object;
    if (pass == 1 && request.plugins != nullptr)
      now.object =
          builtin::admit_again(context.mutation_state().state.context.arena(), now.object, *request.plugins);
  }
  mutation.changed = mutation.allowed && !same_data(mutation.object, request.object);
}

void Engine::mutate_pass(const AdmissionRequest& request, int pass, ReviewContext& context,
                         Mutation& mutation) const {
  if (pass == 1) mutation.clear();
  Mutator(*loaded_, request, context, mutation).run(pass);
}

void Engine::admit(const AdmissionRequest& request, ReviewContext& context, Mutation& mutation,
                   Decision& decision) const {
  mutate(request, context, mutation);
  if (!mutation.allowed) {
    decision.clear();
    decision.allowed = false;
    decision.status = mutation.status;
    return;
  }
  AdmissionRequest mutated = request;
  mutated.object = mutation.object;
  review(mutated, context, decision);
}

}  // namespace portcullis
