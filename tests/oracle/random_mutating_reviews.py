#!/usr/bin/env python3
"""Random `review` requests with mutating policies, one JSON line each: several policies with params,
conditions, variables, reinvocation and failures, over plain and typed objects, custom resources, equivalent
versions, subresources and every operation, and validating policies that see the result.

Usage: random_mutating_reviews.py [COUNT] [SEED] > requests.jsonl
       random_mutating_reviews.py --compare REQUESTS WANT GOT             prints each answer that differs, and how many
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got

Deterministic by seed. What Kubernetes does in random order is avoided. One request in sixteen is mutated anywhere,
so it may also be an input error, whose text is the oracle's own. Whole answers are compared, but for which of several
fields that a schema does not have is named (docs/faithfulness.md): these are counted and set aside, as are panics and
errors of the oracle (oracle_errors.py).
"""
import collections
import copy
import json
import random
import re
import sys

import oracle_errors
import random_reviews as plain
from mutate_policies import dump

GROUP = plain.GROUP
DEPLOYMENT = ("apps", "v1", "deployments", "Deployment", True)
POD = ("", "v1", "pods", "Pod", True)
CONFIG = ("", "v1", "configmaps", "ConfigMap", True)
SERVICE = ("", "v1", "services", "Service", True)
NAMESPACE = ("", "v1", "namespaces", "Namespace", False)
NODE = ("", "v1", "nodes", "Node", False)
SCALER1 = ("autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler", True)
SCALER2 = ("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", True)
STATEFUL = ("apps", "v1", "statefulsets", "StatefulSet", True)
DAEMONS = ("apps", "v1", "daemonsets", "DaemonSet", True)
JOB = ("batch", "v1", "jobs", "Job", True)
CRON = ("batch", "v1", "cronjobs", "CronJob", True)
INGRESS = ("networking.k8s.io", "v1", "ingresses", "Ingress", True)
CLAIM = ("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", True)
ACCOUNT = ("", "v1", "serviceaccounts", "ServiceAccount", True)
SECRET = ("", "v1", "secrets", "Secret", True)
ROLE = ("rbac.authorization.k8s.io", "v1", "roles", "Role", True)
LEASE = ("coordination.k8s.io", "v1", "leases", "Lease", True)
SLICE = ("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", True)
EVENT1 = ("", "v1", "events", "Event", True)
EVENT2 = ("events.k8s.io", "v1", "events", "Event", True)
WIDGET1 = ("example.com", "v1", "widgets", "Widget", True)
WIDGET2 = ("example.com", "v2", "widgets", "Widget", True)
GADGET = ("example.com", "v1", "gadgets", "Gadget", True)
BUILTIN = [DEPLOYMENT, DEPLOYMENT, DEPLOYMENT, POD, POD, POD, CONFIG, SERVICE, NAMESPACE, NODE, SCALER1, SCALER2,
           EVENT1, STATEFUL, DAEMONS, JOB, CRON, INGRESS, CLAIM, ACCOUNT, SECRET, ROLE, LEASE, SLICE]
CUSTOM = [WIDGET1, WIDGET1, WIDGET2, GADGET]
TEXT, COUNT = {"type": "string"}, {"type": "integer"}
SPEC = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer", "default": 1}, "text": TEXT, "size": {"x-kubernetes-int-or-string": True},
        "flag": {"type": "boolean"}, "list": {"type": "array", "items": COUNT},
        "names": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        "items": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                  "items": {"type": "object", "required": ["name"],
                            "properties": {"name": TEXT, "value": TEXT, "port": {"type": "integer",
                                                                                 "default": 80}}}},
        "whole": {"type": "object", "x-kubernetes-map-type": "atomic",
                  "properties": {"a": TEXT, "b": TEXT}},
        "free": {"type": "object", "additionalProperties": TEXT},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
SCHEMA = {"type": "object", "properties": {"spec": SPEC, "status": {"type": "object",
                                                                    "properties": {"ready": COUNT}}}}


def definition(kind, plural, versions):
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": plural + ".example.com"},
            "spec": {"group": "example.com", "scope": "Namespaced",
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": kind + "List"},
                     "versions": [{"name": v, "served": True, "storage": i == 0,
                                   "schema": {"openAPIV3Schema": SCHEMA}} for i, v in enumerate(versions)]}}


