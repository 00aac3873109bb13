#!/usr/bin/env python3
"""Random `crdrule` requests, one JSON line each: a structural schema, rules at its root
and below, and values.

Usage: crd_rules.py [COUNT] [SEED] > requests.jsonl
       crd_rules.py --compare REQUESTS WANT GOT [ORACLE]     prints each answer that differs, and how many (crd_compare.py)

Deterministic by seed. Kubernetes walks properties and maps in random order, so rules do not depend on the order of a map's
keys.
"""
import json
import random
import sys

from crd_compare import compare
from crd_expressions import RESERVED, Expressions, escape
from crd_schemas import KEYS, TEXTS, Schemas

WALKS = (".all(", ".exists", ".map(", ".filter(", "transform", "sortBy(")
VERSIONS = ["1.22", "1.24", "1.26", "1.27", "1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35",
            "1.36", "1.37"]
REASONS = ["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate",
           "FieldValueTooLong", ""]


class Maker(Schemas):
    """Schemas with rules."""

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


def main():
    if len(sys.argv) in (5, 6) and sys.argv[1] == "--compare":
        sys.exit(compare(*sys.argv[2:]))
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        print(json.dumps(case(r, i), ensure_ascii=False))


if __name__ == "__main__":
    main()
