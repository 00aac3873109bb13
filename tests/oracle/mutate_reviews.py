#!/usr/bin/env python3
"""Real policies against mutated objects, as `review` requests, one JSON line each.

Usage: mutate_reviews.py CORPUS DIR [COUNT] [SEED] > requests.jsonl

CORPUS is the program of tests/corpus; it prints the requests of DIR (shared/corpus), which have one policy each.
Deterministic by seed. A request gets the policies of one to three other requests, an object that is mutated
and mixed with those of others, and changed bindings, operations, params and failure policies.
"""
import copy
import json
import random
import subprocess
import sys

from mutate_policies import dump

ODD = [None, True, False, 0, 1, -1, 1.5, 10 ** 18, "", "x", "latest", "1Gi", "100m", [], {}, ["a"], [1], [{}],
       [None], {"a": "b"}, {"a": None}, "a" * 300]


def places(value, path=()):
    if isinstance(value, dict):
        for key in value:
            yield value, key
            yield from places(value[key])
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield value, i
            yield from places(item)


def mutate(r, obj, donors):
    spots = [(h, k) for h, k in places(obj) if k not in ("apiVersion", "kind") or h is not obj]
    if not spots:
        return
    holder, key = r.choice(spots)
    what = r.random()
    if what < 0.25:
        del holder[key]
    elif what < 0.5:
        holder[key] = copy.deepcopy(r.choice(ODD))
    elif what < 0.65 and isinstance(holder[key], list):
        holder[key] = holder[key] * 2
    elif what < 0.8 and isinstance(holder[key], bool):
        holder[key] = not holder[key]
    elif what < 0.8 and isinstance(holder[key], str):
        holder[key] = r.choice([holder[key].upper(), holder[key] + "-x", holder[key][:-1], "reg.io/"
                                + holder[key], "é"])
    else:
        same = [h[k] for d in donors for h, k in places(d) if k == key]
        if same:
            holder[key] = copy.deepcopy(r.choice(same))


def main():
    recorded = subprocess.run([*sys.argv[1:3], "--requests"], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in recorded.splitlines()]
    lines = [one for one in lines if one["policies"]
             and one["policies"][0]["kind"] == "ValidatingAdmissionPolicy"]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    r = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    by_kind = {}
    for one in lines:
        by_kind.setdefault(one["request"]["kind"]["kind"], []).append(one)
    for i in range(count):
        made = copy.deepcopy(r.choice(lines))
        request = made["request"]
        kin = by_kind[request["kind"]["kind"]]
        donors = [o for one in r.sample(kin, min(3, len(kin))) for o in (one["request"]["object"],) if o]
        made["id"] = i
        for other in r.sample(kin, min(r.choice([0, 0, 1, 2]), len(kin))):
            names = {p["metadata"]["name"] for p in made["policies"]} | {b["metadata"]["name"]
                for b in made["bindings"]}
            if other["paramScope"] == made["paramScope"] and not names & {o["metadata"]["name"]
                    for o in other["policies"] + other["bindings"]}:
                for part in ("policies", "bindings", "params"):
                    made[part] += copy.deepcopy(other[part])
        for field in ("object", "oldObject"):
            if isinstance(request.get(field), dict):
                for _ in range(r.choice([0, 1, 2, 4, 8])):
                    mutate(r, request[field], donors)
        if r.random() < 0.2 and request["object"] and not request["oldObject"]:
            request["operation"] = "UPDATE"
            request["oldObject"] = copy.deepcopy(request["object"])
            mutate(r, request["oldObject"], donors)
        elif r.random() < 0.1 and request["object"]:
            request.update(operation="DELETE", oldObject=request["object"], object=None)
        for p in made["policies"]:
            if r.random() < 0.2:
                p["spec"]["failurePolicy"] = r.choice(["Fail", "Ignore"])
            if r.random() < 0.1 and "matchConstraints" in p["spec"]:
                for rule in p["spec"]["matchConstraints"].get("resourceRules") or []:
                    rule["operations"] = ["*"]
        for b in made["bindings"]:
            if r.random() < 0.3:
                b["spec"]["validationActions"] = r.choice([["Deny"], ["Warn"], ["Audit"], ["Deny", "Audit"],
                    ["Warn", "Audit"]])
            if r.random() < 0.1 and b["spec"].get("paramRef"):
                b["spec"]["paramRef"]["parameterNotFoundAction"] = r.choice(["Deny", "Allow"])
        for p in made["params"]:
            if r.random() < 0.3:
                mutate(r, p, made["params"])
        print(dump(made))


if __name__ == "__main__":
    main()
