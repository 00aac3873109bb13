// See yaml.h. Composer makes Values from events; read_documents splits files as apimachinery's
// YAMLOrJSONDecoder does.
#include "manifests/yaml.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "interpreter/formats/text.h"
#include "interpreter/values/keeper.h"
#include "interpreter/values/member.h"
#include "interpreter/values/native.h"
#include "manifests/document_splitter.h"
#include "manifests/positions.h"
#include "manifests/scalar.h"
#include "manifests/yaml_events.h"

namespace portcullis {
namespace {

// The greatest part of a document that may come from aliases: 99 % in small documents, 10 % in very large
// ones, with a transition between. Numbers and meaning are goyaml's (decode.go), so the same documents are
// refused.
constexpr double kAliasRatioLow = 400000, kAliasRatioHigh = 4000000;

double allowed_alias_ratio(double decoded) {
  if (decoded <= kAliasRatioLow) return 0.99;
  if (decoded >= kAliasRatioHigh) return 0.10;
  return 0.99 - 0.89 * ((decoded - kAliasRatioLow) / (kAliasRatioHigh - kAliasRatioLow));
}

// The keys of one mapping. A small mapping is searched linearly, so that it allocates little.
class KeySet {
 public:
  // False if the key is already present.
  bool add(const Value& key) {
    if (!large_.empty()) return large_.insert(key.as_text()).second;
    for (const Value& seen : small_) {
      if (same_text(seen, key)) return false;
    }
    small_.push_back(key);
    if (small_.size() > 16) {
      for (const Value& seen : small_) large_.insert(seen.as_text());
    }
    return true;
  }
  void clear() {
    small_.clear();
    large_.clear();
  }

 private:
  std::vector<Value> small_;
  std::unordered_set<std::string_view> large_;
};

// Errors of a second document: in a part of a file, which was split at lines ---, and in a text for one document.
constexpr std::string_view kNotSplit =
    "another document begins here, which kubectl would not read: a line --- has to be between them";
constexpr std::string_view kOneOnly = "a second document begins here, and only one is read";

// Makes the value of the only document of a text; `second` is the error of another one. Aliases share the value of their
// anchor; the copies that goyaml's decoder would make are only counted.
class Composer {
 public:
  Composer(std::string_view text, int first_line, Arena& arena, std::string_view second = kNotSplit,
           RepeatedKeys repeated = RepeatedKeys::Refused)
      : events_(text, first_line), arena_(arena), second_(second), repeated_(repeated) {}

  Result<Value> document() {
    Value value;
    if (!advance()) return *error_;  // stream start
    if (!advance()) return *error_;
    if (events_.type() == YAML_STREAM_END_EVENT) return value;
    if (!advance() || !node(value)) return *error_;
    if (!advance() || !advance()) return *error_;  // document end, and the next event
    if (events_.type() != YAML_STREAM_END_EVENT) return Error{std::string(second_), events_.position()};
    return value;
  }

 private:
  struct Anchor {
    Value value;
    double count = 0;  // nodes in it, with aliases expanded
    int depth = 0;     // how many collections nest in it; with itself
    bool open = true;  // still being read: an alias to it is a cycle
  };

  // A list or mapping that has not ended.
  struct Collection {
    bool map = false;
    bool merging = false,
         merging_list = false;   // the next node is the value of a merge key; it begins a list
    int level = 0, deepest = 0;  // how many nest in each other as JSON: up to here, most inside
    size_t first = 0;            // of its nodes on values_
    std::string anchor;
    double before = 0;  // count_ when it began
    KeySet own;         // keys of the mapping itself: those of merged mappings may repeat
    Value key;          // of the next node
    Position at;        // of the value of the merge key
  };

  Collection& innermost() { return open_[depth_ - 1]; }

  bool fail(std::string text, Position at) {
    if (!error_) error_ = Error{std::move(text), at};
    return false;
  }
  bool fail(std::string text) { return fail(std::move(text), events_.position()); }

  bool advance() {
    if (events_.next()) return true;
    if (!error_) error_ = events_.error();
    return false;
  }

