#!/usr/bin/env python3
"""Changes objects of built-in kinds (updates.yaml), each field by itself and some together, and compares which changes
`review --old` says to be refused with the API server's own code.

Usage: built_in_updates.py PROGRAM STRATEGIES [COUNT] [SEED]
STRATEGIES: the program of tests/oracle/strategies. Every change of one field is tried, and COUNT of two to four fields. Not
compared: values that Portcullis leaves out (docs/faithfulness.md), comparisons of specs, what a new object is
refused as well, Services, which the server looks at before their strategy,
and claims without requests, of which an empty map is not told from none.
"""
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import yaml

FILE = pathlib.Path(__file__).parent / "updates.yaml"
# What rules about updates say.
RULE = re.compile(r"mmutable|may not (be changed|change|remove|add)|may not be updated|annot be (cleared|modified)|can not be (unset|less)|"
                  r"updates? to|only (additions|deletion)|no additions|must not update|previous value|existing toleration|"
                  r"releasing the secondary|in tandem")


def changes(value, path=()):
    """Each change of one member: a path and its new value; no value removes the member."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if path or key not in ("apiVersion", "kind", "metadata", "status"):
                yield path + (key,), None
                yield from changes(inner, path + (key,))
        yield path + ("zz",), "q"
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from changes(inner, path + (i,))
        yield path, value[1:]
        yield path, value[::-1]
        added = copy.deepcopy(value[-1])
        if isinstance(added, dict):
            added |= {key: "zz" for key in ("name", "key") if key in added}
        yield path, value + [added]
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int):
        yield path, value + 1
        yield path, value - 1
    elif isinstance(value, str):
        yield path, value + "x"
        yield path, {"1Gi": "1024Mi", "2Gi": "2147483648", "IPv4": "IPv6"}.get(value, "")


def changed(value, path, new):
    value = copy.deepcopy(value)
    at = value
    for key in path[:-1]:
        at = at[key]
    if new is None:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return value


def made(r, count):
    """Updates: the former object and the new one. Both have a uid, as what was read from a server."""
    objects = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))
    out = []
    for number, o in enumerate(objects):
        o["metadata"] |= {"name": f"o{number}", "uid": f"u{number}"}
        out += [(o, o)] + [(o, changed(o, *c)) for c in changes(o)]
    for _ in range(count):
        o = now = r.choice(objects)
        for change in r.sample(list(changes(o)), r.randint(2, 4)):
            try:
                now = changed(now, *change)
            except (KeyError, IndexError, TypeError):
                pass  # an earlier change took what is changed here
        out.append((o, now))
    return out


def said(program, updates, folder):
    """The errors that `review` prints, by update."""
    policy, former, manifests = (folder / name for name in ("policy.json", "former.json", "objects.json"))
    policy.write_text(json.dumps({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
                                  "metadata": {"name": "p"}, "spec": {"matchConstraints": {"resourceRules": [
                                      {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]},
                                      "validations": [{"expression": "true"}]}}), encoding="utf-8")
    former.write_text("".join({json.dumps(o) + "\n": 0 for o, _ in updates}), encoding="utf-8")
    manifests.write_text("".join(json.dumps(now) + "\n" for _, now in updates), encoding="utf-8")
    done = subprocess.run([program, "review", "-p", policy, "--old", former, manifests], capture_output=True, text=True, check=False)
    out = [[] for _ in updates]
    for line, text in re.findall(r"^\S*objects\.json:(\d+):\d+: warning: whatever the verdict, the API server refuses this \w+: (.*)$",
                                 done.stderr, re.M):
        out[int(line) - 1].append(text)
    return out


def without_value(cause):
    return re.sub(r"Invalid value: .*: (?=[a-z])", "Invalid value: ", cause)


def main():
    program, strategies = sys.argv[1:3]
    count, seed = (int(a) for a in (sys.argv[3:] + ["1000", "1"][len(sys.argv) - 3:])[:2])
    updates = made(random.Random(seed), count)
    lines = "".join(json.dumps({"id": i, "object": now, "old": old, "all": True}) + "\n" for i, (old, now) in enumerate(updates))
    want = subprocess.run([strategies], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        got = said(program, updates, pathlib.Path(folder))
    different = wrong = aside = 0
    for (old, now), line, ours in zip(updates, want, got, strict=True):
        theirs = json.loads(line)
        if "causes" not in theirs or (now["kind"] == "PersistentVolumeClaim" and '"storage"' not in json.dumps(now.get("spec"))):
            aside += 1
            continue
        causes = [c.split("\n")[0] for c in theirs["causes"]]
        wrong += bool(causes)
        shown = {without_value(c) for c in causes}
        false = [t for t in ours if t not in causes and not (t == without_value(t) and t in shown)]
        missing = [c for c in causes if RULE.search(c) and without_value(c) not in {without_value(t) for t in ours}]
        if false or missing:
            different += 1
            print("OLD", json.dumps(old), "\nNEW", json.dumps(now), "\nFALSE", false, "\nMISSING", missing, "\n")
    print(f"{len(updates)} updates, {different} differ, {wrong} with errors, {aside} not compared")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
