#!/usr/bin/env python3
"""Compares the mistakes that `portcullis check` foresees of mutations with Kubernetes: if check finds a
mistake for a kind, the mutation must fail in a review of an object of that kind.

Usage: foreseen.py ORACLE PORTCULLIS REQUESTS [--show]

REQUESTS: `review` requests of random_mutations.py and random_mutating_reviews.py; - is standard input.

Every mutation of every policy becomes a policy of its own, which only matches the object's kind, has no match
conditions and fails if the mutation does. Policies with warnings are sent to the oracle with the request's
object (decoded as the API server does, unless it is a custom resource). The output counts mutations, those
with a finding, and of these those that fail; if the finding is behind a condition, in a loop, in an optional
field or beside a test operation, this object may not reach it. Findings that are no error in the API server's
merge (a dropped field, a test that never holds, a copy of null) are counted separately. --show also prints
the errors that check does not foresee, for expressions without variables.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

GROUP = "admissionregistration.k8s.io"
# What is wrong, and no error when it runs.
SILENT = ("the test never holds", "no object has what is copied", "the API server drops it", "refused by its definition")
BATCH = 400


def expression_of(mutation):
    return (mutation.get("jsonPatch") or mutation.get("applyConfiguration") or {}).get("expression", "")


def plural(kind):
    """The plural that Kubernetes guesses."""
    name = kind.lower()
    if name.endswith("endpoints"):
        return name
    return name + "es" if name.endswith("s") else name[:-1] + "ies" if name.endswith("y") else name + "s"


def probes_of(request):
    """The mutations of a request, each as (name, request with it alone)."""
    bindings = {b.get("spec", {}).get("policyName"): b for b in request.get("bindings", []) if isinstance(b, dict)}
    r = request.get("request", {})
    custom = {c["spec"]["group"] for c in request.get("crds", [])}
    for p in request.get("policies", []):
        spec = p.get("spec", {})
        if p.get("kind") != "MutatingAdmissionPolicy" or not isinstance(spec.get("mutations"), list):
            continue
        binding = bindings.get(p["metadata"]["name"])
        for i, mutation in enumerate(spec["mutations"]):
            name = re.sub(r"[^a-z0-9]", "-", ("p%s-%s-%d" % (request["id"], p["metadata"]["name"], i)).lower())
            resource = r["resource"]
            if r["kind"]["group"] not in custom:  # generators do not know every plural
                resource["resource"] = plural(r["kind"]["kind"])
            made = dict(spec, mutations=[mutation], failurePolicy="Fail", reinvocationPolicy="Never",
                        matchConstraints={"resourceRules": [{
                            "apiGroups": [resource["group"]], "apiVersions": [resource["version"]],
                            "operations": ["CREATE", "UPDATE"], "resources": [resource["resource"]]}]})
            made.pop("matchConditions", None)
            # A policy without its params does not run: it has them only if it reads them.
            if "params" not in json.dumps([mutation, spec.get("variables")]):
                made.pop("paramKind", None)
            elif binding is None:
                continue
            policy = {"apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": name},
                      "spec": made}
            bound = {"policyName": name}
            if made.get("paramKind"):
                bound["paramRef"] = binding["spec"].get("paramRef")
            probe = {k: v for k, v in request.items() if k not in ("policies", "bindings", "authz")}
            probe.update(id=name, typed=r["kind"]["group"] not in custom, policies=[policy], bindings=[{
                "apiVersion": GROUP + "/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name},
                "spec": bound}])
            if r.get("operation") not in ("CREATE", "UPDATE") or r.get("subResource") or not r.get("object"):
                continue
            yield name, probe


def check(portcullis, policies, crds):
    """Findings by the name of the policy."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "policies.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"apiVersion": "v1", "kind": "List", "items": policies + crds}, f)
        out = subprocess.run([portcullis, "check", "-o", "json", path], capture_output=True, text=True, check=False)
    found = collections.defaultdict(list)
    for p in json.loads(out.stdout)["problems"]:
        if p["kind"] == "MutatingAdmissionPolicy" and p["severity"] == "error" and p["field"]:
            found[p["name"]] = None  # refused
        if p["severity"] == "warning" and ".mutations[" in p["field"] and found[p["name"]] is not None:
            found[p["name"]] += [f["text"] for f in p["findings"]]
    return found


def main():
    oracle, portcullis, requests = sys.argv[1:4]
    show = "--show" in sys.argv
    lines = sys.stdin if requests == "-" else open(requests, encoding="utf-8")
    groups = collections.defaultdict(list)
    for line in lines:
        request = json.loads(line)
        if request.get("mode") != "review":
            continue
        try:
            for name, probe in probes_of(request):
                groups[json.dumps(request.get("crds", []), sort_keys=True)].append((name, probe))
        except (AttributeError, KeyError, TypeError):
            continue  # a request that is broken on purpose
    findings, probes = {}, {}
    for crds, members in groups.items():
        for at in range(0, len(members), BATCH):
            part = members[at:at + BATCH]
            found = check(portcullis, [p["policies"][0] for _, p in part], json.loads(crds))
            for name, probe in part:
                if found.get(name) is not None or name not in found:
                    findings[name], probes[name] = found.get(name, []), probe
    asked = [n for n in probes if findings[n] or show]
    text = "".join(json.dumps(probes[n], ensure_ascii=False) + "\n" for n in asked)
    answers = subprocess.run([oracle, "-j", "2"], input=text, capture_output=True, text=True, check=True).stdout
    count = collections.Counter(mutations=len(probes))
    for name, line in zip(asked, answers.splitlines()):
        answer, probe = json.loads(line), probes[name]
        expression = expression_of(probe["policies"][0]["spec"]["mutations"][0])
        if "panic" in answer or "inputError" in answer:
            count["found, not answered"] += bool(findings[name])
            if show:
                print("not answered", name, line[:300])
            continue
        failed = not answer["allowed"]
        words = (answer.get("status") or {}).get("message") or answer.get("error", "")
        if not findings[name]:
            if failed and "variables" not in expression:
                count["errors that are not foreseen"] += 1
                print("not foreseen", name, expression, "\n   ", words[:600])
            continue
        count["found"] += 1
        loud = [f for f in findings[name] if not any(s in f for s in SILENT)]
        if failed:
            count["fails"] += 1
        elif not loud:
            count["silent"] += 1
        elif probe["policies"][0]["spec"].get("paramKind"):
            count["without params"] += 1
        elif re.search(r"\?|\.map\(|\.filter\(|\btest\b", expression):
            count["left out by this object"] += 1
            if show:
                print("left out", name, expression, findings[name])
        else:
            count["FALSE ALARMS"] += 1
            print("false alarm", name, probe["request"]["kind"]["kind"], expression, "\n   ",
                  "\n    ".join(loud))
            print("    object", json.dumps(probe["request"]["object"]))
    print(", ".join("%s %d" % item for item in sorted(count.items(), key=lambda i: i[0].lower())))
    sys.exit(1 if count["FALSE ALARMS"] else 0)


if __name__ == "__main__":
    main()
