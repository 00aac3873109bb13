// See cluster_objects.h.
#include "server/cluster_objects.h"

#include <algorithm>

namespace portcullis::server {
namespace {

WatchedKind watched(const Resource& r, WatchedFor what) {
  WatchedKind out{.kind = {join_api_version(r.group, r.version), r.kind, {}},
                  .group = r.group,
                  .versions = {r.version},
                  .plural = r.plural};
  if (what == WatchedFor::Policies) {  // older clusters have other versions, or none
    out.versions.insert(out.versions.end(), {"v1beta1", "v1alpha1"});
    out.may_be_absent = true;
  }
  return out;
}

}  // namespace

ClusterObjects::ClusterObjects(const Options& options, ClusterApi& api, WatchContext& context, Log& log,
                               ClusterMetrics& metrics)
    : api_(api), context_(context), params_(api, context, log, metrics) {
  add(rules_, WatchedFor::Definitions);
  add(data_, WatchedFor::Namespaces);
  if (options.cluster_policies) add(rules_, WatchedFor::Policies);
}

void ClusterObjects::add(Sources& to, WatchedFor what) {
  for (const Resource& r : watched_kinds(what))
    to.push_back(std::make_unique<Source>(watched(r, what), context_, api_));
}

void ClusterObjects::need(const Needs& needs, KindWatch::Time now) {
  params_.need(needs.params, now);
  if (needs.authorizer != roles_.empty()) return;
  roles_.clear();
  if (needs.authorizer) add(roles_, WatchedFor::Authorizer);
}

void ClusterObjects::ask(KindWatch::Time now) {
  params_.step(rules_[0]->watch.changes(), now);
  each([&](Source& s) { s.ask(now); });
}

void ClusterObjects::each(const std::function<void(Source&)>& call) {
  for (auto* list : {&rules_, &data_, &roles_}) {
    for (auto& source : *list) call(*source);
  }
  params_.each(call);
}

std::vector<ClusterKind> ClusterObjects::rules() const {
  std::vector<ClusterKind> out;
  for (const auto& s : rules_) out.push_back(s->kind());
  return out;
}

bool ClusterObjects::watches(const ClusterKind& kind) const {
  auto same = [&](const auto& s) {
    return s->watch.what().kind.api_version == kind.api_version && s->watch.what().kind.kind == kind.kind;
  };
  return std::ranges::any_of(data_, same) || std::ranges::any_of(roles_, same);
}

std::vector<ClusterKind> ClusterObjects::data() const {
  std::vector<ClusterKind> out;
  for (const auto* list : {&data_, &roles_}) {
    for (const auto& s : *list) out.push_back(s->kind());
  }
  // A kind may be watched already: namespaces and RBAC objects may be params, too.
  for (ClusterKind& kind : params_.objects()) {
    if (!watches(kind)) out.push_back(std::move(kind));
  }
  return out;
}

void ClusterObjects::take_changed() {
  each([](Source& s) { s.watch.take_changed(); });
}

uint64_t ClusterObjects::rules_seen() const {
  uint64_t sum = params_.version();
  for (const auto& s : rules_) sum += s->watch.changes();
  return sum;
}

uint64_t ClusterObjects::data_seen() const {
  uint64_t sum = params_.changes();
  for (const auto* list : {&data_, &roles_}) {
    for (const auto& s : *list) sum += s->watch.changes();
  }
  return sum;
}

bool ClusterObjects::listed() const {
  auto known = [](const auto& s) { return s->watch.known(); };
  return std::ranges::all_of(rules_, known) && std::ranges::all_of(data_, known);
}

std::string ClusterObjects::awaited() const {
  for (const auto* list : {&rules_, &data_, &roles_}) {
    for (const auto& s : *list) {
      if (s->watch.known()) continue;
      const std::string& why = s->watch.failure();
      return resource_of(s->watch.what()) + (why.empty() ? "" : ": " + why);
    }
  }
  const std::string kind = params_.awaited();
  return kind.empty() ? "" : "params of the kind " + kind;
}

}  // namespace portcullis::server
