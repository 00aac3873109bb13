// Measures what it costs, beyond decoding, to make of a manifest the object that policies see: for a Pod, a
// Deployment, and a custom resource, which stays unchanged.
//
// Idea: the object is decoded once, and normalised repeatedly into an arena of its own, as `review` does for
// the validating phase. The limit for the Pod is kWantedPod.
#include "admission/builtin/normalize.h"

#include "bench/input.h"
#include "bench/ratio.h"
#include "interpreter/values/json.h"

namespace portcullis::bench {
namespace {

using benchmark::State;

constexpr std::string_view kDeployment = R"json({"apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"web","namespace":"prod","labels":{"app":"web"}},
  "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
    "containers":[{"name":"web","image":"registry.example.com/web:1.2","ports":[{"name":"http","containerPort":8080}],
      "env":[{"name":"LEVEL","value":"info"},{"name":"NODE","valueFrom":{"fieldRef":{"fieldPath":"spec.nodeName"}}}],
      "resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
      "readinessProbe":{"httpGet":{"path":"/ready","port":"http"}},"livenessProbe":{"httpGet":{"path":"/live","port":"http"}},
      "volumeMounts":[{"name":"settings","mountPath":"/etc/web"}]}],
    "volumes":[{"name":"settings","configMap":{"name":"web"}}]}}}})json";
constexpr std::string_view kWidget =
    R"json({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":3}})json";

// `field` exists only in a normalised object. Tests compare the whole object with the API server's.
void normalize(State& state, std::string_view text, std::string_view field, std::string_view manager = {}) {
  Arena input, arena;
  const Value object = read_json(text, input).value();
  builtin::DecodeOptions options;
  options.phase = builtin::Phase::Validating;
  options.name_space = "prod";
  options.manager = manager;
  builtin::Normalized made;
  for (auto _ : state) {
    arena.reset();
    made = builtin::normalize(arena, object, options);
    if (made.object.size() != 5) return state.SkipWithError("wrong object");
  }
  const std::string json = to_json(made.object);
  if (json.find(field) == std::string::npos) state.SkipWithError("not defaulted");
}

void pod(State& state) { normalize(state, read_input("pod.json").view(), R"("qosClass":"Burstable")"); }
BENCHMARK(pod)->Name("normalize/pod");

// With metadata.managedFields, which a review adds only if a policy could read them.
void managed_pod(State& state) {
  normalize(state, read_input("pod.json").view(), R"("f:containers":{"k:{)", "kubectl-create");
}
BENCHMARK(managed_pod)->Name("normalize/pod-managed");

void deployment(State& state) { normalize(state, kDeployment, R"("progressDeadlineSeconds":600)"); }
BENCHMARK(deployment)->Name("normalize/deployment");

// An object that stays unchanged: shows that this costs nearly nothing.
void custom_resource(State& state) {
  Arena input;
  const Value object = read_json(kWidget, input).value();
  for (auto _ : state) {
    if (builtin::is_builtin(object)) return state.SkipWithError("taken for a built-in kind");
  }
}
BENCHMARK(custom_resource)->Name("normalize/custom-resource");

}  // namespace
}  // namespace portcullis::bench
