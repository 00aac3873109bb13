#!/usr/bin/env python3
"""record_answers: records the answers of a real kube-apiserver to the policy corpus, for
tests/corpus_files.py.

Usage: KUBECONFIG=... record_answers.py SHARED > tests/cluster/answers.jsonl

SHARED is the folder with corpus/ and tools/. The server comes from SHARED/tools/cluster (`cluster build`,
`cluster up`). SHARED/tools/cluster/cluster_verdicts.py sends each object with dryRun=All while the case's
policy, binding and params are in force. This script shortens its records; before, it creates a
CustomResourceDefinition without a schema for each custom kind among the manifests of the corpus. Needs
PyYAML. Takes about five minutes.

Each case is one line: `id`; `code` and, for a denial by a policy, `reason` and `message`; the `warnings` of
policies (a kind's own warnings about its fields are left out). `aside` replaces these if the answer is not
that of the policies: the server does not accept the request ("not served"), or refuses the object ("other")
or the policy ("policy-refused") for another reason, which is `message`.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Lets the server accept definitions of the protected group of its test double.
APPROVED = {"api-approved.kubernetes.io": "unapproved, test only"}


def definition(resource, kind, namespaced):
    group, version, plural = resource
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "annotations": APPROVED},
            "spec": {"group": group, "scope": "Namespaced" if namespaced else "Cluster",
                     "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def define_kinds(client, requests):
    """Creates definitions for the kinds of manifests that the server does not serve yet."""
    served = client.resources()
    for case in map(json.loads, requests.splitlines()):
        q = case["request"]
        resource = tuple(q["resource"][part] for part in ("group", "version", "resource"))
        if resource in served or "." not in resource[0] or resource[0].endswith(".k8s.io"):
            continue
        client.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    definition(resource, q["kind"]["kind"], bool(q["namespace"])))
        served[resource] = True
    time.sleep(3)


def compact(record):
    body = record["body"] if isinstance(record["body"], dict) else {}
    # 299 - "text", as the header has it.
    warnings = [json.loads(w[w.index('"'):]) for w in record["warnings"]]
    warnings = [w for w in warnings if "ValidatingAdmissionPolicy '" in w]
    out = {"id": record["id"], "code": record["status"] if record["status"] >= 300 else 0}
    if record["got"] == "deny":
        return {**out, "reason": body["reason"], "message": body["message"], "warnings": warnings}
    if record["got"] in ("allow", "warn"):
        return {**out, "code": 0, "warnings": warnings}
    return {**out, "aside": record["got"], "message": body.get("message", str(record["body"]))}


def main():
    tools = pathlib.Path(sys.argv[1]) / "tools"
    sys.path.insert(0, str(tools / "cluster"))
    from kube_client import Client  # a file of the shared tools
    requests = subprocess.run([sys.executable, str(tools / "corpus_requests.py"), os.path.join(sys.argv[1], "corpus")],
                              capture_output=True, text=True, check=True).stdout
    define_kinds(Client(), requests)
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        subprocess.run([sys.executable, str(tools / "cluster/cluster_verdicts.py"), "--out", out.name], input=requests,
                       text=True, check=True)
        records = {r["id"]: r for r in map(json.loads, out)}
    for case in map(json.loads, requests.splitlines()):
        record = records.get(case["id"])
        line = compact(record) if record else {"id": case["id"], "code": 0, "aside": "not served", "message": ""}
        print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
