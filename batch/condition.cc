// Mode `condition`: several expressions with one budget, as those of a policy.
#include <fmt/format.h>

#include "admission/engine/review_state.h"
#include "admission/objects/field_error.h"
#include "batch/request_line.h"
#include "batch/response.h"
#include "batch/tagged.h"
#include "batch/type_notation.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// The parsed line.
struct ConditionRequest {
  std::vector<std::string_view> expressions;
  std::vector<std::pair<std::string_view, std::string_view>> variables;
  std::vector<const Type*> results;
  PolicyVariables declared;
  ExpressionVersion version;
  bool check_only = false;
  int64_t budget = kPolicyCostBudget;
  std::optional<int64_t> call_limit;
  Value params;
  Value namespace_object;
};

Result<void> read_flags(const Document& line, ConditionRequest& out) {
  for (auto [name, target] : {std::pair{"hasParams", &out.declared.params},
                              {"hasAuthorizer", &out.declared.authorizer},
                              {"patchTypes", &out.declared.patch_types},
                              {"checkOnly", &out.check_only}}) {
    auto flag = bool_member(line, name);
    if (!flag.ok()) return flag.error();
    *target = *flag;
  }
  auto env = text_member(line, "env"), version = text_member(line, "version");
  if (!env.ok()) return env.error();
  if (!version.ok()) return version.error();
  out.version.stored = *env != "new";
  if (!version->empty()) {
    auto parsed = parse_kubernetes_version(*version);
    if (!parsed.ok()) return parsed.error();
    out.version.version = *parsed;
  }
  return {};
}

Result<void> read_expressions(const Document& line, TypePool& pool, ConditionRequest& out) {
  auto expressions = list_member(line, "expressions"), variables = list_member(line, "variables"),
       types = list_member(line, "returnTypes");
  if (!expressions.ok()) return expressions.error();
  if (!variables.ok()) return variables.error();
  if (!types.ok()) return types.error();
  for (const Document* e : *expressions) {
    if (!e->is(Document::Kind::String)) return Error{"expressions: an element is not a string"};
    out.expressions.push_back(e->text);
  }
  for (const Document* v : *variables) {
    if (!v->is(Document::Kind::Object)) return Error{"variables: an element is not an object"};
    auto name = text_member(*v, "name"), expression = text_member(*v, "expression");
    if (!name.ok()) return name.error();
    if (!expression.ok()) return expression.error();
    out.variables.emplace_back(*name, *expression);
  }
  for (const Document* t : *types) {
    auto type = parse_batch_type(t->text, pool);
    if (!type.ok()) return type.error();
    out.results.push_back(*type);
  }
  return {};
}

Result<void> read_values(const Document& line, Arena& arena, ConditionRequest& out) {
  if (const Document* params = member(line, "params")) {
    if (!params->is(Document::Kind::Object)) return Error{"params is not an object"};
    auto value = read_json(params->raw, arena);
    if (!value.ok()) return value.error();
    out.params = *value;
  }
  if (const Document* space = member(line, "namespaceObject")) {
    std::string name;
    auto object = read_json(space->raw, arena);
    if (!object.ok()) return object.error();
    auto values = namespace_values(*object, name, arena);
    if (!values.ok()) return values.error();
    out.namespace_object = values->cut;
  }
  for (std::string_view name : {"budget", "perCallLimit"}) {
    const Document* number = member(line, name);
    if (number == nullptr) continue;
    char* end = nullptr;
    int64_t value = std::strtoll(number->text.c_str(), &end, 10);
    if (!number->is(Document::Kind::Number) || *end != '\0')
      return Error{fmt::format("{} is not an integer", name)};
    if (name == "budget")
      out.budget = value;
    else
      out.call_limit = value;
  }
  return {};
}

// Compiles variables and expressions in order.
void compile_all(const ConditionRequest& r, PolicyCompiler& compiler, Arena& texts,
                 std::vector<PolicyVariable>& variables, std::vector<PolicyExpression>& expressions,
                 std::vector<CompiledExpression>& compiled) {
  for (auto [name, text] : r.variables)
    add_variable(variables, name, text, compiler.variable(name, text, r.declared, r.version), texts);
  for (std::string_view text : r.expressions) {
    CompiledExpression c = compiler.compile(text, r.results, r.declared, r.version);
    expressions.push_back(policy_expression(text, c, texts));
    compiled.push_back(std::move(c));
  }
}

void print_types(const std::vector<CompiledExpression>& compiled, Response& response) {
  response.list("results", compiled, [](JsonWriter& w, const CompiledExpression& c) {
    w.optional("error", c.error);
    if (c.error.empty()) w.member("outputType", type_string(c.output));
  });
}

void print_results(const std::vector<Evaluation>& evaluations, int64_t left, Response& response) {
  response.list("results", evaluations, [](JsonWriter& w, const Evaluation& e) {
    w.optional("error", e.error);
    if (e.error.empty()) w.raw("value", tagged(e.value));
  });
  response.member("remainingBudget", std::to_string(left));
}

}  // namespace

Result<void> answer_condition(const Document& line, Response& response) {
  TypePool pool;
  RequestLine asked;
  ConditionRequest r;
  if (auto done = read_flags(line, r); !done.ok()) return done;
  if (auto done = read_expressions(line, pool, r); !done.ok()) return done;
  Engine::Loaded loaded;
  ProgramStore store;
  PolicyCompiler compiler(true, &store);
  std::vector<PolicyVariable> variables;
  std::vector<PolicyExpression> expressions;
  std::vector<CompiledExpression> compiled;
  compile_all(r, compiler, *store.texts(), variables, expressions, compiled);
  if (r.check_only) return print_types(compiled, response), Result<void>();
  if (auto done = read_request_line(line, asked); !done.ok()) return done;
  if (!asked.known_operation) return Error{"request.operation: no API server has it"};
  if (auto done = read_values(line, asked.arena, r); !done.ok()) return done;
  loaded.paths = store.paths();
  loaded.numbers = std::make_unique<VariableNumbers>(*loaded.paths);
  const AdmissionRequest& request = asked.request;
  ReviewContext context;
  context.authorizer = asked.authorizer.get();
  ReviewContext::State& state = context.state();
  state.begin(loaded, context);
  state.set_objects(loaded, request, request.kind);
  state.set_request(loaded, request, request.kind, request.resource);
  state.set(loaded.numbers->namespace_object, r.namespace_object);
  state.set(loaded.numbers->params, r.params);
  state.set_authorizer(loaded, request, r.declared.authorizer);
  int64_t budget = r.budget;
  if (r.call_limit) state.runner.set_call_limit(static_cast<uint64_t>(*r.call_limit));
  std::vector<Evaluation> evaluations;
  const StageVariables stage_variables = {variables, loaded.numbers->variables};
  if (state.runner.run(expressions, stage_variables, *state.activation, budget, evaluations)) {
    print_results(evaluations, budget, response);
  } else {
    response.member("error", kOutOfBudget);
    response.member("outOfBudget", true);
  }
  return {};
}

}  // namespace portcullis
