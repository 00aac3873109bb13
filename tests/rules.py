#!/usr/bin/env python3
"""rules: compares the warnings of `portcullis check` about rules with Kubernetes' own list of resources.

Usage: rules.py PROGRAM RESOURCES CORPUS [--rules N] [--seed N]

RESOURCES (resources.jsonl) has each served resource with its verbs, so the resources that a rule matches are
the product of its lists over them. Among random rules, some with mistakes:
- each that matches nothing has a warning, and so has each with a resource that adds nothing;
- a rule whose every entry matches something has none;
- no entry has two warnings.
Policies of the corpus, which people wrote for clusters, have none. Closes with `N passed, N failed`.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

OPERATIONS = {"post": "CREATE", "put": "UPDATE", "patch": "UPDATE", "delete": "DELETE",
              "deletecollection": "DELETE", "connect": "CONNECT"}
# What no policy sees: policies and their bindings, and reviews.
UNSEEN = {("admissionregistration.k8s.io", sort + "admissionpolic" + end) for sort in ("validating", "mutating")
          for end in ("ies", "ybindings")} | {
    ("authentication.k8s.io", "selfsubjectreviews"), ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"), ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"), ("authorization.k8s.io", "subjectaccessreviews")}
Row = collections.namedtuple("Row", "group version resource subresource namespaced operations")


def read_rows(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            r = json.loads(line)
            yield Row(r["group"], r["version"], r["resource"], r["subresource"].removesuffix("/{path}"),
                      r["namespaced"], {OPERATIONS[v] for v in r["verbs"] if v in OPERATIONS})


def unique(items):
    return list(dict.fromkeys(items))


def random_rule(rng, rows):
    base = rng.choices(rows, k=rng.choice([1, 1, 2]))

    def name(row):
        resource, sub = row.resource, row.subresource
        if rng.random() < .06:
            resource = resource[:-1]
        if rng.random() < .05:
            resource = "*"
        if rng.random() < .1:
            sub = rng.choice(["status", "scale", "exec", "*"])
        return resource + ("/" + sub if sub else "")

    rule = {
        "apiGroups": unique(r.group if rng.random() < .9 else rng.choice(["", "apps", "policy", "extensions"])
                            for r in base),
        "apiVersions": unique(r.version if rng.random() < .85 else rng.choice(["v1", "v1beta1", "v2", "v9"])
                              for r in base),
        "resources": unique(name(r) for r in base),
        "operations": rng.choice([["*"], ["CREATE"], ["UPDATE"], ["CREATE", "UPDATE"], ["DELETE"], ["CONNECT"],
                                  ["CREATE", "CONNECT"]])}
    if rng.random() < .1:
        rule["apiVersions"] = ["*"]
    if rng.random() < .3:
        rule["scope"] = rng.choice(["Cluster", "Namespaced"])
    return rule


def matches(rule, row):
    def named(text):
        resource, _, sub = text.partition("/")
        return resource in ("*", row.resource) and sub in ("*", row.subresource)

    return ((row.group, row.resource) not in UNSEEN and row.group in rule["apiGroups"]
            and ("*" in rule["apiVersions"] or row.version in rule["apiVersions"])
            and any(named(text) for text in rule["resources"])
            and bool(row.operations if "*" in rule["operations"] else row.operations & set(rule["operations"]))
            and rule.get("scope") != ("Cluster" if row.namespaced else "Namespaced"))


def live(rule, rows, field):
    """Whether each entry of a list matches something."""
    return all(any(matches({**rule, field: [entry]}, row) for row in rows) for entry in rule[field])


def unmet(rule, rows, fields):
    """Why the warnings at `fields` of a rule are wrong; empty if they are right."""
    if len(set(fields)) < len(fields):
        return "two warnings for one entry"
    if not any(matches(rule, row) for row in rows):
        return "" if fields else "matches nothing"
    if not live(rule, rows, "resources"):
        return "" if fields else "a resource matches nothing"
    right = all(live(rule, rows, field) for field in ("apiGroups", "apiVersions", "operations"))
    return "nothing is wrong" if right and fields else ""


def warnings(program, path):
    """The fields that have warnings about rules."""
    done = subprocess.run([program, "check", "-q", "-o", "json", str(path)], capture_output=True, text=True, check=False)
    for problem in json.loads(done.stdout)["problems"]:
        found = re.match(r".*ules\[(\d+)\]\.?(.*)", problem["field"])
        if found and problem["severity"] == "warning":
            yield int(found[1]), found[2]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("resources")
    ap.add_argument("corpus")
    ap.add_argument("--rules", type=int, default=2000)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    rows = list(read_rows(args.resources))
    rng = random.Random(args.seed)
    rules = [random_rule(rng, rows) for _ in range(args.rules)]
    found = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "policy.json")
        path.write_text(json.dumps({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": "p"},
            "spec": {"matchConstraints": {"resourceRules": rules}, "validations": [{"expression": "true"}]}}),
            encoding="utf-8")
        for index, field in warnings(args.program, path):
            found[index].append(field)
    failures = ["%s: %s, warnings at %s" % (why, json.dumps(rule), found[i])
                for i, rule in enumerate(rules) if (why := unmet(rule, rows, found[i]))]
    policies = sorted(pathlib.Path(args.corpus).glob("**/policy.yaml"))
    failures += ["%s: a warning at %s" % (path, field) for path in policies
                 for _, field in warnings(args.program, path)]
    for text in failures:
        print("FAIL " + text)
    print("%d passed, %d failed" % (len(rules) + len(policies) - len(failures), len(failures)))
    sys.exit(bool(failures) or not policies or not found)


if __name__ == "__main__":
    main()
