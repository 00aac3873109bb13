// Fuzzes text -> parse -> unparse -> parse: the tree must be the same, up to the association of && and ||.
// Operands of ! and - are not compared, because cel-go (and so do we) prints -(-1) as --1 and (!a).b as !a.b;
// nor is a.`true`, which cel-go prints without quotes.
#include <algorithm>
#include <cstdlib>

#include "grammar/parse.h"
#include "grammar/unparse.h"

using namespace portcullis;

static void collect(const Expr* e, bool logic, std::vector<const Expr*>& out) {
  for (const Expr* arg : e->args)
    logic && arg->is_call(e->name, 2) ? collect(arg, true, out) : out.push_back(arg);
}

static std::vector<const Expr*> parts(const Expr* e) {
  std::vector<const Expr*> out = {e->target};
  collect(e, e->name == operators::kLogicalAnd || e->name == operators::kLogicalOr, out);
  for (const Entry& entry : e->entries) out.insert(out.end(), {entry.key, entry.value});
  if (e->fold)
    out.insert(out.end(), {e->fold->range, e->fold->accu_init, e->fold->loop_step, e->fold->result});
  return out;
}

static bool same(const Expr* a, const Expr* b) {
  const auto prefix = [](const Expr* e) {
    return e->is_call(operators::kLogicalNot, 1) || e->is_call(operators::kNegate, 1);
  };
  if (!a || !b || prefix(a) || prefix(b)) return !a == !b;
  if (a->kind != b->kind || a->name != b->name || a->literal != b->literal || a->test_only != b->test_only)
    return false;
  return std::ranges::equal(parts(a), parts(b), same);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const MacroTable macros(macros::standard());
  const ParseOptions options = {.macros = &macros, .optional_syntax = true};
  const Parsed first = parse(Source({reinterpret_cast<const char*>(data), size}), options);
  const std::string text = first.ok() ? unparse(first.ast).value() : "1";
  const Parsed second = parse(Source(text), options);
  const bool quirk =
      text.find('-') + 1 || text.find("true") + 1 || text.find("false") + 1 || text.find("null") + 1;
  if (second.ok() ? first.ok() && !same(first.ast.root, second.ast.root) : !quirk) abort();
  return 0;
}
