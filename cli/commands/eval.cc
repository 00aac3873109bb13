// `portcullis eval EXPRESSION`: value, type, cost and static estimate of one expression; `eval --batch`
// answers lines of the batch protocol.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

#include "admission/expressions/environment.h"
#include "admission/expressions/managed_fields_use.h"
#include "admission/scalars/spelling.h"
#include "batch/cel.h"
#include "batch/evaluation.h"
#include "cli/checks/costs.h"
#include "cli/cluster/rbac.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/functions/function_hints.h"
#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"
#include "cli/reading/input.h"
#include "cli/reports/explain.h"
#include "cli/requests/request.h"
#include "cli/requests/seen.h"
#include "interpreter/values/json.h"
#include "interpreter/values/print.h"
#include "manifests/impersonation.h"
#include "manifests/namespaces.h"
#include "manifests/place.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

// The number of lines that a thread takes at a time in --batch: enough to keep threads busy, few enough to
// answer promptly.
constexpr size_t kBatchLines = 64;

// Whether a value is an object of a kind, which policies see in another form than the written one.
bool names_kind(const InputObject& o) { return !o.kind.empty() && !o.api_version.empty(); }

// Adds the variables object, oldObject and params as policies see them, or unchanged. If one cannot be read
// or the API server refuses it, prints the error and returns false.
bool add_objects(const EvalOptions& options, Inputs& inputs, EvalRequest& request) {
  constexpr size_t kObject = 0, kOld = 1, kParams = 2;
  const std::string* paths[] = {&options.object, &options.old_object, &options.params};
  std::vector<InputObject> objects(std::size(paths));
  for (size_t i = 0; i < objects.size(); i++) {
    if (paths[i]->empty()) continue;
    std::optional<InputObject> read = inputs.read_object(*paths[i]);
    if (!read) return false;
    objects[i] = *read;
  }
  bool kinds[std::size(paths)] = {};
  for (size_t i = 0; i < objects.size(); i++) kinds[i] = !options.as_is && names_kind(objects[i]);
  SharedParses parses;
  bool managed = expression_sees_managed_fields(options.expression, parses);
  SeenObjects seen(inputs.arena(), {kDefaultNamespace, managed, {}});
  // Values without a kind stay unchanged.
  std::vector<InputObject> known;
  for (size_t i = 0; i < objects.size(); i++) {
    if (kinds[i]) known.push_back(objects[i]);
  }
  seen.learn(known);
  for (size_t i = 0, next = 0; i < objects.size(); i++) {
    if (kinds[i]) objects[i] = known[next++];
  }
  auto set = [&](size_t i, const std::optional<Value>& value) {
    if (value) objects[i].value = *value;
    return value.has_value();
  };
  if (kinds[kObject] && kinds[kOld]) {
    auto both = seen.updated(objects[kObject], objects[kOld]);
    if (!both) return false;
    set(kObject, both->first);
    set(kOld, both->second);
  } else {
    for (size_t i : {kObject, kOld}) {
      if (kinds[i] && !set(i, seen.created(objects[i]))) return false;
    }
  }
  if (kinds[kParams] && !set(kParams, seen.param(objects[kParams]))) return false;
  const char* names[] = {"object", "oldObject", "params"};
  for (size_t i = 0; i < objects.size(); i++) {
    if (!paths[i]->empty()) request.plain.emplace_back(names[i], objects[i].value);
  }
  return true;
}

// Adds a variable; says so if there is one of this name.
bool add_variable(EvalRequest& request, std::string name, const Value& value) {
  const bool known = std::ranges::any_of(request.plain, [&](const auto& v) { return v.first == name; });
  if (known) return no_verdict("the variable " + quote_json(name) + " is given twice"), false;
  request.plain.emplace_back(std::move(name), value);
  return true;
}

