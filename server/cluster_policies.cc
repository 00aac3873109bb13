// See cluster_policies.h.
#include "server/cluster_policies.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/cluster_api.h"
#include "server/cluster_metrics.h"
#include "server/cluster_set.h"
#include "server/cluster_watch.h"

namespace portcullis::server {
namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kAdmission = "admissionregistration.k8s.io";
constexpr const char* kDefinitions = "apiextensions.k8s.io";
constexpr const char* kRoles = "rbac.authorization.k8s.io";
// How long changes that do not end may put off a set.
constexpr seconds kPatience{1};
// How long a set waits for the params of a kind that does not answer.
constexpr seconds kParamPatience{10};
// How often the API server is asked again for a kind that it does not have, as its own policies do.
constexpr seconds kDiscoverAgain{30};
// The same for a while after a definition has changed, since discovery tells of it a little later.
constexpr seconds kDiscoverSoon{2}, kDefining{20};
// Newer data is exchanged this long after the first change; exchanges take at most this share of the time.
constexpr milliseconds kDataSettle{20};
constexpr int kDataShare = 10;
constexpr seconds kNamespaceTime{5};
// How often log, metrics and readiness hear how old the data is.
constexpr milliseconds kPublish{100};
constexpr size_t kMostFinds = 64, kMaxObject = size_t{16} << 20;

// Asks for a resource and version of a kind, without versions before it: v1beta1 and v1alpha1 are of older clusters.
WatchedKind admission(const char* kind, const char* plural) {
  return {.kind = {std::string(kAdmission) + "/v1", kind, {}},
          .group = kAdmission,
          .versions = {"v1", "v1beta1", "v1alpha1"},
          .plural = plural,
          .may_be_absent = true};
}
WatchedKind plain(const char* group, const char* kind, const char* plural) {
  return {.kind = {(*group == '\0' ? std::string() : std::string(group) + "/") + "v1", kind, {}},
          .group = group,
          .versions = {"v1"},
          .plural = plural};
}

std::string resource_of(const WatchedKind& k) {
  return k.group.empty() ? k.plural : k.plural + "." + k.group;
}

// A watch, connected with its requests.
struct Source final : Receiver {
  Source(WatchedKind kind, WatchShare& share, ClusterApi& api) : watch(std::move(kind), share), api(api) {}
  ~Source() override { api.stop(*this); }
  bool data(int status, std::string_view part) override { return watch.data(status, part, Clock::now()); }
  void ended(int status, std::string error, seconds retry_after) override {
    watch.ended(status, std::move(error), retry_after, Clock::now());
  }
  // Sends what is due.
  void ask(Time now) {
    if (auto ask = watch.next(now)) api.get({ask->target, ask->watch, ask->timeout}, *this);
  }
  ClusterKind kind() const {
    return {watch.what().kind.api_version, watch.what().kind.kind, &watch.objects()};
  }

  KindWatch watch;
  ClusterApi& api;
  uint64_t relists = 0;
  bool rule = false;  // a change means a new set
};

// One answer as a whole.
struct Question final : Receiver {
  Question(ClusterApi& api, const std::string& target, seconds time) : api(api) {
    api.get({target, false, time}, *this);
  }
  ~Question() override { api.stop(*this); }
  bool data(int, std::string_view part) override {
    if (body.size() + part.size() > kMaxObject) return false;
    body.append(part);
    return true;
  }
  void ended(int code, std::string why, seconds) override {
    status = code;
    error = std::move(why);
    done = true;
  }

  ClusterApi& api;
  std::string body, error;
  int status = 0;
  bool done = false;
};

// A kind that policies name as paramKind.
struct ParamSource {
  std::string api_version, kind;
  std::unique_ptr<Question> question;  // to discovery
  std::unique_ptr<Source> source;      // once it is found
  bool namespaced = true;
  bool given_up = false;  // it does not answer
  std::string missing;    // why its objects cannot be read; empty: they can, or that is not known yet
  Time wanted{}, due{};

  bool readable() const { return source != nullptr && source->watch.known() && missing.empty(); }
  bool settled() const { return readable() || !missing.empty() || given_up; }
};

struct NamespaceFind {
  std::unique_ptr<Question> question;
  std::vector<std::function<void(std::string)>> done;
};

}  // namespace

