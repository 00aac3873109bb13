"""Mutations that make files wrong or odd. Each takes (random, world), changes the world and returns what it
did; None if it found nothing to change."""
import copy
import json
import random

from files.world import BINDING, GROUP, POLICY, meta, rule, split


def typo(rng, text):
    if not isinstance(text, str) or len(text) < 2:
        return "x"
    i = rng.randrange(len(text))
    return rng.choice([text[:i] + text[i + 1:], text[:i] + text[i].swapcase() + text[i + 1:], text + "s",
                       text[:i] + text[i] + text[i:], text[:-1], text + " ", text.lower()])


def pick(rng, items):
    return rng.choice(items) if items else None


def drop_document(rng, w):
    part = rng.choice(["policies", "params"])
    docs = w.parts()[part]
    if docs:
        doc = docs.pop(rng.randrange(len(docs)))
        return "without %s %s" % (doc.get("kind"), meta(doc).get("name"))
    return None


def double_document(rng, w):
    part = rng.choice(["policies", "params", "manifests"])
    doc = pick(rng, w.parts()[part])
    if doc is None:
        return None
    w.parts()[part].append(copy.deepcopy(doc))
    return "%s twice" % doc.get("kind")


def change_kind(rng, w):
    doc = pick(rng, w.everything())
    if doc is None:
        return None
    doc["kind"] = typo(rng, doc.get("kind")) if rng.random() < 0.7 else rng.choice(
        ["Pod", "Deployment", "ConfigMap", "Widget", "PodList", "Namespace", "Mesh", "Policy", POLICY, BINDING, "", None, 3])
    return "kind %s" % doc["kind"]


def change_version(rng, w):
    doc = pick(rng, w.everything())
    if doc is None:
        return None
    group, version = split(doc.get("apiVersion"))
    other = rng.choice(["v1", "v1beta1", "v1alpha1", "v2", "v1beta2", "V1", "v9", typo(rng, version)])
    doc["apiVersion"] = (group + "/" if group else "") + other
    return "apiVersion %s" % doc["apiVersion"]


def change_group(rng, w):
    doc = pick(rng, w.everything())
    if doc is None:
        return None
    group, version = split(doc.get("apiVersion"))
    group = rng.choice(["", "apps", "extensions", "batch", "policy", "example.com", "core", "v1", GROUP, typo(rng, group)])
    doc["apiVersion"] = (group + "/" if group else "") + version
    return "apiVersion %s" % doc["apiVersion"]


def drop_type(rng, w):
    doc = pick(rng, w.everything())
    return None if doc is None else "without %s: %s" % (
        name := rng.choice(["apiVersion", "kind", "metadata", "spec"]), doc.pop(name, None) is not None)


def change_namespace(rng, w):
    doc = pick(rng, w.manifests * 2 + w.params + w.old)
    if doc is None or not isinstance(doc.get("metadata"), dict):
        return None
    if rng.random() < 0.3:
        doc["metadata"].pop("namespace", None)
    else:
        doc["metadata"]["namespace"] = rng.choice(["default", "shop", "other", "kube-system", "", "Shop", None])
    return "%s in namespace %s" % (doc.get("kind"), doc["metadata"].get("namespace"))


def change_name(rng, w):
    doc = pick(rng, w.everything())
    if doc is None or not isinstance(doc.get("metadata"), dict):
        return None
    doc["metadata"]["name"] = typo(rng, doc["metadata"].get("name"))
    return "name %s of %s" % (doc["metadata"]["name"], doc.get("kind"))


def flag_namespace(rng, w):
    w.flags["-n"] = rng.choice(["default", "shop", "other"])
    return "-n " + w.flags["-n"]


def flag_operation(rng, w):
    w.flags["--operation"] = rng.choice(["CREATE", "UPDATE", "DELETE", "UPDATE", "DELETE", "CONNECT", "create"])
    return "--operation " + w.flags["--operation"]


def flag_subresource(rng, w):
    w.flags["--subresource"] = rng.choice(["status", "scale", "exec", "eviction", "ephemeralcontainers", "nope"])
    return "--subresource " + w.flags["--subresource"]


def add_old(rng, w):
    doc = pick(rng, w.manifests)
    if doc is None:
        return None
    old = copy.deepcopy(doc)
    if rng.random() < 0.4 and isinstance(old.get("metadata"), dict):
        old["metadata"]["name"] = "another"
    w.old.append(old)
    return "--old " + str(meta(old).get("name"))


def spec_of(rng, w, kind):
    doc = pick(rng, w.of(kind))
    return doc["spec"] if doc and isinstance(doc.get("spec"), dict) else None


