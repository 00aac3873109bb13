// allocations: a warm hot path (decode, normalise, match, evaluate, mutate) allocates no memory.
//
// Idea: operator new counts (bench/counted_new.h). After a few rounds of the benches' request, a round must count
// nothing.
#include <cstdio>

#include "admission/builtin/normalize.h"
#include "admission/mutation.h"
#include "bench/counted_new.h"
#include "bench/face.h"
#include "bench/input.h"
#include "interpreter/values/json.h"

namespace portcullis::bench {
namespace {

constexpr int kWarmUp = 3, kRounds = 100;

// Decodes and decides `text` repeatedly. Returns the allocations after the warm-up, or -1 if a decision is
// wrong.
long measure(const Engine& engine, const PaddedText& text, bool allowed) {
  JsonReader reader;
  Arena arena;
  ReviewContext context;
  Decision decision;
  builtin::DecodeOptions options;
  options.phase = builtin::Phase::Validating;
  options.name_space = "prod";
  options.manager = "kubectl-create";
  size_t before = 0;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) before = allocations;
    arena.reset();
    const builtin::Normalized pod = builtin::normalize(arena, *reader.read(text.view(), arena), options);
    engine.review(pod_request(pod.object), context, decision);
    if (decision.allowed != allowed) return -1;
  }
  return static_cast<long>(allocations - before);
}

// The same through the public face, with requests that are not normalised. The Context lets go of the engine each time.
long measure_face(const PaddedText& text, bool allowed) {
  const auto engine = five_behind_the_face();
  v1::Memory memory;
  v1::Context context;
  size_t before = 0;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) before = allocations;
    memory.reset();
    const v1::Value pod = *memory.read_json(text.view());
    if (engine->review(pod_request(pod), context).allowed != allowed) return -1;
    context.release();
  }
  return static_cast<long>(allocations - before);
}

// A patch, a configuration, match conditions and a second pass; the result differs from the Pod.
constexpr std::string_view kMutating = R"json([
  {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "patch"},
   "spec": {"reinvocationPolicy": "IfNeeded",
            "matchConstraints": {"resourceRules": [
              {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}]},
            "variables": [{"name": "team", "expression": "object.metadata.namespace + '-team'"}],
            "mutations": [
              {"patchType": "JSONPatch", "jsonPatch": {"expression":
                "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'team': variables.team}}, JSONPatch{op: 'replace', path: '/spec/containers/0/image', value: 'mirror/' + object.spec.containers[0].image}]"}}]}},
  {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "apply"},
   "spec": {"reinvocationPolicy": "Never",
            "matchConstraints": {"resourceRules": [
              {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}]},
            "matchConditions": [{"name": "containers", "expression": "object.spec.containers.size() > 0"}],
            "mutations": [
              {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression":
                "Object{metadata: Object.metadata{labels: {'seen': 'yes'}}, spec: Object.spec{containers: [Object.spec.containers{name: object.spec.containers[0].name, imagePullPolicy: 'Never'}]}}"}}]}},
  {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
   "metadata": {"name": "patch"}, "spec": {"policyName": "patch"}},
  {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
   "metadata": {"name": "apply"}, "spec": {"policyName": "apply"}}])json";

std::shared_ptr<const Engine> mutating_engine(Arena& arena) {
  Cluster cluster;
  const Value objects = read_json(kMutating, arena).value();
  cluster.policies = {objects.as_list()[0], objects.as_list()[1]};
  cluster.bindings = {objects.as_list()[2], objects.as_list()[3]};
  cluster.namespaces = {
      read_json(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"prod"}})", arena).value()};
  return Engine::load(cluster).value();
}

// Mutates the Pod repeatedly, as a typed struct or as plain data.
long measure_mutation(const Engine& engine, const PaddedText& text, bool typed) {
  JsonReader reader;
  Arena arena;
  ReviewContext context;
  Mutation mutation;
  builtin::DecodeOptions options;
  options.phase = builtin::Phase::Mutating;
  options.name_space = "prod";
  size_t before = 0;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) before = allocations;
    arena.reset();
    Value pod = *reader.read(text.view(), arena);
    if (typed) pod = builtin::normalize(arena, pod, options).object;
    AdmissionRequest request = pod_request(pod);
    request.typed = typed;
    engine.mutate(request, context, mutation);
    if (!mutation.allowed || !mutation.changed || mutation.passes != 2) return -1;
  }
  return static_cast<long>(allocations - before);
}

// Mutates and reviews the Pod through the public face.
long measure_face_mutation(const PaddedText& text) {
  Arena arena;
  v1::Manifests manifests;
  for (const Value& object : read_json(kMutating, arena).value().as_list()) manifests.add(to_json(object));
  manifests.add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"prod"}})");
  const auto engine = v1::Engine::load(manifests).engine;
  v1::Memory memory;
  v1::Context context;
  size_t before = 0;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) before = allocations;
    memory.reset();
    const v1::Value pod = *memory.read_json(text.view());
    const v1::Decision& decision = engine->review(pod_request(pod), context);
    if (!decision.allowed || !decision.mutated) return -1;
  }
  return static_cast<long>(allocations - before);
}

// The Pod of the benches with another registry in its first image.
PaddedText refused_pod() {
  PaddedText text = read_input("pod.json");
  const size_t at = text.memory.find("registry.example.com");
  text.memory.replace(at, 8, "stranger");
  return text;
}

}  // namespace
}  // namespace portcullis::bench

int main() {
  using namespace portcullis::bench;
  portcullis::Arena arena;
  const auto engine = portcullis::Engine::load(five_policies(arena)).value();
  const long admitted = measure(*engine, read_input("pod.json"), true);
  const long refused = measure(*engine, refused_pod(), false);
  const long face_admitted = measure_face(read_input("pod.json"), true);
  const long face_refused = measure_face(refused_pod(), false);
  std::printf(
      "%d decisions each: %ld allocations when admitted, %ld when refused; through the face %ld and %ld\n",
      kRounds, admitted, refused, face_admitted, face_refused);
  const auto mutating = mutating_engine(arena);
  const long typed = measure_mutation(*mutating, read_input("pod.json"), true);
  const long plain = measure_mutation(*mutating, read_input("pod.json"), false);
  const long face_mutated = measure_face_mutation(read_input("pod.json"));
  std::printf(
      "%d mutations each: %ld allocations of typed objects, %ld of plain ones; through the face %ld\n",
      kRounds, typed, plain, face_mutated);
  bool none = admitted == 0 && refused == 0 && face_admitted == 0 && face_refused == 0;
  return none && typed == 0 && plain == 0 && face_mutated == 0 ? 0 : 1;
}
