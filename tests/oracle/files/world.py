"""The files of one run of the program, as data, and the worlds that mutations start from: cases of the policy
corpus, and some that it lacks (params of built-in kinds, namespaces, other operations)."""
import copy
import json

import yaml

GROUP = "admissionregistration.k8s.io"
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"


def documents(path):
    with open(path, encoding="utf-8") as f:
        return [plain(d) for d in yaml.load_all(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) if d]


def plain(value):
    if isinstance(value, dict):
        return {(k if isinstance(k, str) else json.dumps(k)): plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def group_of(doc):
    return split(doc.get("apiVersion"))[0]


def split(api_version):
    group, _, version = (api_version if isinstance(api_version, str) else "").rpartition("/")
    return group, version


def meta(doc):
    value = doc.get("metadata")
    return value if isinstance(value, dict) else {}


def definition(api_version, kind, scope="Cluster"):
    group, version = split(api_version)
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": kind.lower() + "s." + group},
            "spec": {"group": group, "scope": scope, "names": {"kind": kind, "plural": kind.lower() + "s"},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


class World:
    """The files of one run, and the options of the program."""

    def __init__(self, policies, params, manifests, old=()):
        self.policies, self.params, self.manifests, self.old = list(policies), list(params), list(manifests), list(old)
        self.flags = {}  # --operation, --subresource, -n
        self.as_is = False
        self.forms = {}  # part -> how it is written, by mutations
        self.log = []

    def parts(self):
        return {"policies": self.policies, "params": self.params, "manifests": self.manifests, "old": self.old}

    def everything(self):
        return self.policies + self.params + self.manifests + self.old

    def of(self, kind):
        return [d for d in self.policies if d.get("kind") == kind]


def corpus_worlds(corpus):
    with open(corpus / "manifest.json", encoding="utf-8") as f:
        manifest = json.load(f)
    for entry in manifest:
        if entry["kind"] != POLICY:
            continue
        for case in entry["cases"]:
            if case.get("review") or not case.get("file"):
                continue
            def load(name):
                path = case.get(name, entry.get(name))
                return documents(corpus / path) if path else []
            policies = documents(corpus / entry["policy"]) + load("binding")
            params = load("params") + load("namespaceObject")
            for policy in policies:
                kind = (policy.get("spec") or {}).get("paramKind")
                if kind:
                    params.append(definition(kind["apiVersion"], kind["kind"]))
            world = World(policies, params, documents(corpus / case["file"])[:1], load("oldObject"))
            if case.get("requestNamespace"):
                world.flags["-n"] = case["requestNamespace"]
            yield world


def policy(name, rules, validations, **spec):
    return {"apiVersion": GROUP + "/v1", "kind": POLICY, "metadata": {"name": name},
            "spec": {"matchConstraints": {"resourceRules": rules}, "validations": validations, **spec}}


def binding(name, **spec):
    return {"apiVersion": GROUP + "/v1", "kind": BINDING, "metadata": {"name": name + "-binding"},
            "spec": {"policyName": name, "validationActions": ["Deny"], **spec}}


def rule(groups, resources, operations=("CREATE", "UPDATE"), versions=("v1",), **more):
    return {"apiGroups": list(groups), "apiVersions": list(versions), "resources": list(resources),
            "operations": list(operations), **more}


def own_worlds():
    """Cases that the corpus lacks: params of built-in kinds, by name and selector; namespaces; other
    operations."""
    limit = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "limit", "namespace": "shop",
                                                                   "labels": {"use": "limit"}}, "data": {"max": "3"}}
    shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"tier": "gold"}}}
    maps = {"apiVersion": "v1", "kind": "ConfigMap"}
    for replicas in (2, 7):
        deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
                      "spec": {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": {
                          "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}}}}
        few = policy("few", [rule(["apps"], ["deployments"])],
                     [{"expression": "object.spec.replicas <= int(params.data.max)"}], paramKind=maps)
        for reference in ({"name": "limit", "namespace": "shop"}, {"name": "limit"},
                          {"selector": {"matchLabels": {"use": "limit"}}}, {"selector": {}, "namespace": "shop"}):
            for action in ("Deny", "Allow"):
                yield World([few, binding("few", paramRef={**reference, "parameterNotFoundAction": action})],
                            [limit, shop], [deployment])
        gold = policy("gold", [rule(["apps"], ["deployments", "deployments/scale"])],
                      [{"expression": "object.spec.replicas <= 3"}])
        yield World([gold, binding("gold", matchResources={"namespaceSelector": {"matchLabels": {"tier": "gold"}}})],
                    [shop], [deployment])
        yield World([policy("keep", [rule(["apps"], ["deployments"], ["DELETE"])],
                            [{"expression": "oldObject.spec.replicas < 5"}]), binding("keep")], [shop], [deployment])
        grow = policy("grow", [rule(["apps"], ["deployments"], ["UPDATE"])],
                      [{"expression": "object.spec.replicas >= oldObject.spec.replicas"}])
        before = copy.deepcopy(deployment)
        before["spec"]["replicas"] = 5
        yield World([grow, binding("grow")], [shop], [deployment], [before])
        yield World([policy("beta", [rule(["autoscaling"], ["horizontalpodautoscalers"], versions=["v1"])],
                            [{"expression": "object.spec.maxReplicas < 5"}]), binding("beta")], [],
                    [{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
                      "spec": {"maxReplicas": replicas, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}}])
