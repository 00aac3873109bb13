#!/usr/bin/env python3
"""Random `review` requests: policies, bindings, params, clusters and requests of every
sort, one JSON line each.

Usage: random_reviews.py [COUNT] [SEED] > requests.jsonl

Deterministic by seed. Requests avoid what Kubernetes does in random order: messages do not iterate over maps,
and no selector has two errors. One request in eight is mutated anywhere (fields dropped, doubled, retyped,
misspelt), so it may also be an input error.
"""
import copy
import random
import sys

from mutate_policies import dump, mutate

GROUP = "admissionregistration.k8s.io"
# group, version, resource, kind, namespaced
RESOURCES = [
    ("apps", "v1", "deployments", "Deployment", True), ("apps", "v1beta1", "deployments", "Deployment", True),
    ("", "v1", "pods", "Pod", True), ("", "v1", "namespaces", "Namespace", False),
    ("", "v1", "nodes", "Node", False), ("example.com", "v1", "widgets", "Widget", True),
    ("example.com", "v2", "widgets", "Widget", True), ("extensions", "v1beta1", "deployments", "Deployment",
        True), ("", "v1", "configmaps", "ConfigMap", True),
]
RARE = [("authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview", False),
        (GROUP, "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", False),
        (GROUP, "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", False),
        (GROUP, "v1beta1", "mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding", False),
        ("authentication.k8s.io", "v1", "tokenreviews", "TokenReview", False),
        ("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", False),
        ("authorization.k8s.io", "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview", True),
        ("", "v1", "bindings", "Binding", True), ("rbac.authorization.k8s.io", "v1", "clusterroles",
            "ClusterRole", False),
        ("other.io", "v1", "namespaces", "Namespace", True)]
# resource, subresource, operation, kind of the object
SUBRESOURCES = [
    (("", "v1", "pods", "Pod", True), "exec", "CONNECT", ("", "v1", "PodExecOptions")),
    (("", "v1", "pods", "Pod", True), "attach", "CONNECT", ("", "v1", "PodAttachOptions")),
    (("", "v1", "pods", "Pod", True), "portforward", "CONNECT", ("", "v1", "PodPortForwardOptions")),
    (("", "v1", "pods", "Pod", True), "proxy", "CONNECT", ("", "v1", "PodProxyOptions")),
    (("", "v1", "services", "Service", True), "proxy", "CONNECT", ("", "v1", "ServiceProxyOptions")),
    (("", "v1", "nodes", "Node", False), "proxy", "CONNECT", ("", "v1", "NodeProxyOptions")),
    (("", "v1", "pods", "Pod", True), "eviction", "CREATE", ("policy", "v1", "Eviction")),
    (("", "v1", "pods", "Pod", True), "binding", "CREATE", ("", "v1", "Binding")),
    (("", "v1", "pods", "Pod", True), "status", "UPDATE", ("", "v1", "Pod")),
    (("", "v1", "pods", "Pod", True), "ephemeralcontainers", "UPDATE", ("", "v1", "Pod")),
    (("", "v1", "pods", "Pod", True), "resize", "UPDATE", ("", "v1", "Pod")),
    (("", "v1", "serviceaccounts", "ServiceAccount", True), "token", "CREATE",
     ("authentication.k8s.io", "v1", "TokenRequest")),
    (("apps", "v1", "deployments", "Deployment", True), "scale", "UPDATE", ("autoscaling", "v1", "Scale")),
    (("example.com", "v1", "widgets", "Widget", True), "scale", "UPDATE", ("autoscaling", "v1", "Scale")),
    (("", "v1", "namespaces", "Namespace", False), "finalize", "UPDATE", ("", "v1", "Namespace")),
    (("", "v1", "namespaces", "Namespace", False), "status", "UPDATE", ("", "v1", "Namespace")),
]
LABELS = [None, {}, {"env": "prod"}, {"env": "dev", "app": "web"}, {"app": "web"}, {"env": ""}, {"tier": "1"},
          {"env": None, "tier": "1"}]
