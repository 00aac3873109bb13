// See object.h.
#include "manifests/object.h"

#include <algorithm>
#include <charconv>

#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "manifests/foreign.h"
#include "manifests/place.h"
#include "manifests/unquoted.h"

namespace portcullis {
namespace {

// Nested Lists are followed until their path ("items[0].items[3]") has this length. Nobody nests them on
// purpose.
constexpr size_t kMaxListPath = 200;

// Splits one document into objects.
class Splitter {
 public:
  Splitter(const SourceFile& file, const YamlDocument& document, Arena& arena, const Refuse& refuse,
           std::vector<InputObject>& out)
      : file_(file), document_(document), arena_(arena), refuse_(refuse), out_(out) {}

  void add(std::string path, Value value) {
    InputObject object;
    object.file = &file_;
    object.document = &document_;
    object.path = std::move(path);
    object.value = value;
    auto reject = [&](std::string_view text, std::string_view field = {}) {
      refuse_(object.locate(field), text);
    };
    if (!value.is(Kind::Map))
      return reject("this is no Kubernetes object: a mapping with apiVersion and kind is expected");
    object.kind = text_member(value, "kind");
    object.api_version = text_member(value, "apiVersion");
    for (std::string_view name : {"kind", "apiVersion"}) {
      const Value* member = find_member(value, name);
      std::string text(name);
      if (member != nullptr && !member->is(Kind::String)) return reject(no_text(object, name), name);
      if (text_member(value, name).empty()) return reject("the object has no " + text, name);
    }
    std::string_view foreign =
        object.path.empty() ? foreign_to_cluster(value, file_.name) : std::string_view();
    if (!foreign.empty()) return reject("this is no object of a cluster: " + std::string(foreign));
    const Value* items = find_member(value, "items");
    const bool nested = !object.path.empty();
    if (items != nullptr && (items->is(Kind::List) || !nested)) return add_items(object, *items);
    if (object.kind == "List" && object.api_version == "v1")
      return reject("the List has no list of items", "items");
    if (const Value* metadata = find_member(value, "metadata")) {
      object.name = text_member(*metadata, "name");
      object.namespace_name = text_member(*metadata, "namespace");
    }
    out_.push_back(std::move(object));
  }

 private:
  // Adds the items of `list`. Whatever has items is a list for kubectl, which sends them and never the list.
  void add_items(const InputObject& list, const Value& items) {
    if (list.path.size() > kMaxListPath) return refuse_(list.locate(""), "Lists are nested too deeply");
    const std::string kind(list.kind);
    if (!items.is(Kind::List) && !items.is_null())
      return refuse_(list.locate("items", true), "this " + kind + " has items that are no list");
    std::string_view item_kind = list.kind;
    if (list.kind.ends_with("List")) {
      item_kind.remove_suffix(4);
    } else {
      refuse_(list.locate("items", true),
              "for kubectl whatever has items is a list: it sends the items, but not this " + kind);
    }
    if (items.is_null()) return;
    if (!list.path.empty())
      refuse_(list.locate("items", true),
              "kubectl sends nothing of a file that has a list within a list, such as this " + kind);
    for (size_t i = 0; i < items.as_list().size(); i++) {
      Value item = items.as_list()[i];
      // Items of typed lists (PodList) need no apiVersion and kind.
      const bool typed = list.path.empty() && !item_kind.empty() && item.is(Kind::Map);
      if (typed && text_member(item, "kind").empty() && text_member(item, "apiVersion").empty()) {
        item = with_member(arena_, item, "apiVersion", Value::string(list.api_version));
        item = with_member(arena_, item, "kind", Value::string(item_kind));
      }
      std::string path = list.path.empty() ? "" : list.path + ".";
      add(path + "items[" + std::to_string(i) + "]", item);
    }
  }

  const SourceFile& file_;
  const YamlDocument& document_;
  Arena& arena_;
  const Refuse& refuse_;
  std::vector<InputObject>& out_;
};

}  // namespace

const Value* find_path(const Value& root, std::string_view path) {
  const Value* at = &root;
  if (path.starts_with('.')) path.remove_prefix(1);
  for (bool first = true; at != nullptr && !path.empty(); first = false) {
    if (path[0] == '[' && at->is(Kind::Map)) {  // a name ends at the first bracket with which it is one
      size_t end = path.find(']');
      const Value* member = nullptr;
      for (; end != path.npos; end = path.find(']', end + 1)) {
        if ((member = find_member(*at, path.substr(1, end - 1))) != nullptr) break;
      }
      if (member == nullptr) return nullptr;
      at = member;
      path.remove_prefix(end + 1);
    } else if (path[0] == '[') {
      const size_t end = path.find(']');
      if (end == path.npos) return nullptr;
      const char* bracket = path.data() + end;
      size_t index = 0;
      const auto read = std::from_chars(path.data() + 1, bracket, index);
      if (read.ec != std::errc() || read.ptr != bracket || !at->is(Kind::List) ||
          index >= at->as_list().size())
        return nullptr;
      at = &at->as_list()[index];
      path.remove_prefix(end + 1);
    } else {
      if (!first) {
        if (path[0] != '.') return nullptr;
        path.remove_prefix(1);
      }
      const size_t end = std::min(path.find_first_of(".["), path.size());
      if (end == 0) return nullptr;
      at = find_member(*at, path.substr(0, end));
      path.remove_prefix(end);
    }
  }
  return at;
}

std::span<const Value> list_at(const Value& root, std::string_view path) {
  const Value* found = find_path(root, path);
  return found == nullptr ? std::span<const Value>() : list_items(*found);
}

Position InputObject::locate(std::string_view field, bool key) const {
  std::string whole = path;
  if (!path.empty() && !field.empty() && field[0] != '[') whole += '.';
  return portcullis::locate(file->text, *document, whole.append(field), key);
}

Position InputObject::locate_in(std::string_view field, std::string_view text, int code_point) const {
  Position node = locate(field);
  if (code_point < 0) return node;
  return place_in(field, text, position_in(text, code_point)).value_or(node);
}

std::optional<Position> InputObject::place_in(std::string_view field, std::string_view text,
                                              Position position) const {
  return place_in_scalar(file->text, locate(field), text, offset_in(text, position));
}

std::vector<Position> InputObject::places_in(std::string_view field, std::string_view text) const {
  return places_in_scalar(file->text, locate(field), text);
}

std::string_view InputObject::group() const { return split_api_version(api_version).group; }

std::string no_text(const InputObject& object, std::string_view member) {
  const std::string hint = unquoted_hint(object.file->text, object.locate(member));
  return std::string(member) + " is no text" + (hint.empty() ? "" : ": " + hint);
}

void split_document(const SourceFile& file, const YamlDocument& document, Arena& arena, const Refuse& refuse,
                    std::vector<InputObject>& out) {
  Splitter(file, document, arena, refuse, out).add({}, document.value);
}

}  // namespace portcullis
