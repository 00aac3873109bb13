#include "admission/builtin/plugins.h"

#include <gtest/gtest.h>

#include "admission/builtin/normalize.h"
#include "admission/builtin/surroundings.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

struct PluginCase {
  std::string_view what;
  std::initializer_list<std::string_view> around;
  std::string_view object;
  std::initializer_list<std::string_view> want;  // parts of the result as JSON
};

constexpr std::string_view kPod =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i"},
  {"name":"b","image":"i","resources":{"limits":{"memory":"1Gi"}}}]}})";

TEST(Plugins, DoWhatTheGivenObjectsSay) {
  const PluginCase cases[] = {
      {"LimitRanger",
       {R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","default":{"cpu":"1","memory":"2Gi"},
          "defaultRequest":{"cpu":"0.5"}}]}})",
        R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"m","namespace":"other"},"spec":{"limits":[{"type":"Container",
          "default":{"x":"1"}}]}})"},
       kPod,
       {R"("kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; cpu request for container b; cpu limit for container b")",
        R"({"limits":{"cpu":"1","memory":"2Gi"},"requests":{"cpu":"500m","memory":"2Gi"}})",
        R"({"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m","memory":"1Gi"}})"}},
      {"ServiceAccount",
       {R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default","namespace":"ns"},"imagePullSecrets":[{"name":"s"}]})"},
       kPod,
       {R"("serviceAccount":"default","serviceAccountName":"default")",
        R"("imagePullSecrets":[{"name":"s"}])",
        R"("volumeMounts":[{"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount","name":"kube-api-access-zzzzz","readOnly":true}])",
        R"("volumes":[{"name":"kube-api-access-zzzzz","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},)"}},
      {"ServiceAccount of another namespace",
       {R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default","namespace":"other"}})"},
       kPod,
       {R"("name":"b","resources":{"limits":{"memory":"1Gi"},"requests":{"memory":"1Gi"}},"terminationMessagePath")"}},
      {"Priority",
       {R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":7,"globalDefault":true,"preemptionPolicy":"Never"})"},
       kPod,
       {R"("preemptionPolicy":"Never","priority":7,"priorityClassName":"high")"}},
      {"RuntimeClass",
       {R"({"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"r"},"handler":"h","overhead":{"podFixed":{"cpu":"0.25"}},
          "scheduling":{"nodeSelector":{"k":"v"},"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists"}]}})"},
       R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"runtimeClassName":"r","containers":[{"name":"a","image":"i"}]}})",
       {R"("nodeSelector":{"k":"v"},"overhead":{"cpu":"250m"})",
        R"("tolerations":[{"effect":"NoExecute","key":"node.kubernetes.io/unreachable","operator":"Exists","tolerationSeconds":300},{"key":"node.kubernetes.io/not-ready","operator":"Exists"}])"}},
      {"DefaultStorageClass",
       {R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"b","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"x"})",
        R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"a"},"provisioner":"x"})"},
       R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"p"},"spec":{}})",
       {R"("storageClassName":"b")"}},
      {"DefaultIngressClass",
       {R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","metadata":{"name":"b","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{}})"},
       R"({"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"p"},"spec":{}})",
       {R"("ingressClassName":"b")"}},
  };
  for (const PluginCase& c : cases) {
    SCOPED_TRACE(c.what);
    Arena arena;
    Surroundings around;
    for (std::string_view object : c.around) around.add(arena, *read_json(object, arena), "ns");
    DecodeOptions options;
    options.phase = Phase::Validating;
    options.name_space = "ns";
    options.around = &around;
    const std::string json = to_json(normalize(arena, *read_json(c.object, arena), options).object);
    for (std::string_view part : c.want)
      EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
  }
}

// Priority acts on new Pods only; an update keeps the stored priority.
TEST(Plugins, UpdatesGetNoPriorityClass) {
  Arena arena;
  auto read = [&](std::string_view json) { return *read_json(json, arena); };
  Surroundings around;
  around.add(arena,
             read(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"c"},
      "value":7,"globalDefault":true})"),
             "");
  DecodeOptions options;
  options.around = &around;
  Value stored = read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","uid":"u"},
      "spec":{"priority":3,"containers":[{"name":"a","image":"i"}]}})");
  Value made = normalize_update(arena, read(kPod), stored, options).object.object;
  std::string json = to_json(made);
  EXPECT_NE(json.find(R"("priority":3)"), json.npos) << json;
  EXPECT_EQ(json.find("priorityClassName"), json.npos) << json;
}

// A directory may hold many LimitRanges, and each adds to the result of the others.
TEST(Plugins, ManyLimitRangesTakeMemoryOfTheirNumber) {
  constexpr int kRanges = 3000;
  Arena arena;
  Surroundings around;
  for (int i = 0; i < kRanges; ++i) {
    std::string n = std::to_string(i);
    std::string range = R"({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"r)" + n +
                        R"("},"spec":{"limits":[{"type":"Container","default":{"x.y/r)" + n + R"(":1}}]}})";
    around.add(arena, *read_json(arena.copy(range), arena), "ns");
  }
  DecodeOptions options;
  options.phase = Phase::Validating;
  options.name_space = "ns";
  options.around = &around;
  size_t before = arena.reserved();
  std::string json = to_json(normalize(arena, *read_json(kPod, arena), options).object);
  EXPECT_LT(arena.reserved() - before, size_t{kRanges} * 4096);
  EXPECT_NE(json.find("\"x.y/r2999\":\"1\""), json.npos);
  EXPECT_NE(json.find("\"LimitRanger plugin set: x.y/r999 request for container a; "), json.npos)
      << json.substr(0, 1000);
}

}  // namespace
}  // namespace portcullis::builtin