BOOLS = [
    "true", "false", "object.metadata.name == 'a'", "object != null", "oldObject == null",
    "object.spec.replicas <= 5", "has(object.spec) && has(object.spec.replicas)", "object.nope == 1",
    "request.operation == 'CREATE'", "request.name == 'a'", "request.subResource == 'scale'",
    "has(request.namespace)", "request.kind.version == 'v1'", "request.requestKind.version == 'v1'",
    "request.resource.version == request.requestResource.version", "request.dryRun == false",
    "request.userInfo.username == 'eve'", "'admins' in request.userInfo.groups",
    "request.userInfo.extra['k'][0] == 'v'", "request.options == null", "namespaceObject == null",
    "namespaceObject.metadata.name == 'default'", "namespaceObject.metadata.labels['env'] == 'prod'",
    "has(namespaceObject.metadata.labels)", "namespaceObject.metadata.UID == 'u'", "1/0 == 1",
    "[1,2,3].all(x, x < 3)", "object.metadata.labels.exists(k, k == 'env')",
    "object.spec.list.all(i, i > 0) || true", "dyn(object.spec.replicas) == '3'",
    "authorizer.group('apps').resource('deployments').check('get').allowed()",
    "authorizer.path('/healthz').check('get').allowed()",
    "authorizer.requestResource.check('update').allowed()",
    "authorizer.requestResource.check('x').reason() == 'because'",
    "authorizer.group('').resource('pods').namespace('default').check('create').errored()",
    "authorizer.serviceAccount('default','sa').group('').resource('pods').check('create').allowed()",
    "authorizer.group('').resource('pods').check('a').allowed() || authorizer.group('').resource('pods').check('b').allowed()",
    "[1,2,3].map(x, authorizer.group('g').resource('r').check('v').allowed()).exists(y, y)",
    "[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, [0,1,2,3,4,5,6,7,8,9].all(c, [0,1,2,3,4,5,6,7,8,9].all(d, a+b+c+d >= 0))))",
    "object.metadata.name.matches('^[a-z]+$')", "quantity(object.spec.size).isGreaterThan(quantity('1Gi'))",
    "  true  ", "object.?spec.?x.orValue(true) == true", "undeclared == 1", "object.spec.replicas", "'text'",
    "1 +", "variables.nope", "object.metadata.generation > 0", "object.apiVersion.endsWith('/v1')",
    "object.kind == request.kind.kind", "oldObject.spec.replicas < object.spec.replicas",
    "object == oldObject", "size(object.metadata.name) < 5", "object.metadata.namespace == request.namespace",
    "cel.bind(x, object.metadata.name, x == 'a')", "object.spec.text.split(',').size() > 1",
    "ip('10.0.0.1').family() == 4", "duration('1h') > duration('30m')", "type(object) == map",
    "object.spec.a.b.c == 1", "object.spec.list[5] == 1", "object.spec.list[0] == 1",
    "object['spec']['replicas'] == 3", "!object.spec.flag", "object.spec.flag ? true : object.nope",
    "object.spec.replicas in [1, 3, 5]", "'env' in object.metadata.labels",
    "object.spec.replicas + 1 > 9223372036854775807", "object.spec.text + 1 == 'x'",
    "object.spec.list.map(i, i + 1).size() == 2", "object.metadata.labels == oldObject.metadata.labels",
    "object.metadata.?labels[?'env'].orValue('none') != 'none'", "object.spec.all(k, k != 'x')",
    "object.spec.transformList(k, v, k).size() >= 0", "object.command == ['sh']", "object.stdin == true",
    "object.container == 'c'", "has(request.options) && request.options.kind == 'CreateOptions'",
    "request.options.fieldManager == 'kubectl'", "request.options.gracePeriodSeconds == 0",
    "request.userInfo.uid == '1'", "has(request.userInfo.extra)", "request.requestSubResource == 'exec'",
    "has(request.subResource)", "request.requestKind.kind == 'Scale'", "request.resource.resource == 'pods'",
    "request == request", "request.kind == request.requestKind",
    "request.userInfo.groups.exists(g, g.startsWith('system:'))", "type(request.dryRun) == bool",
    "namespaceObject.spec.finalizers.size() == 1", "namespaceObject.status.phase == 'Active'",
    "namespaceObject.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')",
    "namespaceObject.metadata.name == request.namespace", "dyn(namespaceObject).kind == 'Namespace'",
    "namespaceObject == namespaceObject",
    "authorizer.requestResource.fieldSelector('a=b').check('list').allowed()",
    "authorizer.requestResource.labelSelector('env in (a,b)').check('list').allowed()",
    "authorizer.requestResource.check('get').error() == 'broken'",
    "authorizer.group('').resource('').check('get').allowed()", "authorizer.path('').check('get').allowed()",
    "authorizer.serviceAccount('Bad_', 'x').path('/x').check('get').allowed()", "authorizer == authorizer",
    "type(authorizer) == type(1)",
    "authorizer.group('apps').resource('deployments').subresource('scale').namespace('x').name('y').check('get').allowed() || true",
    "object.spec.text.matches(object.spec.size)", "object.spec.text.find('[a-z]') == 'a'",
    "url('https://x/y').getHost() == object.metadata.name", "cidr('10.0.0.0/8').containsIP(object.spec.text)",
    "semver('1.2.3').major() == 1", "isQuantity(object.spec.size)",
    "object.spec.text.split(',').sum() == 'ab'", "[3,1,2].sort() == [1,2,3]",
    "object.metadata.name.lowerAscii().upperAscii() == 'A'",
    "'%s-%d'.format([object.metadata.name, 1]) == 'a-1'",
    "lists.range(200).all(x, lists.range(200).all(y, lists.range(20).all(z, x + y + z >= 0)))",
    "timestamp(object.metadata.creationTimestamp) < timestamp('2030-01-01T00:00:00Z')",
    "object.spec.when < timestamp('2030-01-01T00:00:00Z')",
]
PARAM_BOOLS = ["params == null", "params.data.max == '5'", "int(params.data.max) >= object.spec.replicas",
               "has(params.data)", "params.kind == 'ConfigMap'", "params.metadata.name == 'p1'",
               "params.metadata.namespace == request.namespace", "params.spec.x > 1",
               "params.apiVersion == 'v1'"]
