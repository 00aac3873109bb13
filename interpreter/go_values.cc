#include "interpreter/go_values.h"

#include <string>

#include "interpreter/dispatch.h"
#include "interpreter/list_types.h"
#include "interpreter/map.h"

namespace portcullis {
namespace {

bool is_empty_or_null(const Value& v) {
  return v.is_null() || ((is_go_list(v) || (v.is(Kind::Map) && (v.flags() & kGoMap))) && v.size() == 0);
}

// Kubernetes' Semantic.DeepEqual of two structs or parts of them: nil and empty lists and maps are equal.
bool same_go_data(const Value& a, const Value& b) {
  if (is_empty_or_null(a) && is_empty_or_null(b)) return true;
  if (a.kind() != b.kind()) return false;
  if (!a.is(Kind::List) && !a.is(Kind::Map)) return same_data(a, b);
  if (a.size() != b.size()) return false;
  if (a.is(Kind::List)) {
    for (size_t i = 0; i < a.size(); ++i) {
      if (!same_go_data(a.as_list()[i], b.as_list()[i])) return false;
    }
    return true;
  }
  for (const MapEntry& e : a.as_map()) {
    const Value* other = find_any_key(b, e.key);
    if (other == nullptr || !same_go_data(e.value, *other)) return false;
  }
  return true;
}

}  // namespace

Value equal_go_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (size_t i = 0; i < a.size(); ++i) {
    if (!equal_method(a.as_list()[i], b.as_list()[i], arena).is_true()) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value equal_go_maps(const Value& a, const Value& b, Arena& arena) {
  bool structure = a.flags() & kGoStruct;
  if (structure && (b.flags() & kGoStruct)) return Value::boolean(same_go_data(a, b));
  if (a.size() != b.size()) return Value::boolean(false);
  for (const MapEntry& e : a.as_map()) {
    const Value* other = find_any_key(b, e.key);
    if (other == nullptr) return Value::boolean(false);
    Value same = equal_method(e.value, *other, arena);
    if (!same.is_true()) return structure ? same : Value::boolean(false);
  }
  return Value::boolean(true);
}

bool go_list_contains(const Value& list, const Value& element, Arena& arena) {
  for (const Value& item : list.as_list()) {
    if (equal_method(item, element, arena).is_true()) return true;
  }
  return false;
}

Value bad_go_key(const Value& key, Arena& arena) {
  return make_error(arena, "unsupported map key type: " + std::string(go_type(key)));
}

Value bad_go_index(const Value& index, Arena& arena) {
  return make_error(arena, "unsupported index type: " + std::string(go_type(index)));
}

}  // namespace portcullis
