#!/usr/bin/env python3
"""Checks --watch: a change runs again the suites that it touches, and no others.

usage: watch.py PROGRAM
Closes with `N passed, N failed`.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

POLICY = """apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "%s"}]
"""
SUITE = """policies: %s
bindAll: true
cases:
- name: one
  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}
  allowed: true
"""
PATIENCE = 60  # seconds for one answer


class Watched:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, "test", "--watch", "."], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def until_it_waits(self):
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        out = ""
        for line in self.process.stdout:
            if line == "waiting for changes\n":
                break
            out += line
        timer.cancel()
        return out

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=PATIENCE)


def main():
    program, results = os.path.abspath(sys.argv[1]), {True: 0, False: 0}

    def hold(true, what, said):
        results[true] += 1
        if not true:
            print(f"FAIL {what}\n{said}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for one in ("a", "b"):
            (folder / f"{one}.yaml").write_text(POLICY % "true", encoding="utf-8")
            (folder / f"{one}_test.yaml").write_text(SUITE % f"{one}.yaml", encoding="utf-8")
        watched = Watched(program, folder)
        said = watched.until_it_waits()
        hold("2 cases: 2 passed" in said, "all suites run first", said)
        (folder / "b.yaml").write_text(POLICY % "false", encoding="utf-8")
        said = watched.until_it_waits()
        hold("1 case: 0 passed, 1 failed" in said and "a_test.yaml" not in said, "a changed policy runs its suite", said)
        (folder / "a_test.yaml").write_text(SUITE % "a.yaml" + "  mutated: false\n", encoding="utf-8")
        said = watched.until_it_waits()
        hold("1 case: 1 passed" in said and "b_test.yaml" not in said, "a changed suite runs", said)
        watched.end()
    print(f"{results[True]} passed, {results[False]} failed")
    sys.exit(1 if results[False] else 0)


if __name__ == "__main__":
    main()