WIDGETS = definition("Widget", "widgets", ["v1", "v2"])
GADGETS = definition("Gadget", "gadgets", ["v1"])

# Ends at its budget, for which Kubernetes takes a second.
LONG = ("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'t': string(lists.range(300).all(x, lists.range(300)"
        ".all(y, lists.range(20).all(z, x + y + z >= 0))))}}]")
NEXT = "string(int(object.metadata.?annotations[?'n'].orValue('0')) + 1)"
PATCHES = [
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'env': 'dev'}}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'env': 'prod', 'app': 'web'}}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels/env', value: 'prod'}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'n': %s}}]" % NEXT,
    "has(object.metadata.annotations) ? [JSONPatch{op: 'add', path: '/metadata/annotations/n', value: %s}] : "
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'n': '1'}}]" % NEXT,
    "[JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas + 1}]",
    "[JSONPatch{op: 'add', path: '/spec/replicas', value: 4}]",
    "[JSONPatch{op: 'remove', path: '/spec/replicas'}]",
    "[JSONPatch{op: 'test', path: '/spec/replicas', value: 3}, "
    "JSONPatch{op: 'replace', path: '/spec/replicas', value: 9}]",
    "[JSONPatch{op: 'test', path: '/metadata/name', value: 'a'}]",
    "[JSONPatch{op: 'test', path: '/metadata/labels/env', value: 'prod'}, "
    "JSONPatch{op: 'remove', path: '/metadata/labels'}]",
    "[JSONPatch{op: 'remove', path: '/metadata/labels/none'}]",
    "[JSONPatch{op: 'add', path: '/spec/nope', value: 1}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels/x', value: 5}]",
    "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('k8s.io/x~y'), value: object.metadata.name}]",
    "[JSONPatch{op: 'copy', from: '/metadata/name', path: '/metadata/generateName'}]",
    "[JSONPatch{op: 'move', from: '/metadata/labels', path: '/metadata/annotations'}]",
    "[JSONPatch{op: 'bad', path: '/metadata'}]", "[JSONPatch{op: 'add', path: '/spec/list/-', value: 7}]",
    "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/-', value: {'name': 'side', 'image': 'i:1'}}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/-', value: {'name': 'side' + string(size(object.spec.containers)), "
    "'image': 'i'}}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/0/resources', value: Object.spec.containers.resources{"
    "limits: {'cpu': '1000m'}}}]",
    "[JSONPatch{op: 'replace', path: '/spec/containers/0/image', value: request.name + ':2'}]",
    "[JSONPatch{op: 'add', path: '/data', value: {'k': request.operation}}]",
    "[JSONPatch{op: 'add', path: '/data/z', value: string(has(object.data))}]",
    "[JSONPatch{op: 'replace', path: '/kind', value: object.kind}]",
    "object.metadata.name == 'a' ? [JSONPatch{op: 'add', path: '/metadata/labels', value: {}}] : []",
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'v': string(request.kind.version + request.requestKind.version "
    "+ request.resource.version)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'u': request.userInfo.username}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'ns': string(namespaceObject.metadata.name)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'o': string(oldObject == null)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'o': string(object == oldObject)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'s': string(dyn(object.spec) == 1)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': "
    "string(authorizer.requestResource.check('get').allowed())}}]",
    "[JSONPatch{op: 'replace', path: '/stdin', value: false}]", "[JSONPatch{op: 'replace', path: '/container', value: 'x'}]",
    "[JSONPatch{op: 'replace', path: '', value: object}]", "[JSONPatch{}]", "[]", "1", "[1].map(x, JSONPatch{op: 'add'})",
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': string(1/0)}}]",
    "[JSONPatch{op: 'add', path: '/x', value: undeclared}]", "[1, 2].map(i, JSONPatch{op: 'add', path: '/metadata/labels', "
    "value: {'i': string(i)}})",
    "[JSONPatch{op: 'add', path: '/spec/names', value: ['b', 'a']}]", "[JSONPatch{op: 'add', path: '/spec/items', "
    "value: [{'name': 'n'}]}]", "[JSONPatch{op: 'add', path: '/spec', value: {}}]", "[JSONPatch{op: 'remove', path: '/spec'}]",
    "[JSONPatch{op: 'add', path: '/spec/maxReplicas', value: 8}]",
    "[JSONPatch{op: 'move', from: '/metadata', path: '/metadata/labels'}]",
    "[JSONPatch{op: 'copy', from: '/metadata', path: '/metadata/annotations/copy'}]",
    "[JSONPatch{op: 'copy', from: '/spec', path: '/spec/any'}]", "[JSONPatch{op: 'remove', path: ''}]",
    "[JSONPatch{op: 'test', path: '', value: object}, JSONPatch{op: 'add', path: '/metadata/labels/t', value: 't'}]",
    "[JSONPatch{op: 'add', path: '/metadata/finalizers', value: ['a.b/c', 'a.b/d']}, "
    "JSONPatch{op: 'remove', path: '/metadata/finalizers/00'}]",
    "[JSONPatch{op: 'add', path: '/metadata/finalizers/-1', value: 'a.b/e'}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/0/ports', value: [{'containerPort': 80}, {'containerPort': 80, "
    "'protocol': 'UDP'}]}]",
    "[JSONPatch{op: 'add', path: '/spec/containers/0/env', value: [{'name': 'A', 'value': 'x'}, {'name': 'A'}]}]",
    "[JSONPatch{op: 'add', path: '/spec/ephemeralContainers', value: [{'name': 'e', 'image': 'i'}]}]",
    "[JSONPatch{op: 'add', path: '/target', value: {'name': 'other'}}]",
    "[JSONPatch{op: 'add', path: '/deleteOptions', value: {'gracePeriodSeconds': 3}}]",
    "[JSONPatch{op: 'add', path: '/spec/replicas', value: null}]", "[JSONPatch{op: 'add', path: '/status', value: {}}]",
    "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/0/resources/limits', value: {'memory': 1000.5}}]",
]
PARAM_PATCHES = [
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': string(params.data.max)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': string(params == null)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': string(has(params.kind))}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': object.metadata.?annotations[?'p'].orValue('') + "
    "params.metadata.name}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': params.metadata.?namespace.orValue('none')}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'p': string(dyn(params) == 1)}}]",
]
VARIABLE_PATCHES = [
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'v': string(variables.a)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'v': string(variables.b)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'v': string(variables.bad)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'v': string(variables.heavy) + string(variables.c)}}]",
    "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'v': string(variables.allowed)}}]",
    "[JSONPatch{op: 'add', path: '/spec/list', value: variables.list}]",
]
APPLIED = [
    "Object{metadata: Object.metadata{labels: {'env': 'dev'}}}",
    "Object{metadata: Object.metadata{labels: {'app': object.metadata.name}}}",
    "Object{metadata: Object.metadata{annotations: {'n': %s}}}" % NEXT,
    "Object{metadata: Object.metadata{finalizers: ['a.b/c']}}",
    "Object{metadata: Object.metadata{name: 'other'}}", "Object{}",
    "Object{spec: Object.spec{replicas: object.spec.replicas + 1}}", "Object{spec: Object.spec{replicas: 5}}",
    "Object{spec: Object.spec{replicas: 'five'}}", "Object{spec: Object.spec{nope: 1}}",
    "Object{spec: Object.specs{replicas: 1}}", "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', "
    "imagePullPolicy: 'Never'}, Object.spec.containers{name: 'side', image: 'side:1'}]}}",
    "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, "
    "image: 'x/' + c.image})}}",
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', args: ['x']}]}}",
    "Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{"
    "labels: {'t': 'u'}}}}}",
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ["
    "Object.spec.template.spec.containers{name: 'c', resources: "
    "Object.spec.template.spec.containers.resources{limits: {'cpu': '2'}}}]}}}}",
    "Object{spec: Object.spec{maxReplicas: 6}}", "Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}",
    "Object{spec: Object.spec{names: ['c', 'a']}}", "Object{spec: Object.spec{list: [1]}}",
    "Object{spec: Object.spec{items: [Object.spec.items{name: 'n', value: 'w'}, Object.spec.items{name: 'q'}]}}",
    "Object{spec: Object.spec{whole: Object.spec.whole{a: 'x'}}}", "Object{spec: Object.spec{free: {'k': 'v'}}}",
    "Object{spec: Object.spec{any: Object.spec.any{x: [1, 2]}}}", "Object{spec: Object.spec{size: '2Gi'}}",
    "Object{data: {'k': 'v'}}", "Object{data: {'k': 1}}", "Object{stdin: true}",
    "Object{metadata: Object.metadata{labels: {'x': string(1/0)}}}", "object", "Object{spec: dyn(null)}",
    "Object{?metadata: optional.of(Object.metadata{labels: {'o': 'p'}})}", "Object{?metadata: optional.none()}",
    "Object{metadata: Object.metadata{labels: {'e': string(request.resource.version) + request.requestResource.version}}}",
    "Object{metadata: Object.metadata{annotations: {'ns': string(namespaceObject.metadata.labels.env)}}}",
    "Object{metadata: Object.metadata{annotations: {'s': string(dyn(object.metadata) == 1)}}}",
    "Object{metadata: Object.metadata{?labels: optional.none()}}", "Object{metadata: Object.metadata{finalizers: []}}",
    "Object{metadata: Object.metadata{finalizers: ['a.b/d', 'a.b/c', 'a.b/d']}}",
    "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{apiVersion: 'v1', kind: 'K', "
    "name: 'n', uid: 'u'}]}}", "Object{metadata: Object.metadata{labels: {}}}", "Object{metadata: null}",
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', ports: [Object.spec.containers.ports{"
    "containerPort: 80, protocol: 'UDP'}, Object.spec.containers.ports{containerPort: 80, name: 'web'}]}]}}",
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', env: [Object.spec.containers.env{name: 'A', "
    "value: 'y'}], volumeMounts: [Object.spec.containers.volumeMounts{name: 'v', mountPath: '/v'}]}]}}",
    "Object{spec: Object.spec{volumes: [Object.spec.volumes{name: 'v', emptyDir: Object.spec.volumes.emptyDir{"
    "sizeLimit: '1Gi'}}], imagePullSecrets: [Object.spec.imagePullSecrets{name: 's'}]}}",
    "Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'a'}]}}",
    "Object{spec: Object.spec{containers: [Object.spec.containers{image: 'no-name'}]}}",
    "Object{spec: Object.spec{ports: [Object.spec.ports{port: 80, protocol: 'TCP', targetPort: 'http'}, "
    "Object.spec.ports{port: 81, targetPort: 8081}]}}", "Object{spec: Object.spec{selector: {'a': 'c'}}}",
    "Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'c'}}}}",
    "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ["
    "Object.spec.template.spec.containers{name: 'side', image: 'i:2'}], restartPolicy: 'Never'}}}}",
    "Object{secrets: [Object.secrets{name: 's'}]}", "Object{stringData: {'a': 'b'}, type: 'Opaque'}",
    "Object{spec: Object.spec{rules: [Object.spec.rules{host: 'h'}]}}", "Object{rules: [Object.rules{verbs: ['get']}]}",
    "Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{"
    "maxSurge: '10%', maxUnavailable: 1}}}}", "Object{spec: Object.spec{size: 3, names: []}}",
    "Object{status: Object.status{conditions: [Object.status.conditions{type: 'Ready', status: 'True'}]}}",
    "Object{reason: 'changed'}", "Object{note: 'x'}", "Object{spec: Object.spec{minReadySeconds: 3}}",
]
PARAM_APPLIED = [
    "Object{metadata: Object.metadata{annotations: {'p': string(params.data.max)}}}",
    "Object{metadata: Object.metadata{annotations: {params.metadata.name: 'x'}}}",
    "Object{metadata: Object.metadata{annotations: {'p': string(has(params.apiVersion))}}}",
]
VARIABLE_APPLIED = [
    "Object{metadata: Object.metadata{annotations: {'v': string(variables.a)}}}",
    "Object{spec: Object.spec{replicas: variables.deep}}",
    "Object{metadata: Object.metadata{annotations: {'v': string(variables.bad)}}}",
]


def mutation(r, params, variables):
    json_patch = r.random() < 0.5
    k = r.random()
    if params and k < 0.35:
        text = r.choice(PARAM_PATCHES if json_patch else PARAM_APPLIED)
    elif variables and k < 0.6:
        text = r.choice(VARIABLE_PATCHES if json_patch else VARIABLE_APPLIED)
    else:
        pool = PATCHES if json_patch else APPLIED
        text = r.choice(pool[:7] if r.random() < 0.4 else pool)
    if r.random() < 0.001:
        json_patch, text = True, LONG
    made = {"patchType": "JSONPatch" if json_patch else "ApplyConfiguration"}
    made["jsonPatch" if json_patch else "applyConfiguration"] = {"expression": text}
    if r.random() < 0.005:
        made.pop(r.choice(list(made)))
    return made


def policy(r, name, target):
    made = plain.policy(r, name, target)
    spec = made["spec"]
    for field in ("validations", "auditAnnotations"):
        spec.pop(field, None)
    if r.random() < 0.6:
        spec.pop("matchConditions", None)
    if r.random() < 0.7:
        spec["matchConstraints"] = {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                                                       "resources": ["*/*"]}]}
    spec["mutations"] = [mutation(r, "paramKind" in spec, "variables" in spec) for _ in range(r.choice([1, 1, 1, 2, 3]))]
    spec["reinvocationPolicy"] = r.choice(["Never", "IfNeeded", "IfNeeded"])
    if r.random() < 0.3:
        spec["failurePolicy"] = "Ignore"
    version = r.choice(["v1", "v1", "v1", "v1beta1", "v1alpha1"])
    return {"apiVersion": GROUP + "/" + version, "kind": "MutatingAdmissionPolicy", "metadata": {"name": name},
            "spec": spec}


