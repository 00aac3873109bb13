#include "admission/objects/field_error.h"

#include <fmt/format.h>

#include "grammar/quote.h"
#include "interpreter/formats/number.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/value.h"

namespace portcullis {
namespace {

// `what`: the text of the error type in Go; `shown`: the bad value in the message, empty if the message has
// none.
FieldError make(std::string_view type, std::string_view what, std::string path, std::string_view shown,
                std::string_view detail, std::string bad_value) {
  FieldError e;
  e.type = type;
  e.message = fmt::format("{}: {}", path, what);
  if (!shown.empty()) e.message += fmt::format(": {}", shown);
  if (!detail.empty()) e.message += fmt::format(": {}", detail);
  e.field = std::move(path);
  e.detail = detail;
  e.bad_value = std::move(bad_value);
  return e;
}

// The bad value in the message (a scalar as Go's %v with quoted texts, a list or map as JSON) and its JSON
// (scalars only).
struct Shown {
  std::string text, json;
};
Shown shown(const Value& value) {
  if (value.is(Kind::List) || value.is(Kind::Map)) return {to_json(value, JsonEscape::Go), {}};
  if (value.is(Kind::String)) return {quote(value.as_text()), quote_json(value.as_text())};
  if (!value.is(Kind::Double)) return {to_json(value), to_json(value)};
  Arena arena;
  TextBuilder text(arena);
  append_general(text, value.as_double());
  return {std::string(text.view()), to_json(value)};
}

}  // namespace

std::string child(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}
std::string index(std::string_view path, size_t i) { return fmt::format("{}[{}]", path, i); }

void FieldErrors::required(std::string path, std::string_view detail) {
  list.push_back(make("FieldValueRequired", "Required value", std::move(path), {}, detail, "\"\""));
}
void FieldErrors::invalid(std::string path, std::string_view value, std::string_view detail) {
  list.push_back(
      make("FieldValueInvalid", "Invalid value", std::move(path), quote(value), detail, quote_json(value)));
}
void FieldErrors::invalid_named(std::string path, std::string_view value, std::string_view detail) {
  list.push_back(make("FieldValueInvalid", "Invalid value", std::move(path),
                      quote_json(value, JsonEscape::Go), detail, quote_json(value)));
}
void FieldErrors::invalid_number(std::string path, int64_t value, std::string_view detail) {
  std::string text = fmt::format("{}", value);
  list.push_back(make("FieldValueInvalid", "Invalid value", std::move(path), text, detail, text));
}
void FieldErrors::invalid_json(std::string path, std::string_view json, std::string_view detail) {
  list.push_back(make("FieldValueInvalid", "Invalid value", std::move(path), json, detail, {}));
}
void FieldErrors::not_supported(std::string path, std::string_view value,
                                std::initializer_list<std::string_view> supported, bool hidden) {
  std::string detail = "supported values: ";
  for (std::string_view s : supported) {
    if (s.data() != supported.begin()->data()) detail += ", ";
    detail += quote(s);
  }
  // The message shows a value of a named string type as Go's JSON, which escapes the special characters of
  // HTML.
  list.push_back(make("FieldValueNotSupported", "Unsupported value", std::move(path),
                      quote_json(value, JsonEscape::Go), detail, hidden ? std::string() : quote_json(value)));
}
void FieldErrors::duplicate(std::string path, std::string_view value) {
  list.push_back(
      make("FieldValueDuplicate", "Duplicate value", std::move(path), quote(value), {}, quote_json(value)));
}
void FieldErrors::duplicate_named(std::string path, std::string_view value) {
  list.push_back(make("FieldValueDuplicate", "Duplicate value", std::move(path),
                      quote_json(value, JsonEscape::Go), {}, quote_json(value)));
}
void FieldErrors::invalid_hidden(std::string path, std::string_view detail) {
  list.push_back(make("FieldValueInvalid", "Invalid value", std::move(path), {}, detail, {}));
}
void FieldErrors::duplicate_hidden(std::string path) {
  list.push_back(make("FieldValueDuplicate", "Duplicate value", std::move(path), {}, {}, {}));
}
void FieldErrors::invalid_data(std::string path, const Value& value, std::string_view detail) {
  Shown s = shown(value);
  list.push_back(make("FieldValueInvalid", "Invalid value", std::move(path), s.text, detail, s.json));
}
void FieldErrors::duplicate_data(std::string path, const Value& value) {
  Shown s = shown(value);
  list.push_back(make("FieldValueDuplicate", "Duplicate value", std::move(path), s.text, {}, s.json));
}
void FieldErrors::type_invalid(std::string path, const Value& value, std::string_view detail) {
  Shown s = shown(value);
  list.push_back(make("FieldValueTypeInvalid", "Invalid value", std::move(path), s.text, detail, s.json));
}
void FieldErrors::not_among(std::string path, const Value& value, const std::vector<std::string>& supported) {
  std::string detail;
  for (const std::string& s : supported) detail += (detail.empty() ? "supported values: " : ", ") + quote(s);
  Shown s = shown(value);
  list.push_back(
      make("FieldValueNotSupported", "Unsupported value", std::move(path), s.text, detail, s.json));
}
void FieldErrors::forbidden(std::string path, std::string_view detail) {
  list.push_back(make("FieldValueForbidden", "Forbidden", std::move(path), {}, detail, "\"\""));
}
void FieldErrors::too_long(std::string path, int limit) {
  list.push_back(make("FieldValueTooLong", "Too long", std::move(path), {},
                      limit < 0
                          ? "value is too long"
                          : fmt::format("may not be more than {} {}", limit, limit == 1 ? "byte" : "bytes"),
                      "\"<value omitted>\""));
}
void FieldErrors::too_many(std::string path, size_t count, int64_t limit) {
  std::string text = fmt::format("{}", count);
  std::string detail = limit < 0
                           ? "has too many items"
                           : fmt::format("must have at most {} {}", limit, limit == 1 ? "item" : "items");
  list.push_back(make("FieldValueTooMany", "Too many", std::move(path), text, detail, text));
}
void FieldErrors::internal(std::string path, std::string_view detail) {
  list.push_back(make("InternalError", "Internal error", std::move(path), {}, detail, {}));
}

}  // namespace portcullis
