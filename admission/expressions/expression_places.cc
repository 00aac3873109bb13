#include "admission/expressions/expression_places.h"

#include <algorithm>
#include <optional>

#include "admission/expressions/expression.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

using enum ExpressionRole;
using Budget = ExpressionBudget;

constexpr std::string_view kEach = "[*].";  // in the path of a list: each element of the list before it

const std::vector<ExpressionPlace>& rows() {
  constexpr std::string_view kConditions = "spec.matchConditions", kHooks = "webhooks[*].matchConditions",
                             kVariables = "spec.variables", kValidations = "spec.validations",
                             kAnnotations = "spec.auditAnnotations", kMutations = "spec.mutations";
  using Types = std::vector<const Type*>;
  const Types boolean = {types::kBool}, text = {types::kString}, note = {types::kString, types::kNull},
              object = {apply_configuration_type()}, patch = {json_patch_list_type()};
  constexpr bool yes = true, no = false;
  // role, list, field, name, results, authorizer, variables, patch types, budget, trimmed, earlier.
  // Upstream searches for variables of the old object among its validations, and for JSON patches among its
  // apply configurations.
  static const std::vector<ExpressionPlace> made = {
      {MatchCondition, kConditions, "expression", "name", boolean, yes, no, no, Budget::MatchConditions, yes,
       MatchCondition},
      {Variable, kVariables, "expression", "name", {}, yes, yes, no, Budget::Reader, no, Validation},
      {Validation, kValidations, "expression", "", boolean, yes, yes, no, Budget::Validations, no,
       Validation},
      {Message, kValidations, "messageExpression", "", text, no, yes, no, Budget::Validations, no, Message},
      {Annotation, kAnnotations, "valueExpression", "key", note, yes, yes, no, Budget::Annotations, yes,
       Annotation},
      {ApplyConfiguration, kMutations, "applyConfiguration.expression", "", object, yes, yes, yes,
       Budget::Mutation, yes, ApplyConfiguration},
      {JsonPatch, kMutations, "jsonPatch.expression", "", patch, yes, yes, yes, Budget::Mutation, yes,
       ApplyConfiguration},
      {MatchCondition, kHooks, "expression", "name", boolean, yes, no, no, Budget::MatchConditions, yes,
       MatchCondition},
  };
  return made;
}

// --- access to decoded (Data) and undecoded (Value) objects: a field, the items of a list, a text. An absent
// value is null; an absent text is empty in a struct, and none in undecoded data.

Data member(const Data& d, std::string_view field) { return d[field]; }
Value member(const Value& v, std::string_view field) {
  const Value* found = find_member(v, field);
  return found == nullptr ? Value::null() : *found;
}
DataList elements(const Data& d) { return d.items; }
std::span<const Value> elements(const Value& v) { return list_items(v); }
std::optional<std::string_view> text_of(const Data& d) {
  return d.field != nullptr ? std::optional(d.text) : std::nullopt;
}
std::optional<std::string_view> text_of(const Value& v) {
  return v.is(Kind::String) ? std::optional(v.as_text()) : std::nullopt;
}

template <class Node>
Node at(Node node, std::string_view path) {
  while (!path.empty()) {
    size_t dot = std::min(path.find('.'), path.size());
    node = member(node, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node;
}

std::string list_item(std::string_view list, size_t i) {
  return std::string(list).append("[").append(std::to_string(i)).append("]");
}

// Adds the expressions in the list at `path`. `places`: the rows of that list.
template <class Node>
void add_list(const Node& list, const std::string& path, int webhook, std::span<const ExpressionPlace> places,
              std::vector<PlacedExpression>& out) {
  const auto entries = elements(list);
  for (size_t i = 0; i < entries.size(); i++) {
    const Node entry = entries[i];
    for (const ExpressionPlace& place : places) {
      auto text = text_of(at(entry, place.field));
      if (!text) continue;
      out.push_back({&place, webhook, i, list_item(path, i).append(".").append(place.field),
                     place.name.empty() ? "" : text_of(member(entry, place.name)).value_or(""), *text});
    }
  }
}

template <class Node>
std::vector<PlacedExpression> walk(const Node& object) {
  std::vector<PlacedExpression> out;
  std::span<const ExpressionPlace> rest = rows();
  while (!rest.empty()) {
    std::string_view list = rest[0].list;
    size_t count = 1;
    while (count < rest.size() && rest[count].list == list) count++;
    auto places = rest.first(count);
    rest = rest.subspan(count);
    size_t each = list.find(kEach);
    if (each == list.npos) {
      add_list(at(object, list), std::string(list), -1, places, out);
      continue;
    }
    std::string_view outer = list.substr(0, each), inner = list.substr(each + kEach.size());
    const auto hooks = elements(at(object, outer));
    for (size_t i = 0; i < hooks.size(); i++) {
      add_list(at(Node(hooks[i]), inner), list_item(outer, i).append(".").append(inner), static_cast<int>(i),
               places, out);
    }
  }
  return out;
}

}  // namespace

std::span<const ExpressionPlace> expression_places() { return rows(); }

const ExpressionPlace& place_of(ExpressionRole role) {
  return *std::ranges::find(rows(), role, &ExpressionPlace::role);
}

const ExpressionPlace* place_at(std::string_view path) {
  std::string pattern;  // `path` with `[*]` for each index
  for (size_t i = 0; i < path.size(); i++) {
    pattern += path[i];
    if (path[i] != '[') continue;
    pattern += "*]";
    i = path.find(']', i);
    if (i == path.npos) return nullptr;
  }
  for (const ExpressionPlace& place : rows()) {
    if (pattern == std::string(place.list).append(kEach).append(place.field)) return &place;
  }
  return nullptr;
}

std::string expression_path(ExpressionRole role, size_t index) {
  const ExpressionPlace& place = place_of(role);
  return list_item(place.list, index).append(".").append(place.field);
}

std::vector<PlacedExpression> expressions_of(const Data& object) { return walk(object); }
std::vector<PlacedExpression> expressions_of(const Value& object) { return walk(object); }

}  // namespace portcullis