  // Reads the node of the current event; its last event becomes the current one. What nests is on open_, not on the stack
  // of the thread.
  bool node(Value& value) {
    for (;;) {
      const size_t around = depth_;
      if (!begin(value)) return false;
      if (depth_ == around && (depth_ == 0 || !take(value))) return depth_ == 0;
      for (;;) {  // the collections that end
        if (!advance()) return false;
        if (events_.type() != YAML_SEQUENCE_END_EVENT && events_.type() != YAML_MAPPING_END_EVENT) break;
        value = close();
        if (depth_ == 0 || !take(value)) return depth_ == 0;
      }
      if (innermost().map && !key()) return false;
    }
  }

  // Reads an alias or a scalar, or opens a collection.
  bool begin(Value& value) {
    const double before = count_++;
    reached_ = 0;
    const yaml_event_type_t type = events_.type();
    if (type == YAML_ALIAS_EVENT) return alias(value);
    std::string anchor(anchor_name());
    if (!anchor.empty()) anchors_[anchor] = {};
    if (type == YAML_SCALAR_EVENT) {
      if (!scalar(value, false)) return false;
      if (!anchor.empty()) anchors_[anchor] = {.value = value, .count = 1, .open = false};
      return true;
    }
    if (type != YAML_SEQUENCE_START_EVENT && type != YAML_MAPPING_START_EVENT)
      return fail("yaml: unexpected event");
    return open(type == YAML_MAPPING_START_EVENT, std::move(anchor), before);
  }

  bool open(bool map, std::string anchor, double before) {
    // The entries of merged mappings are in the mapping that merges them, no deeper.
    const bool merged = depth_ > 0 && innermost().merging;
    const int level = (depth_ == 0 ? 0 : innermost().level) + 1 - (merged ? (map ? 1 : 2) : 0);
    if (level > kMaxJsonDepth) return fail(too_deep());
    if (depth_ == open_.size()) open_.emplace_back();
    Collection& c = open_[depth_++];
    c.map = map;
    c.merging = false;
    c.level = c.deepest = level;
    c.first = values_.size();
    c.anchor = std::move(anchor);
    c.before = before;
    c.own.clear();
    return true;
  }

  // Ends the innermost collection; reached_ is how deep it nests.
  Value close() {
    Collection& c = innermost();
    const Value value = c.map ? close_mapping(c.first) : close_sequence(c.first);
    reached_ = c.deepest - c.level + 1;
    if (!c.anchor.empty())
      anchors_[c.anchor] = {.value = value, .count = count_ - c.before, .depth = reached_, .open = false};
    depth_--;
    return value;
  }

  // Adds a node, which nests as deep as reached_ says, to the innermost collection.
  bool take(const Value& value) {
    Collection& c = innermost();
    const int inside = c.merging ? (c.merging_list ? 2 : 1) : 0;
    c.deepest = std::max(c.deepest, c.level + reached_ - inside);
    if (c.deepest > kMaxJsonDepth) return fail(too_deep());
    if (c.merging) return c.merging = false, merge(value, c.merging_list, c.at);
    if (c.map) values_.push_back(c.key);
    values_.push_back(value);
    return true;
  }

  static std::string too_deep() { return "yaml: exceeded max depth of " + std::to_string(kMaxJsonDepth); }

  std::string_view anchor_name() const {
    const yaml_event_t& e = events_.event();
    switch (e.type) {
      case YAML_SCALAR_EVENT: return view(e.data.scalar.anchor);
      case YAML_SEQUENCE_START_EVENT: return view(e.data.sequence_start.anchor);
      case YAML_MAPPING_START_EVENT: return view(e.data.mapping_start.anchor);
      default: return {};
    }
  }

  const Anchor* find_anchor() {
    std::string name(view(events_.event().data.alias.anchor));
    auto it = anchors_.find(name);
    if (it == anchors_.end()) {
      fail("yaml: unknown anchor '" + name + "' referenced");
      return nullptr;
    }
    if (it->second.open) {
      fail("yaml: anchor '" + name + "' value contains itself");
      return nullptr;
    }
    count_ += it->second.count;
    alias_count_ += it->second.count;
    bool many = alias_count_ > 100 && count_ > 1000;
    if (many && alias_count_ / count_ > allowed_alias_ratio(count_)) {
      fail("yaml: document contains excessive aliasing");
      return nullptr;
    }
    return &it->second;
  }

