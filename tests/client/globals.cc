// Constants at namespace scope that the library makes before main(): a linker may put them before the tables of a
// static library. Prints what main() makes of the same texts beside them. tests/client/run.py builds and runs it.
#include <portcullis/admission.h>
#include <portcullis/cel.h>

#include <cstdio>
using namespace portcullis::v1;

static constexpr const char* kTexts = R"(apiVersion: e.com/v1
kind: Words
metadata: {name: words}
spec: {n: ~, t: yes, f: 1.50}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments]}]
  validations: [{expression: "object.spec.replicas < 3"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]})";

struct Made {
  Environment environment = Environment::policy();
  Result<Program> program = compile("[1, 2].exists(x, x == 2) && '\\x61' == 'a'", Environment::kubernetes());
  Result<Program> mistake = compile("object.a == '\\ud800'", environment);
  Manifests manifests;
  LoadResult loaded = (manifests.add(kTexts, "a.yaml"), Engine::load(manifests));
};
static const Made before;

static void print(const Made& made) {
  std::printf("%s\n", made.program ? "" : made.program.error().text.c_str());
  std::printf("%s\n%s\n", made.mistake.error().text.c_str(), to_json(made.manifests[0].value).c_str());
  for (const Problem& p : made.loaded.problems) std::printf("%s\n", p.message().c_str());
  Memory memory;
  Context context;
  Result<Value> object =
      memory.read_yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 8}}");
  if (made.loaded.engine)
    std::printf("%s\n",
                status_json(made.loaded.engine->review_manifest({.object = *object}, context)).c_str());
}

int main() {
  print(before);
  std::printf("---\n");
  print(Made());
}
