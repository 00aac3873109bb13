// See positions.h.
#include "manifests/positions.h"

#include <algorithm>
#include <optional>
#include <span>

#include "interpreter/values/json.h"
#include "manifests/yaml_events.h"

namespace portcullis {

// Adds nodes in the order of the text.
class PositionsBuilder {
 public:
  explicit PositionsBuilder(Positions& out) : out_(out) {}

  // Sets the name of the next node.
  void key(std::string_view name, Position at) {
    next_.key = static_cast<uint32_t>(out_.keys_.size());
    next_.key_length = static_cast<uint32_t>(name.size());
    next_.key_at = at;
    out_.keys_ += name;
  }
  void node(Position at) {
    next_.at = at;
    waiting_.push_back(static_cast<uint32_t>(out_.nodes_.size()));
    out_.nodes_.push_back(next_);
    next_ = {};
  }
  void open(Position at, bool is_list) {
    next_.is_list = is_list;
    open_.push_back(waiting_.size());
    node(at);
  }
  // Closes the innermost open node, whose children are complete.
  void close() {
    size_t self = open_.back();
    open_.pop_back();
    Positions::Node& node = out_.nodes_[waiting_[self]];
    node.first_child = static_cast<uint32_t>(out_.children_.size());
    node.children = static_cast<uint32_t>(waiting_.size() - self - 1);
    for (auto* list : {&out_.children_, &out_.by_key_})
      list->insert(list->end(), waiting_.begin() + static_cast<ptrdiff_t>(self) + 1, waiting_.end());
    if (!node.is_list && node.children > Positions::kFew) {
      std::ranges::stable_sort(std::span(out_.by_key_).last(node.children), {},
                               [&](uint32_t child) { return out_.key_of(out_.nodes_[child]); });
    }
    waiting_.resize(self + 1);
  }
  bool in_list() const { return out_.nodes_[waiting_[open_.back()]].is_list; }
  size_t depth() const { return open_.size(); }
  void finish() {
    while (!open_.empty()) close();
  }

 private:
  Positions& out_;
  Positions::Node next_;
  std::vector<uint32_t> waiting_;  // open nodes, each followed by its children so far
  std::vector<size_t> open_;       // the indices of open nodes in waiting_
};

namespace {

// Adds the nodes of YAML events; in a mapping, keys and values alternate.
void read_yaml_events(std::string_view text, PositionsBuilder& out) {
  YamlEvents events(text);
  std::vector<bool> key_next;  // for each open collection
  if (!events.next() || !events.next() || events.type() != YAML_DOCUMENT_START_EVENT) return;
  while (events.next()) {
    auto type = events.type();
    if (type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) break;
    if (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT) {
      out.close();
      key_next.pop_back();
      continue;
    }
    bool mapping = !key_next.empty() && !out.in_list();
    if (mapping && key_next.back()) {
      bool scalar = type == YAML_SCALAR_EVENT;
      if (!scalar && type != YAML_ALIAS_EVENT) break;  // a key that JSON cannot have
      out.key(scalar ? events.text() : "", events.position());
      key_next.back() = false;
      continue;
    }
    if (mapping) key_next.back() = true;
    bool list = type == YAML_SEQUENCE_START_EVENT;
    if (list || type == YAML_MAPPING_START_EVENT) {
      out.open(events.position(), list);
      key_next.push_back(true);
    } else {
      out.node(events.position());
    }
  }
  out.finish();
}

// Reads JSON, up to its first error.
class JsonWalk {
 public:
  JsonWalk(std::string_view text, PositionsBuilder& out) : text_(text), out_(out) {}

  // Reads one value and its contents.
  void run() {
    do {
      skip_space();
    } while (at_ < text_.size() && token(text_[at_]) && out_.depth() > 0);
    out_.finish();
  }

 private:
  // False if the token is not JSON.
  bool token(char c) {
    if (c == '{' || c == '[') {
      out_.open(position(), c == '[');
      key_next_ = c == '{';
      at_++;
    } else if (c == '}' || c == ']') {
      out_.close();
      at_++;
    } else if (c == ',') {
      key_next_ = !out_.in_list();
      at_++;
    } else if (c == ':') {
      at_++;
    } else if (c == '"') {
      Position start = position();
      std::string_view body = quoted();
      if (key_next_)
        out_.key(body.find('\\') == body.npos ? std::string(body) : unescaped(body), start);
      else
        out_.node(start);
      key_next_ = false;
    } else {
      size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
      if (end == at_) return false;
      out_.node(position());
      at_ = end;
    }
    return true;
  }

