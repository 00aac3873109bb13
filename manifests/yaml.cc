// See yaml.h. Composer makes Values from events.
#include "manifests/yaml.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "interpreter/values/native.h"
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

// Whether a text has nothing but directives and comments: those of another document, which goyaml does not read.
bool is_only_directives(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    const size_t first = line.find_first_not_of(" \t");
    if (first != line.npos && line[first] != '#' && line[0] != '%') return false;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return true;
}

// Makes the value of the only document of a text; `second` is the error of another one. Aliases share the value of
// their anchor; the copies that goyaml's decoder would make are only counted.
class Composer {
 public:
  // A part of a file.
  Composer(std::string_view text, int first_line, Arena& arena)
      : events_(text, YamlForm::Lines, first_line), arena_(arena), second_(kNotSplit) {}
  // The text of one document.
  Composer(std::string_view text, Arena& arena, RepeatedKeys repeated)
      : events_(text), arena_(arena), second_(kOneOnly), repeated_(repeated) {}

  Result<Value> document() {
    Value value;
    if (!advance()) return *error_;  // stream start
    if (!advance()) return *error_;
    if (events_.type() == YAML_STREAM_END_EVENT) return value;
    if (!advance() || !node(value)) return *error_;
    if (!advance()) return *error_;  // document end
    const std::string_view rest = events_.from_here();
    if (!advance()) return is_only_directives(rest) ? Result<Value>(value) : *error_;
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

  // Reads the node of the current event; its last event becomes the current one. What nests is on open_, not on the
  // stack of the thread.
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
    return make_native_map(entries, n);
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
  RepeatedKeys repeated_ = RepeatedKeys::Refused;
  std::vector<Value> values_;
  std::vector<Collection> open_;  // the first depth_; the memory of the others is reused
  size_t depth_ = 0;
  int reached_ = 0;  // how deep the node that was read last nests
  std::unordered_map<std::string, Anchor> anchors_;
  double count_ = 0;        // decoded nodes, with aliases expanded
  double alias_count_ = 0;  // those of them that came from aliases
  std::optional<Error> error_;
};

}  // namespace

Result<Value> read_yaml(std::string_view text, Arena& arena, RepeatedKeys repeated) {
  return Composer(text, arena, repeated).document();
}

Result<Value> read_yaml_chunk(std::string_view text, int first_line, Arena& arena) {
  return Composer(text, first_line, arena).document();
}

}  // namespace portcullis
