#!/usr/bin/env python3
"""Every field of every built-in kind, set to values of every type by a configuration (`Object{...}`), as `review` requests,
one JSON line each.

Usage: configured_fields.py SCHEMAS RESOURCES [STEP [FIRST]] > requests.jsonl
SCHEMAS: the OpenAPI schemas of the built-in kinds, {"schemas": {name: schema}}; RESOURCES: ../shared/openapi's
resources.jsonl. STEP and FIRST take every STEPth request. A field of a struct that occurs in several places is set in one.
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got;
random_mutations.py --compare requests.jsonl want got
"""
import collections
import itertools
import json
import sys

from random_mutations import GROUP, NOT_DECODED, Schemas, field_name

VALUES = ["null", "1", "'x'", "true", "1.5", "1u", "b'x'", "[]", "[1]", "['x']", "[[1]]", "[null]", "[{'a': 1}]", "{}", "{'a': 1}",
          "{'a': 'b'}", "{'a': null}", "{'a': [1]}"]


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


def request(number, resource, expression):
    kind = resource["kind"]
    version = "/".join(filter(None, (kind["group"], kind["version"])))
    metadata = {"name": "x"} | ({"namespace": "default"} if resource["namespaced"] else {})
    rules = [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]
    policy = {"apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "p"},
              "spec": {"reinvocationPolicy": "Never", "matchConstraints": {"resourceRules": rules}, "mutations": [
                  {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}]}}
    binding = {"apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "b"},
               "spec": {"policyName": "p"}}
    return {"id": number, "mode": "review", "typed": True, "policies": [policy], "bindings": [binding],
            "namespaces": [{"metadata": {"name": "default"}}],
            "request": {"operation": "CREATE", "kind": kind, "name": "x",
                        "resource": {"group": resource["group"], "version": resource["version"], "resource": resource["resource"]},
                        **({"namespace": "default"} if resource["namespaced"] else {}),
                        "object": {"apiVersion": version, "kind": kind["kind"], "metadata": metadata}}}


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schemas = Schemas(json.load(f)["schemas"])
    schemas.seen = set()
    by_kind = {}
    for name, s in schemas.schemas.items():
        for gvk in s.get("x-kubernetes-group-version-kind", []):
            by_kind.setdefault((gvk["group"], gvk["version"], gvk["kind"]), name)
    with open(sys.argv[2], encoding="utf-8") as f:
        resources = [json.loads(line) for line in f]
    step, first = (list(map(int, sys.argv[3:5])) + [1, 0][len(sys.argv[3:5]):])
    numbers = itertools.count()
    for resource in resources:
        kind = resource["kind"]
        name = by_kind.get((kind["group"], kind["version"], kind["kind"]))
        if resource["subresource"] or "post" not in resource["verbs"] or name is None or name.startswith(NOT_DECODED) or \
                kind["group"].startswith(("auth", "admission")):
            continue
        for path in fields(schemas, schemas.resolve({"$ref": "/" + name})):
            for value in VALUES:
                number = next(numbers)
                if number % step == first:
                    print(json.dumps(request(number, resource, configured(path, value))))


if __name__ == "__main__":
    main()
