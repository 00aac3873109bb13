#!/usr/bin/env python3
"""Policies of a corpus and random mutations of them as `typecheck` requests, one JSON line each.

Usage: mutate_typecheck.py CORPUS_DIR OPENAPI_DIR [COUNT] [SEED] > requests.jsonl
       mutate_typecheck.py --compare REQUESTS WANT GOT ORACLE     prints each answer that differs, and
                                                                  how many

First every policy unchanged, then COUNT mutations, deterministic by seed: misspelt, wrong, typed, escaped and
dropped fields, literals of other types, operators, macros, other kinds and params, variables added, dropped
and renamed, syntax errors; and random expressions over the fields of built-in kinds. Needs PyYAML.

Kubernetes checks at most ten kinds, and picks them at random if a rule leaves the group open (""). A case
that differs is sent to ORACLE again; if its own answers differ among themselves, the warnings about each kind
must be equal.
"""
import copy
import json
import os
import random
import re
import subprocess
import sys

import yaml

GROUP = "admissionregistration.k8s.io"


def policies(corpus):
    for entry in json.load(open(os.path.join(corpus, "manifest.json"), encoding="utf-8")):
        with open(os.path.join(corpus, entry["policy"]), encoding="utf-8") as f:
            for document in yaml.load_all(f, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                if document and document.get("kind") == "ValidatingAdmissionPolicy":
                    yield entry["id"], json.loads(json.dumps(document, default=str))


class Structs:
    """The Go structs of the built-in kinds."""

    def __init__(self, path):
        self.structs, self.kinds = {}, []
        for line in open(path, encoding="utf-8"):
            entry = json.loads(line)
            self.structs[entry["type"]] = entry
            self.kinds += [(k, entry["type"]) for k in entry.get("kinds", ())]
        self.kinds.sort()

    def fields(self, name):
        for field in self.structs.get(name, {}).get("fields", ()):
            if field.get("inline"):
                yield from self.fields(field["type"])
            else:
                yield field

    def path(self, rng, root, start, most):
        """A random path below `start`, as CEL, with the type at its end."""
        text, at = start, root
        for _ in range(rng.randint(1, most)):
            fields = list(self.fields(at))
            if not fields:
                break
            field = rng.choice(fields)
            at = field["type"]
            text += "." + spell(rng, field["name"])
            while at.startswith(("list(", "map(")):
                outer, at = at[:at.index("(")], at[at.index("(") + 1:-1]
                if rng.random() < .2:
                    return text, "container"
                text += rng.choice(["[0]", "[0]", "[?0].value()",
                                    ".first().orValue(dyn(1))"]) if outer == "list" else rng.choice(
                    ["['k']", ".k", "['k']", "[?'k'].orValue(dyn(0))", ".?k.orValue(1)"])
        return text, at


def spell(rng, name):
    if rng.random() < .06:
        return misspell(rng, name)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        return rng.choice(["`" + name + "`",
                           name.replace("-", "__dash__").replace(".", "__dot__").replace("$", "")])
    return name


def misspell(rng, word):
    i = rng.randrange(len(word)) if word else 0
    return rng.choice([word[:i] + word[i + 1:], word[:i] + "x" + word[i:], word + "s", word.swapcase(),
                       word[:-1], word[:i] + word[i + 1:i + 2] + word[i:i + 1] + word[i + 2:], "__" + word
                       + "__", word + "__dash__x"]) or "x"


LITERALS = ["1", "'a'", "true", "null", "1.5", "1u", "b'x'", "[]", "{}", "[1]", "['a']", "{'a': 1}",
            "duration('1h')", "timestamp('2024-01-01T00:00:00Z')", "dyn(1)", "quantity('1')",
            "optional.none()", "type(1)", "string", "object", "oldObject", "params", "request",
            "namespaceObject", "variables", "authorizer", "authorizer.requestResource", "nope"]
OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&&", "||", "in"]
METHODS = ["size()", "startsWith('a')", "matches('^a$')", "matches('(')", "all(x, x == 1)",
           "exists(x, x.name == '')", "map(x, x)", "filter(x, x.value > 1)", "exists_one(k, k)",
           "contains('a')", "split(',')", "join(',')", "lowerAscii()", "getHours()", "getFullYear()",
           "nope()", "orValue('')", "hasValue()", "isSorted()", "sum()", "indexOf('a')", "find('a')",
           "all(i, v, v == i)", "transformMap(k, v, v)", "charAt(0)", "asInteger()",
           "isGreaterThan(quantity('1'))", "allowed()", "check('get')", "format([1])", "name", "metadata",
           "spec", "k", "?name", "namespace", "__namespace__", "first()", "distinct()", "flatten()", "sort()"]
FUNCTIONS = ["size(%s)", "string(%s)", "int(%s)", "has(%s)", "type(%s)", "double(%s)", "bytes(%s)",
             "timestamp(%s)", "duration(%s)", "quantity(%s)", "isQuantity(%s)", "url(%s)", "ip(%s)",
             "cidr(%s)", "!(%s)", "-(%s)", "dyn(%s)", "[%s]", "{'a': %s}", "{%s: 1}", "optional.of(%s)",
             "%s ? 1 : 2", "true ? %s : 1", "sets.contains(%s, ['a'])", "bool(%s)", "nope(%s)", "(%s)",
             "'%%d'.format([%s])", "%s == null", "math.greatest(%s)", "semver(%s)", "[%s, 1]",
             "authorizer.path(%s)"]
RESOURCES = ["pods", "deployments", "services", "configmaps", "cronjobs", "jobs", "ingresses",
             "networkpolicies", "events", "endpoints", "statefulsets", "daemonsets", "replicasets", "nodes",
             "namespaces", "secrets", "roles", "clusterroles", "pod", "Deployment", "scales",
             "horizontalpodautoscalers", "poddisruptionbudgets", "persistentvolumeclaims", "serviceaccounts",
             "storageclasses", "leases", "customresourcedefinitions", "validatingadmissionpolicies",
             "pods/exec", "pods/*", "*", "*/*", "nopes", "bindings", "evictions", "csinodes",
             "resourceclaims", "deviceclasses", "createoptionses", "tokenreviews", "subjectaccessreviews",
             "componentstatuses"]
GROUPS = ["", "apps", "batch", "networking.k8s.io", "rbac.authorization.k8s.io", "policy", "autoscaling",
          "events.k8s.io", "storage.k8s.io", "*", "example.com", "admissionregistration.k8s.io",
          "resource.k8s.io", "extensions", "coordination.k8s.io", "apiextensions.k8s.io"]
VERSIONS = ["v1", "v1", "v1", "v1beta1", "v1beta2", "v1alpha1", "v2", "*", "v9"]
PARAMS = [("v1", "ConfigMap"), ("apps/v1", "Deployment"), ("v1", "Pod"), ("example.com/v1", "Thing"),
          ("a/b/c", "X"), ("v1", "Nope"), ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
          ("apiregistration.k8s.io/v1", "APIService"), ("v1", "Secret"),
          ("storagemigration.k8s.io/v1", "StorageVersionMigration"), ("meta.k8s.io/v1", "DeleteOptions"),
          ("apps/v1", "DeleteOptions")]


class Mutator:
    def __init__(self, seed, structs, sources):
        self.rng, self.structs, self.sources = random.Random(seed), structs, sources

    def expression_sites(self, policy):
        spec = policy["spec"]
        for group, keys in (("validations", ("expression", "messageExpression")),
                            ("variables", ("expression",))):
            for item in spec.get(group) or ():
                for key in keys:
                    if item.get(key):
                        yield item, key

    def random_expression(self, kinds):
        rng = self.rng
        kind = rng.choice(kinds)
        root = rng.choice(["object", "object", "oldObject"])
        text, _ = self.structs.path(rng, kind, root, 8)
        for _ in range(rng.randint(0, 2)):
            roll = rng.random()
            if roll < .4:
                other = rng.choice(LITERALS) if rng.random() < .6 else self.structs.path(rng, kind, root,
                    6)[0]
                text = "%s %s %s" % (text, rng.choice(OPERATORS), other)
            elif roll < .7:
                text += "." + rng.choice(METHODS)
            else:
                text = rng.choice(FUNCTIONS) % text
        return text

    def mutate_text(self, text):
        rng = self.rng
        words = list(re.finditer(r"[A-Za-z_][A-Za-z0-9_]*", text))
        fields = list(re.finditer(r"\.([A-Za-z_][A-Za-z0-9_]*)\b(?!\()", text))
        literals = list(re.finditer(r"'[^'\n]*'|\b\d+\b|\btrue\b|\bfalse\b|\bnull\b", text))
        operators = list(re.finditer(r"==|!=|<=|>=|&&|\|\||[<>+]", text))
        roll = rng.random()
        if roll < .35 and fields:
            m = rng.choice(fields)
            return text[:m.start(1)] + misspell(rng, m[1]) + text[m.end(1):]
        if roll < .5 and literals:
            m = rng.choice(literals)
            return text[:m.start()] + rng.choice(LITERALS) + text[m.end():]
        if roll < .6 and operators:
            m = rng.choice(operators)
            return text[:m.start()] + rng.choice(OPERATORS) + text[m.end():]
        if roll < .7 and words:
            m = rng.choice(words)
            return text[:m.start()] + rng.choice(LITERALS
                + ["object", "spec", "metadata", "x"]) + text[m.end():]
        if roll < .78 and fields:
            m = rng.choice(fields)
            return text[:m.start()] + "." + rng.choice(METHODS) + text[m.end():]
        if roll < .84 and fields:
            m = rng.choice(fields)
            return text[:m.start()] + text[m.end():]
        if roll < .92:
            return rng.choice(FUNCTIONS) % text
        i = rng.randrange(len(text) + 1)
        return text[:i] + rng.choice(["(", ")", "'", "é", " + ", ".", "\n", "?", "[", "//", "1", "\"", "\t",
                                      "&", "😀"]) + text[i + rng.randint(0, 2):]

    @staticmethod
    def rules_of(spec):
        """The list of resource rules, which is made if absent or null."""
        constraints = spec["matchConstraints"] = spec.get("matchConstraints") or {}
        constraints["resourceRules"] = constraints.get("resourceRules") or []
        return constraints["resourceRules"]

    def mutate_rules(self, spec):
        rng = self.rng
        rules = self.rules_of(spec)
        if not rules or rng.random() < .2:
            rules.append({"operations": ["CREATE"]})
        rule = rng.choice(rules)
        if rng.random() < .3:
            kinds = rng.sample(self.structs.kinds, rng.randint(1, 12))
            versions = [k.split(" ")[0] for k, _ in kinds]
            rule["apiGroups"] = sorted({v.rpartition("/")[0] for v in versions})
            rule["apiVersions"] = sorted({v.rpartition("/")[2] for v in versions})
            rule["resources"] = sorted({k.split(" ")[1].lower() + rng.choice(["s", "s", "es", ""]) for k,
                                        _ in kinds})
        else:
            rule["apiGroups"] = [rng.choice(GROUPS) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
            rule["apiVersions"] = [rng.choice(VERSIONS) for _ in range(rng.choice([1, 1, 2]))]
            rule["resources"] = [rng.choice(RESOURCES) for _ in range(rng.choice([1, 1, 2, 4]))]
        # If the group is open and there are too many kinds, Kubernetes picks the checked ones at random.
        if "" in rule["apiGroups"] and "events" in rule["resources"] and len(rule["resources"]) > 1:
            rule["resources"].remove("events")

    def mutate_parts(self, spec):
        """Adds what is unchecked or rare: conditions, annotations, messages, chains of variables, odd
        rules."""
        rng = self.rng
        kinds = [t for k, t in self.structs.kinds if self.mentioned(k, spec)] or ["k8s.io/api/core/v1.Pod"]
        roll = rng.random()
        if roll < .15:
            spec.setdefault("matchConditions", []).append({"name": rng.choice(["c", "c.d", ""]),
                "expression": self.random_expression(kinds)})
        elif roll < .3:
            spec.setdefault("auditAnnotations", []).append({"key": rng.choice(["k", "K_1", ""]),
                "valueExpression": self.random_expression(kinds)})
        elif roll < .55 and spec.get("validations"):
            validation = rng.choice(spec["validations"])
            validation["messageExpression"] = rng.choice([self.random_expression(kinds), "string(%s)"
                % self.random_expression(kinds), "", "  ", "'a'", "1", "'%s'.format([object.metadata.name])",
                "variables.nope", "request.object", "oldObject == null ? '' : 'x'"])
        elif roll < .75:
            names = rng.sample(["a", "b", "c", "d", "items", "size", "a-b", "", "1x", "in"],
                               rng.choice([2, 3]))
            values = [self.random_expression(kinds)] + ["variables." + n
                + rng.choice(["", ".name", "[0]", "." + rng.choice(METHODS)]) for n in names]
            spec.setdefault("variables", []).extend({"name": n, "expression": rng.choice(values)}
                for n in names)
            spec.setdefault("validations", []).append({"expression": "variables.%s %s %s"
                % (rng.choice(names), rng.choice(OPERATORS), rng.choice(LITERALS))})
        elif roll < .85:
            rules = self.rules_of(spec)
            rules.append({"apiGroups": rng.choice([["apps"], [""], ["*"], [], ["apps", "apps"],
                ["batch", "*"]]), "apiVersions": rng.choice([["v1"], ["*"], [], ["v1", "v1beta1"]]),
                          "operations": ["CREATE"],
                          "resources": rng.choice([["pods/status"], ["*/scale"], ["deployments/*"],
                              ["deployments", "deployments/scale"], [], ["pods", "*"], ["jobs"]])})
        elif roll < .92:
            self.rules_of(spec)
            constraints = spec["matchConstraints"]
            constraints[rng.choice(["excludeResourceRules", "resourceRules"])] = rng.choice([[],
                [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}],
                None])
        else:
            spec[rng.choice(["validations", "variables", "matchConstraints", "paramKind"])] = rng.choice(
                [None, {}]) if rng.random() < .3 else None

    def mutate(self, policy):
        rng = self.rng
        spec = policy["spec"]
        for _ in range(rng.choice([1, 1, 2, 3])):
            roll = rng.random()
            sites = list(self.expression_sites(policy))
            if roll < .62 and sites:
                item, key = rng.choice(sites)
                item[key] = self.mutate_text(item[key])
            elif roll < .72:
                kinds = [t for k, t in self.structs.kinds
                         if self.mentioned(k, spec)] or ["k8s.io/api/core/v1.Pod"]
                spec["validations"] = (spec.get("validations") or []) + [
                    {"expression": self.random_expression(kinds)}]
            elif roll < .82:
                self.mutate_rules(spec)
            elif roll < .9:
                version, kind = rng.choice(PARAMS) if rng.random() < .6 else rng.choice(self.structs.kinds)[
                    0].split(" ")
                spec["paramKind"] = {"apiVersion": version, "kind": kind}
                if sites and rng.random() < .7:
                    item, key = rng.choice(sites)
                    item[key] = item[key].replace("object", "params", 1)
            elif roll < .92:
                spec.pop("paramKind", None)
            elif roll < .96:
                self.mutate_parts(spec)
            elif spec.get("variables") and rng.random() < .5:
                spec["variables"].pop(rng.randrange(len(spec["variables"])))
            else:
                value = rng.choice([rng.choice(LITERALS), "object", "object.spec", "object.metadata.labels",
                                    "object.metadata"])
                spec.setdefault("variables", []).insert(0, {"name": "added", "expression": value})
                spec.setdefault("validations", []).append(
                    {"expression": rng.choice(["variables.added." + rng.choice(METHODS),
                        "variables.added == " + rng.choice(LITERALS)])})
        return policy

    @staticmethod
    def mentioned(kind, spec):
        version, name = kind.split(" ")
        group, _, version = version.rpartition("/")
        for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
            plurals = {name.lower() + "s", name.lower() + "es", name.lower()[:-1] + "ies"}
            if group in rule.get("apiGroups", ()) and version in rule.get("apiVersions",
                    ()) and plurals & set(rule.get("resources", ())):
                return True
        return False

    def walk(self):
        """A policy that only reads random paths of a random kind."""
        rng = self.rng
        kind, struct = rng.choice(self.structs.kinds)
        version, name = kind.split(" ")
        group, _, version = version.rpartition("/")
        plural = name.lower()
        plural = plural if plural.endswith("endpoints") else plural + "es" if plural.endswith(
            "s") else plural[:-1] + "ies" if plural.endswith("y") else plural + "s"
        rules = [{"apiGroups": [group], "apiVersions": [version], "operations": ["CREATE"],
                  "resources": [plural]}]
        return {"apiVersion": GROUP + "/v1", "kind": "ValidatingAdmissionPolicy",
                "metadata": {"name": "walk"}, "spec": {
            "matchConstraints": {"resourceRules": rules},
            "validations": [{"expression": self.random_expression([struct])} for _ in range(6)]}}


AGAIN = 8


def by_kind(answer):
    """Maps (field, kind) to the warnings."""
    out = {}
    for w in answer.get("expressionWarnings", ()):
        for part in re.split(r"(?:^|\n\n)(?=[^\n]*, Kind=\w+: )", w["warning"]):
            kind, _, text = part.partition(": ")
            if part:
                out[w["fieldRef"], kind] = text.rstrip("\n")
    return out


def agrees(oracle, request, ours):
    answers = []
    for _ in range(AGAIN):
        line = subprocess.run([oracle, "-j", "1"], input=request, capture_output=True, text=True,
                              check=True).stdout
        if json.loads(line) == ours:
            return "equal"
        answers.append(line)
    mine = by_kind(ours)
    theirs = [by_kind(json.loads(a)) for a in answers]
    if len(set(answers)) > 1 and all(t.get(k, text) == text for t in theirs for k, text in mine.items()):
        return "chance"
    return "differs"


def same(request, a, b):
    """Whether two answers are equal. The oracle drops the digits that make type names unique; if the kind of
    params is empty, it also drops all digits at the start of words, those of positions included."""
    if json.loads(a) == json.loads(b):
        return True
    kind = (json.loads(request)["policy"].get("spec") or {}).get("paramKind")
    if not isinstance(kind, dict) or kind.get("kind"):
        return False
    return json.loads(re.sub(r"\b[0-9]+", "", a)) == json.loads(re.sub(r"\b[0-9]+", "", b))


def compare(requests, want, got, oracle):
    count = {"equal": 0, "chance": 0, "differs": 0}
    with open(requests, encoding="utf-8") as q, open(want, encoding="utf-8") as w, open(got,
            encoding="utf-8") as g:
        for request, a, b in zip(q, w, g, strict=True):
            verdict = "equal" if same(request, a, b) else agrees(oracle, request, json.loads(b))
            count[verdict] += 1
            if verdict == "differs":
                print("REQUEST", request.strip(), "\nWANT", a.strip(), "\nGOT ", b.strip(), "\n")
    print(sum(count.values()), "answers:", ", ".join(f"{n} {word}" for word, n in count.items()))
    return 1 if count["differs"] else 0


def main():
    if sys.argv[1:2] == ["--compare"]:
        sys.exit(compare(*sys.argv[2:6]))
    corpus, openapi = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    sources = list(policies(corpus))
    mutator = Mutator(seed, Structs(os.path.join(openapi, "types.jsonl")), sources)
    for name, policy in sources:
        print(json.dumps({"id": name, "mode": "typecheck", "policy": policy}))
    for i in range(count):
        if mutator.rng.random() < .3:
            name, policy = "walk", mutator.walk()
        else:
            name, policy = mutator.rng.choice(sources)
            policy = mutator.mutate(copy.deepcopy(policy))
        print(json.dumps({"id": "%s#%d" % (name, i), "mode": "typecheck", "policy": policy}))


if __name__ == "__main__":
    main()
