#!/usr/bin/env python3
"""Random `review` requests with `typed`: objects of every built-in kind, made from the list of Go structs,
and policies that read their fields: presence, types, values, sizes, equality, indexes, keys; also those of
old objects, and at other versions of the kind.

Usage: typed_reviews.py TYPES_JSONL COUNT [SEED] > requests.jsonl
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got; diff want got
(fields that default to the time of the request differ)
"""
import copy
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from random_objects import Maker  # noqa: E402

GROUP = "admissionregistration.k8s.io/v1"
KEYWORDS = {"in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
            "loop", "package", "namespace", "return", "var", "void", "while", "true", "false", "null"}


def literal(v):
    if v is None or isinstance(v, bool):
        return json.dumps(v)
    if isinstance(v, list):
        return "[" + ", ".join(literal(x) for x in v) + "]"
    if isinstance(v, dict):
        return "{" + ", ".join(json.dumps(k) + ": " + literal(x) for k, x in v.items()) + "}"
    return json.dumps(v)


def step(name):
    plain = name.isidentifier() and name.isascii() and name not in KEYWORDS
    return "." + name if plain else "[%s]" % json.dumps(name)


class Reviews:
    def __init__(self, path, seed):
        self.maker = Maker(path, seed)
        self.rng = self.maker.rng
        self.kinds = {}
        for kind, struct in self.maker.kinds:
            api_version, name = kind.split(" ")
            group, _, version = api_version.rpartition("/")
            self.kinds.setdefault((group, name), []).append((version, struct))

    def fields(self, struct):
        for f in self.maker.structs[struct]["fields"]:
            if f.get("inline"):
                yield from self.fields(f["type"])
            else:
                yield f["name"], f["type"]

    def place(self, struct, value):
        """A path along the structs, preferably to a field that the object has: the expression, and the value
        in the file or None."""
        rng, text, kind = self.rng, "", struct
        for _ in range(rng.choice([1, 2, 2, 3, 3, 4, 5, 6])):
            if kind in self.maker.structs:
                known = list(self.fields(kind))
                if not known:
                    break
                here = [f for f in known if isinstance(value, dict) and value.get(f[0]) not in (None, {}, [])]
                name, kind = rng.choice(here if here and rng.random() < 0.8 else known)
                text += step(name)
                value = value.get(name) if isinstance(value, dict) else None
            elif kind.startswith("list("):
                i = rng.choice([0, 0, 0, 1, 2])
                text += "[%d]" % i
                kind = kind[5:-1]
                value = value[i] if isinstance(value, list) and len(value) > i else None
            elif kind.startswith("map("):
                key = rng.choice(list(value)) if isinstance(value,
                    dict) and value and rng.random() < 0.8 else rng.choice(["a", "cpu"])
                text += step(key) if rng.random() < 0.5 else "[%s]" % json.dumps(key)
                kind = kind[4:-1]
                value = value.get(key) if isinstance(value, dict) else None
            else:
                break
        return text, kind, value

    def probe(self, struct, value, root):
        rng = self.rng
        text, kind, held = self.place(struct, value)
        at = root + text
        other = root + self.place(struct, value)[0]
        guess = literal(held
                        if rng.random() < 0.7 else rng.choice([0, 1, 80, "", "Always", "TCP", None, True, [],
                            {}, 1.5]))
        forms = ["%s == %s" % (at, guess), "%s != %s" % (at, guess), "type(%s) == %s"
                 % (at, rng.choice(["int", "string", "map", "list", "bool", "double"])), "size(%s) == 1" % at,
                 "%s == %s" % (at, other), "%s in [%s, %s]" % (at, guess, other), "%s.size() > 0" % at,
                 "%s.?%s.hasValue()" % (at, rng.choice(["name", "a", "x"])), "%s[0] == %s" % (at, guess),
                 "%s['a'] == %s" % (at, guess), "%s + %s == %s" % (at, at, at), "string(%s) == 'x'" % at,
                 "%s < %s" % (at, other), "%s.exists(x, x == %s)" % (at, guess)
                 if kind.startswith("list(") else "dyn(%s) == dyn(%s)" % (at, guess), "%s in %s"
                 % (guess, at), "!%s" % at]
        if "[" not in text and "." in text:
            forms += ["has(%s)" % at, "!has(%s)" % at] * 4
        return rng.choice(forms), at

    def policy(self, i, rule, struct, value, old):
        rng = self.rng
        spec = {"failurePolicy": rng.choice(["Fail", "Ignore", "Fail"]),
                "matchConstraints": {"resourceRules": [rule]}, "validations": []}
        for _ in range(rng.choice([1, 2, 3, 4])):
            root = "oldObject" if old and rng.random() < 0.3 else "object"
            expression, at = self.probe(struct, value, root)
            made = {"expression": expression}
            if rng.random() < 0.4:
                made["messageExpression"] = "'m: ' + string(%s)" % at
            spec["validations"].append(made)
        if rng.random() < 0.4:
            spec["auditAnnotations"] = [{"key": "k", "valueExpression": "string(%s)"
                                         % self.probe(struct, value, "object")[1]}]
        return {"apiVersion": GROUP, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p%d" % i},
                "spec": spec}

    def case(self, n):
        rng = self.rng
        group, kind = rng.choice(list(self.kinds))
        versions = self.kinds[(group, kind)]
        version, struct = rng.choice(versions)
        named, their_struct = rng.choice(versions) if rng.random() < 0.3 else (version, struct)
        self.maker.odd = rng.choice([0, 0, 0, 0.001])
        value = self.maker.struct(struct, 0)
        value.update({"apiVersion": (group + "/" if group else "") + version, "kind": kind})
        operation = rng.choice(["CREATE", "CREATE", "CREATE", "UPDATE", "DELETE"])
        resource = kind.lower() + "s"

        def gvr(v):
            return {"resource": {"group": group, "version": v, "resource": resource},
                    "kind": {"group": group, "version": v, "kind": kind}}
        rule = {"apiGroups": [group], "apiVersions": [named], "operations": ["*"], "resources": [resource]}
        policies = [self.policy(i, rule, their_struct, value, operation == "UPDATE")
                    for i in range(rng.choice([2, 3, 4]))]
        bindings = [{"apiVersion": GROUP, "kind": "ValidatingAdmissionPolicyBinding",
                     "metadata": {"name": "b%d" % i},
                     "spec": {"policyName": "p%d" % i,
                              "validationActions": rng.choice([["Deny"], ["Warn"], ["Warn", "Audit"],
                                  ["Audit"]])}}
                    for i in range(len(policies))]
        request = {"operation": operation, "name": "n", "namespace": "default",
                   "userInfo": {"username": "eve"}, **{k: v for k, v in gvr(version).items()}}
        if operation != "DELETE":
            request["object"] = value
        if operation != "CREATE":
            old = copy.deepcopy(value)
            if rng.random() < 0.7:
                old = self.maker.struct(struct, 0)
                old.update({"apiVersion": value["apiVersion"], "kind": kind})
            request["oldObject"] = old
        return {"id": n, "mode": "review", "typed": True, "policies": policies, "bindings": bindings,
                "namespaces": [{"metadata": {"name": "default"}}],
                "equivalents": [[gvr(v) for v, _ in versions]] if len(versions) > 1 else [],
                "request": request}


def main():
    reviews = Reviews(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    for i in range(int(sys.argv[2])):
        print(json.dumps(reviews.case(i), ensure_ascii=False))


if __name__ == "__main__":
    main()
