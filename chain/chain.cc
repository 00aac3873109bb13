#include "chain/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <vector>

#include "admission/builtin/normalize.h"
#include "admission/engine/converted.h"
#include "admission/patching/kind.h"
#include "admission/scalars/names.h"
#include "chain/webhook_call.h"
#include "chain/webhook_patch.h"
#include "grammar/quote.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"
#include "manifests/status.h"

namespace portcullis::chain {
namespace {

constexpr size_t kMostAtOnce = 64;  // threads that ask validating webhooks; the API server has no limit
constexpr std::string_view kMutated = "mutation.webhook.admission.k8s.io/",
                           kPatched = "patch.webhook.admission.k8s.io/",
                           kValidatingFailedOpen = "failed-open.validating.webhook.admission.k8s.io/";

// One request on its way through the chain.
class Run {
 public:
  Run(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
      Admission& out)
      : engine_(engine),
        request_(request),
        context_(context),
        callers_(callers),
        out_(out),
        matcher_(engine, out.matching),
        exempt_(exempt_from_webhooks(request)) {
    out.matching.authorizer = context.authorizer;
    out.matching.trace = context.trace;
    out.schemas.begin(engine.loaded(), request);
  }

  void mutate() {
    out_.clear();
    const bool done = run_passes();
    out_.mutation.changed = out_.mutation.allowed && !same_data(out_.mutation.object, given_);
    if (!done) return;
    out_.object = request_.object;
    out_.changed = !same_data(out_.object, given_);
  }

  void validate() {
    engine_.review(request_, context_, out_.decision);
    keep(out_.decision);
    if (out_.allowed) validate_by_webhooks();
  }

 private:
  Arena& arena() { return out_.arena; }

  // --- the answer ---

  // Each function that decides returns false if it refuses the request.
  bool refuse(const Value& status) {
    out_.allowed = false;
    out_.status = status;
    out_.missing_namespace = {};
    return false;
  }
  bool refuse(const Status& status) {
    refuse(*read_json(status_json(status), arena()));
    out_.missing_namespace = arena().copy(status.missing_namespace);
    return false;
  }

  // Takes over the decision of the validating policies.
  void keep(const Decision& decision) {
    for (std::string_view w : decision.warnings) out_.warnings.push_back(arena().copy(w));
    for (const auto& [key, value] : decision.audit_annotations) annotate(key, value);
    if (decision.allowed) return;
    out_.error = arena().copy(decision.error);
    if (out_.error.empty()) refuse(decision.status);
    out_.allowed = false;
  }

  // The first value of a key stays.
  void annotate(std::string_view key, std::string_view value) {
    out_.audit_annotations.try_emplace(arena().copy(key), arena().copy(value));
  }

  // What a response says beside its verdict.
  void note_response(const LoadedWebhook& webhook, const Response& response) {
    for (const auto& [key, value] : response.audit_annotations) {
      std::string name = webhook.name + "/" + std::string(key);
      if (std::ranges::count(name, '/') == 1 && names::label_key(name).empty()) annotate(name, value);
    }
    for (std::string_view w : response.warnings) out_.warnings.push_back(arena().copy(w));
  }

  WebhookOutcome& tell(const LoadedWebhook& webhook, const WebhookMatch& match, int pass) {
    WebhookOutcome& o = out_.webhooks.emplace_back();
    o.mutating = webhook.mutating;
    o.pass = pass;
    o.configuration = webhook.configuration;
    o.webhook = webhook.name;
    o.index = webhook.index;
    o.match = match;
    o.match.error = arena().copy(match.error);
    o.text = arena().copy(match.status.message);
    o.match.status = {};
    if (context_.want_outcomes) explain(webhook, o);
    return o;
  }
  // Says why a webhook is not reached.
  void explain(const LoadedWebhook& webhook, WebhookOutcome& o) {
    switch (o.match.why) {
      case WebhookMatch::Why::NamespaceSelector:
      case WebhookMatch::Why::ObjectSelector:
      case WebhookMatch::Why::Rules: {
        const Misfit misfit = matcher_.misfit(webhook);
        o.text = arena().copy(misfit.text);
        o.field = arena().copy(misfit.field);
        break;
      }
      case WebhookMatch::Why::ConditionFalse: {
        const auto i = static_cast<size_t>(o.match.condition);
        o.text =
            arena().copy(fmt::format("its match condition {} is false: {}",
                                     quote_json(webhook.condition_names[i]), webhook.conditions[i].text));
        o.field = arena().copy(fmt::format("matchConditions[{}].expression", i));
        break;
      }
      case WebhookMatch::Why::ConditionError:
        o.text = arena().copy(
            fmt::format("its match conditions fail, which failurePolicy ignores: {}", o.match.error));
        o.field = "matchConditions";
        break;
      case WebhookMatch::Why::Exempt: o.text = "webhooks never see requests for this kind"; break;
      case WebhookMatch::Why::Refused:
      case WebhookMatch::Why::Called: break;
    }
  }
  void tell_exempt(const std::vector<LoadedWebhook>& webhooks, int pass) {
    if (!context_.want_outcomes) return;
    WebhookMatch match;
    match.why = WebhookMatch::Why::Exempt;
    for (const LoadedWebhook& w : webhooks) tell(w, match, pass);
  }
  void failed(WebhookOutcome& o, std::string_view text, bool ignored) {
    o.kind = WebhookOutcome::Kind::Failed;
    o.text = arena().copy(text);
    o.ignored = ignored;
  }

