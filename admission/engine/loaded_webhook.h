// Webhooks as the engine uses them. Which of them a request reaches: engine/webhooks.h.
// Tested by library/webhooks_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/matching/matching.h"

namespace portcullis {

// Where a webhook is reached: a URL or a service.
struct WebhookClient {
  bool has_service = false, has_url = false;  // the API server refuses both, and neither
  std::string url;
  std::string service_namespace, service_name, service_path;
  int64_t service_port = 0;
  std::string ca_bundle;  // base64; empty: the system's roots
};

enum class SideEffects : uint8_t { Absent, None, NoneOnDryRun, Other };

// A webhook of a configuration (engine/webhooks.h).
struct LoadedWebhook {
  std::string configuration, name;
  std::string uid;  // "configuration/name/n", n among webhooks of this name in the configuration
  bool mutating = false;
  size_t index = 0;  // in `webhooks` of the configuration
  MatchRules match;
  std::vector<PolicyExpression> conditions;
  std::vector<std::string> condition_names;
  FailurePolicy failure = FailurePolicy::Fail;
  SideEffects side_effects = SideEffects::Absent;
  bool reinvoked = false;  // reinvocationPolicy IfNeeded
  std::vector<std::string> review_versions;
  int64_t timeout_seconds = 0;  // 0: none
  WebhookClient client;
};

// Appends the webhooks of a decoded configuration to `out`. `mutating`: it is a MutatingWebhookConfiguration. `store`
// owns the programs; `parses` may be null.
void load_webhooks(const Data& configuration, bool mutating, ProgramStore& store, SharedParses* parses,
                   std::vector<LoadedWebhook>& out);

}  // namespace portcullis
