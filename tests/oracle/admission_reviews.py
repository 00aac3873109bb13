#!/usr/bin/env python3
"""Random requests for built-in kinds with several versions, as a webhook is sent them: the AdmissionReview has the
objects at the version that the webhook's rules name, and says beside what the client asked for.

Usage: admission_reviews.py PROGRAM ORACLE TYPES_JSONL COUNT [SEED] [--keep FOLDER]

The oracle makes the AdmissionReview (mode `admit`, a webhook with matchPolicy Equivalent) and decides the client's
own request with policies (mode `review`). PROGRAM (portcullis) decides the AdmissionReview with the same policies:
verdict, Status, warnings (as a client receives them) and audit annotations must be the same, and the patch must make
the object that the API server would send next to a webhook of the same version. Closes with `N passed, N failed`.
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from typed_reviews import GROUP, Reviews  # noqa: E402

PLURALS = {"HorizontalPodAutoscaler": "horizontalpodautoscalers", "ClusterTrustBundle": "clustertrustbundles",
           "PodCertificateRequest": "podcertificaterequests", "LeaseCandidate": "leasecandidates",
           "DeviceClass": "deviceclasses", "DeviceTaintRule": "devicetaintrules", "ResourceClaim": "resourceclaims",
           "ResourceClaimTemplate": "resourceclaimtemplates", "ResourceSlice": "resourceslices",
           "PodGroup": "podgroups", "Workload": "workloads", "StorageVersionMigration": "storageversionmigrations",
           "Event": "events"}
SERVED = {"HorizontalPodAutoscaler": "v1 v2", "ClusterTrustBundle": "v1 v1beta1", "PodCertificateRequest": "v1 v1beta1",
          "LeaseCandidate": "v1alpha2 v1beta1", "DeviceClass": "v1 v1beta1 v1beta2",
          "DeviceTaintRule": "v1 v1alpha3 v1beta2", "ResourceClaim": "v1 v1beta1 v1beta2",
          "ResourceClaimTemplate": "v1 v1beta1 v1beta2", "ResourceSlice": "v1 v1beta1 v1beta2",
          "PodGroup": "v1alpha3 v1beta1", "Workload": "v1alpha3 v1beta1", "StorageVersionMigration": "v1 v1beta1",
          "Event": "v1"}
CLUSTER_SCOPED = {"ClusterTrustBundle", "DeviceClass", "DeviceTaintRule", "ResourceSlice", "StorageVersionMigration"}


class Scalars(Reviews):
    """Policies that compare no structures: Go's structs compare oddly, and a webhook sees plain data."""

    def place(self, struct, value):
        for _ in range(30):
            text, kind, held = super().place(struct, value)
            if kind not in self.maker.structs and not kind.startswith(("list(", "map(")):
                return text, kind, held
        return ".kind", "string", None


