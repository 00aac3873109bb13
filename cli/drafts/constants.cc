#include "cli/drafts/constants.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

constexpr int64_t kSmallestInt = std::numeric_limits<int64_t>::min(),
                  kLargestInt = std::numeric_limits<int64_t>::max();

// A list or map whose first element is another one; without elements there is none, and null is the other one.
std::string other_container(const std::string& json) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok() || !(value->is(Kind::Map) || value->is(Kind::List)) || value->size() == 0) return "null";
  const bool map = value->is(Kind::Map);
  std::string out = map ? "{" : "[";
  for (size_t i = 0; i < value->size(); i++) {
    if (map) out += quote_json(value->as_map()[i].key.as_text()) + ":";
    const std::string item = to_json(map ? value->as_map()[i].value : value->as_list()[i]);
    out += (i == 0 ? other_than(item) : item) + (i + 1 < value->size() ? "," : "");
  }
  return out + (map ? "}" : "]");
}

}  // namespace

int64_t plus(int64_t n, int64_t more) {
  int64_t sum = 0;
  return !__builtin_add_overflow(n, more, &sum) ? sum : more < 0 ? kSmallestInt : kLargestInt;
}

std::optional<std::string> text_in(const std::string& json) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok() || !value->is(Kind::String)) return std::nullopt;
  return std::string(value->as_text());
}

std::optional<int64_t> number_in(const std::string& json) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok() || !value->is(Kind::Int)) return std::nullopt;
  return value->as_int();
}
std::vector<std::string> items_in(const std::string& json, size_t most) {
  std::vector<std::string> out;
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  if (!value.ok()) return out;
  if (value->is(Kind::List)) {
    for (const Value& v : value->as_list().first(std::min<size_t>(most, value->size())))
      out.push_back(to_json(v));
  } else if (value->is(Kind::Map)) {
    for (const MapEntry& e : value->as_map().first(std::min<size_t>(most, value->size())))
      out.push_back(quote_json(e.key.as_text()));
  }
  return out;
}
std::optional<std::string> member_in(const std::string& json, const std::string& name) {
  Arena arena;
  const Result<Value> value = read_json(json, arena);
  const Value* found = value.ok() ? find_member(*value, name) : nullptr;
  return found == nullptr ? std::nullopt : std::optional(to_json(*found));
}

std::string other_than(const std::string& json) {
  if (json == "true") return "false";
  if (json == "false") return "true";
  if (const auto text = text_in(json)) return quote_json(*text + "x");
  if (const auto number = number_in(json))
    return std::to_string(*number == kLargestInt ? *number - 1 : *number + 1);
  return json == "null" ? R"("x")" : other_container(json);
}

std::string scaled(const std::string& text, bool greater) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  constexpr size_t kMostDigits = 12;
  if (end == 0 || end > kMostDigits) return {};
  const int64_t number = std::stoll(text.substr(0, end));
  if (greater) return std::to_string(number * 2 + 1) + text.substr(end);
  return number == 0 ? "-1" : std::to_string(number / 2) + text.substr(end);
}

std::optional<Relation> relation_of(const Expr& e) {
  static constexpr std::pair<std::string_view, Relation> kRelations[] = {
      {operators::kLess, Relation::Less},       {operators::kLessEquals, Relation::LessEquals},
      {operators::kEquals, Relation::Equals},   {operators::kNotEquals, Relation::NotEquals},
      {operators::kGreater, Relation::Greater}, {operators::kGreaterEquals, Relation::GreaterEquals}};
  for (const auto& [name, relation] : kRelations) {
    if (e.is_call(name, 2)) return relation;
  }
  return std::nullopt;
}
Relation negated(Relation r) { return static_cast<Relation>(5 - static_cast<int>(r)); }
Relation turned(Relation r) {
  const bool symmetric = r == Relation::Equals || r == Relation::NotEquals;
  return symmetric ? r
                   : negated(r == Relation::Less         ? Relation::LessEquals
                             : r == Relation::LessEquals ? Relation::Less
                             : r == Relation::Greater    ? Relation::GreaterEquals
                                                         : Relation::Greater);
}
std::vector<int64_t> numbers_for(Relation r, int64_t n) {
  const int64_t less = plus(n, -1), greater = plus(n, 1);
  switch (r) {
    case Relation::Less: return {less, 0};
    case Relation::LessEquals: return {n, less};
    case Relation::Equals: return {n};
    case Relation::NotEquals: return {greater, less};
    case Relation::Greater: return {greater, plus(n, 100)};
    case Relation::GreaterEquals: return {n, greater};
  }
  return {};
}

bool holds(int64_t a, Relation r, int64_t b) {
  switch (r) {
    case Relation::Less: return a < b;
    case Relation::LessEquals: return a <= b;
    case Relation::Equals: return a == b;
    case Relation::NotEquals: return a != b;
    case Relation::Greater: return a > b;
    case Relation::GreaterEquals: return a >= b;
  }
  return false;
}

std::string related_to(const std::string& json, Relation r) {
  if (r == Relation::NotEquals) return other_than(json);
  if (r != Relation::Less && r != Relation::Greater) return json;
  if (const auto number = number_in(json)) return std::to_string(numbers_for(r, *number)[0]);
  const auto text = text_in(json);
  const std::string other = text ? scaled(*text, r == Relation::Greater) : "";
  return other.empty() ? other : quote_json(other);
}

}  // namespace portcullis::drafts
