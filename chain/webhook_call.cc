#include "chain/webhook_call.h"

#include "chain/rest.h"
#include "chain/review_request.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "manifests/status.h"

namespace portcullis::chain {
namespace {

Value status_value(Arena& arena, const Status& status) { return *read_json(status_json(status), arena); }

// Whether a dry run may call the webhook; else `out` says why not.
bool fits_dry_run(Arena& arena, const LoadedWebhook& webhook, WebhookCall& out) {
  if (webhook.side_effects == SideEffects::None || webhook.side_effects == SideEffects::NoneOnDryRun)
    return true;
  if (webhook.side_effects == SideEffects::Absent) {
    out.error = call_error(webhook.name, "Webhook SideEffects is nil");
  } else {
    out.refusal =
        bad_request_status(arena, "admission webhook " + quote(webhook.name) + " does not support dry run");
  }
  return false;
}

Result<std::string> base_url(const LoadedWebhook& webhook) {
  const WebhookClient& client = webhook.client;
  if (client.has_service)
    return call_url(client.service_name, client.service_namespace, client.service_port, client.service_path);
  if (client.has_url) return call_url(client.url);
  return Error{"webhook configuration must have either service or URL"};
}

// Answers for a service that the API server's resolver does not look up.
class NoService final : public Asker {
 public:
  int64_t now() override { return 0; }
  void wait_until(int64_t) override {}
  HttpAnswer send(const HttpRequest&, int64_t) override {
    HttpAnswer answer;
    answer.error = "cannot resolve an empty service name or namespace or port";
    return answer;
  }
};
bool is_no_service(const WebhookClient& client) {
  return client.has_service &&
         (client.service_name.empty() || client.service_namespace.empty() || client.service_port == 0);
}

}  // namespace

std::string call_error(std::string_view webhook, std::string_view why) {
  return "failed calling webhook " + quote(webhook) + ": " + std::string(why);
}

Value internal_error_status(Arena& arena, std::string_view cause) {
  Status status;
  std::string message = "Internal error occurred: " + std::string(cause);
  status.code = 500;
  status.reason = "InternalError";
  status.message = message;
  status.has_details = true;
  status.causes.push_back({cause});
  return status_value(arena, status);
}

Value bad_request_status(Arena& arena, std::string_view message) {
  Status status;
  status.code = 400;
  status.reason = "BadRequest";
  status.message = message;
  return status_value(arena, status);
}

Calling::Calling(Arena& arena, const LoadedWebhook& webhook, const AdmissionRequest& request,
                 const WebhookMatch& match, const WebhookObjects& objects, Callers* callers)
    : webhook_(&webhook) {
  constexpr std::string_view kNoClient = "could not get REST client: ";
  static NoService no_service;  // has no state
  if (request.dry_run && !fits_dry_run(arena, webhook, out_)) return;
  const std::string_view version = review_version(webhook);
  if (version.empty()) {
    out_.error =
        call_error(webhook.name,
                   "could not create admission objects: webhook does not accept known AdmissionReview "
                   "versions (v1, v1beta1)");
    return;
  }
  auto no_client = [&](const std::string& why) {
    out_.error = call_error(webhook.name, std::string(kNoClient) + why);
  };
  TextBuilder ca(arena);
  decode_base64(ca, webhook.client.ca_bundle, true);  // the API server has checked it
  Result<std::string> url = base_url(webhook);
  if (!url.ok()) {
    const std::string& why = url.error().text;
    no_client(webhook.client.has_service ? why : call_error(webhook.name, why));
    return;
  }
  out_.version = version;
  if (is_no_service(webhook.client)) {
    asker_ = &no_service;
  } else if (callers != nullptr) {
    const WebhookClient& client = webhook.client;
    Result<Asker*> asker =
        callers->caller({webhook.configuration, webhook.name, webhook.uid, webhook.mutating, ca.view(),
                         client.service_namespace, client.service_name, client.service_port});
    if (!asker.ok()) {
      no_client(asker.error().text);
      return;
    }
    asker_ = *asker;
    if (asker_ != nullptr) uid_ = callers->new_uid();
  }
  out_.unknown = asker_ == nullptr;
  if (out_.unknown) return;
  url_ = std::move(*url);
  review_ = review_request(request, match, objects, version, uid_);
}

void Calling::ask() {
  if (asker_ != nullptr) answer_ = call(*asker_, url_, review_, static_cast<int>(webhook_->timeout_seconds));
}

WebhookCall Calling::finish(Arena& arena) {
  if (asker_ == nullptr) return std::move(out_);
  out_.response = read_answer(arena, answer_, {uid_, out_.version == "v1", webhook_->mutating});
  if (!out_.response.error.empty()) out_.error = call_error(webhook_->name, out_.response.error);
  return std::move(out_);
}

}  // namespace portcullis::chain
