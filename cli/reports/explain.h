// Why an expression gave what it gave: the values of its parts, and the part that decided.
//
// Idea: one evaluation is watched and leaves a log {node, value}; the tree of the expression as it was
// written (macro calls, not what they expand to) is then read beside it. The part that decided is found from
// the root down: of `a && b` the side that was false, of `all` the element for which the predicate was false,
// behind `!` what was true. Limits: of loops the last round is shown, which is the deciding one where a loop
// ends early; the log is bounded. Used by `eval --explain` and `review`. Tested by
// tests/cli/{eval,review}.txt.
#pragma once

#include <string>
#include <vector>

#include "cli/messages/messages.h"
#include "grammar/ast.h"
#include "grammar/result.h"
#include "interpreter/cel.h"
#include "interpreter/values/value.h"

namespace portcullis {

// The log of one watched evaluation. Values live as long as the context that evaluates.
class NodeLog final : public Watch {
 public:
  struct Event {
    ExprId node;
    Value value;
  };
  void on_value(ExprId node, const Value& value) override;
  void clear() { events_.clear(); }
  // Leaves what was known when the error of the whole first appeared, and the first value of each node that was
  // evaluated later: loops go on behind an error, and their later rounds would hide it. Nothing changes if the
  // last event is no error.
  void keep_failure();
  const std::vector<Event>& events() const { return events_; }

  // The last value of a node, or null; how often it was evaluated; and how often since `other` last was.
  const Value* last(ExprId node) const;
  size_t times(ExprId node) const;
  size_t times_since(ExprId node, ExprId other) const;

 private:
  std::vector<Event> events_;
};

// One part of an expression. Parents come before their children.
struct ExplainedPart {
  int depth = 0;
  std::string text;  // as CEL
  bool evaluated = false;
  Value value;       // of the last evaluation; may be an error
  size_t times = 0;  // evaluations; of a loop variable: number of the element
  size_t of = 0;     // of a loop variable: how many elements there are, else 0
};

struct Explanation {
  std::vector<ExplainedPart> parts;  // all
  std::vector<ExplainedPart>
      blamed;       // the loop variables around the part that decided, then that part and what is in it
  int offset = -1;  // code point of the part that decided; -1: none
  int whole = -1;   // code point of the expression's own operator; -1: unknown
  // The x of each `variables.x` that was evaluated within the parts, and within the blamed ones; in order, once.
  std::vector<std::string> variables, blamed_variables;
};
// `log` is cut down to what matters.
Explanation explain_log(const Ast& ast, NodeLog& log);

// An expression of a policy with what decided: of a validation, of a variable that it reads, of a match condition.
struct ExplainedExpression {
  std::string name;  // of the variable or condition
  std::string text;
  int blame = -1;                     // code point in `text` of what decided; -1: unknown
  Position position;                  // of that in the file, or of the expression; line 0: unknown
  std::vector<ExplainedPart> values;  // as much as is wanted
};

// A value on one line, at most `limit` bytes (0: all), an error as "error: TEXT".
std::string value_text(const Value& value, size_t limit);

// Parts and their values in two columns, each line with `indent` in front; what was not evaluated is grey.
std::string explained_text(const std::vector<ExplainedPart>& parts, std::string_view indent,
                           const Paint& paint);

}  // namespace portcullis
