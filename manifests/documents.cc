// See documents.h.
#include "manifests/documents.h"

#include <algorithm>
#include <mutex>
#include <tuple>

#include "interpreter/formats/text.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/keeper.h"
#include "interpreter/values/member.h"
#include "manifests/positions.h"
#include "manifests/scalar.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

std::string_view trim(std::string_view s) {
  size_t first = s.find_first_not_of(" \t\r\n");
  return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1);
}

// Converts a position in a document to one in its file.
Position in_file(const YamlDocument& d, Position p) {
  return {d.line + p.line - 1, p.line == 1 ? d.column + p.column - 1 : p.column};
}

Error in_file(const YamlDocument& d, const Error& error) {
  std::string text = d.index > 1 ? "document " + std::to_string(d.index) + ": " + error.text : error.text;
  return {std::move(text), in_file(d, error.position)};
}

// The extent of the JSON value at the start of a text, found by brackets and quotes alone.
struct JsonExtent {
  size_t length = 0;
  size_t keys = 0;  // in all its objects
};

JsonExtent json_extent(std::string_view text) {
  size_t depth = 0, keys = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
      if (!quoted && depth == 0) return {i + 1, keys};
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == ':') {
      keys++;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return {i + 1, keys};
    }
    if (quoted || depth > 0 || c == '"') continue;
    return {std::max(i + 1, std::min(text.find_first_of(" \t\r\n,:[]{}\"", i), text.size())), keys};
  }
  return {text.size(), keys};
}

// Where a byte order mark stands that kubectl takes for the first character of a key or value: goyaml knows one at the
// start of what it reads, to which a separator before the first document belongs. libyaml leaves one out at the start
// of any line.
size_t stray_mark(std::string_view text, bool separated) {
  if (separated && text.starts_with("\ufeff")) return 0;
  for (size_t at = 0; (at = text.find("\ufeff", at + 1)) != text.npos;) {
    if (text[at - 1] == '\n') return at;
  }
  return text.npos;
}

size_t count_keys(const Value& v) {
  size_t n = 0;
  if (v.is(Kind::List)) {
    for (const Value& item : v.as_list()) n += count_keys(item);
  } else if (v.is(Kind::Map)) {
    n = v.size();
    for (const MapEntry& e : v.as_map()) n += count_keys(e.value);
  }
  return n;
}

// The error of a repeated key, as for YAML; JSON readers (Go's and ours) take the last one.
std::optional<Error> repeated_key(std::string_view text, size_t keys, const Value& value) {
  if (count_keys(value) == keys) return {};
  auto repeated = Positions(text).repeated_key();
  if (!repeated) return Error{"a key is already set in map", {1, 1}};
  return Error{"key \"" + repeated->first + "\" already set in map", repeated->second};
}

// The more likely error of a text that is neither valid JSON nor valid YAML: the one further on, since the
// wrong reader fails earlier. If the JSON ends too early, that is the error.
const Error& likelier(const Error& json, const Error& yaml) {
  bool further =
      std::tie(yaml.position.line, yaml.position.column) > std::tie(json.position.line, json.position.column);
  return further && !is_early_end(json) ? yaml : json;
}

// The document as kubectl sends it, which reads and writes it once more: 1.0 and 1e3 become 1 and 1000. Shares what
// stays.
Value as_kubectl_sends(Arena& arena, const Value& v) {
  if (v.is(Kind::Double)) return from_double(v.as_double());
  const auto inside = [&](const Value& part) { return as_kubectl_sends(arena, part); };
  if (v.is(Kind::List)) return with_changed_items(arena, v, inside);
  if (v.is(Kind::Map))
    return with_changed_values(arena, v, [&](const MapEntry& e) { return inside(e.value); });
  return v;
}

size_t count_separators(std::string_view text) {
  constexpr std::string_view kSeparator = "\n---";
  size_t count = 0;
  for (size_t at = 0; (at = text.find(kSeparator, at)) != text.npos; at += kSeparator.size()) count++;
  return count;
}

// Reads all documents, whose values stay. Returns the first error; `out` then has the documents before it.
std::optional<Error> read_stream(std::string_view text, JsonReader& reader, Arena& arena,
                                 std::vector<YamlDocument>& out) {
  DocumentSplitter splitter(text);
  if (splitter.form() == DocumentSplitter::Form::Yaml) out.reserve(count_separators(text) + 1);
  Keeper keeper(arena);
  Arena passing;
  std::optional<Error> json;  // why the document that is read is no JSON
  const auto likely = [&](const Error& yaml) { return json ? likelier(*json, yaml) : yaml; };
  while (auto piece = splitter.next()) {
    passing.reset();
    if (auto error = read_piece(*piece, reader, passing)) {
      // As YAML, a large number would be a text.
      if (piece->document.json && !is_large_number(*error) && splitter.turn_to_yaml()) {
        json = std::move(error);
        continue;
      }
      return likely(*error);
    }
    json.reset();
    piece->document.value = keeper.keep(piece->document.value);
    out.push_back(std::move(piece->document));
  }
  out.shrink_to_fit();
  if (splitter.error()) return likely(*splitter.error());
  return json;
}

}  // namespace

DocumentSplitter::DocumentSplitter(std::string_view text)
    : text_(text), rest_(text), form_(trim(text).starts_with('{') ? Form::Json : Form::Yaml) {}

std::optional<DocumentSplitter::Piece> DocumentSplitter::next() {
  if (error_) return std::nullopt;
  return form_ == Form::Json ? next_json() : next_chunk();
}

