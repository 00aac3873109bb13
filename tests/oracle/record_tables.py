#!/usr/bin/env python3
"""Records tests/kubernetes/{costs,versions}.tsv: Kubernetes' costs and versions of every overload.

Usage: record_tables.py --ours build/portcullis --oracle 'ORACLE -j 1'

costs.tsv: one expression for each overload, over variables a, b, c of sizes 0, 1, 10 and 1000, with its
run-time cost and static estimate at each size. versions.tsv: the minors that accept an expression as new. A
rule makes the values (value()), which tests/kubernetes/tables_test.cc has, too. The overloads come from
`portcullis functions -o json`.
"""
import argparse
import json
import os
import re
import shlex
import subprocess

SIZES = (0, 1, 10, 1000)
MINORS = range(23, 38)
INNER = 12  # size of texts in lists and maps
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kubernetes")
CONSTANTS = {"int": 1, "uint": 1, "double": 1.5, "bool": True, "timestamp": "2020-01-01T00:00:00Z",
             "duration": "1s", "quantity": "1Gi", "ip": "10.0.0.1", "cidr": "10.0.0.0/8", "semver": "1.2.3",
             "url": "https://example.com/x", "format": "dns1123Label"}
NAMES = {"kubernetes.Quantity": "quantity", "net.IP": "ip", "net.CIDR": "cidr", "kubernetes.Semver": "semver",
         "kubernetes.URL": "url", "kubernetes.NamedFormat": "format",
         "google.protobuf.Timestamp": "timestamp", "google.protobuf.Duration": "duration"}
AUTHZ = "kubernetes.authorization."
TEXTS = {AUTHZ + "Authorizer": "authorizer", AUTHZ + "PathCheck": "authorizer.path('/x')", AUTHZ
         + "GroupCheck": "authorizer.group('g')", AUTHZ
         + "ResourceCheck": "authorizer.group('g').resource('r')", AUTHZ
         + "Decision": "authorizer.path('/x').check('get')", "type": "int", "null_type": "null"}
OPERATORS = {"!_": "!%s", "-_": "-%s", "_[_]": "%s[%s]", "@in": "%s in %s", "_?_:_": "%s ? %s : %s",
             "@not_strictly_false": "[%s].all(x, x)", "_[?_]": "%s[?%s]", "_?._": "%s.?a"}
# Macros and other syntax without an overload: expression, types of a, b, c.
MACROS = [
    ("a.all(x, true)", ["list(int)"]), ("a.exists(x, false)", ["list(int)"]),
    ("a.exists_one(x, true)", ["list(int)"]), ("a.map(x, x)", ["list(int)"]),
    ("a.map(x, true, x)", ["list(int)"]), ("a.filter(x, true)", ["list(string)"]),
    ("a.all(k, true)", ["map(string,int)"]), ("a.map(k, a[k])", ["map(string,string)"]),
    ("a.all(i, x, true)", ["list(int)"]), ("a.exists(i, x, false)", ["list(int)"]),
    ("a.existsOne(i, x, true)", ["list(int)"]), ("a.transformList(i, x, x)", ["list(int)"]),
    ("a.transformList(i, x, true, x)", ["list(int)"]), ("a.transformMap(i, x, x)", ["list(int)"]),
    ("a.transformMap(k, v, true, v)", ["map(string,int)"]),
    ("a.transformMapEntry(k, v, {k: v})", ["map(string,string)"]),
    ("a.transformMapEntry(k, v, true, {k: v})", ["map(string,string)"]),
    ("a.all(k, v, true)", ["map(string,string)"]), ("a.existsOne(x, true)", ["list(int)"]),
    ("a.optMap(x, x)", ["optional_type(string)"]),
    ("a.optFlatMap(x, optional.of(x))", ["optional_type(string)"]), ("a.?b", ["map(string,string)"]),
    ("a[?0]", ["list(string)"]), ("has(a.b)", ["map(string,string)"]), ("a.b", ["dyn"]),
    ("[a, b]", ["string", "string"]), ("{a: b}", ["string", "string"]), ("[?a]", ["optional_type(string)"]),
    ("{?'x': a}", ["optional_type(string)"]), ("a.sortBy(x, x)", ["list(int)"]),
    ("a.sortBy(x, x)", ["list(string)"]), ("a.sortBy(x, x)", ["list(bytes)"]),
    ("a.sortBy(x, x)", ["list(double)"]), ("a.sortBy(x, x)", ["list(uint)"]),
    ("a.sortBy(x, x)", ["list(bool)"]), ("a.sortBy(x, x)", ["list(duration)"]),
    ("a.sortBy(x, x)", ["list(timestamp)"]), ("a.matches('^x+$')", ["string"]), ("a.find('x+')", ["string"]),
    ("a in ['x', 'y']", ["string"]), ("a == 'x'", ["string"]), ("a.split(',', 2)", ["string"]),
    ("a.slice(0, 1)", ["list(int)"]), ("dyn(a) + dyn(b)", ["string", "string"]),
    ("dyn(a) == dyn(b)", ["string", "string"]), ("dyn(a) in dyn(b)", ["string", "list(string)"]),
    ("a == b", ["list(string)", "list(string)"]), ("a == b", ["map(string,int)", "map(string,int)"]),
    ("a == b", ["bytes", "bytes"]), ("a.orValue(b)", ["optional_type(string)", "string"]),
]
MACROS += [("a.includes(b)", [t, "string"]) for t in ("string", "list(string)", "list(dyn)")]
MACROS += [("a %s b" % op, [t, t]) for t in ("quantity", "ip", "cidr", "semver", "url", "format")
           for op in ("==", "!=")]