  // A text with escapes, as it is read; as it is written if it cannot be read.
  static std::string unescaped(std::string_view body) {
    Arena arena;
    const Result<Value> read = read_json("\"" + std::string(body) + "\"", arena);
    return std::string(read.ok() ? read->as_text() : body);
  }

  // The characters between the quotes, as written.
  std::string_view quoted() {
    size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    size_t end = std::min(at_, text_.size());
    at_ = std::min(end + 1, text_.size());
    return text_.substr(start, end - start);
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      at_++;
  }

  // The position of at_; continues from the last one.
  Position position() {
    for (; known_ < at_; known_++) {
      if (text_[known_] == '\n') {
        known_position_ = {known_position_.line + 1, 1};
      } else {
        known_position_.column += (text_[known_] & 0xc0) != 0x80;
      }
    }
    return known_position_;
  }

  std::string_view text_;
  PositionsBuilder& out_;
  size_t at_ = 0, known_ = 0;
  Position known_position_ = {1, 1};
  bool key_next_ = false;
};

// Whether a document is JSON: names in YAML's flow style may lack quotes.
bool looks_like_json(std::string_view text) {
  size_t brace = text.find_first_not_of(" \t\r\n");
  if (brace == text.npos || text[brace] != '{') return false;
  size_t next = text.find_first_not_of(" \t\r\n", brace + 1);
  return next != text.npos && (text[next] == '"' || text[next] == '}');
}

}  // namespace

Position root_position(std::string_view text) {
  YamlEvents events(text);
  for (int i = 0; i < 3; i++) {  // stream start, document start, root
    if (!events.next() || events.type() == YAML_STREAM_END_EVENT) return {1, 1};
  }
  return events.position();
}

Positions::Positions(std::string_view text) {
  PositionsBuilder builder(*this);
  if (looks_like_json(text)) {
    JsonWalk(text, builder).run();
  } else {
    read_yaml_events(text, builder);
  }
}

const Positions::Node* Positions::child(const Node& parent, std::string_view name) const {
  if (parent.is_list) {
    size_t index = 0;
    for (char c : name) {
      if (c < '0' || c > '9' || index >= parent.children) return nullptr;
      index = index * 10 + static_cast<size_t>(c - '0');
    }
    return name.empty() || index >= parent.children ? nullptr
                                                    : &nodes_[children_[parent.first_child + index]];
  }
  const auto key = [&](uint32_t child) { return key_of(nodes_[child]); };
  const auto children = std::span(by_key_).subspan(parent.first_child, parent.children);
  const auto found = parent.children > kFew ? std::ranges::lower_bound(children, name, {}, key)
                                            : std::ranges::find(children, name, key);
  return found != children.end() && key(*found) == name ? &nodes_[*found] : nullptr;
}

const Positions::Node* Positions::take_step(const Node& from, std::string_view& path) const {
  if (path[0] == '.') path.remove_prefix(1);
  if (path.empty() || path[0] != '[') {
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    path.remove_prefix(name.size());
    return child(from, name);
  }
  constexpr size_t kMostBrackets = 64;
  size_t end = path.find(']');
  for (size_t tried = 0; end != path.npos && tried < kMostBrackets; tried++, end = path.find(']', end + 1)) {
    const bool ends = end + 1 == path.size() || path[end + 1] == '.' || path[end + 1] == '[';
    if (const Node* found = ends ? child(from, path.substr(1, end - 1)) : nullptr) {
      path.remove_prefix(end + 1);
      return found;
    }
  }
  return nullptr;
}

Position Positions::find(std::string_view path, bool key) const {
  if (nodes_.empty()) return {1, 1};
  const Node* at = &nodes_[0];
  while (!path.empty()) {
    const Node* next = take_step(*at, path);
    if (next == nullptr) return at->at;
    if (path.empty() && key && !at->is_list) return next->key_at;
    at = next;
  }
  return at->at;
}

std::optional<std::pair<std::string, Position>> Positions::repeated_key() const {
  std::vector<const Node*> keys;
  for (const Node& node : nodes_) {
    if (node.is_list) continue;
    keys.clear();
    for (uint32_t i = 0; i < node.children; i++) keys.push_back(&nodes_[children_[node.first_child + i]]);
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const Node* a, const Node* b) { return key_of(*a) < key_of(*b); });
    auto same = std::adjacent_find(keys.begin(), keys.end(),
                                   [&](const Node* a, const Node* b) { return key_of(*a) == key_of(*b); });
    if (same != keys.end()) return std::pair(std::string(key_of(**same)), same[1]->key_at);
  }
  return std::nullopt;
}

}  // namespace portcullis