void DocumentSplitter::move_on(size_t length) {
  for (char c : rest_.substr(0, length)) {
    column_ = c == '\n' ? 1 : column_ + ((c & 0xc0) != 0x80);
    line_ += c == '\n';
  }
  rest_.remove_prefix(length);
}

bool DocumentSplitter::turn_to_yaml() {
  constexpr int kAmbiguous = 1;  // so many values of JSON may stand before YAML
  if (last_.index > kAmbiguous + 1) return false;
  DocumentSplitter yaml = *this;
  yaml.rest_ = text_.substr(last_.start);
  yaml.line_ = last_.line;
  yaml.column_ = last_.column;
  yaml.index_ = last_.index;
  yaml.form_ = Form::Yaml;
  // Up to the end of the line.
  for (char c = ' '; c != '\n';) {
    if (yaml.rest_.empty()) return false;
    c = yaml.rest_[0];
    if (trim({&c, 1}).size() == 1) break;
    yaml.move_on(1);
  }
  *this = std::move(yaml);
  return true;
}

std::optional<DocumentSplitter::Piece> DocumentSplitter::next_json() {
  last_ = {text_.size() - rest_.size(), line_, column_, index_};
  move_on(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  if (rest_.empty()) return std::nullopt;
  if (rest_.starts_with("--") && turn_to_yaml()) return next_chunk();
  const JsonExtent extent = json_extent(rest_);
  Piece out = piece(extent.length);
  out.keys = extent.keys;
  index_++;
  move_on(extent.length);
  return out;
}

DocumentSplitter::Piece DocumentSplitter::piece(size_t size) {
  const YamlDocument document{.start = text_.size() - rest_.size(),
                              .size = size,
                              .line = line_,
                              .column = column_,
                              .index = index_,
                              .json = form_ == Form::Json,
                              .value = {}};
  return {document, document.in(text_)};
}

// Lines that begin with `---` separate chunks; empty chunks are no documents.
std::optional<DocumentSplitter::Piece> DocumentSplitter::next_chunk() {
  bool separated = false;
  while (!rest_.empty()) {
    size_t at = 0, end = 0;
    int lines = 0;
    for (; at < rest_.size() && rest_.substr(at, 3) != "---"; at = end, lines++)
      end = std::min(rest_.find('\n', at), rest_.size() - 1) + 1;
    Piece out = piece(at);
    if (at < rest_.size()) {
      end = std::min(rest_.find('\n', at), rest_.size() - 1) + 1;
      const std::string_view rest = trim_space(rest_.substr(at + 3, end - at - 3));
      if (!rest.empty() && rest[0] != '#') {
        error_ = Error{"invalid Yaml document separator: " + std::string(rest), {line_ + lines, 1}};
        rest_ = {};
        return std::nullopt;
      }
      at = end;
      lines++;
    }
    rest_.remove_prefix(at);
    line_ += lines;
    column_ = 1;
    separated |= out.text.empty();
    if (out.text.empty()) continue;
    if (const size_t mark = stray_mark(out.text, separated); mark != std::string_view::npos) {
      const auto before = std::ranges::count(out.text.substr(0, mark), '\n');
      error_ = Error{"a byte order mark (U+FEFF), which belongs at the start of a file, stands before this",
                     {out.document.line + static_cast<int>(before), 1}};
      rest_ = {};
      return std::nullopt;
    }
    index_++;
    return out;
  }
  return std::nullopt;
}

std::optional<Error> read_piece(DocumentSplitter::Piece& piece, JsonReader& reader, Arena& arena) {
  // What Git LFS leaves in place of a file that it has not fetched would be a text of YAML.
  constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";
  YamlDocument& d = piece.document;
  if (d.index == 1 && piece.text.starts_with(kLfsPointer))
    return Error{"this is a Git LFS pointer, not the file: `git lfs pull` gets the file", {1, 1}};
  auto value = d.json ? reader.read(piece.text, arena) : read_yaml_chunk(piece.text, d.line, arena);
  if (!value.ok()) {
    Error error = in_file(d, value.error());
    if (d.json && d.index > 2 && !piece.text.starts_with('{'))
      error.text += "; a file that begins with two values of JSON is JSON to its end, as kubectl reads it";
    return error;
  }
  if (d.json) {
    const size_t keys = piece.keys ? *piece.keys : json_extent(piece.text).keys;
    if (auto error = repeated_key(piece.text, keys, *value)) return in_file(d, *error);
  }
  // An AdmissionReview comes from an API server.
  const bool recorded = value->is(Kind::Map) && text_member(*value, "kind") == "AdmissionReview";
  d.value = recorded ? *value : as_kubectl_sends(arena, *value);
  return {};
}

std::optional<Error> repeated_key(std::string_view json, const Value& value) {
  return repeated_key(json, json_extent(trim(json)).keys, value);
}

Result<std::vector<YamlDocument>> read_documents(std::string_view text, JsonReader& reader, Arena& arena,
                                                 std::vector<YamlDocument>* before) {
  std::vector<YamlDocument> documents;
  const auto error = read_stream(text, reader, arena, documents);
  if (!error) return documents;
  if (before != nullptr) *before = std::move(documents);
  return *error;
}

Position locate(std::string_view file, const YamlDocument& document, std::string_view path, bool key) {
  const std::string_view text = document.in(file);
  if (path.empty()) return in_file(document, root_position(text));
  static std::mutex mutex;  // threads share documents, and positions are for messages
  const std::lock_guard lock(mutex);
  if (!document.positions) document.positions = std::make_shared<const Positions>(text);
  return in_file(document, document.positions->find(path, key));
}

}  // namespace portcullis
