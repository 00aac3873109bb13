#!/usr/bin/env python3
"""Measures time and memory of many small manifests in one run, as YAML, as lines of JSON, in files and through a pipe.

Usage: streams.py PROGRAM [PROGRAM...]
Writes 100,000 manifests and 50 policies into a temporary folder, runs each PROGRAM (one after the other, so that their
ratio means something on a busy machine), checks the answers, and prints the best of several runs: clock time,
processor time, the most memory at once, manifests a second.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MANIFESTS, FILES, POLICIES, RUNS = 100_000, 2_000, 50, 3

POLICY = """---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: p{0}}}
spec:
  matchConstraints:
    resourceRules:
    - {{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}}
  validations:
  - expression: "object.metadata.name.startsWith('cm-') && object.data.key != 'value-{0}'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: p{0}}}
spec: {{policyName: p{0}, validationActions: [Deny]}}
"""


def manifest(i):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": f"cm-{i}", "namespace": "shop", "labels": {"app": f"app-{i % 100}", "team": "core"}},
            "data": {"key": f"value-{i}", "mode": "on"}}


def as_yaml(m):
    meta, data = m["metadata"], m["data"]
    return (f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {meta['name']}\n  namespace: shop\n  labels:\n"
            f"    app: {meta['labels']['app']}\n    team: core\ndata:\n  key: {data['key']}\n  mode: \"on\"\n")


def run(command, stdin):
    """Clock time, processor time, MB, standard output."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def check(command, text):
    """The manifests 0 to 49 are denied, each by one policy; a normalised one has an identity."""
    if "review" in command:
        wanted = f"{MANIFESTS} manifests: {MANIFESTS - POLICIES} admitted, 0 warned, {POLICIES} denied"
        names = [int(n) for n in re.findall(r"^denied +ConfigMap shop/cm-(\d+)", text, re.M)]
        return wanted in text and names == list(range(POLICIES))
    objects = [json.loads(line) for line in text.splitlines()]
    return [o["data"]["key"] for o in objects] == [f"value-{i}" for i in range(MANIFESTS)] and all(
        o["metadata"]["uid"] for o in objects)


def write(folder):
    manifests = [manifest(i) for i in range(MANIFESTS)]
    (folder / "all.yaml").write_text("".join(map(as_yaml, manifests)))
    (folder / "all.json").write_text("".join(json.dumps(m, separators=(",", ":")) + "\n" for m in manifests))
    (folder / "policies.yaml").write_text("".join(POLICY.format(i) for i in range(POLICIES)))
    (folder / "files").mkdir()
    each = MANIFESTS // FILES
    for f in range(FILES):
        (folder / "files" / f"{f:05}.yaml").write_text("".join(map(as_yaml, manifests[f * each:(f + 1) * each])))


def main():
    programs = [str(pathlib.Path(p).resolve()) for p in sys.argv[1:]] or sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder)
        review, normalize = ["review", "-q", "-p", str(folder / "policies.yaml")], ["normalize", "-o", "json"]
        for label, command, source in (("review YAML", review, "all.yaml"), ("review JSON", review, "all.json"),
                                       (f"review {FILES} files", review, "files"), ("review stdin", review, None),
                                       ("normalize YAML", normalize, "all.yaml"),
                                       ("normalize JSON", normalize, "all.json")):
            best = {}
            for program in programs * RUNS:
                with open(folder / "all.yaml", "rb") as stdin:
                    *figures, text = run([program, *command, str(folder / source) if source else "-"], stdin)
                if not check(command, text):
                    sys.exit(f"{program}: {label}: wrong answers")
                best[program] = [min(pair) for pair in zip(figures, best.get(program, figures))]
            for program, (clock, cpu, memory) in best.items():
                print(f"{label:18} {clock:6.2f} s, {cpu:6.2f} s of processors, {memory:5.0f} MB, "
                      f"{MANIFESTS / clock:9,.0f}/s  {program if len(programs) > 1 else ''}")


if __name__ == "__main__":
    main()