def binding(r, name, policies, target):
    spec = plain.binding(r, name, policies, target)["spec"]
    spec.pop("validationActions", None)
    if r.random() < 0.6:
        spec.pop("matchResources", None)
    if "paramRef" in spec and r.random() < 0.5:
        spec["paramRef"] = {"selector": {}, "namespace": "default", "parameterNotFoundAction": "Allow"}
    version = r.choice(["v1", "v1", "v1beta1", "v1alpha1"])
    return {"apiVersion": GROUP + "/" + version, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": spec}


def spec_of(r, kind):
    containers = [{"name": n, "image": "i:1"} for n in r.choice([["c"], ["c", "d"], ["d", "c"]])]
    if r.random() < 0.3:
        containers[0]["resources"] = {"limits": {"cpu": r.choice(["1", "1000m", 2])}}
    if kind == "Deployment":
        return {"replicas": r.choice([0, 3, 7]), "selector": {"matchLabels": {"a": "b"}},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}
    if kind in ("StatefulSet", "DaemonSet"):
        return {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    if kind == "Job":
        return {"template": template}
    if kind == "CronJob":
        return {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}
    if kind == "Ingress":
        return {"rules": [{"host": "a"}]}
    if kind == "PersistentVolumeClaim":
        return {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}
    if kind == "Lease":
        return {"holderIdentity": "h", "renewTime": "2024-01-01T00:00:00.123456Z"}
    if kind == "Pod":
        if r.random() < 0.3:
            containers[0]["ports"] = r.choice([[{"containerPort": 80}], [{"containerPort": 80, "protocol": "UDP"},
                                                                         {"containerPort": 80, "name": "x"}]])
        if r.random() < 0.3:
            containers[0]["env"] = r.choice([[{"name": "A"}], [{"name": "B", "value": "b"}, {"name": "A"}],
                                             [{"name": "A"}, {"name": "A", "value": "2"}]])
        return {"containers": containers}
    if kind == "Service":
        return {"selector": {"a": "b"}, "ports": [{"port": 80}]}
    if kind == "HorizontalPodAutoscaler":
        return {"maxReplicas": r.choice([3, 5]), "scaleTargetRef": {"kind": "Deployment", "name": "d"}}
    if kind == "Scale":
        return {"replicas": r.choice([1, 3])}
    if kind in ("Widget", "Gadget"):
        all_fields = {"replicas": r.choice([0, 3, 7]), "text": "a,b", "list": r.choice([[], [1, 2]]),
                      "names": r.choice([["a"], ["a", "b"], ["b", "a"]]),
                      "items": r.choice([[], [{"name": "n", "value": "v"}], [{"name": "m"}, {"name": "n"}]]),
                      "whole": {"a": "1", "b": "2"}, "free": {"x": "y"}, "size": r.choice([1, "1Gi"])}
        return {f: v for f, v in all_fields.items() if r.random() < 0.6}
    return None


def tidy(r, obj, namespace):
    """An object that fits its schema, or one of random_reviews, which rarely does. If an object has several
    fields that the schema lacks, Kubernetes names a random one."""
    if obj is None or "kind" not in obj:
        return obj
    if r.random() < 0.12:
        if isinstance(obj.get("spec"), dict):
            key = r.choice(list(obj["spec"]))
            obj["spec"] = {key: obj["spec"][key]}
            if isinstance(obj.get("metadata"), dict):
                obj["metadata"].pop("labels", None)
        return obj
    kind = obj["kind"]
    meta = obj.get("metadata")
    if not isinstance(meta, dict):
        meta = {}
    meta = {k: v for k, v in meta.items() if k in ("name", "namespace", "generateName")}
    labels = r.choice(plain.LABELS[:6])
    if labels is not None:
        meta["labels"] = dict(labels)
    if r.random() < 0.3:
        meta["annotations"] = {"n": r.choice(["0", "4"])}
    made = {"apiVersion": obj["apiVersion"], "kind": kind, "metadata": meta}
    if kind.endswith("Options"):
        return {k: v for k, v in obj.items() if k in ("apiVersion", "kind", "stdin", "container", "command", "path")
                and (k != "path" or "Proxy" in kind) and (k == "path" or "Exec" in kind or k in ("apiVersion", "kind"))}
    spec = spec_of(r, kind)
    if spec is not None:
        made["spec"] = spec
    if kind == "ConfigMap" and r.random() < 0.7:
        made["data"] = {"k": "old"}
    if kind == "Secret":
        made["data"] = {"k": "b2xk"}
    if kind == "ServiceAccount":
        made["secrets"] = r.choice([[], [{"name": "t"}]])
    if kind == "Role":
        made["rules"] = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
    if kind == "EndpointSlice":
        made.update({"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}]})
    if kind == "Event":
        made.update({"reason": "r", "type": "Normal"})
        if made["apiVersion"] == "v1":
            made["involvedObject"] = {"name": "o"}
    if kind == "Binding":
        made["target"] = {"name": "n"}
    return made


def gvr(t):
    return {"resource": {"group": t[0], "version": t[1], "resource": t[2]},
            "kind": {"group": t[0], "version": t[1], "kind": t[3]}}


def case(r, number, before):
    """`before`: kept from the last case, policies included, because Kubernetes compiles them slowly."""
    typed = r.random() < 0.4
    target = r.choice(BUILTIN if typed or r.random() < 0.5 else CUSTOM)
    if r.random() < 0.02 and not typed:
        target = r.choice(plain.RARE)
    again = bool(before) and r.random() < 0.7
    if again:
        target = before["target"]
        typed = typed and target in BUILTIN
    asked = None
    if r.random() < 0.15:
        target, asked = plain.subresource_request(r)
        typed = typed and target[0] != "example.com"
    asked = asked or plain.request(r, target)
    if asked["namespace"] in ("gone", "") and target[4] and r.random() < 0.7:
        asked["namespace"] = "default"
    if target[2] == "namespaces" and r.random() < 0.8:
        asked["name"] = asked["namespace"] = "a"
    if r.random() < 0.7 and asked["operation"] in ("DELETE", "CONNECT") and "subResource" not in asked:
        asked["operation"] = "CREATE"
        asked.pop("oldObject", None)
        asked.pop("options", None)
        asked["object"] = plain.thing(r, target, asked["name"] or "a", asked["namespace"])
    for field in ("object", "oldObject"):
        if field in asked:
            asked[field] = tidy(r, asked[field], asked["namespace"])
    if again:
        policies, bindings = copy.deepcopy(before["policies"]), copy.deepcopy(before["bindings"])
        return cluster(r, number, typed, target, asked, policies, bindings, again)
    names = r.sample(["mut-a", "mut-b", "mut-c", "m", "Z"], r.choice([1, 2, 2, 3, 4]))
    policies = [policy(r, n, target) for n in names]
    bindings = [binding(r, "bind-%s" % n, names, target) for n in r.sample(["1", "2", "3", "4", "x"], r.choice([1, 2, 3, 4]))]
    if r.random() < 0.4:
        names = r.sample(["pol-a", "pol-b", "m"], r.choice([1, 2]))
        policies += [plain.policy(r, n, target) for n in names]
        bindings += [plain.binding(r, "v-%d" % i, names, target) for i in range(2)]
    out = cluster(r, number, typed, target, asked, policies, bindings, again)
    before.update({"target": target, "policies": out["policies"], "bindings": out["bindings"]})
    return out


def cluster(r, number, typed, target, asked, policies, bindings, again):
    out = {"id": number, "mode": "review", "policies": policies, "bindings": bindings,
           "namespaces": [{"metadata": {"name": "default", "labels": {"env": "prod",
                                                                      "kubernetes.io/metadata.name": "default"}}},
                          {"kind": "Namespace", "metadata": {"name": "other", "annotations": {"x": "y"},
                                                             "creationTimestamp": "2020-01-01T00:00:00Z"},
                           "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}},
                          {"metadata": {"name": "a"}}],
           "params": plain.params(r), "request": asked}
    if typed:
        out["typed"] = True
        for p in out["params"]:
            p["data"] = {k: str(v) for k, v in p["data"].items()}
    if r.random() < 0.85:
        out["crds"] = copy.deepcopy(r.choice([[WIDGETS, GADGETS], [WIDGETS, GADGETS], [WIDGETS]]))
        if r.random() < 0.05:
            out["crds"][0]["spec"]["versions"][-1]["served"] = False
    if r.random() < 0.4:
        out["equivalents"] = [[gvr(WIDGET1), gvr(WIDGET2)], [gvr(SCALER1), gvr(SCALER2)], [gvr(EVENT1), gvr(EVENT2)],
                              [gvr(DEPLOYMENT), gvr(plain.RESOURCES[7])] if not typed else [gvr(DEPLOYMENT)]]
        for p in [] if again else policies:
            if r.random() < 0.6 and p["kind"].startswith("Mutating"):
                other = r.choice([e["resource"] for g in out["equivalents"] for e in g if e["resource"]["resource"]
                                  == target[2]] or [gvr(target)["resource"]])
                p["spec"]["matchConstraints"] = {"matchPolicy": "Equivalent", "resourceRules": [
                    {"apiGroups": [other["group"]], "apiVersions": [other["version"]], "operations": ["*"],
                     "resources": ["*/*"]}]}
    if r.random() < 0.1:
        out["paramScope"] = "Cluster"
    if r.random() < 0.15:
        out["paramKinds"] = [{"apiVersion": "v1", "kind": "ConfigMap", "resource": "configmaps", "namespaced": True},
                             {"apiVersion": "example.com/v1", "kind": "Limit", "resource": "limits",
                              "namespaced": r.random() < 0.5}]
    if r.random() < 0.5:
        out["authz"] = [{"verb": r.choice(["get", "*", "update"]), "decision": r.choice(["allow", "deny", "none"]),
                         "reason": r.choice(["", "because"])}]
    return out


# Up to the end of the text in JSON.
UNDECLARED = re.compile(r'((?:patch|original) object to typed object: )(?=(?:[^"\\]|\\.)*not declared)(?:[^"\\]|\\.)*')


def is_accident(w, g):
    return UNDECLARED.sub(r"\1", w) == UNDECLARED.sub(r"\1", g)


def compare(requests, want, got):
    kinds = collections.Counter()
    for line, w, g in zip(*(open(name, encoding="utf-8") for name in (requests, want, got))):
        answer = json.loads(w)
        kind = next((k for k in ("panic", "inputError") if k in answer), None) or (
            "admitted" if answer["allowed"] else "refused")
        kinds["requests"] += 1
        kinds[kind] += 1
        if w == g or kind == "panic" or kind == "inputError" and "inputError" in json.loads(g):
            continue
        if is_accident(w, g):
            kinds["accident"] += 1
            continue
        if error := oracle_errors.name_of(line, g):
            kinds[error] += 1
            continue
        request = json.loads(line)
        kinds["differ"] += 1
        print(f"id {request['id']}, {json.dumps(request['request']['kind'])}\n   want {w[:3000]}   got  {g[:3000]}")
    print(", ".join(f"{n} {kind}" for kind, n in kinds.items()))
    sys.exit(1 if kinds["differ"] else 0)


def main():
    if sys.argv[1:2] == ["--compare"]:
        return compare(*sys.argv[2:5])
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    before = {}
    for i in range(count):
        made = case(r, i, before)
        if r.random() < 0.06:
            plain.shaken(r, made)
        print(dump(made))


if __name__ == "__main__":
    main()
