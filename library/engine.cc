// The answers of an Engine: see portcullis/admission.h, cluster.h, context.h.
#include <algorithm>
#include <chrono>
#include <span>
#include <string>

#include "admission/matching/asked_versions.h"
#include "library/bridge.h"
#include "library/context_review.h"
#include "manifests/admission_review.h"
#include "manifests/documents.h"
#include "manifests/kind_words.h"
#include "manifests/roles.h"
#include "manifests/status.h"

namespace portcullis::v1 {
namespace {

// The audit annotations with the keys of a webhook: the API server writes "WEBHOOK/KEY", and drops keys that have a
// slash of their own (apiserver pkg/admission/attributes.go). The first underscore stands for it, since names of
// policies have none.
std::span<const std::pair<std::string_view, std::string_view>> webhook_annotations(
    std::span<const std::pair<std::string_view, std::string_view>> annotations, Context::State& s) {
  s.webhook_annotations.clear();
  for (const auto& [key, value] : annotations) {
    std::string plain(key);
    std::ranges::replace(plain, '/', '_');
    s.webhook_annotations.emplace_back(s.arena.copy(plain), value);
  }
  return s.webhook_annotations;
}

}  // namespace

const Decision& Engine::review(const Request& asked, Context& context) const {
  ContextReview review(state_, context.state());
  return review.answer(review.make(asked));
}

const Decision& Engine::mutate(const Request& asked, Context& context) const {
  ContextReview review(state_, context.state());
  return review.answer(review.make(asked), Plugins::Mutating);
}

const Decision& Engine::review_manifest(const ManifestRequest& asked, Context& context) const {
  ContextReview review(state_, context.state());
  return review.answer(review.make(asked));
}

const Decision& Engine::mutate_manifest(const ManifestRequest& asked, Context& context) const {
  ContextReview review(state_, context.state());
  return review.answer(review.make(asked), Plugins::Mutating);
}

const Decision& Engine::admit(const Request& asked, Context& context) const {
  ContextReview review(state_, context.state());
  return review.answer_chain(review.make(asked));
}

const Decision& Engine::admit_manifest(const ManifestRequest& asked, Context& context) const {
  ContextReview review(state_, context.state());
  review.prepare_for_webhooks();
  return review.answer_chain(review.make(asked));
}

Result<JsonAnswer> Engine::review_json(std::string_view json, Context& context, Plugins plugins,
                                       std::string_view versions) const {
  if (!versions.empty() && !is_asked_versions(versions))
    return Error{"versions are " + quote_json(versions) +
                 R"(: want "any-version", or what is like "versions/v1.v2" or "versions/v2/v1")"};
  Context::State& s = context.state();
  ContextReview review(state_, s);
  auto read = s.reader.read(json, s.arena);
  if (!read.ok()) return outer(read.error());
  if (s.reader.may_repeat_keys()) [[unlikely]] {
    if (auto error = repeated_key(json, *read)) return outer(*error);
  }
  InputObject o = object_of(*read);
  if (role_of(o) != Role::Review) return Error{"this is no AdmissionReview of admission.k8s.io"};
  std::string_view uid;
  auto refused = read_admission_review(o.value, o.api_version, s.arena, s.request, uid);
  JsonAnswer out{.uid = uid, .request = review.asked()};
  if (!refused) {
    if (auto kind = unknown_kind(s.request, state_->rules->resources))
      out.unknown_kind = s.arena.copy(kind_name(*kind));
  }
  std::string status;
  const Decision* decision = refused ? &s.refuse(400, "BadRequest", refused->text) : nullptr;
  if (decision == nullptr) decision = review.choose_versions(versions);
  const auto start = std::chrono::steady_clock::now();
  decision = &review.answer(decision, plugins);
  out.time = std::chrono::steady_clock::now() - start;
  if (!decision->allowed) status = status_json(*decision);
  std::string patch = decision->allowed ? patch_json(*decision) : std::string();
  std::span<const std::pair<std::string_view, std::string_view>> annotations = decision->audit_annotations;
  if (plugins != Plugins::All) annotations = webhook_annotations(annotations, s);
  s.answer.clear();
  write_admission_review(s.answer, {.api_version = o.api_version,
                                    .uid = uid,
                                    .allowed = decision->allowed,
                                    .status = status,
                                    .audit_annotations = annotations,
                                    .warnings = decision->warnings,
                                    .patch = patch});
  out.json = s.answer;
  out.decision = decision;
  return out;
}

Result<Value> Engine::normalize(const Value& object, Memory& memory) const {
  Context context;
  ContextReview review(state_, context.state());
  ManifestRequest asked;
  asked.object = object;
  asked.namespace_name = state_->rules->options.namespace_name;
  asked.user = UserInfo::administrator();
  const Decision* refused = review.make(asked);
  if (refused == nullptr) refused = review.complete();
  if (refused != nullptr) return Error{std::string(refused->status.message)};
  return memory.read_json(portcullis::to_json(review.request().object));
}

AuthorizationAnswer Engine::authorize(const AuthorizationCheck& check) const {
  const UserInfo asker = {check.username, check.uid, check.groups, check.extra};
  if (is_nameless(asker)) return {.error = std::string(kNameless)};
  std::vector<portcullis::UserInfo::Extra> extra;
  const portcullis::UserInfo user = user_of(asker, extra);
  Arena arena;
  const portcullis::AuthorizationAnswer said =
      state_->surrounding->rbac.authorize({.user = &user,
                                           .verb = check.verb,
                                           .resource_request = check.resource_request,
                                           .group = check.group,
                                           .version = check.version,
                                           .resource = check.resource,
                                           .subresource = check.subresource,
                                           .namespace_name = check.namespace_name,
                                           .name = check.name,
                                           .path = check.path},
                                          arena);
  AuthorizationAnswer out = {.decision = static_cast<AuthorizationAnswer::Decision>(said.decision),
                             .reason = std::string(said.reason)};
  if (said.error) out.error = std::string(*said.error);
  return out;
}

}  // namespace portcullis::v1
