#!/usr/bin/env python3
"""Every member of objects that configure admission, set to values of every type and to words that mean something elsewhere,
and left out: one JSON line each.

Usage: every_member.py policies|answers|definitions|objects > requests.jsonl
       every_member.py roles PROGRAM STRATEGIES [COUNT] [SEED]       compares what `eval --rbac` says of roles and their bindings
`policies` are requests of mode `validate` (policies, bindings, webhook configurations in every version), `answers` of mode
`admit` with what a webhook answers: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got.
`definitions` and `objects` (created and updated) are lines of tests/oracle/customresource: see custom_resources.py, whose
--compare-definitions and --compare read the answers. STRATEGIES is the program of tests/oracle/strategies.
"""
import collections
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from every_field import JSON_VALUES

WORDS = ["<&>", "\u2028", "A", "a.b", "a/b", "*", "*/*", "é", "a" * 300, "x y", "\n", ".", "..", "v1", "v1beta1", "$UID", "false",
         "https://x/y", "W10=", "!!", "Fail", "Deny", "JSONPatch", "admission.k8s.io/v1", "object", "array", "string", "integer",
         "number", "boolean", "null", "set", "map", "atomic", "granular", "Namespaced", "Cluster", "None", "Webhook", ".spec.a",
         ".status.x", "self.a", "true", "size(self) > 1", "date", "int-or-string", "^(", "[a", "FieldValueInvalid", "User",
         "ServiceAccount", "ClusterRole", "rbac.authorization.k8s.io", 0, 2, 9, 31, 400, 600, 65536, 2147483648, -5, 2.5, ["a", "a"], [""],
         ["*"], ["get", "*"], ["a/b"], ["<&>"], {"<&>": "<&>"}, {"A b": "c"}, {"a": {"type": "string"}}, [{"type": "object"}],
         [{"rule": "true"}], [{"k": "a"}, {"k": "a"}], ["x" * 5000], ["é" * 300, "\u0007"]]
VALUES = JSON_VALUES + WORDS
KEYWORDS = ["type", "format", "pattern", "minLength", "maximum", "enum", "default", "nullable", "items", "properties",
            "additionalProperties", "required", "oneOf", "not", "x-kubernetes-list-type", "x-kubernetes-map-type",
            "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields",
            "x-kubernetes-validations", "$ref", "id", "definitions", "dependencies", "patternProperties", "additionalItems",
            "uniqueItems", "maxItems", "minProperties"]
GROUP = "admissionregistration.k8s.io"
RULE = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"], "scope": "*"}
SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k", "operator": "In", "values": ["x"]}]}
MATCH = {"resourceRules": [{"resourceNames": ["a"], **RULE}], "excludeResourceRules": [{"resourceNames": ["a"], **RULE}],
         "namespaceSelector": SELECTOR, "objectSelector": SELECTOR, "matchPolicy": "Exact"}
PARTS = {"failurePolicy": "Fail", "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "matchConstraints": MATCH,
         "matchConditions": [{"name": "c", "expression": "true"}], "variables": [{"name": "v", "expression": "1"}]}
HOOK = {"name": "a.example.com", "clientConfig": {"service": {"namespace": "n", "name": "s", "path": "/p", "port": 8443}, "caBundle": "YWJj"},
        "rules": [RULE], "failurePolicy": "Fail", "matchPolicy": "Exact", "namespaceSelector": SELECTOR, "objectSelector": SELECTOR,
        "sideEffects": "None", "timeoutSeconds": 5, "admissionReviewVersions": ["v1"],
        "matchConditions": [{"name": "c", "expression": "true"}]}
POLICIES = {
    "ValidatingAdmissionPolicy": {"spec": {
        **PARTS, "validations": [{"expression": "true", "message": "m", "messageExpression": "'a'", "reason": "Invalid"}],
        "auditAnnotations": [{"key": "k", "valueExpression": "'a'"}]}},
    "MutatingAdmissionPolicy": {"spec": {
        **PARTS, "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}},
                      {"patchType": "JSONPatch", "jsonPatch": {"expression": "[]"}}]}},
    "ValidatingAdmissionPolicyBinding": {"spec": {
        "policyName": "p", "paramRef": {"name": "n", "namespace": "d", "parameterNotFoundAction": "Deny"},
        "matchResources": MATCH, "validationActions": ["Deny"]}},
    "MutatingAdmissionPolicyBinding": {"spec": {
        "policyName": "p", "paramRef": {"selector": SELECTOR, "parameterNotFoundAction": "Deny"}, "matchResources": MATCH}},
    "ValidatingWebhookConfiguration": {"webhooks": [HOOK]},
    "MutatingWebhookConfiguration": {"webhooks": [{**HOOK, "reinvocationPolicy": "Never"}]},
}
ANSWER = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "a"}, "response": {
    "uid": "$UID", "allowed": True, "patch": "W3sib3AiOiJyZXBsYWNlIiwicGF0aCI6Ii9zcGVjL3JlcGxpY2FzIiwidmFsdWUiOjN9XQ==",
    "patchType": "JSONPatch", "auditAnnotations": {"limit": "2"}, "warnings": ["w"], "status": {
        "metadata": {"resourceVersion": "1", "continue": "c"}, "status": "Failure", "message": "m", "reason": "Forbidden", "code": 403,
        "details": {"name": "n", "group": "g", "kind": "k", "uid": "u", "retryAfterSeconds": 3,
                    "causes": [{"reason": "r", "message": "m", "field": "f"}]}}}}
