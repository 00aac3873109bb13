#include "interpreter/cel.h"

#include "grammar/parse.h"
#include "interpreter/compile/disasm.h"
#include "interpreter/compile/lower.h"
#include "interpreter/compile/verify.h"
#include "interpreter/compile_shared.h"
#include "interpreter/run/vm.h"
#include "typecheck/check.h"

namespace portcullis {
namespace {

class ParsedExpression : public Expression {
 public:
  ParsedExpression(std::string_view text, std::shared_ptr<const Environment> environment)
      : source_(text), environment_(std::move(environment)) {}

  // Parses and checks the text. The error is what cel-go displays.
  Result<void> build(CompileOptions options, SharedParses* parses) {
    ParseOptions parse_options = environment_->parse_options();
    if (!options.macros) parse_options.macros = nullptr;
    Parsed parsed = parses != nullptr ? parses->copy(source_, parse_options) : parse(source_, parse_options);
    if (!parsed.ok()) return refuse(parsed.diagnostics);
    ast_ = std::move(parsed.ast);
    checked_ = options.check;
    if (!options.check) return {};
    Diagnostics diagnostics = check(ast_, *environment_, annotations_);
    if (!diagnostics.empty()) return refuse(diagnostics);
    return {};
  }

  std::string_view text() const override { return source_.text(); }
  const Ast& ast() const override { return ast_; }
  bool checked() const override { return checked_; }
  const Type* output_type() const override { return checked_ ? ast_.root->type : types::kDyn; }
  const std::shared_ptr<const Environment>& environment() const override { return environment_; }

 private:
  Error refuse(const Diagnostics& diagnostics) {
    const int32_t offset = diagnostics.items()[0].offset;
    const Location l = offset < 0 ? Location{0, -1} : source_.location(offset);
    return Error{render(source_, diagnostics), {l.line, l.column + 1}};
  }

  Source source_;
  std::shared_ptr<const Environment> environment_;
  Ast ast_;
  Annotations annotations_;
  bool checked_ = false;
};

Result<std::unique_ptr<Code>> make_code(const Expression& expression, const ProgramOptions& options,
                                        LowerOptions lower_options) {
  auto code = std::make_unique<Code>();
  code->paths = options.paths ? options.paths : std::make_shared<PathTable>();
  const Environment& environment = *expression.environment();
  PlanOptions plan_options{options.fold.value_or(environment.options().constant_folding)};
  PlanConstants constants{code->paths->constants()};
  Result<PlanTree> tree = plan(expression.ast(), environment, plan_options, constants);
  if (!tree.ok()) return tree.error();
  code->regexes = std::move(constants.regexes);
  lower(*tree, environment, lower_options, *code);
  if (Result<void> ok = verify(*code); !ok.ok()) return ok.error();
  code->instructions.shrink_to_fit();
  code->constants.shrink_to_fit();
  code->calls.shrink_to_fit();
  return code;
}

}  // namespace

namespace {
Result<ExpressionPtr> compile(std::string_view text, std::shared_ptr<const Environment> environment,
                              CompileOptions options, SharedParses* parses) {
  auto expression = std::make_shared<ParsedExpression>(text, std::move(environment));
  if (Result<void> ok = expression->build(options, parses); !ok.ok()) return ok.error();
  return ExpressionPtr(std::move(expression));
}
}  // namespace

Result<ExpressionPtr> compile(std::string_view text, std::shared_ptr<const Environment> environment,
                              CompileOptions options) {
  return compile(text, std::move(environment), options, nullptr);
}

Result<ExpressionPtr> compile_shared(std::string_view text, std::shared_ptr<const Environment> environment,
                                     SharedParses* parses) {
  return compile(text, std::move(environment), {}, parses);
}

Program::Program(std::shared_ptr<const Environment> environment, std::unique_ptr<const Code> code)
    : environment_(std::move(environment)), code_(std::move(code)) {}
Program::~Program() = default;

const std::shared_ptr<PathTable>& Program::paths() const { return code_->paths; }

const std::vector<uint32_t>& Program::reads() const { return code_->reads; }
bool Program::depends_on_variables_only() const { return code_->pure && !code_->reads.empty(); }
std::string Program::disassemble() const { return portcullis::disassemble(*code_); }

Result<ProgramPtr> make_program(const ExpressionPtr& expression, ProgramOptions options) {
  Result<std::unique_ptr<Code>> code = make_code(*expression, options, {.watch = options.watch});
  if (!code.ok()) return code.error();
  return ProgramPtr(std::make_shared<Program>(expression->environment(), std::move(*code)));
}

Context::Context() : state_(std::make_unique<State>()) {}
Context::~Context() = default;
Arena& Context::arena() { return state_->arena; }
void Context::reset() {
  state_->arena.reset();
  state_->kept.clear();
}

namespace {
// Evaluates and keeps the outcome.
Outcome evaluate_and_keep(const Program& program, uint64_t stamp, Activation::Memo& memo,
                          Activation& activation, Context& context, const Limits& limits) {
  Outcome outcome = run(program.code(), activation, context.state(), limits, nullptr);
  if (!outcome.cancelled) {
    memo.stamp = stamp;
    memo.generation = activation.generation();
    memo.value = outcome.value;
    memo.cost = outcome.cost;
  }
  return outcome;
}
}  // namespace

Outcome evaluate_once(const Program& program, uint32_t memo, Activation& activation, Context& context,
                      const Limits& limits) {
  activation.fit();
  Activation::Memo& kept = activation.memo(memo);
  uint64_t stamp = 0;
  for (uint32_t variable : program.reads()) stamp = std::max(stamp, activation.stamp(variable));
  if (stamp == 0) return evaluate(program, activation, context, limits);
  if (kept.stamp != stamp || kept.cost > limits.cost_limit)
    return evaluate_and_keep(program, stamp, kept, activation, context, limits);
  kept.generation = activation.generation();
  return {kept.value, kept.cost, false};
}

Outcome explain(const Expression& expression, Activation& activation, Context& context, Watch& watch,
                const Limits& limits) {
  Result<std::unique_ptr<Code>> made = make_code(expression, {}, {.watch = true});
  if (!made.ok()) return {make_error(context.arena(), made.error().text), 0, false};
  const Code& code = *context.state().kept.emplace_back(std::move(*made));
  // Other threads may read the table of `activation`, so the program has a table and an activation of its own.
  Activation own(code.paths);
  activation.fit();
  for (uint32_t i = 0; i < code.paths->variable_count(); i++) {
    const uint32_t number = activation.paths().find_variable(code.paths->variable_name(i));
    const Value* value = number == PathTable::kNone ? nullptr : activation.get(number);
    if (value != nullptr) own.set(i, *value);
  }
  return run(code, own, context.state(), limits, &watch);
}

Outcome evaluate_watched(const Program& program, Activation& activation, Context& context, Watch& watch,
                         const Limits& limits) {
  return run(program.code(), activation, context.state(), limits, &watch);
}

std::vector<ExprId> watched_nodes(const Program& program) {
  std::vector<ExprId> out;
  for (const Instruction& i : program.code().instructions) {
    if (i.op == Opcode::Watch) out.push_back(static_cast<ExprId>(i.c));
  }
  return out;
}

}  // namespace portcullis
