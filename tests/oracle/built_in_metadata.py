#!/usr/bin/env python3
"""Random objects of built-in kinds with metadata that is right or wrong, half of them as updates; what `review` says of it is
compared with the API server's own code.

Usage: built_in_metadata.py PROGRAM STRATEGIES [COUNT] [SEED]
STRATEGIES: the program of tests/oracle/strategies. Deterministic by seed. Not compared: names of CertificateSigningRequests,
which are looked at only if nothing else is wrong, names and generateName of ReplicationControllers, whose lengths are told in
other words, and lists of finalizers of volumes, to which a plugin adds one.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

KINDS = {"v1": "Pod Service ConfigMap Secret Namespace Node ServiceAccount LimitRange ResourceQuota PersistentVolume "
               "PersistentVolumeClaim Endpoints Event PodTemplate ReplicationController",
         "apps/v1": "Deployment DaemonSet ReplicaSet StatefulSet", "batch/v1": "Job CronJob",
         "certificates.k8s.io/v1": "CertificateSigningRequest", "coordination.k8s.io/v1": "Lease",
         "discovery.k8s.io/v1": "EndpointSlice", "networking.k8s.io/v1": "Ingress IngressClass NetworkPolicy",
         "policy/v1": "PodDisruptionBudget", "rbac.authorization.k8s.io/v1": "Role ClusterRole RoleBinding",
         "scheduling.k8s.io/v1": "PriorityClass", "storage.k8s.io/v1": "StorageClass", "node.k8s.io/v1": "RuntimeClass",
         "events.k8s.io/v1": "Event"}
NAMES = ["web", "web-1", "web.example", "Web", "a_b", "-a", "a-", "a" * 63, "a" * 64, "a" * 253, "a" * 254, "a.b.c", "1a", "1",
         "a..b", "system:x", "a/b", "a%b", ".", "..", "", "é", "a b"]
KEYS = ["app", "example.com/app", "a/b/c", "-a", "A_b", "a b", "é", "x" * 64, "Example.com/a", "/a", "a/", "b" * 254 + "/a"]
TEXTS = ["x", "", "a b", "John Doe", "x" * 63, "x" * 64, "-a", "a.", "A_1", "é"]
OWNERS = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u"}, {"apiVersion": "v1", "kind": "Event", "name": "e", "uid": "w"},
          {"apiVersion": "a/b/c", "kind": "", "name": "", "uid": ""}, {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "x", "controller": True},
          {"apiVersion": "v1", "kind": "Pod", "name": "q", "uid": "v", "controller": True}]
FINALIZERS = ["orphan", "foregroundDeletion", "a", "example.com/a", "a b", "kubernetes"]
TIMES = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]


def made(r, number):
    version = r.choice(list(KINDS))
    kind = r.choice(KINDS[version].split())
    meta = {}
    old = None
    if r.random() < 0.5:  # by the name an update finds what it replaces
        meta["name"] = f"o{number}"
        old = {"name": meta["name"], "uid": "u", "creationTimestamp": TIMES[0], "generation": 2}
        if r.random() < 0.5:
            old |= {"deletionTimestamp": TIMES[0], "deletionGracePeriodSeconds": 0}
        if r.random() < 0.5:
            old["finalizers"] = r.sample(FINALIZERS, r.randint(1, 3))
        if r.random() < 0.5:
            meta["uid"] = "u"
        if r.random() < 0.2:
            meta["deletionTimestamp"] = r.choice(TIMES)
        if r.random() < 0.2:
            meta["deletionGracePeriodSeconds"] = r.choice([0, 5])
    elif r.random() < 0.9:
        meta["name"] = r.choice(NAMES[:2]) if r.random() < 0.4 else r.choice(NAMES)
    if old is None and r.random() < 0.15:
        meta["generateName"] = r.choice(["a-", "A-", "a", "a.", "_", "-", "x" * 300])
    for member, chance in (("labels", 0.5), ("annotations", 0.4)):
        if r.random() < chance:
            meta[member] = {r.choice(KEYS[:2]) if r.random() < 0.5 else r.choice(KEYS): r.choice(TEXTS)
                            for _ in range(r.randint(0, 3))}
    if r.random() < 0.03:
        meta["annotations"] = {"a": "x" * 262144}
    if r.random() < 0.2:
        meta["finalizers"] = r.sample(FINALIZERS, r.randint(1, 3))
    if r.random() < 0.2:
        meta["ownerReferences"] = r.sample(OWNERS, r.randint(1, 2))
    if r.random() < 0.1:
        meta["managedFields"] = [{"operation": r.choice(["Update", "", "X"]), "manager": r.choice(["m", "x" * 129, "a\u0007"]),
                                  "fieldsType": r.choice(["FieldsV1", "", "x"]), "apiVersion": "v1", "fieldsV1": {}}]
    if r.random() < 0.1:
        meta["generation"] = r.choice([-1, 3])
    request = {"id": number, "object": {"apiVersion": version, "kind": kind, "metadata": meta}}
    return request if old is None else request | {"old": {"apiVersion": version, "kind": kind, "metadata": old}}


def said(program, requests, folder):
    """The errors of metadata that `review` prints, by line."""
    manifests, former = folder / "objects.json", folder / "former.json"
    manifests.write_text("".join(json.dumps(q["object"]) + "\n" for q in requests), encoding="utf-8")
    former.write_text("".join(json.dumps(q["old"]) + "\n" for q in requests if "old" in q), encoding="utf-8")
    policy = folder / "policy.yaml"
    policy.write_text(json.dumps({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
                                  "metadata": {"name": "p"}, "spec": {"matchConstraints": {"resourceRules": [
                                      {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]},
                                      "validations": [{"expression": "true"}]}}), encoding="utf-8")
    done = subprocess.run([program, "review", "-p", policy, "--old", former, manifests], capture_output=True, text=True, check=False)
    out = [[] for _ in requests]
    for line, text in re.findall(r"^\S*objects\.json:(\d+):\d+: warning: whatever the verdict, the API server refuses this \w+: (.*)$",
                                 done.stderr, re.M):
        out[int(line) - 1].append(text)
    return out


def compared(kind, causes):
    aside = {"CertificateSigningRequest": "metadata.name: Invalid", "ReplicationController": ("metadata.generateName:", "metadata.name:"),
             "PersistentVolume": "metadata.finalizers: Invalid value: [", "PersistentVolumeClaim": "metadata.finalizers: Invalid value: ["}
    return {c for c in causes if c.startswith("metadata") and (kind not in aside or not c.startswith(aside[kind]))}


def main():
    program, strategies = sys.argv[1:3]
    count, seed = (int(a) for a in (sys.argv[3:] + ["1000", "1"][len(sys.argv) - 3:])[:2])
    r = random.Random(seed)
    requests = [made(r, i) for i in range(count)]
    want = subprocess.run([strategies], input="".join(json.dumps(q) + "\n" for q in requests), capture_output=True, text=True,
                          check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        got = said(program, requests, pathlib.Path(folder))
    different = wrong = aside = 0
    for request, line, ours in zip(requests, want, got, strict=True):
        theirs = json.loads(line)
        if "causes" not in theirs:
            aside += 1
            continue
        wrong += bool(theirs["causes"])
        kind = request["object"]["kind"]
        if compared(kind, theirs["causes"]) != compared(kind, ours):
            different += 1
            print("REQUEST", json.dumps(request)[:1000], "\nWANT", theirs["causes"], "\nGOT ", ours, "\n")
    print(f"{count} objects, {different} differ, {wrong} with errors, {aside} not compared")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
