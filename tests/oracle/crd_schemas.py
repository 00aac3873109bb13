"""Random structural schemas and values of them, for crd_rules.py and custom_resources.py."""
import json

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
FORMATS = ["uuid", "ipv4", "hostname", "email", "unknown", "uri", "bsonobjectid", "ipv6", "cidr", "mac",
           "uuid4", "isbn", "creditcard", "ssn", "hexcolor", "rgbcolor", "password", "datetime", "int32",
           "int-or-string", "k8s-short-name"]
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


class Schemas:
    """Makes schemas, and values of them. Rules of a schema come from the method `rules` of a subclass."""

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
