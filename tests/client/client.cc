// A program that uses only what Portcullis installs. tests/client/run.py builds and runs it.
#include <portcullis/admission.h>
#include <portcullis/cel.h>

#include <cstdio>
using namespace portcullis::v1;

static constexpr std::string_view kPolicies = R"(apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations: [{expression: object.spec.replicas <= 5, message: too many replicas}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]})";

int main() {
  Result<Program> program = compile("object.spec.replicas * 2", Environment::policy());
  Memory memory;
  Result<Value> object =
      memory.read_yaml("{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 8}}");
  Manifests manifests;
  if (!program || !object || !manifests.add(kPolicies, "policies.yaml")) return 1;
  Evaluation evaluation(*program);
  evaluation.set("object", *object);
  std::printf("value %s\n", to_json(evaluation.run().value).c_str());
  LoadResult loaded = Engine::load(manifests);
  for (const Problem& p : loaded.problems) std::puts(p.message().c_str());
  Context context;
  std::printf("%s\n", status_json(loaded.engine->review_manifest({.object = *object}, context)).c_str());
  Result<JsonAnswer> answer = loaded.engine->review_json(
      R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "operation": "DELETE",
      "kind": {"version": "v1", "kind": "Pod"}, "resource": {"version": "v1", "resource": "pods"}}})",
      context);
  std::printf("%.*s\n", static_cast<int>(answer->json.size()), answer->json.data());
}
