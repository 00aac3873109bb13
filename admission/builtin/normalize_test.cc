#include "admission/builtin/normalize.h"

#include <gtest/gtest.h>

#include "admission/builtin/image.h"
#include "admission/builtin/literal.h"
#include "admission/builtin/repeated.h"
#include "admission/builtin/unchanged.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

// An object, and the answer of the oracle's mode `decode`: the object or the error.
struct Case {
  std::string_view object, want;
};
constexpr Case
    kCases[] =
        {
            {R"j({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":null},"spec":{"containers":[{"name":"c","image":"x","resources":{"limits":{"cpu":0.5,"memory":"1024Mi"}},"foo":1}]}})j",
             R"j({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"image":"x","imagePullPolicy":"Always","name":"c","resources":{"limits":{"cpu":"500m","memory":"1Gi"},"requests":{"cpu":"500m","memory":"1Gi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30},"status":{}})j"},
            {R"j({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"nginx:1.2","ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":80}}}],"hostNetwork":false,"serviceAccount":"old"}}}})j",
             R"j({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"progressDeadlineSeconds":600,"replicas":1,"revisionHistoryLimit":10,"selector":{"matchLabels":{"a":"b"}},"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"image":"nginx:1.2","imagePullPolicy":"IfNotPresent","livenessProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"name":"c","ports":[{"containerPort":80,"protocol":"TCP"}],"resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"serviceAccount":"old","serviceAccountName":"old","terminationGracePeriodSeconds":30}}},"status":{}})j"},
            {R"j({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"type":"LoadBalancer","ports":[{"port":80}],"sessionAffinity":"ClientIP"}})j",
             R"j({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"allocateLoadBalancerNodePorts":true,"externalTrafficPolicy":"Cluster","internalTrafficPolicy":"Cluster","ports":[{"port":80,"protocol":"TCP","targetPort":80}],"sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},"type":"LoadBalancer"},"status":{"loadBalancer":{}}})j"},
            {R"j({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"a":"aGk="},"stringData":{"a":"x","b":"y"}})j",
             R"j({"apiVersion":"v1","data":{"a":"eA==","b":"eQ=="},"kind":"Secret","metadata":{"name":"s"},"type":"Opaque"})j"},
            {R"j({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"d"},"spec":{}})j",
             R"j({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"annotations":{"deprecated.daemonset.template.generation":"0"},"name":"d"},"spec":{"revisionHistoryLimit":10,"selector":null,"template":{"metadata":{},"spec":{"containers":null,"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}},"updateStrategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1},"type":"RollingUpdate"}},"status":{"currentNumberScheduled":0,"desiredNumberScheduled":0,"numberMisscheduled":0,"numberReady":0}})j"},
            {R"j({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"d"},"spec":{"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"resources":{"requests":{"storage":"0.1m"}}}}]}})j", R"j({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"d"},"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},"podManagementPolicy":"OrderedReady","replicas":1,"revisionHistoryLimit":10,"selector":null,"serviceName":"","template":{"metadata":{},"spec":{"containers":null,"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}},"updateStrategy":{"rollingUpdate":{"maxUnavailable":1,"partition":0},"type":"RollingUpdate"},"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"v"},"spec":{"resources":{"requests":{"storage":"1m"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}]},"status":{"availableReplicas":0,"replicas":0}})j"},
            {R"j({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3}})j",
             R"j({"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3,"minReplicas":1,"scaleTargetRef":{"kind":"","name":""},"targetCPUUtilizationPercentage":80},"status":{"currentReplicas":0,"desiredReplicas":0}})j"},
            {R"j({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"maxReplicas":3,"behavior":{"scaleUp":{"stabilizationWindowSeconds":5}}}})j",
             R"j({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{"behavior":{"scaleDown":{"policies":[{"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max"},"scaleUp":{"policies":[{"periodSeconds":15,"type":"Pods","value":4},{"periodSeconds":15,"type":"Percent","value":100}],"selectPolicy":"Max","stabilizationWindowSeconds":5}},"maxReplicas":3,"metrics":[{"resource":{"name":"cpu","target":{"averageUtilization":80,"type":"Utilization"}},"type":"Resource"}],"minReplicas":1,"scaleTargetRef":{"kind":"","name":""}},"status":{"currentMetrics":null,"desiredReplicas":0}})j"},
            {R"j({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"completions":3,"backoffLimitPerIndex":1,"template":{"metadata":{"labels":{"x":"y"}},"spec":{"containers":null}}}})j",
             R"j({"apiVersion":"batch/v1","kind":"Job","metadata":{"labels":{"x":"y"},"name":"j"},"spec":{"backoffLimit":2147483647,"backoffLimitPerIndex":1,"completionMode":"NonIndexed","completions":3,"manualSelector":false,"parallelism":1,"podReplacementPolicy":"TerminatingOrFailed","suspend":false,"template":{"metadata":{"labels":{"x":"y"}},"spec":{"containers":null,"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}},"status":{}})j"},
            {R"j({"apiVersion":"storage.k8s.io/v1alpha1","kind":"VolumeAttachment","metadata":{"name":"v"},"spec":{"attacher":"a","source":{"inlineVolumeSpec":{"iscsi":{"iqn":"i"}}}}})j",
             R"j({"apiVersion":"storage.k8s.io/v1alpha1","kind":"VolumeAttachment","metadata":{"name":"v"},"spec":{"attacher":"a","nodeName":"","source":{"inlineVolumeSpec":{"iscsi":{"iqn":"i","lun":0,"targetPortal":""}}}},"status":{"attached":false}})j"},
            {R"j({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})j",
             R"j({"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"kubernetes.io/metadata.name":"n"},"name":"n"},"spec":{},"status":{"phase":"Active"}})j"},
            {R"j({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24"},"status":{"capacity":{"cpu":"1.5"}}})j",
             R"j({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]},"status":{"allocatable":{"cpu":"1500m"},"capacity":{"cpu":"1500m"},"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"architecture":"","bootID":"","containerRuntimeVersion":"","kernelVersion":"","kubeProxyVersion":"","kubeletVersion":"","machineID":"","operatingSystem":"","osImage":"","systemUUID":""}}})j"},
            {R"j({"apiVersion":"networking.k8s.io/v1beta1","kind":"Ingress","metadata":{"name":"i"},"spec":{"backend":{"serviceName":"s","servicePort":""},"rules":[{"http":{"paths":[{"backend":{"serviceName":"s","servicePort":""}},{"backend":{"serviceName":"s","servicePort":"web"}}]}}]}})j",
             R"j({"apiVersion":"networking.k8s.io/v1beta1","kind":"Ingress","metadata":{"name":"i"},"spec":{"backend":{"serviceName":"s","servicePort":0},"rules":[{"http":{"paths":[{"backend":{"serviceName":"s","servicePort":0},"pathType":"ImplementationSpecific"},{"backend":{"serviceName":"s","servicePort":"web"},"pathType":"ImplementationSpecific"}]}}]},"status":{"loadBalancer":{}}})j"},
            {R"j({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r","creationTimestamp":null},"rules":[]})j",
             R"j({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r"},"rules":[]})j"},
            {R"j({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},"spec":{"podSelector":{},"egress":[{"ports":[{"port":53}]}]}})j", R"j({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},"spec":{"egress":[{"ports":[{"port":53,"protocol":"TCP"}]}],"podSelector":{},"policyTypes":["Ingress","Egress"]}})j"},
            {R"j({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"2020-01-02T03:04:05.9+02:00"},"spec":{"terminationGracePeriodSeconds":-5,"hostNetwork":true,"containers":[{"name":"c","ports":[{"containerPort":80}]}],"volumes":[{"name":"v"},{"name":"w","hostPath":{"path":"/x"}}]}})j",
             R"j({"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2020-01-02T01:04:05Z","name":"a"},"spec":{"containers":[{"imagePullPolicy":"IfNotPresent","name":"c","ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"}],"resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"hostNetwork":true,"restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":1,"volumes":[{"emptyDir":{},"name":"v"},{"hostPath":{"path":"/x","type":""},"name":"w"}]},"status":{}})j"},
            {R"j({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1"}}]}})j",
             R"j({"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"l"},"spec":{"limits":[{"default":{"cpu":"2"},"defaultRequest":{"cpu":"2"},"max":{"cpu":"2"},"min":{"cpu":"1"},"type":"Container"}]}})j"},
            {R"j({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"annotations":{"deprecated.daemonset.template.generation":"x"}}})j",
             R"j(strconv.ParseInt: parsing "x": invalid syntax)j"},
            {R"j({"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","handler":"h","overhead":{"podFixed":{"cpu":"1u"}}})j",
             R"j({"apiVersion":"node.k8s.io/v1","handler":"h","kind":"RuntimeClass","metadata":{},"overhead":{"podFixed":{"cpu":"1u"}}})j"},
            {R"j({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"user":{"extra":{"a":5}}}})j",
             R"j(json: cannot unmarshal number into Go struct field UserInfo.status.user.extra of type v1.ExtraValue)j"},
            {R"j({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":"3"}})j",
             R"j(json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32)j"},
            {R"j({"apiVersion":"v1","kind":"Pod","spec":{"priority":1.50}})j",
             R"j(json: cannot unmarshal number 1.50 into Go struct field PodSpec.spec.priority of type int32)j"},
            {R"j({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"livenessProbe":{"httpGet":{"port":{}}},"name":5}]}})j",
             R"j(json: cannot unmarshal object into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32)j"},
            {R"j({"apiVersion":"v1","kind":"Pod","metadata":"x","spec":{"containers":[{"resources":{"limits":{"cpu":"1x"}}}]}})j",
             R"j(quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$')j"},
            {R"j({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","spec":{"renewTime":"2020-01-01T00:00:00Z"}})j",
             R"j(parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000")j"},
            {R"j({"apiVersion":"v1","kind":"Secret","data":{"a":"!!"}})j",
             R"j(illegal base64 data at input byte 0)j"},
            {R"j({"apiVersion":"v1","kind":"Pod","spec":{"containers":{}}})j",
             R"j(json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container)j"},
};

