#!/usr/bin/env python3
"""Random mutations of policies, bindings and webhook configurations as `validate`
requests, one JSON line each.

Usage: mutate_policies.py [COUNT] [SEED] [REVIEWS] > requests.jsonl

REVIEWS is a file of `review` requests; their policies and bindings are mutated half of the time.
Deterministic by seed. Mutations drop, duplicate, retype, misspell and overlengthen fields, and insert bad
enums, selectors, names and expressions. Some requests are updates, whose oldObject is another mutation.
Labels and annotations get at most one bad entry, because Kubernetes walks them in random order.
"""
import copy
import json
import random
import re
import sys

GROUP = "admissionregistration.k8s.io"
MATCH = {
    "namespaceSelector": {"matchLabels": {"env": "prod"}},
    "objectSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "api"]}]},
    "resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
                       "resources": ["deployments", "deployments/scale"], "resourceNames": ["a", "b"],
                       "scope": "Namespaced"}],
    "excludeResourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                              "resources": ["*/*"]}],
    "matchPolicy": "Exact",
}
META = {"name": "some-policy", "labels": {"a": "b"}, "annotations": {"x/y": "z"},
        "finalizers": ["example.com/f"],
        "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u",
                             "controller": True}],
                                 "managedFields": [{"manager": "kubectl", "operation": "Update",
                                     "apiVersion": GROUP + "/v1", "time": "2024-05-06T07:08:09Z",
                                     "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}], "generation": 3,
                                         "resourceVersion": "12", "uid": "abc",
                                         "creationTimestamp": "2024-01-02T03:04:05Z"}
POLICY = {
    "apiVersion": GROUP + "/v1", "kind": "ValidatingAdmissionPolicy", "metadata": META,
    "spec": {
        "failurePolicy": "Fail", "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConstraints": MATCH,
        "matchConditions": [{"name": "not-system", "expression": "request.userInfo.username != 'system'"},
                            {"name": "example.com/two",
                             "expression": "  !object.metadata.name.startsWith('x') "}],
        "variables": [{"name": "replicas", "expression": "object.spec.replicas"},
                      {"name": "twice", "expression": "variables.replicas * 2"}],
        "validations": [{"expression": "variables.twice < 10", "message": "too many", "reason": "Invalid"},
                        {"expression": "object.metadata.name != ''",
                         "messageExpression": "'name: ' + string(params.data.x)"}],
        "auditAnnotations": [{"key": "replicas", "valueExpression": "string(variables.replicas)"},
                             {"key": "none", "valueExpression": "null"}],
    },
    "status": {"observedGeneration": 2,
               "conditions": [{"type": "T", "status": "True", "reason": "R", "message": "",
                                                         "lastTransitionTime": "2024-01-02T03:04:05Z"}]},
}
BINDING = {
    "apiVersion": GROUP + "/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": META,
    "spec": {"policyName": "some-policy", "validationActions": ["Deny", "Audit"], "matchResources": MATCH,
             "paramRef": {"name": "p", "namespace": "default", "parameterNotFoundAction": "Deny"}},
}
MUTATING = {
    "apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicy", "metadata": META,
    "spec": {"failurePolicy": "Ignore", "matchConstraints": MATCH, "reinvocationPolicy": "IfNeeded",
             "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
             "variables": [{"name": "n", "expression": "object.metadata.name"}],
             "matchConditions": [{"name": "c", "expression": "true"}],
             "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
                 "expression": "Object{spec: Object.spec{replicas: 3}}"}},
                 {"patchType": "JSONPatch", "jsonPatch": {"expression":
                     "[JSONPatch{op: 'add', path: '/metadata/labels/x', value: variables.n}]"}}]},
}
MUTATING_BINDING = {
    "apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": META,
    "spec": {"policyName": "some-policy", "matchResources": MATCH, "paramRef": {
        "selector": {"matchLabels": {"a": "b"}}, "parameterNotFoundAction": "Allow"}},
}


def webhook(name):
    return {"name": name,
            "clientConfig": {"service": {"namespace": "n", "name": "s", "path": "/validate/x", "port": 8443}},
            "rules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"],
                       "resources": ["deployments"], "scope": "*"}], "failurePolicy": "Fail",
                           "matchPolicy": "Exact", "sideEffects": "None", "timeoutSeconds": 5,
                           "admissionReviewVersions": ["v1"], "namespaceSelector": MATCH["namespaceSelector"],
                           "objectSelector": MATCH["objectSelector"],
                           "matchConditions": [{"name": "c", "expression": "object.metadata.name == 'a'"}]}


VALIDATING_HOOKS = {"apiVersion": GROUP + "/v1", "kind": "ValidatingWebhookConfiguration", "metadata": META,
                    "webhooks": [
                        webhook("a.example.com"),
                        dict(webhook("b.example.com"),
                             clientConfig={"url": "https://example.com/x", "caBundle": "YWJj"})]}
MUTATING_HOOKS = {"apiVersion": GROUP + "/v1", "kind": "MutatingWebhookConfiguration", "metadata": META,
                  "webhooks": [dict(webhook("a.example.com"), reinvocationPolicy="IfNeeded")]}
SEEDS = [POLICY] * 6 + [BINDING] * 4 + [MUTATING] * 2 + [MUTATING_BINDING, VALIDATING_HOOKS, MUTATING_HOOKS]

TEXTS = ["", " ", "x", "*", "*/*", "a/b", "A B", "a/*", "*/b", "pods", "Fail", "Ignore", "Exact", "Deny",
         "Warn", "Audit", "Allow", "In", "NotIn", "Exists", "DoesNotExist", "CREATE", "DELETE", "CONNECT",
         "Namespaced", "Cluster", "Forbidden", "Unauthorized", "RequestEntityTooLarge", "None", "Some",
         "Unknown", "IfNeeded", "Never", "JSONPatch", "ApplyConfiguration", "v1", "v1beta1", "apps/v1",
         "a/b/c", "/", "/v1", "v1/", "Example.COM", "-a", "a-", "a..b", ".", "..", "a%b", "x" * 64, "x" * 254,
         "a\nb", "é",
         "name_1", "1name", "true", "in", "namespace", "a.static.k8s.io", "<&>", "https://example.com/",
         "http://u:p@example.com/?q#f", "https://", "::", "/a//b", "/A", "//", "tokenreviews",
         "authentication.k8s.io", "2024-01-01T00:00:00Z", "\u2028", "\u0001"]
