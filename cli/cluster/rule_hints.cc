// See rule_hints.h.
#include "cli/cluster/rule_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "admission/crd/decl_type.h"
#include "admission/scalars/spelling.h"
#include "grammar/ascii.h"
#include "grammar/escape.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

using crd::Schema;
using crd::SchemaPtr;

constexpr int kDeepest = 4;           // levels in which a field is looked for
constexpr size_t kMostPlaces = 1000;  // places in which it is

bool in_word(char c) { return is_alphanumeric(c) || c == '_'; }

// A place in a schema. `resource`: it is that of a whole object, of whose metadata only the names are visible.
struct At {
  SchemaPtr schema;
  bool resource = false;
  bool metadata = false;  // of a whole object
};

At step(const At& at, const SchemaPtr& to, std::string_view name = {}) {
  return {to, to != nullptr && to->embedded_resource, at.resource && name == "metadata"};
}
At property(const At& at, std::string_view name) {
  const SchemaPtr seen = at.resource ? crd::with_object_meta(at.schema) : at.schema;
  const auto found = seen->properties.find(name);
  return found == seen->properties.end() ? At{} : step(at, found->second, name);
}
At element(const At& at) {
  return at.schema == nullptr
             ? At{}
             : step(at, at.schema->items != nullptr ? at.schema->items : at.schema->additional);
}
At field(const At& at, std::string_view word) {
  if (at.schema == nullptr) return {};
  if (at.schema->additional != nullptr) return element(at);
  return property(at, unescape_property(word).value_or(std::string(word)));
}

// The places from the root of the schema at `root_path` to that of the rule at `path`, with the name of each property.
std::vector<std::pair<std::string, At>> places_to(const SchemaPtr& root, std::string_view rest) {
  std::vector<std::pair<std::string, At>> out{{"", {root, true, false}}};
  while (out.back().second.schema != nullptr) {
    const At& at = out.back().second;
    if (rest.starts_with(".properties[")) {
      const size_t end = std::min(rest.find(']'), rest.size() - 1);
      const std::string name(rest.substr(12, end - 12));
      At next = property(at, name);
      rest.remove_prefix(end + 1);
      out.emplace_back(name, std::move(next));
    } else if (rest.starts_with(".items") || rest.starts_with(".additionalProperties")) {
      rest.remove_prefix(rest.starts_with(".items") ? 6 : 21);
      out.emplace_back("", element(at));
    } else {
      break;
    }
  }
  return out;
}

// Finds what the expression that ends before `end` of a rule is.
class Operand {
 public:
  Operand(std::string_view text, const At& self) : text_(text), self_(self) {}

  At find(size_t end, int depth = 0) const {
    while (end > 0 && text_[end - 1] == ' ') end--;
    if (end == 0 || depth > kDeepest) return {};
    if (text_[end - 1] == ']') {
      const size_t open = opening(end - 1);
      return open == text_.npos ? At{} : element(find(open, depth));
    }
    size_t start = end;
    while (start > 0 && in_word(text_[start - 1])) start--;
    const std::string_view word = text_.substr(start, end - start);
    if (word.empty()) return {};
    if (start > 0 && text_[start - 1] == '.') return field(find(start - 1, depth), word);
    if (word == "self" || word == "oldSelf") return self_;
    return variable(word, start, depth);
  }

 private:
  // The bracket that the one at `close` closes.
  size_t opening(size_t close) const {
    int open = 0;
    for (size_t i = close + 1; i-- > 0;) {
      open += text_[i] == ']' ? 1 : text_[i] == '[' ? -1 : 0;
      if (open == 0) return i;
    }
    return text_.npos;
  }

  // What the innermost macro before `use` gives its variable: `list.all(x, ...)`.
  At variable(std::string_view word, size_t use, int depth) const {
    for (size_t at = text_.rfind(word, use); at != text_.npos && at > 0; at = text_.rfind(word, at - 1)) {
      const size_t after = text_.find_first_not_of(' ', at + word.size());
      size_t open = text_.find_last_not_of(' ', at - 1);
      if (after == text_.npos || text_[after] != ',' || open == text_.npos || text_[open] != '(') continue;
      size_t name = open;
      while (name > 0 && in_word(text_[name - 1])) name--;
      constexpr std::string_view kMacros[] = {"all", "exists", "exists_one", "existsOne", "filter", "map"};
      if (name == 0 || text_[name - 1] != '.' ||
          std::ranges::count(kMacros, text_.substr(name, open - name)) == 0)
        continue;
      const At over = find(name - 1, depth + 1);
      return over.schema != nullptr && over.schema->items != nullptr ? element(over)
                                                                     : At{};  // of a map: a key
    }
    return {};
  }

  std::string_view text_;
  At self_;
};

}  // namespace

struct RuleHints::Search {
  std::map<SchemaPtr, std::vector<std::string>>& known;

