#!/usr/bin/env python3
"""Generates random CEL expressions as requests of the batch protocol, one JSON line each. The seed determines them.

Usage: generate.py SEED COUNT [--versions] > requests.jsonl

Idea: a wanted type becomes text by a template of signatures.txt whose result fits it, until depth or budget ends;
then by a literal or a variable (values.py). Sometimes the wanted type is replaced by another (ill-typed expressions)
or hidden in dyn() (run-time errors), or the finished text is damaged (syntax errors). Expressions are trees (see Node),
so that compare.py can shrink them: `expression(seed, index)` makes the same tree again.
"""
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import values  # noqa: E402

HOLE = re.compile(r"\{([a-z_A-Z0-9:(),]+)\}")
CONTAINERS = ["a", "a.b", "x", "google.protobuf", "optional", "kubernetes"]
ORDERED = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"]
NUMBERS = ["int", "uint", "double"]
KEYS = ["string", "string", "string", "int", "uint", "bool"]
SIMPLE = ["int", "int", "string", "string", "bool", "double", "uint", "dyn", "dyn", "bytes", "duration",
          "timestamp", "null_type"]
LIBRARY = ["quantity", "ip", "cidr", "semver", "url", "format", "type"]
AUTHZ = ["authorizer", "group", "resourcecheck", "pathcheck", "decision"]
TOP = ["bool"] * 10 + ["int"] * 3 + ["string"] * 4 + ["dyn"] * 2 + SIMPLE + LIBRARY + ["list(A)"] * 4 + [
    "map(key,A)"] * 2 + ["optional_type(A)"] * 3

# name -> (type, JSON values). A request uses one of the environments below.
SCALARS = {
    "i": ("int", [0, 1, -1, 5, 100, 9223372036854775807]), "u": ("uint", [0, 3, "18446744073709551615"]),
    "d": ("double", [0.5, -2, "NaN", 1e18, 3]),
    "s": ("string", ["", "abc", "héllo", "a,b,c", "10.0.0.1", "x" * 25]), "f": ("bool", [True, False]),
    "y": ("bytes", ["", "YWJj", "/w=="]),
    "t": ("timestamp", ["2024-02-29T12:30:45.123Z", "1969-12-31T23:59:59+05:30",
                       "2024-01-01T00:00:00+00:00"]),
    "du": ("duration", ["0s", "90m", "-1.5s"]), "nil": ("null_type", [None]),
}
COLLECTIONS = {
    "li": ("list(int)", [[], [1], [3, 1, 2], [1, 1, 2, 2, 5, 7, 9, 11]]),
    "ls": ("list(string)", [[], ["a"], ["b", "a", "c"], ["x" * 12, "y"]]),
    "ld": ("list(dyn)", [[], [1, "a", 2.5, None], [[1], {"a": 1}]]),
    "ll": ("list(list(int))", [[], [[1, 2], []]]),
    "ms": ("map(string,int)", [{}, {"a": 1}, {"a": 1, "b": 2}]), "mi": ("map(int,string)", [{}, {"1": "x"}]),
    "md": ("map(string,dyn)", [{}, {"a": {"b": 1}}]),
    "ml": ("map(string,list(string))", [{}, {"a": ["x", "y"]}]), "o": ("optional_type(int)", [None, 5]),
    "os": ("optional_type(string)", [None, "v"]),
}
KUBERNETES = {
    "q": ("quantity", ["1Gi", "100m", "-5"]), "ip4": ("ip", ["10.0.0.1", "::1"]),
    "net": ("cidr", ["10.0.0.0/8", "2001:db8::/32"]), "ver": ("semver", ["1.2.3", "1.2.3-rc.1"]),
    "lq": ("list(quantity)", [[], ["1", "2Gi"]]), "mq": ("map(string,quantity)", [{}, {"a": "1Gi"}]),
}
DYN = {"object": ("dyn", values.OBJECTS), "oldObject": ("dyn", values.OBJECTS), "x": ("dyn", values.OBJECTS)}
AUTHORIZER = {"authorizer": ("authorizer", None)}
ENVIRONMENTS = [{}, DYN, DYN, DYN, SCALARS, {**SCALARS, "x": DYN["x"]}, COLLECTIONS,
                {**COLLECTIONS, "object": DYN["object"]}, KUBERNETES, {**AUTHORIZER, "object": DYN["object"]}]
AUTHZ_RULES = [[], [{"verb": "get", "decision": "allow", "reason": "ok"}],
               [{"decision": "deny", "reason": "no", "error": "broken"}],
               [{"group": "apps", "resource": "deployments", "decision": "allow"},
                {"path": "/healthz", "decision": "allow"}]]