def change_rule(rng, w):
    spec = spec_of(rng, w, POLICY)
    match = spec.get("matchConstraints") if spec else None
    if not isinstance(match, dict):
        return None
    where = rng.choice(["resourceRules", "resourceRules", "resourceRules", "excludeResourceRules"])
    rules = match.setdefault(where, [])
    if not rules:
        rules.append(rule(["*"], ["*"], ["*"], ["*"]))
    chosen = rng.choice(rules)
    sort = rng.randrange(8)
    if sort == 0:
        chosen["operations"] = rng.choice([["CREATE"], ["UPDATE"], ["DELETE"], ["*"], ["CONNECT"], ["create"], [],
                                           ["CREATE", "*"]])
    elif sort == 1:
        name = pick(rng, chosen.get("resources") or ["pods"])
        chosen["resources"] = rng.choice([[typo(rng, name)], [name + "/*"], ["*"], ["*/*"], [name, name + "/status"],
                                          [name.rstrip("s")], ["deployments"], ["*/scale"], []])
    elif sort == 2:
        chosen["apiGroups"] = rng.choice([[""], ["*"], ["apps"], ["core"], ["apps", ""], ["extensions"], []])
    elif sort == 3:
        chosen["apiVersions"] = rng.choice([["v1"], ["*"], ["v1beta1"], ["v2"], ["apps/v1"], []])
    elif sort == 4:
        chosen["scope"] = rng.choice(["Cluster", "Namespaced", "*", "cluster", ""])
    elif sort == 5:
        chosen["resourceNames"] = rng.choice([[], ["web"], ["goodpod01"], ["*"]])
    elif sort == 6:
        match["matchPolicy"] = rng.choice(["Exact", "Equivalent", "exact"])
    else:
        rules.remove(chosen)
    return "rule %d: %s" % (sort, json.dumps(chosen)[:200])


def change_selector(rng, w):
    spec = spec_of(rng, w, rng.choice([POLICY, BINDING]))
    if spec is None:
        return None
    match = spec.get("matchConstraints") if "matchConstraints" in spec else spec.setdefault("matchResources", {})
    if not isinstance(match, dict):
        return None
    selector = rng.choice([{"matchLabels": {"tier": "gold"}}, {"matchLabels": {"kubernetes.io/metadata.name": "shop"}},
                           {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn",
                                                  "values": ["default", "kube-system"]}]},
                           {"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {},
                           {"matchExpressions": [{"key": "a", "operator": "In"}]}, {"matchLabel": {"a": "b"}}])
    name = rng.choice(["namespaceSelector", "objectSelector"])
    match[name] = selector
    return "%s %s" % (name, json.dumps(selector))


def change_binding(rng, w):
    spec = spec_of(rng, w, BINDING)
    if spec is None:
        return None
    sort = rng.randrange(4)
    if sort == 0:
        spec["policyName"] = typo(rng, spec.get("policyName"))
    elif sort == 1:
        spec["validationActions"] = rng.choice([["Deny"], ["Warn"], ["Audit"], ["Warn", "Audit"], ["deny"], [],
                                                ["Deny", "Warn"], "Deny", ["Deny", "Deny"]])
    elif sort == 2:
        spec.pop(rng.choice(list(spec)), None)
    else:
        spec["matchResources"] = {"resourceRules": [rule(["*"], [rng.choice(["pods", "services", "*"])], ["*"], ["*"])]}
    return "binding %s" % json.dumps(spec)[:200]


def change_param_ref(rng, w):
    found = [d["spec"] for d in w.of(BINDING) if isinstance(d.get("spec"), dict) and d["spec"].get("paramRef")]
    spec = pick(rng, found)
    if spec is None:
        return None
    ref = spec["paramRef"]
    sort = rng.randrange(6)
    if sort == 0:
        ref["name"] = typo(rng, ref.get("name"))
    elif sort == 1:
        ref["namespace"] = rng.choice(["default", "shop", "other", ""])
    elif sort == 2:
        ref.pop("namespace", None)
    elif sort == 3:
        ref["parameterNotFoundAction"] = rng.choice(["Allow", "Deny", "deny", None])
    elif sort == 4:
        ref.pop("name", None)
        ref["selector"] = rng.choice([{}, {"matchLabels": {"use": "limit"}}, {"matchLabels": {"use": "none"}}])
    else:
        spec.pop("paramRef")
    return "paramRef %s" % json.dumps(spec.get("paramRef"))


