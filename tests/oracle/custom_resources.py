#!/usr/bin/env python3
"""Random custom resources with their definitions, created or updated, one JSON line each:
{"crd", "object", "old", "status"}.

Usage: custom_resources.py [COUNT] [SEED] > requests.jsonl
       custom_resources.py --updates [COUNT] [SEED]         few schemas, many updates: subresources, combined schemas,
                                                            metadata, what did not change
       custom_resources.py --specs [COUNT] [SEED]           definitions that are wrong beside their schemas
       custom_resources.py --compare-definitions REQUESTS WANT GOT
       custom_resources.py --compare REQUESTS WANT GOT      prints each answer that differs, and how many
       custom_resources.py --record REQUESTS WANT           the cases with their answers, for
                                                            tests/custom_resources.cc

WANT has the answers of the API server's own code (tests/oracle/customresource), GOT those of
`custom_resources --answer` or `--definitions`. Deterministic by seed. Causes are compared as a set, because Kubernetes walks
maps in random order.
"""
import copy
import json
import random
import re
import sys

import crd_rules

FORMATS = {"uuid": ["123e4567-e89b-12d3-a456-426614174000", "x"], "ipv4": ["10.0.0.1", "300.1.1.1", "::1"],
           "ipv6": ["::1", "10.0.0.1"], "cidr": ["10.0.0.0/8", "10.0.0.0"],
           "hostname": ["a.b", "-a", "a_b", "x" * 64], "email": ["a@b.c", "a", "A <a@b.c>"],
           "uri": ["https://x/y", "/a", "a b", ""], "mac": ["01:02:03:04:05:06", "1"],
           "date": ["2024-02-29", "2023-02-29", "x"], "date-time": ["2024-01-01T00:00:00Z", "2024-01-01",
               "2024-01-01t00:00:00.5+01:00"], "duration": ["1h", "3 days", "x"],
                   "byte": ["YQ==", "_-8=", "*"], "password": ["x"], "creditcard": ["4111111111111111", "1"],
                   "ssn": ["123-45-6789", "1"],
           "hexcolor": ["#fff", "#ggg"], "rgbcolor": ["rgb(1,2,3)", "rgb(1)"], "isbn": ["0-306-40615-2", "1"],
           "bsonobjectid": ["507f1f77bcf86cd799439011", "x"],
           "uuid4": ["123e4567-e89b-42d3-a456-426614174000", "x"], "isbn10": ["0306406152", "1"],
           "isbn13": ["9780306406157", "1"], "k8s-short-name": ["a", "A"], "k8s-long-name": ["a.b", "A."],
           "datetime": ["x"], "unknown": ["x"]}
METAS = [{"labels": {"a": "b"}}, {"labels": {"-a": "b"}}, {"labels": {"a": "b c"}}, {"labels": {"x/y/z": ""}},
         {"annotations": {"A": "é", "_": ""}}, {"annotations": {"a b": ""}},
         {"finalizers": ["example.com/a"]}, {"finalizers": ["a"]},
         {"finalizers": ["orphan", "foregroundDeletion"]}, {"name": "Bad_Name"}, {"name": "a/b"},
         {"name": "."}, {"name": "x" * 260}, {"name": ""}, {"name": "", "generateName": "g-"},
         {"generateName": "G_"}, {"unknown": 1}, {"labels": {"a": 1}}, {"labels": None},
         {"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}]},
         {"ownerReferences": [{"apiVersion": "a/b/c", "kind": "", "name": "p"}]},
         # Two, since a handler before the registry makes equal ones one.
         {"ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "p", "uid": uid, "controller": True}
                              for uid in "uv"]}, {"name": 1}, {"creationTimestamp": None},
                                   {"deletionTimestamp": "2024-01-01T00:00:00Z"}, {"generation": -1},
                                   {"generation": 5},
                                   {"managedFields": [{"operation": "X", "manager": "a\nb"}]},
                                   {"labels": ["a"]}, {"uid": "u", "resourceVersion": "7"},
                                   {"selfLink": "/x", "ownerReferences": None}]