class Node:
    """A part of an expression: its parts are texts and nodes. `loose`: needs parentheses as an operand."""
    __slots__ = ("type", "parts", "loose")

    def __init__(self, type_, parts, loose=False):
        self.type, self.parts, self.loose = type_, parts, loose


def render(node):
    out = []

    def walk(n):
        for p in n.parts:
            if isinstance(p, str):
                out.append(p)
            else:
                walk(p)
    walk(node)
    return "".join(out)


class Template:
    def __init__(self, line):
        self.result, text = line.split(" = ", 1)
        self.result = self.result.strip()
        pieces = HOLE.split(text)
        self.parts = []  # (text, None) or (hole, enclosed)
        for i, p in enumerate(pieces):
            if i % 2 == 0:
                if p:
                    self.parts.append((p, None))
            else:
                before, after = pieces[i - 1], pieces[i + 1]
                closed = (not before or before.rstrip()[-1:] in "([,") and (not after
                    or after.lstrip()[:1] in ")],")
                self.parts.append((p, bool(before and after and closed)))
        outer = HOLE.sub("x", text)
        self.loose = bool(re.search(r"^[-!]|\s(\+|-|\*|/|%|&&|\|\||==|!=|<=?|>=?|in|\?)\s",
                                    re.sub(r"\([^()]*\)", "", outer)))
        self.authz = any(a in text for a in ("authorizer", "{group}", "resourcecheck", "pathcheck",
            "decision"))


def split_args(text):
    depth, start, out = 0, 0, []
    for i, c in enumerate(text):
        if c == "(":
            depth += 1
        elif c == ")":
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:i])
            start = i + 1
    return out + [text[start:]]


def match(pattern, wanted, bound):
    if pattern in ("A", "B"):
        return bound.setdefault(pattern, wanted) == wanted
    if pattern == "ordered":
        return wanted in ORDERED and bound.setdefault(pattern, wanted) == wanted
    if pattern == "key":
        return wanted in KEYS and bound.setdefault(pattern, wanted) == wanted
    if "(" not in pattern or "(" not in wanted:
        return pattern == wanted
    if pattern.split("(")[0] != wanted.split("(")[0]:
        return False
    p, w = split_args(pattern[pattern.index("(") + 1:-1]), split_args(wanted[wanted.index("(") + 1:-1])
    return len(p) == len(w) and all(match(a, b, bound) for a, b in zip(p, w))


