#!/usr/bin/env python3
"""Random `crdrule` requests, one JSON line each: a structural schema, rules at its root
and below, and values.

Usage: crd_rules.py [COUNT] [SEED] > requests.jsonl
       crd_rules.py --compare REQUESTS WANT GOT [ORACLE]     prints each answer that differs, and how many

Deterministic by seed. Kubernetes walks properties and maps in random order: errors are compared as a set, and
rules do not depend on the order of a map's keys. The order also decides which error comes first: with ORACLE,
a program that answers requests, different cases are asked again, and one equal answer suffices. If the
oracle's own answers differ among themselves and never equal ours (`self == self` forty times), ours must have
what they have in common ("chance"). Answers `panic` are not compared. Cases of a row of accidents.py are set
aside and counted.
"""
import collections
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz", "expressions"))
import accidents  # noqa: E402
from crd_expressions import RESERVED, Expressions, escape

# How often to ask again about a case that depends on a random order: in a map of two entries, one comes first
# 7 times of 8.
AGAIN = 60
NAMES = ["a", "b", "c", "x", "count", "names", "items", "spec", "namespace", "in", "a-b", "a.b", "x/y",
         "a__b", "_z", "1bad", "k w", "kind", "if", "metadata", "__dot__"]
TEXTS = ["", "a", "b", "abc", "a-b", "x.y", "Hello World", "été", "10", "1Gi", "a,b,c",
         "https://example.com/p?q=1", "10.0.0.1", "v1.2.3", "日本"]
DURATIONS = ["1s", "1h30m", "2 days", "100ms", "1.5h", "-5m", "bad", "0", "3w", "1d2h", "1 hour 5 mins"]
DATES = ["2020-01-01", "2024-02-29", "1999-12-31", "2021-02-30", "x"]
TIMES = ["2020-01-01T00:00:00Z", "2024-02-29T12:34:56.789Z", "2020-01-01T01:00:00+01:00",
         "2020-06-01T00:00:00.123456Z", "2020-13-01T00:00:00Z", "2020-01-01t00:00:00z", "2020-01-01T10:00:00",
         ""]
BYTES = ["", "YQ==", "YWJj", "aGVsbG8gd29ybGQ=", "_-8=", "+/8=", "x"]
KEYS = ["a", "b", "c-d", "namespace", "k1", ""]
LARGE = 0.03  # how often a value has long lists
WALKS = (".all(", ".exists", ".map(", ".filter(", "transform", "sortBy(")
FORMATS = ["uuid", "ipv4", "hostname", "email", "unknown", "uri", "bsonobjectid", "ipv6", "cidr", "mac",
           "uuid4", "isbn", "creditcard", "ssn", "hexcolor", "rgbcolor", "password", "datetime", "int32",
           "int-or-string", "k8s-short-name"]
VERSIONS = ["1.22", "1.24", "1.26", "1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35",
            "1.36", "1.37"]
REASONS = ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate",
           "FieldValueTooLong", ""]
# Keywords that make a schema not structural, or that structural schemas do not support.
ODDITIES = [{"$ref": "#/definitions/a"}, {"definitions": {"a": {"type": "string"}}},
            {"dependencies": {"a": ["b"]}}, {"patternProperties": {"^a": {"type": "string"}}},
            {"additionalItems": True}, {"id": "x"}, {"$schema": "http://json-schema.org/schema#"},
            {"not": {"type": "string"}}, {"uniqueItems": True}, {"title": "t", "description": "d"},
            {"example": {"a": 1}}, {"externalDocs": {"url": "x"}},
            {"x-kubernetes-preserve-unknown-fields": False}, {"x-kubernetes-list-type": "foo"},
            {"x-kubernetes-map-type": "foo"}, {"x-kubernetes-list-map-keys": ["a"]},
            {"x-kubernetes-embedded-resource": True}, {"x-kubernetes-int-or-string": True},
            {"additionalProperties": {"type": "string"}}, {"items": {"type": "string"}}, {"properties": {}},
            {"type": "null"}, {"type": "foo"}, {"type": ""},
            {"anyOf": [{"properties": {"a": {"type": "string"}}}]},
            {"allOf": [{"items": {"type": "string"}}]}, {"oneOf": [{"default": 1}]},
            {"not": {"nullable": True}}, {"allOf": [{"x-kubernetes-int-or-string": True}]},
            {"anyOf": [{"additionalProperties": {"minimum": 1}}]}, {"minLength": 1, "maxLength": -1},
            {"maxItems": -2}, {"maxProperties": -1}, {"multipleOf": 2},
            {"exclusiveMinimum": True, "minimum": 1.5}, {"enum": [1, None, "abc", [1]]},
            {"format": "int-or-string"}, {"nullable": True}, {"additionalProperties": True},
            {"additionalProperties": False}, {"properties": {"a": {}}}, {"items": {}},
            {"allOf": [{"required": ["a"]}, {"properties": {"a": {"minLength": 1}}}]}]