class Maker(crd_rules.Maker):
    """Schemas that a server accepts, with everything that is checked without CEL."""

    def schema(self, depth):
        s = super().schema(depth)
        return s

    def limit(self, s):
        """Adds bounds to a structural schema and its parts."""
        r, t = self.r, s.get("type")
        for word in ("allOf", "anyOf", "oneOf", "not"):
            if not s.get("x-kubernetes-int-or-string"):
                s.pop(word, None)
        if t == "string":
            if self.chance(0.3):
                s["minLength"] = r.choice([0, 1, 3])
            if self.chance(0.15):
                s["pattern"] = r.choice(["^[a-z]*$", "a|b", "\\d", "^.{2}$", "(?i)x"])
            if self.chance(0.25) and "enum" not in s:
                s["format"] = r.choice(list(FORMATS))
        if t in ("integer", "number"):
            for word in ("minimum", "maximum"):
                if self.chance(0.2):
                    s[word] = r.choice([0, 1, 5, 2.5, -1, 1e21, 100])
                    if self.chance(0.3):
                        s["exclusive" + word.capitalize()] = True
            if self.chance(0.15):
                s["multipleOf"] = r.choice([1, 2, 0.5, 3, 0.1])
            if self.chance(0.1):
                s["enum"] = r.sample([0, 1, 2, 3.5, 100], 2)
            if self.chance(0.2):
                s["format"] = r.choice(["int32", "int64", "float", "double"])
        if t == "array":
            if self.chance(0.3):
                s["minItems"] = r.choice([0, 1, 2])
        if t == "object":
            if self.chance(0.15):
                s["minProperties"] = r.choice([0, 1, 2])
            if self.chance(0.1):
                s["maxProperties"] = r.choice([0, 1, 2])
            names = list(s.get("properties", {}))
            if names and self.chance(0.25):
                s["required"] = sorted(set(s.get("required", [])) | {r.choice(names)}
                                       | ({"missing"} if self.chance(0.1) else set()))
            if names and self.chance(0.2):
                self.combine(s, names)
        if t in ("string", "integer") and self.chance(0.1):
            part = {"string": [{"minLength": 2}, {"pattern": "^a"}, {"enum": ["a", "abc"]}, {"maxLength": 1}],
                    "integer": [{"minimum": 2}, {"maximum": 1}, {"multipleOf": 2}]}[t]
            word = r.choice(["allOf", "anyOf", "oneOf", "not"])
            s[word] = r.choice(part) if word == "not" else r.sample(part, 2)
        for sub in list(s.get("properties", {}).values()) + [s.get("items"), s.get("additionalProperties")]:
            if isinstance(sub, dict):
                self.limit(sub)

    def combine(self, s, names):
        r = self.r
        parts = [{"required": [r.choice(names)]} for _ in range(2)]
        word = r.choice(["anyOf", "oneOf", "allOf", "not"])
        s[word] = parts[0] if word == "not" else parts

    def value(self, s, bad=0.02):
        if (s.get("type") == "string" and s.get("format") in FORMATS and "enum" not in s
                and self.r.random() > bad):
            return self.r.choice(FORMATS[s["format"]])
        return super().value(s, bad)


