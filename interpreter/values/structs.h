// StructForm: makes values of struct literals, and says how their fields are read.
//
// Idea: when a program is made, the form of each literal `T{...}` is looked up: the form that T's provider
// gives or, if it gives none, that of wellknown.h. The program keeps it in the description of the literal.
// Forms of providers make opaque values.
// Tested by the tests of the providers (admission/expressions/patches_test.cc).
#pragma once

#include <span>

#include "interpreter/values/value.h"

namespace portcullis {

extern const OpaqueClass kStructFormClass;

// Constant; must outlive the programs that refer to it.
struct StructForm : Opaque {
  std::string_view type_name;
  const OpaqueClass* values = nullptr;  // the class of the values
  // Whether fields that the checker knows are read by OpaqueClass::field (cel-go's FieldType with GetFrom);
  // others are read by OpaqueClass::find.
  bool native_fields = false;
  // Makes the value of a literal with these fields, whose names are distinct and live as long as the arena;
  // may return an error.
  Value (*make)(const StructForm& form, std::span<const MapEntry> fields, Arena& arena) = nullptr;
};

}  // namespace portcullis
