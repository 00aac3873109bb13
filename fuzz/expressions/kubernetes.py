"""Random expressions as in Kubernetes' policies: over request, objects and authorizer, with all libraries in every
version.

Idea: the generator of generate.py with the variables of a policy, more templates (EXTRA: paths into objects, patch
types, functions with wrong names), and texts that are made up or damaged instead of picked, because parsers of
quantities, addresses, URLs, versions, selectors and formats differ in what they refuse. Some requests have the mode
`condition`: several expressions and variables share one budget, often a small one.

Usage: compare.py --kubernetes ...; or kubernetes.py SEED COUNT > requests.jsonl
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402
import values  # noqa: E402
from generate import Node, Template  # noqa: E402

PATCHES_OF = float(os.environ.get("PATCHES", "0.1"))  # the share of expressions that may make patches
VERSIONS = ["1.%d" % minor for minor in range(23, 38)]

# --- what the environments hold

POD = {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "web-0", "namespace": "default", "generateName": "web-",
                    "uid": "123e4567-e89b-12d3-a456-426614174000",
                    "labels": {"app": "web", "app.kubernetes.io/name": "shop", "tier": "front"},
                    "creationTimestamp": "2024-02-29T12:30:45Z",
                    "annotations": {"kube.io/x": "1", "cidr": "10.0.0.0/8"},
                    "finalizers": ["a.b/c", "foregroundDeletion"]},
       "spec": {"containers": [{"name": "c1", "image": "nginx:1.25",
                                "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 8443}],
                                "resources": {"limits": {"cpu": "500m", "memory": "1Gi"},
                                    "requests": {"cpu": "0.25", "memory": "512Mi"}},
                                        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000},
                                        "env": [{"name": "A", "value": "b"}, {"name": "B"}]},
                               {"name": "c2", "image": "reg.io/app@sha256:abc", "args": ["--x", "-y=1", ""]}],
                "replicas": 3, "paused": False, "ratio": 1.5, "nodeSelector": {}, "hostNetwork": True,
                "priority": -10, "size": "10Gi", "ip": "10.1.2.3",
                "url": "https://user@example.com:8443/a%20b?x=1&x=2&y", "version": "1.27.3",
                "duration": "1h30m", "none": None},
       "status": {"podIPs": [{"ip": "10.0.0.7"}, {"ip": "fd00::7"}],
                  "conditions": [{"type": "Ready", "status": "True"}]}}
CUSTOM = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"},
          "spec": {"replicas": 9223372036854775807, "size": "1.5Gi", "ip": "::ffff:1.2.3.4", "containers": [],
                   "version": "v1.2", "url": "../x", "duration": "-3s", "list": [3, 1, 2],
                   "doubles": [1.5, 2, 0.25], "strings": ["b", "a", "ü"],
                   "nested": {"a": {"b": {"c": [1, {"d": "e"}]}}}, "namespace": "x", "paused": "no"}}
OBJECTS = [POD, POD, POD, CUSTOM, CUSTOM, None, {},
           {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "default"},
            "data": {"a": "1", "b.c": "x" * 30}}] + values.OBJECTS
PARAMS = [None, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p"},
                 "data": {"max": "5", "size": "2Gi", "regex": "^[a-z]+$", "hosts": "a,b,c"}},
          {"spec": {"max": 5, "names": ["web-0", "w"], "cidrs": ["10.0.0.0/8", "fd00::/8"], "on": True}}]
USER = {"username": "eve", "uid": "u-1", "groups": ["system:authenticated", "dev"],
        "extra": {"k": ["v", "w"], "example.com/x": []}}
REQUESTS = [
    {"kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
     "resource": {"group": "apps", "version": "v1", "resource": "deployments"}, "name": "web-0",
     "requestKind": {"group": "apps", "version": "v1", "kind": "Deployment"},
     "requestResource": {"group": "apps", "version": "v1", "resource": "deployments"}, "namespace": "default",
     "operation": "CREATE", "userInfo": USER, "dryRun": False,
     "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"}},
    {"kind": {"group": "", "version": "v1", "kind": "Pod"},
     "resource": {"group": "", "version": "v1", "resource": "pods"}, "subResource": "scale",
     "operation": "UPDATE", "userInfo": {"username": "system:serviceaccount:a:b", "groups": []},
     "dryRun": True},
    {}, {"operation": "DELETE", "name": "é", "options": None},
]
NAMESPACES = [
    {"metadata": {"name": "default", "labels": {"env": "prod", "kubernetes.io/metadata.name": "default"},
                  "annotations": {"a": "b"}, "creationTimestamp": "2024-02-29T12:30:45Z", "uid": "x",
                  "generation": 3, "resourceVersion": "17", "finalizers": ["f"]},
     "spec": {"finalizers": ["kubernetes"]},
     "status": {"phase": "Active",
                "conditions": [{"type": "T", "status": "True", "message": "m", "reason": "r",
                                "lastTransitionTime": "2024-02-29T12:30:45Z"}]}},
    {"metadata": {"name": "x"}}, {}, None,
]
# Objects of built-in kinds, which the API server holds as Go structs.
BUILT_IN = [
    ({"group": "", "version": "v1", "kind": "Pod"}, "pods",
     {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "d", "namespace": "default",
         "labels": {"app": "web"}, "finalizers": ["a.b/c"]},
      "spec": {"securityContext": {}, "tolerations": [{"key": "a", "operator": "Exists"}],
               "volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}],
               "containers": [{"name": "c1", "image": "nginx:1.25", "args": ["--x"],
                               "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1000m"}},
                               "livenessProbe": {"httpGet": {"port": "http"}}},
                                   {"name": "c2", "image": "a", "securityContext": {},
                                    "env": [{"name": "A"}]}]}}),
    ({"group": "apps", "version": "v1", "kind": "Deployment"}, "deployments",
     {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "default",
         "labels": {}, "annotations": {"a": "b"}},
      "spec": {"replicas": 3, "selector": {"matchLabels": {"a": "b"}},
               "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
               "template": {"metadata": {"labels": {"a": "b"}},
                            "spec": {"containers": [{"name": "c", "image": "x"}]}}}}),
    ({"group": "", "version": "v1", "kind": "ConfigMap"}, "configmaps",
     {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d", "namespace": "default"},
      "data": {"max": "5", "b.c": "x"}, "binaryData": {"z": "YWI="}}),
]
VARIABLES = [{}, {"a": 1, "n": 5, "list": [1, 2, 3], "name": "x", "m": {"a": "b"}, "ok": True}]
AUTHZ = generate.AUTHZ_RULES + [
    [{"user": "eve", "verb": "get", "group": "apps", "resource": "deployments", "decision": "allow",
      "reason": "rbac"}, {"decision": "deny", "reason": "no"}],
    [{"user": "system:serviceaccount:default:default", "decision": "allow"},
     {"verb": "*", "fieldSelector": "metadata.name=foo", "decision": "allow", "reason": "selected"}],
    [{"labelSelector": "a=b", "decision": "allow"}, {"labelSelector": "", "subresource": "status",
        "decision": "deny", "error": "ü\n"}],
    [{"labelSelector": "x in (y,z)", "decision": "allow", "reason": "in"},
     {"labelSelector": "a!=b,c=d", "decision": "deny"}, {"namespace": "", "reason": "cluster"}],
    [{"path": "/healthz", "verb": "get", "decision": "allow"},
     {"name": "default", "decision": "allow", "reason": "named"}, {"error": "boom"}],
]
POLICY = {
    "object": ("dyn", OBJECTS), "oldObject": ("dyn", OBJECTS), "params": ("dyn", PARAMS),
    "request": ("request", REQUESTS), "namespaceObject": ("namespace", NAMESPACES),
    "variables": ("map(string,dyn)", VARIABLES), "authorizer": ("authorizer", None),
    "authorizer.requestResource": ("resourceCheck", None),
}
TYPED = {
    "q": ("quantity", ["1Gi", "100m", "-5", "1.5k", "12345678901234567890"]),
    "q2": ("quantity", ["1", "0", "1e3"]),
    "a4": ("ip", ["10.0.0.1", "::1", "fe80::1", "0.0.0.0", "224.0.0.1"]),
    "net": ("cidr", ["10.0.0.0/8", "2001:db8::1/32", "10.1.2.3/32", "0.0.0.0/0"]),
    "ver": ("semver", ["1.2.3", "1.2.3-rc.1+b", "0.0.0"]), "u": ("url", ["https://a.b/c?d=e", "/x"]),
    "fm": ("format", ["dns1123Label", "uri", "byte"]), "lq": ("list(quantity)", [[], ["1", "2Gi", "1"]]),
    "mq": ("map(string,quantity)", [{}, {"a": "1Gi"}]),
    "li": ("list(int)", [[], [3, 1, 2, 2], list(range(12))]),
    "ls": ("list(string)", [[], ["b", "a", "b"], ["x" * 25, "ü" * 11]]),
    "ld": ("list(dyn)", [[1, "a", None, 2.5]]), "lf": ("list(double)", [[], [1.5, "NaN", -1]]),
    "lt": ("list(timestamp)", [["2024-02-29T12:30:45Z", "1970-01-01T00:00:00Z"]]),
    "ly": ("list(bytes)", [["YWJjYWJjYWJjYWJj", ""]]), "ldu": ("list(duration)", [["1h", "-1s"]]),
    "lu": ("list(uint)", [[3, 1]]), "lb": ("list(bool)", [[True, False]]),
    "s": ("string", ["", "abc", "a,b,c", "x" * 45, "日本語" * 5]),
    "ms": ("map(string,string)", [{}, {"a": "b", "c": "d" * 20}]),
    "oq": ("optional_type(quantity)", [None, "1"]), "os": ("optional_type(string)", [None, "v" * 12]),
    "ml": ("map(string,list(string))", [{}, {"a": ["x", "y"]}]),
    "ll": ("list(list(int))", [[[1, 2], [], [3]]]), "x": ("dyn", values.OBJECTS),
}
ENVIRONMENTS = [POLICY, POLICY, POLICY, POLICY, TYPED, TYPED, {**TYPED, "object": POLICY["object"]}]

# --- paths, as an author would write them who trusts the types

PATHS = {
    "string": ["object.metadata.name", "object.metadata.namespace", "request.name", "request.namespace",
               "request.operation", "request.userInfo.username", "request.kind.kind",
               "request.resource.resource", "request.subResource", "namespaceObject.metadata.name",
               "namespaceObject.metadata.labels['env']", "object.metadata.labels.app",
               "object.metadata.labels['app.kubernetes.io/name']", "params.data.max",
               "object.spec.containers[0].image", "object.spec.version", "variables.name", "object.kind",
               "object.metadata.annotations['kube.io/x']", "request.requestKind.version",
               "namespaceObject.status.phase", "request.userInfo.extra['k'][0]", "oldObject.metadata.name",
               "namespaceObject.metadata.UID", "object.spec.url", "request.userInfo.uid", "object.spec.none",
               "object.data['b.c']"],
    "int": ["object.spec.replicas", "oldObject.spec.replicas", "params.spec.max",
            "object.spec.containers[0].ports[0].containerPort", "variables.n",
            "namespaceObject.metadata.generation", "int(params.data.max)", "size(object.spec.containers)",
            "object.spec.priority"],
    "bool": ["request.dryRun", "object.spec.paused", "variables.ok", "has(object.spec.replicas)",
             "object == oldObject", "object != null", "oldObject == null", "has(request.namespace)",
             "has(namespaceObject.metadata.labels)", "params == null", "has(object.metadata.labels.app)",
             "has(request.options)", "object.spec.containers[0].securityContext.runAsNonRoot",
             "has(request.userInfo.extra.k)", "has(variables.a)", "namespaceObject == null",
             "request == null", "'dev' in request.userInfo.groups", "'app' in object.metadata.labels"],
    "double": ["object.spec.ratio", "object.spec.doubles[0]"],
    "list(string)": ["request.userInfo.groups", "object.metadata.finalizers", "object.spec.strings",
                     "namespaceObject.spec.finalizers", "params.spec.names", "object.spec.containers[1].args",
                     "request.userInfo.extra['k']", "object.spec.containers.map(c, c.name)"],
    "list(int)": ["object.spec.list", "variables.list", "object.spec.containers.map(c, size(c))"],
    "list(dyn)": ["object.spec.containers", "object.spec.containers[0].ports", "object.status.podIPs",
                  "namespaceObject.status.conditions", "object.spec.nested.a.b.c", "object.items"],
    "map(string,string)": ["object.metadata.labels", "object.metadata.annotations",
                           "namespaceObject.metadata.labels", "object.spec.nodeSelector", "params.data",
                           "object.data"],
    "map(string,dyn)": ["object", "object.metadata", "object.spec", "variables", "object.spec.containers[0]",
                        "object.spec.nested"],
    "map(string,list(string))": ["request.userInfo.extra"],
    "dyn": ["object", "oldObject", "params", "object.spec", "object.spec.containers[0]", "request.options",
            "object.spec.none", "object.nope", "variables.m", "request", "namespaceObject",
            "request.userInfo", "request.kind", "request.resource", "request.userInfo.extra",
            "request.userInfo.groups", "namespaceObject.metadata.labels", "variables",
            "object.spec.securityContext", "object.spec.volumes[0].emptyDir",
            "object.spec.containers[1].resources", "object.spec.selector", "object.spec.containers[5]",
            "namespaceObject.metadata", "namespaceObject.nope", "request.nope", "object.`kube.io/x`"],
    "quantity": ["quantity(object.spec.size)", "quantity(object.spec.containers[0].resources.limits.memory)",
                 "quantity(object.spec.containers[0].resources.limits['cpu'])", "quantity(params.data.size)"],
    "ip": ["ip(object.spec.ip)", "ip(object.status.podIPs[0].ip)"],
    "cidr": ["cidr(params.spec.cidrs[0])", "cidr(object.metadata.annotations.cidr)"],
    "url": ["url(object.spec.url)"],
    "semver": ["semver(object.spec.version)", "semver(object.spec.version, true)"],
    "timestamp": ["timestamp(object.metadata.creationTimestamp)",
                  "namespaceObject.metadata.creationTimestamp"],
    "duration": ["duration(object.spec.duration)"],
    "resourcecheck": ["authorizer.requestResource", "authorizer.group('apps').resource('deployments')",
                      "authorizer.requestResource.name(object.metadata.name)"],
}

EXTRA = """
string = jsonpatch.escapeKey({string})
bool = {resourcecheck}.check({verb}).allowed()
string = {resourcecheck}.check({verb}).reason()
string = {pathcheck}.check({verb}).error()
bool = {resourcecheck}.check({verb}).errored()
resourcecheck = {authorizer}.group({name}).resource({name})
resourcecheck = {resourcecheck}.fieldSelector({selector}).labelSelector({selector})
quantity = {quantity}.add({quantity}).sub({int})
bool = {quantity} == {quantity}.add({int})
dyn = dyn({dyn})[dyn({A})]
dyn = dyn({dyn})[?dyn({A})]
bool = dyn({A}) in dyn({dyn})
bool = dyn({dyn}) == dyn({A})
bool = dyn([{dyn}]) == dyn([{A}])
bool = dyn({'a': {dyn}}) == dyn({'a': {A}})
bool = dyn({dyn}).exists({bind:dyn}, {bool})
list(dyn) = dyn({dyn}).transformList({bind:dyn}, {bind:dyn}, {dyn})
bool = optional.ofNonZeroValue({dyn}).hasValue()
string = '%s'.format([{dyn}])
bool = optional.of(dyn({A})) == optional.of(dyn({B}))
bool = {ip} in [{ip}, {ip}]
bool = {quantity} in {list(quantity)}
bool = {url} == {url}
bool = {semver} != {semver}
bool = {format} == {format}
int = {list(quantity)}.indexOf({quantity})
list(quantity) = {list(string)}.map({bind:string}, quantity(v))
bool = {list(quantity)}.exists({bind:quantity}, {bool})
bool = {list(dyn)}.all({bind:dyn}, {bool})
bool = {list(dyn)}.exists({bind:dyn}, has({path}) && {bool})
list(string) = {list(dyn)}.map({bind:dyn}, {string})
bool = {list(dyn)}.all({bind:dyn}, !has({path}) || {bool})
list(dyn) = {list(dyn)}.filter({bind:dyn}, {bool})
bool = {map(string,string)}.all({bind:string}, {bool})
bool = {map(string,string)}.all({bind:string}, {bind:string}, {bool})
optional_type(dyn) = object.?{field}.?{field}
optional_type(dyn) = object.?spec.?containers[?{index}].?{field}
dyn = object.?spec.?{field}.orValue({dyn})
string = object.?metadata.?labels[?'app'].orValue({string})
string = request.?namespace.orValue({string})
bool = {optional_type(dyn)}.hasValue()
bool = object.?spec.{field}.hasValue()
bool = isQuantity({string})
bool = isIP({string})
bool = isCIDR({string})
bool = isURL({string})
bool = isSemver({string})
bool = ip.isCanonical({string})
bool = {cidr}.containsIP({string})
bool = {cidr}.containsCIDR({string})
optional_type(list(string)) = {format}.validate({string})
bool = format.dns1123Label().validate({string}).hasValue()
bool = !format.named({formattext}).value().validate({formatted}).hasValue()
int = {cidr}.family()
bool = ip({iptext}).isCanonical({iptext})
bool = isQuantity({dyn})
quantity = quantity({dyn})
ip = ip({ip})
cidr = cidr({cidr})
string = string({quantity})
string = string({url})
string = string({semver})
int = size({ip})
bool = {quantity} < {quantity}
bool = {quantity}.isInteger({quantity})
int = quantity.sign({quantity})
quantity = {quantity} + {quantity}
bool = ip.isIP({iptext})
bool = {string}.isQuantity()
string = {string}.url().getHost()
int = sign({int})
type = type({quantity})
bool = type({ip}) == net.IP
bool = type({cidr}) == net.CIDR
bool = type({quantity}) == kubernetes.Quantity
bool = type({url}) == kubernetes.URL
bool = type(request) == kubernetes.AdmissionRequest
bool = type(namespaceObject.spec) == kubernetes.NamespaceSpec
bool = type(request.userInfo) == kubernetes.UserInfo || {bool}
type = kubernetes.Namespace
type = kubernetes.GroupVersionKind
type = kubernetes.authorization.Authorizer
type = net.CIDR
type = google.protobuf.Duration
bool = {list(A)}.sum() == {A}
A = {list(A)}.min()
A = {list(A)}.max()
bool = {list(A)}.isSorted()
bool = {string}.includes({string})
int = {dyn}.indexOf({string})
bool = {dyn}.isSorted()
bool = {dyn}.startsWith({string})
int = {dyn}.size()
string = {dyn}.lowerAscii()
list(string) = {dyn}.split({string})
string = {dyn}.replace({string}, {string})
string = {dyn}.join({string})
string = {dyn}.find({regex})
list(string) = {dyn}.findAll({regex})
bool = {dyn}.matches({regex})
bool = {dyn}.isGreaterThan({quantity})
bool = {dyn}.containsIP({iptext})
string = {dyn}.getHost()
bool = {dyn}.family() == 4
bool = dyn({quantity}) == dyn({quantity})
bool = {A} == {quantity}
bool = {A} in [{quantity}]
bool = math.greatest({int}, {int}) == {int}
int = math.least([{int}, {int}])
string = base64.encode({bytes})
bool = cel.bind({bind:string}, {string}, {bool})
list(string) = regex.extractAll({string}, {regex})
bool = sets.intersects({list(string)}, request.userInfo.groups)
bool = sets.contains(request.userInfo.groups, {list(string)})
list(int) = {list(int)}.sortBy({bind:int}, {int})
list(dyn) = {list(dyn)}.sortBy({bind:dyn}, {string})
string = '%s is %d'.format([{string}, {int}])
string = '%s %s'.format([{A}, {quantity}])
string = {map(string,string)}.transformList({bind:string}, {bind:string}, {string}).join(',')
map(string,string) = {map(string,string)}.transformMap({bind:string}, {bind:string}, {string})
"""
PATCH = """
Object = Object{spec: Object.spec{replicas: {int}}}
Object = Object{metadata: Object.metadata{labels: {map(string,string)}}}
Object = Object{spec: Object.spec{containers: [Object.spec.containers{name: {string}, image: {string}}]}}
Object = Object{spec: {Object}}
Object = Object{?spec: {optional_type(dyn)}}
Object = Object{}
Object = {bool} ? {Object} : {Object}
patch = JSONPatch{op: {op}, path: {string}, value: {dyn}}
patch = JSONPatch{op: {op}, path: '/metadata/labels/' + jsonpatch.escapeKey({string}), value: {A}}
patch = JSONPatch{op: 'move', from: {string}, path: {string}}
patch = JSONPatch{op: {op}}
patch = JSONPatch{op: {int}}
list(patch) = [{patch}, {patch}]
list(patch) = {bool} ? [{patch}] : []
list(patch) = {list(patch)} + {list(patch)}
list(patch) = {map(string,string)}.map({bind:string}, {patch})
bool = {patch} == {patch}
bool = has({Object}.spec)
dyn = {Object}.spec.replicas
string = {patch}.op
string = {patch}.path
dyn = {patch}.value
bool = {Object}.spec.containers[0].name == {string}
type = type({Object})
type = type({patch})
bool = {Object} in [{Object}]
string = string({Object})
int = size({patch})
"""


def templates(text):
    return [Template(line) for line in text.strip().split("\n")]


EXTRAS, PATCHES = templates(EXTRA), templates(PATCH)
VERBS = ["'get'", "'list'", "'create'", "'*'", "''", "'update'", "'a'", "'watch'"]
OPS = ["'add'", "'remove'", "'replace'", "'test'", "'nope'", "''"]


# --- texts

def quoted(text, r):
    out = []
    for c in text:
        if c in "'\\":
            out.append("\\" + c)
        elif c == "\n":
            out.append("\\n")
        elif ord(c) < 32 or 0xD800 <= ord(c) < 0xE000:
            out.append("\\u%04x" % ord(c))
        else:
            out.append(c)
    return "'%s'" % "".join(out)


def plain(literal):
    """Roughly the text of a simple literal of values.py."""
    return literal.strip("'\"").replace("\\\\", "\\").lstrip("r") if literal[:1] in "'\"r" else literal


def digits(r, most=4):
    n = r.choice((1, 1, 1, 2, 2, 3, most))
    return "".join(r.choice("0123456789") for _ in range(n))


def quantity_text(r):
    n = r.choice((digits(r), digits(r), digits(r, 20), digits(r) + "." + digits(r), "." + digits(r),
                  digits(r) + ".", digits(r, 12) + "." + digits(r, 12), "0", "000" + digits(r)))
    return r.choice(("", "", "", "+", "-")) + n + r.choice(("", "", "", "n", "u", "m", "k", "M", "G", "T",
        "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E-2", "e", "K", "ki", "e" + digits(r), "E+"
        + digits(r), "mm"))


def hextet(r):
    return "".join(r.choice("0123456789abcdefABCDEF")
                   for _ in range(r.choice((1, 1, 2, 3, 4, 4, 5) if r.random() < 0.3 else (1, 2, 4))))


def ip_text(r):
    if r.random() < 0.5:
        return ".".join(str(r.choice((0, 1, 10, 127, 169, 192, 224, 239, 254, 255, r.randrange(256),
                                      r.randrange(300))))
                                          for _ in range(4 if r.random() < 0.93 else r.choice((3, 5))))
    parts = [hextet(r) for _ in range(8 if r.random() < 0.4 else r.randrange(9))]
    if parts and r.random() < 0.3:
        parts[0] = r.choice(("fe80", "ff02", "fd00", "2001", "0", "ff01", "fec0"))
    if r.random() < 0.1 and parts:
        parts[-1] = "1.2.3.4"
    text = ":".join(parts)
    if len(parts) < 8 or r.random() < 0.1:
        i = r.randrange(len(parts) + 1)
        text = ":".join(parts[:i]) + "::" + ":".join(parts[i:])
    return text + (r.choice(("%eth0", "%", "%1")) if r.random() < 0.05 else "")


def cidr_text(r):
    return ip_text(r) + "/" + r.choice((str(r.randrange(33)), str(r.randrange(129)), "0", "24", "032", "",
                                        "+8", "200", "8 "))


def url_text(r):
    text = r.choice(("http://", "https://", "ftp://", "", "/", "//", "x:", "1http://", "h+t.p-://", "HTTP://",
                     ":")) + r.choice(("", "", "u@", "u:p@", "a:b:c@", "u%40@"))
    text += r.choice(("example.com", "EXAMPLE.com", "[::1]", "[fe80::1%25en0]", "[::1", "a b", "1.2.3.4", "",
                      "h%41", "ü.de", "a_b", "h<", "%zz"))
    text += r.choice(("", "", ":80", ":", ":x", ":99999", ":-1"))
    text += r.choice(("", "/", "/a/b", "/%20x", "/a b", "/%zz", "/ü", "//x", "/a;b=c", "/*", "/a%2Fb",
                      "/!$&'()*+,;=:@", "/[x]", "/\"x"))
    text += r.choice(("", "", "?", "?a=1", "?a=1&b=2&a=3", "?a=%zz&b", "?a+b=c+d", "?x;y", "?a=%41%20", "?=v",
                      "?&&", "?ü=é", "?a b"))
    return text + r.choice(("", "", "#f", "#", "#a%20b#"))


def semver_text(r):
    text = r.choice(("", "", "", "v", "vv", "V")) + ".".join(r.choice((digits(r, 2), digits(r), "0", "01",
        digits(r, 21))) for _ in range(3 if r.random() < 0.7 else r.randrange(6)))
    if r.random() < 0.4:
        text += "-" + ".".join(r.choice(("alpha", "1", "rc-1", "01", "", "x.y", "0", "ü"))
                               for _ in range(r.randrange(1, 3)))
    return text + (("+" + r.choice(("b", "001", "a.b", "", "x_y"))) if r.random() < 0.3 else "")


def selector_text(r):
    def term():
        key = r.choice(("a", "b", "metadata.name", "spec.nodeName", "app.kubernetes.io/name", "-x", "a/b/c",
                        "", "A_b", "x" * 70))
        value = r.choice(("b", "y", "", "1", "-1", "ü", "a b", "x\\,y", "(", "foo"))
        return r.choice(("%s=%s", "%s==%s", "%s!=%s", "%s in (%s)", "%s notin (%s,z)", "%s>%s", "%s<%s",
                         "!%s%.0s", "%s%.0s", "%s in %s", "%s  =  %s")) % (key, value)
    return r.choice((",", ",", ", ", " ")).join(term() for _ in range(r.choice((1, 1, 1, 2, 3))))


def formatted_text(r):
    k = r.random()
    label = "".join(r.choice("abcxyz0189-") for _ in range(r.choice((1, 2, 5, 8, 62, 63, 64))))
    if k < 0.3:
        return label
    if k < 0.45:
        return ".".join("".join(r.choice("abz09-") for _ in range(r.choice((0, 1, 3, 63, 64))))
                        for _ in range(r.choice((1, 2, 3, 5))))
    if k < 0.6:
        return r.choice(("example.com", "", "A", "-x", label)) + "/" + r.choice((label, "Name_1.x", "", "-a",
            "é"))
    if k < 0.7:
        return "%04d-%02d-%02d" % (r.choice((2024, 2023, 0, 1900, 9999)), r.randrange(14),
                                   r.randrange(33)) + r.choice(("", "", "T00:00:00Z", "t23:59:59.5+01:00",
                                       " 00:00:00Z", "T24:00:00Z", "T12:60:00z", "T12:30:61Z", "T12:30:45",
                                       "T12:30:45.123456789-00:00", "T1:2:3Z"))
    if k < 0.8:
        return "".join(r.choice("0123456789abcdefABCDEFg") if r.random() < 0.98 else "-"
                       for _ in range(8)) + r.choice(("-", "")) + "e89b-12d3-a456-426614174000"
    if k < 0.9:
        return "".join(r.choice("abcXYZ019+/=-_\n") for _ in range(r.choice((0, 2, 3, 4, 4, 8))))
    return url_text(r)


def regex_text(r):
    def atom(d):
        k = r.random()
        if d > 0 and k < 0.3:
            return r.choice(("(%s)", "(?:%s)", "(?i:%s)", "(?P<n>%s)", "(?s)%s")) % alternation(d - 1)
        if k < 0.5:
            return r.choice(("[a-z]", "[^a]", "[[:digit:]]", "[a\\-z]", "[z-a]", "[]a]", "\\d", "\\w", "\\s",
                             "\\b", "\\pL", "\\p{Greek}", "\\x{41}", "\\Q.*\\E", "\\z", "\\C", "\\p{Foo}",
                             "[\\d-x]"))
        return r.choice(("a", "b", "x", "1", ".", "^", "$", "é", "-", "ab", "\\.", "{", "}", "]", "\\k"))

    def alternation(d):
        return r.choice(("", "", "|")).join("".join(atom(d)
            + r.choice(("", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{0,}", "{2,1}", "{,3}", "**",
                        "{1001}", "+?")) for _ in range(r.choice((1, 1, 2))))
                            for _ in range(r.choice((1, 1, 2))))
    return alternation(2)


MAKERS = {"quantitytext": quantity_text, "iptext": ip_text, "cidrtext": cidr_text, "urltext": url_text,
          "semvertext": semver_text, "selector": selector_text, "formatted": formatted_text,
          "regex": regex_text}
OF_TYPE = {"quantity": "quantitytext", "ip": "iptext", "cidr": "cidrtext", "url": "urltext",
           "semver": "semvertext"}


class Generator(generate.Generator):
    def __init__(self, seed, index):
        super().__init__(seed + 7_777_777, index)
        self.environment = self.r.choice(ENVIRONMENTS)
        self.policy = "request" in self.environment
        self.authz = self.policy
        self.patch = self.r.random() < PATCHES_OF
        self.rows = {}

    def top(self):
        if self.patch and self.r.random() < 0.6:
            return self.make(self.r.choice(("Object", "patch", "list(patch)")), self.depth)
        return super().top()

    def make(self, wanted, depth):
        r = self.r
        if depth > 0 and self.budget > 0 and r.random() < (0.5
                if wanted in ("Object", "patch", "list(patch)") else 0.12):
            rows = self.extra(wanted)
            if rows:
                self.budget -= 1
                template, bound = r.choice(rows)
                return self.fill(template, dict(bound), wanted, depth)
        return super().make(wanted, depth)

    def extra(self, wanted):
        if wanted not in self.rows:
            self.rows[wanted] = []
            for t in PATCHES * 3 + EXTRAS if self.patch else EXTRAS:
                bound = {}
                if (self.authz or not t.authz) and generate.match(t.result, wanted, bound):
                    self.rows[wanted].append((t, bound))
        return self.rows[wanted]

    def leaf(self, wanted):
        r = self.r
        if self.policy and wanted in PATHS and r.random() < 0.5 and not (self.scope and r.random() < 0.3):
            return Node(wanted, [r.choice(PATHS[wanted])], wanted == "bool")
        if wanted in MAKERS and r.random() < 0.6:
            return Node(wanted, [quoted(self.made(wanted), r)])
        if wanted in OF_TYPE and r.random() < 0.3:
            return Node(wanted, ["%s(%s)" % (wanted, quoted(self.made(OF_TYPE[wanted]), r))])
        return super().leaf(wanted)

    def made(self, role):
        text = MAKERS[role](self.r)
        return generate.damage(text, self.r) if self.r.random() < 0.07 else text

    def literal(self, wanted, depth):
        r = self.r
        if wanted == "verb":
            return r.choice(VERBS)
        if wanted == "op":
            return r.choice(OPS)
        if wanted == "Object":
            return r.choice(("Object{}", "Object{spec: Object.spec{a: 1}}", "Object{a: 1}"))
        if wanted == "patch":
            return r.choice(("JSONPatch{op: 'add', path: '/a', value: 1}", "JSONPatch{}",
                             "JSONPatch{op: 'remove', path: '/a'}"))
        return super().literal(wanted, depth)


def variables(line, text, environment, r):
    types, given = {}, {}
    for name in environment:
        if name.split(".")[0] not in text:
            continue
        kind, pool = environment[name]
        if kind != "dyn":
            types[name] = kind
        if pool is not None and r.random() < 0.98:
            given[name] = r.choice(pool)
    if types:
        line["types"] = types
    if given:
        line["vars"] = given


def version(line, r, chance=0.3):
    if r.random() < chance:
        line.update(env="new", version=r.choice(VERSIONS))


def cel_request(seed, index):
    g = Generator(seed, index)
    r = g.r
    tree = g.top()
    text = generate.render(tree)
    line = {"id": "k%d-%d" % (seed, index), "expr": text}
    variables(line, text, g.environment, r)
    if g.authz:
        line["authz"] = r.choice(AUTHZ)
        line["userInfo"] = r.choice((USER, {"username": "bob"}))
    if g.patch:
        line["patchTypes"] = True
    version(line, r)
    if "env" not in line and r.random() < 0.08:
        line["env"] = "libraries"
    if r.random() < 0.04:
        line["costLimit"] = r.choice((0, 1, r.randrange(40), 350000, 350001, r.randrange(400), 2 ** 63,
                                      2 ** 64 - 1))
    if r.random() < 0.06:
        line["sizeHints"] = {n + suffix: r.choice((0, 1, r.randrange(1000))) for n in g.environment
                             if n in text for suffix in ("", ".@items", ".@values", ".@keys")
                             if r.random() < 0.6}
    if r.random() < 0.03:
        line["expr"] = generate.damage(text, r)
        tree = None
    return tree, line


def condition_request(seed, index):
    g = Generator(seed, index)
    r = g.r
    g.environment, g.policy, g.authz, g.patch = POLICY, True, r.random() < 0.6, r.random() < PATCHES_OF
    parameters = r.random() < 0.5

    def text(top=None):
        g.scope, g.budget, g.depth = [], r.choice((4, 8, 12, 20)), r.choice((1, 2, 3, 4))
        made = generate.render(g.make(top, g.depth) if top else g.top())
        return generate.damage(made, r) if r.random() < 0.02 else made
    # Variables of the same name could refer to each other endlessly, which Kubernetes does not survive.
    names = r.sample(("a", "n", "list", "name", "m", "ok"), r.choice((0, 0, 1, 2, 3)))
    line = {"id": "c%d-%d" % (seed, index), "mode": "condition",
            "expressions": [text("bool" if r.random() < 0.5 else None)
                            for _ in range(r.choice((1, 1, 2, 3, 5)))]}
    if names:
        line["variables"] = [{"name": n, "expression": text()} for n in names]
        line["expressions"] += [e
                                for e in r.sample(["variables.a == 1", "variables.n > 3 && variables.n < 10",
                                    "variables.list.all(i, i > 0)", "variables.name + 'x' == variables.name",
                                    "variables.m.a", "has(variables.ok) && variables.ok"], r.choice((1, 2)))]
    if parameters:
        line.update(hasParams=True, params=r.choice(PARAMS))
    if g.authz:
        line.update(hasAuthorizer=True, authz=r.choice(AUTHZ))
    if g.patch:
        line["patchTypes"] = True
    if r.random() < 0.3:
        line["returnTypes"] = r.choice((["bool"], ["string"], ["bool", "string"], ["string", "null_type"],
                                        ["list(int)"], ["dyn"], ["any"]))
    line["budget"] = r.choice((r.randrange(20), r.randrange(200), r.randrange(100), 350000, 350010, 700010,
                               10000000, 0, -1, 1))
    if r.random() < 0.3:
        del line["budget"]
    version(line, r, 0.2)
    if r.random() < 0.05:
        line["checkOnly"] = True
    space = r.choice([n for n in NAMESPACES if n])
    if r.random() < 0.6:
        line["namespaceObject"] = space
    name = {"name": "d", "namespace": "default"}
    line["request"] = {"operation": r.choice(("CREATE", "UPDATE", "DELETE")),
                       "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
                       "resource": {"group": "apps", "version": "v1", "resource": "deployments"}, **name,
                       "userInfo": r.choice((USER, {"username": "bob"})), "dryRun": r.random() < 0.5}
    for field in ("object", "oldObject"):
        o = r.choice((POD, POD, CUSTOM, None))
        if o:
            line["request"][field] = {**o, "apiVersion": "apps/v1", "kind": "Deployment"}
    if r.random() < 0.3:
        built_in(line, r)
    return None, line


def built_in(line, r):
    kind, resource, value = r.choice(BUILT_IN)
    line["typed"] = True
    line["request"].update(kind=kind, resource={"group": kind["group"], "version": kind["version"],
        "resource": resource})
    for field in ("object", "oldObject"):
        line["request"].pop(field, None)
        if r.random() < 0.8:
            line["request"][field] = value


def request(seed, index, versions=False):
    """(tree or None, request); one of six requests has the mode `condition`."""
    tree, line = condition_request(seed, index) if random.Random(seed * 31
        + index).random() < 1 / 6 else cel_request(seed, index)
    if versions:
        line.update(env="new", version=VERSIONS[index % len(VERSIONS)])
    return tree, line


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for i in range(count):
        sys.stdout.write(json.dumps(request(seed, i)[1], ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
