#include "tests/scenes.h"

#include <fmt/format.h>

#include "admission/admission.h"
#include "admission/expressions/environment.h"
#include "admission/functions/libraries.h"
#include "typecheck/environment.h"

namespace portcullis::tests {
namespace {

// Slots that an example of cel.block may use; the language does not declare them.
constexpr int kSlots = 4;

bool is_kubernetes(const Library& library) {
  for (const Library* kubernetes : kubernetes::libraries()) {
    if (kubernetes == &library) return true;
  }
  return false;
}

}  // namespace

Scene policy_scene(uint32_t minor) {
  static Arena arena;
  static const UserInfo user{.username = "jane"};
  EnvironmentBuilder builder(new_environment({1, minor}));
  add_policy_variables(builder, {.authorizer = true, .patch_types = true});
  return {builder.build(), {{"authorizer", nullptr, authorizer_value(arena, nullptr, user)}}};
}

Scene scene_of(const Library& library, uint8_t version) {
  if (is_kubernetes(library)) return policy_scene(KubernetesVersion::kLast);
  std::vector<Given> given;
  std::string libraries = fmt::format("stdlib, optional, {}@{}", library.name, version);
  if (library.name == "stdlib" || library.name == "optional") libraries = library.name;
  if (library.name == "bindings" || library.name == "block") {
    libraries = "bindings, block";
    for (int i = 0; i < kSlots; ++i)
      given.push_back({"@index" + std::to_string(i), types::kDyn, Value::null()});
  }
  return {environment_of(libraries, given), given};
}

}  // namespace portcullis::tests