// Repeated members in batch mode `decode`: structs, maps and lists merge; null clears maps but not scalars.
constexpr Case kRepeated[] = {
    {R"j({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"a":"1","b":"2"}},"metadata":{"labels":{"a":"3"}},"spec":{"containers":[{"name":"c","image":"x"},{"name":"d"}],"containers":[{"image":"y:1"}],"nodeName":"n","nodeName":null}})j",
     R"j({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"3","b":"2"},"name":"a"},"spec":{"containers":[{"image":"y:1","imagePullPolicy":"IfNotPresent","name":"c","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","enableServiceLinks":true,"nodeName":"n","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30},"status":{}})j"},
    {R"j({"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1"},"data":null,"binaryData":{"x":"YQ=="},"binaryData":{"y":"YQ=="}})j",
     R"j({"apiVersion":"v1","binaryData":{"x":"YQ==","y":"YQ=="},"kind":"ConfigMap","metadata":{}})j"},
};

std::string answer(std::string_view json) {
  Arena arena;
  JsonReader reader;
  Result<Value> object = reader.read(json, arena);
  if (!object.ok()) return object.error().text;
  DecodeOptions options;
  options.json = json;
  Normalized n = normalize(arena, *object, options);
  return n.error.empty() ? to_json(n.object) : n.error;
}

