// Object: an instance of a built-in struct while it is normalised: one slot per field.
//
// Representation. A slot is a Value; what it holds follows from the field's row:
//   absent (Go's nil or, for plain fields, the zero value): Value::unknown(nullptr)
//   kOne: text -> String, numbers -> Int, ..., struct -> Opaque whose class is kObjectClass (an Object), or
//     the Map of the input that stands as it is (unchanged.h); a plain (non-pointer) struct is always there
//   kList, kMap, kMapOfLists: List or Map of such Values (a nil item: absent)
//   kQuantity, kTime, kMicroTime: the String they are printed as; kIntOrString: Int or String; kRaw: any
//     Value
// Objects live in the arena of the normalisation.
#pragma once

#include <span>
#include <string_view>

#include "admission/builtin/types.h"
#include "interpreter/values/value.h"

namespace portcullis::builtin {

extern const OpaqueClass kObjectClass;

struct alignas(16) Object : Opaque {
  const StructRow* row;
  Value* slots;
  Arena* arena;  // that it lives in

  Value& operator[](int index) { return slots[index]; }
};

inline Value absent() { return Value::unknown(nullptr); }
inline bool is_absent(const Value& v) { return v.is_unknown(); }
inline bool is_object(const Value& v) { return v.is(Kind::Opaque) && v.as_opaque().cls == &kObjectClass; }
inline Object& as_object(const Value& v) {
  return const_cast<Object&>(static_cast<const Object&>(v.as_opaque()));
}

// The Map that stands in `slot`, of the field `field` or one of its items, as an Object,
// which takes its place.
Object& thaw(Arena& arena, Value& slot, const FieldRow& field);

// A new object with every slot absent, but plain structs within made too.
Object* make_object(Arena& arena, const StructRow& row);

}  // namespace portcullis::builtin
