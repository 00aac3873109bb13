// See smallest.h.
#include "cli/drafts/smallest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

constexpr size_t kLargest = 1 << 20;  // lists of lists can be huge
constexpr int64_t kMostCharacters = 100'000;
constexpr int64_t kMostElements = 100;  // of a list or map

int64_t bound_of(const Value& schema, std::string_view keyword, int64_t otherwise, int64_t most) {
  const Value* v = find_member(schema, keyword, Kind::Int);
  return v == nullptr ? otherwise : std::clamp<int64_t>(v->as_int(), 0, most);
}

bool has_flag(const Value& schema, std::string_view keyword) {
  const Value* v = find_member(schema, keyword, Kind::Bool);
  return v != nullptr && v->as_bool();
}

std::optional<double> number_at(const Value& schema, std::string_view keyword) {
  const Value* v = find_member(schema, keyword);
  if (v == nullptr || !(v->is(Kind::Int) || v->is(Kind::Double))) return std::nullopt;
  return v->is(Kind::Int) ? static_cast<double>(v->as_int()) : v->as_double();
}

// The number at a distance from the least; from 1 if there is no least and 1 is not too much.
std::string number_of(const Value& schema, bool whole, size_t number) {
  const std::optional<double> least = number_at(schema, "minimum"), most = number_at(schema, "maximum"),
                              unit = number_at(schema, "multipleOf");
  const bool above = least && has_flag(schema, "exclusiveMinimum"),
             below = most && has_flag(schema, "exclusiveMaximum");
  const double step = unit && *unit > 0 ? *unit : 1;
  double value = least ? *least : most ? std::min(1.0, *most) : 1;
  if (unit || whole)
    value = least || !most ? std::ceil(value / step) * step : std::floor(value / step) * step;
  if (above && value <= *least) value += step;
  if (below && value >= *most) value -= step;
  const bool fraction = !unit && !whole && least && most;
  if (fraction &&
      (value < *least || value > *most || (above && value == *least) || (below && value == *most)))
    value = (*least + *most) / 2;
  value += static_cast<double>(number) * step;
  if (!std::isfinite(value)) return "1";  // of a tiny unit, say
  constexpr double kExact = 1e15;
  const bool exact = value == std::floor(value) && std::abs(value) < kExact;
  if (exact) return std::to_string(static_cast<int64_t>(value));
  const Value* bound = find_member(schema, least ? "minimum" : "maximum");
  return bound == nullptr || std::abs(value) < kExact ? fmt::format("{}", value) : to_json(*bound);
}

}  // namespace

std::string_view text_of_format(std::string_view format) {
  static constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"byte", "eA=="},
      {"cidr", "192.0.2.0/24"},
      {"date", "2026-01-01"},
      {"date-time", "2026-01-01T00:00:00Z"},
      {"datetime", "2026-01-01T00:00:00Z"},
      {"duration", "1h"},
      {"email", "a@example.com"},
      {"hexcolor", "#000000"},
      {"hostname", "example.com"},
      {"ip", "192.0.2.1"},
      {"ipv4", "192.0.2.1"},
      {"ipv6", "2001:db8::1"},
      {"mac", "00:00:5e:00:53:01"},
      {"uri", "https://example.com"},
      {"uuid", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}};
  for (const auto& [name, text] : kFormats) {
    if (format == name) return text;
  }
  return {};
}

namespace {

std::string string_of(const Value& schema, size_t number) {
  if (const std::string_view text = text_of_format(text_member(schema, "format")); !text.empty())
    return quote_json(text);
  const int64_t length = std::min(std::max<int64_t>(bound_of(schema, "minLength", 1, kMostCharacters), 1),
                                  bound_of(schema, "maxLength", kMostCharacters, kMostCharacters));
  std::string text(static_cast<size_t>(length), 'x');
  if (const std::string digits = std::to_string(number); number > 0)
    text.replace(text.size() - std::min(text.size(), digits.size()), std::string::npos, digits);
  return quote_json(text);
}

class Smallest {
 public:
  // `number`: of the element among others, from which it differs.
  std::string of(const Value& schema, int depth, size_t number) {
    if (depth > kDeepest || left_ == 0) return "{}";
    std::string made = make(schema, depth, number);
    left_ -= std::min(left_, made.size());
    return made;
  }

