// examples: every row of a function or macro has a sentence and an example, and every example holds.
//
// Idea: an example runs in the environment in which users meet its row: Kubernetes' own libraries in that of
// a policy, with an authorizer that has no opinion; all others with the standard library and optionals.
// Prints the failures, then `N passed, N failed, N skipped`.
#include <fmt/format.h>

#include "admission/admission.h"
#include "admission/expressions/environment.h"
#include "admission/functions/libraries.h"
#include "cli/functions/reference.h"
#include "tests/notation.h"
#include "tests/tally.h"
#include "typecheck/environment.h"

namespace portcullis::tests {
namespace {

// Slots that an example of cel.block may use; the language does not declare them.
constexpr int kSlots = 4;

struct Scene {
  Result<std::shared_ptr<const Environment>> environment;
  std::vector<Given> given;
};

Scene policy_scene() {
  static Arena arena;
  static const UserInfo user{.username = "jane"};
  EnvironmentBuilder builder(new_environment({1, KubernetesVersion::kLast}));
  add_policy_variables(builder, {.authorizer = true, .patch_types = true});
  return {builder.build(), {{"authorizer", nullptr, authorizer_value(arena, nullptr, user)}}};
}

bool is_kubernetes(const Library& library) {
  for (const Library* kubernetes : kubernetes::libraries()) {
    if (kubernetes == &library) return true;
  }
  return false;
}

Scene scene_of(const Library& library) {
  if (is_kubernetes(library)) return policy_scene();
  std::vector<Given> given;
  std::string libraries = "stdlib, optional, " + std::string(library.name);
  if (library.name == "stdlib" || library.name == "optional") libraries = library.name;
  if (library.name == "bindings" || library.name == "block") {
    libraries = "bindings, block";
    for (int i = 0; i < kSlots; ++i)
      given.push_back({"@index" + std::to_string(i), types::kDyn, Value::null()});
  }
  return {environment_of(libraries, given), given};
}

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