// Adds the variables of the options. If one cannot be read, prints the error and returns false.
bool add_variables(const EvalOptions& options, Inputs& inputs, EvalRequest& request) {
  if (!add_objects(options, inputs, request)) return false;
  if (!options.request.empty()) {
    std::optional<Value> value = inputs.read_value(options.request);
    if (!value) return false;
    if (!add_variable(request, "request", *value)) return false;
  }
  if (!options.variables_file.empty()) {
    std::optional<Value> variables = inputs.read_value(options.variables_file);
    if (!variables) return false;
    if (!variables->is(Kind::Map)) {
      say(Severity::Error, file_name(options.variables_file), {},
          "want a mapping from names of variables to values");
      return false;
    }
    for (const MapEntry& entry : variables->as_map()) {
      if (const std::string_view name = entry.key.as_text(); name == "true" || name == "false") {
        say(Severity::Error, file_name(options.variables_file), {},
            fmt::format("YAML reads a name as {}, which no variable has; quote y, n, yes, no, on and off",
                        name));
        return false;
      }
      if (!add_variable(request, std::string(entry.key.as_text()), entry.value)) return false;
    }
  }
  for (const std::string& variable : options.variables) {
    size_t at = variable.find('=');
    if (at == 0 || at == std::string::npos)
      return no_verdict(fmt::format("--var {}: want NAME=YAML", variable)), false;
    std::string name = variable.substr(0, at);
    std::optional<Value> value = inputs.read_value(variable.substr(at + 1), "--var " + name);
    if (!value) return false;
    if (!add_variable(request, std::move(name), *value)) return false;
  }
  return true;
}

// The objects that answer `authorizer`.
struct EvalRbac {
  std::vector<InputObject> objects;
  RbacFiles files;
};

// Adds the variable `authorizer` if an option asks for it. If files cannot be read, prints the error and
// returns false.
bool add_authorizer(const EvalOptions& options, Inputs& inputs, EvalRbac& rbac, EvalRequest& request) {
  if (options.rbac.empty() && options.user.empty() && options.groups.empty()) return true;
  rbac.objects = inputs.read(options.rbac, {.recursive = true}, true);
  if (inputs.errors() > 0) return false;
  settle(rbac.objects, Resources(), kDefaultNamespace, inputs.arena());
  for (const InputObject& object : rbac.objects) rbac.files.add(object, ObjectUse::Other);
  if (rbac.files.empty() && !options.rbac.empty())
    say(Severity::Warning, {}, {}, "no RBAC objects in " + list_files(options.rbac, true));
  request.types["authorizer"] = "authorizer";
  request.authorizer = &rbac.files;
  request.user = command_line_user(options.user, options.groups, inputs.arena());
  return true;
}

// If the options make no sense, prints the error and returns false. `rbac` must outlive the request.
bool make_request(const EvalOptions& options, Inputs& inputs, EvalRbac& rbac, EvalRequest& request) {
  request.expression = options.expression;
  request.check_only = options.check_only;
  request.match_types = true;
  if (options.cost_limit != 0) request.cost_limit = options.cost_limit;
  if (!options.kubernetes_version.empty()) {
    request.environment = EvalEnvironment::New;
    request.version = options.kubernetes_version;
  }
  if (!options.request.empty()) request.types["request"] = "request";
  for (const std::string& type : options.types) {
    size_t at = type.find('=');
    if (at == 0 || at == std::string::npos)
      return no_verdict(fmt::format("--type {}: want NAME=TYPE", type)), false;
    request.types[type.substr(0, at)] = type.substr(at + 1);
  }
  return add_authorizer(options, inputs, rbac, request) && add_variables(options, inputs, request);
}

std::string range_text(const std::pair<uint64_t, uint64_t>& range) {
  return fmt::format("{}..{}", range.first, cost_text(range.second));
}

// What --check needs of a variable.
std::string or_type(const EvalRequest& request, std::string_view name) {
  return request.check_only ? fmt::format(", or its type with --type {}=dyn", name) : "";
}

