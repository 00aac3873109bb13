// decoded: compares builtin/normalize.h with the objects that a real API server showed to policies.
//
// usage: decoded DIR [--only TEXT]
//
// DIR has files *.jsonl like the shared recordings: a line has a request and what the webhooks of both phases
// received. It compares the objects of both phases, and those converted to other versions, after masking what
// differs between recordings (listed in the README of the recordings). Closes with `N passed, N failed, N
// skipped`.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "admission/builtin/conversion.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/repeated.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "manifests/yaml.h"
#include "tests/fields.h"
#include "tests/tally.h"

namespace portcullis::tests {
namespace {

constexpr std::string_view kRootMasks[] = {"uid", "creationTimestamp", "resourceVersion"};
// The sender of recorded requests that name no field manager.
constexpr std::string_view kRecorder = "record_decoded";
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view kMasks[] = {"clusterIP",
                                       "clusterIPs",
                                       "nodePort",
                                       "healthCheckNodePort",
                                       "lastPhaseTransitionTime",
                                       "lastTransitionTime",
                                       "timeAdded",
                                       "controller-uid",
                                       "batch.kubernetes.io/controller-uid"};

std::string in_order(const Value& v) {
  std::string out;
  JsonWriter(out, JsonEscape::Plain, JsonOrder::Document).value(v);
  return out;
}

// Masks values by the names of fields. Null stays null.
class Mask {
 public:
  Mask(Arena& arena, bool generated_name) : arena_(arena), generated_name_(generated_name) {}

  Value of(const Value& v, int depth = 0, std::string_view parent = {}) {
    if (v.is(Kind::List)) {
      Value* items = arena_.array<Value>(v.size());
      for (size_t i = 0; i < v.size(); ++i) new (&items[i]) Value(of(v.as_list()[i], depth + 1, parent));
      return Value::list(items, v.size());
    }
    if (!v.is(Kind::Map)) return v;
    MapEntry* entries = alloc_entries(arena_, v.size());
    size_t n = 0;
    for (const MapEntry& e : v.as_map()) {
      std::string_view key = e.key.as_text();
      bool root = depth == 1 && parent == "metadata";
      bool own = parent == "managedFields" && depth == 3;
      if (key == "fieldsV1" && own) {  // as a text, since the order of its keys matters
        new (&entries[n++]) MapEntry{e.key, Value::string(arena_.copy(in_order(e.value)))};
        continue;
      }
      auto among = [&](auto& list) {
        return std::find(std::begin(list), std::end(list), key) != std::end(list);
      };
      bool masked = (root && among(kRootMasks)) || (own && key == "time") || among(kMasks) ||
                    (generated_name_ && (key == "job-name" || key == "batch.kubernetes.io/job-name" ||
                                         key == "kubernetes.io/metadata.name" || (root && key == "name")));
      masked = masked && !e.value.is_null() &&
               !(key == "clusterIP" && e.value.is(Kind::String) && e.value.as_text() == "None");
      new (&entries[n++]) MapEntry{e.key, masked ? Value::string("MASK") : of(e.value, depth + 1, key)};
    }
    return make_map(entries, n);
  }

 private:
  Arena& arena_;
  bool generated_name_;
};

class Line {
 public:
  Line(const Value& line, Tally& tally) : line_(line), tally_(tally), id_(text_field(line, "id")) {}

  void run() {
    const Value* request = field(line_, "validating");
    if (request == nullptr || request->is_null()) {
      return tally_.leave_out(
          "lines", "the request was refused before policies saw the object, or no webhook is asked");
    }
    std::string operation = text_field(*request, "operation"), via = text_field(line_, "via");
    if (is_apply()) return tally_.leave_out("lines", "server-side apply");
    if (operation == "UPDATE") return update(*request);
    if (operation == "DELETE") return deletion(*request);
    if (!read_object())
      return tally_.leave_out("lines",
                              "a body that is not read: a key that stands twice in YAML is an error here");
    if (field(line_, "also") != nullptr) return list();
    if (!via.empty()) add_last_applied(*request);
    const Value* metadata = field(object_, "metadata");
    generated_ = metadata == nullptr || text_field(*metadata, "name").empty();
    if (field(line_, "old") != nullptr) generated_ = false;
    phase(line_, "mutating", builtin::Phase::Mutating);
    if (field(line_, "old") != nullptr) name_by_path(*request);
    phase(line_, "validating", builtin::Phase::Validating);
    if (field(line_, "old") == nullptr) completed();
    for (const MapEntry& e : map_field(line_, "converted")) converted(e);
    fails_ == 0 ? tally_.pass(id_) : (void)0;
  }

