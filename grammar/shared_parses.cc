#include "grammar/shared_parses.h"

#include <algorithm>
#include <unordered_map>

namespace portcullis {
namespace {

bool same(const ParseOptions& a, const ParseOptions& b) {
  auto limits = [](const ParseLimits& l) {
    return std::tuple(l.code_points, l.recursion, l.recoveries, l.lookahead, l.syntax_errors);
  };
  auto flags = [](const ParseOptions& o) {
    return std::tuple(o.macros == nullptr, o.optional_syntax, o.escape_idents, o.hidden_accumulator,
                      o.variadic_logic, o.record_macro_calls);
  };
  return flags(a) == flags(b) && limits(a.limits) == limits(b.limits);
}

// Copies nodes. A node that tree and macro calls share is copied once.
class Copy {
 public:
  explicit Copy(Ast& out) : out_(out) {}

  Expr* of(const Expr* e) {
    if (e == nullptr) return nullptr;
    auto [slot, fresh] = made_.try_emplace(e);
    if (!fresh) return slot->second;
    Expr* node = slot->second = out_.make(e->kind, e->id);
    node->test_only = e->test_only;
    node->literal = e->literal;
    node->name = e->name;
    node->target = of(e->target);
    for (const Expr* arg : e->args) node->args.push_back(of(arg));
    node->optional_indices = e->optional_indices;
    for (const Entry& entry : e->entries)
      node->entries.push_back({entry.id, of(entry.key), entry.field, of(entry.value), entry.optional});
    if (const Comprehension* f = e->fold.get()) {
      node->fold = std::make_unique<Comprehension>(
          Comprehension{of(f->range), f->iter_var, f->iter_var2, f->accu_var, of(f->accu_init),
                        of(f->loop_condition), of(f->loop_step), of(f->result)});
    }
    return node;
  }

 private:
  Ast& out_;
  std::unordered_map<const Expr*, Expr*> made_;
};

}  // namespace

Ast copy_of(const Ast& ast) {
  Ast out;
  for (ExprId id = 1; id <= ast.last_id(); id++) out.next_id(ast.span(id));
  Copy copy(out);
  out.root = copy.of(ast.root);
  for (const auto& [id, call] : ast.macro_calls) out.macro_calls[id] = copy.of(call);
  return out;
}

const Parsed& SharedParses::read(const Source& source, const ParseOptions& options) {
  auto known = std::ranges::find_if(known_, [&](const Known& k) {
    return same(k.options, options) && (options.macros == nullptr || k.macros == *options.macros);
  });
  if (known == known_.end()) {
    known = known_.insert(known_.end(),
                          Known{options, options.macros != nullptr ? *options.macros : MacroTable(), {}});
  }
  auto found = known->texts.find(source.text());
  if (found != known->texts.end()) return found->second;
  Parsed parsed = parse(source, options);
  if (!parsed.ok()) parsed.ast = Ast();
  return known->texts.emplace(source.text(), std::move(parsed)).first->second;
}

Parsed SharedParses::copy(const Source& source, const ParseOptions& options) {
  const Parsed& parsed = read(source, options);
  return {copy_of(parsed.ast), parsed.diagnostics};
}

void SharedParses::forget(std::string_view text) {
  for (Known& known : known_) {
    if (auto found = known.texts.find(text); found != known.texts.end()) known.texts.erase(found);
  }
}

}  // namespace portcullis
