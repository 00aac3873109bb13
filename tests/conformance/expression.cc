// Cases of tables with their own environments: libraries and versions, container, declarations.
//
// Idea: where a table is silent, its source's runner decides: cel-spec files have the library of their name;
// cel-go's checker and interpreter tables compare numbers across types; constants are never folded;
// Kubernetes' costs by function name never apply.
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "admission/functions/libraries.h"
#include "batch/tagged.h"
#include "batch/type_notation.h"
#include "grammar/diagnostic.h"
#include "grammar/literal.h"
#include "grammar/parse.h"
#include "grammar/unparse.h"
#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "tests/conformance/case.h"
#include "tests/conformance/libraries.h"
#include "tests/debug.h"
#include "tests/fields.h"
#include "typecheck/environment.h"
#include "typecheck/estimate.h"

namespace portcullis::tests {
namespace {

// Names of libraries in the tables, and our names.
constexpr std::pair<std::string_view, std::string_view> kLibraryNames[] = {
    {"k8s.ip", "kubernetes.net.ip"},         {"k8s.cidr", "kubernetes.net.cidr"},
    {"k8s.quantity", "kubernetes.quantity"}, {"k8s.semver", "kubernetes.Semver"},
    {"k8s.format", "kubernetes.format"},
};

// Libraries of cel-spec files in addition to the standard one, by file name.
constexpr std::pair<std::string_view, std::string_view> kSpecLibraries[] = {
    {"bindings_ext", "bindings"}, {"block_ext", "block"},         {"block_ext", "bindings"},
    {"block_ext", "optional"},    {"encoders_ext", "encoders"},   {"macros2", "two-var-comprehensions"},
    {"math_ext", "math"},         {"network_ext", "network"},     {"optionals", "optional"},
    {"string_ext", "strings"},    {"type_deduction", "optional"},
};

constexpr int kMostBlockSlots = 30;

const Library* find_library(std::string_view name) {
  for (auto [table_name, ours] : kLibraryNames) {
    if (table_name == name) name = ours;
  }
  for (const Library& library : standard_libraries()) {
    if (library.name == name) return &library;
  }
  for (const Library* library : kubernetes::libraries()) {
    if (library->name == name) return library;
  }
  return nullptr;
}

Result<void> use_library(EnvironmentBuilder& builder, std::string_view name) {
  size_t at = name.find('@');
  uint8_t version =
      at == std::string_view::npos ? 255 : static_cast<uint8_t>(std::stoi(std::string(name.substr(at + 1))));
  name = name.substr(0, at);
  if (name == "escaped-identifiers") {
    builder.options().escape_identifiers = true;
    return {};
  }
  const Library* library = find_library(name);
  if (library == nullptr) return Error{"no library " + std::string(name)};
  builder.library(*library, version);
  // The environment of the source always has both addresses and networks.
  if (name == "k8s.ip") builder.library(*find_library("k8s.cidr"));
  // The functions of this library return optionals.
  if (name == "k8s.format") builder.library(*find_library("optional"));
  return {};
}

Result<void> declare(EnvironmentBuilder& builder, const Value& declaration) {
  std::string name = text_field(declaration, "name");
  if (const Value* type = field(declaration, "type")) {
    Result<const Type*> read = read_table_type(*type, builder.types());
    if (!read.ok()) return read.error();
    builder.variable(name, *read);
    return {};
  }
  for (const Value& overload : list_field(declaration, "function")) {
    std::vector<const Type*> args;
    for (const Value& param : list_field(overload, "params")) {
      Result<const Type*> read = read_table_type(param, builder.types());
      if (!read.ok()) return read.error();
      args.push_back(*read);
    }
    const Value* result = field(overload, "result");
    Result<const Type*> read =
        result != nullptr ? read_table_type(*result, builder.types()) : Result<const Type*>(types::kDyn);
    if (!read.ok()) return read.error();
    builder.function(name, text_field(overload, "overload_id"), flag(overload, "is_instance"), args, *read);
  }
  return {};
}

bool declares(const Value& test, std::string_view name) {
  for (const Value& declaration : list_field(test, "type_env")) {
    if (text_field(declaration, "name") == name) return true;
  }
  return false;
}

void set_options(const Table& table, const Value& test, EnvironmentOptions& options) {
  std::string name = table.name();
  if (table.suite == "cel-go-core") {
    options.cross_type_numeric_comparisons = name == "interpreter" || name == "checker" || name == "cel";
  }
  options.constant_folding = text_field(test, "id").find("TestRegexOptimizer") != std::string::npos;
}

Result<std::shared_ptr<const Environment>> make_environment(const Table& table, const Value& test) {
  EnvironmentBuilder builder;
  builder.library(*find_library("stdlib"));
  set_options(table, test, builder.options());
  if (table.suite == "cel-spec") {
    for (auto [file, library] : kSpecLibraries) {
      if (file != table.name()) continue;
      if (Result<void> used = use_library(builder, library); !used.ok()) return used.error();
    }
  }
  if (table.name() == "block_ext") {
    // The source's runner declares the slots; the language does not.
    for (int i = 0; i < kMostBlockSlots; ++i) builder.variable("@index" + std::to_string(i), types::kDyn);
  }
  if (table.suite == "cel-go-core" && table.name() == "interpreter") {
    if (Result<void> used = use_library(builder, "optional"); !used.ok()) return used.error();
  }
  for (const Value& library : list_field(test, "libs")) {
    Result<void> used = use_library(builder, library.as_text());
    if (!used.ok()) return used.error();
  }
  // cel-go's tables were recorded with a version just before the one that Kubernetes uses.
  builder.library(table.suite == "cel-spec" ? kSpecLibrary : kEarlierLibrary);
  if (std::string container = text_field(test, "container"); !container.empty()) builder.container(container);
  for (const Value& declaration : list_field(test, "type_env")) {
    if (Result<void> declared = declare(builder, declaration); !declared.ok()) return declared.error();
  }
  if (flag(test, "disable_check")) {
    // cel-go finds the names of unchecked expressions in the activation; here they must be declared.
    for (const MapEntry& binding : map_field(test, "bindings")) {
      if (!declares(test, binding.key.as_text())) builder.variable(binding.key.as_text(), types::kDyn);
    }
  }
  return builder.build();
}

// The settings that only cel-go's parser tests use; the table does not say which case has which.
std::vector<ParseOptions> parser_settings() {
  static const MacroTable macros(macros::parser());
  ParseOptions options;
  options.macros = &macros;
  options.limits.recursion = 32;
  options.limits.recoveries = options.limits.lookahead = 4;
  std::vector<ParseOptions> settings(7, options);
  settings[1].optional_syntax = true;
  settings[2].escape_idents = false;
  settings[3].hidden_accumulator = false;
  settings[4].limits.recoveries = settings[4].limits.lookahead = 10;
  settings[5].macros = nullptr;
  settings[6].limits = ParseLimits{};  // the limits of unparsing
  settings[6].optional_syntax = true;
  return settings;
}

Answer run_parser(const Value& test, const ParseOptions& options) {
  Answer answer;
  Source source(text_field(test, "expr"));
  Parsed parsed = parse(source, options);
  if (!parsed.ok()) {
    answer.phase = Answer::Phase::Parse;
    answer.error = render(source, parsed.diagnostics);
    return answer;
  }
  answer.ast_debug = debug_print_kinds(parsed.ast.root);
  Result<std::string> text = unparse(parsed.ast);
  answer.unparsed = text.ok() ? *text : text.error().text;
  return answer;
}

// The answer with the first setting that satisfies the case, else that of the first setting.
Answer run_parsers(const Value& test) {
  std::vector<ParseOptions> settings = parser_settings();
  for (const ParseOptions& options : settings) {
    Answer answer = run_parser(test, options);
    if (unmet(test, answer).empty()) return answer;
  }
  return run_parser(test, settings[0]);
}

// Evaluates a single literal token.
Answer run_unescape(const Value& test, Arena& arena) {
  Answer answer;
  Result<std::string> text = unescape(text_field(test, "expr"), false);
  answer.phase = Answer::Phase::Parse;
  text.ok() ? void(answer.value = Value::string(arena.copy(*text))) : void(answer.error = text.error().text);
  return answer;
}

// Whether `text` fails before the type check.
bool fails_to_parse(const std::string& text, const Environment& environment) {
  return !parse(Source(text), environment.parse_options()).ok();
}

std::optional<std::pair<uint64_t, uint64_t>> estimate_of(const Value& test, const Expression& expression) {
  std::map<std::string, uint64_t, std::less<>> hints;
  for (const MapEntry& hint : map_field(test, "size_hints")) {
    hints[std::string(hint.key.as_text())] = std::stoull(std::string(hint.value.as_text()));
  }
  SizeHints sizes(hints);
  CostEstimate estimated =
      estimate(expression.ast(), *expression.environment(), hints.empty() ? nullptr : &sizes);
  return std::pair(estimated.min, estimated.max);
}

Answer failure(Answer::Phase phase, std::string text) {
  Answer answer;
  answer.phase = phase;
  answer.error = std::move(text);
  return answer;
}

void evaluate_case(const Value& test, const ExpressionPtr& expression, Arena& arena, Answer& answer) {
  Result<ProgramPtr> program = make_program(expression);
  if (!program.ok()) {
    answer.error = program.error().text;
    return;
  }
  // Results live in the context or in the program, until the next case.
  static Context context;
  static ProgramPtr kept;
  kept = *program;
  context.reset();
  Activation activation((*program)->paths());
  for (const MapEntry& binding : map_field(test, "bindings")) {
    Result<Value> value = read_tagged(binding.value, arena);
    if (value.ok()) activation.set(binding.key.as_text(), *value);
  }
  Limits limits;
  if (std::string limit = text_field(test, "cost_limit"); !limit.empty())
    limits.cost_limit = std::stoull(limit);
  portcullis::Outcome outcome = evaluate(**program, activation, context, limits);
  answer.cost = outcome.cost;
  if (outcome.value.is_error()) {
    answer.error = std::string(outcome.value.as_error().message);
  } else {
    answer.value = outcome.value;
  }
}

}  // namespace

Answer run_expression(const Table& table, const Value& test, Arena& arena) {
  if (table.suite == "cel-go-core" && (table.name() == "parser" || table.name() == "unparser"))
    return run_parsers(test);
  if (table.suite == "cel-go-core" && table.name() == "unescape") return run_unescape(test, arena);
  Result<std::shared_ptr<const Environment>> environment = make_environment(table, test);
  if (!environment.ok()) return failure(Answer::Phase::Compile, "environment: " + environment.error().text);
  std::string text = text_field(test, "expr");
  CompileOptions options{.check = !flag(test, "disable_check"), .macros = !flag(test, "disable_macros")};
  Result<ExpressionPtr> expression = compile(text, *environment, options);
  if (!expression.ok()) {
    return failure(fails_to_parse(text, **environment) ? Answer::Phase::Parse : Answer::Phase::Compile,
                   expression.error().text);
  }
  Answer answer;
  if ((*expression)->checked()) {
    answer.type = format_type((*expression)->output_type());
    answer.estimate = estimate_of(test, **expression);
  }
  if (!flag(test, "check_only")) evaluate_case(test, *expression, arena, answer);
  return answer;
}

}  // namespace portcullis::tests
