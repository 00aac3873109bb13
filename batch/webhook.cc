// Mode `webhook` of the batch protocol: which webhooks of a configuration a request reaches, each looked at by
// itself. Tested by tests/oracle/random_webhooks.py.
#include "admission/engine/converted.h"
#include "admission/engine/webhooks.h"
#include "batch/request_line.h"
#include "batch/response.h"
#include "interpreter/values/json.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

void write_type(JsonWriter& w, std::string_view what, std::string_view group, std::string_view type,
                std::string_view version) {
  w.object(what, [&] {
    w.member("group", group);
    w.member(what, type);
    w.member("version", version);
  });
}

struct MatchedWebhook {
  std::string_view webhook;
  WebhookMatch match;
};

void write_call(JsonWriter& w, const MatchedWebhook& call, std::string_view subresource) {
  using Why = WebhookMatch::Why;
  const WebhookMatch& match = call.match;
  const bool called = match.why == Why::Called;
  if (called) write_type(w, "kind", match.kind.group, match.kind.kind, match.kind.version);
  w.member("matched", called);
  w.member("name", call.webhook);
  if (match.why == Why::Refused) w.raw("status", status_json(match.status));
  if (!called) return;
  write_type(w, "resource", match.resource.group, match.resource.resource, match.resource.version);
  w.member("subResource", subresource);
}

}  // namespace

Result<void> answer_webhook(const Document& line, Response& response) {
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
      return kind == request.kind_of_objects() ? object
                                               : at_version(asked.arena, request.typed, object, kind);
    };
    return {at(request.object), at(request.old_object)};
  };
  std::vector<MatchedWebhook> calls;
  for (const auto* list :
       {&(*engine)->loaded().mutating_webhooks, &(*engine)->loaded().validating_webhooks}) {
    for (const LoadedWebhook& webhook : *list) {
      calls.push_back({webhook.name, seen ? matcher.match(webhook, objects_at) : WebhookMatch()});
    }
  }
  response.list("calls", calls,
                [&](JsonWriter& w, const MatchedWebhook& call) { write_call(w, call, request.subresource); });
  return {};
}

}  // namespace portcullis
