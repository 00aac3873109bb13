#!/usr/bin/env python3
"""Every field of every built-in kind, as requests, one JSON line each: set to values of every type, or used in expressions.

Usage: every_field.py configure|patch|decode|typecheck SCHEMAS RESOURCES > requests.jsonl
SCHEMAS: the OpenAPI schemas of the built-in kinds, {"schemas": {name: schema}}; RESOURCES: ../shared/openapi's
resources.jsonl. A field of a struct that occurs in several places is taken once.
`configure` sets it by a configuration (`Object{...}`), `patch` by JSON patches, `decode` in the object, and `typecheck` uses
it in expressions that most types do not have.
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got;
random_mutations.py --compare requests.jsonl want got (configure, patch);
mutate_typecheck.py --compare requests.jsonl want got ORACLE (typecheck); diff want got (decode)
"""
import collections
import itertools
import json
import sys

from random_mutations import GROUP, NOT_DECODED, Schemas, field_name

CEL_VALUES = ["null", "1", "'x'", "true", "1.5", "1u", "b'x'", "[]", "[1]", "['x']", "[[1]]", "[null]", "[{'a': 1}]", "{}", "{'a': 1}",
          "{'a': 'b'}", "{'a': null}", "{'a': [1]}"]


JSON_VALUES = [None, 1, -1, 1.5, 1e30, 9223372036854775808, "x", "", "1", "2020-01-01T00:00:00Z", "1Gi", "YQ==", True, [], [1], ["x"], [None],
               [[1]], [{}], {}, {"a": 1}, {"a": "b"}, {"a": None}, {"a": {}}, {"a": []}]
USES = ["%s + 1 == 1", "%s.startsWith('a')", "%s.nope == 1", "%s[0] == 1", "%s['a'] == 1", "%s.all(x, x == 1)", "has(%s)", "%s == 1",
        "%s == 'a'", "%s < 1", "%s.isGreaterThan(quantity('1'))", "size(%s) == 1", "%s", "type(%s) == string", "%s in ['a']",
        "'a' in %s", "%s == null", "%s.matches('a')", "timestamp(%s) == %s", "%s.getHours() == 1"]


def configured(path, value):
    """The expression that sets the last field of a path: (field, literals of the keys if it is an item of a list)."""
    names = ["Object"]
    heads = []
    for name, keys in path:
        heads.append((".".join(names), name))
        names.append(name)
        if keys is not None:
            heads.append((".".join(names), keys))
    for i, (head, content) in enumerate(heads[:-1]):
        if not isinstance(content, str):
            heads[i] = (head, [(k, v) for k, v in content if k != heads[i + 1][1]])
    for head, content in reversed(heads):
        if isinstance(content, str):
            value = (head, field_name(content) + ": " + (value if isinstance(value, str) else "%s{%s}" % value))
        else:
            value = "[%s{%s}]" % (head, ", ".join(["%s: %s" % (field_name(k), v) for k, v in content] + [value[1]]))
    return "%s{%s}" % value


def nested(path, value):
    """The JSON of an object in which the last field of a path is set, without apiVersion and kind."""
    for name, keys in reversed(path):
        if keys is not None:
            value = [{k: json.loads(v.replace("'", '"')) for k, v in keys} | value]
        value = {name: value}
    return value


def used(path, use):
    """An expression that uses the last field of a path."""
    text, heads = "object", []
    for name, keys in path:
        text += "." + field_name(name)
        if keys is not None:
            heads.append("%s.all(v%d, " % (text, len(heads)))
            text = "v%d" % (len(heads) - 1)
    return "".join(heads) + use.replace("%s", text) + ")" * len(heads)


def patches(path, value):
    """JSON patches that set the last field of a path, and all that is above it."""
    *above, (last, _) = path
    out, here = [], ""
    for name, keys in above:
        here += "/" + name
        if here == "/metadata":
            continue
        empty = "{}" if keys is None else "[%s]" % json.dumps(nested([("x", keys)], {})["x"][0]).replace('"', "'")
        out.append("JSONPatch{op: 'add', path: '%s', value: %s}" % (here, empty))
        here += "" if keys is None else "/0"
    return "[%s]" % ", ".join(out + ["JSONPatch{op: 'add', path: '%s/%s', value: %s}" % (here, last, value)])


