// Reads members of JSON objects that are values; a member that is absent or of another kind is empty.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "interpreter/values/value.h"

#include "interpreter/values/member.h"

namespace portcullis::tests {

// The member; null if it is absent.
inline const Value* field(const Value& object, std::string_view name) { return find_member(object, name); }
inline std::string text_field(const Value& object, std::string_view name) {
  const Value* v = field(object, name);
  return v != nullptr && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
}
inline bool flag(const Value& object, std::string_view name) {
  const Value* v = field(object, name);
  return v != nullptr && v->is_true();
}
// The items of a list member.
inline std::span<const Value> list_field(const Value& object, std::string_view name) {
  const Value* v = field(object, name);
  return v != nullptr && v->is(Kind::List) ? v->as_list() : std::span<const Value>();
}
inline std::span<const MapEntry> map_field(const Value& object, std::string_view name) {
  const Value* v = field(object, name);
  return v != nullptr && v->is(Kind::Map) ? v->as_map() : std::span<const MapEntry>();
}

// Reads a whole file; false if it cannot be read.
inline bool read_file(const std::string& path, std::string& out) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  out.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  return true;
}

}  // namespace portcullis::tests
