// StructForm: how struct literals of a type provider become values, and how their fields are read.
//
// Idea: what makes the value of `T{...}` is found when the program is built: the form of T's provider, or,
// for those who give none, that of wellknown.h. The program holds it in the description of the literal. Forms
// of providers make opaque values. Tested by the tests of the providers (admission/expressions/patches_test.cc).
#pragma once

#include <span>

#include "interpreter/values/value.h"

namespace portcullis {

extern const OpaqueClass kStructFormClass;

// Constant; outlives the programs that refer to it.
struct StructForm : Opaque {
  std::string_view type_name;
  const OpaqueClass* values = nullptr;  // class of the values
  // Fields that the checker knows are read by OpaqueClass::field (cel-go's FieldType with GetFrom), others by
  // find.
  bool native_fields = false;
  // The value of a literal with these fields, which are distinct and live as long as the arena; or an error.
  Value (*make)(const StructForm& form, std::span<const MapEntry> fields, Arena& arena) = nullptr;
};

}  // namespace portcullis
