// The command line: which options there are. The only file that knows CLI11.
//
// Idea: options fill the structs of commands.h; then one function runs. Usage errors exit with kNoVerdict, as they decide
// nothing. Tested by tests/cli.py.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.h"

namespace {

using namespace portcullis;

constexpr const char* kAbout =
    "Decides Kubernetes admission policies (ValidatingAdmissionPolicy, CEL) outside a cluster, as kube-apiserver would.";
constexpr const char* kFooter =
    "Exit status: 0 nothing denied, 1 something denied, 2 no verdict (usage, unreadable input, invalid policy).";

// An option that may be repeated takes one argument each time; CLI11 would let it swallow the positional ones.
void add_repeated(CLI::App* command, const char* name, std::vector<std::string>& values, const char* about) {
  command->add_option(name, values, about)->allow_extra_args(false);
}

CLI::App* add_command(CLI::App& app, const char* name, const char* about) {
  CLI::App* command = app.add_subcommand(name, about);
  command->footer(kFooter);
  return command;
}

void add_review(CLI::App& app, ReviewOptions& o) {
  CLI::App* c = add_command(app, "review", "Decide manifests by the policies");
  c->add_option("manifests", o.manifests, "Files or directories to decide; - is standard input");
  add_repeated(c, "-f,--filename", o.files, "The same");
  add_repeated(c, "-p,--policies", o.policies,
               "Files or directories with policies, bindings, params, namespaces (default: those among the manifests)");
  add_repeated(c, "--params", o.params, "More files with params, namespaces and CustomResourceDefinitions");
  add_repeated(c, "--old", o.old, "The objects as they were: makes their manifests an UPDATE");
  c->add_option("--operation", o.operation, "CREATE, UPDATE or DELETE");
  c->add_option("-n,--namespace", o.namespace_name, "Namespace of manifests that name none")->capture_default_str();
  c->add_option("--as", o.user, "Username of the request");
  add_repeated(c, "--as-group", o.groups, "Group of the request's user; may be repeated");
  c->add_option("-o,--output", o.output, "text, json, yaml or admissionreview")
      ->check(CLI::IsMember({"text", "json", "yaml", "admissionreview"}))
      ->capture_default_str();
  c->add_option("--kubernetes-version", o.kubernetes_version, "Release whose answers are given");
  c->add_option("-j,--jobs", o.jobs, "Threads of --batch")->check(CLI::Range(1, 256));
  c->add_flag("-R,--recursive", o.recursive, "Go into directories below those given");
  c->add_flag("--explain", o.explain, "Show the values of the parts of what failed");
  c->add_flag("--allow-invalid", o.allow_invalid, "Go on without policies that the API server would refuse");
  c->add_flag("--dry-run", o.dry_run, "Set request.dryRun");
  c->add_flag("--batch", o.batch, "Answer the batch protocol on standard input");
}

void add_check(CLI::App& app, CheckOptions& o) {
  CLI::App* c = add_command(app, "check", "Check policies and bindings as the API server would");
  c->add_option("policies", o.policies, "Files or directories; - is standard input");
  add_repeated(c, "-f,--filename,-p,--policies", o.files, "The same");
  c->add_option("-o,--output", o.output, "text, json or yaml")->check(CLI::IsMember({"text", "json", "yaml"}));
  c->add_option("--kubernetes-version", o.kubernetes_version, "Release whose answers are given");
  c->add_flag("-R,--recursive", o.recursive, "Go into directories below those given");
}

void add_eval(CLI::App& app, EvalOptions& o) {
  CLI::App* c = add_command(app, "eval", "Evaluate one expression");
  c->add_option("expression", o.expression, "The expression");
  c->add_option("--object", o.object, "File of the variable object; - is standard input");
  c->add_option("--old", o.old_object, "File of oldObject");
  c->add_option("--params", o.params, "File of params");
  c->add_option("--request", o.request, "File of request");
  add_repeated(c, "--var", o.variables, "A variable, NAME=YAML; may be repeated");
  c->add_option("--vars", o.variables_file, "File of more variables, a mapping from names to values");
  add_repeated(c, "--type", o.types, "Type of a variable, NAME=TYPE; may be repeated");
  c->add_option("-o,--output", o.output, "text, json or yaml")->check(CLI::IsMember({"text", "json", "yaml"}));
  c->add_option("--cost-limit", o.cost_limit, "Limit on the cost (default: that of Kubernetes)");
  c->add_option("--kubernetes-version", o.kubernetes_version, "Release whose answers are given");
  c->add_option("-j,--jobs", o.jobs, "Threads of --batch")->check(CLI::Range(1, 256));
  c->add_flag("--explain", o.explain, "Show the value of every part");
  c->add_flag("--check", o.check_only, "Compile and estimate only");
  c->add_flag("--batch", o.batch, "Answer the batch protocol on standard input");
}

void add_functions(CLI::App& app, FunctionsOptions& o) {
  CLI::App* c = add_command(app, "functions", "The functions of expressions");
  c->add_option("name", o.name, "One function (default: all)");
  c->add_option("-o,--output", o.output, "text, json or markdown")->check(CLI::IsMember({"text", "json", "markdown"}));
  c->add_option("--kubernetes-version", o.kubernetes_version, "Release whose functions are listed");
}

void add_disasm(CLI::App& app, DisasmOptions& o) {
  CLI::App* c = add_command(app, "disasm", "The bytecode of an expression");
  c->add_option("expression", o.expression, "The expression")->required();
  c->add_option("--kubernetes-version", o.kubernetes_version, "Release whose environment is used");
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

int run(int argc, char** argv) {
  CLI::App app{kAbout, "portcullis"};
  app.require_subcommand(1);
  app.footer(kFooter);
  ReviewOptions review_options;
  CheckOptions check_options;
  EvalOptions eval_options;
  FunctionsOptions functions_options;
  DisasmOptions disasm_options;
  add_review(app, review_options);
  add_check(app, check_options);
  add_eval(app, eval_options);
  add_functions(app, functions_options);
  add_disasm(app, disasm_options);
  add_command(app, "version", "The version of this program and of the Kubernetes it answers for");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kAdmitted : kNoVerdict;  // --help is no error
  }
  if (app.got_subcommand("review")) {
    append(review_options.manifests, review_options.files);
    return review(review_options);
  }
  if (app.got_subcommand("check")) {
    append(check_options.policies, check_options.files);
    return check(check_options);
  }
  if (app.got_subcommand("eval")) return eval(eval_options);
  if (app.got_subcommand("functions")) return functions(functions_options);
  if (app.got_subcommand("disasm")) return disasm(disasm_options);
  return version();
}

}  // namespace

int main(int argc, char** argv) {
  int status = run(argc, argv);
  // A verdict that did not get out is none.
  if (std::fflush(stdout) != 0) return portcullis::kNoVerdict;
  return status;
}
