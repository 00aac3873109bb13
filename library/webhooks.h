// Asks webhooks through the embedder's WebhookCaller.
#pragma once

#include <portcullis/webhooks.h>

#include "chain/exchange.h"

namespace portcullis::v1 {

class AskedWebhooks final : public chain::Callers, chain::Asker {
 public:
  WebhookCaller* target = nullptr;  // null: nobody asks

  portcullis::Result<chain::Asker*> caller(const chain::Target& webhook) override;
  std::string new_uid() override { return chain::random_uid(); }

 private:
  int64_t now() override;
  void wait_until(int64_t time) override;
  chain::HttpAnswer send(const chain::HttpRequest& request, int64_t deadline) override;

  Webhook webhook_;  // of the present call
};

}  // namespace portcullis::v1