  // The fields of an object that rules can read, as they write them.
  const std::vector<std::string>& visible(const At& at) {
    static const std::vector<std::string> kNone;
    if (at.schema == nullptr || at.schema->type != "object" || at.schema->additional != nullptr) return kNone;
    const auto [found, fresh] = known.try_emplace(at.schema);
    if (!fresh) return found->second;
    const crd::DeclTypes types(at.schema, at.resource, "self");
    if (types.root() == nullptr) return kNone;
    for (const auto& [name, type] : types.root()->fields) found->second.push_back(name);
    return found->second;
  }
  bool sees(const At& at, std::string_view name) { return std::ranges::count(visible(at), name) > 0; }

  // The paths to the nearest fields of this name below a place, all in one level; lists and maps are not entered.
  std::vector<std::string> below(const At& at, std::string_view name) {
    std::vector<std::pair<std::string, At>> level{{"", at}};
    std::vector<std::string> out;
    size_t places = 0;
    for (int depth = 0; depth < kDeepest && out.empty(); depth++) {
      std::vector<std::pair<std::string, At>> next;
      for (const auto& [path, place] : level) {
        for (const std::string& one : visible(place)) {
          if (++places > kMostPlaces) return {};  // there may be others as near
          At to = field(place, one);
          if (to.metadata || to.schema == nullptr || to.schema->additional != nullptr) continue;
          if (sees(to, name)) out.push_back(path + "." + one + "." + std::string(name));
          next.emplace_back(path + "." + one, std::move(to));
        }
      }
      level = std::move(next);
    }
    return out;
  }

  // What helps where `name` is no field of `at`, which is written `operand`. `places`: from the root to that of the rule.
  std::string field_hint(const At& at, std::string_view name, std::string_view operand,
                         const std::vector<std::pair<std::string, At>>& places) {
    if (at.metadata) return "of metadata, rules can read only name and generateName";
    const At hidden = at.schema->additional == nullptr ? field(at, name) : At{};
    if (at.schema->preserve_unknown_fields && hidden.schema == nullptr)
      return "rules can read only fields that the schema declares; others are kept "
             "(x-kubernetes-preserve-unknown-fields), "
             "but not seen";
    if (hidden.schema != nullptr) {
      return hidden.schema->preserve_unknown_fields
                 ? "rules cannot read what x-kubernetes-preserve-unknown-fields keeps without a type and "
                   "properties"
                 : "the schema of this field has no type that rules can read";
    }
    const bool is_self = operand == "self" || operand == "oldSelf";
    if (is_self && places.size() > 1 && places.back().first == name)
      return fmt::format("{0} is {1} itself here: {0}.FIELD reads a field of it", operand, name);
    if (is_self) {
      for (size_t i = places.size() - 1; i-- > 0;) {
        if (places[i].second.schema == nullptr || !sees(places[i].second, name)) continue;
        return fmt::format("{} is a field of {}, and a rule reads only what is below its own place", name,
                           i == 0                    ? "the whole object"
                           : places[i].first.empty() ? "what is around"
                                                     : places[i].first);
      }
    }
    const bool of_all = name == "metadata" || name == "kind" || name == "apiVersion";
    const auto meant_path = [&](const At& from, std::string_view written) {
      const auto paths = of_all ? std::vector<std::string>() : below(from, name);
      return paths.size() == 1 ? fmt::format("did you mean {}{}?", written, paths.front()) : std::string();
    };
    if (std::string meant = meant_path(at, operand); !meant.empty()) return meant;
    const std::vector<std::string>& names = visible(at);
    if (const std::string_view meant = nearest(name, names); !meant.empty() && meant != name)
      return did_you_mean(meant);
    if (is_self) return {};
    const At& self = places.back().second;
    return sees(self, name) ? did_you_mean("self." + std::string(name)) : meant_path(self, "self");
  }
};

RuleHints::RuleHints(const crd::Definition& definition) : schemas_(definition.schemas()) {}

std::string RuleHints::meant_field(std::string_view issue, Position position, std::string_view text,
                                   std::string_view path) {
  constexpr std::string_view kUndefined = "undefined field '";
  if (!issue.starts_with(kUndefined)) return {};
  std::string_view name = issue.substr(kUndefined.size());
  name = name.substr(0, name.rfind('\''));
  for (const auto& [root_path, root] : schemas_) {
    if (!path.starts_with(root_path)) continue;
    const auto places = places_to(root, path.substr(root_path.size()));
    At self = places.back().second;
    if (self.schema == nullptr) return {};
    size_t end = offset_in(text, position);
    if (end < text.size() && text[end] == '(') end = text.find("." + std::string(name), end);  // has(self.x)
    if (end >= text.size() || text[end] != '.') return {};
    const At at = Operand(text, self).find(end);
    if (at.schema == nullptr) return {};
    size_t start = end;
    while (start > 0 && (in_word(text[start - 1]) || text[start - 1] == '.')) start--;
    return Search{visible_}.field_hint(at, name, text.substr(start, end - start), places);
  }
  return {};
}

}  // namespace portcullis
