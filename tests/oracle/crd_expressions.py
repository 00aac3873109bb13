"""Expressions about values with a schema, for crd_rules.py: those of fuzz/expressions over `self`, `oldSelf`
and their parts.

Idea: the generator uses the types of the schema. An object is a type of its own ("obj3"), whose fields lead
to other types, so a template that needs a string gets `self.spec.names[0]`, or a field of a loop variable.
Every function of the signatures is called with typed values, which differ from plain ones in equality, `+`,
iteration and errors.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz",
                                "expressions"))
import generate  # noqa: E402

RESERVED = set(
    "true false null in as break const continue else for function if import let loop package namespace "
    "return var void while".split())
META = {"kind": {"type": "string"}, "apiVersion": {"type": "string"},
        "metadata": {"type": "object",
                     "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}}}}
KEYS = ["a", "b", "c-d", "namespace", "k1", ""]
FORMATS = {"date": "timestamp", "date-time": "timestamp", "duration": "duration", "byte": "bytes"}
TYPED = 0.8  # how often a leaf is taken from the values, if one fits


def escape(name):
    if not name or name[0].isdigit():
        return None
    if name in RESERVED:
        return f"__{name}__"
    out, i = "", 0
    while i < len(name):
        if name.startswith("__", i):
            out, i = out + "__underscores__", i + 2
        elif name[i] in ".-/":
            out, i = out + {".": "__dot__", "-": "__dash__", "/": "__slash__"}[name[i]], i + 1
        elif name[i].isalnum() and name[i].isascii() or name[i] == "_":
            out, i = out + name[i], i + 1
        else:
            return None
    return out


class Types:
    """Types of schemas by name; objects also have `fields`."""

    def __init__(self):
        self.fields = {}

    def of(self, s, root=False):
        """The type of values with this schema; None if rules cannot see it."""
        if not isinstance(s, dict):
            return None
        if s.get("x-kubernetes-int-or-string") or s.get("format") == "int-or-string":
            return "dyn"
        t = s.get("type")
        if t == "string":
            return FORMATS.get(s.get("format"), "string")
        if t == "array":
            item = self.of(s.get("items"))
            return item and f"list({item})"
        if t != "object":
            return {"integer": "int", "number": "double", "boolean": "bool"}.get(t)
        if isinstance(s.get("additionalProperties"), dict) and not s.get("properties"):
            item = self.of(s["additionalProperties"])
            return item and f"map(string,{item})"
        return self.object(s, root)

    def object(self, s, root):
        name = f"obj{len(self.fields)}"
        fields = self.fields[name] = []
        properties = dict(s.get("properties") or {})
        if root or s.get("x-kubernetes-embedded-resource"):
            properties.update(META)
        for field, sub in properties.items():
            ident, kind = escape(field), self.of(sub)
            if ident and kind:
                fields.append((field, ident, kind))
        return name


class Expressions(generate.Generator):
    def __init__(self, r, schema, old=None, root=False, version=None):
        """`old`: None, "oldSelf" or "optional"."""
        super().__init__(0, 0)
        self.r = r
        self.types = Types()
        self.own = self.types.of(schema, root) or "dyn"
        self.environment = {"self": (self.own, None)}
        if old:
            self.environment["oldSelf"] = (self.own if old == "oldSelf" else f"optional_type({self.own})",
                                           None)
        self.keywords = version is None or version >= "1.31"
        self.authz = False
        self.scope, self.names = [], 0
        style = r.random()
        self.ill = 0.0 if style < 0.85 else 0.04
        self.wrong = 0.0 if style < 0.9 else 0.05
        self.hide = 0.0 if style < 0.5 else 0.05

    def expression(self, wanted="bool"):
        self.budget = self.r.choice((6, 10, 16, 24, 40))
        self.depth = self.r.choice((2, 3, 3, 4, 5))
        self.scope = []
        return generate.render(self.make(wanted, self.depth))

    def steps(self, kind):
        """Steps from a value of this type to other values: (suffix, type)."""
        r = self.r
        if kind.startswith("obj"):
            for field, ident, to in self.types.fields[kind]:
                bare = field in RESERVED and field not in ("true", "false", "null",
                    "in") and self.keywords and r.random() < 0.5
                yield f".{field if bare else ident}", to
                if r.random() < 0.15:
                    yield f".?{ident}", f"optional_type({to})"
        elif kind.startswith("list("):
            i = r.choice((0, 0, 0, 1, 1, 2, -1))
            yield f"[{i}]", kind[5:-1]
            if r.random() < 0.15:
                yield f"[?{i}]", f"optional_type({kind[5:-1]})"
        elif kind.startswith("map(string,"):
            k, to = r.choice(KEYS), kind[11:-1]
            yield (f".{k}" if k in ("a", "b") and r.random() < 0.4 else f"['{k}']"), to
            if r.random() < 0.15:
                yield f"[?'{k}']", f"optional_type({to})"
        elif kind.startswith("optional_type("):
            yield ".value()", kind[14:-1]
            if kind[14:-1] in generate.values.LITERALS:
                yield f".orValue({super().literal(kind[14:-1], 1)})", kind[14:-1]

    def places(self, depth=4):
        todo = [(n, t, depth) for n, t in self.scope] + [(n, v[0], depth) for n,
            v in self.environment.items()]
        out = []
        while todo:
            expr, kind, left = todo.pop()
            out.append((expr, kind))
            if left:
                todo += [(expr + suffix, to, left - 1) for suffix, to in self.steps(kind)]
        return out

    def some_type(self, depth=0):
        if self.r.random() < 0.6:
            return self.r.choice(self.places())[1]
        return super().some_type(depth)

    def path(self):
        r = self.r
        fields = [e for e, _ in self.places() if re.search(r"\.[A-Za-z_]\w*$", e)]
        if fields and r.random() < 0.85:
            return r.choice(fields)
        return r.choice(("self.nope", "self.a.b", "self.metadata.name", "self.metadata.labels", "oldSelf.a",
                         "self", "dyn(self).a", "self.__a__", "self.`a-b`"))

    def make(self, wanted, depth):
        r = self.r
        if wanted == "bool" and depth > 0 and r.random() < 0.12:
            path = self.path()
            self.budget -= 2
            guarded = self.make("bool", depth - 1)
            return generate.Node("bool",
                                 r.choice((["has(", path, ")"], ["!has(", path, ") || (", guarded, ")"],
                                           ["has(", path, ") && (", guarded, ")"])), True)
        if wanted == "bool" and depth > 1 and r.random() < 0.2:
            expr, kind = r.choice(self.places())
            other = self.make(kind, depth - 1)
            pair = [[expr, " == "], [other]] if r.random() < 0.6 else [["("], [other, ") != ", expr]]
            return generate.Node("bool", sum(pair, []), True)
        return super().make(wanted, depth)

    def leaf(self, wanted):
        r = self.r
        if r.random() < TYPED:
            fit = [e for e, kind in self.places() if kind == wanted]
            if not fit and wanted == "dyn":
                fit = [f"dyn({e})" for e, _ in self.places()]
            if fit:
                return generate.Node(wanted, [r.choice(fit)])
        return generate.Node(wanted, [self.literal(wanted, 0)])

    def literal(self, wanted, depth):
        if wanted.startswith("obj"):
            fit = [e for e, kind in self.places(2) if kind == wanted]
            return self.r.choice(fit or ["self"])
        return super().literal(wanted, depth)