def read_templates(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return [Template(line.rstrip("\n")) for line in file if line.strip() and not line.startswith("#")]


TEMPLATES = read_templates("signatures.txt")
MISTAKES = read_templates("mistakes.txt")
_fitting = {}


def fitting(wanted, authz, wrong=False):
    key = (wanted, authz, wrong)
    if key not in _fitting:
        rows = []
        for t in MISTAKES if wrong else TEMPLATES:
            bound = {}
            if (authz or not t.authz) and match(t.result, wanted, bound):
                # There are many templates that fit every type; without weights they would suppress the type's
                # own functions.
                rows += [(t, bound)] * (1 if t.result in ("A", "dyn") else 4)
        _fitting[key] = rows
    return _fitting[key]


class Generator:
    def __init__(self, seed, index):
        self.r = random.Random(seed * 1_000_003 + index)
        r = self.r
        self.environment = r.choice(ENVIRONMENTS)
        self.authz = "authorizer" in self.environment
        self.scope = []
        self.names = 0
        self.budget = r.choice((4, 8, 12, 20, 30, 50, 80))
        style = r.random()
        self.ill = 0.0 if style < 0.7 else 0.03 if style < 0.9 else 0.12
        self.wrong = 0.0 if style < 0.75 else 0.04 if style < 0.9 else 0.15
        self.hide = 0.0 if style < 0.35 else 0.04 if style < 0.8 else 0.12
        self.depth = r.choice((1, 2, 3, 3, 4, 4, 5, 6))

    def some_type(self, depth=0):
        r = self.r.random()
        if r < 0.7 or depth > 1:
            return self.r.choice(SIMPLE)
        if r < 0.78:
            return self.r.choice(LIBRARY)
        if r < 0.9:
            return "list(%s)" % self.some_type(depth + 1)
        if r < 0.96:
            return "map(%s,%s)" % (self.r.choice(KEYS), self.some_type(depth + 1))
        return "optional_type(%s)" % self.some_type(depth + 1)

    def bind(self, hole, bound):
        """The type of a hole with its variables replaced."""
        if hole in ("A", "B"):
            return bound.setdefault(hole, None) or bound.__setitem__(hole, self.some_type()) or bound[hole]
        if hole == "ordered":
            return bound.setdefault(hole, self.r.choice(ORDERED))
        if hole == "key":
            return bound.setdefault(hole, self.r.choice(KEYS))
        if hole in ("number", "number2"):
            return self.r.choice(NUMBERS)
        if hole == "sized":
            return self.r.choice(("string", "bytes", "list(%s)" % self.some_type(1), "map(%s,%s)"
                                  % (self.r.choice(KEYS), self.some_type(1))))
        if "(" in hole:
            head, rest = hole.split("(", 1)
            return "%s(%s)" % (head, ",".join(self.bind(a, bound) for a in split_args(rest[:-1])))
        return hole

    def top(self):
        wanted = self.bind(self.r.choice(TOP + AUTHZ * 2 if self.authz else TOP), {})
        return self.make(wanted, self.depth)

    def make(self, wanted, depth):
        r = self.r
        self.budget -= 1
        if self.ill and r.random() < self.ill:
            wanted = self.some_type()
        elif self.hide and r.random() < self.hide:
            inner = self.make(self.some_type() if r.random() < 0.7 else wanted, depth - 1)
            return Node("dyn", ["dyn(", inner, ")"])
        if depth <= 0 or self.budget <= 0 or r.random() < 0.12:
            return self.leaf(wanted)
        if wanted in values.TEXTS and wanted != "string":
            if r.random() < 0.9:
                return self.leaf(wanted)
            wanted = "string"
        if wanted in ("index", "small"):
            if r.random() < 0.8:
                return self.leaf(wanted)
            wanted = "int"
        rows = fitting(wanted, self.authz, self.wrong > 0 and r.random() < self.wrong)
        if not rows:
            return self.leaf(wanted)
        template, given = r.choice(rows)
        return self.fill(template, dict(given), wanted, depth)

    def fill(self, template, bound, wanted, depth):
        parts, declared = [], 0
        for text, enclosed in template.parts:
            if enclosed is None:
                parts.append(text)
            elif text == "field":
                parts.append(self.r.choice(values.FIELDS))
            elif text == "formatname":
                parts.append(self.r.choice(values.FORMAT_NAMES))
            elif text == "typename":
                parts.append(self.r.choice(values.LITERALS["type"]))
            elif text in ("function", "namespace", "undeclared", "message"):
                parts.append(self.r.choice({"function": values.FUNCTIONS, "namespace": values.NAMESPACES,
                                            "undeclared": values.UNDECLARED,
                                            "message": values.MESSAGES}[text]))
            elif text == "path":
                parts.append(self.path())
            elif text.startswith("bind:"):
                name = self.r.choice("abcekvxyz") if self.r.random() < 0.8 else "v%d" % self.names
                self.names += 1
                self.scope.append((name, self.bind(text[5:], bound)))
                declared += 1
                parts.append(name)
            else:
                child = self.make(self.bind(text, bound), depth - 1)
                if child.loose and not enclosed and self.r.random() < 0.93:
                    parts += ["(", child, ")"]
                else:
                    parts.append(child)
        if declared:
            del self.scope[-declared:]
        return Node(wanted, parts, template.loose)

    def path(self):
        r = self.r
        names = [n for n, t in self.scope if t == "dyn"] + [n for n, v in self.environment.items()
            if v[0] in ("dyn", "map(string,dyn)")]
        out = [r.choice(names) if names else r.choice(("object", "i", "{'a': 1}"))]
        for _ in range(r.choice((1, 1, 2, 3))):
            out.append("." + r.choice(values.FIELDS))
        return "".join(out)

    def leaf(self, wanted):
        r = self.r
        if self.scope and r.random() < 0.55:
            fit = [n for n, t in self.scope if t == wanted]
            if fit:
                return Node(wanted, [r.choice(fit)])
        if r.random() < 0.5:
            fit = [n for n, v in self.environment.items() if v[0] == wanted]
            if fit:
                name = r.choice(fit)
                if wanted == "dyn" and r.random() < 0.7:
                    for _ in range(r.choice((1, 1, 2, 3))):
                        name += "." + r.choice(values.FIELDS) if r.random() < 0.85 else r.choice(("[0]",
                            "[1]", "['a']", "[x]", "['kube.io/x']"))
                return Node(wanted, [name])
        return Node(wanted, [self.literal(wanted, 0)], wanted in ("int", "double") and False)

    def literal(self, wanted, depth):
        r = self.r
        texts = values.TEXTS.get(wanted) or values.LITERALS.get(wanted)
        if texts:
            return r.choice(texts)
        if wanted in ("quantity", "ip", "cidr", "semver", "url"):
            return "%s(%s)" % (wanted, r.choice(values.TEXTS[wanted + "text"])
                               if r.random() < 0.4 else values.TEXTS[wanted + "text"][r.randrange(3)])
        if wanted in ("duration", "timestamp"):
            pool = values.TEXTS["durtext" if wanted == "duration" else "tstext"]
            return "%s(%s)" % (wanted, r.choice(pool) if r.random() < 0.2 else pool[r.randrange(4)])
        if wanted == "format":
            return "format.%s()" % r.choice(values.FORMAT_NAMES)
        if wanted == "dyn":
            return "dyn(%s)" % self.literal(self.some_type(1), depth + 1)
        if wanted in AUTHZ:
            return {"authorizer": "authorizer", "group": "authorizer.group('apps')",
                    "resourcecheck": "authorizer.group('').resource('pods')",
                    "pathcheck": "authorizer.path('/healthz')",
                    "decision": "authorizer.group('apps').resource('deployments').check('get')"}[wanted]
        if "(" not in wanted:
            return "1"
        head, rest = wanted.split("(", 1)
        args = split_args(rest[:-1])
        if head == "list":
            return "[%s]" % ", ".join(self.literal(args[0], depth + 1)
                                      for _ in range(r.choice((0, 1, 2, 3) if depth < 2 else (0, 1))))
        if head == "map":
            return "{%s}" % ", ".join("%s: %s"
                                      % (self.literal(args[0], depth + 1), self.literal(args[1], depth + 1))
                                      for _ in range(r.choice((0, 1, 1, 2) if depth < 2 else (0, 1))))
        if head == "optional_type":
            return "optional.none()" if r.random() < 0.3 else "optional.of(%s)" % self.literal(args[0], depth
                + 1)
        return "1"


def spread(text, r):
    """The same text over several lines, with comments and other white space, outside of string literals."""
    out, quoted = [], False
    for c in text:
        quoted ^= c in "'\""
        out.append(r.choice(("\n", " // note\n", "\t", "  ", " ", " ", "\r\n", "\f")) if c == " "
                   and not quoted else c)
    return "".join(out)


def damage(text, r):
    """Drops, doubles, swaps or inserts a few characters."""
    for _ in range(r.choice((1, 1, 2, 3))):
        i = r.randrange(len(text) + 1)
        kind = r.random()
        if kind < 0.4:
            text = text[:i] + text[i + 1:]
        elif kind < 0.5:
            text = text[:i] + text[i:i + 5] + text[i:]
        else:
            text = text[:i] + r.choice("()[]{}.,?:+-*/%!=<>&|'\"` \\@#$;~^abin01ué\t\n"
                                       if kind < 0.9 else ("in ", " && ", "..", "has(", "{?", ".?", "0x",
                                           "b'", "r\"", "'''", "null", "while")) + text[i:]
    return text


def request(seed, index, versions=False, make=Generator.top):
    """(tree, or None if the text was damaged; request). `make` makes a tree with a Generator."""
    g = Generator(seed, index)
    r = g.r
    tree = make(g)
    text = render(tree)
    line = {"id": "%d-%d" % (seed, index), "expr": text}
    types, given = {}, {}
    used = [n for n in g.environment if n in text]
    tagged = r.random() < 0.15 and all(g.environment[n][0] == "dyn" for n in used)
    for name in used:
        kind, pool = g.environment[name]
        types[name] = kind
        if pool is not None and r.random() < 0.97:
            given[name] = r.choice(values.TAGGED if tagged else pool)
    if types:
        line["types"] = {n: t for n, t in types.items() if t != "dyn" or n not in given}
        line["bindings" if tagged else "vars"] = given
    if g.authz:
        line["authz"] = r.choice(AUTHZ_RULES)
        line["userInfo"] = {"username": "eve", "groups": ["system:authenticated"]}
    dice = r.random()
    if versions:
        line.update(env="new", version="1.%d" % (28 + index % 10))
    elif dice < 0.08:
        line.update(env="new", version="1.%d" % r.randrange(28, 38))
    elif dice < 0.18:
        line["env"] = "libraries"
    if r.random() < 0.02:
        line["costLimit"] = r.randrange(40)
    if r.random() < 0.02:
        line["sizeHints"] = {n: r.randrange(50) for n in used} | {n + ".@items": 7 for n in used}
    if r.random() < 0.02:
        line["container"] = r.choice(CONTAINERS)
    if r.random() < 0.01:
        line["checkOnly"] = True
    if r.random() < 0.04:
        line["expr"] = spread(text, r)
    if r.random() < 0.06:
        line["expr"] = damage(text, r)
        tree = None
    return tree, line


def main():
    versions = "--versions" in sys.argv
    seed, count = [int(a) for a in sys.argv[1:] if not a.startswith("-")]
    write = sys.stdout.write
    for i in range(count):
        write(json.dumps(request(seed, i, versions)[1], ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
