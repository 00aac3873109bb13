// Scenes: the environments in which users meet the functions of a library.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "grammar/result.h"
#include "tests/notation.h"
#include "typecheck/function.h"

namespace portcullis::tests {

struct Scene {
  Result<std::shared_ptr<const Environment>> environment;
  std::vector<Given> given;
};

// That of a policy on a server of version 1.`minor`, with an authorizer that has no opinion.
Scene policy_scene(uint32_t minor);
// For Kubernetes' own libraries that of a policy; for any other the standard library, optionals and the library, of
// this version.
Scene scene_of(const Library& library, uint8_t version = 255);

}  // namespace portcullis::tests
