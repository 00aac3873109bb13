// Where the values of a policy's expressions come from: places of a request, such as "object.spec.containers[].image".
//
// Idea: some expressions only choose among values or pass them on: `.?x`, `[?i]`, orValue(), or(), value(), `? :`; a loop
// variable is an item of what the loop walks, and of `a + b` an item is one of either. So a value has one place or
// several, beside literals. A variable of the policy is looked through, if its value has places alone.
// Limits: what any other function makes has no place; its items and fields are named without one, as "[].image".
// Tested by tests/cli/cost.txt.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"

namespace portcullis {

struct Origins {
  std::set<std::string> places;
  std::vector<const Expr*> literals;  // that the expression writes
  bool computed = false;              // also what a function makes
  void add(Origins more);
};

class OriginFinder {
 public:
  // Learns an expression, before any of its parts is looked for.
  void add(const Expr* root);
  // Makes it the value of a variable, for the expressions added later.
  void name(const std::string& variable, const Expr* root);
  // Whether reads of the variable have the places of its value.
  bool looks_through(std::string_view variable) const;

  Origins of(const Expr* e) { return find(e, Use::Value); }
  Origins of_items(const Expr* list) { return members(list, "[]", Use::Value); }

  // Whether a loop or `in` walks it.
  bool walked(const Expr* e) const { return walked_.contains(e); }
  // Whether it is a loop variable for the items of a literal.
  bool item_of_literal(const Expr* e) const;

 private:
  // `a + b` has no place, but its members have.
  enum class Use : uint8_t { Value, Members };
  // What the name of a loop variable stands for: a member of `from`, or `from` itself; null: for what is computed.
  struct Meaning {
    const Expr* from = nullptr;
    std::string step = {};  // "[]", "{}"; empty: itself
  };
  class NameSearch;

  // The parts one of which is the value, or has its members; none: it is made otherwise.
  static std::vector<const Expr*> choices_of(const Expr* e, Use use);
  Origins find(const Expr* e, Use use);
  Origins find_new(const Expr* e, Use use);
  Origins of_call(const Expr* e, Use use);
  Origins members(const Expr* e, const std::string& step, Use use);

  std::map<const Expr*, Meaning> names_;
  std::set<const Expr*> walked_;
  std::map<std::string, std::map<Use, Origins>, std::less<>> variables_;
  std::map<std::pair<const Expr*, Use>, Origins> found_;
};

}  // namespace portcullis
