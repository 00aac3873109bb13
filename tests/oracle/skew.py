#!/usr/bin/env python3
"""`portcullis skew` against Kubernetes: the examples of all functions and macros, as variables of policies, for every
API server.

Usage: skew.py PROGRAM ORACLE [FROM TO]

A server of 1.N accepts new expressions with the environment of 1.N-1 and runs stored ones with that of 1.N; the oracle
compiles each example in every one of them. Prints what differs in acceptance, type or static cost, and how many were
compared; fails if any does.
"""
import json
import re
import subprocess
import sys
import tempfile

EACH = 40  # expressions in a policy
# The oracle compiles with the cel-go of 1.37 in all environments. What came with a later one than that of a server: its first
# server, as compiled with the cel-go of each release.
LATER = [(re.compile(r"\.optFlatMap\("), 29), (re.compile(r"\.(first|last)\(\)|\bunwrap\(|\.unwrapOpt\(\)"), 33),
         (re.compile("`"), 37)]


def examples(program):
    seen = set()
    for row in json.loads(subprocess.run([program, "functions", "-o", "json"], capture_output=True, check=True).stdout):
        for line in row["examples"].split("\n"):
            expression = line.split("  // ")[0].strip()
            if expression and expression not in seen:
                seen.add(expression)
                yield expression


def policy(number, expressions):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": f"p{number}"},
            "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["*"],
                                                             "operations": ["CREATE"], "resources": ["*"]}]},
                     "variables": [{"name": f"v{i}", "expression": e} for i, e in enumerate(expressions)],
                     "validations": [{"expression": "true"}]}}


def ours(program, expressions, first, last):
    policies = [policy(i, expressions[i:i + EACH]) for i in range(0, len(expressions), EACH)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(json.dumps({"apiVersion": "v1", "kind": "List", "items": policies}))
        file.flush()
        done = subprocess.run([program, "skew", file.name, "--from", f"1.{first}", "--to", f"1.{last}", "-o", "json"],
                              capture_output=True)
    out = []
    for shown in json.loads(done.stdout)["objects"]:
        out += [e for e in shown["expressions"] if e["field"].startswith("spec.variables")]
    return out


def kubernetes(oracle, expressions, first, last):
    requests = [json.dumps({"mode": "condition", "expressions": [e], "hasAuthorizer": True, "env": "new",
                            "version": f"1.{minor}", "checkOnly": True})
                for e in expressions for minor in range(first - 1, last + 1)]
    costs = [json.dumps({"mode": "cel", "expr": e, "env": "new", "version": f"1.{minor}", "checkOnly": True,
                         "types": {"object": "dyn", "oldObject": "dyn", "request": "request",
                                   "namespaceObject": "namespace", "authorizer": "authorizer",
                                   "authorizer.requestResource": "resourceCheck"}})
             for e in expressions for minor in range(first - 1, last + 1)]
    done = subprocess.run([oracle], input="\n".join(requests + costs) + "\n", capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    half = len(requests)
    return list(zip(answers[:half], answers[half:]))


def find(runs, server):
    return next((r for r in runs if server in r["servers"]), None)


def differences(expression, shown, answers, first, last):
    since = max([minor for pattern, minor in LATER if pattern.search(expression)], default=0)
    for server in range(first, last + 1):
        name = f"1.{server}"
        for what, answer in (("accept", answers[server - first]), ("run", answers[server - first + 1])):
            want = server >= since and "results" in answer[0] and "error" not in answer[0]["results"][0]
            if (name in shown[what]) != want:
                yield f"{expression}: {what} on {name}: ours {name in shown[what]}, Kubernetes {want}"
        cost = answers[server - first + 1][1].get("estimate")
        found = find(shown["costs"], name)
        if cost and found and [found["min"], found["max"]] != cost:
            yield f"{expression}: static cost on {name}: ours {found}, Kubernetes {cost}"
        kind = answers[server - first + 1][1].get("outputType")
        found = find(shown["types"], name)
        if kind and found and found["type"] != kind:
            yield f"{expression}: type on {name}: ours {found['type']}, Kubernetes {kind}"


def main():
    program, oracle = sys.argv[1:3]
    first, last = (int(v.split(".")[1]) for v in (sys.argv[3:5] or ["1.28", "1.37"]))
    expressions = list(examples(program))
    answers = kubernetes(oracle, expressions, first, last)
    minors = last - first + 2
    count = 0
    for i, (expression, shown) in enumerate(zip(expressions, ours(program, expressions, first, last), strict=True)):
        for text in differences(expression, shown, answers[i * minors:(i + 1) * minors], first, last):
            print(text)
            count += 1
    print(f"{len(expressions)} expressions on {last - first + 1} servers, {count} differences")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
