// See input.h.
#include "cli/reading/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/messages/lists.h"
#include "cli/messages/messages.h"
#include "interpreter/formats/text.h"
#include "manifests/encoding.h"
#include "manifests/foreign.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

// Reads `fd` to its end.
Result<std::string> read_all(int fd) {
  std::string out;
  struct stat info;
  bool known = fstat(fd, &info) == 0 && info.st_size > 0 && static_cast<size_t>(info.st_size) <= kMaxFileSize;
  if (known) out.reserve(static_cast<size_t>(info.st_size));
  char buffer[64 * 1024];
  for (;;) {
    ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return out;
    if (n > 0) {
      out.append(buffer, static_cast<size_t>(n));
      if (out.size() > kMaxFileSize) return Error{"larger than 1 GiB, the most that is read"};
    } else if (errno != EINTR) {
      return Error{std::strerror(errno)};
    }
  }
}

bool holds_no_manifests(const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator it(path, error), end;
  if (error) return false;  // no directory
  for (; !error && it != end; it.increment(error)) {
    if (has_manifest_name(it->path().string())) return false;
  }
  return true;
}

// Whether a text may have this key in JSON, with quotes or, in JSON5, without.
bool may_have_key(std::string_view text, std::string_view key) {
  constexpr std::string_view kSpace = " \t\r\n", kBefore = " \t\r\n\"'{,";
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at == 0 || kBefore.find(text[at - 1]) == kBefore.npos) continue;
    std::string_view after = text.substr(at + key.size());
    if (after.starts_with('"') || after.starts_with('\'')) after.remove_prefix(1);
    after.remove_prefix(std::min(after.find_first_not_of(kSpace), after.size()));
    if (after.starts_with(':') || after.starts_with('/'))
      return true;  // a comment may stand before the colon
  }
  return false;
}

// Whether a file is JSON with comments, the settings of a tool: it has neither of the keys that every
// manifest has.
bool is_json_with_comments(std::string_view file, std::string_view text) {
  auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
  return file.ends_with(".json") && (has("//") || has("/*")) && !may_have_key(text, "apiVersion") &&
         !may_have_key(text, "kind");
}

// Whether git has left a merge to people in a text: lines that begin with its marks.
bool has_conflict(std::string_view text) {
  return std::ranges::all_of(
      std::array<std::string_view, 3>{"<<<<<<< ", "=======", ">>>>>>> "}, [&](std::string_view mark) {
        return text.starts_with(mark) || text.find("\n" + std::string(mark)) != text.npos;
      });
}

}  // namespace

std::string file_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Result<std::string> read_file(const std::string& path) {
  if (path.empty()) return Error{"the name of a file is empty"};
  if (path == "-") {
    static bool taken = false;
    if (std::exchange(taken, true)) return Error{"standard input can be read only once"};
    return read_all(STDIN_FILENO);
  }
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{std::strerror(errno)};
  Result<std::string> text = read_all(fd);
  ::close(fd);
  return text;
}

std::string list_files(std::span<const std::string> paths, bool recursive) {
  constexpr size_t kMost = 3;
  return first_few(paths, kMost, [&](const std::string& path) {
    const bool empty = !recursive && holds_no_manifests(path);
    return file_name(path) +
           (empty ? " (a directory without *.yaml, *.yml and *.json; -R goes into those below)" : "");
  });
}

void Inputs::fail(std::string_view file, Position position, std::string_view text, const PointedText& source,
                  std::string_view hint) {
  errors_++;
  say(Severity::Error, file, position, text, source, hint);
}

std::vector<InputObject> Inputs::read(std::span<const std::string> paths, const ReadOptions& options,
                                      bool may_be_empty) {
  std::vector<InputObject> out;
  std::vector<std::string_view> empty;
  size_t left_out = left_out_.size();
  for (const std::string& path : paths) {
    size_t objects = out.size(), errors = errors_;
    read_path(path, options, out);
    if (out.size() == objects && errors_ == errors) empty.push_back(path);
  }
  say_left_out(std::span(left_out_).subspan(left_out));
  for (std::string_view path : empty) {
    if (may_be_empty || !out.empty())
      say(Severity::Note, file_name(std::string(path)), {}, "there are no objects in it");
  }
  out.shrink_to_fit();  // they stay, and may be many
  return out;
}

void Inputs::read_path(const std::string& path, const ReadOptions& options, std::vector<InputObject>& out) {
  FoundFiles found = find_manifests(path, options);
  for (const LeftOut& l : found.left_out) left_out_.push_back(l);
  for (const FoundFile& f : found.files) {
    if (f.error.empty()) {
      add_file(f, options, out);
    } else {
      fail(f.path, {}, f.error);
    }
  }
}

