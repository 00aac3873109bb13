#!/usr/bin/env python3
"""Random `review` requests with one or two mutating policies: JSON patches of every operation and path form with values
of every kind, and configurations (`Object{...}`) over all list and map types of the built-in kinds and of custom
resources, applied to objects that are decoded (`typed`) or stand as they are, created or updated.

Usage: random_mutations.py SCHEMAS COUNT [SEED] > requests.jsonl       SCHEMAS: the OpenAPI schemas of the built-in
                                                                       kinds, {"schemas": {name: schema}}
       random_mutations.py --compare REQUESTS WANT GOT                 prints each answer that differs, and how many
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got

Deterministic by seed. Kubernetes walks maps in random order: several errors of one configuration, or several
atomic paths, are compared as sets; if one of several fields is undeclared, only the existence of errors is
compared. Panics and accidents of Kubernetes (docs/faithfulness.md), and objects that it cannot read, are
counted and set aside.
"""
import json
import random
import re
import sys

import oracle_errors

GROUP = "admissionregistration.k8s.io"
KEYWORDS = {"in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
            "loop", "package", "namespace", "return", "var", "void", "while", "true", "false", "null"}
KEYS = ["a", "b", "c", "app.kubernetes.io/name", "x/y~z"]
TEXTS = ["a", "b", "c", "x-y", "10%", "é\"\\<&>", ""]
# Kinds that the oracle does not decode; policies never see those of the groups auth* and admission*.
NOT_DECODED = ("io.k8s.kube-aggregator", "io.k8s.apiextensions", "io.k8s.api.apiserverinternal",
               "io.k8s.api.storagemigration", "io.k8s.api.lifecycle")
# Values that an expression may have where another type is expected.
WRONG = ["null", "1", "'x'", "true", "1.5", "3u", "[1]", "[]", "[[1]]", "{'a': 1}", "{'a': {'b': 1}}", "{}", "b'x'",
         "timestamp('2020-01-01T01:02:03.5Z')", "duration('1h1s')", "type(1)", "optional.none()", "optional.of(2)",
         "optional.of('z')", "[null]", "[optional.none()]", "object.metadata", "[object.metadata]", "4294967297",
         "9007199254740993", "-1", "1e20", "1e6", "[1] + [2]", "{'a': null}", "[{'a': 'b'}]", "2.0"]
VALUES = WRONG + ["'a'", "['a', 'b']", "[{'name': 'a'}]", "{'a': 'b', 'c': 'd'}", "Object{a: 1}", "Object{a: {'b': 'c'}}",
                  "Object.spec{a: Object.spec.a{b: [1]}}", "Object.spec{a: Object.spec.b{}}", "[Object.x{y: 1}]",
                  "quantity('1Gi')", "ip('10.0.0.1')", "{1: 2}", "object", "9007199254740991", "9007199254740992u",
                  "double('NaN')", "Object{a: null}", "Object{a: [object]}", "-0.0", "1.0", "{'a': {'b': [1, 2]}}",
                  "JSONPatch{}", "object.spec"]


def literal(v):
    if isinstance(v, list):
        return "[" + ", ".join(literal(x) for x in v) + "]"
    if isinstance(v, dict):
        return "{" + ", ".join(literal(k) + ": " + literal(x) for k, x in v.items()) + "}"
    return json.dumps(v, ensure_ascii=False)


def field_name(name):
    return name if name.isidentifier() and name.isascii() and name not in KEYWORDS else "`%s`" % name


class Schemas:
    """Schemas by name, as structured merge reads them."""

    def __init__(self, schemas):
        self.schemas = schemas

    def resolve(self, s):
        ref = s.get("$ref") or (len(s.get("allOf", [])) == 1 and s["allOf"][0].get("$ref"))
        if not ref:
            return s
        name = ref.rsplit("/", 1)[1]
        made = dict(self.schemas[name])
        made["name"] = name
        if "x-kubernetes-map-type" in s:
            made["x-kubernetes-map-type"] = s["x-kubernetes-map-type"]
        return made


def is_atomic(s):
    if s.get("type") == "array":
        return s.get("x-kubernetes-list-type") not in ("set", "map")
    return s.get("x-kubernetes-map-type") == "atomic"


