#!/usr/bin/env python3
"""corpus_files: runs `portcullis review` on every case of the policy corpus, with files as a user has them.

Usage: corpus_files.py PROGRAM CORPUS ANSWERS [--only TEXT] [--every N] [-j JOBS]

CORPUS has manifest.json and verdicts.jsonl (the answers of Kubernetes' own code for unchanged objects);
ANSWERS (tests/cluster/answers.jsonl) has the answers of a real API server for the same objects. Each case
runs twice:

- with --as-is; the whole result is compared with verdicts.jsonl: status, warnings, audit annotations, exit
  status;
- without; the whole result is compared with the API server's answer. If that did not reach the policies (the
  server does not serve the kind, or refuses the object for another reason), the verdict must be that of
  verdicts.jsonl.

All params of the corpus have cluster-scoped custom kinds: the first run has their definition, the second the
flag --params-scope; a third run with neither must give the same verdict or none. Policies that the API server
refuses must end with status 2 and the server's message. Cases of mutating policies run once, unchanged,
through `portcullis mutate`; the object must be that of verdicts.jsonl. Only the warnings of policies are
compared with the API server; a kind's own warnings, about deprecated fields for example, are not emulated. If
an AdmissionReview of the corpus lacks its kind and resource, the script adds them to the file. Closes with `N
passed, N failed`: a case that fails in either run is one failure.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The fields that AdmissionReviews of the corpus lack; all of them are about Pods.
COMPLETED = """request:
  kind: {group: "", version: v1, kind: Pod}
  resource: {group: "", version: v1, resource: pods}
"""
# The definition of a kind of params; group, version and kind come from their file.
DEFINITION = """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %(plural)s.%(group)s}
spec:
  group: %(group)s
  scope: Cluster
  names: {kind: %(kind)s, plural: %(plural)s}
  versions:
  - name: %(version)s
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f if not line.startswith("#")]


class Cases:
    def __init__(self, corpus, folder):
        self.corpus, self.folder = pathlib.Path(corpus), pathlib.Path(folder)

    def commands(self, entry, case):
        """Arguments of `review` for a case: with a definition of the kind of its params; with a flag that
        gives their scope; and, if it has params, with neither."""
        plain = self.command(entry, case)
        params = case.get("params", entry.get("params"))
        if params is None:
            return plain, plain, None
        path, kind = self.definition(self.corpus / params)
        return ["--params", path, *plain], ["--params-scope", kind + "=Cluster", *plain], plain

    def command(self, entry, case):
        def file(name):
            path = case.get(name, entry.get(name))
            return [] if path is None else [str(self.corpus / path)]

        out = []
        for path in [str(self.corpus / entry["policy"])] + file("binding"):
            out += ["-p", path]
        for path in file("params") + file("namespaceObject"):
            out += ["--params", path]
        if case.get("review"):
            return out + [self.review(case)]
        for path in file("oldObject"):
            out += ["--old", path]
        if case.get("requestNamespace"):
            out += ["-n", case["requestNamespace"]]
        return out + [str(self.corpus / case["file"])]

    def definition(self, params):
        text = params.read_text(encoding="utf-8")
        group, version = re.search(r"^apiVersion: (.*)/(.*)$", text, re.M).groups()
        kind = re.search(r"^kind: (.*)$", text, re.M).group(1)
        path = self.folder / (kind + ".yaml")
        path.write_text(DEFINITION % {"group": group, "version": version, "kind": kind, "plural": kind.lower() + "s"},
                        encoding="utf-8")
        return str(path), kind

    def review(self, case):
        text = (self.corpus / case["review"]).read_text(encoding="utf-8")
        path = self.folder / case["review"].replace("/", "_")
        path.write_text(text.replace("request:\n", COMPLETED, 1), encoding="utf-8")
        return str(path)