def case(r, number):
    m = Maker(r)
    m.large = 0
    spec = m.object(r.choice([1, 2, 3]))
    m.limit(spec)
    if m.chance(0.5):
        spec["x-kubernetes-validations"] = m.rules("self", spec)
        for rule in spec["x-kubernetes-validations"]:
            rule.pop("reason", None)
    if m.chance(0.4):
        m.add_nested(spec)
    m.most_keys = 1 if any(walk in json.dumps(spec) for walk in crd_rules.WALKS) else 3
    root = {"type": "object", "properties": {"spec": spec}}
    if m.chance(0.2):
        root["properties"]["status"] = {"type": "object",
                                        "properties": {"n": {"type": "integer", "minimum": 1}}}
    if m.chance(0.2):
        root["required"] = ["spec"]
    if m.chance(0.1):
        root["properties"]["metadata"] = {"type": "object",
                                          "properties": {"name": {"type": "string", "maxLength": 3}}}
    if m.chance(0.1):
        root["x-kubernetes-validations"] = [{"rule": r.choice(["self.metadata.name.size() < 3",
            "has(self.spec)", "self.kind == 'Widget'", "self.metadata.name == oldSelf.metadata.name"])}]
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": root}}
    if m.chance(0.15):
        version["subresources"] = {"status": {}}
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": "widgets.example.com"},
           "spec": {"group": "example.com", "scope": r.choice(["Namespaced", "Namespaced", "Cluster"]),
                    "versions": [version], "names": {"kind": "Widget", "listKind": "WidgetList",
                        "plural": "widgets", "singular": "widget"}}}
    bad = r.choice([0, 0.02, 0.05, 0.1])
    meta = {"name": "w", **({"namespace": "ns"} if crd["spec"]["scope"] == "Namespaced" else {})}
    out = {"id": number, "crd": crd, "object": {"apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": dict(meta), "spec": m.value(spec, bad)}}
    if m.chance(0.3):
        out["object"]["status"] = r.choice([{"n": 0}, {"n": 1}, {}, None, "x"])
    if m.chance(0.05):
        out["object"].pop("spec")
    if m.chance(0.05):
        out["object"]["extra"] = 1
    if m.chance(0.5):
        out["old"] = copy.deepcopy(out["object"])
        if "spec" in out["object"] and m.chance(0.8):
            out["old"]["spec"] = m.mutate(spec, out["old"]["spec"]) if m.chance(0.7) else m.value(spec, bad)
        if m.chance(0.2):
            out["old"]["metadata"].update(copy.deepcopy(r.choice([v for v in METAS if "name" not in v
                and v.get("labels", {}) != {"a": 1}])))
    if m.chance(0.25):
        out["object"]["metadata"].update(copy.deepcopy(r.choice(METAS)))
    return out


def part(r):
    """A spec or a status for the schemas of UPDATED."""
    out = {}
    if r.random() < 0.7:
        out["replicas"] = r.choice([1, 2, 3, -1, 2147483647, 2147483648, 0, 1.5, "three", True, None, {},
                                    {"a": [1, None, "x", 1.5]}, [1, "b"]])
    if r.random() < 0.5:
        out["selector"] = r.choice(["a=b", "", 1, None, {"a": 1}, ["x"], True])
    for name, chance, values in (("n", 0.4, [1, 4, 5, 9]), ("kind", 0.2, ["a", "abc"]), ("apiVersion", 0.2, ["a", "abc"]),
                                 ("l", 0.2, [["a"], ["a", "a"], ["a", "b"]]),
                                 ("e", 0.15, [{"apiVersion": "v1", "kind": "A"}, {"kind": 1},
                                              {"apiVersion": "v1", "kind": "A", "metadata": {"name": "A B"}}])):
        if r.random() < chance:
            out[name] = r.choice(values)
    return r.choice([out] * 8 + [None, "x", [], {}])


def updated_schema(r):
    if r.random() < 0.4:
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    short = {"type": "string", "maxLength": 2}
    properties = {"replicas": {"type": "integer"}, "selector": {"type": "string"}, "kind": short, "apiVersion": short,
                  "n": {"type": "integer", "minimum": 3},
                  "l": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                  "e": {"type": "object", "x-kubernetes-embedded-resource": True,
                        "x-kubernetes-preserve-unknown-fields": True}}
    more = r.choice([{}, {"required": ["n"]}, {"not": {"required": ["selector"]}}, {"nullable": True}, {"maxProperties": 3},
        {"anyOf": [{"properties": {"n": {"minimum": 5}}}, {"required": ["replicas"]}]},
        {"allOf": [{"properties": {"n": {"enum": [9]}}}]}, {"not": {"properties": {"n": {"enum": [9]}}}},
        {"x-kubernetes-validations": [{"rule": "self.n > 4"}]},
        {"x-kubernetes-validations": [{"rule": "self.n >= oldSelf.n", "message": "down"}]}])
    return {"type": "object", "properties": properties, **more}


