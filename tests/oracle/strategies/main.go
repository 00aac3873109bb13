// strategies: what the API server's validation says of the metadata of objects of built-in kinds, one JSON line in, one out.
//
// In: {"id", "object", "old", "all"}; out: {"id", "causes", "other"}: the errors of metadata, with "all" and of roles and their
// bindings all, and how many others there are; or "decodeError", "error", "panic". The same code runs as in the server: the registry's strategies.
// Build it with the go.mod of the shared oracle: `go build -mod=mod -o strategies .`
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/controllerrevision"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	csr "k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/coordination/lease"
	"k8s.io/kubernetes/pkg/registry/core/configmap"
	"k8s.io/kubernetes/pkg/registry/core/endpoint"
	"k8s.io/kubernetes/pkg/registry/core/event"
	"k8s.io/kubernetes/pkg/registry/core/limitrange"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/resourcequota"
	"k8s.io/kubernetes/pkg/registry/core/secret"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/core/serviceaccount"
	"k8s.io/kubernetes/pkg/registry/discovery/endpointslice"
	"k8s.io/kubernetes/pkg/registry/networking/ingress"
	"k8s.io/kubernetes/pkg/registry/networking/ingressclass"
	"k8s.io/kubernetes/pkg/registry/networking/ipaddress"
	"k8s.io/kubernetes/pkg/registry/networking/networkpolicy"
	"k8s.io/kubernetes/pkg/registry/networking/servicecidr"
	"k8s.io/kubernetes/pkg/registry/node/runtimeclass"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrole"
	"k8s.io/kubernetes/pkg/registry/rbac/clusterrolebinding"
	"k8s.io/kubernetes/pkg/registry/rbac/role"
	"k8s.io/kubernetes/pkg/registry/rbac/rolebinding"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattributesclass"
)

var strategies = map[string]rest.RESTCreateUpdateStrategy{
	"Pod": pod.Strategy, "Service": service.Strategy, "ConfigMap": configmap.Strategy, "Secret": secret.Strategy,
	"Namespace": namespace.Strategy, "Node": node.Strategy, "ServiceAccount": serviceaccount.Strategy, "LimitRange": limitrange.Strategy,
	"ResourceQuota": resourcequota.Strategy, "PersistentVolume": persistentvolume.Strategy, "PersistentVolumeClaim": persistentvolumeclaim.Strategy,
	"Endpoints": endpoint.Strategy, "Event": event.Strategy, "PodTemplate": podtemplate.Strategy, "ReplicationController": replicationcontroller.Strategy,
	"Deployment": deployment.Strategy, "DaemonSet": daemonset.Strategy, "ReplicaSet": replicaset.Strategy, "StatefulSet": statefulset.Strategy,
	"Job": job.Strategy, "CronJob": cronjob.Strategy, "CertificateSigningRequest": csr.Strategy, "Lease": lease.Strategy,
	"EndpointSlice": endpointslice.Strategy, "Ingress": ingress.Strategy, "IngressClass": ingressclass.Strategy, "NetworkPolicy": networkpolicy.Strategy,
	"IPAddress": ipaddress.Strategy, "PodDisruptionBudget": poddisruptionbudget.Strategy, "Role": role.Strategy, "ClusterRole": clusterrole.Strategy,
	"RoleBinding": rolebinding.Strategy, "ClusterRoleBinding": clusterrolebinding.Strategy, "PriorityClass": priorityclass.Strategy, "StorageClass": storageclass.Strategy, "RuntimeClass": runtimeclass.Strategy,
	"ControllerRevision": controllerrevision.Strategy, "ServiceCIDR": servicecidr.Strategy, "CSIDriver": csidriver.Strategy, "CSINode": csinode.Strategy,
	"CSIStorageCapacity": csistoragecapacity.Strategy, "VolumeAttachment": volumeattachment.Strategy, "VolumeAttributesClass": volumeattributesclass.Strategy,
}

type line struct {
	ID          any `json:"id"`
	Object, Old json.RawMessage
	All         bool
}

func decode(raw []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	return legacyscheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var l line
		json.Unmarshal(in.Bytes(), &l)
		out.Encode(answer(l))
	}
}

func answer(l line) (res map[string]any) {
	defer func() {
		if p := recover(); p != nil {
			res = map[string]any{"id": l.ID, "panic": "x"}
		}
	}()
	obj, gvk, err := decode(l.Object)
	if err != nil {
		return map[string]any{"id": l.ID, "decodeError": err.Error()}
	}
	s := strategies[gvk.Kind]
	all := l.All || gvk.Group == "rbac.authorization.k8s.io"
	m, _ := meta.Accessor(obj)
	ctx := request.WithRequestInfo(request.NewContext(), &request.RequestInfo{APIGroup: gvk.Group, APIVersion: gvk.Version, Verb: "create"})
	if s.NamespaceScoped() {
		if m.GetNamespace() == "" {
			m.SetNamespace("default")
		}
		ctx = request.WithNamespace(ctx, m.GetNamespace())
	} else {
		ctx = request.WithNamespace(ctx, "")
	}
	if l.Old != nil {
		old, _, err := decode(l.Old)
		if err != nil {
			return map[string]any{"id": l.ID, "decodeError": err.Error()}
		}
		o, _ := meta.Accessor(old)
		if s.NamespaceScoped() && o.GetNamespace() == "" {
			o.SetNamespace("default")
		}
		if m.GetResourceVersion() == "" {
			m.SetResourceVersion("1")
			o.SetResourceVersion("1")
		}
		err = rest.BeforeUpdate(s, ctx, obj, old)
		return report(l, err, all)
	}
	rest.FillObjectMetaSystemFields(m)
	if m.GetGenerateName() != "" && m.GetName() == "" {
		m.SetName(m.GetGenerateName()[:min(len(m.GetGenerateName()), 58)] + "zzzzz")
	}
	return report(l, rest.BeforeCreate(s, ctx, obj), all)
}

func report(l line, err error, all bool) map[string]any {
	causes := []string{}
	other := 0
	if s, ok := err.(errors.APIStatus); ok && s.Status().Details != nil {
		for _, c := range s.Status().Details.Causes {
			if all || len(c.Field) >= 8 && c.Field[:8] == "metadata" {
				causes = append(causes, c.Field+": "+c.Message)
			} else {
				other++
			}
		}
	} else if err != nil {
		return map[string]any{"id": l.ID, "error": err.Error()}
	}
	return map[string]any{"id": l.ID, "causes": causes, "other": other}
}