EXPRESSIONS = ["", " ", "true", "1", "'text'", "null", "object", "object.x", "object.spec.replicas > 1",
               "params.x == 1", "variables.nope", "variables.replicas == 1", "variables",
               "authorizer.group('').resource('pods').check('get').allowed()",
               "authorizer.requestResource.check('x').allowed()", "request.name == 'a'", "request.uid == ''",
               "request.object == null", "namespaceObject.metadata.name == 'x'",
               "namespaceObject.spec.x == 1", "has(object.a)", "has(a)", "1 +", "(", "[1, 'a'] == []",
               "{'a': 1, 2: 3}", "'a' + 1 == ''", "foo(1)", "string(object.x)",
               "duration('x') == duration('1h')", "timestamp('x') < timestamp('y')", "object.x.matches('(')",
               "ip('1.2.3.4').family() == 4", "quantity('1Gi').isGreaterThan(quantity('1'))",
               "\n object.x ==\n 'é' && foo", "object.all(x, x)", "object.?a.orValue(true)", "optional.of(1)",
               "semver('1.0.0') == semver('1')", "[1, 2].sum() == 3 && [3, 1].sort() == [1, 3]",
               "'%d'.format([1]) == '1'", "cel.bind(x, 1, x == 1)", "a.b.c", "namespace", "__x__", "\t1",
               "true // c", "Object{}", "Object{spec: Object.spec{}}",
               "[JSONPatch{op: 'add', path: '/x', value: 1}]", "[]", "JSONPatch{}",
               "jsonpatch.escapeKey('a/b')", "object.`a-b` == 1", "type(object) == map", "dyn(1) == dyn('a')",
               "'" + "x" * 5200 + "' == ''", "x" * 20]
VALUES = [None, True, False, 0, 1, -1, 1.5, 1e3, 31, 70000, 2 ** 40, 10 ** 25, [], {}, [None], ["a", "a"],
          ["*", "a"], [1], {"a": 1}, {"a": None}, "x"]


def paths(node, at=()):
    yield at
    if isinstance(node, dict):
        for k in node:
            yield from paths(node[k], at + (k,))
    elif isinstance(node, list):
        for i in range(len(node)):
            yield from paths(node[i], at + (i,))


def get(node, path):
    for p in path:
        node = node[p]
    return node


class Pairs:
    """An object as JSON with repeated keys."""

    def __init__(self, items):
        self.items = items


def dump(node):
    if isinstance(node, Pairs):
        return "{" + ",".join(json.dumps(k) + ":" + dump(v) for k, v in node.items) + "}"
    if isinstance(node, dict):
        return dump(Pairs(list(node.items())))
    if isinstance(node, list):
        return "[" + ",".join(dump(v) for v in node) + "]"
    return json.dumps(node, ensure_ascii=False)


def is_map(path):
    return path and path[-1] in ("labels", "annotations", "matchLabels", "fieldsV1", "f:spec")


TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9.]+|'[^']*'|\s+|&&|\|\||[=!<>]=|.", re.S)
TOKENS = ["(", ")", "[", "]", "{", "}", ".", ",", ":", "?", "!", "-", "+", "&&", "||", "==", "in", "true",
          "null", "1", "1.5", "2u", "'x'", "'", "\"", "\\",
          "x", "object", ".?", "[?", "@", "#", "é", "`a`", "\n", "\t", "0x", "1e", "9223372036854775808",
          "b'a'", "r'a'", "'''", "namespace", "for", "//"]