def update_case(r, number):
    def made(name):
        out = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}}
        for member, chance in (("spec", 0.9), ("status", 0.8)):
            if r.random() < chance:
                out[member] = part(r)
        return out

    properties = {"spec": updated_schema(r), "status": updated_schema(r)}
    name = {"type": "string", **r.choice([{"maxLength": 2}, {"enum": ["abc"]}])}
    if r.random() < 0.6:
        properties["metadata"] = {"type": "object", **r.choice([{}, {"properties": {"name": name}}])}
    more = r.choice([{}, {}, {"required": ["status"]}, {"anyOf": [{"required": ["spec"]}, {"required": ["status"]}]},
                     {"x-kubernetes-validations": [{"rule": "has(self.spec) && self.metadata.name != 'abc'"}]}])
    subresources = {"status": {}} if r.random() < 0.8 else {}
    if r.random() < 0.7:
        subresources["scale"] = {"specReplicasPath": r.choice([".spec.replicas", ".spec.replicas.a", ".spec.a.b"]),
                                 "statusReplicasPath": r.choice([".status.replicas", ".status.replicas.x"])}
        if r.random() < 0.6:
            subresources["scale"]["labelSelectorPath"] = r.choice([".status.selector", ".spec.selector",
                                                                   ".status.selector.x"])
    version = {"name": "v1", "served": True, "storage": True, "subresources": subresources,
               "schema": {"openAPIV3Schema": {"type": "object", "properties": properties, **more}}}
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
           "metadata": {"name": "widgets.example.com"},
           "spec": {"group": "example.com", "scope": "Cluster", "versions": [version],
                    "names": {"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"}}}
    name = r.choice(["a", "abc", "a.b"])
    out = {"id": number, "crd": crd, "object": made(name)}
    if r.random() < 0.7:
        out["old"] = made(name) if r.random() < 0.5 else copy.deepcopy(out["object"])
        if r.random() < 0.4 and isinstance(out["old"].get("spec"), dict):
            out["old"]["spec"]["n"] = 7
        if "status" in subresources and r.random() < 0.6:
            out["status"] = True
        for part_of, manager in (("object", "new"), ("old", "old")):
            if r.random() < 0.3:
                out[part_of]["metadata"]["managedFields"] = [
                    {"manager": manager, "operation": "Update", "apiVersion": "example.com/v1", "time": "2024-01-01T00:00:00Z",
                     "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {}}, "subresource": "status"}]
    return out


def spec_case(r, number):
    """A definition whose parts beside the schemas are right or wrong."""
    def some(chance, good, *bad):
        return good if r.random() < chance else r.choice(bad)

    def version(i):
        out = {"name": some(0.9, f"v{i + 1}", "v1", "V1", "1v", "", "v.1"), "served": True, "storage": some(0.9, i == 0, i != 0),
               "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
                   "properties": {"a": {"type": "string"}, "m": {"type": "object", "additionalProperties": {"type": "integer"}},
                                  **{f"f{j}": {"type": "boolean"} for j in range(9)}}}}, **some(0.8, {}, {"anyOf": [{"required": ["spec"]}]},
                       {"minProperties": 1}, {"nullable": True}, {"x-kubernetes-preserve-unknown-fields": True},
                       {"type": "string"}, {"description": "x"})}}}
        if r.random() < 0.3:  # formats of defaults count in every type
            out["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["d"] = {
                "type": r.choice(["string", "integer", "number", "boolean", "object", "array", "x"]),
                "format": r.choice([*FORMATS, "int32", "int64", "uint32", "uint64", "float", "float32", "double", "x"]),
                "default": r.choice(["x", "2024-01-01", 1, -1, 5000000000, 1.5, 1e300, True, [], {}, ["a"]]),
                **r.choice([{}, {"minimum": 0}, {"items": {"type": "string"}}])}
        if r.random() < 0.05:
            out["schema"] = r.choice([{}, None])
        if r.random() < 0.5:
            out["subresources"] = {}
            if r.random() < 0.7:
                out["subresources"]["status"] = {}
            if r.random() < 0.6:
                out["subresources"]["scale"] = {
                    "specReplicasPath": some(0.7, ".spec.replicas", "spec.replicas", ".status.replicas", "", ".", ".spec"),
                    "statusReplicasPath": some(0.7, ".status.replicas", "", ".spec.replicas", "x", ".status")}
                if r.random() < 0.5:
                    out["subresources"]["scale"]["labelSelectorPath"] = some(0.6, ".status.selector", ".spec.x", "", "a", ".x")
        if r.random() < 0.4:
            out["additionalPrinterColumns"] = [{"name": some(0.8, "A", ""), "type": some(0.7, "string", "", "object", "date"),
                "jsonPath": some(0.8, ".spec.a", "", "spec", "."), **some(0.7, {}, {"format": "int32"}, {"format": "x"})}
                for _ in range(r.randint(0, 2))]
        if r.random() < 0.3 and out["schema"] != {}:  # there the server panics
            good = [f".spec.f{j}" for j in range(r.choice([1, 1, 2, 3, 8, 9]))]
            out["selectableFields"] = [{"jsonPath": some(0.85, path, ".spec", ".spec.a", ".spec.m.x", ".spec['a']", "spec.a", "",
                                                         ".spec.none", ".metadata.name", ".spec.m", ".spec.a.b", ".", ".spec.f0")}
                                       for path in good]
        if r.random() < 0.2:
            out["deprecated"] = r.random() < 0.7
            out["deprecationWarning"] = r.choice(["old", "", "x" * 257, "a\u0007b", "é", "a\u00a0b"])
        return out

    group = some(0.8, "example.com", "", "example", "Example.com", "a.k8s.io", "kubernetes.io", "-a.b", "xk8s.io")
    plural = some(0.85, "widgets", "", "Widgets", "wid.gets")
    names = {"plural": plural, "kind": some(0.85, "Widget", "", "wid get", "1W")}
    for member, values in (("singular", ["widget", "", "Widget"]), ("listKind", ["WidgetList", "Widget", "a b", ""]),
                           ("shortNames", [["w"], ["W", ""], []]), ("categories", [["all"], ["A.b"]])):
        if r.random() < 0.4:
            names[member] = some(0.5, values[0], *values[1:])
    versions = [version(i) for i in range(r.choice([1] * 8 + [0, 2, 2, 3]))]
    if len(versions) > 1 and r.random() < 0.5:
        member = r.choice(["schema", "subresources", "additionalPrinterColumns", "selectableFields"])
        for v in versions[1:]:
            v.pop(member, None)
            if member in versions[0]:
                v[member] = copy.deepcopy(versions[0][member])
    spec = {"group": group, "names": names, "scope": some(0.9, "Namespaced", "", "cluster", "Cluster"), "versions": versions}
    if r.random() < 0.3:
        spec["conversion"] = {"strategy": r.choice(["None", "Webhook", "Webhook", "", "x"])}
        if r.random() < 0.7:
            client = {}
            if r.random() < 0.6:
                service = {"name": some(0.9, "s", ""), "namespace": some(0.9, "n", "")}
                if r.random() < 0.4:
                    service["port"] = some(0.5, 8443, 0, 65535, 65536, -1)
                if r.random() < 0.4:
                    service["path"] = some(0.5, "/convert", "", "/", "//", "a", "/A", "/a//b", "/a/")
                client["service"] = service
            if r.random() < (0.2 if client else 0.8):
                client["url"] = some(0.4, "https://x.example/c", "", "http://x.example", "https://", "https://u:p@x.example/c",
                                     "https://x.example/?a=b", "https://x.example/#f", ":", "x.example")
            if r.random() < 0.2:
                client["caBundle"] = some(0.5, "YQ==", "")
            spec["conversion"]["webhook"] = {"conversionReviewVersions": r.choice([["v1"], [], ["v2"], ["v1", "v1"], ["V1", "v1beta1"]]),
                                             **some(0.8, {"clientConfig": client}, {})}
    if r.random() < 0.1:
        spec["preserveUnknownFields"] = r.random() < 0.5
    meta = {"name": some(0.85, f"{plural}.{group}", "widgets", "Widgets.example.com", "a b")}
    if r.random() < 0.5:
        meta["annotations"] = {"api-approved.kubernetes.io": r.choice(["https://github.com/x/1", "unapproved, test", "x", "",
                                                                       "/a", "http:///a"])}
    if r.random() < 0.3:
        more = copy.deepcopy(r.choice([m for m in METAS if not {"name", "generateName", "uid"} & set(m)
                                       and m.get("labels") != {"a": 1} and m.get("labels") != ["a"]]))
        meta.update({k: v for k, v in more.items() if k != "annotations" or "annotations" not in meta})
    return {"id": number, "crd": {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": meta,
                                  "spec": spec}}