 private:
  // The path of a subresource's create has the name, which a TokenRequest gets at the end.
  void name_by_path(const Value& request) {
    Value metadata = builtin::member(object_, "metadata");
    Value name = Value::string(arena_.copy(text_field(request, "name")));
    metadata = with_member(arena_, metadata.is_null() ? make_map(nullptr, 0) : metadata, "name", name);
    object_ = with_member(arena_, object_, "metadata", metadata);
  }

  // kubectl sends the items of a list one by one.
  void list() {
    std::span<const Value> items = list_field(object_, "items"), others = list_field(line_, "also");
    if (items.size() != others.size() + 1) {
      ++fails_;
      tally_.fail(id_, std::to_string(others.size() + 1) + " items", std::to_string(items.size()));
    }
    for (size_t i = 0; i < items.size() && i <= others.size(); ++i) {
      object_ = items[i];
      phase(i == 0 ? line_ : others[i - 1], "mutating", builtin::Phase::Mutating);
      phase(i == 0 ? line_ : others[i - 1], "validating", builtin::Phase::Validating);
    }
    if (fails_ == 0) tally_.pass(id_);
  }

  // A delete has the object that was created, as the store returns it.
  void deletion(const Value& request) {
    const Value& stored = *field(request, "oldObject");
    object_ = *field(line_, "old");
    Value made = ours(request, stored, builtin::Phase::Validating);
    Value metadata =
        with_member(arena_, builtin::member(made, "metadata"), "resourceVersion", Value::string("1"));
    made = with_member(arena_, made, "metadata", metadata);
    builtin::DecodeOptions options;
    std::string name_space = text_field(metadata, "namespace");
    options.name_space = name_space;
    builtin::NormalizedUpdate read = builtin::normalize_update(arena_, made, made, options);
    problem_ = read.stored.error;
    compare("deletion, stored", stored, read.stored.object);
    if (fails_ == 0) tally_.pass(id_);
  }

  bool is_apply() const {
    return text_field(line_, "contentType").find("apply-patch") != std::string::npos ||
           text_field(line_, "via").find("--server-side") != std::string::npos;
  }

  // The annotation that some kubectl commands add is taken from the recording.
  void add_last_applied(const Value& request) {
    Value recorded = builtin::member(*field(request, "object"), "metadata");
    Value applied = builtin::member(builtin::member(recorded, "annotations"), kLastApplied);
    if (applied.is_null()) return;
    Value metadata = builtin::member(object_, "metadata");
    Value annotations = with_member(arena_, builtin::member(metadata, "annotations"), kLastApplied, applied);
    metadata = with_member(arena_, metadata, "annotations", annotations);
    object_ = with_member(arena_, object_, "metadata", metadata);
  }

  // The object that a request puts in place of the stored one: the manifest. For patches and for requests by kubectl it is the
  // server's result, so that only managedFields is compared.
  const Value* sent_update(const Value& request) {
    const Value* manifest = field(line_, "manifest");
    if (manifest != nullptr && text_field(line_, "body").empty()) return manifest;
    const Value* first = field(line_, "mutating");
    const Value& made = *field(first == nullptr || first->is_null() ? request : *first, "object");
    Value bare = without_member(arena_, builtin::member(made, "metadata"), "managedFields");
    return arena_.make<Value>(with_member(arena_, made, "metadata", bare));
  }

