// examples: every row of a function or macro has a sentence and an example, and every example holds.
//
// Idea: an example runs in the environment in which users meet its row (scenes.h).
// Prints the failures, then `N passed, N failed, N skipped`.
#include <fmt/format.h>

#include "cli/functions/reference.h"
#include "tests/notation.h"
#include "tests/scenes.h"
#include "tests/tally.h"

namespace portcullis::tests {
namespace {

void run_examples(const Scene& scene, const std::string& id, std::string_view doc, std::string_view text,
                  Tally& tally) {
  std::vector<Example> examples = read_examples(text);
  if (doc.empty() || examples.empty()) tally.fail(id, "a sentence and an example", "none");
  if (!scene.environment.ok()) return tally.fail(id, "an environment", scene.environment.error().text);
  for (const Example& example : examples) {
    Seen seen = observe(example.expression, *scene.environment, scene.given);
    if (example.statements.empty()) tally.fail(id, "a statement about " + example.expression, "none");
    for (const std::string& statement : example.statements) {
      bool holds = seen.fulfils(statement, *scene.environment, scene.given);
      holds ? tally.pass(id) : tally.fail(id, example.expression + "  // " + statement, seen.of(statement));
    }
  }
}

}  // namespace
}  // namespace portcullis::tests

int main() {
  using namespace portcullis;
  tests::Tally tally;
  for (const Library* library : all_libraries()) {
    tests::Scene scene = tests::scene_of(*library);
    for (const Function& row : library->functions) {
      tests::run_examples(scene, fmt::format("{} {}", library->name, row.id), row.doc, row.examples, tally);
    }
    for (const Macro& macro : library->macros) {
      tests::run_examples(scene, fmt::format("{} {}/{}", library->name, macro.name, macro.arity), macro.doc,
                          macro.examples, tally);
    }
  }
  return tally.finish();
}
