// The objects of one kind in a cluster: lists them, then watches them.
//
// Idea: a machine without a network. `next` says which request is due, `data` and `ended` take what comes back. A list
// is read page by page and takes the place of the objects when its last page is there, so they are never half. A
// watch goes on from the last resource version, also of bookmarks; if the server has forgotten it (410), or
// sends what cannot be read, everything is listed anew. After failures the objects stay as they are, and the next
// attempt comes later each time, with jitter.
// Source of behaviour: client-go tools/cache/reflector.go, tools/pager. Limits: kMaxPage; lists are always those of
// etcd (no resourceVersion=0), never streamed (no sendInitialEvents). Tested by server/cluster_watch_test.cc,
// fuzz/cluster.cc, tests/server/watching.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/cluster_reader.h"

namespace portcullis::server {

// The largest page of a list. If one is larger, less objects are asked for.
inline constexpr size_t kMaxPage = size_t{32} << 20;

struct WatchedKind {
  WantedKind kind;
  std::string group;                  // empty: the core group
  std::vector<std::string> versions;  // the first that the server has is watched
  std::string plural;
  bool may_be_absent = false;   // whether a server without this kind has an empty list of it
  bool may_be_refused = false;  // whether the same holds for a list that the server refuses (403)
};

// The path of a group and version: "/api/v1", "/apis/GROUP/VERSION".
std::string version_path(std::string_view group, std::string_view version);

// What the watches of a cluster share. Belongs to the thread that runs them.
struct WatchContext {
  size_t used = 0;         // bytes of all objects
  size_t most = SIZE_MAX;  // their limit
  std::minstd_rand random{std::random_device{}()};
  std::chrono::milliseconds first_delay{800};  // between two attempts; doubled up to `last_delay`
  std::chrono::milliseconds last_delay{30000};
  ClusterReader reader;
  // Something happened that a person may want to know.
  enum class News : uint8_t { Failure, Recovery, Unavailable };
  std::function<void(News news, const WatchedKind& kind, const std::string& text)> tell = [](auto...) {};
};

class KindWatch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  KindWatch(WatchedKind what, WatchContext& context) : what_(std::move(what)), context_(context) {
    ask_version(0);
  }
  ~KindWatch() { context_.used -= bytes_; }
  KindWatch(const KindWatch&) = delete;
  KindWatch& operator=(const KindWatch&) = delete;

  struct Ask {
    std::string target;
    bool watch = false;
    std::chrono::seconds timeout{0};  // after which the answer must have ended
  };
  // The request to send now; nothing if one is under way, or the next is due later.
  std::optional<Ask> next(Time now);
  // When to call `next` again; nothing while a request is under way and there is nothing to note.
  std::optional<Time> due() const;
  // The status of an answer, with a part of its body; the first part may be empty. False: the rest is not wanted.
  bool data(int status, std::string_view part, Time now);
  // The server has closed the connection: a watch was open until now.
  void closed(Time now);
  // The end of an answer. `error`: of the network; status 0 if nothing came. `retry_after`: as the server says.
  void ended(int status, std::string error, std::chrono::seconds retry_after, Time now);

  const WatchedKind& what() const { return what_; }
  const std::map<std::string, std::string>& objects() const { return objects_; }
  // Grows when the objects, or whether the kind is there, change.
  uint64_t changes() const { return changes_; }
  // The keys of objects that have changed, come or gone since they were last taken.
  const std::set<std::string>& changed() const { return changed_; }
  void take_changed() { changed_.clear(); }
  // Whether the objects are known: the first list has arrived, or there is certainly none.
  bool known() const { return known_; }
  // Why the server has no list of this kind; empty if it has.
  const std::string& unavailable() const { return unavailable_; }
  // Why the objects may be old; empty while the watch works. `since` is when they were last known to be current.
  const std::string& failure() const { return failure_; }
  Time since() const { return last_good_; }
  uint64_t relists() const { return relists_; }

  // Adds or replaces an object that came another way, unless it is known.
  void learn(ClusterObject object);

 private:
  enum class State : uint8_t { Waiting, Listing, Watching };

  std::string path() const;
  void ask_version(size_t version);
  void good(Time now);
  void fail(std::string text, Time now, std::chrono::seconds at_least = {});
  void list_again();
  void forgotten(std::string text, Time now);
  void page(Time now);
  void finish_list(Time now);
  void refused(int status, std::chrono::seconds retry_after, Time now);
  void set_unavailable(std::string why, Time now);
  bool take(std::string_view line, Time now);
  void change(const std::string& key);
  bool put(ClusterObject object);
  void remove(const std::string& key);
  void resize(size_t bytes);

  const WatchedKind what_;
  WatchContext& context_;
  State state_ = State::Waiting;
  Time due_{};          // while waiting
  size_t version_ = 0;  // of `versions`
  WantedKind wanted_;
  std::map<std::string, std::string> objects_, incoming_;
  std::string resource_version_;  // empty: list
  std::set<std::string> changed_;
  std::string next_page_, body_;
  size_t limit_ = 500;
  bool whole_ = false;  // ask for all pages at once, since the server forgets its pages too soon
  LineReader lines_;
  std::string trouble_;  // why this answer is not read to its end
  bool lists_again_ = false, forgot_ = false, too_large_ = false, answered_ = false;
  Time began_{}, last_good_{}, listed_{};
  uint64_t events_ = 0, changes_ = 0, relists_ = 0, failures_ = 0;
  size_t bytes_ = 0, incoming_bytes_ = 0;
  bool known_ = false;
  std::string unavailable_, failure_;
};

}  // namespace portcullis::server