class Maker:
    def __init__(self, rng, schemas):
        self.rng, self.schemas = rng, schemas

    # An object

    def data(self, s, depth, name=""):
        rng, s = self.rng, self.schemas.resolve(s)
        kind = s.get("type", "")
        if s.get("name", "").endswith(".Quantity"):
            return rng.choice(["1", "500m", "1Gi", "2"])
        if s.get("name", "").endswith((".RawExtension", ".FieldsV1", ".JSON")):
            return rng.choice([{"a": 1}, {"a": {"b": "c"}, "l": [1, {"x": None}]}])
        if s.get("x-kubernetes-int-or-string") or s.get("format") == "int-or-string":
            return rng.choice([1, 80, "10%", "http"])
        if kind == "array":
            return self.items(s, depth, lambda item: self.data(item, depth + 1, name))
        if kind == "object" and "properties" in s:
            return self.struct(s, depth)
        if kind == "object" and isinstance(s.get("additionalProperties"), dict):
            return {rng.choice(KEYS): self.data(s["additionalProperties"], depth + 1) for _ in range(rng.randrange(3))}
        if kind == "object" or s.get("x-kubernetes-preserve-unknown-fields"):
            return rng.choice([{}, {"a": 1}, {"a": {"b": [1, {"c": 2}], "d": {}}, "e": "f"}, {"l": [], "n": 1.5}])
        return self.scalar(s, kind)

    def scalar(self, s, kind):
        rng = self.rng
        if kind in ("integer", "number"):
            return rng.choice([0, 1, 2, 80, -1])
        if kind == "boolean":
            return rng.random() < 0.5
        if kind == "string":
            if s.get("format") == "date-time":
                return "2020-01-02T03:04:05Z"
            return rng.choice(["", "YQ=="]) if s.get("format") == "byte" else rng.choice(TEXTS)
        return rng.choice([{"a": 1}, 1, "x", [1]])

    def struct(self, s, depth):
        rng = self.rng
        chance = 0.9 if depth == 0 else max(0.12, 0.6 - 0.07 * depth)
        if len(s["properties"]) > 15:
            chance *= 0.5
        made = {}
        for name, p in s["properties"].items():
            if name in ("apiVersion", "kind", "managedFields", "creationTimestamp", "deletionTimestamp") and depth < 2:
                continue
            if rng.random() < chance and depth < 9:
                made[name] = self.data(p, depth + 1, name)
        return made

    # Items of a list whose keys have few values, so that sets and keyed lists have items with equal keys.
    def items(self, s, depth, make):
        rng, item = self.rng, self.schemas.resolve(s.get("items", {}))
        count = rng.choice([0, 1, 1, 2, 3]) if depth < 6 else rng.choice([0, 1])
        made = [make(s.get("items", {})) for _ in range(count)]
        if s.get("x-kubernetes-list-type") == "set" and rng.random() < 0.93:
            made = [x for i, x in enumerate(made) if x not in made[:i]]
        if s.get("x-kubernetes-list-type") != "map":
            return made
        seen, kept = set(), []
        for x in made:
            for key in s["x-kubernetes-list-map-keys"]:
                p = item.get("properties", {}).get(key, {})
                few = [1, 2] if p.get("type") in ("integer", "number") else [True, False] if p.get(
                    "type") == "boolean" else ["a", "b", "c"]
                if rng.random() < 0.95 and isinstance(x, dict):
                    x[key] = rng.choice(few)
            told = json.dumps([x.get(k) if isinstance(x, dict) else 0 for k in s["x-kubernetes-list-map-keys"]])
            if told not in seen or rng.random() < 0.05:
                kept.append(x)
            seen.add(told)
        return kept

    # A configuration

    def configuration(self, s, path, depth, odd):
        """A literal for the schema `s` at `path` (["Object", "spec"])."""
        rng, s = self.rng, self.schemas.resolve(s)
        if rng.random() < odd:
            return rng.choice(WRONG)
        if s.get("type") == "array":
            return self.list_literal(s, path, depth, odd)
        if s.get("type") == "object" and "properties" in s:
            return self.struct_literal(s, path, depth, odd)
        if s.get("type") == "object" and isinstance(s.get("additionalProperties"), dict):
            inner = self.schemas.resolve(s["additionalProperties"])
            if inner.get("type") in ("object", "array") and rng.random() < 0.9:
                return "{}"
            keys = rng.sample(KEYS, rng.randrange(3))
            return "{" + ", ".join(
                literal(k) + ": " + self.configuration(inner, path, depth + 1, odd) for k in keys) + "}"
        value = self.data(s, depth)
        if isinstance(value, (dict, list)):
            return rng.choice(["{'a': 1}", "{'b': 'x'}", "{}", "'t'", "{'a': {'b': 1}}", "object.metadata"] +
                              (["[1]"] if odd else []))
        return literal(value)

    def list_literal(self, s, path, depth, odd):
        made = self.items(s, depth, lambda item: self.data(item, depth + 1))
        item = self.schemas.resolve(s.get("items", {}))
        if item.get("type") != "object" or "properties" not in item:
            return literal(made) if not made or not isinstance(made[0], (dict, list)) else "[]"
        out = []
        for x in made:
            keys = s.get("x-kubernetes-list-map-keys", [])
            fields = {k: literal(x[k]) for k in keys if k in x}
            out.append(self.struct_literal(item, path, depth + 1, odd, fields))
        # The items of a list have one type: a map among structs is no valid literal.
        return "[" + ", ".join(out) + "]"

    def struct_literal(self, s, path, depth, odd, fields=None):
        rng, fields = self.rng, dict(fields or {})
        names = [n for n in s["properties"] if n not in ("apiVersion", "kind")]
        rng.shuffle(names)
        for name in names[:rng.choice([1, 1, 2, 3, 4])]:
            p = self.schemas.resolve(s["properties"][name])
            if name in fields or depth > 8 or is_atomic(p) and rng.random() < 0.97:
                continue
            fields[name] = self.configuration(p, path + [name], depth + 1, odd)
        if rng.random() < odd:
            fields[rng.choice(["nope", "a-b", "Name"])] = rng.choice(WRONG)
        if rng.random() < odd and path:
            path = path[:-1] + [path[-1] + "x"]
        return ".".join(path) + "{" + ", ".join(self.entry(field_name(n), v) for n, v in fields.items()) + "}"

    def entry(self, name, value):
        chance = self.rng.random()
        if chance < 0.02:
            return "?%s: optional.none()" % name
        return ("?%s: optional.of(%s)" if chance < 0.04 else "%s: %s") % (name, value)

    # A JSON patch

    def pointer(self, object):
        """A path to a part of the object, or to nothing."""
        rng, at, parts = self.rng, object, []
        while isinstance(at, (dict, list)) and at and (not parts or rng.random() < 0.75):
            if isinstance(at, dict):
                key = rng.choice(list(at))
                at = at[key]
                parts.append(key.replace("~", "~0").replace("/", "~1"))
            else:
                i = rng.randrange(len(at))
                parts.append(rng.choice([str(i), str(i), str(i - len(at)), "-", str(len(at)), "+%d" % i, "0%d" % i]))
                at = at[i]
        odd = rng.random()
        if odd < 0.15:
            parts.append(rng.choice(["a", "nope", "-", "0", "-1", "-9", "99", "x~0y~1z", "", "~2", "labels"]))
        elif odd < 0.2 and parts:
            parts[-1] = rng.choice(["nope", "-", "1", "", "a\\u0001", "a\\u00e9", "\\n"])
        elif odd < 0.22:
            return rng.choice(["", "", "/", "a", "a/metadata/name", "//", "/metadata//"])
        elif odd < 0.25:
            parts += rng.choice([["nope", "a"], ["a", "0"], ["-", "a"], ["0", "a", "b"], ["99", "a"]])
        return "/" + "/".join(parts)

    def operation(self, object):
        rng = self.rng
        op = rng.choice(["add", "add", "add", "replace", "replace", "remove", "move", "copy", "test"] +
                        (["", "nope"] if rng.random() < 0.05 else []))
        path = self.pointer(object)
        fields = ["op: '%s'" % op, "path: '%s'" % path.replace("'", "\\'")]
        if op in ("move", "copy") and rng.random() < 0.97:
            source = self.pointer(object)
            if rng.random() < 0.15:  # the path itself, what it is in, or what is in it
                source = rng.choice([path, path.rpartition("/")[0], path + "/a", path + "/0"])
            fields.append("from: '%s'" % source.replace("'", "\\'"))
        if op in ("add", "replace", "test") and rng.random() < 0.95:
            fields.append("value: " + self.patch_value(object, path, op))
        if rng.random() < 0.03:
            fields.pop(rng.randrange(len(fields)))
        return "JSONPatch{" + ", ".join(fields) + "}"

    def patch_value(self, object, path, op):
        rng, at = self.rng, object
        if rng.random() < (0.25 if op == "test" else 0.45):
            return "dyn(%s)" % rng.choice(VALUES)
        for part in path.split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            try:
                at = at[int(part)] if isinstance(at, list) else at[part]
            except (KeyError, IndexError, ValueError, TypeError):
                return rng.choice(["'a'", "1", "{'name': 'z'}", "true"])
        if op != "test" and isinstance(at, (str, int)) and not isinstance(at, bool) and rng.random() < 0.5:
            at = rng.choice(TEXTS) if isinstance(at, str) else rng.choice([0, 5, 7])
        return dynamic(at)