  bool alias(Value& value) {
    const Anchor* anchor = find_anchor();
    if (anchor == nullptr) return false;
    value = anchor->value;
    reached_ = anchor->depth;
    return true;
  }

  bool scalar(Value& value, bool key) {
    const auto& s = events_.event().data.scalar;
    auto resolved =
        (key ? resolve_key : resolve_scalar)(events_.text(), view(s.tag), s.plain_implicit, arena_);
    if (!resolved.ok()) return fail("yaml: " + resolved.error().text);
    value = *resolved;
    return true;
  }

  Value close_sequence(size_t first) {
    const size_t n = values_.size() - first;
    Value* items = arena_.array<Value>(n);
    std::copy(values_.begin() + static_cast<ptrdiff_t>(first), values_.end(), items);
    values_.resize(first);
    return Value::list(items, n, kNativeList);
  }

  // The keys and values of open mappings alternate on values_.
  Value close_mapping(size_t first) {
    size_t n = (values_.size() - first) / 2;
    MapEntry* entries = alloc_entries(arena_, n);
    for (size_t i = 0; i < n; i++) entries[i] = {values_[first + 2 * i], values_[first + 2 * i + 1]};
    values_.resize(first);
    return make_native_map(arena_, entries, n);
  }

  // Reads the key of the innermost collection, a mapping; the first event of its value becomes the current one.
  bool key() {
    Collection& c = innermost();
    if (is_merge()) {
      if (!advance()) return false;
      const yaml_event_type_t type = events_.type();
      c.merging = true;
      c.merging_list = type == YAML_SEQUENCE_START_EVENT;
      c.at = events_.position();
      if (!c.merging_list && type != YAML_MAPPING_START_EVENT && type != YAML_ALIAS_EVENT)
        return fail(kWantMap, c.at);
      return true;
    }
    const Position at = events_.position();
    if (!map_key(c.key)) return false;
    if (!c.own.add(c.key) && repeated_ == RepeatedKeys::Refused)
      return fail("yaml: key " + quote_json(c.key.as_text()) + " already set in map", at);
    return advance();
  }

  bool map_key(Value& key) {
    count_++;
    switch (events_.type()) {
      case YAML_SCALAR_EVENT: {
        std::string anchor(anchor_name());
        if (!scalar(key, true)) return false;
        if (!anchor.empty()) anchors_[anchor] = {.value = key, .count = 1, .open = false};
        return true;
      }
      case YAML_ALIAS_EVENT: {
        const Anchor* anchor = find_anchor();
        if (anchor == nullptr) return false;
        key = anchor->value;
        if (key.is(Kind::List) || key.is(Kind::Map)) return fail("yaml: invalid map key");
        if (!key.is(Kind::String)) key = Value::string(arena_.copy(to_json(key)));
        return true;
      }
      default: return fail("yaml: invalid map key");
    }
  }

  bool is_merge() const {
    const yaml_event_t& e = events_.event();
    if (e.type != YAML_SCALAR_EVENT || view(e.data.scalar.value) != "<<") return false;
    return e.data.scalar.plain_implicit || view(e.data.scalar.tag) == "tag:yaml.org,2002:merge";
  }

  // Adds the entries of the value of a merge key to those of the open mapping.
  bool merge(const Value& value, bool list, Position at) {
    if (value.is(Kind::Map)) return append(value);
    if (!list) return fail(kWantMap, at);
    auto maps = value.as_list();
    // Earlier maps of the list take precedence, so they are appended last.
    for (size_t i = maps.size(); i-- > 0;) {
      if (!maps[i].is(Kind::Map)) return fail(kWantMap, at);
      append(maps[i]);
    }
    return true;
  }

  bool append(const Value& map) {
    for (const MapEntry& e : map.as_map()) {
      values_.push_back(e.key);
      values_.push_back(e.value);
    }
    return true;
  }

  static constexpr const char* kWantMap = "yaml: map merge requires map or sequence of maps as the value";

