// See estimate.h.
#include "typecheck/estimate.h"

#include <algorithm>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/utf8.h"
#include "typecheck/check.h"
#include "typecheck/type.h"

namespace portcullis {

std::optional<SizeEstimate> written_size(const Expr* e) {
  if (e->kind == ExprKind::List) return fixed_range(e->args.size());
  if (e->kind == ExprKind::Map) return fixed_range(e->entries.size());
  if (e->kind != ExprKind::Literal) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&e->literal)) return fixed_range(utf8::length(*text));
  if (const auto* bytes = std::get_if<BytesLiteral>(&e->literal)) return fixed_range(bytes->data.size());
  return fixed_range(1);
}

namespace {

// A path from a variable, as a list of names with the last one first. Null: no path.
struct Step {
  const Step* before;
  std::string_view name;
};
using Path = const Step*;
using Names = std::vector<std::string_view>;

Names names_of(Path path) {
  Names names;
  for (; path != nullptr; path = path->before) names.push_back(path->name);
  std::reverse(names.begin(), names.end());
  return names;
}

// Sizes of the elements of a list, or of the keys and values of a map.
struct EntrySize {
  TypeKind container;
  Range key;
  Range value;
};

using MaybeEntrySize = std::optional<EntrySize>;
MaybeEntrySize united(const MaybeEntrySize& a, const MaybeEntrySize& b) {
  if (!a || !b) return std::nullopt;
  return EntrySize{a->container, a->key.united(b->key), a->value.united(b->value)};
}

struct LocalVariable {
  Path path = nullptr;
  std::optional<Range> size;
  MaybeEntrySize entry_size;
};

// An argument or the receiver of a call.
struct Node {
  const Expr* expr;
  Path path = nullptr;
  std::optional<Range> computed;
};

bool starts_at_accumulator(Path path) {
  if (path == nullptr) return false;
  while (path->before != nullptr) path = path->before;
  return path->name == kLegacyAccumulator || path->name == kAccumulator;
}

// Whether all values of the type have size 1.
bool is_scalar(const Type* t) {
  switch (t->base_kind()) {
    case TypeKind::Bool:
    case TypeKind::Double:
    case TypeKind::Duration:
    case TypeKind::Int:
    case TypeKind::Timestamp:
    case TypeKind::Uint: return true;
    default: return t->is_optional() && is_scalar(t->param(0));
  }
}

class Estimator {
 public:
  Estimator(const Ast& ast, const Environment& environment, const SizeEstimator* sizes, EstimateParts* parts)
      : env_(environment),
        hints_(sizes),
        parts_(parts),
        facts_(static_cast<size_t>(ast.last_id()) + 1),
        presence_cost_(fixed_range(environment.options().presence_test_cost ? kSelectAndIdentCost : 0)) {}

  Range cost(const Expr* e) {
    if (!e) return {};
    Range found = cost_by_kind(e);
    if (parts_ != nullptr) parts_->costs[e->id] = found;
    return found;
  }
  std::optional<Range> size(const Expr* e) { return e == nullptr ? std::nullopt : size_of(e); }

 private:
  Range cost_by_kind(const Expr* e) {
    switch (e->kind) {
      case ExprKind::Ident: return ident_cost(e);
      case ExprKind::Select: return select_cost(e);
      case ExprKind::Call: return call_cost(e);
      case ExprKind::List: return list_cost(e);
      case ExprKind::Map: return map_cost(e);
      case ExprKind::Struct: return struct_cost(e);
      case ExprKind::Comprehension: return is_bind(*e->fold) ? bind_cost(e) : comprehension_cost(e);
      case ExprKind::Literal:
      case ExprKind::Unspecified: break;
    }
    return {};
  }

  class CallView;

  // What the walk has found out about a node; kept by node id.
  struct Fact {
    Path path = nullptr;
    std::optional<Range> size;
    MaybeEntrySize entry_size;
  };
  Fact& fact(const Expr* e) { return facts_[static_cast<size_t>(e->id)]; }

  // Paths.

  Path append(Path path, std::string_view name) { return &steps_.emplace_back(path, name); }

  Path path_of(const Expr* e) {
    if (const LocalVariable* local = find_local(e)) return local->path;
    return fact(e).path;
  }

  // Locals.

