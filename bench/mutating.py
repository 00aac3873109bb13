#!/usr/bin/env python3
"""Times mutation beside Kubernetes itself: the oracle and the program answer the same lines, one after the other in
one run, and measure themselves (`bench` of the batch protocol: decode the Pod, mutate, validate).

Usage: mutating.py PROGRAM ORACLE      (ORACLE: `go build` in ../shared/oracle)
Each scenario creates the Pod of pod.json; the policies are those of mutating.json. Ends with status 1 where the two
answers differ or the program is not fast enough.

  nothing        a policy that matches no Pod: what is left is decoding
  json-patch     the policy with a JSONPatch
  configuration  the policy with an ApplyConfiguration
  five           all five
  hundred        the five, and 95 others whose match conditions do not let the Pod in
"""
import copy
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MILLISECONDS, RUNS = 200, 10
WANTED_RATIO = 50
WANTED_BEYOND = {"json-patch": 4, "configuration": 8}  # microseconds beyond decoding, of objects as they stand
GROUP = "admissionregistration.k8s.io/v1"


def scenarios():
    five = json.loads((HERE / "mutating.json").read_text(encoding="utf-8"))["policies"]
    elsewhere = copy.deepcopy(five[0])
    elsewhere["spec"]["matchConstraints"]["resourceRules"][0]["resources"] = ["services"]
    others = []
    for i in range(95):
        other = copy.deepcopy(five[i % 5])
        other["metadata"]["name"] += f"-{i}"
        other["spec"]["matchConditions"] = [{"name": "name", "expression": f"object.metadata.name == 'only-{i}'"}]
        others.append(other)
    return {"nothing": [elsewhere], "json-patch": five[:1], "configuration": five[1:2], "five": five,
            "hundred": five + others}


def line(name, policies, typed):
    bindings = [{"apiVersion": GROUP, "kind": "MutatingAdmissionPolicyBinding",
                 "metadata": {"name": p["metadata"]["name"]}, "spec": {"policyName": p["metadata"]["name"]}}
                for p in policies]
    return {"mode": "review", "id": f"{name} {'typed' if typed else 'plain'}", "typed": typed,
            "policies": policies, "bindings": bindings, "bench": MILLISECONDS,
            "namespaces": [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "prod"}}],
            "request": {"operation": "CREATE", "kind": {"group": "", "version": "v1", "kind": "Pod"},
                        "resource": {"group": "", "version": "v1", "resource": "pods"}, "name": "web-1",
                        "namespace": "prod", "userInfo": {"username": "dev"},
                        "object": json.loads((HERE / "pod.json").read_text(encoding="utf-8"))}}


def ask(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: status {done.returncode}, {done.stderr[:300]}")
    return json.loads(done.stdout)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, oracle = [sys.argv[1], "review", "--batch"], [sys.argv[2]]
    good, empty = True, {}
    print(f"{'':24}{'portcullis':>12}{'Kubernetes':>12}{'ratio':>8}{'beyond decoding':>18}")
    for typed in (False, True):
        for name, policies in scenarios().items():
            request = line(name, policies, typed)
            text = json.dumps(request) + "\n"
            ours, theirs = 1e18, 1e18
            for _ in range(RUNS):
                mine, kubernetes = ask(program, text), ask(oracle, text)
                ours, theirs = min(ours, mine.pop("dispatchNs")), min(theirs, kubernetes.pop("dispatchNs"))
                for answer in (mine, kubernetes):
                    answer.pop("compileAllNs", None)
                if mine != kubernetes or mine["allowed"] is not True or \
                        (mine["patchedObject"] is None) != (name == "nothing"):
                    print(f"{request['id']}: the answers differ or nothing is mutated:\n{mine}\n{kubernetes}")
                    good = False
            empty.setdefault(typed, ours)
            beyond, ratio = ours - empty[typed], theirs / ours
            print(f"{request['id']:24}{ours / 1000:9.2f} us{theirs / 1000:9.1f} us{ratio:8.0f}{beyond / 1000:15.2f} us")
            if name != "nothing" and ratio < WANTED_RATIO:
                print(f"  wanted: {WANTED_RATIO} times faster")
                good = False
            if not typed and beyond / 1000 > WANTED_BEYOND.get(name, 1e9):
                print(f"  wanted: at most {WANTED_BEYOND[name]} us beyond decoding")
                good = False
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
