// customresource: what a kube-apiserver makes of CustomResourceDefinitions and their objects, one JSON line in, one out.
//
// In: {"crd": …, "object": …, "old": …, "status": true for an update of the subresource status}; out: {"crdErrors", "errors", "warnings", "unknown", "object"}. The same code runs as
// in the server: validation of the definition, then decoding (pruning, defaults, metadata) and the registry's strategy.
// Build it with the go.mod of the shared oracle: `go build -mod=mod -o customresource .`
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
)

type typer struct{}

func (typer) ObjectKinds(o runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	return []schema.GroupVersionKind{o.GetObjectKind().GroupVersionKind()}, false, nil
}
func (typer) Recognizes(schema.GroupVersionKind) bool { return true }

type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

func main() {
	scheme := runtime.NewScheme()
	must(apiextensions.AddToScheme(scheme))
	must(apiextensionsv1.AddToScheme(scheme))
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			must(out.Encode(answer(scheme, line)))
		}
		if err != nil {
			return
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func answer(scheme *runtime.Scheme, line []byte) (out map[string]any) {
	out = map[string]any{}
	defer func() {
		if r := recover(); r != nil {
			out["panic"] = fmt.Sprint(r)
		}
	}()
	var r struct {
		CRD    json.RawMessage `json:"crd"`
		Object map[string]any  `json:"object"`
		Old    map[string]any  `json:"old"`
		Status bool            `json:"status"`
		ID     any             `json:"id"`
	}
	must(utiljson.Unmarshal(line, &r))
	out["id"] = r.ID
	var raw struct{ Object, Old json.RawMessage }
	must(json.Unmarshal(line, &raw))
	r.Object, r.Old = plain(raw.Object), plain(raw.Old)
	var given apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(r.CRD, &given); err != nil {
		out["inputError"] = err.Error()
		return out
	}
	scheme.Default(&given)
	var crd apiextensions.CustomResourceDefinition
	must(scheme.Convert(&given, &crd, nil))
	crd.Status.StoredVersions = nil
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
			break
		}
	}
	texts := []string{}
	for _, e := range crdvalidation.ValidateCustomResourceDefinition(context.Background(), &crd) {
		texts = append(texts, e.Error())
	}
	out["crdErrors"] = texts
	if r.Object == nil {
		return out
	}
	object := &unstructured.Unstructured{Object: r.Object}
	gvk := object.GroupVersionKind()
	var props *apiextensions.JSONSchemaProps
	var status *apiextensions.CustomResourceSubresourceStatus
	var scale *apiextensions.CustomResourceSubresourceScale
	if crd.Spec.Validation != nil {
		props = crd.Spec.Validation.OpenAPIV3Schema
	}
	if crd.Spec.Subresources != nil {
		status, scale = crd.Spec.Subresources.Status, crd.Spec.Subresources.Scale
	}
	for _, v := range crd.Spec.Versions {
		if v.Name != gvk.Version {
			continue
		}
		if v.Schema != nil {
			props = v.Schema.OpenAPIV3Schema
		}
		if v.Subresources != nil {
			status, scale = v.Subresources.Status, v.Subresources.Scale
		}
	}
	s, err := structuralschema.NewStructural(props)
	must(err)
	validator, _, err := validation.NewSchemaValidator(props)
	must(err)
	var statusValidator validation.SchemaValidator
	if statusProps, has := props.Properties["status"]; has && status != nil {
		statusValidator, _, err = validation.NewSchemaValidator(&statusProps)
		must(err)
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: gvk.Version, Kind: crd.Spec.Names.Kind}
	namespaced := crd.Spec.Scope == apiextensions.NamespaceScoped
	strategy := customresource.NewStrategy(typer{}, namespaced, kind, validator, statusValidator, s, status, scale, nil)
	unknown, err := decode(object, s)
	if err != nil {
		out["decodeError"] = err.Error()
		return out
	}
	out["unknown"] = unknown
	warnings := &recorder{}
	ctx := warning.WithWarningRecorder(context.Background(), warnings)
	ctx = genericrequest.WithNamespace(ctx, "")
	if namespaced {
		if object.GetNamespace() == "" {
			object.SetNamespace("default") // that of the request
		}
		ctx = genericrequest.WithNamespace(ctx, object.GetNamespace())
	}
	if r.Old == nil {
		rest.WipeObjectMetaSystemFields(object) // as the handler of the request does, before admission
		rest.FillObjectMetaSystemFields(object)
		if object.GetName() == "" && object.GetGenerateName() != "" {
			object.SetName(object.GetGenerateName() + "zzzzz")
		}
		err = rest.BeforeCreate(strategy, ctx, object)
		object.SetUID("")
		object.SetCreationTimestamp(metav1.Time{})
	} else {
		old := &unstructured.Unstructured{Object: r.Old}
		if _, err := decode(old, s); err != nil {
			out["decodeError"] = err.Error()
			return out
		}
		for _, o := range []*unstructured.Unstructured{object, old} {
			o.SetResourceVersion("1")
		}
		if r.Status {
			err = rest.BeforeUpdate(customresource.NewStatusStrategy(strategy), ctx, object, old)
		} else {
			err = rest.BeforeUpdate(strategy, ctx, object, old)
		}
		object.SetResourceVersion("")
	}
	if status, ok := err.(interface{ Status() metav1.Status }); ok {
		out["status"] = status.Status()
	} else if err != nil {
		out["error"] = err.Error()
	}
	out["warnings"] = warnings.texts
	out["object"] = object.Object
	return out
}

func plain(raw json.RawMessage) map[string]any {
	var out map[string]any
	if len(raw) > 0 {
		must(utiljson.Unmarshal(raw, &out))
	}
	return out
}

// decode does what the server's decoder does to an object of a request.
func decode(u *unstructured.Unstructured, s *structuralschema.Structural) ([]string, error) {
	defaulting.Default(u.Object, s)
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	kind, apiVersion := u.GetKind(), u.GetAPIVersion()
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, s, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, s)
	fieldErr, paths := objectmeta.CoerceWithOptions(nil, u.Object, s, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fieldErr != nil {
		return nil, fieldErr
	}
	u.SetKind(kind)
	u.SetAPIVersion(apiVersion)
	if found {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return nil, err
		}
	}
	return append(unknown, paths...), nil
}