  const LocalVariable* find_local(const Expr* e) const {
    return e->kind == ExprKind::Ident ? find_local(e->name) : nullptr;
  }
  const LocalVariable* find_local(std::string_view name) const {
    auto it = locals_.find(name);
    return it == locals_.end() || it->second.empty() ? nullptr : &it->second.back();
  }
  void push_local(std::string_view name, const Expr* value) {
    Path path = path_of(value);
    MaybeEntrySize entries = entry_size_of(value);
    locals_[name].push_back({path, size_of(value), entries});
  }
  void pop_local(std::string_view name) { locals_[name].pop_back(); }

  enum class Iterated { Single, Key, Value };
  void push_iteration(std::string_view name, const Expr* range, Iterated what) {
    MaybeEntrySize entries = entry_size_of(range);
    bool is_list = entries ? entries->container == TypeKind::List : range->type->is(TypeKind::List);
    bool is_value = what == Iterated::Value || (what == Iterated::Single && is_list);
    std::optional<Range> size;
    if (entries) size = is_value ? entries->value : entries->key;
    std::string_view step = is_list ? (is_value ? "@items" : "@indices") : (is_value ? "@values" : "@keys");
    locals_[name].push_back({append(path_of(range), step), size, std::nullopt});
  }

  // Sizes.

  std::optional<Range> hinted_size(Path path, const Type* type, const Expr* e) const {
    return hints_ ? hints_->estimate_size({names_of(path), type, e}) : std::nullopt;
  }

  std::optional<Range> size_of(const Expr* e) {
    if (fact(e).size) return fact(e).size;
    if (std::optional<Range> size = written_size(e)) return size;
    if (std::optional<Range> size = hinted_size(path_of(e), e->type, e)) return fact(e).size = size;
    if (is_scalar(e->type)) return fixed_range(1);
    const LocalVariable* local = find_local(e);
    return local ? local->size : std::nullopt;
  }
  Range size_or_unknown(const Expr* e) { return size_of(e).value_or(kUnknownRange); }
  void set_size(const Expr* e, const std::optional<Range>& size) {
    if (size) fact(e).size = size;
  }

  MaybeEntrySize entry_size_of(const Expr* e) {
    if (fact(e).entry_size) return fact(e).entry_size;
    const LocalVariable* local = find_local(e);
    return local ? local->entry_size : std::nullopt;
  }
  void set_entry_size(const Expr* e, const MaybeEntrySize& size) {
    if (size) fact(e).entry_size = size;
  }

  void copy_sizes(const Expr* to, const Expr* from) {
    set_size(to, size_of(from));
    set_entry_size(to, entry_size_of(from));
  }

  // Costs by kind of node.

  Range ident_cost(const Expr* e) {
    const LocalVariable* local = find_local(e);
    fact(e).path = local ? local->path : append(nullptr, e->name);
    return fixed_range(kSelectAndIdentCost);
  }

  Range select_cost(const Expr* e) {
    if (e->test_only) return presence_cost_ + cost(e->target);
    Range sum = cost(e->target);
    const Type* t = e->target->type;
    // Selecting from dyn or an optional is free.
    if (t->is(TypeKind::Map) || t->is(TypeKind::Struct) || t->is(TypeKind::Param)) {
      sum = sum + fixed_range(kSelectAndIdentCost);
    }
    fact(e).path = append(path_of(e->target), e->name);
    return sum;
  }

  Range list_cost(const Expr* e) {
    Range sum;
    Range item{e->args.empty() ? 0 : kUnbounded, 0};
    for (const Expr* element : e->args) {
      sum = sum + cost(element);
      item = item.united(size_or_unknown(element));
    }
    set_entry_size(e, EntrySize{TypeKind::List, fixed_range(1), item});
    return sum + fixed_range(kListCreateCost);
  }

  Range map_cost(const Expr* e) {
    Range sum;
    Range key{e->entries.empty() ? 0 : kUnbounded, 0};
    Range value = key;
    for (const Entry& entry : e->entries) {
      sum = sum + cost(entry.key);
      sum = sum + cost(entry.value);
      key = key.united(size_or_unknown(entry.key));
      value = value.united(size_or_unknown(entry.value));
    }
    set_entry_size(e, EntrySize{TypeKind::Map, key, value});
    return sum + fixed_range(kMapCreateCost);
  }

  Range struct_cost(const Expr* e) {
    Range sum;
    for (const Entry& entry : e->entries) sum = sum + cost(entry.value);
    return sum + fixed_range(kStructCreateCost);
  }