TEST(Normalize, AnswersAsTheApiServer) {
  for (const Case& c : kCases) EXPECT_EQ(answer(c.object), c.want) << c.object;
}

TEST(Normalize, MergesRepeatedMembers) {
  for (const Case& c : kRepeated) {
    Arena arena;
    Result<Document> document = read_document(c.object);
    ASSERT_TRUE(document.ok());
    Result<Value> object = normalize_document(arena, *document);
    EXPECT_EQ(object.ok() ? to_json(*object) : object.error().text, c.want);
  }
}

TEST(Normalize, KnowsBuiltInKindsOnly) {
  Arena arena;
  JsonReader reader;
  EXPECT_TRUE(is_builtin(*reader.read(R"({"apiVersion":"batch/v1","kind":"CronJob"})", arena)));
  EXPECT_FALSE(is_builtin(*reader.read(R"({"apiVersion":"batch/v7","kind":"CronJob"})", arena)));
  EXPECT_FALSE(is_builtin(*reader.read(R"({"kind":"CronJob"})", arena)));
  EXPECT_FALSE(is_builtin(*reader.read("[]", arena)));
}

TEST(Normalize, NamesUnknownFieldsAndWhatWasMeant) {
  Arena arena;
  JsonReader reader;
  Value object =
      *reader.read(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replica":3,"template":{"spec":{
      "containers":[{"imagee":"x"}]}}},"zzzzzz":1})",
                   arena);
  std::vector<UnknownField> unknown;
  DecodeOptions options;
  options.unknown = &unknown;
  ASSERT_EQ(normalize(arena, object, options).error, "");
  ASSERT_EQ(unknown.size(), 3u);
  EXPECT_EQ(unknown[0].path, "spec.replica");
  EXPECT_EQ(unknown[0].suggestion, "replicas");
  EXPECT_EQ(unknown[1].path, "spec.template.spec.containers[0].imagee");
  EXPECT_EQ(unknown[1].suggestion, "image");
  EXPECT_EQ(unknown[2].path, "zzzzzz");
  EXPECT_EQ(unknown[2].suggestion, "");
}

TEST(Normalize, SaysWhereAWrongValueIs) {
  Arena arena;
  JsonReader reader;
  Value object = *reader.read(
      R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{},{"ports":[{"containerPort":"x"}]}]}})",
      arena);
  EXPECT_EQ(normalize(arena, object).error_path, "spec.containers[1].ports[0].containerPort");
  object = *reader.read(R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a.b/c":1}}})", arena);
  EXPECT_EQ(normalize(arena, object).error_path, "metadata.labels[a.b/c]");
}