def dynamic(v):
    """A literal whose lists and maps may be of mixed types."""
    if isinstance(v, list):
        return "[" + ", ".join("dyn(%s)" % dynamic(x) for x in v) + "]"
    if isinstance(v, dict):
        return "{" + ", ".join(literal(k) + ": dyn(%s)" % dynamic(x) for k, x in v.items()) + "}"
    return literal(v)


class Definitions:
    """Schemas of custom resources with every type of list and map."""

    def __init__(self, rng):
        self.rng = rng

    def schema(self, depth, key=False):
        rng = self.rng
        kind = rng.choice(["string", "integer", "boolean", "number", "object", "object", "array", "array", "map",
                           "any", "int-or-string"]) if depth < 4 and not key else rng.choice(["string", "integer"])
        if kind == "object":
            s = {"type": "object", "properties": {n: self.schema(depth + 1) for n in rng.sample("pqrstu", 3)}}
            if rng.random() < 0.15:
                s["x-kubernetes-preserve-unknown-fields"] = True
            if rng.random() < 0.15:
                s["x-kubernetes-map-type"] = rng.choice(["atomic", "granular"])
        elif kind == "map":
            s = {"type": "object", "additionalProperties": self.schema(depth + 1)}
            if rng.random() < 0.15:
                s["x-kubernetes-map-type"] = rng.choice(["atomic", "granular"])
        elif kind == "array":
            s = self.list_schema(depth)
        elif kind == "any":
            s = rng.choice([{"x-kubernetes-preserve-unknown-fields": True},
                            {"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"type": "object"},
                            {"type": "object", "x-kubernetes-preserve-unknown-fields": True,
                             "x-kubernetes-embedded-resource": True}])
        elif kind == "int-or-string":
            s = {"x-kubernetes-int-or-string": True}
        else:
            s = {"type": kind}
            if kind == "string" and rng.random() < 0.1:
                s["format"] = rng.choice(["date-time", "byte", "duration"])
        if rng.random() < 0.2 and not key:
            s["nullable"] = True
        if rng.random() < 0.2 and kind in ("string", "integer", "boolean"):
            s["default"] = {"string": "d", "integer": 7, "boolean": True}[kind]
            if s.get("format"):
                del s["default"]
        return s

    def list_schema(self, depth):
        rng = self.rng
        of = rng.choice([None, "atomic", "set", "set", "map", "map", "map"])
        if of == "map":
            item = {"type": "object", "properties": {n: self.schema(depth + 1) for n in rng.sample("qrstu", 2)}}
            keys = rng.choice([["k"], ["k"], ["k", "j"], ["j", "k"]])
            for k in keys:
                item["properties"][k] = self.schema(depth + 1, key=True)
                item["properties"][k].pop("format", None)
            item["required"] = [k for k in keys if "default" not in item["properties"][k]]
            return {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
                    "items": item}
        s = {"type": "array", "items": {"type": rng.choice(["string", "integer"])} if of == "set" or
             rng.random() < 0.5 else self.schema(depth + 1)}
        if of:
            s["x-kubernetes-list-type"] = of
        return s

    def definition(self):
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {
            n: self.schema(1) for n in "abcdef"}}, "status": self.schema(3)}}
        if self.rng.random() < 0.1:
            schema["x-kubernetes-preserve-unknown-fields"] = True
        return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": "widgets.example.com"}, "spec": {
                    "group": "example.com", "scope": "Namespaced",
                    "names": {"plural": "widgets", "kind": "Widget", "singular": "widget", "listKind": "WidgetList"},
                    "versions": [{"name": "v1", "served": True, "storage": True,
                                  "schema": {"openAPIV3Schema": schema}}]}}


