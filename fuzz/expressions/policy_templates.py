"""Templates for kubernetes.py: paths into the values of a policy (PATHS), functions that generate.py calls less often or not
so (EXTRAS), and the patches of mutating policies (PATCHES).
"""
from generate import Template

# Paths, as an author would write them who trusts the types.
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
