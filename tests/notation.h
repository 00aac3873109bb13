// Notation: the form in which language tests and examples of function rows state facts about an expression.
//
//   // Prose: lines that begin with `//` and none of the marks below.
//   using math, strings@3             environment of later lines: standard library and these (default:
//                                     Kubernetes')
//   given x = [1, 2]                  a variable for later lines, of the type of its expression
//   x.map(i, i * 2)  // => [2, 4]     an expression and its value as CEL source
//   // : list(int)                    its type
//   // ~ cost 22 in 3..20             its run-time cost, and the static estimate
//   x + 'a'
//   // !! check 1:3 found no matching overload ...   an error: parse, check, program or eval, with
//                                     position if it has one
//
// Indented lines continue an expression. A statement is compared as text with the actual result, so rebasing
// writes down the actual result.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {
class Environment;
class Type;
}  // namespace portcullis

namespace portcullis::tests {

// A variable: name, type, value.
struct Given {
  std::string name;
  const Type* type;
  Value value;
};

// The actual results of an expression in the notation: "=> 3", ": int", "~ cost 1 in 1..1", "!! eval ...".
struct Seen {
  std::string value, type, cost, error;
  std::string exact;  // the value in tagged form
  // The result of the same sort as `expected` (by its mark).
  const std::string& of(std::string_view expected) const;
  // Whether `statement` holds: verbatim, or as another spelling of the value ('a' for "a").
  bool fulfils(std::string_view statement, const std::shared_ptr<const Environment>& environment,
               const std::vector<Given>& given) const;
};

Seen observe(std::string_view expression, const std::shared_ptr<const Environment>& environment,
             const std::vector<Given>& given);

// Kubernetes' environment of stored expressions, or the standard library with `libraries` ("math",
// "strings@3"), with the variables of `given`.
Result<std::shared_ptr<const Environment>> environment_of(std::string_view libraries,
                                                          const std::vector<Given>& given);

// Whether a line is a statement; `statement` is its text from the mark on ("=> 3").
bool is_statement(std::string_view line, std::string_view& statement);

// A case as written: the expression and its statements.
struct Example {
  int line = 0;
  std::string expression;
  std::vector<std::string> statements;
};
// Reads `expr  // => value` lines (the examples of a row).
std::vector<Example> read_examples(std::string_view text);
// Splits "expr  // => value"; `statement` is empty if there is none.
void split_line(std::string_view line, std::string& expression, std::string& statement);

}  // namespace portcullis::tests
