#!/usr/bin/env python3
"""Measures time and memory of many small manifests in one run, as YAML, as lines of JSON, in files and through a pipe.

Usage: streams.py [--manifests N] PROGRAM [PROGRAM...]
Writes 100,000 manifests (or N) and 50 policies into a temporary folder, runs each PROGRAM (one after the other, so that their
ratio means something on a busy machine), checks the answers, and prints the best of several runs: clock time,
processor time, the most memory at once, manifests a second.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

FILES, POLICIES, RUNS = 2_000, 50, 3

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


def options():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--manifests", type=int, default=100_000)
    ap.add_argument("programs", nargs="+", type=lambda p: str(pathlib.Path(p).resolve()))
    return ap.parse_args()


def manifest(i):
    return {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": f"cm-{i}", "namespace": "shop", "labels": {"app": f"app-{i % 100}", "team": "core"}},
            "data": {"key": f"value-{i}", "mode": "on"}}


def as_yaml(m):
    meta, data = m["metadata"], m["data"]
    return (f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {meta['name']}\n  namespace: shop\n  labels:\n"
            f"    app: {meta['labels']['app']}\n    team: core\ndata:\n  key: {data['key']}\n  mode: \"on\"\n")


def run(command, stdin, manifests):
    """Clock time, processor time, MB, and whether the answers are right. The memory that is counted for a child is at
    least that of this process when it starts it, so this one holds no texts."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        clock = time.monotonic() - start
        out.seek(0)
        good = check(command, map(bytes.decode, out), manifests)
    return clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, good


def check(command, lines, manifests):
    """The manifests 0 to 49 are denied, each by one policy; a normalised one has an identity."""
    if "review" in command:
        wanted = f"{manifests} manifests: {manifests - POLICIES} admitted, 0 warned, {POLICIES} denied\n"
        denied, summed = 0, False
        for line in lines:
            name = re.match(r"denied +ConfigMap shop/cm-(\d+)", line)
            if name and int(name[1]) != denied:
                return False
            denied += name is not None
            summed |= line == wanted
        return summed and denied == POLICIES
    count = 0
    for line in lines:
        o = json.loads(line)
        if o["data"]["key"] != f"value-{count}" or not o["metadata"]["uid"]:
            return False
        count += 1
    return count == manifests


def write(folder, manifests):
    (folder / "policies.yaml").write_text("".join(POLICY.format(i) for i in range(POLICIES)))
    (folder / "files").mkdir()
    with open(folder / "all.yaml", "w") as all_yaml, open(folder / "all.json", "w") as all_json:
        for f in range(FILES):
            with open(folder / "files" / f"{f:05}.yaml", "w") as one:
                for i in range(f * manifests // FILES, (f + 1) * manifests // FILES):
                    m = manifest(i)
                    for file in (all_yaml, one):
                        file.write(as_yaml(m))
                    all_json.write(json.dumps(m, separators=(",", ":")) + "\n")


def main():
    args = options()
    programs, manifests = args.programs, args.manifests
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, manifests)
        review, normalize = ["review", "-q", "-p", str(folder / "policies.yaml")], ["normalize", "-o", "json"]
        for label, command, source in (("review YAML", review, "all.yaml"), ("review JSON", review, "all.json"),
                                       (f"review {FILES} files", review, "files"), ("review stdin", review, None),
                                       ("normalize YAML", normalize, "all.yaml"),
                                       ("normalize JSON", normalize, "all.json")):
            best = {}
            for program in programs * RUNS:
                with open(folder / "all.yaml", "rb") as stdin:
                    *figures, good = run([program, *command, str(folder / source) if source else "-"], stdin, manifests)
                if not good:
                    sys.exit(f"{program}: {label}: wrong answers")
                best[program] = [min(pair) for pair in zip(figures, best.get(program, figures))]
            for program, (clock, cpu, memory) in best.items():
                print(f"{label:18} {clock:6.2f} s, {cpu:6.2f} s of processors, {memory:5.0f} MB, "
                      f"{manifests / clock:9,.0f}/s  {program if len(programs) > 1 else ''}")


if __name__ == "__main__":
    main()