  // Normalises an update of the object that the server says it stored.
  void update(const Value& request) {
    const Value *stored = field(request, "oldObject"), *manifest = sent_update(request);
    if (stored == nullptr || !builtin::is_builtin(*manifest) || !same_kind(*manifest, *stored))
      return tally_.leave_out("lines", "updates of another kind");
    std::string name_space = text_field(*field(*stored, "metadata"), "namespace");
    builtin::DecodeOptions options;
    options.name_space = name_space;
    set_manager(request, options);
    options.now = latest_time(*field(request, "object"));
    builtin::NormalizedUpdate both = builtin::normalize_update(arena_, *manifest, *stored, options);
    problem_ = both.object.error + both.stored.error;
    compare("update", *field(request, "object"), both.object.object);
    compare("update, stored", *stored, both.stored.object);
    options.phase = builtin::Phase::Mutating;
    both = builtin::normalize_update(arena_, *manifest, *stored, options);
    if (!both.object.object.is_null()) {
      builtin::Normalized made = builtin::complete(arena_, both.object.object, &both.stored.object, options);
      problem_ = made.error;
      compare("update, completed", *field(request, "object"), made.object);
    }
    if (fails_ == 0) tally_.pass(id_);
  }

  // The time of the request, which determines the order of managers, from the recording.
  static std::string_view latest_time(const Value& object) {
    std::string_view latest;
    Value list = builtin::member(builtin::member(object, "metadata"), "managedFields");
    for (size_t i = 0; list.is(Kind::List) && i < list.size(); ++i) {
      Value time = builtin::member(list.as_list()[i], "time");
      if (time.is(Kind::String)) latest = std::max(latest, time.as_text());
    }
    return latest;
  }

  static bool same_kind(const Value& a, const Value& b) {
    std::string kind = text_field(a, "kind");
    return kind == text_field(b, "kind");
  }

  // Sets the sender of the request, by its field manager or user agent, and its subresource.
  void set_manager(const Value& request, builtin::DecodeOptions& options) {
    const Value* sent = field(request, "options");
    std::string named = sent == nullptr ? "" : text_field(*sent, "fieldManager");
    options.manager = named.empty() ? kRecorder : arena_.copy(named);
    options.subresource = arena_.copy(text_field(line_, "subResource"));
  }

  bool read_object() {
    if (const Value* manifest = field(line_, "manifest"); manifest != nullptr && manifest->is(Kind::Map)) {
      object_ = *manifest;
      return true;
    }
    body_ = text_field(line_, "body");
    bool sent_as_yaml = text_field(line_, "contentType").find("yaml") != std::string::npos;
    bool yaml = sent_as_yaml || !text_field(line_, "via").empty();
    if (sent_as_yaml) body_.resize(std::min(body_.find("\n---\n"), body_.size()));  // the server stops here
    Result<Value> read = yaml ? read_yaml(body_, arena_) : read_json(body_, arena_);
    if (!read.ok() || !read->is(Kind::Map)) return false;
    object_ = *read;
    if (yaml) return true;
    Result<Document> document = read_document(body_);
    if (document.ok()) document_ = std::move(*document);
    return true;
  }

  // Our form of `object_` in one phase of the request; the server's is `sent`.
  Value ours(const Value& request, const Value& sent, builtin::Phase phase) {
    const Value* kind = field(request, "requestKind");
    std::string group = text_field(*kind, "group"), version = text_field(*kind, "version");
    const builtin::StructRow* row =
        builtin::find_kind(group.empty() ? version : group + "/" + version, text_field(*kind, "kind"));
    if (row == nullptr) {
      problem_ = "no built-in kind";
      return Value::null();
    }
    builtin::DecodeOptions options = options_of(request, sent, phase);
    Result<Value> normalized =
        document_ ? builtin::normalize_document(arena_, *row, *document_, options) : plain(*row, options);
    problem_ = normalized.ok() ? "" : normalized.error().text;
    if (!normalized.ok()) return Value::null();
    // The path of the request completes apiVersion and kind of the body.
    Value api_version = Value::string(arena_.copy(group.empty() ? version : group + "/" + version));
    Value named = with_member(arena_, *normalized, "apiVersion", api_version);
    return with_member(arena_, named, "kind", Value::string(arena_.copy(text_field(*kind, "kind"))));
  }
  builtin::DecodeOptions options_of(const Value& request, const Value& sent, builtin::Phase phase) {
    builtin::DecodeOptions options;
    options.phase = phase;
    set_manager(request, options);
    const Value* metadata = field(sent, "metadata");
    std::string name_space = metadata == nullptr ? "" : text_field(*metadata, "namespace");
    options.name_space = arena_.copy(name_space);
    const Value& user = *field(request, "userInfo");
    groups_.clear();
    for (const Value& g : list_field(user, "groups")) groups_.push_back(g.as_text());
    std::string username = text_field(user, "username"), uid = text_field(user, "uid");
    options.sender = {arena_.copy(username), arena_.copy(uid), groups_};
    return options;
  }
  // Turns what mutating policies saw into what validating ones saw.
  void completed() {
    const Value *before = field(line_, "mutating"), *after = field(line_, "validating");
    if (before == nullptr || before->is_null() || after == nullptr || after->is_null()) return;
    const Value &object = *field(*before, "object"), &sent = *field(*after, "object");
    if (builtin::struct_of(object) == nullptr) return;
    builtin::Normalized made =
        builtin::complete(arena_, object, nullptr, options_of(*after, sent, builtin::Phase::Validating));
    problem_ = made.error;
    compare("completed", sent, made.object);
  }
  Result<Value> plain(const builtin::StructRow& row, const builtin::DecodeOptions& options) {
    builtin::Normalized n = builtin::normalize(arena_, row, object_, options);
    if (!n.error.empty()) return Error{n.error};
    return n.object;
  }