def without_structs(error):
    """The text of an error without the struct of Go that we leave out, and without the random number of a type's name."""
    error = re.sub(r"selfType\d+", "selfType", error)
    # Upstream tells `items` that is no schema, as 5, from one that is absent.
    error = re.sub(r"\.items: Invalid value: \{.*\}: must only have a single schema if", ".items: Required value: must have a schema if",
                   error)
    return re.sub(r"^(spec\.versions|\S*openAPIV3Schema): Invalid value: [\[{].+[\]}]: (must|only)", r"\1: Invalid value: \2",
                  error)


def as_double(error):
    """The text of an error with a number beyond 64 bits as the oracle is given it; we have the double that kubectl sends."""
    return error.replace("number 9223372036854776000 ", "number 9223372036854775808 ")


def compare_definitions(requests, want, got):
    total = different = refused = skipped = 0
    with open(requests, encoding="utf-8") as q, open(want, encoding="utf-8") as w, open(got, encoding="utf-8") as g:
        for request, a, b in zip(q, w, g, strict=True):
            total += 1
            x, y = json.loads(a), json.loads(b)
            if "panic" in x or "inputError" in y:
                skipped += 1
                continue
            # What does not decode is the only error.
            ours, theirs = y["crdErrors"], [x["inputError"]] if "inputError" in x else x["crdErrors"] or ()
            errors = sorted({without_structs(e) for e in theirs})
            refused += bool(errors)
            if errors != sorted({as_double(e) for e in ours}):
                different += 1
                print("REQUEST", request.strip(), "\nWANT", json.dumps(errors, ensure_ascii=False), "\nGOT ",
                      json.dumps(y["crdErrors"], ensure_ascii=False), "\n")
    print(f"{total} definitions, {different} differ, {refused} refused, {skipped} not compared")
    return 1 if different else 0