def item_keys(schemas, s, item):
    """The keys that an item needs."""
    out = []
    for key in s.get("x-kubernetes-list-map-keys", []):
        kind = schemas.resolve(item["properties"][key]).get("type")
        out.append((key, {"integer": "1", "boolean": "true"}.get(kind, "'a'")))
    return out


def fields(schemas, root):
    """The paths to all fields of a kind, a field of a struct once over all kinds."""
    waiting = collections.deque([(root, [])])
    while waiting:
        s, path = waiting.popleft()
        for name, p in s.get("properties", {}).items():
            if not path and name in ("apiVersion", "kind"):
                continue
            if (s.get("name"), name) in schemas.seen:
                continue
            schemas.seen.add((s.get("name"), name))
            here = path + [(name, None)]
            yield here
            p = schemas.resolve(p)
            if "properties" in p:
                waiting.append((p, here))
            elif p.get("type") == "array":
                item = schemas.resolve(p.get("items", {}))
                if "properties" in item:
                    waiting.append((item, path + [(name, item_keys(schemas, p, item))]))


RULES = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]


def bare(resource):
    kind = resource["kind"]
    return {"apiVersion": "/".join(filter(None, (kind["group"], kind["version"]))), "kind": kind["kind"],
            "metadata": {"name": "x"} | ({"namespace": "default"} if resource["namespaced"] else {})}


def mutation(resource, patch_type, expression):
    member = patch_type[0].lower() + patch_type[1:] if patch_type != "JSONPatch" else "jsonPatch"
    policy = {"apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "p"},
              "spec": {"reinvocationPolicy": "Never", "matchConstraints": {"resourceRules": RULES}, "mutations": [
                  {"patchType": patch_type, member: {"expression": expression}}]}}
    binding = {"apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "b"},
               "spec": {"policyName": "p"}}
    return {"mode": "review", "typed": True, "policies": [policy], "bindings": [binding],
            "namespaces": [{"metadata": {"name": "default"}}],
            "request": {"operation": "CREATE", "kind": resource["kind"], "name": "x",
                        "resource": {m: resource[m] for m in ("group", "version", "resource")},
                        **({"namespace": "default"} if resource["namespaced"] else {}), "object": bare(resource)}}


def decoding(resource, path, value):
    made, given = bare(resource), nested(path, value)
    if isinstance(given.get("metadata"), dict):
        made["metadata"] |= given.pop("metadata")
    return {"mode": "decode", "object": made | given}


def type_check(resource, expressions):
    rule = {"apiGroups": [resource["group"]], "apiVersions": [resource["version"]], "operations": ["*"],
            "resources": [resource["resource"]]}
    return {"mode": "typecheck", "policy": {
        "apiVersion": GROUP + "/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": e} for e in expressions]}}}


# The requests about a field, by mode.
MODES = {
    "configure": lambda r, path: [mutation(r, "ApplyConfiguration", configured(path, v)) for v in CEL_VALUES],
    "patch": lambda r, path: [mutation(r, "JSONPatch", patches(path, v)) for v in CEL_VALUES],
    "decode": lambda r, path: [decoding(r, path, v) for v in JSON_VALUES],
    "typecheck": lambda r, path: [type_check(r, [used(path, use) for use in USES])],
}


def main():
    make = MODES[sys.argv[1]]
    with open(sys.argv[2], encoding="utf-8") as f:
        schemas = Schemas(json.load(f)["schemas"])
    schemas.seen = set()
    by_kind = {}
    for name, s in schemas.schemas.items():
        for gvk in s.get("x-kubernetes-group-version-kind", []):
            by_kind.setdefault((gvk["group"], gvk["version"], gvk["kind"]), name)
    with open(sys.argv[3], encoding="utf-8") as f:
        resources = [json.loads(line) for line in f]
    numbers = itertools.count()
    for resource in resources:
        kind = resource["kind"]
        name = by_kind.get((kind["group"], kind["version"], kind["kind"]))
        if resource["subresource"] or "post" not in resource["verbs"] or name is None or name.startswith(NOT_DECODED) or \
                kind["group"].startswith(("auth", "admission")):
            continue
        for path in fields(schemas, schemas.resolve({"$ref": "/" + name})):
            for request in make(resource, path):
                print(json.dumps({"id": next(numbers), **request}))


if __name__ == "__main__":
    main()
