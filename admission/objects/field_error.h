// FieldError: a refused field as the API server reports it, and the list in which they are collected.
//
// Idea: one function a sort of error, each taking the path as text; the whole message is put together there,
// so its form stands in one place. Source of behaviour: apimachinery pkg/util/validation/field/errors.go.
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

// A refused field, as the API server reports it.
struct FieldError {
  std::string type;   // "FieldValueInvalid"
  std::string field;  // "spec.validations[0].expression"
  std::string detail;
  std::string message;    // the whole text, path included
  std::string bad_value;  // JSON text of a string, number or boolean; else empty
};

// `path.child`, and `path[i]`.
std::string child(std::string_view path, std::string_view name);
std::string index(std::string_view path, size_t i);

class FieldErrors {
 public:
  std::vector<FieldError> list;

  // `field.Required`, `field.Invalid` of a text, of a named string type (which messages show as
  // JSON), of a number.
  void required(std::string path, std::string_view detail = {});
  void invalid(std::string path, std::string_view value, std::string_view detail);
  void invalid_named(std::string path, std::string_view value, std::string_view detail);
  void invalid_number(std::string path, int64_t value, std::string_view detail);
  // A value that is no text, number or boolean; `json` is what the message shows.
  void invalid_json(std::string path, std::string_view json, std::string_view detail);
  // `hidden`: the bad value is a pointer, which the batch protocol leaves out.
  void not_supported(std::string path, std::string_view value,
                     std::initializer_list<std::string_view> supported, bool hidden = false);
  void duplicate(std::string path, std::string_view value);
  void duplicate_named(std::string path, std::string_view value);
  // The same with the value left out.
  void invalid_hidden(std::string path, std::string_view detail);
  void duplicate_hidden(std::string path);
  // The same for plain data of any sort, lists and maps shown as JSON.
  void invalid_data(std::string path, const Value& value, std::string_view detail);
  void duplicate_data(std::string path, const Value& value);
  // A value of another type than its schema says.
  void type_invalid(std::string path, const Value& value, std::string_view detail);
  void not_among(std::string path, const Value& value, const std::vector<std::string>& supported);
  void forbidden(std::string path, std::string_view detail);
  void too_long(std::string path, int limit);
  void too_many(std::string path, size_t count, int64_t limit);
  void internal(std::string path, std::string_view detail);
};

}  // namespace portcullis