VARIABLE_BOOLS = ["variables.a == 1", "variables.b", "variables.b && variables.b", "variables.c == 'x'",
                  "variables.list.all(i, i < 3)", "variables.bad == 1", "true || variables.bad == 1",
                  "variables.deep > 10", "has(variables.a)", "variables.allowed", "variables.heavy",
                  "variables['a'] == 1"]
VARIABLES = [("a", ["1", "object.spec.replicas", "'x'"]),
             ("b", ["true", "object.metadata.name == 'a'", "variables.a == 1"]),
             ("c", ["'x'", "object.metadata.name", "string(variables.a)"]),
             ("list", ["[1,2]", "object.spec.list", "[variables.a]"]),
             ("bad", ["object.nope.nope", "1/0", "undeclared", "1 +", "variables.later"]),
             ("deep", ["variables.a + 10", "variables.a * 2"]),
             ("allowed", ["authorizer.requestResource.check('get').allowed()", "params == null",
                          "namespaceObject == null"]),
                              ("heavy", [b for b in BOOLS if "all(a" in b]
                               + ["[1,2,3].exists(x, authorizer.group('g').resource('r').check('v').allowed())"]),
                                   ("a", ["2"])]
STRINGS = ["'\\u00a0 wide \\u2003'", "'tab\\tand \\u0000 nul'", "'\\U0001F600' + object.metadata.name",
           "params == null ? 'none' : string(params.data.max)", "string(1/0)", "request.userInfo.username",
           "request.operation + ' ' + request.kind.kind", "string(request.dryRun)",
           "object.spec.list.map(i, string(i)).join('-')", "'%.2f %s'.format([1.5, object.spec.replicas])",
           "b'abc'", "string(b'\\xff')", "cel.bind(x, 'y', x + x)", "optional.of('x').value()", "'a' + '\\n'",
           "'\\r\\n'", "'msg'", "'  spaced  '", "''", "' '", "'two\\nlines'", "'cr\\rhere'",
           "object.metadata.name", "'name ' + string(object.metadata.name)", "string(object.nope)",
           "string(params.data.max)", "variables.c", "'n: ' + string(variables.a)", "null", "1", "undeclared",
           "authorizer.path('/').check('get').reason()", "'x'.replace('x', 'yyyyyyyyyy')", "["
           + ",".join(["'" + "x" * 100 + "'"] * 60) + "].join('')", "'<&>\\u2028\"\\\\'",
           "string(namespaceObject.metadata.name)", "dyn('x')", "has(object.spec) ? 'has' : 'not'",
           "string(variables.allowed)", "[1,2,3].map(x, string(x)).join(',')",
           "string(dyn(namespaceObject).kind)"]
