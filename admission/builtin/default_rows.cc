#include "admission/builtin/default_rows.h"
#include "admission/builtin/access.h"

namespace portcullis::builtin {
namespace {

bool deployment_rolls(Object& o) { return text(o, "spec.strategy.type") == "RollingUpdate"; }
bool daemon_set_rolls(Object& o) { return text(o, "spec.updateStrategy.type") == "RollingUpdate"; }
bool stateful_set_rolls(Object& o) {
  return text(o, "spec.updateStrategy.type") == "RollingUpdate" &&
         has(o, "spec.updateStrategy.rollingUpdate");
}
bool is_exact_count(Object& o) { return text(o, "allocationMode") == "ExactCount"; }
bool is_load_balancer(Object& o) { return text(o, "spec.type") == "LoadBalancer"; }
bool is_client_ip(Object& o) { return text(o, "spec.sessionAffinity") == "ClientIP"; }
bool is_internal(Object& o) {
  std::string_view type = text(o, "spec.type");
  return type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer";
}
bool is_external(Object& o) {
  std::string_view type = text(o, "spec.type");
  return type == "NodePort" || type == "LoadBalancer" ||
         (type == "ClusterIP" && count(o, "spec.externalIPs") > 0);
}
bool backs_off_per_index(Object& o) { return has(o, "spec.backoffLimitPerIndex"); }
bool has_failure_policy(Object& o) { return has(o, "spec.podFailurePolicy"); }
bool neither_count(Object& o) { return !has(o, "spec.completions") && !has(o, "spec.parallelism"); }
bool is_person(Object& o) { return text(o, "kind") == "User" || text(o, "kind") == "Group"; }
bool no_modes(Object& o) { return count(o, "spec.volumeLifecycleModes") == 0; }
bool no_metrics(Object& o) { return count(o, "spec.metrics") == 0; }
bool no_usages(Object& o) { return !has(o, "usages"); }
bool names_class(Object& o) { return !text(o, "deviceClassName").empty(); }
bool names_class_for_one(Object& o) { return names_class(o) && is_exact_count(o); }

constexpr std::string_view kCpuAtEighty =
    R"([{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}])";

// The order of rows matters where a condition reads a field that an earlier row fills.
constexpr DefaultRow kRows[] = {
    // Pods and their parts
    {"core/v1.PodSpec", "dnsPolicy", R"("ClusterFirst")"},
    {"core/v1.PodSpec", "restartPolicy", R"("Always")"},
    {"core/v1.PodSpec", "securityContext", "{}"},
    {"core/v1.PodSpec", "terminationGracePeriodSeconds", "30"},
    {"core/v1.PodSpec", "schedulerName", R"("default-scheduler")"},
    {"core/v1.Pod", "spec.enableServiceLinks", "true"},
    {"core/v1.Container", "terminationMessagePath", R"("/dev/termination-log")"},
    {"core/v1.Container", "terminationMessagePolicy", R"("File")"},
    {"core/v1.EphemeralContainer", "terminationMessagePath", R"("/dev/termination-log")"},
    {"core/v1.EphemeralContainer", "terminationMessagePolicy", R"("File")"},
    {"core/v1.ContainerPort", "protocol", R"("TCP")"},
    {"core/v1.Probe", "timeoutSeconds", "1"},
    {"core/v1.Probe", "periodSeconds", "10"},
    {"core/v1.Probe", "successThreshold", "1"},
    {"core/v1.Probe", "failureThreshold", "3"},
    {"core/v1.HTTPGetAction", "path", R"("/")"},
    {"core/v1.HTTPGetAction", "scheme", R"("HTTP")"},
    {"core/v1.GRPCAction", "service", R"("")"},
    {"core/v1.ObjectFieldSelector", "apiVersion", R"("v1")"},
    {"core/v1.FileKeySelector", "optional", "false"},
    // Volumes
    {"core/v1.SecretVolumeSource", "defaultMode", "420"},
    {"core/v1.ConfigMapVolumeSource", "defaultMode", "420"},
    {"core/v1.DownwardAPIVolumeSource", "defaultMode", "420"},
    {"core/v1.ProjectedVolumeSource", "defaultMode", "420"},
    {"core/v1.ServiceAccountTokenProjection", "expirationSeconds", "3600"},
    {"core/v1.HostPathVolumeSource", "type", R"("")"},
    {"core/v1.ISCSIVolumeSource", "iscsiInterface", R"("default")"},
    {"core/v1.ISCSIPersistentVolumeSource", "iscsiInterface", R"("default")"},
    {"core/v1.RBDVolumeSource", "pool", R"("rbd")"},
    {"core/v1.RBDVolumeSource", "user", R"("admin")"},
    {"core/v1.RBDVolumeSource", "keyring", R"("/etc/ceph/keyring")"},
    {"core/v1.RBDPersistentVolumeSource", "pool", R"("rbd")"},
    {"core/v1.RBDPersistentVolumeSource", "user", R"("admin")"},
    {"core/v1.RBDPersistentVolumeSource", "keyring", R"("/etc/ceph/keyring")"},
    {"core/v1.AzureDiskVolumeSource", "cachingMode", R"("ReadWrite")"},
    {"core/v1.AzureDiskVolumeSource", "fsType", R"("ext4")"},
    {"core/v1.AzureDiskVolumeSource", "readOnly", "false"},
    {"core/v1.AzureDiskVolumeSource", "kind", R"("Shared")"},
    {"core/v1.ScaleIOVolumeSource", "storageMode", R"("ThinProvisioned")"},
    {"core/v1.ScaleIOVolumeSource", "fsType", R"("xfs")"},
    {"core/v1.ScaleIOPersistentVolumeSource", "storageMode", R"("ThinProvisioned")"},
    {"core/v1.ScaleIOPersistentVolumeSource", "fsType", R"("xfs")"},
    {"core/v1.PersistentVolume", "status.phase", R"("Pending")"},
    {"core/v1.PersistentVolume", "spec.persistentVolumeReclaimPolicy", R"("Retain")"},
    {"core/v1.PersistentVolume", "spec.volumeMode", R"("Filesystem")"},
    {"core/v1.PersistentVolumeClaim", "status.phase", R"("Pending")"},
    {"core/v1.PersistentVolumeClaimSpec", "volumeMode", R"("Filesystem")"},
    // Other core kinds
    {"core/v1.Secret", "type", R"("Opaque")"},
    {"core/v1.NamespaceStatus", "phase", R"("Active")"},
    {"core/v1.EndpointPort", "protocol", R"("TCP")"},
    {"core/v1.ReplicationController", "spec.replicas", "1"},
    {"core/v1.Service", "spec.sessionAffinity", R"("None")"},
    {"core/v1.Service", "spec.sessionAffinityConfig", "{}", is_client_ip},
    {"core/v1.Service", "spec.sessionAffinityConfig.clientIP", "{}", is_client_ip},
    {"core/v1.Service", "spec.sessionAffinityConfig.clientIP.timeoutSeconds", "10800", is_client_ip},
    {"core/v1.Service", "spec.type", R"("ClusterIP")"},
    {"core/v1.Service", "spec.externalTrafficPolicy", R"("Cluster")", is_external},
    {"core/v1.Service", "spec.internalTrafficPolicy", R"("Cluster")", is_internal},
    {"core/v1.Service", "spec.allocateLoadBalancerNodePorts", "true", is_load_balancer},
    {"core/v1.ServicePort", "protocol", R"("TCP")"},
    // Workloads
    {"apps/v1,v1beta1,v1beta2.Deployment", "spec.replicas", "1"},
    {"apps/v1,v1beta1,v1beta2.Deployment", "spec.strategy.type", R"("RollingUpdate")"},
    {"apps/v1,v1beta1,v1beta2.Deployment", "spec.strategy.rollingUpdate", "{}", deployment_rolls},
    {"apps/v1,v1beta1,v1beta2.Deployment", "spec.strategy.rollingUpdate.maxUnavailable", R"("25%")",
     deployment_rolls},
    {"apps/v1,v1beta1,v1beta2.Deployment", "spec.strategy.rollingUpdate.maxSurge", R"("25%")",
     deployment_rolls},
    {"apps/v1,v1beta2.Deployment", "spec.revisionHistoryLimit", "10"},
    {"apps/v1beta1.Deployment", "spec.revisionHistoryLimit", "2"},
    {"apps/v1,v1beta1,v1beta2.Deployment", "spec.progressDeadlineSeconds", "600"},
    {"apps/v1,v1beta2.ReplicaSet", "spec.replicas", "1"},
    {"apps/v1,v1beta2.DaemonSet", "spec.updateStrategy.type", R"("RollingUpdate")"},
    {"apps/v1,v1beta2.DaemonSet", "spec.updateStrategy.rollingUpdate", "{}", daemon_set_rolls},
    {"apps/v1,v1beta2.DaemonSet", "spec.updateStrategy.rollingUpdate.maxUnavailable", "1", daemon_set_rolls},
    {"apps/v1,v1beta2.DaemonSet", "spec.updateStrategy.rollingUpdate.maxSurge", "0", daemon_set_rolls},
    {"apps/v1,v1beta2.DaemonSet", "spec.revisionHistoryLimit", "10"},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.podManagementPolicy", R"("OrderedReady")"},
    {"apps/v1,v1beta2.StatefulSet", "spec.updateStrategy.rollingUpdate", "{}",
     [](Object& o) { return text(o, "spec.updateStrategy.type").empty(); }},
    {"apps/v1,v1beta2.StatefulSet", "spec.updateStrategy.type", R"("RollingUpdate")"},
    {"apps/v1beta1.StatefulSet", "spec.updateStrategy.type", R"("OnDelete")"},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.updateStrategy.rollingUpdate.partition", "0",
     stateful_set_rolls},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.updateStrategy.rollingUpdate.maxUnavailable", "1",
     stateful_set_rolls},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.persistentVolumeClaimRetentionPolicy", "{}"},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenDeleted",
     R"("Retain")"},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenScaled",
     R"("Retain")"},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.replicas", "1"},
    {"apps/v1,v1beta1,v1beta2.StatefulSet", "spec.revisionHistoryLimit", "10"},
    {"batch/v1.Job", "spec.completions", "1", neither_count},
    {"batch/v1.Job", "spec.parallelism", "1"},
    {"batch/v1.Job", "spec.backoffLimit", "2147483647", backs_off_per_index},
    {"batch/v1.Job", "spec.backoffLimit", "6"},
    {"batch/v1.Job", "spec.completionMode", R"("NonIndexed")"},
    {"batch/v1.Job", "spec.suspend", "false"},
    {"batch/v1.Job", "spec.podReplacementPolicy", R"("Failed")", has_failure_policy},
    {"batch/v1.Job", "spec.podReplacementPolicy", R"("TerminatingOrFailed")"},
    {"batch/v1.Job", "spec.manualSelector", "false"},
    {"batch/v1,v1beta1.CronJob", "spec.concurrencyPolicy", R"("Allow")"},
    {"batch/v1,v1beta1.CronJob", "spec.suspend", "false"},
    {"batch/v1,v1beta1.CronJob", "spec.successfulJobsHistoryLimit", "3"},
    {"batch/v1,v1beta1.CronJob", "spec.failedJobsHistoryLimit", "1"},
    {"batch/v1.PodFailurePolicyOnPodConditionsPattern", "status", R"("True")"},
    {"autoscaling/v1,v2.HorizontalPodAutoscaler", "spec.minReplicas", "1"},
    {"autoscaling/v2.HorizontalPodAutoscaler", "spec.metrics", kCpuAtEighty, no_metrics},
    // Network
    {"networking/v1.NetworkPolicyPort", "protocol", R"("TCP")"},
    {"networking/v1.IngressClass", "spec.parameters.scope", R"("Cluster")"},
    {"networking/v1beta1.HTTPIngressPath", "pathType", R"("ImplementationSpecific")"},
    {"discovery/v1,v1beta1.EndpointPort", "name", R"("")"},
    {"discovery/v1,v1beta1.EndpointPort", "protocol", R"("TCP")"},
    // Access control
    {"rbac/v1,v1alpha1,v1beta1.ClusterRoleBinding", "roleRef.apiGroup", R"("rbac.authorization.k8s.io")"},
    {"rbac/v1,v1alpha1,v1beta1.RoleBinding", "roleRef.apiGroup", R"("rbac.authorization.k8s.io")"},
    {"rbac/v1,v1beta1.Subject", "apiGroup", R"("rbac.authorization.k8s.io")", is_person},
    {"authentication/v1.TokenRequestSpec", "expirationSeconds", "3600"},
    {"certificates/v1,v1beta1.PodCertificateRequest", "spec.maxExpirationSeconds", "86400"},
    {"certificates/v1beta1.CertificateSigningRequestSpec", "usages",
     R"(["digital signature","key encipherment"])", no_usages},
    {"certificates/v1beta1.CertificateSigningRequestSpec", "signerName",
     R"("kubernetes.io/legacy-unknown")"},  // even if the object has another value
    {"certificates/v1beta1.CertificateSigningRequestCondition", "status", R"("True")"},
    // Storage
    {"storage/v1,v1beta1.StorageClass", "reclaimPolicy", R"("Delete")"},
    {"storage/v1,v1beta1.StorageClass", "volumeBindingMode", R"("Immediate")"},
    {"storage/v1,v1beta1.CSIDriver", "spec.attachRequired", "true"},
    {"storage/v1,v1beta1.CSIDriver", "spec.podInfoOnMount", "false"},
    {"storage/v1,v1beta1.CSIDriver", "spec.storageCapacity", "false"},
    {"storage/v1,v1beta1.CSIDriver", "spec.fsGroupPolicy", R"("ReadWriteOnceWithFSType")"},
    {"storage/v1,v1beta1.CSIDriver", "spec.volumeLifecycleModes", R"(["Persistent"])", no_modes},
    {"storage/v1,v1beta1.CSIDriver", "spec.requiresRepublish", "false"},
    {"storage/v1,v1beta1.CSIDriver", "spec.seLinuxMount", "false"},
    {"storage/v1,v1beta1.CSIDriver", "spec.preventPodSchedulingIfMissing", "false"},
    // Scheduling and devices
    {"scheduling/v1,v1alpha1,v1beta1.PriorityClass", "preemptionPolicy", R"("PreemptLowerPriority")"},
    {"scheduling/v1alpha3,v1beta1.PodGroup", "spec.disruptionMode", R"({"single":{}})"},
    {"scheduling/v1alpha3.CompositePodGroup", "spec.disruptionMode", R"({"single":{}})"},
    {"resource/v1,v1beta2.ExactDeviceRequest", "allocationMode", R"("ExactCount")"},
    {"resource/v1,v1beta2.ExactDeviceRequest", "count", "1", is_exact_count},
    {"resource/v1,v1beta1,v1beta2.DeviceSubRequest", "allocationMode", R"("ExactCount")"},
    {"resource/v1,v1beta1,v1beta2.DeviceSubRequest", "count", "1", is_exact_count},
    {"resource/v1beta1.DeviceRequest", "allocationMode", R"("ExactCount")", names_class},
    {"resource/v1beta1.DeviceRequest", "count", "1", names_class_for_one},
    {"resource/v1,v1beta1,v1beta2.DeviceToleration", "operator", R"("Equal")"},
    {"resource/v1alpha3.ResourcePoolStatusRequest", "spec.limit", "100"},
    // Flow control
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.FlowSchemaSpec", "matchingPrecedence", "1000"},
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.ExemptPriorityLevelConfiguration", "nominalConcurrencyShares",
     "0"},
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.ExemptPriorityLevelConfiguration", "lendablePercent", "0"},
    {"flowcontrol/v1.LimitedPriorityLevelConfiguration", "nominalConcurrencyShares", "30"},
    {"flowcontrol/v1beta1,v1beta2.LimitedPriorityLevelConfiguration", "assuredConcurrencyShares", "30"},
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.LimitedPriorityLevelConfiguration", "lendablePercent", "0"},
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.QueuingConfiguration", "handSize", "8"},
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.QueuingConfiguration", "queues", "64"},
    {"flowcontrol/v1,v1beta1,v1beta2,v1beta3.QueuingConfiguration", "queueLengthLimit", "50"},
    // Admission
    {"admissionregistration/v1,v1beta1,v1alpha1.ValidatingAdmissionPolicySpec", "failurePolicy", R"("Fail")"},
    {"admissionregistration/v1,v1beta1,v1alpha1.MutatingAdmissionPolicySpec", "failurePolicy", R"("Fail")"},
    {"admissionregistration/v1,v1beta1,v1alpha1.MatchResources", "matchPolicy", R"("Equivalent")"},
    {"admissionregistration/v1,v1beta1,v1alpha1.MatchResources", "namespaceSelector", "{}"},
    {"admissionregistration/v1,v1beta1,v1alpha1.MatchResources", "objectSelector", "{}"},
    {"admissionregistration/v1,v1beta1,v1alpha1.NamedRuleWithOperations", "scope", R"("*")"},
    {"admissionregistration/v1.RuleWithOperations", "scope", R"("*")"},
    {"admissionregistration/v1alpha1.ParamRef", "parameterNotFoundAction", R"("Deny")"},
    {"admissionregistration/v1,v1beta1.ServiceReference", "port", "443"},
    {"admissionregistration/v1.ValidatingWebhook", "failurePolicy", R"("Fail")"},
    {"admissionregistration/v1.MutatingWebhook", "failurePolicy", R"("Fail")"},
    {"admissionregistration/v1beta1.ValidatingWebhook", "failurePolicy", R"("Ignore")"},
    {"admissionregistration/v1beta1.MutatingWebhook", "failurePolicy", R"("Ignore")"},
    {"admissionregistration/v1.ValidatingWebhook", "matchPolicy", R"("Equivalent")"},
    {"admissionregistration/v1.MutatingWebhook", "matchPolicy", R"("Equivalent")"},
    {"admissionregistration/v1beta1.ValidatingWebhook", "matchPolicy", R"("Exact")"},
    {"admissionregistration/v1beta1.MutatingWebhook", "matchPolicy", R"("Exact")"},
    {"admissionregistration/v1,v1beta1.ValidatingWebhook", "namespaceSelector", "{}"},
    {"admissionregistration/v1,v1beta1.MutatingWebhook", "namespaceSelector", "{}"},
    {"admissionregistration/v1,v1beta1.ValidatingWebhook", "objectSelector", "{}"},
    {"admissionregistration/v1,v1beta1.MutatingWebhook", "objectSelector", "{}"},
    {"admissionregistration/v1.ValidatingWebhook", "timeoutSeconds", "10"},
    {"admissionregistration/v1.MutatingWebhook", "timeoutSeconds", "10"},
    {"admissionregistration/v1beta1.ValidatingWebhook", "timeoutSeconds", "30"},
    {"admissionregistration/v1beta1.MutatingWebhook", "timeoutSeconds", "30"},
    {"admissionregistration/v1beta1.ValidatingWebhook", "sideEffects", R"("Unknown")"},
    {"admissionregistration/v1beta1.MutatingWebhook", "sideEffects", R"("Unknown")"},
    {"admissionregistration/v1beta1.ValidatingWebhook", "admissionReviewVersions", R"(["v1beta1"])"},
    {"admissionregistration/v1beta1.MutatingWebhook", "admissionReviewVersions", R"(["v1beta1"])"},
    {"admissionregistration/v1,v1beta1.MutatingWebhook", "reinvocationPolicy", R"("Never")"},
    // Kinds of aggregated API servers and of apiextensions
    {"apiextensions-apiserver/pkg/apis/apiextensions/v1.CustomResourceDefinitionSpec", "conversion",
     R"({"strategy":"None"})"},
    {"apiextensions-apiserver/pkg/apis/apiextensions/v1.ServiceReference", "port", "443"},
    {"kube-aggregator/pkg/apis/apiregistration/v1.ServiceReference", "port", "443"},
};

}  // namespace

std::span<const DefaultRow> default_rows() { return kRows; }

}  // namespace portcullis::builtin
