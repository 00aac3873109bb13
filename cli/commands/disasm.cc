// `portcullis disasm EXPRESSION`: the bytecode of an expression in the environment of policies.
#include "admission/expressions/environment.h"
#include "cli/commands.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "interpreter/cel.h"

namespace portcullis {
namespace {

int no_program(const std::string& text) {
  say_lines(text + "\n");
  return kNoVerdict;
}

}  // namespace

int disasm(const DisasmOptions& options) {
  std::shared_ptr<const Environment> base = stored_environment();
  if (!options.kubernetes_version.empty()) {
    auto version = parse_kubernetes_version(options.kubernetes_version);
    if (!version.ok()) return no_program(version.error().text);
    base = new_environment(*version);
  }
  EnvironmentBuilder builder(base);
  PolicyVariables variables;
  variables.params = variables.authorizer = true;
  add_policy_variables(builder, variables);
  builder.variable("variables", types::kDyn);
  auto environment = builder.build();
  if (!environment.ok()) return no_program(environment.error().text);
  auto expression = compile(options.expression, *environment);
  if (!expression.ok()) return no_program(expression.error().text);
  auto program = make_program(*expression);
  if (!program.ok()) return no_program(program.error().text);
  print((*program)->disassemble());
  return kAdmitted;
}

}  // namespace portcullis