LONG = "[" + ",".join(["'" + "é" * 1000 + "'"] * 6) + "].join('')"


def selector(r):
    k = r.random()
    if k < 0.35:
        return {}
    if k < 0.55:
        return {"matchLabels": {r.choice(["env", "app", "kubernetes.io/metadata.name"]): r.choice(["prod",
            "web", "", "default"])}}
    if k < 0.9:
        op = r.choice(["In", "NotIn", "Exists", "DoesNotExist"])
        e = {"key": r.choice(["env", "app", "tier"]), "operator": op}
        if op in ("In", "NotIn"):
            e["values"] = r.sample(["prod", "dev", "web", "", "1"], r.choice([1, 2]))
        return {"matchExpressions": [e]}
    return {"matchExpressions": [r.choice([{"key": "env", "operator": "Bad", "values": ["x"]},
                                           {"key": "env", "operator": "In"},
                                           {"key": "-bad", "operator": "Exists"},
                                           {"key": "env", "operator": "Exists", "values": ["x"]},
                                           {"key": "env", "operator": "In", "values": ["bad value!"]}])]}


def rule(r, target):
    group, version, resource, _, _ = target
    rule = {
        "apiGroups": r.choice([[group], [group], ["*"], ["", "apps"], ["nope"]]),
        "apiVersions": r.choice([[version], [version], ["*"], ["v1", "v1beta1"], ["v9"]]),
        "operations": r.choice([["*"], ["CREATE"], ["CREATE", "UPDATE"], ["DELETE"], ["CONNECT", "CREATE"],
                                ["UPDATE", "DELETE"]]),
        "resources": r.choice([[resource], [resource], ["*"], ["*/*"], [resource + "/*"], ["*/scale"],
                               [resource + "/scale"], [resource, resource + "/status"], ["pods/exec"],
                               ["nope"]]),
    }
    if r.random() < 0.25:
        rule["scope"] = r.choice(["*", "Namespaced", "Cluster"])
    if r.random() < 0.2:
        rule["resourceNames"] = r.choice([["a"], ["b", "c"], ["a", "b"]])
    return rule


def match(r, target, policy):
    m = {}
    if policy or r.random() < 0.7:
        m["resourceRules"] = [rule(r, target if r.random() < 0.8 else r.choice(RESOURCES))
                              for _ in range(r.choice([1, 1, 2]))]
        if policy and r.random() < 0.6:
            m["resourceRules"].append({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"],
                                       "resources": ["*/*"]})
    if r.random() < 0.15:
        m["excludeResourceRules"] = [rule(r, target)]
    if r.random() < 0.3:
        m["namespaceSelector"] = selector(r)
    if r.random() < 0.3:
        m["objectSelector"] = selector(r)
    if r.random() < 0.4:
        m["matchPolicy"] = r.choice(["Exact", "Equivalent"])
    return m


def boolean(r, params, variables):
    k = r.random()
    if params and k < 0.3:
        return r.choice(PARAM_BOOLS)
    if variables and k < 0.6:
        return r.choice(VARIABLE_BOOLS)
    if k < 0.75:
        return r.choice(BOOLS[:24])
    return r.choice(BOOLS)