  // Whether the comprehension is cel.bind or alike: it loops over an empty list and only names a value.
  static bool is_bind(const Comprehension& fold) {
    const bool* condition = fold.loop_condition->kind == ExprKind::Literal
                                ? std::get_if<bool>(&fold.loop_condition->literal)
                                : nullptr;
    return fold.range->kind == ExprKind::List && fold.range->args.empty() && condition && !*condition &&
           fold.accu_var != kLegacyAccumulator;
  }

  Range bind_cost(const Expr* e) {
    const Comprehension& fold = *e->fold;
    Range sum = cost(fold.range) + cost(fold.accu_init);
    push_local(fold.accu_var, fold.accu_init);
    sum = sum + cost(fold.result);
    pop_local(fold.accu_var);
    // The variable is already out of scope here, so a result that is only the variable has no known size, as
    // in cel-go.
    copy_sizes(e, fold.result);
    return sum;
  }

  Range comprehension_cost(const Expr* e) {
    const Comprehension& fold = *e->fold;
    Range sum = cost(fold.range) + cost(fold.accu_init);
    push_local(fold.accu_var, fold.accu_init);
    if (fold.iter_var2.empty()) {
      push_iteration(fold.iter_var, fold.range, Iterated::Single);
    } else {
      push_iteration(fold.iter_var, fold.range, Iterated::Key);
      push_iteration(fold.iter_var2, fold.range, Iterated::Value);
    }
    Range loop = cost(fold.loop_condition);
    loop = cost(fold.loop_step) + loop;
    pop_local(fold.iter_var);
    if (!fold.iter_var2.empty()) pop_local(fold.iter_var2);
    sum = sum + cost(fold.result);
    pop_local(fold.accu_var);

    Range count = size_or_unknown(fold.range);
    if (parts_ != nullptr) parts_->rounds[e->id] = count;
    if (fold.accu_init->kind == ExprKind::Literal) {
      set_size(e, size_of(fold.accu_init));
    } else if (fold.accu_init->kind == ExprKind::List || fold.accu_init->kind == ExprKind::Map) {
      set_size(e, count);
      set_entry_size(e, entry_size_of(fold.loop_step));
    }
    return sum + count * loop;
  }

  Range call_cost(const Expr* e);
  CallEstimate overload_cost(const Expr* e, const Overload& overload, const std::vector<Node>& nodes,
                             const std::vector<Range>& arg_costs);

  Node node_of(const Expr* e) {
    Path path = path_of(e);
    return {e, starts_at_accumulator(path) ? nullptr : path, size_of(e)};
  }

  const Environment& env_;
  const SizeEstimator* hints_;
  EstimateParts* parts_;
  std::vector<Fact> facts_;
  Range presence_cost_;
  std::unordered_map<std::string_view, std::vector<LocalVariable>> locals_;
  std::deque<Step> steps_;
};

// The view that cost functions have of a call.
class Estimator::CallView final : public EstimateCall {
 public:
  CallView(const Estimator& estimator, const Expr* call, std::string_view overload_id,
           const std::vector<Node>& nodes)
      : estimator_(estimator), call_(call), overload_id_(overload_id), nodes_(nodes) {}

  std::string_view function() const override { return call_->name; }
  std::string_view overload_id() const override { return overload_id_; }
  bool has_receiver() const override { return call_->target != nullptr; }
  size_t count() const override { return nodes_.size(); }

  SizeEstimate size(size_t i) override {
    if (nodes_[i].computed) return *nodes_[i].computed;
    return estimator_.hinted_size(nodes_[i].path, type(i), nodes_[i].expr).value_or(kUnknownRange);
  }
  std::optional<SizeEstimate> computed_size(size_t i) override { return nodes_[i].computed; }
  SizeEstimate element_size(size_t i) override {
    const Type* element = element_type(i);
    if (!element || !estimator_.hints_) return kUnknownRange;
    Names items = names_of(nodes_[i].path);
    if (!items.empty()) items.push_back("@items");
    return estimator_.hints_->estimate_size({items, element, nullptr, nodes_[i].expr})
        .value_or(kUnknownRange);
  }
  const Type* type(size_t i) const override { return nodes_[i].expr->type; }
  const Type* element_type(size_t i) const override {
    const Type* t = type(i);
    return t->is(TypeKind::Wrapper) || t->params().empty() ? nullptr : t->param(0);
  }
  const Literal* literal(size_t i) const override {
    return nodes_[i].expr->kind == ExprKind::Literal ? &nodes_[i].expr->literal : nullptr;
  }

