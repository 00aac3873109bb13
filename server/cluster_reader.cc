// See cluster_reader.h.
#include "server/cluster_reader.h"

#include "grammar/quote.h"
#include "interpreter/values/member.h"

namespace portcullis::server {
namespace {

constexpr std::string_view kVerbs[] = {"list", "watch"};
// What reading a larger text took is not kept for the next one.
constexpr size_t kMuch = size_t{1} << 20;
// The most of a foreign text that a message quotes.
constexpr size_t kMaxQuoted = 300;

std::string cut(std::string_view text) {
  std::string out(text.substr(0, kMaxQuoted));
  if (text.size() > kMaxQuoted) out.append("...");
  return out;
}

std::string_view asked(const WantedKind& kind) {
  return kind.asked_version.empty() ? kind.api_version : kind.asked_version;
}

// "v1 ConfigMap"
std::string words(std::string_view api_version, std::string_view kind) {
  return cut(api_version) + " " + cut(kind);
}

// Whether `item`, which is a kind or empty, is not the wanted one.
bool is_other(std::string_view api_version, std::string_view item, const WantedKind& kind) {
  return (!item.empty() && item != kind.kind) || (!api_version.empty() && api_version != asked(kind));
}

// The object as JSON, with apiVersion and kind as wanted.
std::string json_of(const Value& object, const WantedKind& kind) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.member("apiVersion", kind.api_version);
  w.member("kind", kind.kind);
  for (const MapEntry& e : object.as_map()) {
    const std::string_view name = e.key.as_text();
    if (name == "apiVersion" || name == "kind") continue;
    w.member(name, e.value);
  }
  w.end_object();
  return out;
}

ApiStatus status_of(const Value& value) {
  ApiStatus out;
  if (const Value* code = find_member(value, "code", Kind::Int)) out.code = static_cast<int>(code->as_int());
  out.reason = cut(text_member(value, "reason"));
  out.message = cut(text_member(value, "message"));
  return out;
}

std::string event_kind(std::string_view type) { return "the event has the type " + quote(cut(type)); }

bool has_verbs(const Value& resource) {
  const Value* verbs = find_member(resource, "verbs", Kind::List);
  for (std::string_view wanted : kVerbs) {
    bool found = false;
    if (verbs != nullptr) {
      for (const Value& v : verbs->as_list()) found |= v.is(Kind::String) && v.as_text() == wanted;
    }
    if (!found) return false;
  }
  return true;
}

}  // namespace

bool is_path_part(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  return !text.empty() && text.size() <= 253 && text.find_first_not_of(kLetters) == text.npos &&
         text != "." && text != "..";
}

Result<Value> ClusterReader::read(std::string_view text, std::string_view what) {
  if (last_ > kMuch) reader_ = JsonReader();
  last_ = text.size();
  arena_.reset();
  Result<Value> value = reader_.read(text, arena_);
  if (!value.ok()) {
    const Error& e = value.error();
    return Error{std::string(what) + " is not JSON: " + e.text + " (line " + std::to_string(e.position.line) +
                 ", column " + std::to_string(e.position.column) + ")"};
  }
  if (!value->is(Kind::Map)) return Error{std::string(what) + " is not a JSON object"};
  return value;
}

Result<ClusterObject> ClusterReader::object(const Value& value, const WantedKind& kind) {
  const Value* metadata = find_member(value, "metadata", Kind::Map);
  if (metadata == nullptr) return Error{"an object has no metadata"};
  const std::string_view api_version = text_member(value, "apiVersion"),
                         its_kind = text_member(value, "kind");
  if (is_other(api_version, its_kind, kind))
    return Error{"an object is of the kind " + words(api_version, its_kind) + ", not " +
                 words(asked(kind), kind.kind)};
  const std::string_view name = text_member(*metadata, "name");
  if (name.empty()) return Error{"an object has no name"};
  ClusterObject out;
  out.key.append(text_member(*metadata, "namespace")).append("/").append(name);
  out.resource_version = text_member(*metadata, "resourceVersion");
  out.json = json_of(value, kind);
  return out;
}