struct ClusterPolicies::State {
  const Options& options;
  const ClusterAccess access;
  Log& log;
  Policies& policies;
  ClusterMetrics metrics;
  ClusterApi api;
  WatchShare share;
  ClusterSet set;
  std::vector<std::unique_ptr<Source>> fixed;
  std::vector<std::unique_ptr<Source>> roles;  // if they are needed
  std::map<std::pair<std::string, std::string>, ParamSource> params;
  std::map<std::string, NamespaceFind> finds;
  Source* namespaces = nullptr;
  Source* definitions = nullptr;

  // What the set in use was made of, and what has been seen since.
  uint64_t used_rules = 0, used_data = 0, seen_rules = 0;
  uint64_t needed_rules = 0;  // for which `needs` was computed
  uint64_t files_version = 1, params_version = 0, seen_definitions = 0;
  Needs needs;
  Time first_change{}, last_change{}, data_due{}, published{}, defined{};
  std::string file_error;  // why the files that were read last are not in use
  bool loaded = false, lost = false;
  milliseconds data_time{0};

  std::thread thread;
  std::atomic<bool> ends = false, files_changed = false;
  mutable std::mutex mutex;  // of what follows
  Health health;
  std::vector<std::pair<std::string, std::function<void(std::string)>>> asked;