def essence(a):
    """The real answer in the form of the runner."""
    if "decodeError" in a:
        return {"decodeError": a["decodeError"]}
    causes = sorted(re.sub(r"selfType\d+", "selfType", c["field"] + ": " + c["message"])
                    for c in (a.get("status") or {}).get("details", {}).get("causes", ()))
    warnings = sorted((a.get("warnings") or []) + ["unknown field " + json.dumps(f, ensure_ascii=False)
        for f in a.get("unknown") or ()])
    return {"errors": causes, "object": None if causes else a.get("object"), "warnings": warnings}


def usable(a):
    return "panic" not in a and "inputError" not in a and "error" not in a and ("status" not in a
        or a["status"]["reason"] == "Invalid")


def compare(requests, want, got):
    total = different = skipped = refused = 0
    with open(requests, encoding="utf-8") as q, open(want, encoding="utf-8") as w, open(got,
            encoding="utf-8") as g:
        for request, a, b in zip(q, w, g, strict=True):
            total += 1
            x, y = json.loads(a), json.loads(b)
            if not usable(x):
                skipped += 1
                continue
            refused += "status" in x
            if essence(x) != y:
                different += 1
                print("REQUEST", request.strip(), "\nWANT", json.dumps(essence(x), ensure_ascii=False),
                      "\nGOT ", json.dumps(y, ensure_ascii=False), "\n")
    print(f"{total} answers, {different} differ, {refused} refused, {skipped} not compared")
    return 1 if different else 0


def record(requests, want):
    """The cases with their real answers, for tests/custom_resources.cc."""
    with open(requests, encoding="utf-8") as q, open(want, encoding="utf-8") as w:
        for request, a in zip(q, w, strict=True):
            line, answer = json.loads(request), json.loads(a)
            if usable(answer):
                print(json.dumps({**line, "id": str(line["id"]), "want": essence(answer)}, ensure_ascii=False,
                                 separators=(",", ":")))


def main():
    if sys.argv[1:2] == ["--compare"]:
        sys.exit(compare(*sys.argv[2:5]))
    if sys.argv[1:2] == ["--compare-definitions"]:
        sys.exit(compare_definitions(*sys.argv[2:5]))
    if sys.argv[1:2] == ["--record"]:
        return record(*sys.argv[2:4])
    make = {"--updates": update_case, "--specs": spec_case}.get(sys.argv[1] if len(sys.argv) > 1 else "", case)
    numbers = [int(a) for a in sys.argv[1:] if not a.startswith("--")]
    r = random.Random(numbers[1] if len(numbers) > 1 else 1)
    for i in range(numbers[0] if numbers else 1000):
        print(json.dumps(make(r, i), ensure_ascii=False))


if __name__ == "__main__":
    main()