// A hint for an expression that does not compile: the minor that has a function, or the option that adds a
// variable.
std::string compile_hint(const EvalRequest& request, const std::string& error) {
  Result<KubernetesVersion> version = parse_kubernetes_version(request.version);
  if (request.environment == EvalEnvironment::New && version.ok()) {
    std::string hint = explain_missing_function(error, *version);
    if (!hint.empty()) return hint;
    std::optional<uint32_t> minor = minor_of_expression(
        request.expression,
        [&](EnvironmentBuilder& builder) {
          for (const auto& variable : request.plain) builder.variable(variable.first, types::kDyn);
        },
        version->minor);
    if (minor && *minor > version->minor) return fmt::format("the expression needs Kubernetes 1.{}", *minor);
  }
  static constexpr std::pair<const char*, const char*> kOptions[] = {{"object", "--object FILE"},
                                                                     {"oldObject", "--old FILE"},
                                                                     {"params", "--params FILE"},
                                                                     {"request", "--request FILE"},
                                                                     {"authorizer", "--rbac FILE"}};
  for (auto [name, option] : kOptions) {
    if (error.find(fmt::format("undeclared reference to '{}' ", name)) != error.npos)
      return fmt::format("give {} with {}{}", name, option, or_type(request, name));
  }
  return {};
}

// The name that an issue calls undeclared; empty if it is about something else.
std::string_view undeclared_name(const CelIssue& issue) {
  constexpr std::string_view kUndeclared = "undeclared reference to '";
  std::string_view text = issue.text;
  if (!text.starts_with(kUndeclared)) return {};
  text.remove_prefix(kUndeclared.size());
  return text.substr(0, text.find('\''));
}

// A suggestion for an undeclared name: a variable of the command line, or a function.
std::string meant_name(const EvalRequest& request, const CelIssue& issue) {
  std::string_view name = undeclared_name(issue);
  if (name.empty()) return {};
  std::vector<std::string> known;
  for (const auto& variable : request.plain) known.emplace_back(variable.first);
  std::string_view meant = nearest(name, known);
  if (!meant.empty()) return did_you_mean(meant);
  Result<KubernetesVersion> version = parse_kubernetes_version(request.version);
  return meant_function(issue.text, issue.position, request.expression,
                        version.ok() ? *version : KubernetesVersion{1, KubernetesVersion::kLast});
}

// The hints for an expression that does not compile, without duplicates.
std::vector<std::string> compile_hints(const EvalRequest& request, const std::string& error) {
  std::vector<std::string> hints;
  auto add = [&](std::string hint) {
    if (!hint.empty() && std::ranges::find(hints, hint) == hints.end()) hints.push_back(std::move(hint));
  };
  add(compile_hint(request, error));
  if (!hints.empty()) return hints;
  const std::vector<CelIssue> issues = cel_issues(error);
  for (const CelIssue& issue : issues) add(meant_name(request, issue));
  if (!hints.empty()) return hints;
  // The variables of a call that is no macro are undeclared, too.
  auto is_call = [&](const CelIssue& issue) {
    const size_t at = offset_in(request.expression, issue.position);
    return at < request.expression.size() && request.expression[at] == '(';
  };
  if (std::ranges::any_of(issues, is_call)) return hints;
  for (const CelIssue& issue : issues) {
    if (std::string_view name = undeclared_name(issue); !name.empty())
      add(fmt::format("give {0} with --var {0}=VALUE{1}", name, or_type(request, name)));
  }
  return hints;
}

int print_text(const EvalRequest& request, const EvalAnswer& answer, const Explanation& explanation,
               bool explain) {
  if (!answer.compile_error.empty()) {
    say_lines(answer.compile_error + "\n");
    for (const std::string& hint : compile_hints(request, answer.compile_error))
      say(Severity::Note, {}, {}, hint);
    return kNoVerdict;
  }
  if (explain) print(explained_text(explanation.parts, "", paint(colour_out())));
  std::string facts = "type " + answer.output_type;
  if (answer.cost) facts += fmt::format(", cost {}", *answer.cost);
  if (answer.estimate) facts += ", estimate " + range_text(*answer.estimate);
  if (answer.value) print(visible(format_cel(*answer.value)) + "\n");
  print(facts + "\n");
  if (!answer.failed) return kAdmitted;
  Position at = explanation.offset < 0 ? Position{} : position_in(request.expression, explanation.offset);
  say(Severity::Error, {}, at, answer.eval_error, request.expression);
  return kNoVerdict;
}

