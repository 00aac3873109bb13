// Planner: follows expressions from a wanted outcome down to what has to hold at their paths. See plans.h.
//
// Idea: a term is what an expression stands for, a constant or what is at paths; a plan says which values they have.
// Files: plans.cc (of a whole policy), terms.cc (what expressions stand for), wants.cc (what has to hold).
// Tested by tests/cli/test_init.txt.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/drafts/constants.h"
#include "cli/drafts/natural.h"
#include "cli/drafts/plans.h"
#include "cli/drafts/trees.h"
#include "grammar/ast.h"

namespace portcullis::drafts {

using Plans = std::vector<Plan>;  // alternatives
extern const Plans kAny;          // one plan that asks for nothing

void append(Plan& plan, const Plan& more);
Plan with(Plan plan, Path path, std::string json, bool there = false);
void add_all(Plans& plans, const Plans& more);
// Alternatives of both, in turn, so that a bound leaves some of each.
Plans either(const Plans& a, const Plans& b);
// Each of one with each of the other; those that are first in both come first.
Plans both(const Plans& a, const Plans& b);

// A place whose value an expression looks at, if `needs` hold: the value there, or that of elements of a list.
struct Ref {
  Path path;
  bool elements = false;  // the value is a list, and its elements are at the path
  Plan needs;
};
// What an expression stands for: a constant, or what is at one of several places.
struct Term {
  std::optional<std::string> constant;  // JSON
  std::vector<Ref> refs;
  bool size = false;    // of it
  bool absent = false;  // nothing is there
};

class Planner {
 public:
  // They must outlive it. `param`: see plans_of().
  Planner(const ObjectKind& kind, const std::string& param) : kind_(kind), param_(param) {}
  Plans run(const InputObject& policy);
  // What has to hold for a rule of a definition, whose `self` is at a path of the object.
  Plans run(std::string_view rule, const Path& self, bool outcome);

 private:
  using Scope = std::map<std::string, Term>;
  // While it lives, an expression within another is looked at.
  class Deeper {
   public:
    explicit Deeper(Planner& planner) : planner_(planner) { planner_.depth_++, planner_.steps_++; }
    ~Deeper() { planner_.depth_--; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    bool may_go_on() const {
      return planner_.depth_ <= kDeepestPlan && planner_.steps_ <= planner_.most_steps_;
    }

   private:
    Planner& planner_;
  };
  static constexpr int kDeepestPlan = 200;  // nesting of expressions that is followed
  static constexpr size_t kMostSteps =
      50'000;  // of all plans, since variables that use others twice double them
  static constexpr size_t kStepsOfValidation = 500;  // more of them

  Plans wanted(std::string_view text, bool outcome);
  // What a mutation tests, and the elements that it loops over.
  Plans tests_in(const Expr& e, int depth);
  // What an operation of a JSON patch needs to change something.
  Plans want_operation(const Expr& e);
  // Binds the variables of a loop: the last one before the body is the element.
  void bind(const Expr& loop, const Term& element);
  const Expr* variable_of(const Expr& e) const;

  // What expressions stand for.
  Term term(const Expr& e);
  Term meaning(const Expr& e);
  Term named(const std::string& name) const;
  Term member(const Term& of, const std::string& name) const;
  // The name of the property that is selected.
  std::string selected(const std::string& name) const;
  static Term joined(Term a, const Term& b);
  static Term needing(Term t, const Plans& plans);
  // The elements of a list or map: one term for what is at places, one for each of a constant.
  std::vector<Term> elements_of(const Expr& list);
  Term called(const Expr& e);
  Term looped(const Expr& e);
  static Term constant(std::string json) { return {.constant = std::move(json), .refs = {}}; }

  // What has to hold.
  Plans want(const Expr& e, bool outcome);
  // A flag that is absent has the value of orValue().
  Plans want_default(const Expr& e, bool outcome);
  // The values at any of the places of a term.
  Plans set(const Term& t, const std::vector<std::string>& values) const;
  Plans want_there(const Term& t, bool outcome) const;
  Plans want_loop(const Expr& e, bool outcome);
  Plans want_in(const Expr& e, bool outcome);
  Plans want_relation(const Expr& e, Relation relation, bool outcome);
  // Plans for terms with a relation to each other.
  Plans related(const Term& a, Relation relation, const Term& b);
  Plans related_places(const Term& a, Relation relation, const Term& b);
  // So many of the conditions are true, in a relation to a number.
  Plans want_count(const std::vector<const Expr*>& conditions, Relation relation, int64_t number);
  // isIP(text) and its like, format.x().validate(text).hasValue().
  std::optional<Plans> want_valid(const Expr& e, bool outcome);
  // Lists, maps and texts of a size.
  Plans sized(const Term& a, Relation relation, int64_t size) const;
  // text.startsWith(constant) and its like.
  std::optional<Plans> want_text(const Expr& e, bool outcome);
  // quantity(a).isGreaterThan(quantity(b))
  std::optional<Plans> want_order(const Expr& e, bool outcome);
  std::string natural(const Path& path) const { return natural_at(kind_, path); }

  const ObjectKind& kind_;
  const std::string& param_;
  Trees trees_;
  std::map<std::string, const Expr*> variables_;
  Scope scope_;
  bool escaped_ = false;  // names in selections are escaped, as those of properties in rules
  int depth_ = 0;
  size_t steps_ = 0, most_steps_ = kMostSteps;
};

}  // namespace portcullis::drafts