class Requests:
    def __init__(self, path, seed):
        self.rng = random.Random(seed)
        self.builtin = Schemas(json.load(open(path, encoding="utf-8"))["schemas"])
        self.kinds = []
        for name, s in self.builtin.schemas.items():
            meta = self.builtin.resolve(s.get("properties", {}).get("metadata", {})).get("name", "")
            for k in s.get("x-kubernetes-group-version-kind", []):
                if meta.endswith(".ObjectMeta") and not name.startswith(NOT_DECODED) and \
                        not k["group"].startswith(("auth", "admission")) and "meta.k8s" not in k["group"]:
                    self.kinds.append((k["group"], k["version"], k["kind"], {"$ref": "#/x/" + name}))
        self.common = [k for k in self.kinds if k[2] in ("Pod", "Deployment", "Service", "ConfigMap", "StatefulSet")]

    def request(self, i):
        rng = self.rng
        if rng.random() < 0.35:
            definition = Definitions(rng).definition()
            schemas = Schemas(self.builtin.schemas)
            schema = json.loads(json.dumps(definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]))
            schema["properties"]["metadata"] = {"$ref": "#/x/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}
            kind, crds, typed = ("example.com", "v1", "Widget", schema), [definition], False
        else:
            schemas, crds = self.builtin, []
            kind, typed = rng.choice(self.common if rng.random() < 0.5 else self.kinds), rng.random() < 0.7
        group, version, name, schema = kind
        maker = Maker(rng, schemas)
        object = maker.data(schema, 0)
        meta = {k: v for k, v in object.get("metadata", {}).items() if k in ("labels", "annotations", "finalizers",
                                                                              "ownerReferences")}
        meta.update(name="x", namespace="default")
        object = {"apiVersion": version if not group else group + "/" + version, "kind": name, "metadata": meta,
                  **{k: v for k, v in object.items() if k != "metadata"}}
        policies, bindings = [], []
        for name_of_policy in rng.choice([["p"], ["p"], ["p"], ["p", "q"]]):
            policies.append({
                "apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": name_of_policy},
                "spec": {"reinvocationPolicy": rng.choice(["Never", "Never", "IfNeeded"]),
                         "failurePolicy": rng.choice(["Fail", "Fail", "Fail", "Ignore"]),
                         "matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"],
                                                                 "operations": ["*"], "resources": ["*"]}]},
                         "mutations": self.mutations(maker, schema, object)}})
            bindings.append({"apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicyBinding",
                             "metadata": {"name": "b" + name_of_policy}, "spec": {"policyName": name_of_policy}})
        asked = {"operation": "CREATE", "kind": {"group": group, "version": version, "kind": name},
                 "resource": {"group": group, "version": version, "resource": name.lower() + "s"},
                 "name": "x", "namespace": "default", "object": object, "userInfo": {"username": "e"}}
        if rng.random() < 0.2:
            asked.update(operation="UPDATE", oldObject=dict(object, metadata={"name": "x", "namespace": "default"}))
        if rng.random() < 0.1:
            asked["dryRun"] = True
        made = {"id": i, "mode": "review", "typed": typed, "policies": policies, "bindings": bindings,
                "namespaces": [{"metadata": {"name": "default"}}], "request": asked}
        if crds:
            made["crds"] = crds
        return made

    def mutations(self, maker, schema, object):
        rng, mutations = self.rng, []
        for _ in range(rng.choice([1, 1, 1, 2])):
            if rng.random() < 0.5:
                text = "[" + ", ".join(maker.operation(object) for _ in range(rng.choice([1, 1, 2, 3, 5]))) + "]"
                mutations.append({"patchType": "JSONPatch", "jsonPatch": {"expression": text}})
            else:
                odd = rng.choice([0, 0, 0, 0.03, 0.15])
                text = maker.configuration(schema, ["Object"], 0, odd)
                if not text.startswith("Object{"):
                    text = "Object{}"
                mutations.append({"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": text}})
        return mutations


