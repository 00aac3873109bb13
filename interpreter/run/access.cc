#include "interpreter/run/access.h"

#include <cmath>
#include <string>

#include "grammar/powers.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

// An index as an int: an int, or a double or uint that is one without loss.
bool list_index(const Value& key, Arena& arena, int64_t& i, Value& failure) {
  switch (key.kind()) {
    case Kind::Int: i = key.as_int(); return true;
    case Kind::Uint:
      i = static_cast<int64_t>(key.as_uint());
      if (i >= 0) return true;
      break;
    case Kind::Double: {
      double d = key.as_double();
      if (d > -kTwoTo63 && d < kTwoTo63 && d == std::trunc(d)) return i = static_cast<int64_t>(d), true;
      break;
    }
    default:
      failure = make_error(arena, "unsupported index type '" + std::string(type_name(key)) + "' in list");
      return false;
  }
  failure = make_error(arena, "unsupported index value " + format_go(key) + " in list");
  return false;
}

Found find_in_list(const Value& list, const Value& key, Ask ask, Arena& arena, Value& out) {
  int64_t i = 0;
  if (!list_index(key, arena, i, out)) return Found::Failed;
  if (i >= 0 && i < static_cast<int64_t>(list.size())) {
    if ((list.flags() & kTypedList) && !key.is(Kind::Int))
      return out = make_error(arena, "unsupported index: " + format_go(key)), Found::Yes;
    out = is_go_list(list) && !key.is(Kind::Int) ? bad_go_index(key, arena) : list.as_list()[i];
    return Found::Yes;
  }
  if (ask != Ask::Value) return Found::No;
  out = make_error(arena, "index out of bounds: " + format_go(key));
  return Found::Failed;
}

Found missing(const Value& key, Ask ask, Arena& arena, Value& out) {
  if (ask != Ask::Value) return Found::No;
  out = no_such_key(key, arena);
  return Found::Failed;
}

}  // namespace

Found find_qualified(const Value& object, const Value& key, Ask ask, Arena& arena, Value& out) {
  switch (object.kind()) {
    case Kind::Map: {
      if ((object.flags() & kSpecialMap) && !key.is(Kind::String)) {
        return out = is_go_map(object) ? bad_go_key(key, arena) : make_error(arena, "no such overload"),
               Found::Failed;
      }
      const Value* v = find_any_key(object, key);
      if (v) return out = *v, v->is_error() ? Found::Failed : Found::Yes;
      return missing(key, ask, arena, out);
    }
    case Kind::List: return find_in_list(object, key, ask, arena, out);
    case Kind::Struct: {
      if (object.as_struct().type_name ==
          "google.protobuf.Empty") {  // the only message that is no other CEL value
        if (!key.is(Kind::String)) return out = make_error(arena, "no such overload"), Found::Failed;
        return out = make_error(arena, "no such field '" + std::string(key.as_text()) + "'"), Found::Failed;
      }
      auto fields = object.as_struct().fields;
      const Value* v = find_any_key(Value::map(fields.data(), fields.size()), key);
      if (v) return out = *v, Found::Yes;
      return missing(key, ask, arena, out);
    }
    case Kind::Opaque: {
      const Opaque& o = object.as_opaque();
      if (!o.cls->find) break;
      if (!o.cls->find(o, key, ask, arena, &out)) return missing(key, ask, arena, out);
      return out.is_error() ? Found::Failed : Found::Yes;
    }
    case Kind::Unknown: return out = object, Found::Yes;
    case Kind::Error: return out = object, Found::Failed;
    default: break;
  }
  return missing(key, ask, arena, out);
}

bool is_qualifier(const Value& index, Arena& arena, Value& out) {
  switch (index.kind()) {
    case Kind::String:
    case Kind::Int:
    case Kind::Uint:
    case Kind::Double:
    case Kind::Bool: return true;
    default: break;
  }
  out = make_error(arena, "invalid qualifier type: " + std::string(go_type(index)));
  return false;
}

Value apply_qualifiers(const Value& base, const Key* keys, size_t count, bool observed, Arena& arena,
                       uint64_t& charged) {
  if (base.is_error() || base.is_unknown()) return base;
  Value object = base;
  bool optional = base.is(Kind::Optional);
  if (optional) {
    if (!base.as_optional()) return observed ? Value::boolean(false) : base;
    object = *base.as_optional();
  }
  for (size_t i = 0; i < count; ++i) {
    const Key& key = keys[i];
    optional = optional || key.optional;
    Value next;
    const Ask ask = key.test_only ? Ask::Presence : optional ? Ask::ValueIfThere : Ask::Value;
    Found found = find_qualified(object, key.value, ask, arena, next);
    if (!optional || found == Found::Yes) ++charged;
    if (found == Found::Failed || next.is_unknown()) return next;
    if (found == Found::No && optional) return observed ? Value::boolean(false) : Value::optional(nullptr);
    object = key.test_only && !optional ? Value::boolean(found == Found::Yes) : next;
  }
  if (!optional) return object;
  return observed ? Value::boolean(true) : some(object, arena);
}

}  // namespace portcullis