Result<ListPage> ClusterReader::list(std::string_view body, const WantedKind& kind) {
  Result<Value> value = read(body, "the list");
  if (!value.ok()) return value.error();
  const std::string_view api_version = text_member(*value, "apiVersion"),
                         its_kind = text_member(*value, "kind");
  if (its_kind != kind.kind + "List" || api_version != asked(kind))
    return Error{"the answer is a " + words(api_version, its_kind) + ", not " +
                 words(asked(kind), kind.kind) + "List"};
  const Value* metadata = find_member(*value, "metadata", Kind::Map);
  if (metadata == nullptr) return Error{"the list has no metadata"};
  ListPage out;
  out.resource_version = text_member(*metadata, "resourceVersion");
  out.next = text_member(*metadata, "continue");
  if (out.resource_version.empty()) return Error{"the list has no resourceVersion"};
  const Value* items = find_member(*value, "items");
  if (items == nullptr || items->is_null()) return out;
  if (!items->is(Kind::List)) return Error{"the items of the list are not a list"};
  for (const Value& item : items->as_list()) {
    if (!item.is(Kind::Map)) return Error{"an item of the list is not an object"};
    Result<ClusterObject> made = object(item, kind);
    if (!made.ok()) return made.error();
    out.items.push_back(std::move(*made));
  }
  return out;
}

Result<ClusterObject> ClusterReader::single(std::string_view body, const WantedKind& kind) {
  Result<Value> value = read(body, "the answer");
  if (!value.ok()) return value.error();
  return object(*value, kind);
}

Result<WatchEvent> ClusterReader::event(std::string_view line, const WantedKind& kind) {
  Result<Value> value = read(line, "the event");
  if (!value.ok()) return value.error();
  const std::string_view type = text_member(*value, "type");
  const Value* object_value = find_member(*value, "object", Kind::Map);
  if (object_value == nullptr) return Error{event_kind(type) + " and no object"};
  WatchEvent out;
  if (type == "ERROR") {
    ApiStatus status = status_of(*object_value);
    out.kind = WatchEvent::Kind::Error;
    out.code = status.code;
    out.message = status.message;
    return out;
  }
  if (type == "BOOKMARK") {
    out.kind = WatchEvent::Kind::Bookmark;
    if (const Value* metadata = find_member(*object_value, "metadata", Kind::Map))
      out.object.resource_version = text_member(*metadata, "resourceVersion");
    if (out.object.resource_version.empty()) return Error{"a bookmark has no resourceVersion"};
    return out;
  }
  if (type != "ADDED" && type != "MODIFIED" && type != "DELETED")
    return Error{event_kind(type) + ", which is none of a watch"};
  if (type == "DELETED") out.kind = WatchEvent::Kind::Deleted;
  Result<ClusterObject> made = object(*object_value, kind);
  if (!made.ok()) return made.error();
  if (made->resource_version.empty()) return Error{"an object has no resourceVersion"};
  out.object = std::move(*made);
  return out;
}

ApiStatus ClusterReader::status(std::string_view body) {
  Result<Value> value = read(body, "the answer");
  if (value.ok() && text_member(*value, "kind") == "Status") return status_of(*value);
  return {0, {}, cut(body.substr(0, body.find_first_of("\r\n")))};
}

Result<ClusterReader::Found> ClusterReader::find_resource(std::string_view body, std::string_view kind) {
  Result<Value> value = read(body, "the APIResourceList");
  if (!value.ok()) return value.error();
  if (text_member(*value, "kind") != "APIResourceList")
    return Error{"the answer is a " + cut(text_member(*value, "kind")) + ", not an APIResourceList"};
  Found out;
  const Value* resources = find_member(*value, "resources", Kind::List);
  if (resources == nullptr) return out;
  for (const Value& r : resources->as_list()) {
    const std::string_view name = text_member(r, "name");
    // Subresources have a slash; a few have the kind of another resource.
    if (text_member(r, "kind") != kind || !is_path_part(name)) continue;
    const Value* namespaced = find_member(r, "namespaced", Kind::Bool);
    out.plural = name;
    out.namespaced = namespaced != nullptr && namespaced->as_bool();
    out.watchable = has_verbs(r);
    return out;
  }
  return out;
}

bool LineReader::add(std::string_view part, const std::function<bool(std::string_view)>& line) {
  while (!part.empty()) {
    const size_t end = part.find('\n');
    if (end == part.npos || !rest_.empty()) {
      const size_t take = end == part.npos ? part.size() : end;
      if (rest_.size() + take > kMaxEvent) return rest_.resize(kMaxEvent + 1), false;
      rest_.append(part.substr(0, take));
      if (end == part.npos) return true;
      const bool go_on = line(rest_);
      rest_.clear();
      if (!go_on) return false;
    } else if (end > kMaxEvent || !line(part.substr(0, end))) {
      return false;
    }
    part.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace portcullis::server
