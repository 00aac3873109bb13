// Asks webhooks through the embedder's WebhookCaller. Tested by library/webhooks_test.cc.
#pragma once

#include <portcullis/webhooks.h>

#include <deque>

#include "admission/admission.h"
#include "chain/exchange.h"

namespace portcullis::v1 {

class AskedWebhooks final : public chain::Callers {
 public:
  WebhookCaller* target = nullptr;  // null: nobody asks
  ReviewContext* review = nullptr;  // no webhook is asked once it is interrupted

  void begin() { askers_.clear(); }  // a request

  portcullis::Result<chain::Asker*> caller(const chain::Target& webhook) override;
  std::string new_uid() override { return chain::random_uid(); }
  bool at_once() const override { return target != nullptr && target->at_once(); }

 private:
  // Asks one webhook.
  class Asker final : public chain::Asker {
   public:
    Asker(WebhookCaller& target, const Webhook& webhook) : target_(target), webhook_(webhook) {}
    int64_t now() override;
    void wait_until(int64_t time) override;
    chain::HttpAnswer send(const chain::HttpRequest& request, int64_t deadline) override;

   private:
    WebhookCaller& target_;
    Webhook webhook_;
  };

  std::deque<Asker> askers_;  // of the request
};

}  // namespace portcullis::v1