std::string list_objects(std::span<const InputObject* const> objects) {
  constexpr size_t kMost = 3;
  return first_few(objects, kMost, [](const InputObject* o) {
    const Value* generated = o->name.empty() ? find_path(o->value, "metadata.generateName") : nullptr;
    const bool named = generated == nullptr || !generated->is(Kind::String);
    return std::string(o->kind) + " " +
           (o->namespace_name.empty() ? "" : std::string(o->namespace_name) + "/") +
           std::string(named ? o->name : generated->as_text());
  });
}

void say_left_out(std::span<const LeftOut> all) {
  constexpr size_t kMost = 3;
  std::vector<std::string_view> said;
  for (const LeftOut& first : all) {
    if (std::ranges::find(said, first.why) != said.end()) continue;
    said.push_back(first.why);
    std::vector<std::string_view> files;
    for (const LeftOut& l : all) {
      if (l.why == first.why) files.push_back(l.file);
    }
    say(Severity::Note, {}, {},
        fmt::format("{} skipped ({}): {}", files.size(), first.why, first_few(files, kMost)));
  }
}

Inputs::FileFindings Inputs::take_text(std::string name, Result<std::string> bytes) {
  FileFindings out;
  if (!bytes.ok()) return fail(name, {}, bytes.error().text), out;
  Result<std::string> text = decode_text(std::move(*bytes));
  if (!text.ok()) return fail(name, text.error().position, text.error().text), out;
  out.file = &files_.emplace_back();
  out.file->name = std::move(name);
  out.file->text = std::move(*text);
  return out;
}

namespace {
// Whether a text that is not YAML looks like one from which manifests are made: the line of the error has {{, or some line
// begins with it.
bool is_template(std::string_view text, size_t error) {
  const size_t begin = text.rfind('\n', error == 0 ? 0 : error - 1) + 1;
  if (text.substr(begin, text.find('\n', begin) - begin).find("{{") != text.npos) return true;
  for (size_t at = text.find("{{"); at != text.npos; at = text.find("{{", at + 1)) {
    const size_t before = text.find_last_not_of(' ', at == 0 ? 0 : at - 1);
    if (at == 0 || before == text.npos || text[before] == '\n') return true;
  }
  return false;
}
}  // namespace

void Inputs::fail_syntax(const FileFindings& f, std::string_view hint) {
  size_t at = offset_in(f.file->text, f.error->position);  // at the end of the document, perhaps
  std::string_view behind = f.file->text.view().substr(at - (at > 0 ? 1 : 0));
  std::string more(hint);
  if (is_template(f.file->text, at))
    more += std::string(more.empty() ? "" : "; ") +
            "it looks like a template, from which `helm template` makes manifests";
  if (has_conflict(f.file->text))
    more += std::string(more.empty() ? "" : "; ") + "it has marks of a git merge that is not resolved";
  if (behind.find("\n---") != behind.npos)
    more += std::string(more.empty() ? "" : "; ") + "the documents after it are not read";
  fail(f.file->name, f.error->position, f.error->text, f.file->text, more);
}

const SourceFile* Inputs::parse(std::string name, Result<std::string> bytes) {
  FileFindings f = take_text(std::move(name), std::move(bytes));
  if (f.file == nullptr) return nullptr;
  f.error = read_all_documents(*f.file, reader_, arena_, f.file->documents);
  if (f.error) fail_syntax(f, {});
  return f.file;
}

std::optional<Error> read_all_documents(const SourceFile& file, JsonReader& reader, Arena& arena,
                                        std::vector<YamlDocument>& out) {
  auto documents = read_documents(file.text, reader, arena, &out);
  if (!documents.ok()) return documents.error();
  out = std::move(*documents);
  return std::nullopt;
}

void Inputs::look_at(std::span<const YamlDocument> documents, std::string_view path, Arena& arena,
                     FileFindings& f, std::vector<InputObject>& out) {
  const size_t before = out.size();
  const Refuse refuse = [&](Position position, std::string_view text) {
    f.refused.push_back({std::string(text), position});
  };
  f.documents += documents.size();
  if (out.empty()) out.reserve(documents.size());  // most documents are an object each
  for (const YamlDocument& d : documents) {
    if (d.value.is_null()) continue;
    f.values++;
    if (!f.meant) f.meant = (f.why = foreign_to_cluster(d.value, path)).empty();
    split_document(*f.file, d, arena, refuse, out);
  }
  f.objects += out.size() - before;
}

