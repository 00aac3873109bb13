// Outlines: what is known about the value of an expression before there is an object.
//
// Idea: the checked tree of an expression becomes a tree of outlines: literals of objects, patches, lists and
// maps with their contents, followed through variables, conditions, cel.bind(), `+`, map() and filter(). What
// depends on the request is Unknown. Of a conditional that the kind decides (kind_conditions.h), one branch is the
// value; any other `c ? a : b` is a Choice, and a Selection says which branch to take. Limits: kMostOutlines; other
// functions of unknown values are Unknown. Not thread-safe.
// Tested by admission/patching/foreseen_test.cc, tests/cli/mutation_checks.txt.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "admission/patching/kind_conditions.h"
#include "admission/patching/known_expression.h"
#include "interpreter/cel.h"

namespace portcullis::patching {

// Outlines of one kind's expressions: those of real policies have some hundreds; variables that name others twice could
// double at every step.
inline constexpr size_t kMostOutlines = 10'000;

// A position in an expression; code points from 0.
struct ExpressionPoint {
  const KnownExpression* source = nullptr;
  int32_t offset = 0;
  auto operator<=>(const ExpressionPoint&) const = default;
};

struct Outline {
  enum class Sort : uint8_t {
    Unknown,
    Constant,
    Object,    // Object{...}: members
    Patch,     // JSONPatch{...}: members
    List,      // items
    Map,       // members
    Concat,    // of lists or texts: items
    Filtered,  // some items of items[0]
    Choice,    // one of items, by `condition`
    Optional,  // its content is items[0]
  };
  struct Member {
    std::string name;
    const Outline* value;
    ExpressionPoint place;  // of the name
    bool optional;          // written with '?'
  };
  Sort sort = Sort::Unknown;
  ExpressionPoint place;
  const Expr* expr = nullptr;
  Value constant;
  std::vector<Member> members;
  std::vector<const Outline*> items;
  std::string condition;
  bool open = false;  // of a map: it has more entries, with unknown keys
};

// Maps the text of a condition to the taken choice; the default is the first.
using Selection = std::map<std::string, size_t, std::less<>>;
// Selections that take each choice at least once, at most kMostSelections.
inline constexpr size_t kMostSelections = 64;
std::vector<Selection> selections_of(const Outline& outline);

// The outline after its choices are taken; sets `guarded` to true if there was one.
const Outline& settled(const Outline& outline, const Selection& selection, bool* guarded = nullptr);

// An item of a list, settled.
struct OutlinedItem {
  const Outline* outline;
  bool guarded = false;   // a condition decides whether it is present
  bool filtered = false;  // filter() may remove it
};
// The items of a list (or parts of a text); `open`: there may be more.
struct OutlinedItems {
  std::vector<OutlinedItem> items;
  bool open = false;
};
OutlinedItems items_of(const Outline& list, const Selection& selection);

class Outliner {
 public:
  // `variables`: by name. All must outlive the outlines.
  Outliner(const KnownVariables& variables, const ObjectFacts& facts)
      : variables_(variables), facts_(facts), conditions_(variables, facts) {}

  // The outline of the value; lives as long as this Outliner.
  const Outline& of(const KnownExpression& expression);
  // The parts of expressions that were met: those behind conditions that are decided are not among them.
  const std::unordered_set<const Expr*>& met() const { return met_; }
  // Whether the value is a map of a Go struct, which is no JSON value: of a ConfigMap as param, or of the namespace.
  bool is_go_map(const Outline& outline) const;
  // Whether a condition holds for all objects, or for none; nothing if it depends.
  std::optional<bool> decide(const KnownExpression& condition) {
    return conditions_.decide(*condition.expression->ast().root);
  }

 private:
  // Local variables and their values; null: unknown.
  struct Locals {
    const Locals* outer;
    std::string_view name;
    const Outline* value;
  };
  // The current expression and its locals.
  struct Here {
    const KnownExpression* source;
    const Locals* locals;
    int depth;  // of variables within variables
  };
  Outline& make(Outline::Sort sort, const Expr& e, const Here& here);
  const Outline& walk(const Expr& e, const Here& here);
  const Outline& literal(const Expr& e, const Here& here);
  const Outline& name(const Expr& e, const Here& here);
  const Outline& select(const Expr& e, const Here& here);
  const Outline& call(const Expr& e, const Here& here);
  const Outline& conditional(const Expr& e, const Here& here);
  const Outline& structure(const Expr& e, const Here& here);
  const Outline& map(const Expr& e, const Here& here);
  const Outline& fold(const Expr& e, const Here& here);
  const Outline& evaluated(const Expr& e, const Here& here, Outline& unknown);
  ExpressionPoint point(const Expr& e, const Here& here) const;
  ExpressionPoint name_point(const Entry& entry, const Here& here) const;

  const KnownVariables& variables_;
  const ObjectFacts& facts_;
  KindConditions conditions_;
  std::deque<Outline> outlines_;
  std::unordered_set<const Expr*> met_;
  Context context_;
  std::vector<ProgramPtr> programs_;  // of constants
  Arena arena_;
};

}  // namespace portcullis::patching
