// What became of the webhooks of a request, for a report. Tested by tests/cli/webhooks.txt.
#pragma once

#include "chain/chain.h"
#include "cli/reports/report.h"

namespace portcullis {

// What became of a webhook in one pass, and why it was not called.
ReviewWebhook webhook_outcome(const chain::WebhookOutcome& outcome, const ReviewCluster& cluster);

// Adds the outcomes of webhooks to `result`: those that said or changed something, and those that nobody asked; with
// `explain` all, with why they were not called.
void add_webhooks(ReviewResult& result, const chain::Admission& admission, const ReviewCluster& cluster,
                  bool explain);

}  // namespace portcullis