class Cases:
    def __init__(self, types, seed):
        self.made = Scalars(types, seed)
        self.rng = self.made.rng
        self.versions = {}  # kind -> [(group, version, struct)]
        for (group, kind), versions in self.made.kinds.items():
            if kind in PLURALS:
                self.versions.setdefault(kind, []).extend(
                    (group, v, s) for v, s in versions if v in SERVED[kind].split())

    def policy(self, i, kind, struct, at, value, old):
        rng = self.rng
        group, version = at
        rule = {"apiGroups": [group], "apiVersions": [rng.choice([version, version, version, "*"])],
                "operations": ["*"], "resources": [PLURALS[kind]]}
        made = self.made.policy(i, rule, struct, value, old)
        spec = made["spec"]
        # An API server does not store lists of mixed types.
        spec["validations"] = [v for v in spec["validations"] if " in [" not in v["expression"]] or [{"expression": "true"}]
        spec["matchConstraints"]["matchPolicy"] = rng.choice(["Equivalent", "Equivalent", "Exact"])
        asked = ["request.%s.%s %s %s" % (rng.choice(["kind", "requestKind", "resource", "requestResource"]),
                                          rng.choice(["version", "version", "group"]), rng.choice(["==", "!="]),
                                          rng.choice(["'v1'", "'v2'", "'v1beta1'", "'%s'" % version, "'%s'" % group])),
                 "object == null || object.apiVersion == '%s'" % ((group + "/" if group else "") + version)]
        if rng.random() < 0.6:
            spec["validations"].append({"expression": rng.choice(asked),
                                        "messageExpression": "request.kind.version + request.requestKind.version"})
        if rng.random() < 0.3:
            spec["matchConditions"] = [{"name": "c", "expression": rng.choice(asked)}]
        if rng.random() < 0.2:
            spec["matchConstraints"]["excludeResourceRules"] = [
                {**rule, "apiVersions": [rng.choice([version, "v1", "v2"])]}]
        return made

    def mutation(self, i, kind, at):
        rng = self.rng
        group, version = at
        rule = {"apiGroups": [group], "apiVersions": [version], "operations": ["*"], "resources": [PLURALS[kind]]}
        return {"apiVersion": GROUP, "kind": "MutatingAdmissionPolicy", "metadata": {"name": "m%d" % i},
                "spec": {"reinvocationPolicy": rng.choice(["Never", "IfNeeded"]),
                         "failurePolicy": rng.choice(["Fail", "Ignore"]),
                         "matchConstraints": {"matchPolicy": rng.choice(["Equivalent", "Exact"]), "resourceRules": [rule]},
                         "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
                             "expression": "Object{metadata: Object.metadata{labels: {'m%d': object.kind + "
                                           "request.kind.version}}}" % i}}]}}

    def case(self, n):
        rng = self.rng
        kind = rng.choice(list(self.versions))
        versions = self.versions[kind]
        group, version, struct = rng.choice(versions)
        self.made.maker.odd = 0

        def gvr(g, v):
            return {"resource": {"group": g, "version": v, "resource": PLURALS[kind]},
                    "kind": {"group": g, "version": v, "kind": kind}}

        def thing():
            value = self.made.maker.struct(struct, 0)
            # What another version cannot say: allNodes of a ResourceSlice is false or absent; keys of certificates.
            for lost in ("allNodes", "pkixPublicKey", "proofOfPossession"):
                if not (value.get("spec") or {}).get(lost) or lost != "allNodes":
                    (value.get("spec") or {}).pop(lost, None)
            value.update({"apiVersion": (group + "/" if group else "") + version, "kind": kind})
            value["metadata"] = {**(value.get("metadata") or {}), "name": "n", "namespace": "default"}
            value["metadata"].pop("managedFields", None)  # an API server sends valid ones only
            if kind in CLUSTER_SCOPED:
                del value["metadata"]["namespace"]
            return value

        operation = rng.choice(["CREATE", "CREATE", "UPDATE", "UPDATE", "DELETE"])
        request = {"operation": operation, "name": "n", "userInfo": {"username": "eve"}, **gvr(group, version)}
        if kind not in CLUSTER_SCOPED:
            request["namespace"] = "default"
        value = thing()
        if operation != "DELETE":
            request["object"] = value
        if operation != "CREATE":
            request["oldObject"] = thing()
        policies, bindings = [], []
        for i in range(rng.choice([1, 2, 3])):
            g, v, s = rng.choice(versions)
            policies.append(self.policy(i, kind, s, (g, v), value, operation == "UPDATE"))
            bindings.append({"apiVersion": GROUP, "kind": "ValidatingAdmissionPolicyBinding",
                             "metadata": {"name": "b%d" % i},
                             "spec": {"policyName": "p%d" % i,
                                      "validationActions": rng.choice([["Deny"], ["Warn"], ["Warn", "Audit"]])}})
        if rng.random() < 0.4:
            g, v, _ = rng.choice(versions)
            policies.append(self.mutation(9, kind, (g, v)))
            bindings.append({"apiVersion": GROUP, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "c9"},
                             "spec": {"policyName": "m9"}})
        to_group, to_version, _ = rng.choice(versions)
        webhook = {"name": "a.example.com", "clientConfig": {"url": "https://example.com/"}, "sideEffects": "None",
                   "admissionReviewVersions": ["v1"],
                   "rules": [{"apiGroups": [to_group], "apiVersions": [to_version], "operations": ["*"],
                              "resources": [PLURALS[kind]]}]}
        scene = {"id": n, "typed": True, "namespaces": [{"metadata": {"name": "default"}}],
                 "equivalents": [[gvr(g, v) for g, v, _ in versions]], "request": request}
        hooks = {"mode": "admit", "webhookConfigurations": [
            {"apiVersion": GROUP, "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "w"}, "webhooks": [webhook]}]}
        rules = {"policies": policies, "bindings": bindings}
        mutations = {"policies": [p for p in policies if p["kind"].startswith("M")],
                     "bindings": [b for b in bindings if b["kind"].startswith("M")]}
        return [{**scene, **hooks}, {**scene, **rules, "mode": "review"}, {**scene, **hooks, **mutations}]


def ask(oracle, questions):
    lines = "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in questions)
    done = subprocess.run([oracle, "-j", "1"], input=lines, capture_output=True, text=True, encoding="utf-8", check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def decide(program, folder, policies, review):
    (folder / "policies.yaml").write_text("\n---\n".join(json.dumps(p, ensure_ascii=False) for p in policies))
    (folder / "review.json").write_text(json.dumps(review, ensure_ascii=False))
    done = subprocess.run([program, "review", "--allow-invalid", "-o", "admissionreview", "-p", "policies.yaml",
                           "review.json"], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    try:
        return json.loads(done.stdout)["response"]
    except (ValueError, KeyError):
        return {"none": done.stdout + done.stderr}


def received(warnings):
    """Those that a client receives: each once, and none that is empty or has control characters."""
    return [w for w in dict.fromkeys(warnings) if w and not any(unicodedata.category(c) == "Cc" for c in w)]


def patched(document, patch):
    """The object after a JSON Patch of the sort that the program makes."""
    document = json.loads(json.dumps(document))
    for operation in json.loads(base64.b64decode(patch)):
        *above, last = [p.replace("~1", "/").replace("~0", "~") for p in operation["path"].split("/")[1:]]
        at = document
        for step in above:
            at = at[int(step)] if isinstance(at, list) else at[step]
        if isinstance(at, list):
            if operation["op"] == "add":
                at.insert(len(at) if last == "-" else int(last), operation["value"])
            elif operation["op"] == "remove":
                del at[int(last)]
            else:
                at[int(last)] = operation["value"]
        elif operation["op"] == "remove":
            del at[last]
        else:
            at[last] = operation["value"]
    return document


def main():
    arguments = sys.argv[1:]
    keep = pathlib.Path(arguments.pop(arguments.index("--keep") + 1)) if "--keep" in arguments else None
    program, oracle, types, count, *seed = [a for a in arguments if a != "--keep"]
    program = os.path.abspath(program)
    cases = Cases(types, int(seed[0]) if seed else 1)
    questions = [cases.case(n) for n in range(int(count))]
    answers = ask(oracle, [q for case in questions for q in case])
    passed = failed = converted = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or pathlib.Path(temporary)
        for i, (_, decided, _) in enumerate(questions):
            sent, want, after = answers[3 * i:3 * i + 3]
            if not sent.get("calls") or "inputError" in want or "panic" in want or "timeAdded" in json.dumps(after):
                continue  # no object of the kind, an error of its own, or the time of the request
            review = sent["calls"][0]["review"]
            request = review["request"]
            converted += request["kind"] != request["requestKind"]
            got = decide(program, folder, decided["policies"] + decided["bindings"], review)
            expected = {k: want.get(k) for k in ("allowed", "status", "auditAnnotations")}
            expected["warnings"] = received(want["warnings"])
            found = {"allowed": got.get("allowed"), "status": got.get("status"), "warnings": got.get("warnings", []),
                     "auditAnnotations": got.get("auditAnnotations", {})}
            if want["allowed"] and after.get("calls"):
                expected["object"] = after["calls"][0]["review"]["request"]["object"]
                found["object"] = patched(request["object"], got["patch"]) if "patch" in got else request["object"]
            if "none" in got or found != expected:
                failed += 1
                if failed <= 3:
                    print("CASE", i, json.dumps(request, ensure_ascii=False))
                    print("POLICIES", json.dumps(decided["policies"], ensure_ascii=False))
                    print("WANT", json.dumps(expected, ensure_ascii=False, sort_keys=True))
                    print("GOT ", got["none"] if "none" in got else json.dumps(found, ensure_ascii=False, sort_keys=True))
            else:
                passed += 1
    print("%d of them converted" % converted)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
