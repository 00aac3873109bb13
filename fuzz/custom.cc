// Fuzzes JSON {"object", "old"} as custom resources of one definition, beside policies that read, compare and change
// everything: they are created, updated with their status and without, and normalized. Decisions must be the same twice,
// and only a refusal has a message; what is normalized must be JSON that reads back.
#include <portcullis/admission.h>

#include <cstdlib>
#include <string>

using namespace portcullis::v1;

static constexpr std::string_view kCluster = R"yaml(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.n, statusReplicasPath: .status.n}}
    schema: &schema
      openAPIV3Schema:
        type: object
        x-kubernetes-validations: [{rule: "self.metadata.name != oldSelf.?metadata.name.orValue('')", optionalOldSelf: true}]
        properties:
          spec:
            type: object
            properties:
              n: {type: integer, minimum: 0, default: 1, x-kubernetes-validations: [{rule: self >= oldSelf}]}
              text: {type: string, maxLength: 5, pattern: '^a*$', enum: [a, aa], nullable: true}
              when: {type: string, format: date-time}
              port: {x-kubernetes-int-or-string: true}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              atoms: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: number}}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, port]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    port: {type: integer, default: 80}
                    more: {type: array, items: {type: object, properties: {x: {type: boolean}}}}
                  x-kubernetes-validations: [{rule: "self.port < 100 || oldSelf.port >= 100", messageExpression: self.name}]
          status: {type: object, properties: {n: {type: integer}}}
  - {name: v2, served: true, storage: false, subresources: {status: {}}, schema: *schema}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: change}
spec:
  reinvocationPolicy: IfNeeded
  matchConstraints:
    resourceRules: [{apiGroups: [example.com], apiVersions: [v2], operations: ['*'], resources: ['*/*']}]
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[JSONPatch{op: "add", path: "/spec/free", value: {"a": object.?spec.?parts.orValue([])}}]'}
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{spec: Object.spec{parts: [Object.spec.parts{name: "b", more: []}]}}'}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: change}
spec: {policyName: change}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: look}
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules: [{apiGroups: [example.com], apiVersions: [v2], operations: ['*'], resources: ['*/*']}]
  validations:
  - {expression: 'object == oldObject || object.metadata.managedFields.all(m, m.manager != "x")'}
  - {expression: 'object.spec.parts.all(p, p.port < 100 && !has(p.y))', messageExpression: string(object.spec.n)}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: look}
spec: {policyName: look, validationActions: [Deny]}
)yaml";

static std::shared_ptr<const Engine> load() {
  Manifests manifests;
  if (!manifests.add(kCluster, "cluster")) std::abort();
  LoadResult loaded = Engine::load(manifests);
  if (loaded.engine == nullptr || !loaded.problems.empty()) std::abort();
  return loaded.engine;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::shared_ptr<const Engine> engine = load();
  static Context context;
  static Memory memory;
  memory.reset();
  const Result<Value> input = memory.read_json({reinterpret_cast<const char*>(data), size});
  if (!input.ok()) return 0;
  ManifestRequest request{.object = input->find("object").value_or(*input)};
  auto review = [&] {
    auto decide = [&] {
      const Decision& decision = engine->review_manifest(request, context);
      if (decision.allowed != decision.status.message.empty()) std::abort();
      return std::string(decision.status.message);
    };
    if (decide() != decide()) std::abort();
  };
  review();
  const Result<Value> normalized = engine->normalize(request.object, memory);
  if (normalized.ok() && !memory.read_json(to_json(*normalized)).ok()) std::abort();
  request.old_object = input->find("old").value_or(request.object);
  request.operation = Operation::Update;
  review();
  request.subresource = "status";
  review();
  return 0;
}