 private:
  const Estimator& estimator_;
  const Expr* call_;
  std::string_view overload_id_;
  const std::vector<Node>& nodes_;
};

Range Estimator::call_cost(const Expr* e) {
  // dyn() only hides a type: the sizes of its argument remain known.
  if (e->name == "dyn" && !e->target && e->args.size() == 1) {
    Range argument = cost(e->args[0]);
    copy_sizes(e, e->args[0]);
    return fixed_range(1) + argument;
  }
  std::vector<Node> nodes;
  std::vector<Range> arg_costs;
  for (const Expr* arg : e->args) {
    arg_costs.push_back(cost(arg));
    nodes.push_back(node_of(arg));
  }
  if (!e->reference || e->reference->overloads.empty()) return {};
  Range target;
  if (e->target) {
    target = cost(e->target);
    nodes.insert(nodes.begin(), node_of(e->target));
  }
  Range function{kUnbounded, 0};
  std::optional<Range> result_size;
  for (const Overload* overload : e->reference->overloads) {
    CallEstimate call = overload_cost(e, *overload, nodes, arg_costs);
    function = function.united(call.cost);
    if (call.result_size)
      result_size = result_size ? result_size->united(*call.result_size) : call.result_size;
    bool is_list = overload->form == OverloadForm::IndexList;
    if (is_list || overload->form == OverloadForm::IndexMap) {
      MaybeEntrySize entries = entry_size_of(e->args[0]);
      result_size = entries ? std::optional<Range>(entries->value) : std::nullopt;
      fact(e).path = append(path_of(e->args[0]), is_list ? "@items" : "@values");
    }
    if (!result_size) result_size = size_of(e);
  }
  set_size(e, result_size);
  return target + function;
}

CallEstimate Estimator::overload_cost(const Expr* e, const Overload& overload, const std::vector<Node>& nodes,
                                      const std::vector<Range>& arg_costs) {
  Range arguments;
  for (Range c : arg_costs) arguments = arguments + c;
  CallView view(*this, e, overload.id, nodes);
  bool registered = overload.row && (overload.row->flags & kCostRegistered) && overload.estimate;
  if (!registered) {
    const NamedCost* named = env_.find_named_cost(e->name);
    std::optional<CallEstimate> answer = named && named->estimate ? named->estimate(view) : std::nullopt;
    if (answer) return {answer->cost + arguments, answer->result_size};
  }
  switch (overload.form) {
    case OverloadForm::LogicalAnd:
    case OverloadForm::LogicalOr: return {Range{arg_costs[0].min, (arg_costs[0] + arg_costs[1]).max}};
    case OverloadForm::Conditional: {
      set_entry_size(e, united(entry_size_of(e->args[1]), entry_size_of(e->args[2])));
      Range size =
          nodes[1].computed.value_or(kUnknownRange).united(nodes[2].computed.value_or(kUnknownRange));
      return {arg_costs[0] + arg_costs[1].united(arg_costs[2]), size};
    }
    case OverloadForm::Add:
      set_entry_size(e, united(entry_size_of(e->args[0]), entry_size_of(e->args[1])));
      break;
    default: break;
  }
  CallEstimate answer = overload.estimate ? overload.estimate(view) : CallEstimate{};
  return {answer.cost + arguments, answer.result_size};
}

}  // namespace

CostEstimate estimate(const Ast& ast, const Environment& environment, const SizeEstimator* sizes,
                      EstimateParts* parts) {
  Estimator estimator(ast, environment, sizes, parts);
  CostEstimate cost = estimator.cost(ast.root);
  if (parts != nullptr) parts->result = estimator.size(ast.root);
  return cost;
}

std::optional<SizeEstimate> SizeHints::estimate_size(const SizeNode& node) const {
  if (node.path.empty()) return std::nullopt;
  std::string joined;
  for (std::string_view name : node.path) {
    if (!joined.empty()) joined += '.';
    joined += name;
  }
  auto it = largest_.find(joined);
  return it == largest_.end() ? std::nullopt : std::optional<SizeEstimate>(Range{0, it->second});
}

}  // namespace portcullis
