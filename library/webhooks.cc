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
bool WebhookCaller::at_once() const { return false; }
Time WebhookCaller::now() { return std::chrono::steady_clock::now(); }
void WebhookCaller::wait_until(Time time) { std::this_thread::sleep_until(time); }

portcullis::Result<chain::Asker*> AskedWebhooks::caller(const chain::Target& asked) {
  const Webhook webhook = {asked.configuration,
                           asked.webhook,
                           asked.mutating,
                           asked.ca_bundle,
                           asked.service_namespace,
                           asked.service_name,
                           static_cast<int>(asked.service_port)};
  if ((review->interrupt != nullptr && review->interrupt->load(std::memory_order_relaxed)) ||
      (review->deadline && std::chrono::steady_clock::now() >= *review->deadline))
    review->interrupted = true;
  if (review->interrupted || target == nullptr || !target->asks(webhook))
    return static_cast<chain::Asker*>(nullptr);
  return static_cast<chain::Asker*>(&askers_.emplace_back(*target, webhook));
}

int64_t AskedWebhooks::Asker::now() { return nanoseconds(target_.now()); }
void AskedWebhooks::Asker::wait_until(int64_t time) { target_.wait_until(time_of(time)); }

chain::HttpAnswer AskedWebhooks::Asker::send(const chain::HttpRequest& request, int64_t deadline) {
  HttpAnswer answer = target_.send(webhook_, {request.url, request.body, request.post}, time_of(deadline));
  return {answer.code, std::move(answer.headers), std::move(answer.body), std::move(answer.error),
          std::move(answer.body_error)};
}

}  // namespace portcullis::v1