  YamlEvents events_;
  Arena& arena_;
  std::string_view second_;
  RepeatedKeys repeated_;
  std::vector<Value> values_;
  std::vector<Collection> open_;  // the first depth_; the memory of the others is reused
  size_t depth_ = 0;
  int reached_ = 0;  // how deep the node that was read last nests
  std::unordered_map<std::string, Anchor> anchors_;
  double count_ = 0;        // decoded nodes, with aliases expanded
  double alias_count_ = 0;  // those of them that came from aliases
  std::optional<Error> error_;
};

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
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == ':') {
      keys++;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return {i + 1, keys};
    }
    if (!quoted && depth == 0 && c != '"') return {i + 1, keys};
  }
  return {text.size(), keys};
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

// Reads one chunk between separators, which starts at line `line` of its file: as JSON if it looks like JSON,
// as YAML if that fails but YAML succeeds.
Result<Value> read_chunk(std::string_view text, int line, JsonReader& reader, Arena& arena) {
  if (!trim(text).starts_with('{')) return Composer(text, line, arena).document();
  auto json = reader.read(text, arena);
  if (json.ok()) {
    if (auto error = repeated_key(text, *json)) return *error;
    return json;
  }
  if (is_large_number(json.error())) return json;  // in YAML such a number would be a text
  auto yaml = Composer(text, line, arena).document();
  return yaml.ok() ? yaml : likelier(json.error(), yaml.error());
}

// The document as kubectl sends it, which reads and writes it once more: 1.0 and 1e3 become 1 and 1000. Shares the parts that
// stay. `v` is nested no deeper than the readers allow.
Value as_kubectl_sends(Arena& arena, const Value& v) {
  if (v.is(Kind::Double)) return from_double(v.as_double());
  if (v.is(Kind::List)) {
    std::span<const Value> items = v.as_list();
    Value* made = nullptr;
    for (size_t i = 0; i < items.size(); i++) {
      const Value item = as_kubectl_sends(arena, items[i]);
      if (made == nullptr && item.is_identical(items[i])) continue;
      if (made == nullptr) std::copy_n(items.data(), items.size(), made = arena.array<Value>(items.size()));
      made[i] = item;
    }
    return made == nullptr ? v : Value::list(made, items.size());
  }
  if (!v.is(Kind::Map)) return v;
  std::span<const MapEntry> entries = v.as_map();
  MapEntry* made = nullptr;
  for (size_t i = 0; i < entries.size(); i++) {
    const Value value = as_kubectl_sends(arena, entries[i].value);
    if (made == nullptr && value.is_identical(entries[i].value)) continue;
    if (made == nullptr)
      std::copy_n(entries.data(), entries.size(), made = alloc_entries(arena, entries.size()));
    made[i].value = value;
  }
  return made == nullptr ? v : make_map(arena, made, entries.size());
}

size_t count_separators(std::string_view text) {
  constexpr std::string_view kSeparator = "\n---";
  size_t count = 0;
  for (size_t at = 0; (at = text.find(kSeparator, at)) != text.npos; at += kSeparator.size()) count++;
  return count;
}

// Reads all documents, whose values stay. Returns the first error; `out` then has the documents before it.
std::optional<Error> read_stream(std::string_view text, DocumentSplitter::Form form, JsonReader& reader,
                                 Arena& arena, std::vector<YamlDocument>& out) {
  DocumentSplitter splitter(text, form);
  if (form == DocumentSplitter::Form::Yaml) out.reserve(count_separators(text) + 1);
  Keeper keeper(arena);
  Arena passing;
  while (auto piece = splitter.next()) {
    passing.reset();
    if (auto error = read_piece(*piece, form, reader, passing)) return error;
    piece->document.value = keeper.keep(piece->document.value);
    out.push_back(std::move(piece->document));
  }
  out.shrink_to_fit();
  return splitter.error();
}

}  // namespace

DocumentSplitter::Form DocumentSplitter::likely_form(std::string_view text) {
  return trim(text).starts_with('{') ? Form::Json : Form::Yaml;
}

std::optional<DocumentSplitter::Piece> DocumentSplitter::next() {
  if (error_) return std::nullopt;
  return form_ == Form::Json ? next_json() : next_chunk();
}