SCHEMA = {"type": "object", "description": "d", "properties": {"spec": {
    "type": "object", "required": ["a"], "minProperties": 1, "maxProperties": 9, "properties": {
        "a": {"type": "string", "format": "date", "pattern": "^2", "minLength": 1, "maxLength": 10, "enum": ["2024-01-01", "b"],
              "default": "2024-01-01", "example": "x", "title": "t", "externalDocs": {"url": "u", "description": "d"}},
        "n": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 9, "exclusiveMaximum": True, "multipleOf": 2},
        "l": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], "maxItems": 5,
              "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}, "required": ["k"]}},
        "m": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "granular"},
        "e": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        "i": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        "o": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}}, "not": {"required": ["z"]},
              "oneOf": [{"required": ["x"]}, {"required": ["y"]}], "allOf": [{"properties": {"x": {"minLength": 1}}}]}},
    "x-kubernetes-validations": [{"rule": "self.a == self.a", "message": "m", "messageExpression": "'x'",
                                  "reason": "FieldValueInvalid", "fieldPath": ".a"}]},
    "status": {"type": "object", "properties": {"r": {"type": "integer"}, "s": {"type": "string"}}}}}
DEFINITION = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "ws.a.io"}, "spec": {
    "group": "a.io", "scope": "Namespaced", "preserveUnknownFields": False,
    "names": {"plural": "ws", "singular": "w", "kind": "W", "listKind": "WList", "shortNames": ["x"], "categories": ["all"]},
    "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {
        "service": {"namespace": "n", "name": "s", "path": "/p", "port": 443}, "caBundle": "YWJj"}}},
    "versions": [{"name": "v1", "served": True, "storage": True, "deprecated": False, "schema": {"openAPIV3Schema": SCHEMA},
                  "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.r",
                                                           "labelSelectorPath": ".status.s"}},
                  "additionalPrinterColumns": [{"name": "c", "type": "string", "jsonPath": ".spec.a", "format": "date",
                                                "description": "d", "priority": 1}],
                  "selectableFields": [{"jsonPath": ".spec.a"}]},
                 {"name": "v2", "served": True, "storage": False, "deprecated": True, "deprecationWarning": "w", "schema": {
                     "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
RESOURCE = {"apiVersion": "a.io/v1", "kind": "W", "metadata": {"name": "x", "namespace": "d", "labels": {"a": "b"}}, "spec": {
    "a": "2024-01-01", "n": 2, "l": [{"k": "x", "v": 1}, {"k": "y"}], "m": {"p": "q"}, "i": "x", "o": {"x": "1"},
    "e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "spec": {"z": 1}}},
    "status": {"r": 1, "s": "t"}}
RBAC = "rbac.authorization.k8s.io"
RULES = [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["x"]}, {"verbs": ["get"], "nonResourceURLs": ["/x"]}]
SUBJECTS = [{"kind": "User", "name": "u", "apiGroup": RBAC}, {"kind": "ServiceAccount", "name": "s", "namespace": "d"}]
ROLES = [
    {"kind": "Role", "metadata": {"namespace": "d"}, "rules": RULES[:1]},
    {"kind": "ClusterRole", "metadata": {}, "rules": RULES, "aggregationRule": {"clusterRoleSelectors": [SELECTOR]}},
    {"kind": "RoleBinding", "metadata": {"namespace": "d"}, "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": "r"}, "subjects": SUBJECTS},
    {"kind": "ClusterRoleBinding", "metadata": {}, "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "r"}, "subjects": SUBJECTS}]


def paths(node, path=()):
    for key, below in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield path + (key,)
        yield from paths(below, path + (key,))


def changed(base, path, change):
    """A copy of the base in which `change` has been called with what has the member, and the member."""
    made = copy.deepcopy(base)
    at = made
    for key in path[:-1]:
        at = at[key]
    change(at, path[-1])
    return made


def variants(base, but=()):
    """The base, and with each of its members every value in its place, or nothing."""
    yield base
    for path in paths(base):
        if path[0] in but:
            continue
        for value in VALUES:
            yield changed(base, path, lambda at, key: at.__setitem__(key, value))
        yield changed(base, path, lambda at, key: at.pop(key))


def policies():
    for kind, base in POLICIES.items():
        for version in ("v1", "v1beta1", "v1alpha1"):
            whole = {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": {"name": "p"}, **base}
            for made in variants(whole, ("apiVersion", "kind")):
                yield {"mode": "validate", "object": made}


def answers():
    for kind in ("Mutating", "Validating"):
        for allowed in (True, False):
            base = copy.deepcopy(ANSWER)
            base["response"]["allowed"] = allowed
            if kind == "Validating":
                del base["response"]["patch"], base["response"]["patchType"]
            hook = {"name": "a.example.com", "clientConfig": {"url": "https://example.com/"}, "sideEffects": "None",
                    "admissionReviewVersions": ["v1", "v1beta1"], "failurePolicy": "Fail", "rules": [RULE]}
            for body in variants(base):
                yield {"mode": "admit", "responses": {"a.example.com": {"body": body}},
                       "webhookConfigurations": [{"apiVersion": GROUP + "/v1", "kind": kind + "WebhookConfiguration",
                                                  "metadata": {"name": "m"}, "webhooks": [hook]}],
                       "namespaces": [{"metadata": {"name": "default"}}],
                       "request": {"operation": "CREATE", "name": "d", "namespace": "default",
                                   "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
                                   "resource": {"group": "apps", "version": "v1", "resource": "deployments"},
                                   "object": {"apiVersion": "apps/v1", "kind": "Deployment",
                                              "metadata": {"name": "d", "namespace": "default"}, "spec": {"replicas": 7}},
                                   "userInfo": {"username": "eve"}}}


def definitions():
    for made in variants(DEFINITION, ("apiVersion", "kind")):
        yield {"crd": made, "object": RESOURCE}
    for path in paths(DEFINITION):
        at = DEFINITION
        for key in path:
            at = at[key]
        if "openAPIV3Schema" not in path or not isinstance(at, dict) or not {"type", "x-kubernetes-int-or-string"} & set(at):
            continue
        for keyword in [k for k in KEYWORDS if k not in at]:
            for value in VALUES:
                yield {"crd": changed(DEFINITION, path + (keyword,), lambda at, key: at.__setitem__(key, value)), "object": RESOURCE}


def objects():
    for made in variants(RESOURCE, ("apiVersion", "kind")):
        yield {"crd": DEFINITION, "object": made}
        yield {"crd": DEFINITION, "object": made, "old": RESOURCE}
        yield {"crd": DEFINITION, "object": made, "old": RESOURCE, "status": True}
        if made.get("metadata") == RESOURCE["metadata"]:
            yield {"crd": DEFINITION, "object": RESOURCE, "old": made}


def roles():
    for base in ROLES:
        yield from variants({"apiVersion": RBAC + "/v1", **base}, ("apiVersion", "kind"))


def said(program, few):
    """What the program says of some objects, by their number, without what it says of unknown fields."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rbac.json"
        file.write_text("".join(json.dumps(o) + "\n" for o in few), encoding="utf-8")
        asks = "authorizer.group('').resource('pods').check('get').allowed()"
        done = subprocess.run([program, "eval", "--rbac", file, "--as", "eve", asks], capture_output=True, text=True, check=False)
    out = [set() for _ in few]
    for line, text in re.findall(r"rbac\.json:(\d+):\d+: (?:warning|error): (.*)$", done.stderr, re.M):
        if not text.startswith("unknown field"):
            out[int(line) - 1].add(re.sub(r"^the API server refuses it: |; so this .*$", "", text))
    return out


def compare_roles(program, strategies, count=None, seed=1):
    made = list(roles())
    if count is not None:
        made = random.Random(seed).sample(made, min(count, len(made)))
    for number, o in enumerate(made):
        if isinstance(o.get("metadata"), dict):
            o["metadata"].setdefault("name", f"n{number}")
    lines = "".join(json.dumps({"id": i, "object": o}) + "\n" for i, o in enumerate(made))
    want = subprocess.run([strategies], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    tally = collections.Counter()
    for at in range(0, len(made), 3):  # the program tells 20 remarks
        for o, w, got in zip(made[at:at + 3], want[at:at + 3], said(program, made[at:at + 3])):
            w = json.loads(w)
            expected = {w["decodeError"]} if "decodeError" in w else set(w["causes"])
            expected = {re.sub(r".*(json: )", r"\1", e) for e in expected}
            tally["same" if expected == got else "differ"] += 1
            if expected != got:
                print(json.dumps(o)[:600], "\nWANT", sorted(expected), "\nGOT ", sorted(got), "\n")
    print(f"{len(made)} objects, {tally['differ']} differ")
    return 1 if tally["differ"] else 0


def main():
    if sys.argv[1] == "roles":
        sys.exit(compare_roles(*sys.argv[2:4], *map(int, sys.argv[4:6])))
    made = {"policies": policies, "answers": answers, "definitions": definitions, "objects": objects}[sys.argv[1]]
    for number, request in enumerate(made()):
        print(json.dumps({"id": number, **request}))


if __name__ == "__main__":
    main()