class Maker:
    def __init__(self, r):
        self.r = r
        self.most_keys = 3  # 1 once a rule walks over a map, whose order is random
        self.is_root = False
        self.large = 0.5 if r.random() < LARGE else 0

    # --- schemas

    def chance(self, p):
        return self.r.random() < p

    def scalar(self):
        r = self.r
        kind = r.choice(["string"] * 6 + ["integer"] * 4 + ["number"] * 2 + ["boolean"] * 2 + ["ios"]
                        + ["date", "date-time", "duration", "byte"])
        if kind == "ios":
            s = {"x-kubernetes-int-or-string": True}
            if self.chance(0.3):
                s["anyOf"] = [{"type": "integer"}, {"type": "string"}]
            if self.chance(0.2):
                s["maxLength"] = 10
            return s
        if kind in ("date", "date-time", "duration", "byte"):
            s = {"type": "string", "format": kind}
            if self.chance(0.2):
                s["maxLength"] = r.choice([5, 40])
            return s
        s = {"type": kind}
        if kind == "string":
            if self.chance(0.4):
                s["maxLength"] = r.choice([0, 1, 10, 63, 253, 4096])
            if self.chance(0.15):
                s["enum"] = r.sample(["a", "b", "abc", "longer value", "été"], 3)
            if self.chance(0.1):
                s["format"] = r.choice(FORMATS)
            if self.chance(0.1):
                s["pattern"] = "^[a-z]*$"
        if kind == "integer" and self.chance(0.3):
            s["format"] = r.choice(["int32", "int64"])
        if kind in ("integer", "number") and self.chance(0.2):
            s["minimum"] = 0
        return s

    def schema(self, depth):
        r = self.r
        kind = "scalar" if depth <= 0 else r.choice(["scalar"] * 3 + ["object"] * 3 + ["array"] * 3
            + ["map"] * 2 + ["preserve", "embedded", "open"])
        if kind == "scalar":
            s = self.scalar()
        elif kind == "object":
            s = self.object(depth)
        elif kind == "array":
            s = self.array(depth)
        elif kind == "map":
            s = {"type": "object", "additionalProperties": self.schema(depth - 1)}
            if self.chance(0.4):
                s["maxProperties"] = r.choice([0, 3, 20])
        elif kind == "preserve":
            s = {"x-kubernetes-preserve-unknown-fields": True}
            if self.chance(0.6):
                s["type"] = "object"
                if self.chance(0.5):
                    s["properties"] = {n: self.schema(depth - 1) for n in r.sample(NAMES, 2)}
        elif kind == "embedded":
            s = {"type": "object", "x-kubernetes-embedded-resource": True,
                 "x-kubernetes-preserve-unknown-fields": True}
            if self.chance(0.5):
                s["properties"] = {"kind": {"type": "string"}, "apiVersion": {"type": "string"},
                                   "metadata": {"type": "object"}, "spec": self.object(depth - 1)}
        else:
            s = {"type": "object"}
            if self.chance(0.3):
                s["additionalProperties"] = self.chance(0.5)
        if self.chance(0.12):
            s["nullable"] = True
        if self.chance(0.02):
            s.update(json.loads(json.dumps(r.choice(ODDITIES))))
        if self.chance(0.03) and s.get("type"):
            self.add_all_of(s)
        if self.chance(0.05) and s.get("type") in ("string", "integer", "boolean", "number"):
            s["default"] = {"string": "a", "integer": 1, "boolean": True, "number": 1.5}[s["type"]]
        return s

    def add_all_of(self, s):
        """Value validations with rules, which act like rules of the schema itself."""
        part = {}
        if s.get("properties") and self.chance(0.7):
            name = self.r.choice(list(s["properties"]))
            part["properties"] = {name: {"x-kubernetes-validations": self.rules("self",
                s["properties"][name])}}
        elif isinstance(s.get("items"), dict) and self.chance(0.5):
            part["items"] = {"x-kubernetes-validations": self.rules("self", s["items"])}
        else:
            part["x-kubernetes-validations"] = self.rules("self", s)
        s[self.r.choice(["allOf", "allOf", "allOf", "anyOf", "oneOf"])] = [part] + ([{"minLength": 1}]
            if self.chance(0.3) else [])

    def object(self, depth):
        r = self.r
        names = r.sample(NAMES, r.choice([1, 2, 3, 4]))
        s = {"type": "object", "properties": {n: self.schema(depth - 1) for n in names}}
        if self.chance(0.4):
            s["required"] = r.sample(names, r.randint(1, len(names)))
        if self.chance(0.15):
            s["x-kubernetes-map-type"] = r.choice(["atomic", "granular"])
        return s

    def array(self, depth):
        r = self.r
        kind = r.choice(["", "", "atomic", "set", "set", "map", "map"])
        s = {"type": "array"}
        if kind == "map":
            keys = r.sample(["name", "port", "a-b", "namespace", "k", "z"], r.choice([1, 1, 1, 2, 3, 4]))
            props = {k: r.choice([{"type": "string"}, {"type": "string", "maxLength": 10},
                                  {"type": "integer"}]) for k in keys}
            props.update({n: self.schema(depth - 2)
                          for n in r.sample(["a", "b", "v", "x__y"], r.choice([0, 1, 2]))})
            s["items"] = {"type": "object", "properties": props, "required": keys}
            s["x-kubernetes-list-map-keys"] = keys
        elif kind == "set":
            s["items"] = self.scalar()
        else:
            s["items"] = self.schema(depth - 1)
        if kind:
            s["x-kubernetes-list-type"] = kind
        if self.chance(0.5):
            s["maxItems"] = r.choice([0, 1, 5, 10, 100])
        return s

    # --- values

    def value(self, s, bad=0.02):
        r = self.r
        if r.random() < bad:
            return r.choice([None, 1, "a", 1.5, True, [], {}, ["a"], {"a": 1}])
        if s.get("nullable") and self.chance(0.2):
            return None
        if s.get("x-kubernetes-int-or-string"):
            return r.choice([0, 1, 80, "a", "80%", "http"])
        t = s.get("type")
        if t == "string":
            if "enum" in s:
                return r.choice(s["enum"])
            return r.choice({"date": DATES, "date-time": TIMES, "duration": DURATIONS,
                             "byte": BYTES}.get(s.get("format"), TEXTS))
        if t == "integer":
            return r.choice([0, 1, 2, 3, 5, 100, -1, 2147483647, 9007199254740993]
                            + [2.0, 9223372036854775807, -9223372036854775808,
                               9223372036854775808] * (self.r.random() < 0.1))
        if t == "number":
            return r.choice([0, 1, 1.5, -2.25, 1e30, 3.0, 0.1, 100, -0.0, 18446744073709551615])
        if t == "boolean":
            return self.chance(0.5)
        if t == "array":
            keys = s.get("x-kubernetes-list-map-keys", [])
            item = s["items"] if isinstance(s.get("items"), dict) else {}
            items = [self.value(item, bad)
                     for _ in range(r.choice([20, 60, 200])
                                    if self.chance(self.large) else r.choice([0, 1, 2, 2, 3, 4]))]
            for i in items:  # a list or map as a key makes Go panic
                for k in keys if isinstance(i, dict) else []:
                    if isinstance(i.get(k), (list, dict)):
                        i[k] = "k"
            if s.get("x-kubernetes-list-type") in ("set", "map") and self.chance(0.9):
                seen, unique = set(), []
                for i in items:
                    key = json.dumps([i.get(k) for k in keys] if keys and isinstance(i, dict) else i)
                    if key not in seen:
                        unique.append(i)
                    seen.add(key)
                items = unique
            return items
        if t == "object" or s.get("x-kubernetes-preserve-unknown-fields"):
            out = {}
            if isinstance(s.get("additionalProperties"), dict):
                for k in (r.sample(KEYS, min(self.most_keys, r.choice([0, 1, 2, 3])))
                          if not self.chance(self.large)
                          else [f"k{i}" for i in range(min(self.most_keys, 50))]):
                    out[k] = self.value(s["additionalProperties"], bad)
            for name, p in s.get("properties", {}).items():
                if name in s.get("required", []) or self.chance(0.75):
                    out[name] = self.value(p, bad)
            if s.get("x-kubernetes-embedded-resource"):
                out.setdefault("kind", "Pod")
                out.setdefault("apiVersion", "v1")
                if not isinstance(out.get("metadata"), dict) or not out.get("metadata"):
                    out["metadata"] = {"name": "n", "namespace": "ns"}
            open_map = isinstance(s.get("additionalProperties"), dict)
            if not open_map and self.chance(0.08) or ("properties" not in s
                    and "additionalProperties" not in s and self.chance(0.5)):
                out[r.choice(["unknown", "a", "zz"])] = r.choice([1, "a", None, [1, 2], {"k": 1.0}])
            if t is None and self.chance(0.3):
                return r.choice([1, "a", [1, {"b": 2}], True])
            items = list(out.items())
            r.shuffle(items)
            return dict(items)
        return r.choice([1, "a"])

    def mutate(self, s, v):
        """An old value that differs little from `v`."""
        if self.chance(0.15):
            return self.value(s)
        if isinstance(v, dict):
            out = dict(v)
            for k in list(out):
                if self.chance(0.3):
                    sub = s.get("properties", {}).get(k) or (s.get("additionalProperties")
                        if isinstance(s.get("additionalProperties"), dict) else None)
                    if sub is not None:
                        out[k] = self.mutate(sub, out[k])
                elif self.chance(0.05):
                    del out[k]
            return out
        if isinstance(v, list) and "items" in s:
            out = [self.mutate(s["items"], i) if self.chance(0.3) else i for i in v]
            if self.chance(0.3):
                self.r.shuffle(out)
            if self.chance(0.2) and out:
                out.pop()
            if self.chance(0.2):
                out.append(self.value(s["items"]))
            return out
        return self.value(s) if self.chance(0.3) else v

    # --- expressions

    def sort_of(self, s):
        if s.get("x-kubernetes-int-or-string"):
            return "ios"
        t = s.get("type")
        if t == "string":
            return {"date": "time", "date-time": "time", "duration": "duration",
                    "byte": "bytes"}.get(s.get("format"), "string")
        if t == "object":
            return "map" if isinstance(s.get("additionalProperties"),
                                       dict) and not s.get("properties") else "object"
        return {"integer": "int", "number": "double", "boolean": "bool", "array": "list"}.get(t)

    def places(self, expr, s, depth=4):
        """(expression, schema) of the values that `expr`, with schema `s`, leads to."""
        out = [(expr, s)]
        if depth == 0:
            return out
        sort = self.sort_of(s)
        if sort == "object":
            props = dict(s.get("properties", {}))
            if s.get("x-kubernetes-embedded-resource"):
                props.update({"kind": {"type": "string"}, "apiVersion": {"type": "string"},
                              "metadata": {"type": "object",
                                           "properties": {"name": {"type": "string"},
                                               "generateName": {"type": "string"}}}})
            for name, p in props.items():
                ident = escape(name)
                if ident is None or self.sort_of(p) is None:
                    continue
                if name in RESERVED and self.chance(0.5) and name not in ("true", "false", "null", "in"):
                    ident = name
                out += self.places(f"{expr}.{ident}", p, depth - 1)
        elif sort == "list" and self.chance(0.5):
            out += self.places(f"{expr}[{self.r.choice([0, 0, 1, 2])}]", s["items"], depth - 1)
        elif sort == "map" and self.chance(0.6):
            out += self.places(f"{expr}['{self.r.choice(KEYS)}']", s["additionalProperties"], depth - 1)
        return out

    def rule(self, expr, s, old=None, depth=2):
        """A bool about a part of `expr`."""
        r = self.r
        places = [p for p in self.places(expr, s) if self.sort_of(p[1])]
        if not places:
            return r.choice(["true", f"{expr} == {expr}", f"has({expr}.a)", "1 + 1 == 2"])
        if expr == "self" and depth == 2 and self.chance(0.5):
            return Expressions(r, s, old, self.is_root).expression()
        if depth > 0 and self.chance(0.3):
            a, b = self.rule(expr, s, old, depth - 1), self.rule(expr, s, old, depth - 1)
            return r.choice([f"({a}) && ({b})", f"({a}) || ({b})", f"!({a}) || {b}", f"({a}) ? ({b}) : false",
                             f"!({a})"])
        e, t = r.choice(places)
        if old is not None and self.chance(0.5) and e.startswith("self"):
            o = old + e[4:]
            return r.choice([f"{e} == {o}", f"{o} == {e}", f"{e} != {o}", self.about(o, t, depth),
                             f"[{e}] == [{o}]", f"{e} + {o} == {o} + {e}"
                             if self.sort_of(t) in ("list", "string", "int") else f"{e} == {o}"])
        if self.chance(0.25) and "." in e and not e.endswith("]"):
            guard = f"has({e})"
            return r.choice([guard, f"!{guard} || {self.about(e, t, depth)}",
                             f"{guard} && {self.about(e, t, depth)}"])
        return self.about(e, t, depth)

    def literal(self, t):
        r = self.r
        sort = self.sort_of(t)
        if sort == "string":
            return json.dumps(r.choice(TEXTS), ensure_ascii=False)
        if sort == "int":
            return str(r.choice([0, 1, 2, 5, 100, -1]))
        if sort == "double":
            return r.choice(["1.5", "0.0", "3.0", "1e30", "100.0"])
        if sort == "bool":
            return r.choice(["true", "false"])
        if sort == "bytes":
            return r.choice(["b'a'", "b'abc'", "b''"])
        if sort == "duration":
            return f"duration('{r.choice(['1s', '1h', '48h'])}')"
        if sort == "time":
            return f"timestamp('{r.choice(['2020-01-01T00:00:00Z', '2024-02-29T00:00:00Z'])}')"
        if sort == "ios":
            return r.choice(["1", "'a'", "80", "'80%'"])
        return None

    def about(self, e, t, depth):
        r, sort = self.r, self.sort_of(t)
        lit = self.literal(t)
        if self.chance(0.06):
            return r.choice([f"dyn({e}) == 1", f"dyn({e}) == null", f"dyn({e}) == {{}}",
                             f"type({e}) == type(1)", f"dyn({e}) == dyn([])", f"'a' in dyn({e})",
                             f"dyn({e})[0] == 1", f"dyn({e})['a-b'] == 1", f"dyn({e}) == {{'a': 1}}",
                             f"size(dyn({e})) > 1", f"[dyn({e}), 1] == [1, dyn({e})]",
                             f"{{'a': {e}}} == {{'a': {e}}}", f"{e} in [{e}]",
                             f"[{e}, {e}].distinct().size() == 1"])
        if sort == "string":
            return r.choice([f"{e} == {lit}", f"{e} != {lit}", f"size({e}) < {r.choice([1, 3, 5])}",
                             f"{e}.startsWith({lit})", f"{e}.contains({lit})", f"{e}.matches('^[a-z]+$')",
                             f"{e} in ['a', 'b', {lit}]", f"{e} + {lit} == {lit} + {e}", f"{e} < {lit}",
                             f"{e}.split(',').size() > 1", f"{e}.upperAscii() == {lit}", f"isURL({e})",
                             f"isQuantity({e}) && quantity({e}).isGreaterThan(quantity('1'))",
                             f"int({e}) > 1", f"isIP({e})", f"{e}.find('[a-z]+') == {lit}",
                             f"{e}.replace('a', 'b').size() > 2", f"{e}.substring(1) == {lit}",
                             f"!format.dns1123Label().validate({e}).hasValue()",
                             f"{e}.trim().lowerAscii().endsWith({lit})", f"string({e}) == {e}",
                             f"duration({e}) > duration('1s')", f"{e}.charAt(0) == 'a'",
                             f"[{e}, {lit}].join('-').size() > 3", f"semver({e}).major() > 0"])
        if sort == "int":
            return r.choice([f"{e} == {lit}", f"{e} > {lit}", f"{e} + {lit} < 10", f"{e} in [1, 2, 3]",
                             f"{e} % 2 == 0", f"{e} * {e} > {lit}", f"10 / {e} > 1",
                             f"string({e}).size() < 3", f"double({e}) > 0.5", f"{e} - {lit} != 1",
                             f"-{e} < 1", f"{e} <= 2.5", f"uint({e}) > 1u", f"[{e}, 1].max() > 2"])
        if sort == "double":
            return r.choice([f"{e} == {lit}", f"{e} >= {lit}", f"{e} * 2.0 > {lit}", f"int({e}) > 1",
                             f"string({e}) != ''", f"{e} < 2"])
        if sort == "bool":
            return r.choice([e, f"!{e}", f"{e} == true", f"{e} ? 1 > 0 : {lit}"])
        if sort == "bytes":
            return r.choice([f"{e} == {lit}", f"size({e}) > 1", f"{e} + {lit} == {e}", f"string({e}) == 'a'",
                             f"{e} < {lit}"])
        if sort == "duration":
            return r.choice([f"{e} == {lit}", f"{e} > {lit}", f"{e}.getSeconds() > 5",
                             f"{e} + {lit} > duration('1m')", f"string({e}) == '1s'"])
        if sort == "time":
            return r.choice([f"{e} == {lit}", f"{e} < {lit}", f"{e}.getFullYear() == 2020",
                             f"{e} + duration('1h') > {lit}", f"{e} - {lit} < duration('1h')",
                             f"string({e}) == '2020-01-01T00:00:00Z'", f"{e}.getHours() == 1"])
        if sort == "ios":
            return r.choice([f"{e} == {lit}", f"type({e}) == int ? {e} > 1 : {e} == 'a'", f"{e} != {lit}",
                             f"string({e}) == '1'", f"int({e}) > 1", f"{e} in [1, 2]"])
        if sort == "list":
            return self.about_list(e, t, depth)
        if sort == "map":
            return self.about_map(e, t, depth)
        return self.about_object(e, t, depth)

    def about_list(self, e, t, depth):
        r = self.r
        item = self.literal(t["items"])
        out = [f"size({e}) < 3", f"{e}.size() == 2", f"{e} == {e}", f"{e} + {e} == {e}",
               f"({e} + {e}).size() == {e}.size()", f"{e} + [] == {e}", f"{e}.all(i, i == i)", f"{e} == []",
               f"{e}.map(i, i) == {e}", f"{e}.filter(i, true) == {e}", f"size({e}.map(i, [i])) > 1",
               f"{e}.exists_one(i, i == {e}[0])", f"{e}[0] in {e}", f"{e}.slice(0, 1) == {e}",
               f"{e}.reverse() == {e}", f"{e} + {e}.reverse() == {e}", f"{e}.distinct().size() == {e}.size()",
               f"{e}.all(i, j, i < 5 && j == {e}[i])", f"{e}.?[0].hasValue()", f"{e}.first().hasValue()"]
        if item:
            out += [f"{item} in {e}", f"{e}.exists(i, i == {item})", f"{e} + [{item}] == {e}",
                    f"[{item}] + {e} == {e} + [{item}]", f"{e}.indexOf({item}) >= 0",
                    f"sets.contains({e}, [{item}])", f"{e} == [{item}]", f"[{item}] == {e}",
                    f"{e}.lastIndexOf({item}) < 2", f"sets.equivalent({e}, {e})"]
            if self.sort_of(t["items"]) in ("int", "double", "duration"):
                out += [f"{e}.sum() > {item}", f"{e}.isSorted()", f"{e}.max() >= {e}.min()",
                        f"{e}.sort() == {e}"]
            if self.sort_of(t["items"]) == "string":
                out += [f"{e}.isSorted()", f"{e}.join(',').size() > 2", f"{e}.all(i, i.size() < 5)",
                        f"{e}.min() == 'a'"]
        if depth > 0 and self.sort_of(t["items"]):
            v = f"v{depth}"
            inner = self.rule(v, t["items"], None, depth - 1)
            out += [f"{e}.{m}({v}, {inner})" for m in ("all", "exists", "exists_one")] * 3
            out += [f"{e}.filter({v}, {inner}).size() > 0", f"{e}.all({v}, {e}.exists_one(w, w == {v}))",
                    f"{e}.map({v}, {inner}, {v}) == {e}"]
        return r.choice(out)

    def about_map(self, e, t, depth):
        r = self.r
        k = r.choice(KEYS)
        item = self.literal(t["additionalProperties"])
        self.most_keys = 1
        out = [f"size({e}) < 3", f"'{k}' in {e}", f"{e} == {e}", f"{e}.all(k, k.size() < 3)",
               f"{e}.exists(k, k == '{k}')", f"{e} == {{}}", f"{e}.exists_one(k, k.startsWith('k'))",
               f"{e}.all(k, v, v == {e}[k])", f"{e}.?{r.choice(['a', 'b', 'zz'])}.hasValue()",
               f"has({e}.{r.choice(['a', 'b'])})"]
        if item:
            out += [f"{e}['{k}'] == {item}", f"{e}.all(k, {e}[k] == {item})",
                    f"{e}[?'{k}'].orValue({item}) == {item}", f"{e} == {{'{k}': {item}}}",
                    f"{{'{k}': {item}}} == {e}", f"{e}.exists(k, v, k == 'a' && v == {item})"]
        if depth > 0 and self.sort_of(t["additionalProperties"]):
            inner = self.rule(f"{e}[k{depth}]", t["additionalProperties"], None, depth - 1)
            out += [f"{e}.all(k{depth}, {inner})", f"{e}.exists(k{depth}, {inner})"]
        return r.choice(out)

    def about_object(self, e, t, depth):
        r = self.r
        props = [n for n in t.get("properties", {})]
        out = [f"{e} == {e}", f"{e} != {e}", f"has({e}.{r.choice(['a', 'zz', 'kind', 'namespace'])})",
               f"{e}.{r.choice(['a', 'unknown', 'metadata'])} == 1", f"size(dyn({e})) > 1",
               f"dyn({e}) == {{}}", f"[{e}] == [{e}]", f"optional.of({e}) == optional.of({e})",
               f"dyn({e}) == {{'a': 1, 'b': 'a'}}"]
        for n in props:
            ident = escape(n)
            if ident:
                out += [f"has({e}.{ident})", f"{e}.?{ident}.hasValue()"] * 2 + [f"'{n}' in dyn({e})",
                    f"'{ident}' in dyn({e})", f"dyn({e})['{n}'] == 1", f"has({e}.{n})"]
                lit = self.literal(t["properties"][n])
                if lit:
                    out += [f"{e}.?{ident}.orValue({lit}) == {lit}"] * 2
        return r.choice(out)

    def message(self, expr, s):
        r = self.r
        places = [p for p in self.places(expr, s) if self.sort_of(p[1]) in ("string", "int", "double", "bool",
            "duration", "time")]
        if not places:
            return r.choice(["'fixed'", "'  '", "self", "string(self)", "'a\\nb'", "", "1", "'x' * 2",
                             "' \\n'", "'" + "y" * 6000 + "'"])
        if expr == "self" and self.chance(0.3):
            return Expressions(r, s, None, self.is_root).expression("string")
        e, t = r.choice(places)
        return r.choice([f"string({e})", f"'got ' + string({e})", f"'is %s'.format([{e}])",
                         f"'{e}'.split('.').join(' ')", f"{e}", f"' x ' + string({e}) + '  '",
                         f"'a\\n' + string({e})", f"string(oldSelf) + string({e})", f"'%d'.format([{e}])",
                         "self.nope"])

    def rules(self, expr, s):
        r, out = self.r, []
        for _ in range(r.choice([1, 1, 1, 2, 3])):
            optional = self.chance(0.12)
            old = "oldSelf" if not optional and self.chance(0.25) else None
            text = self.rule(expr, s, old)
            if optional:
                text = r.choice(["oldSelf.hasValue()", "!oldSelf.hasValue() || oldSelf.value() == self",
                                 "oldSelf.orValue(self) == self",
                                 "oldSelf.optMap(o, o == self).orValue(true)",
                                 f"({text}) || oldSelf.hasValue()",
                                 Expressions(r, s, "optional", self.is_root).expression(),
                                 Expressions(r, s, "optional", self.is_root).expression()])
            elif old and "oldSelf" not in text and self.chance(0.5):
                text = f"({text}) && oldSelf == self"
            rule = {"rule": text}
            if self.chance(0.03):
                rule["rule"] = r.choice(["", " ", "self.", "self ==", "1", "self + 1", "unknown",
                                         "self.a.b.c == 1", "'x'", "\n", "true\n&& self == ", "é",
                                         "self.é == 1", "dyn(self)", "dyn(true)", "null", "oldSelf == self",
                                         "self.matches('(')", "object.a",
                                         "authorizer.path('/').check('get').allowed()", "x" * 300,
                                         "self == self && " * 40 + "true", "selfType{}", "Object{}",
                                         "size(self) > 0", "int(self) > 1"])
            if optional:
                rule["optionalOldSelf"] = True
            elif self.chance(0.03):
                rule["optionalOldSelf"] = False
            if self.chance(0.3):
                rule["message"] = r.choice(["bad", " trimmed ", "two words"])
            if self.chance(0.3):
                rule["messageExpression"] = self.message(expr, s)
            if self.chance(0.3):
                rule["reason"] = r.choice(REASONS[:4] if self.chance(0.9) else REASONS)
            if self.chance(0.2):
                props = list(s.get("properties", {})) or ["a"]
                n = r.choice(props)
                sub = s.get("properties", {}).get(n)
                m = r.choice(list(sub.get("properties", {}) if isinstance(sub, dict) else {}) or ["x"])
                quoted = n.replace("'", "\\'")
                rule["fieldPath"] = r.choice([f".{n}", f"['{quoted}']", ".nope", n, f".{n}.{m}",
                    f".{n}['{m}']", f"['{n}']['{m}']", f".{n}[0]", "", ".", "..", f".{n}.", f".{n}[",
                    f".{n}['", f".{n}['{m}'", f".{n}['{m}'].x", f" .{n}", f"['{n}'].{m}", "['a\\'b']",
                    "['\\q']", "[]", f".{n}\n", f".{escape(n)}", "self." + n])
            out.append(rule)
        return out

    def add_nested(self, s, depth=0):
        """Rules somewhere below the root."""
        for sub in list(s.get("properties", {}).values()) + [s.get("items"), s.get("additionalProperties")]:
            if isinstance(sub, dict):
                if self.chance(0.15) and (sub.get("type") or sub.get("x-kubernetes-int-or-string")):
                    sub["x-kubernetes-validations"] = self.rules("self", sub)
                self.add_nested(sub, depth + 1)


