#include "cli/reports/webhooks.h"

#include <fmt/format.h>

#include "admission/engine/webhooks.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using HookOutcome = chain::WebhookOutcome;
using WhyMatched = WebhookMatch::Why;

// The field of the configuration that decided.
std::string field_of(const HookOutcome& o) {
  std::string webhook = fmt::format("webhooks[{}]", o.index);
  return o.field.empty() ? webhook : fmt::format("{}.{}", webhook, o.field);
}

std::string_view outcome_name(const HookOutcome& o) {
  switch (o.kind) {
    case HookOutcome::Kind::NotReached: return o.match.why == WhyMatched::Refused ? "failed" : "notReached";
    case HookOutcome::Kind::NotAgain: return "notAgain";
    case HookOutcome::Kind::Unknown: return "unknown";
    case HookOutcome::Kind::Allowed: return "allowed";
    case HookOutcome::Kind::Denied: return "denied";
    case HookOutcome::Kind::Failed: return o.ignored ? "ignored" : "failed";
  }
  return {};
}

bool outcome_says_something(const HookOutcome& o) {
  using Kind = HookOutcome::Kind;
  return o.kind == Kind::Denied || o.kind == Kind::Failed || o.kind == Kind::Unknown || o.changed ||
         (o.kind == Kind::NotReached && o.match.why == WhyMatched::Refused);
}

}  // namespace

ReviewWebhook webhook_outcome(const HookOutcome& o, const ReviewCluster& cluster) {
  ReviewWebhook made;
  made.configuration = o.configuration;
  made.webhook = o.webhook;
  made.mutating = o.mutating;
  made.pass = o.pass;
  made.outcome = outcome_name(o);
  made.version = o.version;
  if (o.kind == HookOutcome::Kind::NotAgain) {
    made.text =
        "nothing changed the object since it ran, or it did not run, or its reinvocationPolicy is Never";
  } else if (o.kind == HookOutcome::Kind::Unknown) {
    made.text = "the request reaches it, and the verdict does not include its answer";
  } else {
    made.text = o.text;
  }
  if (o.patch.is(Kind::String)) made.patch = o.patch.as_text();
  if (o.changed) made.differences = differences(o.before, o.after);
  if (const InputObject* file = cluster.configuration(o.configuration, o.mutating)) {
    made.file = file->file->name;
    made.position = file->locate(field_of(o));
  }
  return made;
}

void add_webhooks(ReviewResult& result, const chain::Admission& admission, const ReviewCluster& cluster,
                  bool explain) {
  for (const HookOutcome& o : admission.webhooks) {
    const bool missed = o.kind == HookOutcome::Kind::NotReached || o.kind == HookOutcome::Kind::NotAgain;
    result.webhooks_reached += !missed;
    if (explain || outcome_says_something(o)) result.webhooks.push_back(webhook_outcome(o, cluster));
  }
}

}  // namespace portcullis
