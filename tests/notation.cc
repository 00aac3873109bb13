#include "tests/notation.h"

#include <fmt/format.h>

#include "admission/expressions/environment.h"
#include "admission/functions/libraries.h"
#include "batch/tagged.h"
#include "interpreter/cel.h"
#include "interpreter/functions/libraries.h"
#include "interpreter/values/print.h"
#include "typecheck/environment.h"
#include "typecheck/estimate.h"

namespace portcullis::tests {
namespace {

constexpr std::string_view kMarks[] = {"=>", ":", "~", "!!"};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// "ERROR: <input>:1:3: text\n | ..." -> "1:3 text" (of the first error).
std::string short_error(std::string_view text) {
  std::string_view first = text.substr(0, text.find('\n'));
  constexpr std::string_view kPrefix = "ERROR: <input>:";
  if (!first.starts_with(kPrefix)) return std::string(text);
  first.remove_prefix(kPrefix.size());
  size_t end = first.find(": ");
  return end == std::string_view::npos
             ? std::string(first)
             : std::string(first.substr(0, end)) + " " + std::string(first.substr(end + 2));
}

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

const Library* find_library(std::string_view name) {
  for (const Library& library : standard_libraries()) {
    if (library.name == name) return &library;
  }
  for (const Library* library : kubernetes::libraries()) {
    if (library->name == name) return library;
  }
  return nullptr;
}

Result<void> use(EnvironmentBuilder& builder, std::string_view name) {
  size_t at = name.find('@');
  const Library* library = find_library(name.substr(0, at));
  if (library == nullptr) return Error{"no library " + std::string(name)};
  builder.library(*library, at == std::string_view::npos
                                ? 255
                                : static_cast<uint8_t>(std::stoi(std::string(name.substr(at + 1)))));
  return {};
}

}  // namespace

bool Seen::fulfils(std::string_view statement, const std::shared_ptr<const Environment>& environment,
                   const std::vector<Given>& given) const {
  if (of(statement) == statement) return true;
  if (!statement.starts_with("=> ") || !error.empty()) return false;
  return observe(statement.substr(3), environment, given).exact == exact;
}

const std::string& Seen::of(std::string_view expected) const {
  if (expected.starts_with("=>")) return error.empty() ? value : error;
  if (expected.starts_with(":")) return type.empty() ? error : type;
  if (expected.starts_with("~")) return cost.empty() ? error : cost;
  return error.empty() ? value : error;
}

Result<std::shared_ptr<const Environment>> environment_of(std::string_view libraries,
                                                          const std::vector<Given>& given) {
  std::shared_ptr<const Environment> base;
  if (libraries.empty()) {
    base = new_environment({1, KubernetesVersion::kLast});
  }
  EnvironmentBuilder builder = base != nullptr ? EnvironmentBuilder(base) : EnvironmentBuilder();
  if (!libraries.empty()) {
    if (Result<void> used = use(builder, "stdlib"); !used.ok()) return used.error();
    builder.options().cross_type_numeric_comparisons = true;
  }
  while (!libraries.empty()) {
    size_t comma = libraries.find(',');
    std::string_view name = trim(libraries.substr(0, comma));
    libraries.remove_prefix(comma == std::string_view::npos ? libraries.size() : comma + 1);
    if (name.empty() || name == "stdlib") continue;
    if (Result<void> used = use(builder, name); !used.ok()) return used.error();
  }
  for (const Given& variable : given) builder.variable(variable.name, variable.type);
  return builder.build();
}

Seen observe(std::string_view text, const std::shared_ptr<const Environment>& environment,
             const std::vector<Given>& given) {
  Seen seen;
  Result<ExpressionPtr> expression = compile(text, environment);
  if (!expression.ok()) {
    std::string why = short_error(expression.error().text);
    seen.error =
        (why.find(" Syntax error: ") != std::string::npos ? "!! parse " : "!! check ") + one_line(why);
    return seen;
  }
  seen.type = ": " + type_string((*expression)->output_type());
  CostEstimate range = estimate((*expression)->ast(), *environment);
  Result<ProgramPtr> program = make_program(*expression);
  if (!program.ok()) {
    seen.error = "!! program " + one_line(program.error().text);
    return seen;
  }
  Context context;
  Activation activation((*program)->paths());
  for (const Given& variable : given) activation.set(variable.name, variable.value);
  portcullis::Outcome outcome = evaluate(**program, activation, context);
  std::string most = range.max == UINT64_MAX ? "unbounded" : fmt::to_string(range.max);
  seen.cost = fmt::format("~ cost {} in {}..{}", outcome.cost, range.min, most);
  if (outcome.value.is_error()) {
    seen.error = "!! eval " + one_line(std::string(outcome.value.as_error().message));
  } else {
    seen.value = "=> " + format_cel(outcome.value);
    seen.exact = tagged(outcome.value);
  }
  return seen;
}

bool is_statement(std::string_view line, std::string_view& statement) {
  line = trim(line);
  if (!line.starts_with("//")) return false;
  line = trim(line.substr(2));
  for (std::string_view mark : kMarks) {
    if (line.starts_with(mark) && line.size() > mark.size() && line[mark.size()] == ' ') {
      statement = line;
      return true;
    }
  }
  return false;
}

void split_line(std::string_view line, std::string& expression, std::string& statement) {
  expression = std::string(trim(line));
  statement.clear();
  for (std::string_view mark : {" // => ", " // !! "}) {
    size_t at = line.rfind(mark);
    if (at == std::string_view::npos) continue;
    expression = std::string(trim(line.substr(0, at)));
    statement = std::string(trim(line.substr(at + 4)));
    return;
  }
}

std::vector<Example> read_examples(std::string_view text) {
  std::vector<Example> examples;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end), statement;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (trim(line).empty()) continue;
    if (is_statement(line, statement)) {
      if (!examples.empty()) examples.back().statements.emplace_back(statement);
      continue;
    }
    Example& example = examples.emplace_back();
    std::string inline_statement;
    split_line(line, example.expression, inline_statement);
    if (!inline_statement.empty()) example.statements.push_back(inline_statement);
  }
  return examples;
}

}  // namespace portcullis::tests