def run(program, arguments):
    done = subprocess.run([program, "review", "-o", "json", *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, check=False)
    try:
        results = json.loads(done.stdout)["results"]
    except (ValueError, KeyError):
        results = None
    return done.returncode, results, done.stderr


def essence(answer):
    """The compared parts of an answer: of ours, of the oracle's and of the API server's."""
    status = answer.get("status") or {}
    return {"allowed": not status, "code": status.get("code"), "reason": status.get("reason"),
            "message": status.get("message"), "details": status.get("details"),
            "warnings": answer.get("warnings") or []}


def unmet(want, exit_status, results, stderr, whole=True):
    """Why the result of a run is wrong; empty if it is right."""
    if results is None or len(results) != 1:
        return "no verdict, but exit status %d: %s" % (exit_status, stderr.strip()[:300])
    got = results[0]
    if exit_status != (0 if want["allowed"] else 1):
        return "exit status %d where %s is wanted" % (exit_status, "0" if want["allowed"] else "1")
    if (got["verdict"] == "denied") == want["allowed"]:
        return "verdict " + got["verdict"]
    mine = essence(got)
    for field in mine if whole else ():
        if field in want and mine[field] != want[field]:
            return "%s: want %s, got %s" % (field, json.dumps(want[field])[:600], json.dumps(mine[field])[:600])
    return ""


def alternatives(result):
    """Messages that the API server may choose from: it visits bindings and policies in any order."""
    found = set()
    for f in result.get("failures", []):
        if "Deny" in f["actions"]:
            found.add((f["policy"], f.get("binding"), f["message"]))
    return found


def same_but_order(want, exit_status, results):
    """Whether the API server denied by another binding or policy than the first by name, which denies here,
    too."""
    if not results or exit_status != 1 or want["allowed"]:
        return False
    said = {"ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s" % a
            for a in alternatives(results[0])}
    return len(said) > 1 and any(want["message"].endswith(text) for text in said)


def judge_mutation(program, command, verdict):
    """Compares the object that mutating policies produce with that of Kubernetes' own code."""
    def mutate(form):
        return subprocess.run([program, "mutate", "--as-is", "--normalized", "-o", form, *command],
                              capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)

    done = mutate("json")
    if done.returncode == 2:  # Kubernetes' code is asked without the validation of policies
        said = "spec." in done.stderr and "error:" in done.stderr
        return ([] if said else ["exit status 2: " + done.stderr[:300]]), ["refused policies"]
    if done.returncode != (0 if verdict["allowed"] else 1):
        return ["exit status %d: %s" % (done.returncode, done.stderr[:300])], ["mutations"]
    if not verdict["allowed"]:
        said = verdict["status"]["message"] in done.stderr
        return ([] if said else ["says " + done.stderr[:300]]), ["mutations"]
    if verdict.get("patchedObject") is None:
        changes = mutate("patch").stdout
        return (["changes it: " + changes[:300]] if changes else []), ["mutations that change nothing"]
    got, want = json.loads(done.stdout), verdict["patchedObject"]
    return ([] if got == want else
            ["want %s, got %s" % (json.dumps(want)[:600], json.dumps(got)[:600])]), ["mutations"]


def judge(program, commands, entry, verdict, answer):
    """The failures of one case, as texts, and the category in which it counts."""
    defined, command, untold = commands
    if entry["kind"] != "ValidatingAdmissionPolicy":
        return judge_mutation(program, defined, verdict)
    failures = []
    if answer is not None and answer.get("aside") == "policy-refused":
        status, _, stderr = run(program, command)
        said = answer["message"].partition(" is invalid: ")[2]
        good = status == 2 and said and said in stderr
        return ([] if good else ["exit status %d: %s" % (status, stderr[:300])]), ["refused policies"]
    status, results, stderr = run(program, ["--as-is", *defined])
    want = essence(verdict)
    if why := unmet(want, status, results, stderr):
        failures.append("as it stands: " + why)
    elif results[0]["auditAnnotations"] != verdict["auditAnnotations"]:
        failures.append("as it stands: audit annotations %s" % results[0]["auditAnnotations"])
    status, results, stderr = run(program, command)
    reached = answer is not None and "aside" not in answer
    want = essence({"status": answer if answer["code"] else None, "warnings": answer["warnings"]}) if reached else want
    if reached:
        del want["details"]
    why = unmet(want, status, results, stderr, reached)
    if why and not (reached and same_but_order(want, status, results)):
        failures.append("as a user: " + why)
    sorts = ["compared with the API server" if reached else "compared with the oracle's verdict only"]
    if untold is not None:
        status, _, stderr = run(program, untold)
        sorts.append("with params of unknown scope: " + ("a verdict" if status < 2 else "none"))
        if status not in (0 if want["allowed"] else 1, 2):
            failures.append("without the scope of params: exit status %d: %s" % (status, stderr[:300]))
    return failures, sorts


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("corpus")
    ap.add_argument("answers")
    ap.add_argument("--only", default="", help="cases whose id contains this")
    ap.add_argument("--every", type=int, default=1, help="each so many-th case only")
    ap.add_argument("-j", type=int, default=os.cpu_count())
    args = ap.parse_args()
    with open(os.path.join(args.corpus, "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    verdicts = {v["id"]: v for v in lines(os.path.join(args.corpus, "verdicts.jsonl"))}
    answers = {a["id"]: a for a in lines(args.answers)} if os.path.exists(args.answers) else {}
    wanted = [(entry, case, entry["id"] + "/" + case["name"]) for entry in manifest for case in entry["cases"]]
    wanted = [w for w in wanted if args.only in w[2]][::args.every]
    passed, failed, counts = 0, 0, collections.Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        cases = Cases(args.corpus, folder)
        commands = [cases.commands(entry, case) for entry, case, _ in wanted]  # writes files
        futures = [pool.submit(judge, args.program, arguments, entry, verdicts.get(name), answers.get(name))
                   for arguments, (entry, _, name) in zip(commands, wanted)]
        for (_, _, name), future in zip(wanted, futures):
            failures, sorts = future.result()
            counts.update(sorts)
            passed, failed = passed + (not failures), failed + bool(failures)
            for text in failures:
                print("FAIL %s\n  %s" % (name, text))
    for sort, number in sorted(counts.items()):
        print("%d %s" % (number, sort))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or not wanted)


if __name__ == "__main__":
    main()
