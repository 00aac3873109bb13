// Object: an instance of a built-in struct during normalisation, with one slot per field.
//
// Representation: a slot is a Value whose content follows from the row of the field:
//   absent (nil in Go or, for plain fields, the zero value): Value::unknown(nullptr)
//   kOne: text -> String, numbers -> Int, ..., struct -> Opaque of class kObjectClass (an Object), or the Map
//     of the input if the struct is unchanged (unchanged.h); a plain (non-pointer) struct is always present
//   kList, kMap, kMapOfLists: List or Map of such Values (a nil item: absent)
//   kQuantity, kTime, kMicroTime: the String that is printed; kIntOrString: Int or String; kRaw: any Value
// Objects live in the arena of the normalisation. Tested by admission/builtin/normalize_test.cc.
#pragma once

#include "admission/builtin/types.h"
#include "interpreter/values/value.h"

namespace portcullis::builtin {

extern const OpaqueClass kObjectClass;

struct alignas(16) Object : Opaque {
  const StructRow* row;
  Value* slots;
  Arena* arena;  // owns the Object

  Value& operator[](int index) { return slots[index]; }
};

inline Value absent() { return Value::unknown(nullptr); }
inline bool is_absent(const Value& v) { return v.is_unknown(); }
inline bool is_object(const Value& v) { return v.is(Kind::Opaque) && v.as_opaque().cls == &kObjectClass; }
inline Object& as_object(const Value& v) {
  return const_cast<Object&>(static_cast<const Object&>(v.as_opaque()));
}

// Makes an Object of the unchanged Map in `slot`, which is the slot of `field` or of an item of it, and puts
// the Object into the slot.
Object& thaw(Arena& arena, Value& slot, const FieldRow& field);

// A new object whose slots are absent, except plain structs, which are made, too.
Object* make_object(Arena& arena, const StructRow& row);

}  // namespace portcullis::builtin
