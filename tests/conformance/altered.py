#!/usr/bin/env python3
"""altered: checks that the conformance runner judges every statement of the tables.

Usage: altered.py CONFORMANCE_PROGRAM SHARED_CONFORMANCE [MOST_PER_TABLE]

Takes cases of every table, alters one statement of `expect` (another value, cost or text, the opposite), sets
a cost limit that is too low, or adds an unknown field. Then it runs the program on the altered tables: every
altered case must fail. A case that passes has a statement that is not judged. Tables that the program skips
are skipped. Closes with `N passed, N failed`.
"""
import collections
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Tables that the program skips as a whole, as its output says.
LEFT_OUT = {"jsonpatch", "applyconfiguration"}
# Statements that say how another one is meant.
MEANT = {"implicit", "phase", "match"}
# A limit of 1 ends each evaluation that costs more, whatever its first step costs.
LEAST_COST = 20


def another_value(value):
    """A tagged value of the same kind that is not equal."""
    tag, content = next(iter(value.items()))
    if tag == "bool":
        return {"bool": not content}
    if tag in ("int64", "uint64"):
        return {tag: "4" if content != "4" else "5"}
    if tag in ("string", "type"):
        return {tag: content + "x"}
    return {"string": "altered"}


def alterations(expect, path=()):
    """(path, altered copy of the whole) for each statement below `expect`."""
    for key, value in expect.items():
        where = path + (key,)
        if key in MEANT:
            continue
        if key == "value":
            yield where, {**expect, key: another_value(value)}
        elif key in ("errors", "any_errors"):  # texts are hints there: it must fail, and not give a value
            yield where, {"value": {"string": "altered"}}
        elif key == "type":
            yield where, {**expect, key: {"list": {"list": {"list": "bytes"}}}}
        elif key == "results":
            for i, result in enumerate(value):
                for below, altered in alterations(result):
                    yield where + (i,) + below, {**expect, key: value[:i] + [altered] + value[i + 1:]}
        elif isinstance(value, bool):
            yield where, {**expect, key: not value}
        elif isinstance(value, dict):
            for below, altered in alterations(value, where):
                yield below, {**expect, key: altered}
        elif key == "texts":
            yield where, {**expect, key: value + ["altered"]}
        elif key == "text" and expect.get("match") == "any":
            continue
        elif re.fullmatch(r"\d+", str(value)):
            yield where, {**expect, key: str(int(value) - 1 if int(value) > 1 else int(value) + 1)}
        else:
            yield where, {**expect, key: str(value) + "altered"}
    if not path:
        yield ("added",), {**expect, "altered": True}


def altered_cases(table, most):
    """Altered copies of cases, at most `most` of each statement, spread over the table."""
    tests = [t for t in table["tests"] if not t["needs_proto"]]
    by_statement = collections.defaultdict(list)
    for test in tests:
        for path, expect in alterations(test["expect"]):
            by_statement[path].append((test, {"expect": expect}))
        if int(test["expect"].get("cost", {}).get("actual", 0)) > LEAST_COST:
            by_statement["cost_limit",].append((test, {"cost_limit": "1"}))
    for path, found in by_statement.items():
        for test, change in found[:: max(1, len(found) // most)][:most]:
            altered = copy.deepcopy({**test, **change})
            altered["id"] = "%s %s" % (" ".join(test["id"].split("\n")), ".".join(map(str, path)))
            yield altered
    if tests:
        yield {**tests[0], "id": tests[0]["id"] + " unknown field", "altered": 1}


def main():
    program, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 25
    made = set()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(shared.glob("*/*.json")):
            if path.stem in LEFT_OUT:
                continue
            table = json.loads(path.read_text(encoding="utf-8"))
            tests = list(altered_cases(table, most))
            made |= {"%s/%s %s" % (path.parent.name, path.name, t["id"]) for t in tests}
            out = pathlib.Path(folder) / path.parent.name / path.name
            out.parent.mkdir(exist_ok=True)
            out.write_text(json.dumps({**table, "tests": tests}), encoding="utf-8")
        done = subprocess.run([program, folder], capture_output=True, text=True, check=False)
    failing = set(re.findall(r"^FAIL (.*)$", done.stdout, re.M))
    if not made or done.returncode not in (0, 1) or failing - made:
        sys.exit("%d altered cases, and the program says: %s" % (len(made), done.stdout[-300:] + done.stderr[-300:]))
    for name in sorted(made - failing):
        print("altered, and passes:", name)
    print("%d passed, %d failed" % (len(failing), len(made - failing)))
    sys.exit(failing != made)


if __name__ == "__main__":
    main()
