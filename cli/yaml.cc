// See yaml.h. Three readers of one event stream: Composer (events -> Values), Locator (events -> a position), and
// read_documents, which splits files as apimachinery's YAMLOrJSONDecoder does.
#include "cli/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "cli/scalar.h"

namespace portcullis {
namespace {

std::string_view view(const yaml_char_t* s) {
  return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

Position position_of(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

// libyaml's parser with the current event; frees what has to be freed.
class Events {
 public:
  explicit Events(std::string_view text) : text_(text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  // Moves to the next event; false on a syntax error.
  bool next() {
    yaml_event_delete(&event_);
    event_ = {};
    if (!yaml_parser_parse(&parser_, &event_)) return false;
    depth_ += event_.type == YAML_MAPPING_START_EVENT || event_.type == YAML_SEQUENCE_START_EVENT;
    depth_ -= event_.type == YAML_MAPPING_END_EVENT || event_.type == YAML_SEQUENCE_END_EVENT;
    return depth_ <= kMaxYamlDepth;
  }

  const yaml_event_t& event() const { return event_; }
  yaml_event_type_t type() const { return event_.type; }
  Position position() const { return portcullis::position_of(event_.start_mark); }

  // The error after next() returned false.
  Error error() const {
    if (depth_ > kMaxYamlDepth) return {"yaml: exceeded max depth of " + std::to_string(kMaxYamlDepth), position()};
    std::string text = std::string("yaml: ") + (parser_.problem ? parser_.problem : "cannot be read");
    if (parser_.error == YAML_READER_ERROR) return {text, position_of(parser_.problem_offset)};
    return {text, portcullis::position_of(parser_.problem_mark)};
  }

 private:
  // A reader's error (encoding, control characters) comes with a byte offset instead of a mark.
  Position position_of(size_t offset) const {
    Position p = {1, 1};
    for (char c : text_.substr(0, offset)) {
      p.column = c == '\n' ? 1 : p.column + ((c & 0xc0) != 0x80);
      p.line += c == '\n';
    }
    return p;
  }

  std::string_view text_;
  yaml_parser_t parser_ = {};
  yaml_event_t event_ = {};
  int depth_ = 0;
};

// How much of a document may come out of aliases: all but 1 % in small ones, 10 % in very large ones, sliding
// between. Numbers and meaning are goyaml's (decode.go), so the same documents are refused.
constexpr double kAliasRatioLow = 400000, kAliasRatioHigh = 4000000;

double allowed_alias_ratio(double decoded) {
  if (decoded <= kAliasRatioLow) return 0.99;
  if (decoded >= kAliasRatioHigh) return 0.10;
  return 0.99 - 0.89 * ((decoded - kAliasRatioLow) / (kAliasRatioHigh - kAliasRatioLow));
}

// The keys of one mapping. Small ones are searched one by one, so that the usual mapping allocates little.
class KeySet {
 public:
  // False if the key is there already.
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

 private:
  std::vector<Value> small_;
  std::unordered_set<std::string_view> large_;
};

// Makes the value of the first document of a text. Values of anchors are shared by their aliases; what goyaml's
// decoder would have copied is only counted.
class Composer {
 public:
  Composer(std::string_view text, Arena& arena) : events_(text), arena_(arena) {}

  Result<Value> document() {
    Value value;
    if (!advance()) return *error_;  // stream start
    if (!advance()) return *error_;
    if (events_.type() == YAML_STREAM_END_EVENT) return value;
    if (!advance() || !node(value)) return *error_;
    if (!advance()) return *error_;  // document end
    return value;
  }

 private:
  struct Anchor {
    Value value;
    double count = 0;  // nodes in it, aliases expanded
    bool map = false;
    bool open = true;  // still being read: an alias to it would be a cycle
  };

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

  // The node of the current event; leaves the last event of the node current.
  bool node(Value& value) {
    double before = count_++;
    std::string anchor(anchor_name());
    if (!anchor.empty()) anchors_[anchor] = {};
    bool map = events_.type() == YAML_MAPPING_START_EVENT;
    switch (events_.type()) {
      case YAML_ALIAS_EVENT: return alias(value);
      case YAML_SCALAR_EVENT:
        if (!scalar(value, false)) return false;
        break;
      case YAML_SEQUENCE_START_EVENT:
        if (!sequence(value)) return false;
        break;
      case YAML_MAPPING_START_EVENT:
        if (!mapping(value)) return false;
        break;
      default: return fail("yaml: unexpected event");
    }
    if (!anchor.empty()) anchors_[anchor] = {value, count_ - before, map, false};
    return true;
  }

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
    return true;
  }

  bool scalar(Value& value, bool key) {
    const auto& s = events_.event().data.scalar;
    std::string_view text(reinterpret_cast<const char*>(s.value), s.length);
    auto resolved = (key ? resolve_key : resolve_scalar)(text, view(s.tag), s.plain_implicit, arena_);
    if (!resolved.ok()) return fail("yaml: " + resolved.error().text);
    value = *resolved;
    return true;
  }

  bool sequence(Value& value) {
    size_t first = values_.size();
    for (;;) {
      if (!advance()) return false;
      if (events_.type() == YAML_SEQUENCE_END_EVENT) break;
      Value item;
      if (!node(item)) return false;
      values_.push_back(item);
    }
    size_t n = values_.size() - first;
    Value* items = arena_.array<Value>(n);
    std::copy(values_.begin() + static_cast<ptrdiff_t>(first), values_.end(), items);
    values_.resize(first);
    value = Value::list(items, n);
    return true;
  }

  // Keys and values of open mappings wait in turn on values_; `own` holds the keys that stand in the mapping itself
  // (those of merged mappings may be given again).
  bool mapping(Value& value) {
    size_t first = values_.size();
    KeySet own;
    for (;;) {
      if (!advance()) return false;
      if (events_.type() == YAML_MAPPING_END_EVENT) break;
      if (is_merge()) {
        if (!merge()) return false;
        continue;
      }
      Value key, item;
      Position at = events_.position();
      if (!map_key(key)) return false;
      if (!own.add(key)) return fail("yaml: key " + quote_json(key.as_text()) + " already set in map", at);
      if (!advance() || !node(item)) return false;
      values_.push_back(key);
      values_.push_back(item);
    }
    value = close_mapping(first);
    return true;
  }

  Value close_mapping(size_t first) {
    size_t n = (values_.size() - first) / 2;
    MapEntry* entries = alloc_entries(arena_, n);
    for (size_t i = 0; i < n; i++) entries[i] = {values_[first + 2 * i], values_[first + 2 * i + 1]};
    values_.resize(first);
    return make_map(arena_, entries, n);
  }

  bool map_key(Value& key) {
    count_++;
    switch (events_.type()) {
      case YAML_SCALAR_EVENT: {
        std::string anchor(anchor_name());
        if (!scalar(key, true)) return false;
        if (!anchor.empty()) anchors_[anchor] = {key, 1, false, false};
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

  // The value of a merge key: its entries join those of the open mapping, as if they stood here.
  bool merge() {
    if (!advance()) return false;
    Value value;
    bool list = events_.type() == YAML_SEQUENCE_START_EVENT;
    Position at = events_.position();
    if (!list && events_.type() != YAML_MAPPING_START_EVENT && events_.type() != YAML_ALIAS_EVENT) {
      return fail(kWantMap, at);
    }
    if (!node(value)) return false;
    if (value.is(Kind::Map)) return append(value);
    if (!list) return fail(kWantMap, at);
    auto maps = value.as_list();
    // Earlier maps of the list take precedence, so they come last.
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

  Events events_;
  Arena& arena_;
  std::vector<Value> values_;
  std::unordered_map<std::string, Anchor> anchors_;
  double count_ = 0;        // nodes decoded, aliases expanded
  double alias_count_ = 0;  // those of them that came out of aliases
  std::optional<Error> error_;
};

// Follows a path through the events of a document.
class Locator {
 public:
  Locator(std::string_view text, bool key) : events_(text), key_(key) {}

  Position find(std::string_view path) {
    for (int i = 0; i < 3; i++) {
      if (!events_.next()) return {1, 1};  // stream start, document start, root
    }
    best_ = events_.position();
    while (!path.empty() && step(path)) continue;
    return best_;
  }

 private:
  // Takes the first step off `path`; true if it led somewhere. Mapping keys may contain dots ("[a.b/c]").
  bool step(std::string_view& path) {
    if (path[0] == '.') path.remove_prefix(1);
    bool bracket = !path.empty() && path[0] == '[';
    size_t end = bracket ? path.find(']') : std::min(path.find_first_of(".["), path.size());
    if (end == path.npos) return false;
    std::string_view name = bracket ? path.substr(1, end - 1) : path.substr(0, end);
    path.remove_prefix(end + bracket);
    if (events_.type() == YAML_SEQUENCE_START_EVENT) return into_sequence(name);
    return events_.type() == YAML_MAPPING_START_EVENT && into_mapping(name, path.empty());
  }

  bool into_sequence(std::string_view index) {
    size_t wanted = 0;
    for (char c : index) {
      if (c < '0' || c > '9' || wanted > 1000000) return false;
      wanted = wanted * 10 + static_cast<size_t>(c - '0');
    }
    for (size_t i = 0;; i++) {
      if (!events_.next() || events_.type() == YAML_SEQUENCE_END_EVENT) return false;
      if (i == wanted) break;
      if (!skip()) return false;
    }
    best_ = events_.position();
    return true;
  }

  bool into_mapping(std::string_view name, bool last) {
    for (;;) {
      if (!events_.next() || events_.type() == YAML_MAPPING_END_EVENT) return false;
      bool here = events_.type() == YAML_SCALAR_EVENT && view(events_.event().data.scalar.value) == name;
      Position at = events_.position();
      if (!skip() || !events_.next()) return false;
      if (here) {
        best_ = key_ && last ? at : events_.position();
        return true;
      }
      if (!skip()) return false;
    }
  }

  // Skips the rest of the node whose first event is current.
  bool skip() {
    int depth = 0;
    for (;;) {
      auto type = events_.type();
      depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
      depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
      if (depth == 0) return true;
      if (!events_.next()) return false;
    }
  }

  Events events_;
  bool key_;
  Position best_ = {1, 1};
};

std::string_view trim(std::string_view s) {
  size_t first = s.find_first_not_of(" \t\r\n");
  return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(" \t\r\n") - first + 1);
}

// Puts a position inside a document into its file.
Position in_file(const YamlDocument& d, Position p) {
  return {d.line + p.line - 1, p.line == 1 ? d.column + p.column - 1 : p.column};
}

Error in_file(const YamlDocument& d, const Error& error) {
  std::string text = d.index > 1 ? "document " + std::to_string(d.index) + ": " + error.text : error.text;
  return {std::move(text), in_file(d, error.position)};
}

// Length of the JSON value at the start of `text`, going by brackets and quotes alone.
size_t json_length(std::string_view text) {
  size_t depth = 0;
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
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
    if (!quoted && depth == 0 && c != '"') return i + 1;
  }
  return text.size();
}

// Moves a document's start behind `skipped`.
void move_on(YamlDocument& d, std::string_view skipped) {
  for (char c : skipped) {
    if (c == '\n') {
      d.line++;
      d.column = 1;
    } else {
      d.column += (c & 0xc0) != 0x80;
    }
  }
}

// JSON documents one after the other. With an error if one is bad; `read` then tells how many were good.
std::optional<Error> read_json_stream(std::string_view text, JsonReader& reader, Arena& arena,
                                      std::vector<YamlDocument>& out) {
  YamlDocument d;
  d.line = 1;
  for (;;) {
    size_t space = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    move_on(d, text.substr(0, space));
    text.remove_prefix(space);
    if (text.empty()) return {};
    d.text = text.substr(0, json_length(text));
    auto value = reader.read(d.text, arena);
    if (!value.ok()) return in_file(d, value.error());
    d.value = *value;
    out.push_back(d);
    move_on(d, d.text);
    text.remove_prefix(d.text.size());
    d.index++;
  }
}

// One chunk between separators: JSON if it looks like it (its errors are then JSON's unless it is good YAML).
Result<Value> read_chunk(std::string_view text, JsonReader& reader, Arena& arena) {
  if (!trim(text).starts_with('{')) return read_yaml(text, arena);
  auto json = reader.read(text, arena);
  if (json.ok()) return json;
  auto yaml = read_yaml(text, arena);
  return yaml.ok() ? yaml : json;
}

std::optional<Error> read_yaml_stream(std::string_view text, JsonReader& reader, Arena& arena,
                                      std::vector<YamlDocument>& out) {
  YamlDocument d;
  int line = 1;
  size_t start = 0;
  auto finish = [&](size_t end, int next_line) -> std::optional<Error> {
    d.text = text.substr(start, end - start);
    if (!d.text.empty()) {
      auto value = read_chunk(d.text, reader, arena);
      if (!value.ok()) return in_file(d, value.error());
      d.value = *value;
      out.push_back(d);
      d.index++;
    }
    d.line = next_line;
    return {};
  };
  for (size_t at = 0; at < text.size(); line++) {
    size_t end = std::min(text.find('\n', at), text.size());
    size_t next = std::min(end + 1, text.size());
    if (text.substr(at, 3) == "---") {
      std::string_view rest = trim(text.substr(at + 3, end - at - 3));
      if (!rest.empty() && rest[0] != '#') {
        return Error{"invalid Yaml document separator: " + std::string(rest), {line, 1}};
      }
      if (auto error = finish(at, line + 1)) return error;
      start = next;
    }
    at = next;
  }
  return finish(text.size(), line);
}

}  // namespace

Result<Value> read_yaml(std::string_view text, Arena& arena) { return Composer(text, arena).document(); }

Result<std::vector<YamlDocument>> read_documents(std::string_view text, JsonReader& reader, Arena& arena) {
  std::vector<YamlDocument> documents;
  std::optional<Error> json_error;
  if (trim(text).starts_with('{')) {
    json_error = read_json_stream(text, reader, arena, documents);
    if (!json_error) return documents;
    documents.clear();
  }
  auto yaml_error = read_yaml_stream(text, reader, arena, documents);
  if (yaml_error) return json_error ? *json_error : *yaml_error;
  return documents;
}

Position locate(const YamlDocument& document, std::string_view path, bool key) {
  return in_file(document, Locator(document.text, key).find(path));
}

}  // namespace portcullis