  // --- mutation ---

  bool run_passes() {
    for (int pass = 1; pass <= 2; pass++) {
      engine_.mutate_pass(request_, pass, context_, out_.mutation);
      if (!out_.mutation.allowed) return refuse(out_.mutation.status);
      request_.object = out_.mutation.object;
      again_ = out_.mutation.again;
      if (!mutate_by_webhooks(pass)) return false;
      if (!again_) break;
      if (pass == 1 && request_.plugins != nullptr)
        request_.object = builtin::admit_again(arena(), request_.object, *request_.plugins);
    }
    return true;
  }

  // The objects at the version of the webhook that saw them last; all mutating webhooks of a pass share them.
  struct Versioned {
    bool made = false, dirty = false;
    GroupVersionKind kind;
    WebhookObjects objects;
  };

  Value at(const Value& object, const GroupVersionKind& from, const GroupVersionKind& kind) {
    return from == kind ? object : at_version(arena(), request_.typed, object, kind);
  }

  WebhookObjects objects_at(const GroupVersionKind& kind) {
    const GroupVersionKind& own = request_.kind_of_objects();
    return {at(request_.object, own, kind), at(request_.old_object, own, kind)};
  }

  // Converts the shared objects. False if the object cannot be converted back, which refuses the request.
  bool convert(Versioned& v, const GroupVersionKind& kind) {
    if (v.made && v.kind == kind) return true;
    if (v.dirty && !write_back(v)) return false;
    v.made = true;
    v.dirty = false;
    v.kind = kind;
    v.objects = objects_at(kind);
    return true;
  }

  // Makes the object of a webhook that of the request.
  bool write_back(const Versioned& v) {
    const patching::KindSchema schema = out_.schemas.find(v.kind);
    patching::Patched own = patching::with_own_kind(arena(), schema, v.objects.object);
    if (!own.ok()) {
      out_.error = own.error;
      return out_.allowed = false;
    }
    const GroupVersionKind& kind = request_.kind_of_objects();
    if (patching::keeps_former(schema))
      own.object = patching::over_former(arena(), schema, own.object, at(request_.object, kind, v.kind));
    const patching::Patched written =
        patching::written_back(arena(), out_.schemas.find(kind), at(own.object, v.kind, kind));
    if (!written.ok()) {
      out_.error = written.error;
      return out_.allowed = false;
    }
    request_.object = written.object;
    return true;
  }

  bool mutate_by_webhooks(int pass) {
    const std::vector<LoadedWebhook>& webhooks = engine_.loaded().mutating_webhooks;
    if (webhooks.empty()) return true;
    if (exempt_) return tell_exempt(webhooks, pass), true;
    if (pass == 2 && !same_data(last_output_, request_.object)) mark_waiting();
    Versioned v;
    AdmissionRequest seen = request_;  // its objects are those that selectors see
    matcher_.begin(seen);
    for (size_t i = 0; i < webhooks.size(); i++) {
      if (v.made && !v.objects.object.is_identical(seen.object)) {
        seen.object = v.objects.object;
        seen.old_object = v.objects.old_object;
        matcher_.begin(seen);
      }
      if (!mutate_by(webhooks[i], i, pass, v)) return false;
    }
    if (v.dirty && !v.objects.object.is_null() && !write_back(v)) return false;
    last_output_ = request_.object;
    return true;
  }

  void mark_waiting() {
    due_.merge(waiting_);
    waiting_.clear();
  }