// Prints one line of JSON, or YAML.
int print_data(const EvalRequest& request, const EvalAnswer& answer, const std::vector<ExplainedPart>& parts,
               bool yaml) {
  std::string out = answer_json(answer);
  if (!answer.compile_error.empty()) {
    std::string list;
    for (const std::string& hint : compile_hints(request, answer.compile_error))
      list += (list.empty() ? "" : ",") + quote_json(hint);
    if (!list.empty()) out.insert(out.size() - 1, ",\"hints\":[" + list + "]");
  }
  if (!parts.empty()) {
    std::string list;
    for (const ExplainedPart& part : parts) {
      list += fmt::format(R"({}{{"depth":{},"evaluated":{},"expression":{})", list.empty() ? "" : ",",
                          part.depth, part.times, quote_json(part.text));
      if (part.evaluated) list += fmt::format(R"(,"value":{})", quote_json(part.value));
      list += '}';
    }
    out.insert(out.size() - 1, ",\"explain\":[" + list + "]");
  }
  out += '\n';
  put(yaml ? json_as_yaml(out) : out);
  return answer.compile_error.empty() && !answer.failed ? kAdmitted : kNoVerdict;
}

// No answer: the reasons are among the errors, also for programs.
int no_answer(const EvalOptions& options) {
  if (options.output == "json") put(said_errors_json());
  if (options.output == "yaml") put(said_errors_yaml());
  return kNoVerdict;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r\n\v\f") == std::string::npos; }

// Answers keep the order of the lines; each thread answers its part of a block.
int batch(int jobs) {
  std::ios::sync_with_stdio(false);
  size_t threads = static_cast<size_t>(std::clamp(jobs, 1, 64));
  std::vector<CelBatch> workers(threads);
  std::string line;
  std::vector<std::string> lines;
  auto answer_all = [&] {
    auto work = [&](size_t worker) {
      for (size_t i = worker; i < lines.size(); i += threads) lines[i] = workers[worker].answer(lines[i]);
    };
    {
      std::vector<std::jthread> running;
      for (size_t t = 1; t < threads; ++t) running.emplace_back(work, t);
      work(0);
    }
    for (const std::string& answer : lines) {
      put(answer);
      put("\n");
    }
    lines.clear();
    if (std::cin.rdbuf()->in_avail() <= 0) flush_output();
  };
  while (std::getline(std::cin, line)) {
    if (is_blank(line)) continue;
    lines.push_back(line);
    if (threads == 1 || lines.size() >= kBatchLines * threads || std::cin.rdbuf()->in_avail() <= 0)
      answer_all();
  }
  answer_all();
  return kAdmitted;
}

}  // namespace

int eval(const EvalOptions& options) {
  if (options.batch) return batch(options.jobs);
  if (options.expression.empty()) return no_verdict("no expression given; see 'portcullis help eval'");
  Inputs inputs;
  EvalRbac rbac;
  EvalRequest request;
  if (!make_request(options, inputs, rbac, request)) return no_answer(options);
  Evaluator evaluator;
  NodeLog log;
  ExpressionPtr expression;
  Result<EvalAnswer> answer = options.explain ? evaluator.explain(request, inputs.arena(), log, &expression)
                                              : evaluator.answer(request, inputs.arena());
  if (!answer.ok()) return no_verdict(answer.error().text), no_answer(options);
  bool text = options.output == "text";
  if (text && answer->failed &&
      !options.explain) {  // again, to find the position of the error; costs are those of the first run
    auto again = evaluator.explain(request, inputs.arena(), log, &expression);
    if (!again.ok()) return no_verdict(again.error().text);
  }
  Explanation explanation;
  if (expression != nullptr) explanation = explain_log(expression->ast(), log);
  int status = text ? print_text(request, *answer, explanation, options.explain)
                    : print_data(request, *answer, explanation.parts, options.output == "yaml");
  rbac.files.say_grounds();
  return status;
}

}  // namespace portcullis
