#!/usr/bin/env python3
"""Runs the test files of Kyverno's command line that are about ValidatingAdmissionPolicy and MutatingAdmissionPolicy,
as they are.

usage: kyverno.py PROGRAM FOLDER DOCS

FOLDER has a copy of Kyverno's repository, or of its folder test/cli. Each kyverno-test.yaml with such policies must end
with status 0, or have a row in the table of DOCS (docs/testing.md) that says which rule of Kubernetes it contradicts,
with a text that the program then says. A row whose file passes fails, too. Closes with `N passed, N failed`.
"""
import pathlib
import re
import subprocess
import sys

KIND = re.compile(r"^kind: *['\"]?(Validating|Mutating)AdmissionPolicy['\"]? *$", re.M)
FLAG = re.compile(r"is(Validating|Mutating)AdmissionPolicy: true")
ROW = re.compile(r"^\| `([^`]*)/kyverno-test\.yaml` \| `([^`]*)` \|", re.M)


def concerns(path):
    if FLAG.search(path.read_text(encoding="utf-8")):
        return True
    return any(KIND.search(other.read_text(encoding="utf-8")) for other in path.parent.glob("*.yaml"))


def main():
    program, folder, docs = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    rows = dict(ROW.findall(docs.read_text(encoding="utf-8")))
    passed = failed = cases = 0
    for path in sorted(folder.rglob("kyverno-test.yaml")):
        if not concerns(path):
            continue
        done = subprocess.run([program, "test", str(path)], capture_output=True, text=True, timeout=60, check=False)
        said = next((text for name, text in rows.items() if path.parent.as_posix().endswith(name)), None)
        good = done.returncode == 0 if said is None else done.returncode != 0 and said in done.stdout + done.stderr
        passed, failed = passed + good, failed + (not good)
        cases += int((re.findall(r"^(\d+) cases?:", done.stdout, re.M) or ["0"])[-1])
        if not good:
            print(f"FAIL {path}\n{done.stdout}{done.stderr}")
    print(f"{cases} cases, {len(rows)} rows in {docs.name}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
