// plugins: what the admission plugins LimitRanger and PodSecurity say of requests, one JSON line in, one out.
//
// In: {"id", "labels", "ranges", "object", "old"}: the labels and LimitRanges of the namespace, an object that is created or,
// with "old", updated; out: {"id", "message", "code", "warnings"}, or "decodeError". The same code runs as in the server, on
// objects that its registry has prepared.
// Build it with the go.mod of the shared oracle: `go build -mod=mod -o plugins .`
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/pod-security-admission/admission"
	psconfig "k8s.io/pod-security-admission/admission/api"
	psv1 "k8s.io/pod-security-admission/admission/api/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/metrics"
	"k8s.io/pod-security-admission/policy"
)

var strategies = map[string]rest.RESTCreateUpdateStrategy{
	"Pod": pod.Strategy, "PodTemplate": podtemplate.Strategy, "ReplicationController": replicationcontroller.Strategy,
	"ReplicaSet": replicaset.Strategy, "Deployment": deployment.Strategy, "StatefulSet": statefulset.Strategy,
	"DaemonSet": daemonset.Strategy, "Job": job.Strategy, "CronJob": cronjob.Strategy, "Namespace": namespace.Strategy,
	"PersistentVolumeClaim": persistentvolumeclaim.Strategy,
}

type line struct {
	ID          any `json:"id"`
	Labels      map[string]string
	Ranges      []json.RawMessage
	Object, Old json.RawMessage
}

// The namespace of a request, which has no Pods.
type cluster struct{ labels map[string]string }

func (c cluster) GetNamespace(_ context.Context, name string) (*corev1.Namespace, error) {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: c.labels}}, nil
}
func (c cluster) ListPods(context.Context, string) ([]*corev1.Pod, error) { return nil, nil }

type nobody struct{}

func (nobody) RecordEvaluation(metrics.Decision, api.LevelVersion, metrics.Mode, api.Attributes) {}
func (nobody) RecordExemption(api.Attributes)                                                    {}
func (nobody) RecordError(bool, api.Attributes)                                                  {}

func decode(raw []byte) (runtime.Object, *schema.GroupVersionKind, error) {
	return legacyscheme.Codecs.UniversalDecoder().Decode(raw, nil, nil)
}

func versioned(obj runtime.Object, gvk *schema.GroupVersionKind) runtime.Object {
	out, err := legacyscheme.Scheme.ConvertToVersion(obj, gvk.GroupVersion())
	if err != nil {
		panic(err)
	}
	return out
}

func answer(evaluator policy.Evaluator, l line) map[string]any {
	obj, gvk, err := decode(l.Object)
	if err != nil {
		return map[string]any{"id": l.ID, "decodeError": err.Error()}
	}
	m, _ := meta.Accessor(obj)
	ctx := request.WithRequestInfo(request.NewContext(), &request.RequestInfo{APIGroup: gvk.Group, APIVersion: gvk.Version})
	ctx = request.WithNamespace(ctx, m.GetNamespace())
	resource, _ := meta.UnsafeGuessKindToResource(*gvk)
	attributes := &api.AttributesRecord{Name: m.GetName(), Namespace: m.GetNamespace(), Kind: *gvk, Resource: resource,
		Operation: admissionv1.Create}
	if gvk.Kind == "Namespace" {
		attributes.Namespace = m.GetName()
	}
	var ranges []*corev1.LimitRange
	for _, raw := range l.Ranges {
		r, rangeKind, err := decode(raw)
		if err != nil {
			return map[string]any{"id": l.ID, "decodeError": err.Error()}
		}
		ranges = append(ranges, versioned(r, rangeKind).(*corev1.LimitRange))
	}
	limits := &limitranger.DefaultLimitRangerActions{}
	if l.Old != nil {
		old, _, err := decode(l.Old)
		if err != nil {
			return map[string]any{"id": l.ID, "decodeError": err.Error()}
		}
		strategies[gvk.Kind].PrepareForUpdate(ctx, obj, old)
		attributes.OldObject, attributes.Operation = versioned(old, gvk), admissionv1.Update
	} else {
		for _, r := range ranges {
			limits.MutateLimit(r, resource.Resource, obj)
		}
		strategies[gvk.Kind].PrepareForCreate(ctx, obj)
	}
	// On an update of a Pod the plugin does nothing (SupportsAttributes).
	if l.Old == nil || gvk.Kind != "Pod" {
		for _, r := range ranges {
			if err := limits.ValidateLimit(r, resource.Resource, obj); err != nil {
				status := errors.NewForbidden(resource.GroupResource(), m.GetName(), err).Status()
				return map[string]any{"id": l.ID, "message": status.Message, "code": status.Code, "warnings": []string{}}
			}
		}
	}
	attributes.Object = versioned(obj, gvk)
	var defaults psv1.PodSecurityConfiguration
	psv1.SetDefaults_PodSecurityDefaults(&defaults.Defaults)
	a := &admission.Admission{
		Configuration: &psconfig.PodSecurityConfiguration{Defaults: psconfig.PodSecurityDefaults(defaults.Defaults)},
		Evaluator:     evaluator, Metrics: nobody{}, NamespaceGetter: cluster{l.Labels}, PodLister: cluster{},
	}
	if err := a.CompleteConfiguration(); err != nil {
		panic(err)
	}
	response := a.Validate(ctx, attributes)
	out := map[string]any{"id": l.ID, "message": "", "code": 0, "warnings": append([]string{}, response.Warnings...)}
	if !response.Allowed {
		out["message"], out["code"] = response.Result.Message, response.Result.Code
	}
	return out
}

func main() {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var l line
		if err := json.NewDecoder(strings.NewReader(in.Text())).Decode(&l); err != nil {
			panic(err)
		}
		out.Encode(answer(evaluator, l))
	}
}