def change_param_kind(rng, w):
    found = [d["spec"] for d in w.of(POLICY) if isinstance(d.get("spec"), dict) and d["spec"].get("paramKind")]
    spec = pick(rng, found)
    if spec is None:
        return None
    kind = spec["paramKind"]
    sort = rng.randrange(4)
    if sort == 0:
        kind["kind"] = typo(rng, kind.get("kind"))
    elif sort == 1:
        kind["apiVersion"] = rng.choice(["v1", "v2", "apps/v1", "example.com/v1", typo(rng, kind.get("apiVersion"))])
    elif sort == 2:
        kind.update(rng.choice([{"apiVersion": "v1", "kind": "ConfigMap"}, {"apiVersion": "v1", "kind": "Secret"},
                                {"apiVersion": "v1", "kind": "Namespace"}, {"apiVersion": "v1", "kind": "configmaps"}]))
    else:
        spec.pop("paramKind")
    return "paramKind %s" % json.dumps(spec.get("paramKind"))


def change_scope(rng, w):
    found = [d for d in w.params if d.get("kind") == "CustomResourceDefinition"]
    doc = pick(rng, found)
    if doc is None:
        return None
    spec = doc["spec"]
    sort = rng.randrange(5)
    if sort == 0:
        spec["scope"] = "Namespaced" if spec.get("scope") == "Cluster" else "Cluster"
    elif sort == 1:
        spec["versions"][0]["served"] = False
    elif sort == 2:
        spec["versions"][0]["name"] = "v2"
    elif sort == 3:
        spec["names"]["kind"] = typo(rng, spec["names"]["kind"])
    else:
        w.params.remove(doc)
    return "definition %d" % sort


def change_spec_field(rng, w):
    """A field of a policy or binding is misspelt, dropped or gets another type."""
    doc = pick(rng, w.of(POLICY) + w.of(BINDING))
    if doc is None:
        return None
    holder, key = rng.choice(list(places(doc)))
    return "%s: %s" % (doc.get("kind"), mutate_place(rng, holder, key))


def change_manifest_field(rng, w):
    doc = pick(rng, w.manifests)
    if doc is None:
        return None
    found = [p for p in places(doc) if p[1] not in ("apiVersion", "kind")]
    if not found:
        return None
    holder, key = rng.choice(found)
    return "manifest: " + mutate_place(rng, holder, key)


def change_param_field(rng, w):
    doc = pick(rng, w.params)
    if doc is None:
        return None
    found = [p for p in places(doc) if p[1] not in ("apiVersion", "kind", "metadata", "name")]
    if not found:
        return None
    holder, key = rng.choice(found)
    return "param: " + mutate_place(rng, holder, key)


def places(value):
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


def mutate_place(rng, holder, key):
    sort = rng.randrange(4)
    if sort == 0:
        del holder[key]
    elif sort == 1 and isinstance(holder, dict):
        holder[typo(rng, key)] = holder.pop(key)
    elif sort == 2:
        holder[key] = copy.deepcopy(rng.choice([None, True, 0, 7, -1, 1.5, "", "x", "true", "7", [], {}, ["a"], {"a": "b"}]))
    elif isinstance(holder[key], list):
        holder[key] = holder[key] * 2
    elif isinstance(holder[key], str):
        holder[key] = typo(rng, holder[key])
    else:
        holder[key] = {"a": holder[key]}
    return "%s %d" % (key, sort)


FORMS = ["json", "list", "typed-list", "bom", "utf-16-le", "utf-16-be", "crlf", "files", "flow", "stream", "tabs", "empty",
         "review"]


def change_form(rng, w):
    part, form = rng.choice(["policies", "params", "manifests", "manifests"]), rng.choice(FORMS)
    if form in ("review", "typed-list"):
        part = "manifests"
    w.forms[part] = form
    return "%s as %s" % (part, form)


def change_as_is(rng, w):
    w.as_is = True
    return "--as-is"


def params_among_policies(rng, w):
    w.policies, w.params = w.policies + w.params, []
    return "params with -p"


def several_manifests(rng, w):
    w.manifests.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "beside"}, "data": {}})
    return "another manifest"


MUTATIONS = [drop_document, drop_document, double_document, change_kind, change_kind, change_version, change_version,
             change_group, change_group, drop_type, change_namespace, change_namespace, change_name, change_name, flag_namespace,
             flag_operation, flag_operation, flag_subresource, add_old, change_rule, change_rule, change_rule, change_selector,
             change_selector, change_binding, change_binding, change_param_ref, change_param_ref, change_param_kind,
             change_param_kind, change_scope, change_scope, change_spec_field, change_spec_field, change_manifest_field, change_param_field,
             change_form, change_form, change_form, change_as_is, params_among_policies, several_manifests]


def make_case(worlds, seed, number):
    rng = random.Random(seed * 1_000_003 + number)
    world = copy.deepcopy(rng.choice(worlds))
    if world.params and rng.random() < 0.25:
        world.as_is = True
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        for _ in range(20):
            try:
                said = rng.choice(MUTATIONS)(rng, world)
            except (AttributeError, KeyError, IndexError, TypeError, ValueError):
                continue  # a mutation before took away what this one changes
            if said:
                world.log.append(said)
                break
    return world
