#include "library/webhooks.h"

#include <thread>

namespace portcullis::v1 {
namespace {

using Time = WebhookCaller::Time;

int64_t nanoseconds(Time time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
Time time_of(int64_t nanoseconds) {
  return Time(std::chrono::duration_cast<Time::duration>(std::chrono::nanoseconds(nanoseconds)));
}

}  // namespace

WebhookCaller::~WebhookCaller() = default;
bool WebhookCaller::asks(const Webhook&) { return true; }
Time WebhookCaller::now() { return std::chrono::steady_clock::now(); }
void WebhookCaller::wait_until(Time time) { std::this_thread::sleep_until(time); }

portcullis::Result<chain::Asker*> AskedWebhooks::caller(const chain::Target& webhook) {
  webhook_ = {webhook.configuration, webhook.webhook, webhook.mutating, webhook.ca_bundle};
  return target != nullptr && target->asks(webhook_) ? static_cast<chain::Asker*>(this) : nullptr;
}

int64_t AskedWebhooks::now() { return nanoseconds(target->now()); }
void AskedWebhooks::wait_until(int64_t time) { target->wait_until(time_of(time)); }

chain::HttpAnswer AskedWebhooks::send(const chain::HttpRequest& request, int64_t deadline) {
  HttpAnswer answer = target->send(webhook_, {request.url, request.body, request.post}, time_of(deadline));
  return {answer.code, std::move(answer.headers), std::move(answer.body), std::move(answer.error),
          std::move(answer.body_error)};
}

}  // namespace portcullis::v1
