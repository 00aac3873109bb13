// Reads what the API server answers: pages of lists, events of watches, and its discovery.
//
// Idea: an object becomes its key and its JSON; nothing of it is interpreted here. The items of lists of built-in
// kinds have no kind and apiVersion, and older versions of the policies' group have the same fields as v1: so each
// object gets the kind and apiVersion that it is wanted as. A watch sends one event a line (LineReader).
// Source of behaviour: apimachinery pkg/apis/meta/v1 (List, WatchEvent, Status, APIResourceList). Limits: kMaxEvent.
// Tested by server/cluster_reader_test.cc, fuzz/cluster.cc, tests/server/watching.py.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/json.h"

namespace portcullis::server {

// The largest event. etcd stores objects of 1.5 MB, whose JSON can be a few times larger.
inline constexpr size_t kMaxEvent = size_t{16} << 20;

// The kind of a list's items: as it is wanted, and the apiVersion with which it is asked for.
struct WantedKind {
  std::string api_version, kind;
  std::string asked_version;  // "admissionregistration.k8s.io/v1beta1"; empty: api_version
};

struct ClusterObject {
  std::string key;  // "NAMESPACE/NAME", "/NAME"
  std::string resource_version;
  std::string json;
};

struct ListPage {
  std::string resource_version;
  std::string next;  // `continue`; empty on the last page
  std::vector<ClusterObject> items;
};

struct WatchEvent {
  enum class Kind : uint8_t { Changed, Deleted, Bookmark, Error };
  Kind kind = Kind::Changed;
  ClusterObject object;  // of a bookmark: the resource version alone
  int code = 0;          // of an error
  std::string message;
};

// Whether a text may stand as a part of a path without being escaped: names of groups, versions and resources.
bool is_path_part(std::string_view text);

// A metav1.Status, or what can be told of an answer that is none.
struct ApiStatus {
  int code = 0;
  std::string reason, message;
};

class ClusterReader {
 public:
  // Errors say what is wrong with the answer, without its content.
  Result<ListPage> list(std::string_view body, const WantedKind& kind);
  // The answer to a GET of one object.
  Result<ClusterObject> single(std::string_view body, const WantedKind& kind);
  Result<WatchEvent> event(std::string_view line, const WantedKind& kind);
  // The message of an answer with an error code.
  ApiStatus status(std::string_view body);

  struct Found {
    std::string plural;
    bool namespaced = true;
    bool watchable = false;  // has the verbs list and watch
  };
  // The resource of a kind in the APIResourceList of a group and version; the plural is empty if it is not there.
  Result<Found> find_resource(std::string_view body, std::string_view kind);

 private:
  Result<Value> read(std::string_view text, std::string_view what);
  Result<ClusterObject> object(const Value& value, const WantedKind& kind);

  JsonReader reader_;
  Arena arena_;
  size_t last_ = 0;  // size of the last text
};

// Splits what arrives into lines.
class LineReader {
 public:
  // Calls `line` for each whole line. False if `line` returned false, or a line is longer than kMaxEvent.
  bool add(std::string_view part, const std::function<bool(std::string_view)>& line);
  void clear() { rest_.clear(); }
  bool too_long() const { return rest_.size() > kMaxEvent; }
  size_t pending() const { return rest_.size(); }

 private:
  std::string rest_;
};

}  // namespace portcullis::server
