// Fuzzes text -> parse -> check -> evaluation on a small Pod.
//
// Nothing may crash. A program must keep the static type of its expression and give the same result twice.
// Evaluation without fused loops (explain) must give the same value and cost; evaluation without constant
// folding must give the same value, or an error too. Not checked: that the static estimate bounds the cost,
// because in Kubernetes it sometimes does not.
#include <cstdlib>

#include "admission/expressions/environment.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"
#include "interpreter/values/print.h"

using namespace portcullis;

static constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"prod","labels":{"app":"web"}},"spec":
    {"hostNetwork":false,"replicas":3,"containers":[{"name":"c","image":"r.example.com/app:1","ports":[{"containerPort":80}],
    "resources":{"limits":{"cpu":"500m"}}},{"name":"d","image":"e/x"}],"ratio":0.5,"none":null}})";

static std::shared_ptr<const Environment> environment() {
  EnvironmentBuilder builder(stored_environment());
  add_policy_variables(builder, {});
  return builder.build().value();
}

struct Nothing final : Watch {
  void on_value(ExprId, const Value&) override {}
};

// Whether a value may be the result of an expression of this type, for types where that is easily told.
static bool fits(const Value& value, const Type& type) {
  if (value.is(Kind::Struct)) return true;  // literals of some well-known messages stay messages
  switch (type.kind()) {
    case TypeKind::Bool: return value.is(Kind::Bool);
    case TypeKind::Int: return value.is(Kind::Int);
    case TypeKind::Uint: return value.is(Kind::Uint);
    case TypeKind::Double: return value.is(Kind::Double);
    case TypeKind::String: return value.is(Kind::String);
    case TypeKind::Bytes: return value.is(Kind::Bytes);
    case TypeKind::List: return value.is(Kind::List);
    case TypeKind::Map: return value.is(Kind::Map);
    default: return true;
  }
}

static void require(bool holds) {
  if (!holds) abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::shared_ptr<const Environment> env = environment();
  static Arena arena;
  static const Value pod = read_json(kPod, arena).value();
  Result<ExpressionPtr> expression = compile({reinterpret_cast<const char*>(data), size}, env);
  if (!expression.ok()) return 0;
  Context context;
  const auto run = [&](bool fold) -> std::pair<bool, Outcome> {
    Result<ProgramPtr> program = make_program(*expression, {.fold = fold});
    if (!program.ok()) return {false, {}};
    Activation activation((*program)->paths());
    activation.set("object", pod);
    activation.set("oldObject", Value::null());
    const Limits limits = {.cost_limit = kPerCallCostLimit};
    const Outcome outcome = evaluate(**program, activation, context, limits);
    const Outcome again = evaluate(**program, activation, context, limits);
    require(again.cost == outcome.cost && format_cel(again.value) == format_cel(outcome.value));
    return {
        true,
        {Value::string(context.arena().copy(format_cel(outcome.value))), outcome.cost, outcome.cancelled}};
  };
  // Compares printed values, because the program's values must not outlive it.
  Result<ProgramPtr> program = make_program(*expression);
  if (!program.ok()) return 0;
  Activation activation((*program)->paths());
  activation.set("object", pod);
  activation.set("oldObject", Value::null());
  const Outcome outcome = evaluate(**program, activation, context, {.cost_limit = kPerCallCostLimit});
  if (!outcome.value.is_error()) require(fits(outcome.value, *(*expression)->output_type()));
  Nothing nobody;
  const Outcome watched =
      explain(**expression, activation, context, nobody, {.cost_limit = kPerCallCostLimit});
  require(watched.cancelled == outcome.cancelled);
  if (!outcome.cancelled)
    require(watched.cost == outcome.cost && format_cel(watched.value) == format_cel(outcome.value));
  const auto [folded_made, folded] = run(true);
  const auto [plain_made, plain] = run(false);
  if (folded_made && plain_made && !folded.cancelled && !plain.cancelled && !outcome.value.is_error()) {
    require(folded.value.as_text() == plain.value.as_text());
  }
  return 0;
}
