// Small changes to an expression, one at a time, such as `<=` for `<`, `exists` for `all`, or a test that is left out.
//
// Idea: the tree is read without macros, so that all() and has() are calls like others. Each change is made in the tree
// and printed; only that text tells changes apart, so none is the expression itself, and no two are the same. Then the
// change is made in the text as written, with parentheses where it needs them, so that a difference shows nothing else.
// Limits: what does not compile, or has another type, is found out by those who compile it. Changes that cannot be told
// from the original by any object are offered as well, unless the printed text says so.
// Tested by cli/mutants/expressions_test.cc.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

struct ExpressionChange {
  int start = 0;     // the code point of the change
  std::string text;  // the whole expression, changed
  std::string sort;  // "comparison", "logic", ...
  std::string hint;  // the case that is missing if no case notices it: "no case has `a` equal to `5`"
};

// The fields that the expressions of a policy read below each path: wrong fields come from here.
using FieldsRead = std::map<std::string, std::set<std::string>>;
void note_fields(std::string_view text, FieldsRead& fields);

// In the order of the text. `texts`: whether to change the constants of type string.
std::vector<ExpressionChange> expression_changes(std::string_view text, const FieldsRead& fields,
                                                 bool texts = true);

}  // namespace portcullis