def case(r, number):
    m = Maker(r)
    depth = r.choice([1, 2, 3, 3, 3, 4])
    s = m.object(depth) if m.chance(0.7) else m.schema(depth)
    m.is_root = s.get("type") == "object" and "properties" in s and m.chance(0.15)
    out = {"id": number, "mode": "crdrule", "schema": s, "rules": m.rules("self", s)}
    if m.is_root:
        out["isRoot"] = True
    if m.chance(0.3):
        m.add_nested(s)
    if any(walk in json.dumps([s, out["rules"]]) for walk in WALKS):
        m.most_keys = 1
    bad = r.choice([0, 0, 0.02, 0.02, 0.1])
    if m.chance(0.9):
        out["self"] = m.value(s, bad)
        if out.get("isRoot") and isinstance(out["self"], dict):
            out["self"].update({"apiVersion": "example.com/v1", "kind": "X",
                                "metadata": {"name": "n", "generateName": "g", "namespace": "ns"}})
        if m.chance(0.5):
            out["oldSelf"] = m.mutate(s, out["self"])
    if m.chance(0.05):
        out["budget"] = r.choice([0, 1, 5, 50])
    if m.chance(0.12):
        out.update({"env": "new", "version": r.choice(VERSIONS)})
    return out


def essence(answer):
    a = dict(answer)
    if "inputError" in a:
        return {"inputError": True}
    if isinstance(a.get("errors"), list):
        a["errors"] = sorted(a["errors"], key=lambda e: json.dumps(e, sort_keys=True))
        if a.get("outOfBudget"):
            a["errors"] = "depends on the order"
    return a


