// See input.h.
#include "cli/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "cli/messages.h"

namespace portcullis {
namespace {

// Lists within Lists are followed until their path ("items[0].items[3]") has this length: nobody nests them on purpose.
constexpr size_t kMaxListPath = 200;

// Reads to the end of `fd`; false with errno on failure.
bool read_all(int fd, std::string& out) {
  struct stat info;
  if (fstat(fd, &info) == 0 && info.st_size > 0) out.reserve(static_cast<size_t>(info.st_size) + JsonReader::kPadding);
  char buffer[64 * 1024];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) {
      out.append(buffer, static_cast<size_t>(n));
    } else if (errno != EINTR) {
      return false;
    }
  }
}

bool has_manifest_name(const std::filesystem::path& path) {
  auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

// A List, or a typed list such as PodList, has its objects in `items`.
bool is_list(const InputObject& object) {
  const Value* items = find_member(object.value, "items");
  return object.kind.ends_with("List") && items && items->is(Kind::List);
}

}  // namespace

const Value* find_member(const Value& map, std::string_view name) {
  return map.is(Kind::Map) ? find_key(map, Value::string(name)) : nullptr;
}

Value with_member(const Value& map, std::string_view key, const Value& value, Arena& arena) {
  auto old = map.is(Kind::Map) ? map.as_map() : std::span<const MapEntry>();
  MapEntry* entries = alloc_entries(arena, old.size() + 1);
  MapEntry* end = std::copy(old.begin(), old.end(), entries);
  Value name = Value::string(key);
  MapEntry* at = std::find_if(entries, end, [&](const MapEntry& e) { return e.key.is(Kind::String) && e.key.as_text() == key; });
  *at = {name, value};
  return make_map(arena, entries, old.size() + (at == end ? 1 : 0));
}

const Value* find_path(const Value& root, std::string_view path) {
  const Value* at = &root;
  while (at != nullptr && !path.empty()) {
    if (path[0] == '[') {
      size_t end = path.find(']'), index = 0;
      auto read = std::from_chars(path.data() + 1, path.data() + path.size(), index);
      if (end == path.npos || read.ec != std::errc() || !at->is(Kind::List) || index >= at->as_list().size()) return nullptr;
      at = &at->as_list()[index];
      path.remove_prefix(end + 1);
    } else {
      if (path[0] == '.') path.remove_prefix(1);
      size_t end = std::min(path.find_first_of(".["), path.size());
      at = find_member(*at, path.substr(0, end));
      path.remove_prefix(end);
    }
  }
  return at;
}

std::string_view text_member(const Value& map, std::string_view name) {
  const Value* v = find_member(map, name);
  return v && v->is(Kind::String) ? v->as_text() : std::string_view();
}

Position InputObject::locate(std::string_view field, bool key) const {
  std::string whole = path;
  if (!path.empty() && !field.empty() && field[0] != '[') whole += '.';
  return portcullis::locate(*document, whole.append(field), key);
}

std::string_view InputObject::group() const {
  size_t slash = api_version.find('/');
  return slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
}

void Inputs::fail(std::string_view file, Position position, std::string_view text, std::string_view source) {
  errors_++;
  say(Severity::Error, file, position, text, source);
}

std::vector<InputObject> Inputs::read(std::span<const std::string> paths, bool recursive) {
  std::vector<InputObject> out;
  for (const std::string& path : paths) read_path(path, recursive, true, out);
  return out;
}

void Inputs::read_path(const std::string& path, bool recursive, bool named, std::vector<InputObject>& out) {
  std::error_code error;
  if (path != "-" && std::filesystem::is_directory(path, error)) {
    if (named || recursive) read_directory(path, recursive, out);
  } else if (named || has_manifest_name(path)) {
    read_file(path, out);
  }
}

void Inputs::read_directory(const std::string& path, bool recursive, std::vector<InputObject>& out) {
  std::error_code error;
  std::vector<std::string> entries;
  std::filesystem::directory_iterator it(path, error), end;
  for (; !error && it != end; it.increment(error)) entries.push_back(it->path().string());
  if (error) return fail(path, {}, error.message());
  std::sort(entries.begin(), entries.end());
  for (const std::string& entry : entries) read_path(entry, recursive, false, out);
}

void Inputs::read_file(const std::string& path, std::vector<InputObject>& out) {
  bool standard_input = path == "-";
  int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(path, {}, std::strerror(errno));
  SourceFile& file = files_.emplace_back();
  file.name = standard_input ? "<stdin>" : path;
  bool complete = read_all(fd, file.text);
  int error = errno;
  if (!standard_input) ::close(fd);
  if (!complete) return fail(path, {}, std::strerror(error));
  auto documents = read_documents(file.text, reader_, arena_);
  if (!documents.ok()) return fail(file.name, documents.error().position, documents.error().text, file.text);
  file.documents = std::move(*documents);
  for (const YamlDocument& d : file.documents) {
    if (!d.value.is_null()) add_object(file, d, {}, d.value, out);
  }
}

void Inputs::add_object(const SourceFile& file, const YamlDocument& document, std::string path, Value value,
                        std::vector<InputObject>& out) {
  InputObject object;
  object.file = &file;
  object.document = &document;
  object.path = std::move(path);
  object.value = value;
  auto reject = [&](std::string_view text, std::string_view field = {}) {
    fail(file.name, object.locate(field), text, file.text);
  };
  if (!value.is(Kind::Map)) return reject("this is no Kubernetes object: a mapping with apiVersion and kind is expected");
  object.kind = text_member(value, "kind");
  object.api_version = text_member(value, "apiVersion");
  if (object.kind.empty()) return reject("the object has no kind", "kind");
  if (object.api_version.empty()) return reject("the object has no apiVersion", "apiVersion");
  if (is_list(object)) return add_list(file, document, object, out);
  if (const Value* metadata = find_member(value, "metadata")) {
    object.name = text_member(*metadata, "name");
    object.namespace_name = text_member(*metadata, "namespace");
  }
  out.push_back(std::move(object));
}

void Inputs::add_list(const SourceFile& file, const YamlDocument& document, const InputObject& list,
                      std::vector<InputObject>& out) {
  if (list.path.size() > kMaxListPath) {
    return fail(file.name, list.locate(""), "Lists are nested too deeply", file.text);
  }
  auto items = find_member(list.value, "items")->as_list();
  std::string_view item_kind = list.kind.substr(0, list.kind.size() - 4);
  for (size_t i = 0; i < items.size(); i++) {
    Value item = items[i];
    // Elements of typed lists (PodList) need not say what they are.
    if (!item_kind.empty() && item.is(Kind::Map) && !find_member(item, "kind")) {
      auto old = item.as_map();
      MapEntry* entries = alloc_entries(arena_, old.size() + 2);
      entries[0] = {Value::string("apiVersion"), Value::string(list.api_version)};
      entries[1] = {Value::string("kind"), Value::string(item_kind)};
      std::copy(old.begin(), old.end(), entries + 2);
      item = make_map(arena_, entries, old.size() + 2);
    }
    std::string path = list.path.empty() ? "" : list.path + ".";
    add_object(file, document, path + "items[" + std::to_string(i) + "]", item, out);
  }
}

}  // namespace portcullis
