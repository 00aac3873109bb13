// examples: every function row and macro row has a sentence and an example, and every example holds.
//
// Prints what fails, then `N passed, N failed, N skipped` (examples and rows without one).
#include <fmt/format.h>

#include "admission/functions/libraries.h"
#include "cli/reference.h"
#include "tests/notation.h"
#include "tests/report.h"

namespace portcullis::tests {
namespace {

void run_examples(const std::string& libraries, const std::string& id, std::string_view doc, std::string_view text, Report& report) {
  std::vector<Example> examples = read_examples(text);
  if (doc.empty() || examples.empty()) report.fail(id, "a sentence and an example", "none");
  Result<std::shared_ptr<const Environment>> environment = environment_of(libraries, {});
  if (!environment.ok()) return report.fail(id, "an environment", environment.error().text);
  for (const Example& example : examples) {
    Seen seen = observe(example.expression, *environment, {});
    if (example.statements.empty()) report.fail(id, "a statement about " + example.expression, "none");
    for (const std::string& statement : example.statements) {
      seen.fulfils(statement, *environment, {}) ? report.pass(id) : report.fail(id, example.expression + "  // " + statement, seen.of(statement));
    }
  }
}

// Examples of Kubernetes' rows are told in its own environment, others in that of their library with optionals.
std::string environment_name(const Library& library) {
  for (const Library* kubernetes : kubernetes::libraries()) {
    if (kubernetes == &library) return "";
  }
  if (library.name == "stdlib") return "stdlib";
  return library.name == "optional" ? "optional" : "optional, " + std::string(library.name);
}

}  // namespace
}  // namespace portcullis::tests

int main() {
  using namespace portcullis;
  tests::Report report;
  for (const Library* library : all_libraries()) {
    std::string environment = tests::environment_name(*library);
    for (const Function& row : library->functions) {
      tests::run_examples(environment, fmt::format("{} {}", library->name, row.id), row.doc, row.examples, report);
    }
    for (const Macro& macro : library->macros) {
      tests::run_examples(environment, fmt::format("{} {}/{}", library->name, macro.name, macro.arity), macro.doc, macro.examples, report);
    }
  }
  return report.finish();
}