  void phase(const Value& requests, const char* name, builtin::Phase phase) {
    const Value *request = field(requests, name), *last = field(requests, "validating");
    if (request == nullptr || request->is_null()) return;
    compare(name, *field(*request, "object"), ours(*last, *field(*last, "object"), phase));
  }
  void converted(const MapEntry& e) {
    const Value& sent = *field(e.value, "object");
    std::string api = text_field(sent, "apiVersion");
    size_t slash = api.find('/');
    std::string group = slash == std::string::npos ? "" : api.substr(0, slash);
    std::string version = slash == std::string::npos ? api : api.substr(slash + 1);
    const Value& request = *field(line_, "validating");
    Value object = ours(request, *field(request, "object"), builtin::Phase::Validating);
    compare("converted to " + api, sent,
            builtin::convert_to(arena_, object, group, version, text_field(sent, "kind")));
  }

  void compare(const std::string& what, const Value& want, const Value& got) {
    Mask mask(arena_, generated_);
    std::string expected = to_json(mask.of(want)),
                actual = problem_.empty() ? to_json(mask.of(got)) : problem_;
    if (expected == actual) return;
    ++fails_;
    size_t k = 0;
    while (k < expected.size() && k < actual.size() && expected[k] == actual[k]) ++k;
    size_t from = k > 60 ? k - 60 : 0;
    tally_.fail(id_ + ", " + what, expected.substr(from, 200), actual.substr(from, 200));
  }

  const Value& line_;
  Tally& tally_;
  std::string id_, body_, problem_;
  Arena arena_;
  Value object_;
  std::vector<std::string_view> groups_;
  std::optional<Document> document_;  // of a JSON body, in which members may be repeated
  bool generated_ = false;
  int fails_ = 0;
};

int run(const std::string& directory, const std::string& only) {
  constexpr int kSkipped = 77;  // tells Meson that the test was skipped
  if (!std::filesystem::is_directory(directory)) {
    std::printf("skipped: no %s\n", directory.c_str());
    return kSkipped;
  }
  Tally tally;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  JsonReader reader;
  for (const auto& file : files) {
    std::string text;
    if (!read_file(file.string(), text)) continue;
    for (size_t start = 0; start < text.size();) {
      size_t end = std::min(text.find('\n', start), text.size());
      Arena arena;
      Result<Value> line = reader.read(std::string_view(text).substr(start, end - start), arena);
      start = end + 1;
      if (line.ok() && text_field(*line, "id").find(only) != std::string::npos) Line(*line, tally).run();
    }
  }
  return tally.finish();
}

}  // namespace
}  // namespace portcullis::tests

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: decoded DIR [--only TEXT]\n");
    return 2;
  }
  std::string only = argc > 3 && std::strcmp(argv[2], "--only") == 0 ? argv[3] : "";
  return portcullis::tests::run(argv[1], only);
}