  bool mutate_by(const LoadedWebhook& webhook, size_t index, int pass, Versioned& v) {
    bool converted = true;
    WebhookMatch match = matcher_.match(webhook, [&](const GroupVersionKind& kind) {
      converted = convert(v, kind);
      return v.objects;
    });
    if (!converted) return false;
    WebhookOutcome& o = tell(webhook, match, pass);
    if (match.why == WebhookMatch::Why::Refused) return refuse(match.status);
    if (match.why != WebhookMatch::Why::Called) return true;
    if (pass == 2 && !due_.contains(&webhook)) return o.kind = WebhookOutcome::Kind::NotAgain, true;
    if (!convert(v, match.kind)) return false;
    const std::string place = fmt::format("round_{}_index_{}", pass - 1, index);
    Calling calling(arena(), webhook, request_, match, v.objects, callers_);
    calling.ask();
    const WebhookCall call = calling.finish(arena());
    o.version = call.version;
    if (call.unknown) {
      out_.unknown = true;
      return o.kind = WebhookOutcome::Kind::Unknown, true;
    }
    std::string failure = call.error;
    bool mutated = false;
    bool done = true;
    if (!call.refusal.is_null()) {
      failed(o, text_member(call.refusal, "message"), false);
      done = refuse(call.refusal);
    } else if (failure.empty()) {
      done = take(webhook, place, call.response, v, o, mutated, failure);
    }
    annotate(std::string(kMutated) + place, fmt::format(R"({{"configuration":{},"webhook":{},"mutated":{}}})",
                                                        quote_json(webhook.configuration, JsonEscape::Go),
                                                        quote_json(webhook.name, JsonEscape::Go), mutated));
    if (mutated) {
      mark_waiting();
      again_ = true;
    }
    if (webhook.reinvoked) waiting_.insert(&webhook);
    if (!done || failure.empty()) return done;
    const bool ignored = webhook.failure == FailurePolicy::Ignore;
    failed(o, failure, ignored);
    if (!ignored) return refuse(internal_error_status(arena(), failure));
    annotate("failed-open." + std::string(kMutated) + place, webhook.name);
    return true;
  }

  // Takes a usable response over. `failure`: set if the call counts as failed nevertheless.
  bool take(const LoadedWebhook& webhook, std::string_view place, const Response& response, Versioned& v,
            WebhookOutcome& o, bool& mutated, std::string& failure) {
    note_response(webhook, response);
    o.kind = WebhookOutcome::Kind::Allowed;
    if (!response.allowed) return deny(webhook, response, o);
    if (response.patch.empty()) return true;
    const Result<Document> patch = read_patch(response.patch);
    if (!patch.ok()) return failure = call_error(webhook.name, patch.error().text), true;
    if (patch->items.empty()) return true;
    if (v.objects.object.is_null()) {
      return refuse(internal_error_status(
          arena(), fmt::format("admission webhook {} attempted to modify the object, which is not supported "
                               "for this operation",
                               quote(webhook.name))));
    }
    if (response.patch_type != "JSONPatch")
      return failure = call_error(webhook.name, unsupported_patch_type(response.patch_type)), true;
    const auto operations = read_operations(arena(), *patch);
    if (!operations.ok()) return refuse(internal_error_status(arena(), operations.error().text));
    patching::KindSchema schema = out_.schemas.find(v.kind);
    schema.fills_defaults = out_.schemas.fills_defaults(arena(), schema);
    patching::WebhookPatched made =
        patching::patch_of_webhook(arena(), schema, v.objects.object, *operations);
    if (!made.patched.ok()) {
      failed(o, made.patched.error, false);
      return refuse(internal_error_status(arena(), made.patched.cause));
    }
    const std::string operations_json = print_operations(*patch);
    annotate(std::string(kPatched) + std::string(place),
             fmt::format(R"({{"configuration":{},"webhook":{},"patch":{},"patchType":"JSONPatch"}})",
                         quote_json(webhook.configuration, JsonEscape::Go),
                         quote_json(webhook.name, JsonEscape::Go), operations_json));
    o.patch = Value::string(arena().copy(operations_json));
    o.before = v.objects.object;
    o.after = v.objects.object = made.patched.object;
    o.changed = mutated = made.changed;
    v.dirty = true;
    return true;
  }

  bool deny(const LoadedWebhook& webhook, const Response& response, WebhookOutcome& o) {
    const Value status = rejection(arena(), webhook.name, response);
    o.kind = WebhookOutcome::Kind::Denied;
    o.text = text_member(status, "message");
    return refuse(status);
  }

  // --- validation ---

  struct Reached {
    const LoadedWebhook* webhook;
    WebhookMatch match;
    WebhookObjects objects;
    size_t outcome;  // index in out_.webhooks
  };

