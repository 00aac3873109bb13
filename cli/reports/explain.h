// Explains the value of an expression: the values of its parts, and the part that decided.
//
// Idea: a Watch logs {node, value} during one evaluation; then the tree of the expression as written (macro
// calls, not their expansions) is read with the log. The deciding part is found from the root down: of `a &&
// b` the side that was false, of `all` the element whose predicate was false, below `!` the part that was
// true. Limits: a loop shows its last round, which decides if the loop ends early; the log is bounded. `eval
// --explain` and `review` use it. Tested by tests/cli/{eval,review}.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/messages/messages.h"
#include "grammar/ast.h"
#include "grammar/result.h"
#include "interpreter/cel.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The log of one watched evaluation. Values live as long as the evaluating context.
class NodeLog final : public Watch {
 public:
  struct Event {
    ExprId node;
    Value value;
  };
  void on_value(ExprId node, const Value& value) override;
  void clear() { events_.clear(); }
  // Keeps the log up to the first appearance of the final error, and the first later value of each other
  // node: loops continue after an error, and their later rounds would hide it. Does nothing if the last event
  // is no error.
  void keep_failure();
  const std::vector<Event>& events() const { return events_; }

  // The last value of a node, or null; the number of its evaluations; and that number since the last
  // evaluation of `other`.
  const Value* last(ExprId node) const;
  size_t times(ExprId node) const;
  size_t times_since(ExprId node, ExprId other) const;

 private:
  std::vector<Event> events_;
};

// One part of an expression. Parents precede their children.
struct ExplainedPart {
  int depth = 0;
  std::string text;  // as CEL source
  bool evaluated = false;
  std::string value;  // of the last evaluation, as value_text() shows it
  size_t times = 0;   // number of evaluations; for a loop variable: index of the element
  size_t of = 0;      // for a loop variable: number of elements, else 0
};

struct Explanation {
  std::vector<ExplainedPart> parts;  // all
  std::vector<ExplainedPart>
      blamed;       // the loop variables around the deciding part, then that part and its parts
  int offset = -1;  // code point of the deciding part; -1: none
  int whole = -1;   // code point of the expression's own operator; -1: unknown
  // The path that the deciding part reads, the first of several: "object.spec.containers[0].image", or of a variable;
  // empty: none.
  std::string subject;
  // The x of each evaluated `variables.x` in the parts, and in the blamed parts; in order, without
  // duplicates.
  std::vector<std::string> variables, blamed_variables;
};
// The path that an expression is, or else the first that it reads.
std::string subject_of(const Ast& ast, bool& whole);
// Shortens `log` to what matters.
Explanation explain_log(const Ast& ast, NodeLog& log);

// An expression of a policy with its deciding part: a validation, a variable that it reads, or a match
// condition.
struct ExplainedExpression {
  std::string name;  // of the variable or condition
  std::string text;
  int blame = -1;                     // code point in `text` of the deciding part; -1: unknown
  Position position;                  // of that part in the file, or of the expression; line 0: unknown
  std::vector<ExplainedPart> values;  // the wanted parts
};

// A value on one line, of at most `limit` bytes (0: all); an error as "error: TEXT".
std::string value_text(const Value& value, size_t limit);

// Parts and their values in two columns, each line after `indent`; parts that were not evaluated are grey.
std::string explained_text(const std::vector<ExplainedPart>& parts, std::string_view indent,
                           const Paint& paint);
// Lines with the expression, its deciding part marked, and the values of its parts; empty without an expression.
std::string expression_text(const ExplainedExpression& expression, const Paint& paint);

}  // namespace portcullis
