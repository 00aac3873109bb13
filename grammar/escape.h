// Property names as CEL identifiers, and back: "a.b-c" <-> "a__dot__b__dash__c", "namespace" <->
// "__namespace__", as k8s.io/apiserver pkg/cel/escaping.go does it.
// Tested by grammar/escape_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portcullis {

// The identifier that names a property in CEL. Nothing for a name that is empty, starts with a digit, or
// holds other characters than letters, digits, '_', '.', '-' and '/': CEL cannot name such a property.
std::optional<std::string> escape_property(std::string_view name);

// The property that an identifier names, or nothing if the identifier holds an unknown escape.
std::optional<std::string> unescape_property(std::string_view identifier);

// Whether `name` is a word that CEL reserves and that therefore cannot be an identifier.
bool is_reserved_word(std::string_view name);

}  // namespace portcullis