def garble(r, text):
    """Drops, doubles, swaps or inserts tokens of an expression, or characters of a token."""
    tokens = TOKEN.findall(text)
    for _ in range(r.choice([1, 1, 2])):
        at = r.randrange(len(tokens) + 1)
        what = r.random()
        if what < 0.35 and at < len(tokens):
            del tokens[at]
        elif what < 0.65:
            tokens.insert(at, r.choice(TOKENS))
        elif what < 0.75 and at + 1 < len(tokens):
            tokens[at], tokens[at + 1] = tokens[at + 1], tokens[at]
        elif what < 0.9 and at < len(tokens) and len(tokens[at]) > 1:
            i = r.randrange(len(tokens[at]))
            tokens[at] = tokens[at][:i] + tokens[at][i + 1:]
        elif at < len(tokens):
            tokens[at] = r.choice(tokens)
    return "".join(tokens)


def new_text(r, path, old):
    key = str(path[-1]) if path else ""
    if key in ("expression", "messageExpression", "valueExpression"):
        return r.choice(EXPRESSIONS) if r.random() < 0.5 else garble(r, old)
    return r.choice(TEXTS)


def mutate(r, root):
    where = list(paths(root))
    for _ in range(20):
        path = r.choice(where)
        if not path:
            continue
        if r.random() < 0.9 and path[0] in ("metadata", "status", "apiVersion", "kind") and r.random() < 0.7:
            continue
        break
    parent, key = get(root, path[:-1]), path[-1]
    if isinstance(parent, Pairs):
        return
    node = parent[key]
    what = r.random()
    if what < 0.12:
        del parent[key]
    elif what < 0.45 and isinstance(node, str):
        parent[key] = new_text(r, path, node)
    elif what < 0.55:
        parent[key] = copy.deepcopy(r.choice(VALUES))
    elif what < 0.65 and isinstance(node, list):
        if node:
            node.append(copy.deepcopy(r.choice(node)))
        else:
            node.append(r.choice(["x", {}]))
    elif what < 0.72 and isinstance(node, list) and node and isinstance(node[0], str):
        node.insert(r.randrange(len(node) + 1), r.choice(TEXTS))
    elif what < 0.80 and isinstance(node, dict) and not is_map(path):
        node[r.choice(["x", "Name", "spec", "expression", "extra", "nul\u0000l"])] = r.choice([1, "a", {},
            None])
    elif what < 0.86 and isinstance(node, dict) and node and not is_map(path):
        k = r.choice(list(node))
        items = list(node.items())
        items.insert(r.randrange(len(items) + 1), (k, copy.deepcopy(r.choice([node[k], node[k], "x", {}]))))
        parent[key] = Pairs(items)
    elif what < 0.9 and isinstance(node, dict) and is_map(path):
        parent[key] = {r.choice(TEXTS + ["a"]): r.choice(["a", "b c", "x" * 70, ""])}
    elif what < 0.93 and isinstance(node, list) and node:
        for i in range(r.choice([21, 65])):
            extra = copy.deepcopy(node[0])
            if isinstance(extra, dict):
                for k in ("name", "key"):
                    if k in extra:
                        extra[k] = "k%d" % i
            node.append(extra)
    elif isinstance(node, dict) and "selector" in str(key).lower():
        parent[key] = r.choice([{},
                                {"matchExpressions": [{"key": "a", "operator": r.choice(TEXTS),
                                    "values": ["x", "y z"]}]},
                                        {"matchExpressions": [{"key": "a", "operator": "In"}]},
                                        {"matchExpressions": [{}]}, {"matchLabels": {"-": "x"}}, None])
    elif isinstance(node, str):
        parent[key] = new_text(r, path, node)


def mutated(r, seed):
    obj = copy.deepcopy(seed)
    if seed in SEEDS and r.random() < 0.6:
        obj["metadata"] = {"name": "some-policy"}
    if "status" in obj and r.random() < 0.8:
        del obj["status"]
    if r.random() < 0.25:
        obj["apiVersion"] = GROUP + "/" + r.choice(["v1beta1", "v1alpha1"])
    for _ in range(r.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        try:
            mutate(r, obj)
        except (TypeError, KeyError, IndexError, AttributeError):
            pass
    return obj


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    others = []
    if len(sys.argv) > 3:
        for line in open(sys.argv[3], encoding="utf-8"):
            request = json.loads(line)
            others += [o for o in request["policies"] + request["bindings"] if o not in others[-4:]]
    for i in range(count):
        seed = r.choice(others) if others and r.random() < 0.5 else r.choice(SEEDS)
        parts = ['"id":%d' % i, '"mode":"validate"']
        obj = mutated(r, seed)
        parts.append('"object":' + dump(obj))
        if r.random() < 0.3:
            old = obj if r.random() < 0.3 else mutated(r, seed)
            if isinstance(old, dict) and not isinstance(obj, Pairs) and r.random() < 0.5:
                old = copy.deepcopy(obj)
                try:
                    mutate(r, old)
                except (TypeError, KeyError, IndexError, AttributeError):
                    pass
            parts.append('"oldObject":' + dump(old))
        print("{" + ",".join(parts) + "}")


if __name__ == "__main__":
    main()