 private:
  std::string make(const Value& schema, int depth, size_t number) {
    if (const Value* given = find_member(schema, "default")) return to_json(*given);
    if (const Value* values = find_member(schema, "enum", Kind::List);
        values != nullptr && values->size() > 0)
      return to_json(values->as_list()[number % values->size()]);
    const std::string_view type = text_member(schema, "type");
    if (type == "string") return string_of(schema, number);
    if (type == "integer" || type == "number") return number_of(schema, type == "integer", number);
    if (type == "boolean") return number % 2 == 0 ? "false" : "true";
    if (type == "array") return list(schema, depth);
    if (type == "object") return map(schema, depth, number);
    return std::to_string(number + 1);  // x-kubernetes-int-or-string
  }

  std::string list(const Value& schema, int depth) {
    const Value* items = find_member(schema, "items", Kind::Map);
    const int64_t count = items == nullptr ? 0 : bound_of(schema, "minItems", 0, kMostElements);
    const std::string_view sort = text_member(schema, "x-kubernetes-list-type");
    const bool differ = sort == "set" || sort == "map";
    std::string out;
    for (int64_t i = 0; i < count; i++)
      out += (i > 0 ? "," : "") + of(*items, depth + 1, differ ? static_cast<size_t>(i) : 0);
    return "[" + out + "]";
  }

  // The names that a schema requires, and those of the first alternative.
  static void add_required(const Value& schema, std::vector<std::string_view>& out, int depth) {
    if (const Value* names = find_member(schema, "required", Kind::List)) {
      for (const Value& name : names->as_list()) {
        if (name.is(Kind::String)) out.push_back(name.as_text());
      }
    }
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      const Value* parts = find_member(schema, keyword, Kind::List);
      const bool all = std::string_view(keyword) == "allOf";
      for (size_t i = 0; depth < kDeepest && parts != nullptr && i < (all ? parts->size() : 1); i++) {
        if (i < parts->size()) add_required(parts->as_list()[i], out, depth + 1);
      }
    }
  }

  std::string map(const Value& schema, int depth, size_t number) {
    const Value *properties = find_member(schema, "properties", Kind::Map),
                *more = find_member(schema, "additionalProperties", Kind::Map);
    std::vector<std::string_view> wanted;
    add_required(schema, wanted, depth);
    std::set<std::string_view> known;
    std::string out;
    size_t count = 0;
    const auto add = [&](std::string_view name, const std::string& json) {
      out += (out.empty() ? "" : ",") + quote_json(name) + ":" + json;
      count++;
    };
    for (const std::string_view name : wanted) {
      const Value* one = properties == nullptr ? nullptr : find_member(*properties, name, Kind::Map);
      if (one == nullptr) one = more;
      if (one == nullptr || !known.insert(name).second) continue;
      find_member(*one, "default") == nullptr ? add(name, of(*one, depth + 1, number)) : void(count++);
    }
    if (has_flag(schema, "x-kubernetes-embedded-resource")) {
      for (const auto& [name, json] : {std::pair("apiVersion", R"("v1")"), {"kind", R"("ConfigMap")"}}) {
        if (known.insert(name).second) add(name, json);
      }
      if (known.insert("metadata").second) add("metadata", R"({"name":"example"})");
    }
    const auto least = static_cast<size_t>(bound_of(schema, "minProperties", 0, kMostElements));
    for (size_t i = 0; properties != nullptr && i < properties->size() && count < least; i++) {
      const MapEntry& e = properties->as_map()[i];
      if (e.value.is(Kind::Map) && known.insert(e.key.as_text()).second)
        add(e.key.as_text(), of(e.value, depth + 1, number));
    }
    for (size_t i = 0; more != nullptr && count < least; i++) {
      const std::string name = i == 0 ? "key" : fmt::format("key{}", i);
      if (!known.contains(name)) add(name, of(*more, depth + 1, number));
    }
    return "{" + out + "}";
  }

  size_t left_ = kLargest;
};

}  // namespace

std::string smallest_of(const Value& schema) { return Smallest().of(schema, 0, 0); }

}  // namespace portcullis::drafts
