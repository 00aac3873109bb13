#!/usr/bin/env python3
"""What `test` decides is what `review` says of the same files and flags.

usage: as_review.py PROGRAM EVERY FOLDER...

Each case of every EVERYth suite of each folder is given to `review`, its objects as files and its members as flags. What that
says is written into a suite as what is expected, whole: the Status or the error, warnings, audit annotations, changes.
`test` must find that all of it comes, and, of the same suite with each verdict turned round, that none does. Left out,
and counted: what a review has no flag for (bindAll, stored, answers of webhooks that stand in the suite, policies as objects).
Closes with `N passed, N failed, N skipped`. Fails, too, if the reviews admit nothing or deny nothing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

TEXTS = {"user": "--as", "groups": "--as-group", "operation": "--operation", "subresource": "--subresource",
         "namespace": "--namespace", "fieldManager": "--field-manager", "kubernetesVersion": "--kubernetes-version",
         "namespaceLabels": "--namespace-label", "gracePeriod": "--grace-period", "cascade": "--cascade"}
OF_REQUESTS = ("user", "groups", "operation", "subresource", "fieldManager", "dryRun", "gracePeriod", "cascade", "oldObject", "namespace")
FLAGS = {"dryRun": "--dry-run", "asIs": "--as-is", "allowInvalid": "--allow-invalid"}
DECIDES = ("policies", "bindings", "params", "namespaces", "crds", "rbac")


def plain(tagged):
    """A value as `eval -o json` has it, without the names of its types."""
    (kind, value), = tagged.items()
    if kind == "map":
        return {plain(k): plain(v) for k, v in value}
    if kind == "list":
        return [plain(v) for v in value]
    return int(value) if kind == "int64" else None if kind == "null" else value


def listed(value):
    return value if isinstance(value, list) else [value]


class Case:
    def __init__(self, suite, case, path, folder, number):
        self.members = {**suite, **case}
        self.path, self.folder, self.number = path, folder, number

    def unsupported(self):
        m = self.members
        registered = any(isinstance(o, dict) and str(o.get("apiVersion")).startswith("admissionregistration.k8s.io/")
                         for o in listed(m["object"]))
        return registered or any(m.get(x) for x in ("bindAll", "stored", "skip")) or isinstance(m.get("webhooks"), dict)

    def file(self, name, value):
        """A file that a flag can name: that of the suite, or one with the object."""
        if isinstance(value, str) or "file" in value:
            assert isinstance(value, str) or not {"name", "namespace", "index"} & value.keys(), value
            return str((self.path.parent / (value if isinstance(value, str) else value["file"])).resolve())
        if name == "namespaces" and "kind" not in value:
            value = {"apiVersion": "v1", "kind": "Namespace", "metadata": value}
        path = self.folder / f"{name}-{self.number}-{len(list(self.folder.iterdir()))}.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return str(path)

    def objects(self, name):
        return [self.file(name, o) for o in listed(self.members.get(name, []))]

    def deciding(self):
        return list(dict.fromkeys(o for name in DECIDES for o in self.objects(name)))

    def flags(self):
        m, out = self.members, []
        recorded = isinstance(m["object"], dict) and m["object"].get("kind") == "AdmissionReview"
        for name, flag in TEXTS.items():
            for text in listed(m.get(name, [])):
                out += [] if recorded and name in OF_REQUESTS else [flag, str(text)]
        for name, flag in FLAGS.items():
            out += [flag] if m.get(name) and not (recorded and name in OF_REQUESTS) else []
        for kind, scope in m.get("paramScopes", {}).items():
            out += ["--params-scope", f"{kind}={scope}"]
        if m.get("oldObject") == "same" and not recorded:
            out += ["--old", "same"]
        elif "oldObject" in m:
            out += [x for o in self.objects("oldObject") for x in ("--old", o)]
        if "webhooks" in m:
            out += ["--webhooks", "recorded=" + self.file("webhooks", m["webhooks"])]
        return out

    def review(self, program):
        files = [x for o in self.deciding() for x in ("-p", o)]
        done = subprocess.run([program, "review", "-o", "json", *files, *self.flags(), *self.objects("object")],
                              capture_output=True, text=True, timeout=60, check=False)
        return json.loads(done.stdout), done.stderr


def steps(pointer):
    return "".join(f"[{s.replace('~1', '/').replace('~0', '~')}]" for s in pointer.split("/")[1:])


def expected(result):
    """What a case expects where `review` said this of its only object."""
    if result["verdict"] == "refused":
        return {"errors": [result["error"]["text"]]}
    out = {"warnings": result["warnings"], "auditAnnotations": result["auditAnnotations"], "exact": True}
    if result["verdict"] == "denied":
        out["denied"] = {"message": result["status"]["message"], "status": result["status"]}
    else:
        out["allowed"] = True
    out["mutated"] = mutated(result.get("patch", []))
    return out


def mutated(patch):
    if any(p["op"] != "replace" and (p["path"].endswith("/-") or p["path"].rsplit("/", 1)[1].isdigit()) for p in patch):
        return True  # an element more or less: the paths behind it mean others
    return {"changes": {steps(p["path"]): p.get("value") for p in patch}} if patch else False


def turned(case):
    """The same case, expecting the other verdict."""
    out = {k: v for k, v in case.items() if k not in ("denied", "errors", "allowed")}
    out["allowed"] = "denied" in case or "errors" in case
    return out


def outcomes(program, folder, suites):
    for name, suite in suites.items():
        (folder / name).write_text(json.dumps(suite), encoding="utf-8")
    done = subprocess.run([program, "test", "-o", "json", str(folder)], capture_output=True, text=True, timeout=300,
                          check=False)
    return json.loads(done.stdout)["cases"]


def main():
    program, every, folders = sys.argv[1], int(sys.argv[2]), [pathlib.Path(f) for f in sys.argv[3:]]
    passed = failed = skipped = 0

    def check(good, what):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"FAIL {what}"[:2000])

    with tempfile.TemporaryDirectory() as directory:
        kept, straight, opposite = (pathlib.Path(directory) / name for name in ("objects", "straight", "opposite"))
        for folder in kept, straight, opposite:
            folder.mkdir()
        suites, verdicts = {}, {}
        for path in (p for folder in folders for p in sorted(folder.rglob("*_test.yaml"))[::every]):
            text = path.read_text(encoding="utf-8")
            done = subprocess.run([program, "eval", "--var", "suite=" + text, "suite", "-o", "json"], capture_output=True,
                                  text=True, timeout=60, check=True)
            suite = plain(json.loads(done.stdout)["value"])
            made = []
            for number, case in enumerate(suite["cases"]):
                one = Case({k: v for k, v in suite.items() if k not in ("cases", "name")}, case, path, kept, number)
                if one.unsupported():
                    skipped += 1
                    continue
                said, errors = one.review(program)
                name = f"{path} case {number + 1}"
                if len(said["results"]) != 1:
                    check(False, f"{name}: `review` has {len(said['results'])} results: {errors}")
                    continue
                result = said["results"][0]
                verdicts[result["verdict"]] = verdicts.get(result["verdict"], 0) + 1
                members = {k: v for k, v in one.members.items() if k in (*TEXTS, *FLAGS, "paramScopes")}
                members.update({"policies": one.deciding(), "object": one.objects("object")})
                if "oldObject" in one.members:
                    old = one.members["oldObject"]
                    members["oldObject"] = old if old == "same" else one.objects("oldObject")
                if "webhooks" in one.members:
                    members["webhooks"] = one.file("webhooks", one.members["webhooks"])
                wanted = expected(result)
                if "webhooks" in members and "exact" in wanted:
                    wanted["exact"] = False  # what is sent to webhooks is not compared
                made.append({"name": name, **members, **wanted})
            if made:
                suites[f"{len(suites)}_test.yaml"] = {"cases": made}
        for case in outcomes(program, straight, suites):
            check(case["outcome"] == "passed", f"{case['name']}: {json.dumps(case['findings'])}")
        for suite in suites.values():
            suite["cases"] = [turned(case) for case in suite["cases"]]
        for case in outcomes(program, opposite, suites):
            check(case["outcome"] == "failed", f"{case['name']}: the other verdict is {case['outcome']}, too")
    print(f"verdicts of review: {verdicts}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0 or min(verdicts.get(v, 0) for v in ("admitted", "denied")) == 0)


if __name__ == "__main__":
    main()
