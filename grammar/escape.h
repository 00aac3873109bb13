// Property names as CEL identifiers, both ways: "a.b-c" <-> "a__dot__b__dash__c", "namespace" <->
// "__namespace__". Source of behaviour: k8s.io/apiserver pkg/cel/escaping.go. Tested by
// grammar/escape_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portcullis {

// The identifier by which a property is reached, or nothing: names that start with a digit or hold other
// characters than letters, digits, '_', '.', '-' and '/' are not reachable.
std::optional<std::string> escape_property(std::string_view name);

// The property that an identifier stands for, or nothing if it holds an escape that does not exist.
std::optional<std::string> unescape_property(std::string_view identifier);

// Is `name` one of the words that cannot be an identifier in CEL?
bool is_reserved_word(std::string_view name);

}  // namespace portcullis
