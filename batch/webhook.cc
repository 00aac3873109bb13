// Mode `webhook` of the batch protocol: which webhooks of a configuration a request reaches, each looked at by
// itself. Tested by tests/oracle/random_webhooks.py.
#include <fmt/format.h>

#include "admission/engine/request_values.h"
#include "admission/engine/webhooks.h"
#include "batch/request_line.h"
#include "batch/response.h"
#include "interpreter/values/json.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

std::string kind_json(const GroupVersionKind& k) {
  return fmt::format(R"({{"group":{},"kind":{},"version":{}}})", quote_json(k.group), quote_json(k.kind),
                     quote_json(k.version));
}
std::string resource_json(const GroupVersionResource& r) {
  return fmt::format(R"({{"group":{},"resource":{},"version":{}}})", quote_json(r.group),
                     quote_json(r.resource), quote_json(r.version));
}

std::string call_json(const LoadedWebhook& webhook, const WebhookMatch& match, std::string_view subresource) {
  using Why = WebhookMatch::Why;
  if (match.why == Why::Refused) {
    return fmt::format(R"({{"matched":false,"name":{},"status":{}}})", quote_json(webhook.name),
                       status_json(match.status));
  }
  if (match.why != Why::Called)
    return fmt::format(R"({{"matched":false,"name":{}}})", quote_json(webhook.name));
  return fmt::format(R"({{"kind":{},"matched":true,"name":{},"resource":{},"subResource":{}}})",
                     kind_json(match.kind), quote_json(webhook.name), resource_json(match.resource),
                     quote_json(subresource));
}

Result<void> answer(const Document& line, Response& response) {
  RequestLine asked;
  ObjectsToLoad objects;
  Cluster cluster;
  const Document* config = member(line, "config");
  if (config == nullptr) return Error{"config is missing"};
  objects.configurations.emplace_back(std::make_shared<Decoded>(decode_object(asked.arena, *config)));
  if (auto done = read_request_line(line, asked); !done.ok()) return done;
  if (auto done = read_namespaces(asked, objects); !done.ok()) return done;
  cluster.equivalents = asked.equivalents;
  auto engine = Engine::load(objects, cluster);
  if (!engine.ok()) return engine.error();
  ReviewContext context;
  context.authorizer = asked.authorizer.get();
  const AdmissionRequest& request = asked.request;
  const bool seen = asked.known_operation && !exempt_from_webhooks(request);
  WebhookMatcher matcher(**engine, context);
  if (seen) matcher.begin(request);
  auto objects_at = [&](const GroupVersionKind& kind) -> WebhookObjects {
    auto at = [&](const Value& object) {
      return kind == request.kind ? object : at_version(asked.arena, request.typed, object, kind);
    };
    return {at(request.object), at(request.old_object)};
  };
  std::string calls = "[";
  for (const auto* list :
       {&(*engine)->loaded().mutating_webhooks, &(*engine)->loaded().validating_webhooks}) {
    for (const LoadedWebhook& webhook : *list) {
      WebhookMatch match;
      if (seen) match = matcher.match(webhook, objects_at);
      calls += (calls.size() > 1 ? "," : "") + call_json(webhook, match, request.subresource);
    }
  }
  response.set("calls", calls + "]");
  return {};
}

}  // namespace

void answer_webhook(const Document& request, Response& response) {
  auto done = answer(request, response);
  if (!done.ok()) response.input_error(done.error().text);
}

}  // namespace portcullis