def told(answer):
    """The compared parts of an answer: (form, exact text or object)."""
    if "panic" in answer:
        return ("panic", None)
    if "inputError" in answer:
        return ("input", None)
    if answer["allowed"]:
        # The time of the request, which is the default of some fields.
        return ("ok", re.sub(r'("timeAdded": )"[^"]*"', r'\1"now"', json.dumps(answer["patchedObject"], sort_keys=True)))
    status = answer.get("status") or {"message": answer.get("error", "")}
    text = status["message"]
    for mark, separator in (("typed object: errors:", "\n"), ("maps or structs: ", ", "), ("type mismatch: ", "\n")):
        if mark in text:
            head, rest = text.split(mark, 1)
            text = head + mark + "|".join(sorted(rest.split(separator)))
    # Which value of a map is decoded first is random.
    text = re.sub(r"(illegal base64 data at input byte )\d+", r"\1", text)
    # The walk of a map ends with its first undeclared field.
    if "field not declared" in text or "typed object: errors:" in text:
        text = "field not declared: " + text.split("typed object: ")[0]
    return ("%s %s" % (status.get("code"), status.get("reason")), text)


def compare(requests, want, got):
    count = differ = panics = refused = inputs = accidents = errors = 0
    for line, w, g in zip(open(requests, encoding="utf-8"), open(want, encoding="utf-8"),
                          open(got, encoding="utf-8")):
        count += 1
        r = json.loads(line)
        w, g = told(json.loads(w)), told(json.loads(g))
        # To the oracle a nil slice in place of an empty list is a change; to the API server it is none.
        before = json.dumps(r["request"]["object"], sort_keys=True)
        if w[0] == "ok" and g == ("ok", "null") and w[1].replace("null", "[]") == before.replace("null", "[]"):
            w = ("ok", "null")
        panics += w[0] == "panic"
        refused += w[0] not in ("ok", "panic", "input")
        inputs += w[0] == "input"
        # Addresses of Go, its empty slices, and lists within keys, printed in errors.
        dumps = re.search(r"0x[0-9a-f]{6,}|:\[\][ \]]|=\S*{{undefined}}", w[1] or "") is not None and w[0] == g[0]
        accidents += w != g and dumps
        if w == g or dumps or w[0] in ("panic", "input"):
            continue
        if oracle_errors.name_of(line, g[1] or ""):
            errors += 1
            continue
        differ += 1
        print("id", r["id"], "typed" if r["typed"] else "plain", r["request"]["kind"]["kind"])
        for m in [m for p in r["policies"] for m in p["spec"]["mutations"]]:
            print("  ", m[m["patchType"][:1].lower() + m["patchType"][1:] if m["patchType"] != "JSONPatch" else
                  "jsonPatch"]["expression"])
        print("   want", w[0], (w[1] or "")[:3000])
        print("   got ", g[0], (g[1] or "")[:3000])
    print(f"{count} requests, {differ} differ, {panics} panics, {refused} refused, {inputs} not read, "
          f"{accidents} accidents, {errors} errors of the oracle")
    sys.exit(1 if differ else 0)


def main():
    if sys.argv[1] == "--compare":
        return compare(*sys.argv[2:5])
    requests = Requests(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    for i in range(int(sys.argv[2])):
        print(json.dumps(requests.request(i), ensure_ascii=False))


if __name__ == "__main__":
    main()
