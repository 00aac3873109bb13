// See cluster_policies.h.
#include "server/cluster_policies.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "server/cluster_api.h"
#include "server/cluster_metrics.h"
#include "server/cluster_namespaces.h"
#include "server/cluster_objects.h"
#include "server/cluster_set.h"

namespace portcullis::server {
namespace {

using Clock = std::chrono::steady_clock;
using WatchTime = Clock::time_point;
using News = WatchContext::News;
using std::chrono::milliseconds;
using std::chrono::seconds;

// How long changes that do not end may put off a set.
constexpr seconds kEndPatience{1};
// Newer data is exchanged at once, but exchanges take at most this share of the time.
constexpr int kDataShare = 10;
// How soon an exchange for which there was not enough memory is tried again.
constexpr seconds kTryAgain{1};
// How often log, metrics and readiness hear how old the data is.
constexpr milliseconds kPublish{100};

}  // namespace

struct ClusterPolicies::State {
  const Options& options;
  const ClusterAccess access;
  Log& log;
  Policies& policies;
  ClusterMetrics metrics;
  ClusterApi api;
  WatchContext context;
  ClusterSet set;
  ClusterObjects objects;
  ClusterNamespaces namespaces;

  // What the set in use was made of, and what has been seen since. `tried_rules`: with those of files, also if they
  // did not load.
  uint64_t used_rules = 0, used_data = 0, seen_rules = 0, tried_rules = 0;
  uint64_t needed_rules = 0;  // for which the needs were computed
  uint64_t files_version = 1;
  WatchTime first_change{}, last_change{}, data_due{}, published{};
  std::optional<WatchTime> lost_since,
      unused_since;        // when a watch failed; when a change came that is not in use
  std::string file_error;  // why the files that were read last are not in use
  bool loaded = false, lost = false;

  std::thread thread;
  std::atomic<bool> ends = false, files_changed = false;
  mutable std::mutex mutex;  // of what follows
  Health health;

  State(const Options& o, const ClusterAccess& a, Log& l, Metrics& m, Policies& p)
      : options(o),
        access(a),
        log(l),
        policies(p),
        metrics(m),
        api(access),
        set(o, l),
        objects(o, api, context, l, metrics),
        namespaces(api, context, objects.namespaces(), [this] { exchange(Clock::now(), true); }) {
    context.most = options.max_cluster_bytes;
    context.tell = [this](News news, const WatchedKind& kind, const std::string& text) {
      tell(news, kind, text);
    };
  }

  // While a set is in use, one line tells of all watches that they are lost, and one that they are back (`say_lost`).
  void tell(News news, const WatchedKind& kind, const std::string& text) {
    const bool bad = news == News::Failure;
    if (bad) metrics.failed(resource_of(kind));
    log.line(loaded && news != News::Unavailable ? LogLevel::Debug
             : bad                               ? LogLevel::Warning
                                                 : LogLevel::Info,
             bad ? "the watch of the cluster fails" : "the watch of the cluster",
             {{"resource", resource_of(kind)}, {bad ? "error" : "event", text}});
  }

  // --- sets ---

  // The engine that `make` makes; null with an error if there is not enough memory.
  static std::shared_ptr<const v1::Engine> made_of(std::string& error, auto make) {
    try {
      return make();
    } catch (const std::bad_alloc&) {
      return error = kNoMemory, nullptr;
    }
  }

  void load(uint64_t rules_now) {
    const WatchTime start = Clock::now();
    std::string error;
    const uint64_t data_now = objects.data_seen(), cluster_now = objects.rules_seen();
    auto engine = made_of(error, [&] {
      return set.load(objects.rules(), objects.data(), objects.params().readable(), objects.has_roles(),
                      error);
    });
    tried_rules = rules_now;
    first_change = WatchTime();
    metrics.invalid(set.invalid());
    metrics.unreadable(objects.params().unreadable());
    if (engine == nullptr) return policies.keep(error);
    used_rules = cluster_now;
    used_data = data_now;
    objects.take_changed();
    loaded = true;
    policies.exchange(std::move(engine), Clock::now() - start,
                      {{"files", static_cast<int64_t>(set.files())},
                       {"params", static_cast<int64_t>(objects.params().size())},
                       {"invalid", static_cast<int64_t>(set.invalid())}});
    if (!file_error.empty()) policies.keep(file_error);
  }