def within(answers, ours):
    """Whether the answers to one case differ among themselves, and ours has all that they share."""
    first = answers[0]
    if all(a == first for a in answers):
        return False
    common = [k for k in first if k not in ("errors", "cost") and all(a.get(k) == first[k] for a in answers)]
    listed = [[json.dumps(e, sort_keys=True) for e in a["errors"]] for a in (*answers, ours)
              if isinstance(a.get("errors"), list)]
    always = set.intersection(*map(set, listed[:-1])) if len(listed) == len(answers) + 1 else set()
    return all(ours.get(k) == first[k] for k in common) and always <= set(listed[-1] if listed else ())


def ask_again(oracle, cases):
    """The cases for which the oracle never gives our answer, and how many of these are chance: its own
    answers differ, too."""
    seen = [[essence(json.loads(c[1]))] for c in cases]
    left = list(range(len(cases)))
    for _ in range(AGAIN):
        if not left:
            break
        lines = subprocess.run([oracle, "-j", "1"], input="".join(cases[i][0] for i in left),
                               capture_output=True, text=True, check=True).stdout
        for i, line in zip(list(left), lines.splitlines(), strict=True):
            seen[i].append(essence(json.loads(line)))
            if seen[i][-1] == essence(json.loads(cases[i][2])):
                left.remove(i)
    chance = [i for i in left if within(seen[i], essence(json.loads(cases[i][2])))]
    return [cases[i] for i in left if i not in chance], len(chance)