# Differences between versions other than functions.
LANGUAGE = ["1 < 2.0", "1u == 1", "[1, 'a']", "{'a': 1, 'b': 'c'}", "duration('x')", "timestamp('x')",
            "'a'.matches('(')", "matches('a', '(')", "'%d'.format(['a'])", "'%s'.format([1])",
            "[1].exists(i, x, x == 1)", "{'a': 1}.all(k, v, v > 0)", "[1].transformList(i, x, x)",
            "[?optional.of(1)]", "{?'a': optional.of(1)}", "optional.of(1).hasValue()", "[1].includes(1)",
            "'a'.includes('a')", "[1, 2].sortBy(x, -x)", "cel.bind(x, 1, x)", "math.greatest(1, 2)",
            "base64.encode(b'a')", "'abc'.reverse()", "regex.replace('a', 'a', 'b')", "net.IP == type(1)",
            "kubernetes.Quantity == type(1)", "kubernetes.Semver == type(1)",
            "kubernetes.NamedFormat == type(1)", "optional_type == type(1)", "'\\''.size()",
            "{'a-b': 1}.`a-b`", "{'a': 1}.?a.orValue(2)", "JSONPatch{op: 'add'}", "Object{}",
            "jsonpatch.escapeKey('a')", "strings.quote('a')", "[[1]].flatten()", "lists.range(3)",
            "sets.contains([1], [1])", "'a'.format([])", "dyn(1) == 1.0", "1 == dyn(1u)", "type(1) == int",
            "proto.getExt(1, a)", "cel.@block([1], 2)"]


def split_args(text):
    depth, start, out = 0, 0, []
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return out + [last] if last else out


def batch_type(t):
    if t in NAMES:
        return NAMES[t]
    if re.fullmatch("[A-Z]", t):
        return "string"
    if "(" in t:
        return "%s(%s)" % (t[:t.index("(")],
                           ",".join(batch_type(p) for p in split_args(t[t.index("(") + 1:-1])))
    return t