def policy(r, name, target):
    spec = {"matchConstraints": match(r, target, True)}
    params = r.random() < 0.4
    variables = r.random() < 0.4
    if params:
        spec["paramKind"] = r.choice([{"apiVersion": "v1", "kind": "ConfigMap"}] * 4 + [
            {"apiVersion": "example.com/v1", "kind": "Limit"}, {"apiVersion": "a/b/c", "kind": "X"},
            {"apiVersion": "v1", "kind": "Missing"}])
    if variables:
        spec["variables"] = [{"name": n, "expression": r.choice(e)} for n, e in VARIABLES[:8]
                             if r.random() < 0.8]
        if r.random() < 0.1:
            spec["variables"].append({"name": "a", "expression": "2"})
    if r.random() < 0.5:
        spec["failurePolicy"] = r.choice(["Fail", "Ignore", "Ignore", "Bogus"]
                                         if r.random() < 0.1 else ["Fail", "Ignore"])
    if r.random() < 0.3:
        spec["matchConditions"] = [{"name": "c%d" % i, "expression": boolean(r, params, variables)}
                                   for i in range(r.choice([1, 2, 3]))]
    spec["validations"] = []
    for _ in range(r.choice([0, 1, 1, 2, 3])):
        v = {"expression": boolean(r, params, variables)}
        if r.random() < 0.3:
            v["message"] = r.choice(["plain", "  padded  ", "<&>", "é"])
        if r.random() < 0.4:
            v["messageExpression"] = r.choice(STRINGS)
        if r.random() < 0.4:
            v["reason"] = r.choice(["Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"])
        spec["validations"].append(v)
    if r.random() < 0.3:
        spec["auditAnnotations"] = [{"key": "k%d" % i if r.random() < 0.9 else r.choice(["a/b", "K_x", "-"]),
                                     "valueExpression": r.choice(STRINGS + [LONG])}
                                         for i in range(r.choice([1, 2]))]
    version = r.choice(["v1", "v1", "v1", "v1beta1", "v1alpha1"])
    return {"apiVersion": GROUP + "/" + version, "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name}, "spec": spec}


def binding(r, name, policies, target):
    spec = {"policyName": r.choice(policies + ["missing"] if r.random() < 0.1 else policies),
            "validationActions": r.choice([["Deny"], ["Deny"], ["Warn"], ["Audit"], ["Deny", "Audit"],
                                           ["Warn", "Audit"], ["Audit", "Deny"], ["Deny", "Warn"]])}
    if r.random() < 0.5:
        ref = {}
        k = r.random()
        if k < 0.6:
            ref["name"] = r.choice(["p1", "p2", "none"])
        elif k < 0.95:
            ref["selector"] = selector(r)
        if k > 0.97:
            ref["name"] = "p1"
        if r.random() < 0.6:
            ref["namespace"] = r.choice(["default", "other"])
        if r.random() < 0.8:
            ref["parameterNotFoundAction"] = r.choice(["Deny", "Allow"])
        spec["paramRef"] = ref
    if r.random() < 0.3:
        spec["matchResources"] = match(r, target, False)
    version = r.choice(["v1", "v1", "v1beta1", "v1alpha1"])
    return {"apiVersion": GROUP + "/" + version, "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name}, "spec": spec}


def thing(r, target, name, namespace):
    group, version, _, kind, namespaced = target
    meta = {}
    if r.random() < 0.9:
        meta["name"] = name
    elif r.random() < 0.5:
        meta["generateName"] = "gen-"
    if namespaced and namespace and r.random() < 0.9:
        meta["namespace"] = namespace
    labels = r.choice(LABELS)
    if labels is not None:
        meta["labels"] = copy.deepcopy(labels)
    if r.random() < 0.1:
        meta["labels"] = {"env": 5}
    if r.random() < 0.2:
        meta["creationTimestamp"] = "2024-01-01T00:00:00Z"
        meta["generation"] = 2
    obj = {"apiVersion": (group + "/" if group else "") + version, "kind": kind, "metadata": meta}
    if r.random() < 0.8:
        obj["spec"] = {"replicas": r.choice([0, 3, 7, 2.5, 10 ** 20]),
                       "list": r.choice([[], [1, 2], [0, "x"], None]), "size": r.choice(["2Gi", "1", "bad"]),
                       "text": r.choice(["a,b", "", "é"]), "when": "2024-01-01T00:00:00Z"}
    if r.random() < 0.05:
        obj["metadata"] = r.choice([None, "x", {}])
    return obj


def params(r):
    out = []
    for name in ("p1", "p2"):
        for namespace in ("default", "other", None):
            if r.random() < 0.5:
                meta = {"name": name}
                if namespace:
                    meta["namespace"] = namespace
                labels = r.choice(LABELS)
                if labels is not None:
                    meta["labels"] = copy.deepcopy(labels)
                kind = r.choice([("v1", "ConfigMap"), ("v1", "ConfigMap"), ("example.com/v1", "Limit")])
                out.append({"apiVersion": kind[0], "kind": kind[1], "metadata": meta,
                            "data": {"max": r.choice(["5", "1", "x"])}, "spec": {"x": 2}})
    return out


def subresource_request(r):
    target, sub, op, (group, version, kind) = r.choice(SUBRESOURCES)
    req = request(r, target)
    if r.random() < 0.9:
        req["operation"] = op
        req.pop("options", None)
    req["subResource"] = sub
    req["kind"] = {"group": group, "version": version, "kind": kind}
    for field in ("object", "oldObject"):
        if field in req or (field == "object" and req["operation"] != "DELETE"):
            obj = thing(r, (group, version, None, kind, target[4]), "a", req["namespace"])
            if op == "CONNECT" and req["operation"] == "CONNECT":
                obj = {"apiVersion": obj["apiVersion"], "kind": kind, "stdin": True, "container": "c",
                       "command": ["sh"], "path": "/x"}
            req[field] = obj
    if req["operation"] == "CONNECT":
        req.pop("oldObject", None)
    return target, req


def request(r, target):
    group, version, resource, kind, namespaced = target
    op = r.choice(["CREATE", "CREATE", "UPDATE", "UPDATE", "DELETE", "CONNECT"])
    if r.random() < 0.01:
        op = "PATCH"
    name = r.choice(["a", "b", "c", ""])
    namespace = r.choice(["default", "default", "other", "gone"]) if namespaced else ""
    if resource == "namespaces":
        namespace = name
    if r.random() < 0.03:
        namespace = r.choice(["", "default"])
    req = {"operation": op, "kind": {"group": group, "version": version, "kind": kind},
           "resource": {"group": group, "version": version, "resource": resource}, "name": name,
           "namespace": namespace}
    if r.random() < 0.15:
        req["subResource"] = r.choice(["scale", "status", "exec"])
    if op in ("CREATE", "UPDATE", "CONNECT", "PATCH"):
        req["object"] = thing(r, target, name or "a", namespace)
    if op in ("UPDATE", "DELETE"):
        req["oldObject"] = thing(r, target, name or "a", namespace)
    if r.random() < 0.03:
        req.pop("object", None)
    if r.random() < 0.3 and op in ("CREATE", "UPDATE", "DELETE"):
        req["options"] = {"CREATE": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1",
                                     "fieldManager": "kubectl"},
                          "UPDATE": {"kind": "UpdateOptions", "fieldValidation": "Strict", "dryRun": ["All"]},
                          "DELETE": {"gracePeriodSeconds": 0, "propagationPolicy": "Background",
                                     "preconditions": {"uid": "u"}}}[op]
    if r.random() < 0.2:
        req["dryRun"] = True
    user = {"username": r.choice(["eve", "bob", ""]),
            "groups": r.choice([["admins"], [], ["system:authenticated"]])}
    if r.random() < 0.3:
        user["extra"] = r.choice([{"k": ["v"]}, {"k": []}, {"a": ["1"], "b": ["2"]}])
        user["uid"] = "1"
    req["userInfo"] = user
    return req


def case(r, number):
    target = r.choice(RESOURCES) if r.random() < 0.96 else r.choice(RARE)
    asked = None
    if r.random() < 0.2:
        target, asked = subresource_request(r)
    names = r.sample(["pol-a", "pol-b", "pol-c", "b", "Z"], r.choice([1, 1, 2, 3]))
    out = {"id": number, "mode": "review", "policies": [policy(r, n, target) for n in names],
           "bindings": [binding(r, "bind-%s" % n, names, target)
                        for n in r.sample(["1", "2", "3", "4", "x"], r.choice([1, 2, 3]))],
           "namespaces": [{"metadata": {"name": "default",
                                        "labels": {"env": "prod", "kubernetes.io/metadata.name": "default"}}},
                          {"kind": "Namespace", "metadata": {"name": "other", "annotations": {"x": "y"},
                              "creationTimestamp": "2020-01-01T00:00:00Z"},
                           "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}],
           "params": params(r), "request": asked or request(r, target)}
    if r.random() < 0.02:
        out["params"] += [{"apiVersion": "v1", "kind": "ConfigMap",
                           "metadata": {"name": "m%d" % i, "namespace": "default", "labels": {"env": "prod"}},
                           "data": {"max": str(i)}} for i in range(60)]
    if r.random() < 0.03:
        out["policies"].append(copy.deepcopy(r.choice(out["policies"])))
    if r.random() < 0.03:
        out["bindings"].append(dict(copy.deepcopy(r.choice(out["bindings"])),
                                    spec=binding(r, "x", names, target)["spec"]))
    if r.random() < 0.3:
        out["namespaces"].append({"metadata": {"name": "a", "labels": {"env": "dev"}}})
    if r.random() < 0.1:
        out["paramScope"] = "Cluster"
    if r.random() < 0.2:
        out["paramKinds"] = [{"apiVersion": "v1", "kind": "ConfigMap", "resource": "configmaps",
                              "namespaced": r.random() < 0.8},
                             {"apiVersion": "example.com/v1", "kind": "Limit", "resource": "limits",
                              "namespaced": r.random() < 0.5}]
    if r.random() < 0.4:
        def gvr(t):
            return {"resource": {"group": t[0], "version": t[1], "resource": t[2]},
                    "kind": {"group": t[0], "version": t[1], "kind": t[3]}}
        out["equivalents"] = [[gvr(RESOURCES[0]), gvr(RESOURCES[1]), gvr(RESOURCES[7])],
                              [gvr(RESOURCES[6]), gvr(RESOURCES[5])]]
        r.shuffle(out["equivalents"][0])
        if r.random() < 0.3:
            out["equivalents"].append([gvr(("", "v1", "pods", "Pod")),
                                       gvr(("core.example.com", "v2", "pods", "Pod"))])
        if r.random() < 0.1:
            r.choice(out["equivalents"][0]).pop("kind")
    if r.random() < 0.5:
        out["authz"] = [{"verb": r.choice(["get", "*", "update", "create"]),
                         "decision": r.choice(["allow", "deny", "none"]), "reason": r.choice(["", "because"]),
                         "error": r.choice(["", "", "broken"])} for _ in range(r.choice([1, 2]))]
    return out


def shaken(r, made):
    """One mutation of an object of the cluster or of the request."""
    part = r.choice(["policies", "policies", "bindings", "params", "namespaces", "request", "request"])
    holder = made.get(part)
    if not holder:
        return
    shaken = {part: copy.deepcopy(holder)}
    try:
        mutate(r, shaken)
    except (TypeError, KeyError, IndexError, AttributeError):
        pass
    # The oracle's own reader treats repeated keys, and names in another case, differently; that means
    # nothing.
    if part not in ("request", "namespaces") or not any(odd in repr(shaken) for odd in ("Pairs", "'Name'")):
        made.update(shaken)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        made = case(r, i)
        if r.random() < 0.125:
            for _ in range(r.choice([1, 1, 2])):
                shaken(r, made)
        print(dump(made))


if __name__ == "__main__":
    main()
