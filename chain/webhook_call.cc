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

WebhookCall call_webhook(Arena& arena, const LoadedWebhook& webhook, bool mutating,
                         const AdmissionRequest& request, const WebhookMatch& match,
                         const WebhookObjects& objects, Callers* callers) {
  constexpr std::string_view kNoClient = "could not get REST client: ";
  WebhookCall out;
  if (request.dry_run && !fits_dry_run(arena, webhook, out)) return out;
  const std::string_view version = review_version(webhook);
  if (version.empty()) {
    out.error =
        call_error(webhook.name,
                   "could not create admission objects: webhook does not accept known AdmissionReview "
                   "versions (v1, v1beta1)");
    return out;
  }
  TextBuilder ca(arena);
  decode_base64(ca, webhook.client.ca_bundle, true);  // the API server has checked it
  Result<std::string> url = base_url(webhook);
  if (!url.ok()) {
    const std::string& why = url.error().text;
    out.error =
        call_error(webhook.name, std::string(kNoClient) +
                                     (webhook.client.has_service ? why : call_error(webhook.name, why)));
    return out;
  }
  out.version = version;
  NoService no_service;
  const bool lost = is_no_service(webhook.client);
  if (callers == nullptr && !lost) return out.unknown = true, out;
  Result<Asker*> asker =
      lost ? &no_service
           : callers->caller({webhook.configuration, webhook.name, webhook.uid, mutating, ca.view()});
  if (!asker.ok()) {
    out.error = call_error(webhook.name, std::string(kNoClient) + asker.error().text);
    return out;
  }
  if (*asker == nullptr) return out.unknown = true, out;
  const std::string uid = lost ? std::string() : callers->new_uid();
  const std::string review = review_request(request, match, objects, version, uid);
  const HttpAnswer answer = call(**asker, *url, review, static_cast<int>(webhook.timeout_seconds));
  out.response = read_answer(arena, answer, {uid, version == "v1", mutating});
  if (!out.response.error.empty()) out.error = call_error(webhook.name, out.response.error);
  return out;
}

}  // namespace portcullis::chain
