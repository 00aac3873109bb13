#include "interpreter/values/go_values.h"

#include <string>

#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

bool is_empty_or_null(const Value& v) {
  return v.is_null() || ((is_go_list(v) || (v.is(Kind::Map) && (v.flags() & kGoMap))) && v.size() == 0);
}

// Kubernetes' Semantic.DeepEqual of structs or their parts: nil and empty lists or maps are equal.
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

std::string_view go_type(const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return "types.Null";
    case Kind::Bool: return "types.Bool";
    case Kind::Int: return "types.Int";
    case Kind::Uint: return "types.Uint";
    case Kind::Double: return "types.Double";
    case Kind::String: return "types.String";
    case Kind::Bytes: return "types.Bytes";
    case Kind::Timestamp: return "types.Timestamp";
    case Kind::Duration: return "types.Duration";
    case Kind::List:
      if (is_go_list(v)) return "*common.reflectSchemalessTypedList";
      if (v.flags() & kSetList)
        return v.flags() & kTypedList ? "*common.unstructuredSetList" : "*common.refValSetList";
      if (v.flags() & kMapList)
        return v.flags() & kTypedList ? "*common.unstructuredMapList" : "*common.refValMapList";
      if (v.flags() & kTypedList) return "*common.unstructuredList";
      return v.flags() & kConcatList ? "*types.concatList" : "*types.baseList";
    case Kind::Map:
      if (v.flags() & kTypedMap) return "*common.unstructuredMap";
      if (v.flags() & kGoStruct) return "*common.reflectSchemalessTypedStruct";
      return v.flags() & kGoMap ? "*common.reflectSchemalessTypedMap" : "*types.baseMap";
    case Kind::Type: return "*types.Type";
    case Kind::Optional: return "*types.Optional";
    case Kind::Unknown: return "*types.Unknown";
    case Kind::Error: return "*types.Err";
    default: break;
  }
  if (v.is(Kind::Struct) && type_name(v).starts_with("google.protobuf.")) return "*types.protoObj";
  bool named = v.is(Kind::Opaque) && !v.as_opaque().cls->go_type.empty();
  return named ? v.as_opaque().cls->go_type : type_name(v);
}

std::string_view go_string_error(const Value& v) {
  switch (v.kind()) {
    case Kind::Int: return "unsupported type conversion from 'int' to string";
    case Kind::Uint: return "unsupported type conversion from 'uint' to string";
    case Kind::Double: return "type conversion error from Double to 'string'";
    case Kind::Bool: return "type conversion error from bool to 'string'";
    case Kind::Null: return "type conversion error from 'null_type' to 'string'";
    case Kind::Bytes: return "type conversion error from Bytes to 'string'";
    case Kind::Timestamp: return "type conversion error from 'Timestamp' to 'string'";
    case Kind::Duration: return "type conversion error from 'Duration' to 'string'";
    case Kind::List: return "type conversion error from list to 'string'";
    case Kind::Map: return "type conversion error from map to 'string'";
    case Kind::Type: return kTypeNotConverted;
    default: return {};
  }
}

Value equal_go_lists(const Value& a, const Value& b, Arena& arena) {
  if (a.size() != b.size()) return Value::boolean(false);
  for (size_t i = 0; i < a.size(); ++i) {
    if (!equal_method(a.as_list()[i], b.as_list()[i], arena).is_true()) return Value::boolean(false);
  }
  return Value::boolean(true);
}

Value equal_go_maps(const Value& a, const Value& b, Arena& arena) {
  bool structure = a.flags() & kGoStruct;
  if (structure && (b.flags() & kGoStruct))
    return Value::boolean(a.go_struct() == b.go_struct() && same_go_data(a, b));
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
