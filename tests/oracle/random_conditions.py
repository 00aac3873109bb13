#!/usr/bin/env python3
"""Random `condition` requests: several expressions and variables with one budget, one JSON line each.

Usage: random_conditions.py [COUNT] [SEED] > requests.jsonl

Deterministic by seed. The expressions, variables and requests are those of random_reviews.py, joined by
operators, so that errors occur on either side of truth values. Budgets are often just enough or just too
small. No variable is defined twice: Kubernetes does not survive one that refers to itself.
"""
import json
import random
import sys

from random_reviews import (BOOLS, PARAM_BOOLS, RESOURCES, STRINGS, VARIABLE_BOOLS, VARIABLES, request,
                            subresource_request)

JOINS = ["({a}) && ({b})", "({a}) || ({b})", "({a}) ? ({b}) : ({a})", "!({a})", "({a}) == ({b})",
         "[{a}, {b}]", "({a}) != ({b})", "[1, 2].all(x, ({a}) || x == 2)",
         "[1, 2].exists_one(x, x == 1 && ({b}))", "cel.bind(v, {a}, v || ({b}))", "{{'a': {a}, 'b': {b}}}",
         "[{a}].map(v, v)", "optional.of({a}).hasValue()", "({a} || {b}) && ({b} || {a})",
         "{{'x': 1}}.?y.orValue({a})", "type({a})"]


def expression(r, depth=0):
    pool = r.choice([BOOLS, BOOLS, PARAM_BOOLS, VARIABLE_BOOLS, VARIABLE_BOOLS, STRINGS])
    if depth < 2 and r.random() < 0.4:
        return r.choice(JOINS).format(a=expression(r, depth + 1), b=expression(r, depth + 1))
    return r.choice(pool)


def case(r, number):
    made = {"id": number, "mode": "condition",
            "expressions": [expression(r) for _ in range(r.choice([1, 1, 2, 3, 5]))],
            "hasParams": r.random() < 0.6, "hasAuthorizer": r.random() < 0.6}
    if r.random() < 0.7:
        made["variables"] = [{"name": n, "expression": r.choice(e + [expression(r, 2)])} for n,
                             e in VARIABLES[:8] if r.random() < 0.8]
    if r.random() < 0.7:
        made["params"] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p1"},
                          "data": {"max": r.choice(["5", "x"])}, "spec": {"x": 2}}
    if r.random() < 0.5:
        made["namespaceObject"] = {"metadata": {"name": "default", "labels": {"env": "prod"},
            "creationTimestamp": "2020-01-01T00:00:00Z"},
                                   "status": {"phase": "Active"}}
    if r.random() < 0.4:
        made["authz"] = [{"verb": r.choice(["get", "*"]), "decision": r.choice(["allow", "deny"]),
                          "reason": "because", "error": r.choice(["", "broken"])}]
    if r.random() < 0.5:
        made["budget"] = r.choice([0, 1, 2, 3, 5, 8, 10, 15, 20, 40, 100, 1000, 350000, 350010, 700020,
                                   100000])
    if r.random() < 0.3:
        made["returnTypes"] = r.choice([["bool"], ["string", "null_type"], ["bool", "string"], ["any"],
                                        ["dyn"], ["list(bool)"]])
    if r.random() < 0.2:
        made["env"] = "new"
        if r.random() < 0.5:
            made["version"] = "1.%d" % r.choice([23, 27, 28, 30, 31, 33, 36, 37])
    if r.random() < 0.1:
        made["checkOnly"] = True
    made["request"] = request(r, r.choice(RESOURCES)) if r.random() < 0.8 else subresource_request(r)[1]
    if made["request"]["operation"] == "PATCH":  # to the oracle a text like any other
        made["request"]["operation"] = "CREATE"
    return made


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        print(json.dumps(case(r, i), ensure_ascii=False))


if __name__ == "__main__":
    main()
