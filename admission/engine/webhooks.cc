#include "admission/engine/webhooks.h"

#include <algorithm>

#include "admission/engine/conditions.h"
#include "admission/engine/converted.h"
#include "admission/engine/evaluation_trace.h"
#include "admission/engine/review_state.h"
#include "admission/engine/scene.h"
#include "interpreter/values/builder.h"

namespace portcullis {
namespace {

void internal_error(std::string_view cause, Arena& arena, Status& status) {
  status.code = 500;
  status.reason = "InternalError";
  status.message = joined(arena, {"Internal error occurred: ", cause});
  status.has_details = true;
  status.causes.push_back({cause});
}

// The Status of a selector that cannot be evaluated, whose text is that of an internal error.
void refuse_selector(std::string_view problem, Arena& arena, Status& status) {
  constexpr std::string_view kPrefix = "Internal error occurred: ";
  internal_error(problem.starts_with(kPrefix) ? problem.substr(kPrefix.size()) : problem, arena, status);
}

void forbid(const AdmissionRequest& request, std::string_view error, Arena& arena, Status& status) {
  const GroupVersionResource& r = request.resource;
  status.code = 403;
  status.reason = "Forbidden";
  status.message = forbidden(r, request.name, error, arena);
  status.has_details = true;
  status.name = request.name;
  status.group = r.group;
  status.kind = r.resource;
}

}  // namespace

WebhookMatcher::WebhookMatcher(const Engine& engine, ReviewContext& context)
    : loaded_(engine.loaded()), context_(context) {}

void WebhookMatcher::begin(const AdmissionRequest& request) {
  ReviewContext::State& state = context_.state();
  state.begin(loaded_, context_);
  request_ = &request;
  scene_ = scene_of(loaded_, request, state.context.arena());
}

WebhookMatch WebhookMatcher::match(const LoadedWebhook& webhook,
                                   const std::function<WebhookObjects(const GroupVersionKind&)>& objects) {
  using Why = WebhookMatch::Why;
  Arena& arena = context_.state().context.arena();
  WebhookMatch out;
  auto ended = [&](Why why) { return out.why = why, out; };
  if (!webhook.match.selects_namespace(scene_)) return ended(Why::NamespaceSelector);
  if (!webhook.match.selects_object(scene_)) return ended(Why::ObjectSelector);
  MatchOutcome matched = webhook.match.match_resources(scene_);
  if (!matched.error.empty()) {
    internal_error(matched.error, arena, out.status);
    return ended(Why::Refused);
  }
  if (!matched.matches) return ended(Why::Rules);
  if (std::string_view problem = webhook.match.namespace_problem(scene_); !problem.empty()) {
    webhook.match.lacks_namespace(scene_) ? refuse_missing_namespace(*request_, arena, out.status)
                                          : refuse_selector(problem, arena, out.status);
    return ended(Why::Refused);
  }
  if (std::string_view problem = webhook.match.object_problem(); !problem.empty()) {
    refuse_selector(problem, arena, out.status);
    return ended(Why::Refused);
  }
  if (const Conversion conversion = scene_.conversion_to(matched.as); conversion != Conversion::Known) {
    internal_error(not_converted(request_->kind_of_objects(), conversion, arena), arena, out.status);
    return ended(Why::Refused);
  }
  out.kind = matched.as == nullptr ? request_->kind : matched.as->kind;
  out.resource = matched.as == nullptr ? request_->resource : matched.as->resource;
  if (!webhook.conditions.empty() && !conditions_hold(webhook, objects(out.kind), out)) return out;
  return ended(Why::Called);
}

Misfit WebhookMatcher::misfit(const LoadedWebhook& webhook) const {
  std::vector<Misfit> found = misfits(webhook.match, scene_, "rules", "the webhook");
  return found.empty() ? Misfit{} : std::move(found.front());
}

bool WebhookMatcher::conditions_hold(const LoadedWebhook& webhook, const WebhookObjects& objects,
                                     WebhookMatch& out) {
  ReviewContext::State& state = context_.state();
  const VariableNumbers& numbers = *loaded_.numbers;
  state.set(numbers.object, objects.object);
  state.set(numbers.old_object, objects.old_object);
  // Quirk of upstream: the request's own resource beside the matched kind.
  state.set_request(loaded_, *request_, out.kind, request_->resource);
  state.set(numbers.namespace_object, {});  // quirk of upstream: null
  state.set_authorizer(loaded_, *request_, true);
  int64_t budget = kMatchConditionsCostBudget;
  bool fits = state.runner.run(webhook.conditions, {}, *state.activation, budget, evaluations_);
  if (context_.trace != nullptr) {
    ReviewTrace::Evaluated told = {.policy = webhook.uid, .part = ReviewTrace::Part::MatchCondition};
    told.mutating = webhook.mutating;
    tell_evaluations(*context_.trace, state, {}, told, webhook.conditions, evaluations_);
  }
  ConditionsVerdict verdict =
      judge_conditions(webhook.failure, fits, evaluations_, texts_, state.context.arena());
  if (verdict.hold) return true;
  if (!verdict.error.empty()) {
    out.why = WebhookMatch::Why::Refused;
    forbid(*request_, verdict.error, state.context.arena(), out.status);
    return false;
  }
  auto no = std::ranges::find_if(evaluations_,
                                 [](const Evaluation& e) { return e.error.empty() && e.value.is_false(); });
  bool is_false = fits && no != evaluations_.end();
  out.why = is_false ? WebhookMatch::Why::ConditionFalse : WebhookMatch::Why::ConditionError;
  if (is_false) out.condition = static_cast<int>(no - evaluations_.begin());
  if (!is_false) out.error = !fits ? kOutOfBudget : texts_.empty() ? std::string_view() : texts_.front();
  return false;
}

}  // namespace portcullis
