// FieldError: an error about one field, as the API server reports it, and the list that collects such errors.
//
// Idea: each type of error has one function, which takes the path as text and makes the whole message, so
// that the form of messages is in one place. Source of behaviour: apimachinery
// pkg/util/validation/field/errors.go.
// Tested by tests/oracle/mutate_policies.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

class Value;  // interpreter/values/value.h

// An error about one field, as the API server reports it.
struct FieldError {
  std::string type;   // "FieldValueInvalid"
  std::string field;  // "spec.validations[0].expression"
  std::string detail;
  std::string message;    // the whole text, with the path
  std::string bad_value;  // JSON of a string, number or boolean; else empty
};

// `path.child`, and `path[i]`.
std::string child(std::string_view path, std::string_view name);
std::string index(std::string_view path, size_t i);

class FieldErrors {
 public:
  std::vector<FieldError> list;

  // `field.Required`; `field.Invalid` with a text, with a value of a named string type (which messages show
  // as JSON), with a number.
  void required(std::string path, std::string_view detail = {});
  void invalid(std::string path, std::string_view value, std::string_view detail);
  void invalid_named(std::string path, std::string_view value, std::string_view detail);
  void invalid_number(std::string path, int64_t value, std::string_view detail);
  // `field.Invalid` with any other value; `json` is the value as the message shows it.
  void invalid_json(std::string path, std::string_view json, std::string_view detail);
  // `field.NotSupported` with a value of a named string type, which messages show as JSON. `hidden`: upstream passes
  // the value as a pointer, which the batch protocol leaves out.
  void not_supported(std::string path, std::string_view value,
                     std::initializer_list<std::string_view> supported, bool hidden = false);
  void duplicate(std::string path, std::string_view value);
  void duplicate_named(std::string path, std::string_view value);
  // The same without the value in the error.
  void invalid_hidden(std::string path, std::string_view detail);
  void duplicate_hidden(std::string path);
  // The same for plain data of any kind; messages show lists and maps as JSON.
  void invalid_data(std::string path, const Value& value, std::string_view detail);
  void duplicate_data(std::string path, const Value& value);
  // The value has another type than its schema declares.
  void type_invalid(std::string path, const Value& value, std::string_view detail);
  // `field.NotSupported` with plain data; messages quote texts.
  void not_among(std::string path, const Value& value, const std::vector<std::string>& supported);
  void forbidden(std::string path, std::string_view detail);
  void too_long(std::string path, int limit);
  void too_many(std::string path, size_t count, int64_t limit);
  void internal(std::string path, std::string_view detail);
};

}  // namespace portcullis