  void validate_by_webhooks() {
    const std::vector<LoadedWebhook>& webhooks = engine_.loaded().validating_webhooks;
    if (exempt_) return tell_exempt(webhooks, 1);
    std::vector<Reached> reached;
    std::vector<std::pair<GroupVersionKind, WebhookObjects>> made;
    auto at_kind = [&](const GroupVersionKind& kind) {
      for (const auto& [known, objects] : made) {
        if (known == kind) return objects;
      }
      made.emplace_back(kind, objects_at(kind));
      return made.back().second;
    };
    matcher_.begin(request_);
    for (const LoadedWebhook& webhook : webhooks) {
      WebhookMatch match = matcher_.match(webhook, at_kind);
      tell(webhook, match, 1);
      if (match.why == WebhookMatch::Why::Refused) return (void)refuse(match.status);
      if (match.why == WebhookMatch::Why::Called)
        reached.push_back({&webhook, match, at_kind(match.kind), out_.webhooks.size() - 1});
    }
    const bool at_once = callers_ != nullptr && callers_->at_once();
    std::vector<Calling> calls;
    for (size_t i = 0; i < reached.size(); i++) {
      const Reached& r = reached[i];
      calls.emplace_back(arena(), *r.webhook, request_, r.match, r.objects, callers_);
      if (at_once) continue;
      calls.back().ask();
      validate_by(r, i, calls.back().finish(arena()));
      calls.clear();
    }
    if (!at_once) return;
    ask_at_once(calls);
    for (size_t i = 0; i < calls.size(); i++) validate_by(reached[i], i, calls[i].finish(arena()));
  }

  // Returns when all have their answers. This thread asks too, and alone if the system has no threads left.
  static void ask_at_once(std::vector<Calling>& calls) {
    std::atomic<size_t> next = 0;
    auto ask = [&] {
      for (size_t i = next++; i < calls.size(); i = next++) calls[i].ask();
    };
    std::vector<std::future<void>> others;  // their destructors wait
    for (size_t i = 1; i < std::min(calls.size(), kMostAtOnce); i++) others.push_back(std::async(ask));
    ask();
    for (std::future<void>& other : others) other.get();
  }

  void validate_by(const Reached& reached, size_t index, const WebhookCall& call) {
    const LoadedWebhook& webhook = *reached.webhook;
    WebhookOutcome& o = out_.webhooks[reached.outcome];
    o.version = call.version;
    if (call.unknown) {
      out_.unknown = true;
      o.kind = WebhookOutcome::Kind::Unknown;
    } else if (!call.refusal.is_null()) {
      failed(o, text_member(call.refusal, "message"), false);
      refuse_once(call.refusal);
    } else if (!call.error.empty()) {
      const bool ignored = webhook.failure == FailurePolicy::Ignore;
      failed(o, call.error, ignored);
      if (!ignored) return refuse_once(internal_error_status(arena(), call.error));
      annotate(fmt::format("{}round_0_index_{}", kValidatingFailedOpen, index), webhook.name);
    } else {
      note_response(webhook, call.response);
      o.kind = WebhookOutcome::Kind::Allowed;
      if (call.response.allowed) return;
      const Value status = rejection(arena(), webhook.name, call.response);
      o.kind = WebhookOutcome::Kind::Denied;
      o.text = text_member(status, "message");
      refuse_once(status);
    }
  }
  // The first error is the answer.
  void refuse_once(const Value& status) {
    if (out_.allowed) refuse(status);
  }

  const Engine& engine_;
  AdmissionRequest request_;  // with the object as it is now
  const Value given_ = request_.object;
  ReviewContext& context_;
  Callers* callers_;
  Admission& out_;
  WebhookMatcher matcher_;
  const bool exempt_;
  bool again_ = false;
  // Reinvocation: the object after the last pass; webhooks that ran since the last change and may run again; those
  // that the second pass runs.
  Value last_output_;
  std::set<const LoadedWebhook*> waiting_, due_;
};

}  // namespace

void Admission::clear() {
  allowed = true;
  status = {};
  error = missing_namespace = {};
  object = {};
  changed = unknown = false;
  warnings.clear();
  audit_annotations.clear();
  webhooks.clear();
  mutation.clear();
  decision.clear();
  arena.reset();
}

void admit(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
           Admission& out) {
  mutate(engine, request, context, callers, out);
  if (!out.allowed) return;
  AdmissionRequest mutated = request;
  mutated.object = out.object;
  validate(engine, mutated, context, callers, out);
}

void mutate(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
            Admission& out) {
  Run(engine, request, context, callers, out).mutate();
}

void validate(const Engine& engine, const AdmissionRequest& request, ReviewContext& context, Callers* callers,
              Admission& out) {
  Run(engine, request, context, callers, out).validate();
}

}  // namespace portcullis::chain