std::optional<DocumentSplitter::Piece> DocumentSplitter::next_json() {
  auto move_on = [&](size_t length) {
    for (char c : rest_.substr(0, length)) {
      column_ = c == '\n' ? 1 : column_ + ((c & 0xc0) != 0x80);
      line_ += c == '\n';
    }
    rest_.remove_prefix(length);
  };
  move_on(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  if (rest_.empty()) return std::nullopt;
  const JsonExtent extent = json_extent(rest_);
  Piece out = piece(extent.length, extent.keys);
  index_++;
  move_on(extent.length);
  return out;
}

DocumentSplitter::Piece DocumentSplitter::piece(size_t size, size_t keys) {
  const YamlDocument document{.start = text_.size() - rest_.size(),
                              .size = size,
                              .line = line_,
                              .column = column_,
                              .index = index_,
                              .value = {}};
  return {document, document.in(text_), keys};
}

// Lines that begin with `---` separate chunks; empty chunks are no documents.
std::optional<DocumentSplitter::Piece> DocumentSplitter::next_chunk() {
  while (!rest_.empty()) {
    size_t at = 0, end = 0;
    int lines = 0;
    for (; at < rest_.size() && rest_.substr(at, 3) != "---"; at = end, lines++)
      end = std::min(rest_.find('\n', at), rest_.size() - 1) + 1;
    Piece out = piece(at, 0);
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
    if (out.text.empty()) continue;
    index_++;
    return out;
  }
  return std::nullopt;
}

std::optional<Error> read_piece(DocumentSplitter::Piece& piece, DocumentSplitter::Form form,
                                JsonReader& reader, Arena& arena) {
  // What Git LFS leaves in place of a file that it has not fetched would be a text of YAML.
  constexpr std::string_view kLfsPointer = "version https://git-lfs.github.com/spec/";
  YamlDocument& d = piece.document;
  if (d.index == 1 && piece.text.starts_with(kLfsPointer))
    return Error{"this is a Git LFS pointer, not the file: `git lfs pull` gets the file", {1, 1}};
  const bool json = form == DocumentSplitter::Form::Json;
  auto value = json ? reader.read(piece.text, arena) : read_chunk(piece.text, d.line, reader, arena);
  if (!value.ok()) return in_file(d, value.error());
  if (json) {
    if (auto error = repeated_key(piece.text, piece.keys, *value)) return in_file(d, *error);
  }
  // An AdmissionReview comes from an API server.
  const bool recorded = value->is(Kind::Map) && text_member(*value, "kind") == "AdmissionReview";
  d.value = recorded ? *value : as_kubectl_sends(arena, *value);
  return {};
}

bool likelier_as_json(const Error& json, const Error& yaml) { return &likelier(json, yaml) == &json; }

std::optional<Error> repeated_key(std::string_view json, const Value& value) {
  return repeated_key(json, json_extent(trim(json)).keys, value);
}

Result<Value> read_yaml(std::string_view text, Arena& arena, RepeatedKeys repeated) {
  return Composer(text, 1, arena, kOneOnly, repeated).document();
}

Result<std::vector<YamlDocument>> read_documents(std::string_view text, JsonReader& reader, Arena& arena,
                                                 std::vector<YamlDocument>* before) {
  std::vector<YamlDocument> json, yaml;
  std::optional<Error> json_error;
  auto fail = [&](const Error& error, std::vector<YamlDocument>& documents) {
    if (before != nullptr) *before = std::move(documents);
    return error;
  };
  using Form = DocumentSplitter::Form;
  if (DocumentSplitter::likely_form(text) == Form::Json) {
    json_error = read_stream(text, Form::Json, reader, arena, json);
    if (!json_error) return json;
    if (is_large_number(*json_error)) return fail(*json_error, json);
  }
  auto yaml_error = read_stream(text, Form::Yaml, reader, arena, yaml);
  if (!yaml_error) return yaml;
  const bool as_json = json_error && likelier_as_json(*json_error, *yaml_error);
  return as_json ? fail(*json_error, json) : fail(*yaml_error, yaml);
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