  // Puts newer data in the set in use, when it is due.
  void exchange(WatchTime now, bool at_once = false) {
    if (!loaded || objects.data_seen() == used_data || (now < data_due && !at_once)) return;
    const WatchTime start = Clock::now();
    std::string error;
    const uint64_t data_now = objects.data_seen();
    auto engine = made_of(error, [&] { return set.change(objects.data(), error); });
    const auto took = Clock::now() - start;
    data_due = start + took * (kDataShare + 1);
    if (engine == nullptr) return data_due += kTryAgain, policies.keep(error);
    used_data = data_now;
    objects.take_changed();
    metrics.exchanged();
    policies.refresh(std::move(engine), took);
  }

  // Tells the metrics since when the set in use may be old.
  void tell_age(WatchTime now) {
    const bool uses_all = objects.rules_seen() == used_rules && objects.data_seen() == used_data;
    if (!loaded || uses_all)
      unused_since.reset();
    else if (!unused_since)
      unused_since = now;
    metrics.old_since(lost_since && unused_since ? std::min(*lost_since, *unused_since)
                      : lost_since               ? lost_since
                                                 : unused_since);
  }

  void look(WatchTime now) {
    const uint64_t rules_now = objects.rules_seen() + files_version;
    if (rules_now != seen_rules) {
      seen_rules = rules_now;
      last_change = now;
      if (first_change == WatchTime()) first_change = now;
    }
    if (!objects.listed()) return;
    tell_age(now);
    const bool quiet = now - last_change >= options.settle || now - first_change >= kEndPatience;
    if (rules_now != tried_rules && (quiet || !loaded)) {
      if (needed_rules != rules_now) {
        objects.need(set.needs(objects.rules()), now);
        needed_rules = rules_now;
      }
      if (objects.awaited().empty()) return load(rules_now);
    }
    exchange(now);
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

  // What the watches do not know: since when, and why.
  void publish(WatchTime now) {
    if (now - published < kPublish && loaded == health.known) return;
    published = now;
    std::string detail, waits = loaded ? std::string() : objects.awaited();
    std::optional<WatchTime> since;
    objects.each([&](Source& s) {
      const KindWatch& w = s.watch;
      metrics.objects(resource_of(w.what()), w.objects().size());
      for (; s.relists < w.relists(); s.relists++) metrics.listed(resource_of(w.what()));
      if (w.failure().empty()) return;
      if (!since || w.since() < *since) {
        since = w.since();
        detail = resource_of(w.what()) + ": " + w.failure();
      }
    });
    metrics.bytes(context.used);
    const bool connected = !since && waits.empty();
    const bool ever = since && *since != WatchTime();
    const double age = ever ? std::chrono::duration<double>(now - *since).count() : 0;
    metrics.connected(connected);
    lost_since = ever ? since : std::nullopt;
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
    h.detail += objects.params().trouble();
    std::lock_guard lock(mutex);
    health = std::move(h);
  }

  milliseconds wait(WatchTime now) {
    WatchTime next = now + kEndPatience;
    objects.each([&](Source& s) {
      if (auto due = s.watch.due()) next = std::min(next, *due);
    });
    if (loaded && objects.data_seen() != used_data) next = std::min(next, data_due);
    if (first_change != WatchTime() && last_change + options.settle > now)
      next = std::min(next, last_change + options.settle);
    return std::max(milliseconds(1), std::chrono::ceil<milliseconds>(next - now));
  }

  void run() {
    while (!ends) {
      const WatchTime now = Clock::now();
      reread();
      namespaces.ask();
      objects.ask(now);
      look(now);
      objects.ask(now);
      publish(now);
      tell_age(now);
      api.step(wait(now));
      namespaces.take();
    }
    namespaces.end();
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
                   {{"server", without_password(state_->access.server)}, {"from", state_->access.name}});
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
  state_->namespaces.find(name, std::move(done));
  state_->api.wake();
}

}  // namespace portcullis::server
