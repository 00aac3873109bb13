#!/usr/bin/env python3
"""Writes the policy corpus as suites into a temporary folder, and runs them with `portcullis test`.

usage: corpus.py PROGRAM CORPUS [--keep FOLDER]

CORPUS has manifest.json and verdicts.jsonl, the answers of Kubernetes' own code for unchanged objects. Each policy is a
suite, each of its cases a case that expects the whole answer: the message of the denial, all warnings, the audit
annotations, the mutated object. All must pass. Policies that the API server refuses, which Kubernetes' code was asked
about without validating them, are suites of their own, and must have no verdict. With --keep the suites stay in FOLDER.
Closes with `N passed, N failed`.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from corpus_files import COMPLETED, DEFINITION, lines  # noqa: E402


class Writer:
    def __init__(self, corpus, folder):
        self.corpus, self.folder, self.verdicts = corpus, folder, {}
        for verdict in lines(corpus / "verdicts.jsonl"):
            self.verdicts[verdict["id"]] = verdict

    def file(self, entry, case, name):
        path = case.get(name, entry.get(name))
        return None if path is None else str((self.corpus / path).resolve())

    def definition(self, params):
        text = pathlib.Path(params).read_text(encoding="utf-8")
        group, version = re.search(r"^apiVersion: (.*)/(.*)$", text, re.M).groups()
        kind = re.search(r"^kind: (.*)$", text, re.M).group(1)
        path = self.folder / (kind + ".crd.yaml")
        path.write_text(DEFINITION % {"group": group, "version": version, "kind": kind, "plural": kind.lower() + "s"},
                        encoding="utf-8")
        return str(path)

    def object(self, case):
        if not case.get("review"):
            return str((self.corpus / case["file"]).resolve())
        text = (self.corpus / case["review"]).read_text(encoding="utf-8")
        path = self.folder / case["review"].replace("/", "_")
        path.write_text(text.replace("request:\n", COMPLETED, 1), encoding="utf-8")
        return str(path)

    def case(self, entry, case):
        verdict = self.verdicts[entry["id"] + "/" + case["name"]]
        out = {"name": case["name"], "object": self.object(case)}
        for member, name in (("bindings", "binding"), ("params", "params"), ("namespaces", "namespaceObject"),
                             ("oldObject", "oldObject")):
            if path := self.file(entry, case, name):
                out[member] = path
        if "params" in out:
            out["crds"] = self.definition(out["params"])
        if case.get("requestNamespace"):
            out["namespace"] = case["requestNamespace"]
        if verdict["allowed"]:
            out["allowed"] = True
        else:
            status = verdict["status"]
            out["denied"] = {"message": status["message"], "reason": status["reason"], "code": status["code"]}
        out["warnings"] = verdict.get("warnings") or []
        if verdict.get("auditAnnotations"):
            out["auditAnnotations"] = verdict["auditAnnotations"]
        if entry["kind"] == "MutatingAdmissionPolicy" and verdict["allowed"]:
            patched = verdict.get("patchedObject")
            out["mutated"] = {"object": patched} if patched else False
        return out

    def suite(self, entry):
        suite = {"policies": str((self.corpus / entry["policy"]).resolve()), "asIs": True,
                 "cases": [self.case(entry, case) for case in entry["cases"]]}
        path = self.folder / (entry["id"].replace("/", "--") + "_test.yaml")
        path.write_text(json.dumps(suite, indent=1), encoding="utf-8")
        return path


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("corpus")
    ap.add_argument("--keep")
    args = ap.parse_args()
    corpus = pathlib.Path(args.corpus)
    if not corpus.is_dir():
        print("the shared corpus is not there")
        sys.exit(77)
    manifest = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        writer = Writer(corpus, folder)
        for entry in manifest:
            if entry["cases"]:
                writer.suite(entry)
        start = time.monotonic()
        done = subprocess.run([args.program, "test", "-o", "json", str(folder)], capture_output=True, text=True,
                              timeout=600, check=False)
        seconds = time.monotonic() - start
        results = json.loads(done.stdout)["cases"]
    wanted = sum(len(entry["cases"]) for entry in manifest)
    refused = [r for r in results if r["outcome"] == "error"]
    failed = [r for r in results if r["outcome"] not in ("passed", "error")]
    failed += [r for r in refused if "spec" not in r["findings"][0]["message"]]
    for r in failed:
        print("FAIL %s/%s\n  %s" % (os.path.basename(r["suite"]), r["name"], json.dumps(r["findings"])[:800]))
    if len(results) != wanted:
        print("FAIL %d results for %d cases\n%s" % (len(results), wanted, done.stderr[:2000]))
    print("%d cases in %.2f s, %d of policies that the API server refuses" % (wanted, seconds, len(refused)))
    bad = len(failed) + (len(results) != wanted)
    print("%d passed, %d failed" % (len(results) - len(failed), bad))
    sys.exit(bad > 0 or not results)


if __name__ == "__main__":
    main()