  State(const Options& o, const ClusterAccess& a, Log& l, Metrics& m, Policies& p)
      : options(o), access(a), log(l), policies(p), metrics(m), api(access), set(o, l) {
    share.most = options.max_cluster_bytes;
    share.tell = [this](bool bad, const WatchedKind& kind, const std::string& text) {
      tell(bad, kind, text);
    };
    auto add = [&](WatchedKind kind, bool rule) -> Source* {
      fixed.push_back(std::make_unique<Source>(std::move(kind), share, api));
      fixed.back()->rule = rule;
      return fixed.back().get();
    };
    if (options.cluster_policies) {
      add(admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies"), true);
      add(admission("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"), true);
      add(admission("MutatingAdmissionPolicy", "mutatingadmissionpolicies"), true);
      add(admission("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings"), true);
    }
    definitions = add(plain(kDefinitions, "CustomResourceDefinition", "customresourcedefinitions"), true);
    namespaces = add(plain("", "Namespace", "namespaces"), false);
  }

  void tell(bool bad, const WatchedKind& kind, const std::string& text) {
    if (bad) metrics.failed(resource_of(kind));
    log.line(bad ? LogLevel::Warning : LogLevel::Info,
             bad ? "the watch of the cluster fails" : "the watch of the cluster",
             {{"resource", resource_of(kind)}, {bad ? "error" : "event", text}});
  }

  void each(const std::function<void(Source&)>& call) {
    for (auto* list : {&fixed, &roles}) {
      for (auto& source : *list) call(*source);
    }
    for (auto& [key, p] : params) {
      if (p.source) call(*p.source);
    }
  }

  std::vector<ClusterKind> rules() const {
    std::vector<ClusterKind> out;
    for (const auto& s : fixed) {
      if (s->rule) out.push_back(s->kind());
    }
    return out;
  }
  std::vector<ClusterKind> data() const {
    std::vector<ClusterKind> out = {namespaces->kind()};
    for (const auto& s : roles) out.push_back(s->kind());
    for (const auto& [key, p] : params) {
      // A kind may be watched already: namespaces and RBAC objects may be params, too.
      if (p.readable() && !watched_otherwise(p)) out.push_back(p.source->kind());
    }
    return out;
  }
  bool watched_otherwise(const ParamSource& p) const {
    auto same = [&](const auto& s) {
      return s->watch.what().kind.api_version == p.api_version && s->watch.what().kind.kind == p.kind;
    };
    return std::ranges::any_of(fixed, same) || std::ranges::any_of(roles, same);
  }

  // --- params ---

  // Watches what the policies need, and no more.
  void follow_needs(Time now) {
    std::erase_if(params, [&](const auto& entry) {
      const bool gone = !needs.params.contains(entry.first);
      if (gone && entry.second.source) metrics.gone(resource_of(entry.second.source->watch.what()));
      return gone;
    });
    for (const auto& key : needs.params) {
      ParamSource& p = params[key];
      if (p.wanted != Time()) continue;
      p.api_version = key.first;
      p.kind = key.second;
      p.wanted = p.due = now;
    }
    if (needs.authorizer == roles.empty()) {
      roles.clear();
      if (!needs.authorizer) return;
      constexpr std::pair<const char*, const char*> kKinds[] = {
          {"Role", "roles"},
          {"ClusterRole", "clusterroles"},
          {"RoleBinding", "rolebindings"},
          {"ClusterRoleBinding", "clusterrolebindings"}};
      for (auto [kind, plural] : kKinds)
        roles.push_back(std::make_unique<Source>(plain(kRoles, kind, plural), share, api));
    }
  }

  void miss(ParamSource& p, std::string why, Time now) {
    if (p.missing != why) {
      log.line(LogLevel::Warning, "params cannot be read: policies with this paramKind fail",
               {{"kind", p.api_version + " " + p.kind}, {"why", why}});
    }
    if (p.missing.empty()) params_version++;
    p.missing = std::move(why);
    p.due = now + (now - defined < kDefining ? kDiscoverSoon : kDiscoverAgain);
  }

  void discover(ParamSource& p, Time now) {
    const size_t slash = p.api_version.find('/');
    const std::string group = slash == p.api_version.npos ? "" : p.api_version.substr(0, slash);
    const std::string version = slash == p.api_version.npos ? p.api_version : p.api_version.substr(slash + 1);
    if (group == kAdmission || group == kDefinitions)
      return miss(p, "policies, bindings and definitions cannot be params here", now);
    if (!p.question) {
      const bool plain_names = is_path_part(version) && (group.empty() || is_path_part(group));
      if (!plain_names) return miss(p, "the apiVersion is malformed", now);
      p.question = std::make_unique<Question>(api, version_path(group, version), seconds(30));
      return;
    }
    std::unique_ptr<Question> question = std::move(p.question);
    p.due = now + kDiscoverSoon;
    if (question->status == 404)
      return miss(p, "the API server has no group and version " + p.api_version, now);
    if (question->status != 200) return;  // asked again; without answer the kind is given up
    Result<ClusterReader::Found> found = share.reader.find_resource(question->body, p.kind);
    if (!found.ok()) return miss(p, found.error().text, now);
    if (found->plural.empty())
      return miss(p, "the API server has no kind " + p.kind + " in " + p.api_version, now);
    if (!found->watchable) return miss(p, "the kind cannot be listed and watched", now);
    p.namespaced = found->namespaced;
    p.source = std::make_unique<Source>(WatchedKind{.kind = {p.api_version, p.kind, {}},
                                                    .group = group,
                                                    .versions = {version},
                                                    .plural = found->plural,
                                                    .may_be_absent = true,
                                                    .may_be_refused = true},
                                        share, api);
  }

  void follow_params(Time now) {
    const bool changed = definitions->watch.changes() != seen_definitions;
    if (changed) defined = now;
    seen_definitions = definitions->watch.changes();
    for (auto& [key, p] : params) {
      if (!p.given_up && !p.settled() && now - p.wanted > kParamPatience) {
        p.given_up = true;
        log.line(LogLevel::Warning, "params cannot be read: policies with this paramKind fail",
                 {{"kind", p.api_version + " " + p.kind}, {"why", "the cluster does not answer"}});
      }
      if (p.source) {
        const std::string why = p.source->watch.unavailable();
        if (!why.empty()) {
          p.source.reset();
          miss(p, why, now);
        } else if (p.source->watch.known() && (!p.missing.empty() || p.given_up)) {
          p.missing.clear();
          p.given_up = false;
          params_version++;
          log.line(LogLevel::Info, "params can be read", {{"kind", p.api_version + " " + p.kind}});
        }
        continue;
      }
      if (p.question ? p.question->done : (now >= p.due || (changed && !p.missing.empty()))) discover(p, now);
    }
  }

  // --- sets ---

  // What must be there before a set is made, and is not; empty if nothing is missing.
  std::string awaited() const {
    for (const auto* list : {&fixed, &roles}) {
      for (const auto& s : *list) {
        if (s->watch.known()) continue;
        const std::string& why = s->watch.failure();
        return resource_of(s->watch.what()) + (why.empty() ? "" : ": " + why);
      }
    }
    for (const auto& [key, p] : params) {
      if (!p.settled()) return "params of the kind " + p.api_version + " " + p.kind;
    }
    return {};
  }

  uint64_t rules_seen() const {
    uint64_t sum = files_version + params_version;
    for (const auto& s : fixed) sum += s->rule ? s->watch.changes() : 0;
    return sum;
  }
  uint64_t data_seen() const {
    uint64_t sum = namespaces->watch.changes();
    for (const auto& s : roles) sum += s->watch.changes();
    for (const auto& [key, p] : params) sum += p.readable() ? p.source->watch.changes() : 0;
    return sum;
  }

  void look(Time now) {
    const uint64_t rules_now = rules_seen();
    if (rules_now != seen_rules) {
      seen_rules = rules_now;
      last_change = now;
      if (first_change == Time()) first_change = now;
    }
    const bool lists = std::ranges::all_of(fixed, [](const auto& s) { return s->watch.known(); });
    if (!lists) return;
    const bool quiet = now - last_change >= options.settle || now - first_change >= kPatience;
    if (rules_now != used_rules && (quiet || !loaded)) {
      if (needed_rules != rules_now) {
        needs = set.needs(rules());
        needed_rules = rules_now;
        follow_needs(now);
      }
      if (awaited().empty()) return load(rules_now);
    }
    if (loaded && data_seen() != used_data) exchange(now);
  }

  void load(uint64_t rules_now) {
    const Time start = Clock::now();
    std::vector<v1::LoadOptions::ParamKind> kinds;
    size_t unreadable = 0;
    for (const auto& [key, p] : params) {
      if (p.readable()) {
        kinds.push_back({p.api_version, p.kind, p.namespaced});
      } else {
        unreadable++;
      }
    }
    std::string error;
    const uint64_t data_now = data_seen();
    auto engine = set.load(rules(), data(), std::move(kinds), !roles.empty(), error);
    used_rules = rules_now;
    first_change = data_due = Time();
    metrics.invalid(set.invalid());
    metrics.unreadable(unreadable);
    if (engine == nullptr) return policies.keep(error);
    used_data = data_now;
    loaded = true;
    policies.exchange(std::move(engine), Clock::now() - start,
                      {{"files", static_cast<int64_t>(set.files())},
                       {"params", static_cast<int64_t>(params.size())},
                       {"invalid", static_cast<int64_t>(set.invalid())}});
    if (!file_error.empty()) policies.keep(file_error);
  }

  void exchange(Time now, bool at_once = false) {
    if (data_due == Time()) data_due = now + std::max(kDataSettle, data_time * kDataShare);
    if (now < data_due && !at_once) return;
    const Time start = Clock::now();
    std::string error;
    const uint64_t data_now = data_seen();
    auto engine = set.exchange(data(), error);
    data_time = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    data_due = Time();
    used_data = data_now;
    if (engine == nullptr) return policies.keep(error);
    metrics.exchanged();
    policies.refresh(std::move(engine), Clock::now() - start);
  }

  // --- namespaces ---

  void take_finds() {
    std::vector<std::pair<std::string, std::function<void(std::string)>>> taken;
    {
      std::lock_guard lock(mutex);
      taken.swap(asked);
    }
    for (auto& [name, done] : taken) {
      if (namespaces->watch.objects().contains("/" + name) || !is_path_part(name)) {
        if (loaded && data_seen() != used_data) exchange(Clock::now(), true);
        done({});
      } else if (!finds.contains(name) && finds.size() >= kMostFinds) {
        done("too many namespaces are looked for");
      } else {
        NamespaceFind& find = finds[name];
        if (!find.question)
          find.question = std::make_unique<Question>(api, "/api/v1/namespaces/" + name, kNamespaceTime);
        find.done.push_back(std::move(done));
      }
    }
  }

  void finish_finds() {
    for (auto it = finds.begin(); it != finds.end();) {
      NamespaceFind& find = it->second;
      if (!find.question->done) {
        it++;
        continue;
      }
      std::string why = learn(*find.question);
      for (auto& done : find.done) done(why);
      it = finds.erase(it);
    }
  }

  // Takes the answer to a GET of a namespace. The reason if it tells nothing.
  std::string learn(const Question& q) {
    if (q.status == 404 && q.error.empty()) return {};
    if (q.status != 200 || !q.error.empty())
      return q.error.empty() ? std::to_string(q.status) + " " + share.reader.status(q.body).message : q.error;
    Result<ClusterObject> object = share.reader.single(q.body, namespaces->watch.what().kind);
    if (!object.ok()) return object.error().text;
    namespaces->watch.learn(std::move(*object));
    if (loaded && data_seen() != used_data) exchange(Clock::now(), true);
    return {};
  }

  // --- the thread ---

  void reread() {
    if (!files_changed.exchange(false)) return;
    PolicyFiles files = read_policy_files(options, log);
    file_error = files.error;
    if (!file_error.empty()) return policies.keep(file_error);
    set.set_files(std::move(files));
    files_version++;
  }

  // What the watches do not know: since when, and why.
  void publish(Time now) {
    if (now - published < kPublish && loaded == health.known) return;
    published = now;
    std::string detail, waits = loaded ? std::string() : awaited();
    std::optional<Time> since;
    each([&](Source& s) {
      const KindWatch& w = s.watch;
      metrics.objects(resource_of(w.what()), w.objects().size());
      for (; s.relists < w.relists(); s.relists++) metrics.listed(resource_of(w.what()));
      if (w.failure().empty()) return;
      if (!since || w.since() < *since) {
        since = w.since();
        detail = resource_of(w.what()) + ": " + w.failure();
      }
    });
    metrics.bytes(share.used);
    const bool connected = !since && waits.empty();
    const bool ever = since && *since != Time();
    const double age = ever ? std::chrono::duration<double>(now - *since).count() : 0;
    metrics.connected(connected, age);
    if (loaded && connected == lost) say_lost(!connected, detail, age);
    Health h;
    h.known = loaded;
    if (!loaded) {
      h.detail = "waits for the list of " + waits;
    } else if (!connected) {
      h.detail = "lost, decides with what it knew " + std::to_string(static_cast<int64_t>(age)) + " s ago; " +
                 detail;
    } else {
      h.detail = access.name;
    }
    if (set.invalid() > 0)
      h.detail +=
          "; " + std::to_string(set.invalid()) + " objects do not load and fail: " + set.first_invalid();
    for (const auto& [key, p] : params) {
      if (!p.missing.empty() || p.given_up)
        h.detail += "; params of " + p.api_version + " " + p.kind +
                    " cannot be read: " + (p.missing.empty() ? "the cluster does not answer" : p.missing);
    }
    std::lock_guard lock(mutex);
    health = std::move(h);
  }

  void say_lost(bool now_lost, const std::string& detail, double age) {
    lost = now_lost;
    if (lost) {
      log.line(LogLevel::Warning,
               "the cluster is lost; the last good policies, params and namespaces stay in use",
               {{"error", detail}, {"seconds", static_cast<int64_t>(age)}});
    } else {
      log.line(LogLevel::Info, "the cluster is there again");
    }
  }

  milliseconds wait(Time now) {
    Time next = now + kPatience;
    each([&](Source& s) {
      if (auto due = s.watch.due()) next = std::min(next, *due);
    });
    if (data_due != Time()) next = std::min(next, data_due);
    if (first_change != Time() && last_change + options.settle > now)
      next = std::min(next, last_change + options.settle);
    return std::max(milliseconds(1), std::chrono::ceil<milliseconds>(next - now));
  }

  void run() {
    while (!ends) {
      Time now = Clock::now();
      reread();
      take_finds();
      follow_params(now);
      each([&](Source& s) { s.ask(now); });
      look(now);
      each([&](Source& s) { s.ask(now); });
      publish(now);
      api.step(wait(now));
      finish_finds();
    }
    for (auto& [name, find] : finds) {
      for (auto& done : find.done) done("the server ends");
    }
    std::lock_guard lock(mutex);
    for (auto& [name, done] : asked) done("the server ends");
    asked.clear();
  }
};

ClusterPolicies::ClusterPolicies(const Options& options, const ClusterAccess& access, Log& log,
                                 Metrics& metrics, Policies& policies)
    : state_(std::make_unique<State>(options, access, log, metrics, policies)) {}

ClusterPolicies::~ClusterPolicies() { stop(); }

void ClusterPolicies::stop() {
  state_->ends = true;
  state_->api.wake();
  if (state_->thread.joinable()) state_->thread.join();
}

bool ClusterPolicies::read_files() {
  PolicyFiles files = read_policy_files(state_->options, state_->log);
  const bool good = files.error.empty();
  if (good) state_->set.set_files(std::move(files));
  return good;
}

void ClusterPolicies::start() {
  state_->log.line(LogLevel::Info, "policies come from a cluster",
                   {{"server", state_->access.server}, {"from", state_->access.name}});
  state_->thread = std::thread([this] { state_->run(); });
}

void ClusterPolicies::poke() {
  state_->files_changed = true;
  state_->api.wake();
}

ClusterPolicies::Health ClusterPolicies::health() const {
  std::lock_guard lock(state_->mutex);
  return state_->health;
}

void ClusterPolicies::find(const std::string& name, std::function<void(std::string)> done) {
  {
    std::lock_guard lock(state_->mutex);
    if (state_->ends) return done("the server ends");
    state_->asked.emplace_back(name, std::move(done));
  }
  state_->api.wake();
}

}  // namespace portcullis::server
