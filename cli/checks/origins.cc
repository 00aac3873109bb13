// See origins.h.
#include "cli/checks/origins.h"

#include <utility>

#include "typecheck/type.h"

namespace portcullis {
namespace {

constexpr size_t kMostOrigins = 16;  // of a value; one with more counts as computed

// A loop over an empty list that never runs only names a value: optMap.
bool only_names(const Comprehension& f) {
  const Expr* condition = f.loop_condition;
  const bool* runs = condition->kind == ExprKind::Literal ? std::get_if<bool>(&condition->literal) : nullptr;
  return f.range->kind == ExprKind::List && f.range->args.empty() && runs != nullptr && !*runs;
}

// How an index names a member: "{}" of a map, "[]" of a list. In untyped data, an integer index means a list.
std::string step_of_index(const Expr* e) {
  const Type *from = e->args[0]->type, *index = e->args[1]->type;
  if (from->is_optional()) from = from->param(0);
  return from->is(TypeKind::List) || (!from->is(TypeKind::Map) && index->is(TypeKind::Int)) ? "[]" : "{}";
}

// A member that has no place: "image" or "[]".
std::string unplaced(const std::string& step) { return step.starts_with(".") ? step.substr(1) : step; }

}  // namespace

void Origins::add(Origins more) {
  places.merge(more.places);
  literals.insert(literals.end(), more.literals.begin(), more.literals.end());
  computed |= more.computed;
  if (places.size() + literals.size() <= kMostOrigins) return;
  places.clear();
  literals.clear();
  computed = true;
}

// Finds what the names of an expression stand for, and what loops walk.
class OriginFinder::NameSearch {
 public:
  explicit NameSearch(OriginFinder& finder) : finder_(finder) {}

  void visit(const Expr& e) {
    if (e.kind == ExprKind::Ident) {
      if (auto known = scope_.find(e.name); known != scope_.end()) finder_.names_[&e] = known->second;
    }
    if (e.fold != nullptr) return loop(*e.fold);
    for_each_child(e, [&](const Expr& child) { visit(child); });
    if (e.is_call(operators::kIn, 2)) walk(e.args[1]);
  }

 private:
  // What chooses a value is walked if the choices are.
  void walk(const Expr* e) {
    finder_.walked_.insert(e);
    for (const Expr* choice : choices_of(e, Use::Value)) walk(choice);
  }

  void loop(const Comprehension& f) {
    walk(f.range);
    visit(*f.range);
    visit(*f.accu_init);
    const auto outside = scope_;
    const bool list = f.range->type->is(TypeKind::List);
    // A loop over plain data may walk a list or the keys of a map, so both are [].
    scope_[f.iter_var] = {f.range, "[]"};
    if (!f.iter_var2.empty()) scope_[f.iter_var2] = {f.range, list ? "[]" : "{}"};
    scope_[f.accu_var] = only_names(f) ? Meaning{f.accu_init} : Meaning{};
    for (const Expr* part : {f.loop_condition, f.loop_step, f.result}) visit(*part);
    scope_ = outside;
  }

  OriginFinder& finder_;
  std::map<std::string, Meaning> scope_;
};

std::vector<const Expr*> OriginFinder::choices_of(const Expr* e, Use use) {
  if (e->is_call(operators::kConditional, 3)) return {e->args[1], e->args[2]};
  if (e->is_call(operators::kAdd, 2) && use == Use::Members) return {e->args[0], e->args[1]};
  if (e->is_call("optional.of", 1) || e->is_call("optional.ofNonZeroValue", 1) || e->is_call("dyn", 1))
    return {e->args[0]};
  if (e->target == nullptr) return {};
  if (e->is_call("orValue", 1) || e->is_call("or", 1)) return {e->target, e->args[0]};
  if (e->is_call("value", 0)) return {e->target};
  return {};
}

void OriginFinder::add(const Expr* root) { NameSearch(*this).visit(*root); }

void OriginFinder::name(const std::string& variable, const Expr* root) {
  std::map<Use, Origins> found;
  for (Use use : {Use::Value, Use::Members}) found[use] = find(root, use);
  variables_[variable] = std::move(found);
}

bool OriginFinder::looks_through(std::string_view variable) const {
  auto found = variables_.find(variable);
  if (found == variables_.end()) return false;
  const Origins& value = found->second.at(Use::Value);
  return !value.places.empty() && !value.computed;
}

bool OriginFinder::item_of_literal(const Expr* e) const {
  auto found = names_.find(e);
  if (found == names_.end() || found->second.from == nullptr || found->second.step.empty()) return false;
  const ExprKind kind = found->second.from->kind;
  return kind == ExprKind::List || kind == ExprKind::Map;
}

Origins OriginFinder::find(const Expr* e, Use use) {
  auto known = found_.find({e, use});
  if (known == found_.end()) known = found_.emplace(std::pair(e, use), find_new(e, use)).first;
  return known->second;
}

Origins OriginFinder::find_new(const Expr* e, Use use) {
  const Origins computed{.places = {}, .literals = {}, .computed = true};
  switch (e->kind) {
    case ExprKind::Ident: {
      auto known = names_.find(e);
      if (known == names_.end()) return {.places = {e->name}, .literals = {}};
      const auto& [from, step] = known->second;
      if (from == nullptr) return computed;
      return step.empty() ? find(from, use) : members(from, step, use);
    }
    case ExprKind::Select: {
      if (e->test_only) return computed;
      const bool variable =
          e->target->kind == ExprKind::Ident && e->target->name == "variables" && !names_.contains(e->target);
      auto known = variable ? variables_.find(e->name) : variables_.end();
      if (known != variables_.end()) {
        const Origins& from = known->second.at(use);
        if (!from.places.empty() && !from.computed) return from;
      }
      return members(e->target, "." + e->name, use);
    }
    case ExprKind::Call: return of_call(e, use);
    case ExprKind::Literal:
    case ExprKind::List:
    case ExprKind::Map: return {.places = {}, .literals = {e}};
    case ExprKind::Comprehension: return only_names(*e->fold) ? find(e->fold->result, use) : computed;
    default: return computed;
  }
}

Origins OriginFinder::of_call(const Expr* e, Use use) {
  if (e->is_call(operators::kOptSelect, 2)) {
    if (const auto* field = std::get_if<std::string>(&e->args[1]->literal))
      return members(e->args[0], "." + *field, use);
  }
  if (e->is_call(operators::kIndex, 2) || e->is_call(operators::kOptIndex, 2))
    return members(e->args[0], step_of_index(e), use);
  const std::vector<const Expr*> choices = choices_of(e, use);
  Origins out;
  for (const Expr* choice : choices) out.add(find(choice, use));
  out.computed |= choices.empty() && !e->is_call("optional.none", 0);
  return out;
}

Origins OriginFinder::members(const Expr* e, const std::string& step, Use use) {
  const Origins from = find(e, Use::Members);
  Origins out;
  for (const std::string& place : from.places) out.places.insert(place + step);
  bool unknown = from.computed;
  for (const Expr* literal : from.literals) {
    if (literal->kind == ExprKind::List && step == "[]") {
      for (const Expr* item : literal->args) out.add(find(item, use));
    } else if (literal->kind == ExprKind::Map) {
      unknown |= !literal->entries.empty();
    }
  }
  if (unknown || out.computed || out.places.empty()) out.places.insert(unplaced(step));
  out.computed = false;
  return out;
}

}  // namespace portcullis
