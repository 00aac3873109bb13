// See cluster_params.h.
#include "server/cluster_params.h"

#include <algorithm>

#include "admission/builtin/registration.h"
#include "admission/scalars/group_version.h"

namespace portcullis::server {
namespace {

using std::chrono::seconds;

// How long a set waits for the params of a kind that does not answer.
constexpr seconds kDiscoveryPatience{10};
// How often the API server is asked again for a kind that it does not have, as its own policies do.
constexpr seconds kDiscoverAgain{30};
// The same for a while after a definition has changed, since discovery tells of it a little later.
constexpr seconds kDiscoverSoon{2}, kDefining{20};
constexpr const char* kUnreadable = "params cannot be read: policies with this paramKind fail";

}  // namespace

void ClusterParams::need(const std::set<std::pair<std::string, std::string>>& kinds, Time now) {
  std::erase_if(kinds_, [&](const auto& entry) {
    const bool gone = !kinds.contains(entry.first);
    if (gone && entry.second.source) metrics_.gone(resource_of(entry.second.source->watch.what()));
    return gone;
  });
  for (const auto& key : kinds) {
    Kind& k = kinds_[key];
    if (k.wanted != Time()) continue;
    k.api_version = key.first;
    k.kind = key.second;
    k.wanted = k.due = now;
  }
}

void ClusterParams::miss(Kind& k, std::string why, Time now) {
  if (k.missing != why) log_.line(LogLevel::Warning, kUnreadable, {{"kind", k.name()}, {"why", why}});
  if (k.missing.empty()) version_++;
  k.missing = std::move(why);
  k.due = now + (now - defined_ < kDefining ? kDiscoverSoon : kDiscoverAgain);
}

// Asks discovery, or takes its answer.
void ClusterParams::discover(Kind& k, Time now) {
  if (k.question) {
    const std::unique_ptr<Question> answer = std::move(k.question);
    return take(k, *answer, now);
  }
  const auto [group, version, well_formed] = split_api_version(k.api_version);
  if (group == kRegistrationGroup || group == kDefinitionGroup)
    return miss(k, "policies, bindings and definitions cannot be params here", now);
  if (!is_path_part(version) || (!group.empty() && !is_path_part(group)))
    return miss(k, "the apiVersion is malformed", now);
  k.question = std::make_unique<Question>(api_, version_path(group, version), seconds(30));
}

void ClusterParams::take(Kind& k, const Question& answer, Time now) {
  k.due = now + kDiscoverSoon;
  if (answer.status == 404) return miss(k, "the API server has no group and version " + k.api_version, now);
  if (answer.status != 200) return;  // asked again; without answer the kind is given up
  Result<ClusterReader::Found> found = context_.reader.find_resource(answer.body, k.kind);
  if (!found.ok()) return miss(k, found.error().text, now);
  if (found->plural.empty())
    return miss(k, "the API server has no kind " + k.kind + " in " + k.api_version, now);
  if (!found->watchable) return miss(k, "the kind cannot be listed and watched", now);
  const auto [group, version, well_formed] = split_api_version(k.api_version);
  k.namespaced = found->namespaced;
  k.source = std::make_unique<Source>(WatchedKind{.kind = {k.api_version, k.kind, {}},
                                                  .group = std::string(group),
                                                  .versions = {std::string(version)},
                                                  .plural = found->plural,
                                                  .may_be_absent = true,
                                                  .may_be_refused = true},
                                      context_, api_);
}

// Whether the objects of a kind that was found can still be read.
void ClusterParams::look_at(Kind& k, Time now) {
  const std::string why = k.source->watch.unavailable();
  if (!why.empty() && k.found) return;  // there are no params while the kind is gone
  if (!why.empty()) {
    k.source.reset();
    miss(k, why, now);
    return;
  }
  k.found |= k.source->watch.known();
  if (k.found && (!k.missing.empty() || k.given_up)) {
    k.missing.clear();
    k.given_up = false;
    version_++;
    log_.line(LogLevel::Info, "params can be read", {{"kind", k.name()}});
  }
}

void ClusterParams::step(uint64_t definitions, Time now) {
  const bool changed = definitions != definitions_;
  if (changed) defined_ = now;
  definitions_ = definitions;
  for (auto& [key, k] : kinds_) {
    if (!k.given_up && !k.settled() && now - k.wanted > kDiscoveryPatience) {
      k.given_up = true;
      log_.line(LogLevel::Warning, kUnreadable, {{"kind", k.name()}, {"why", k.why()}});
    }
    const bool due = k.question ? k.question->done : now >= k.due || (changed && !k.missing.empty());
    if (k.source) {
      look_at(k, now);
    } else if (due) {
      discover(k, now);
    }
  }
}

void ClusterParams::each(const std::function<void(Source&)>& call) {
  for (auto& [key, k] : kinds_) {
    if (k.source) call(*k.source);
  }
}

size_t ClusterParams::unreadable() const {
  return static_cast<size_t>(
      std::ranges::count_if(kinds_, [](const auto& entry) { return !entry.second.readable(); }));
}

std::vector<v1::LoadOptions::ParamKind> ClusterParams::readable() const {
  std::vector<v1::LoadOptions::ParamKind> out;
  for (const auto& [key, k] : kinds_) {
    if (k.readable()) out.push_back({k.api_version, k.kind, k.namespaced});
  }
  return out;
}

std::vector<ClusterKind> ClusterParams::objects() const {
  std::vector<ClusterKind> out;
  for (const auto& [key, k] : kinds_) {
    if (k.readable()) out.push_back(k.source->kind());
  }
  return out;
}

std::string ClusterParams::awaited() const {
  const auto found = std::ranges::find_if(kinds_, [](const auto& entry) { return !entry.second.settled(); });
  return found == kinds_.end() ? "" : found->second.name();
}

uint64_t ClusterParams::changes() const {
  uint64_t sum = 0;
  for (const auto& [key, k] : kinds_) sum += k.readable() ? k.source->watch.changes() : 0;
  return sum;
}

std::string ClusterParams::trouble() const {
  std::string out;
  for (const auto& [key, k] : kinds_) {
    if (!k.missing.empty() || k.given_up) out += "; params of " + k.name() + " cannot be read: " + k.why();
  }
  return out;
}

}  // namespace portcullis::server
