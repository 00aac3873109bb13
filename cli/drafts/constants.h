// Constants of expressions as JSON texts, and others in a relation to them. Tested by tests/cli/test_init.txt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/ast.h"

namespace portcullis::drafts {

// The text or integer in JSON; none if it is something else.
std::optional<std::string> text_in(const std::string& json);
std::optional<int64_t> number_in(const std::string& json);
// The elements of a list or the keys of a map, at most so many.
std::vector<std::string> items_in(const std::string& json, size_t most = std::string::npos);
std::optional<std::string> member_in(const std::string& json, const std::string& name);

// A constant beside another one: 'x' is not equal to 'xx'.
std::string other_than(const std::string& json);
// A quantity, duration or number in a text that is greater or less: '1Gi', '2Gi'. Empty if there is none.
std::string scaled(const std::string& text, bool greater);

// In an order in which the first and the last, and so on, are the contrary of each other.
enum class Relation : uint8_t { Less, LessEquals, Equals, NotEquals, Greater, GreaterEquals };
// That of a comparison; nothing for other expressions.
std::optional<Relation> relation_of(const Expr& e);
Relation negated(Relation r);
// That of the operands in the other order.
Relation turned(Relation r);
bool holds(int64_t a, Relation r, int64_t b);
// Numbers with this relation to another one, the nearest first.
std::vector<int64_t> numbers_for(Relation r, int64_t n);

// A constant (JSON) with this relation to another one; empty if none is known.
std::string related_to(const std::string& json, Relation r);

// The sum; the smallest or largest number if there is none.
int64_t plus(int64_t n, int64_t more);

}  // namespace portcullis::drafts