void Inputs::conclude(const FoundFile& found, const ReadOptions& options, const FileFindings& f) {
  const SourceFile& file = *f.file;
  const bool may_be_foreign = !found.named && !options.strict;
  if (f.error && may_be_foreign && f.documents == 0 && is_json_with_comments(file.name, file.text))
    return left_out_.push_back({found.path, "JSON with comments, without apiVersion and kind"});
  const bool own = found.named || has_conflict(file.text);  // a file of the user's
  if (f.error) fail_syntax(f, own ? "" : "--ignore leaves out what is no manifest");
  if (may_be_foreign && !f.meant) {
    if (!f.error) left_out_.push_back({found.path, f.why});
    return;
  }
  for (const Error& e : f.refused) fail(file.name, e.position, e.text, file.text);
  const bool hollow = f.objects == 0 && f.refused.empty() && !f.error;  // Lists without items
  if (!hollow || found.named) return;
  if (options.strict) return fail(file.name, {}, "there is no object in it");
  left_out_.push_back({found.path, "empty"});
}

void Inputs::add_file(const FoundFile& found, const ReadOptions& options, std::vector<InputObject>& out) {
  FileFindings f = take_text(file_name(found.path), read_file(found.path));
  if (f.file == nullptr) return;
  f.error = read_all_documents(*f.file, reader_, arena_, f.file->documents);
  look_at(f.file->documents, found.path, arena_, f, out);
  conclude(found, options, f);
  f.file->text.pack();
}

const SourceFile* Inputs::read_documents_of(const std::string& path) {
  const size_t errors = errors_;
  const SourceFile* file = parse(file_name(path), portcullis::read_file(path));
  return errors_ == errors ? file : nullptr;
}

std::vector<InputObject> Inputs::read_text(std::string text, std::string name) {
  std::vector<InputObject> out;
  const SourceFile* file = parse(std::move(name), std::move(text));
  if (file == nullptr) return out;
  Refuse refuse = [&](Position position, std::string_view why) {
    fail(file->name, position, why, file->text);
  };
  for (const YamlDocument& d : file->documents) {
    if (!d.value.is_null()) split_document(*file, d, arena_, refuse, out);
  }
  return out;
}

// Whether a document has nothing but space and comments.
static bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = trim_space(text.substr(0, end));
    if (!line.empty() && line[0] != '#') return false;
    text.remove_prefix(end);
  }
  return true;
}

std::optional<Value> Inputs::value_of(const SourceFile* file) {
  if (file == nullptr) return std::nullopt;
  Value value;
  for (const YamlDocument& d : file->documents) {
    if (d.value.is_null()) continue;
    if (!value.is_null()) {
      fail(file->name, locate(file->text, d, ""), "one document is expected here, and this is another",
           file->text);
      return std::nullopt;
    }
    value = d.value;
  }
  const auto is_empty = [&](const YamlDocument& d) { return is_blank(d.in(file->text)); };
  if (value.is_null() && std::ranges::all_of(file->documents, is_empty)) {
    fail(file->name, {}, "there is no value in it; null is written null");
    return std::nullopt;
  }
  return value;
}

std::optional<InputObject> Inputs::read_object(const std::string& path) {
  size_t errors = errors_;
  InputObject out;
  out.file = parse(file_name(path), read_file(path));
  if (errors_ != errors) return std::nullopt;
  std::optional<Value> value = value_of(out.file);
  if (!value) return std::nullopt;
  out.value = *value;
  for (const YamlDocument& d : out.file->documents) {
    if (!d.value.is_null()) out.document = &d;
  }
  if (!value->is(Kind::Map)) return out;
  out.kind = text_member(*value, "kind");
  out.api_version = text_member(*value, "apiVersion");
  if (const Value* metadata = find_member(*value, "metadata")) {
    out.name = text_member(*metadata, "name");
    out.namespace_name = text_member(*metadata, "namespace");
  }
  return out;
}

std::optional<Value> Inputs::read_value(const std::string& path) {
  size_t errors = errors_;
  const SourceFile* file = parse(file_name(path), read_file(path));
  return errors_ == errors ? value_of(file) : std::nullopt;
}

std::optional<Value> Inputs::read_value(std::string text, std::string name) {
  size_t errors = errors_;
  const SourceFile* file = parse(std::move(name), std::move(text));
  return errors_ == errors ? value_of(file) : std::nullopt;
}

void write_place(JsonWriter& w, const InputObject& object) {
  w.member("document", object.document->index);
  w.member("file", object.file->name);
  w.member("kind", object.kind);
  w.member("line", object.locate("").line);
  w.member("name", object.name);
  w.member("namespace", object.namespace_name);
}

}  // namespace portcullis