def compare(requests, want, got, oracle=None):
    total = panics = 0
    cases = []
    with open(requests, encoding="utf-8") as q, open(want, encoding="utf-8") as w, open(got,
            encoding="utf-8") as g:
        for request, a, b in zip(q, w, g, strict=True):
            total += 1
            x, y = json.loads(a), json.loads(b)
            if "panic" in x:
                panics += 1
                continue
            if essence(x) == essence(y):
                continue
            cases.append((request, a, b))
    different, chance = ask_again(oracle, cases) if oracle else (cases, 0)
    rows = [accidents.row(json.loads(request), a, b) for request, a, b in different]
    aside = collections.Counter(row for row in rows if row)
    different = [c for c, row in zip(different, rows, strict=True) if not row]
    for request, a, b in different:
        print("REQUEST", request.strip(), "\nWANT", a.strip(), "\nGOT ", b.strip(), "\n")
    print(f"{total} answers, {len(different)} differ, {chance} chance, {panics} panics not compared, "
          f"{aside.total()} set aside {dict(aside)}")
    return 1 if different else 0


def main():
    if len(sys.argv) in (5, 6) and sys.argv[1] == "--compare":
        sys.exit(compare(*sys.argv[2:]))
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        print(json.dumps(case(r, i), ensure_ascii=False))


if __name__ == "__main__":
    main()