def value(t, n):
    """The plain JSON value of type `t` and size `n`."""
    if t in ("string", "dyn"):
        return "x" * n
    if t == "bytes":
        return "eHh4" * (n // 3) + ("", "eA==", "eHg=")[n % 3]
    if t.startswith("list("):
        return [value(t[5:-1], INNER if t[5:-1] in ("string", "bytes", "dyn") else 1)] * n
    if t.startswith("map("):
        _, v = split_args(t[4:-1])
        return {"k%d" % i: value(v, INNER) for i in range(n)}
    if t.startswith("optional_type("):
        return value(t[14:-1], n)
    return CONSTANTS[t]


def expression(signature):
    """(text, types of a, b, c) for a call of the overload."""
    head, rest = signature.split("(", 1) if not signature.startswith(("list(", "map(",
        "optional_type(")) else (None, None)
    if head is None or ("." in head and re.match(r"^(dyn|string|bytes|timestamp|duration|net|kubernetes)\.",
            head)):
        close, depth = 0, 0
        if head is None:
            for close, c in enumerate(signature):
                depth += (c == "(") - (c == ")")
                if depth == 0 and c == ")":
                    break
            receiver, call = signature[:close + 1], signature[close + 2:]
        else:
            cut = head.rindex(".")
            receiver, call = signature[:cut], signature[cut + 1:]
        args = [receiver] + split_args(call[call.index("(") + 1:call.rindex(") ->")])
        name, member = call[:call.index("(")], True
    else:
        name, member = head, False
        args = split_args(signature[len(head) + 1:signature.rindex(") ->")])
    texts, types = [], []
    for arg in args:
        if arg in TEXTS:
            texts.append(TEXTS[arg])
        else:
            types.append(batch_type(arg))
            texts.append("abcd"[len(types) - 1])
    if name in OPERATORS:
        return OPERATORS[name] % tuple(texts[:OPERATORS[name].count("%s")]), types
    if re.fullmatch(r"_\W+_", name):
        return "%s %s %s" % (texts[0], name[1:-1], texts[1]), types
    if member:
        return "%s.%s(%s)" % (texts[0], name, ", ".join(texts[1:])), types
    return "%s(%s)" % (name, ", ".join(texts)), types


def request(text, types, n):
    line = {"expr": text, "types": dict(zip("abcd", types)), "vars": {}, "sizeHints": {}}
    for name, t in zip("abcd", types):
        line["vars"][name] = n if text.startswith("lists.range") else value(t, n)
        line["sizeHints"].update({name: n, name + ".@items": INNER, name + ".@keys": INNER, name
                                  + ".@values": INNER})
    if "authorizer" in text:
        line["types"]["authorizer"] = "authorizer"
    if "jsonpatch" in text:
        line["patchTypes"] = True
    return line


def ask(command, lines):
    out = subprocess.run(shlex.split(command), input="".join(json.dumps(x) + "\n" for x in lines),
                         capture_output=True, text=True, check=True).stdout
    return [json.loads(x) for x in out.splitlines()]


def ranges(minors):
    out = []
    for m in minors:
        if out and out[-1][1] == m - 1:
            out[-1][1] = m
        else:
            out.append([m, m])
    return ",".join("%d-%d" % (a, b) for a, b in out) or "-"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--ours", required=True)
    ap.add_argument("--oracle", required=True)
    args = ap.parse_args()
    rows = json.loads(subprocess.run([args.ours, "functions", "-o", "json"], capture_output=True, text=True,
                                     check=True).stdout)
    calls, examples = {}, dict.fromkeys(LANGUAGE)
    for row in rows:
        for example in row["examples"].split("\n"):
            examples[example.split("  // ")[0].strip()] = None
        if "id" not in row or "kubernetesSince" not in row or "@" in row["signature"].replace("@in(",
                "").replace("@not_strictly", ""):
            continue
        text, types = expression(row["signature"])
        calls[text, tuple(types)] = row["id"]
    for text, types in MACROS:
        calls.setdefault((text, tuple(types)), "macro")
    examples.pop("", None)
    answers = iter(ask(args.oracle, [request(text, types, n) for text, types in calls for n in SIZES]))
    with open(os.path.join(HERE, "costs.tsv"), "w", encoding="utf-8") as f:
        for (text, types), name in calls.items():
            got = [next(answers) for _ in SIZES]
            if any("cost" not in g for g in got):  # of a library version that Kubernetes does not have
                print("left out: %s" % text)
                continue
            f.write("\t".join([name, text, ";".join(types)]
                              + ["%d %s %s" % (g["cost"], *g["estimate"]) for g in got]) + "\n")
    wanted = [(text, types) for text, types in calls] + [(text, ()) for text in examples]
    lines = []
    for text, types in wanted:
        line = request(text, types, 1)
        line.update(checkOnly=True, patchTypes=False)
        lines += [dict(line, env="new", version="1.%d" % m) for m in MINORS] + [dict(line, env="stored")]
    answers = iter(ask(args.oracle, lines))
    with open(os.path.join(HERE, "versions.tsv"), "w", encoding="utf-8") as f:
        for text, types in wanted:
            fine = [m for m in MINORS if "compileError" not in next(answers)]
            stored = "compileError" not in next(answers)
            f.write("\t".join([ranges(fine), "stored" if stored else "-", ";".join(types),
                               json.dumps(text, ensure_ascii=False)]) + "\n")


if __name__ == "__main__":
    main()