// Without the JSON input, numbers are spelt as kubectl sends them.
TEST(Normalize, WholeNumbersAreIntegersIfTheirSpellingIsUnknown) {
  Arena arena;
  Value object = *read_json(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3.0}})", arena);
  EXPECT_NE(to_json(normalize(arena, object).object).find(R"("replicas":3,)"), std::string::npos);
  Value half = *read_json(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3.5}})", arena);
  EXPECT_EQ(
      normalize(arena, half).error,
      "json: cannot unmarshal number 3.5 into Go struct field DeploymentSpec.spec.replicas of type int32");
}

TEST(Unchanged, WhatDecodesToItselfIsPassedThrough) {
  struct {
    std::string_view structure, data;
    bool unchanged;
  } cases[] = {
      {"EnvVar", R"({"name":"a","value":"b"})", true},
      {"EnvVar", R"({"value":"b","name":"a"})", true},
      {"EnvVar", R"({"name":""})", true},
      {"EnvVar", R"({"value":"b"})", false},            // `name` is written even if absent
      {"EnvVar", R"({"name":"a","value":""})", false},  // an empty `value` is omitted
      {"EnvVar", R"({"name":"a","value":null})", false},
      {"EnvVar", R"({"name":"a","value":1})", false},
      {"EnvVar", R"({"name":"a","vallue":"b"})", false},
      {"EnvVar", R"({"name":"a","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}})", true},
      {"EnvVar", R"({"name":"a","valueFrom":{"fieldRef":{"fieldPath":"x"}}})", false},  // has a default
      {"SecurityContext", R"({"runAsUser":0,"privileged":false,"capabilities":{"drop":["ALL"]}})", true},
      {"SecurityContext", R"({"capabilities":{"drop":[]}})", false},
      {"SecurityContext", R"({"runAsUser":1.5})", false},
      {"ResourceRequirements", R"({"limits":{"cpu":"500m","memory":"1Gi"}})", true},
      {"ResourceRequirements", R"({"limits":{"cpu":"0.5"}})", false},
      {"ResourceRequirements", R"({"limits":{"cpu":1}})", false},
      {"Container", R"({"name":"a"})", false},
  };
  Arena arena;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.data);
    EXPECT_EQ(
        decodes_unchanged(*find_struct("api/core/v1." + std::string(c.structure)), *read_json(c.data, arena)),
        c.unchanged);
  }
}

// A rule that reads an unchanged struct makes it an Object first.
TEST(Unchanged, RulesSeeWhatIsPassedThrough) {
  Arena arena;
  Value pod =
      *read_json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"app":"x"}},"spec":{
      "tolerations":[{"operator":"Exists","effect":"NoExecute"}],
      "topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":["app"]}],
      "containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1","memory":"2"},"requests":{"cpu":"1"}}}]}})",
                 arena);
  DecodeOptions options;
  options.phase = Phase::Validating;
  const std::string json = to_json(normalize(arena, pod, options).object);
  EXPECT_NE(json.find(R"("tolerations":[{"effect":"NoExecute","operator":"Exists"}])"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("matchExpressions":[{"key":"app","operator":"In","values":["x"]}])"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("requests":{"cpu":"1","memory":"2"})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("qosClass":"Guaranteed")"), std::string::npos) << json;
}

TEST(Image, TagAsTheReferenceGrammarReadsIt) {
  EXPECT_EQ(image_tag("nginx"), "latest");
  EXPECT_EQ(image_tag("reg.io:5000/a/b"), "latest");
  EXPECT_EQ(image_tag("nginx:1.2"), "1.2");
  EXPECT_EQ(image_tag("NGINX"), "");
  EXPECT_EQ(image_tag("nginx:"), "");
  EXPECT_EQ(image_tag("a@sha256:" + std::string(64, '0')), "");
  EXPECT_EQ(image_tag("a:latest@sha256:" + std::string(64, '0')), "latest");
  EXPECT_EQ(image_tag("a__b"), "latest");
  EXPECT_EQ(image_tag("a___b"), "");
}

TEST(Literal, FindsNumbersAsTheyAreSpelt) {
  const Value path[] = {Value::string("a"), Value::integer(1), Value::string("b")};
  EXPECT_EQ(literal_at(R"({"x":[1,{"b":2}], "a" : [ {} , {"c":"}]\"","b": 1.50e0 }]})", path), "1.50e0");
  EXPECT_EQ(literal_at(R"({"a":[]})", path), "");
  EXPECT_EQ(literal_at(R"({"a":[1)", path), "");
}

}  // namespace
}  // namespace portcullis::builtin
