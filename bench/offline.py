#!/usr/bin/env python3
"""Times the offline use of the program: deciding a repository of manifests in one run, and starting up.

Usage: offline.py PROGRAM
Writes 1,000 manifests of about 2 kB and 50 policies into a temporary folder, runs PROGRAM on them and on nearly
nothing, checks the answers, and prints the best of several runs beside the wanted time. Other work on the machine
lengthens the clock time, but not the processor time.
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

MANIFESTS, POLICIES, RUNS = 1000, 50, 7
HERE = pathlib.Path(__file__).resolve().parent


def as_yaml(value, indent=0):
    """Plain block YAML, as repositories hold it."""
    pad, lines = "  " * indent, []
    items = value.items() if isinstance(value, dict) else ((None, v) for v in value)
    for key, item in items:
        head = pad + (f"{key}:" if key is not None else "-")
        if isinstance(item, (dict, list)) and item:
            nested = as_yaml(item, indent + 1)
            lines += [head] + nested if key is not None else [pad + "- " + nested[0].lstrip()] + nested[1:]
        else:
            lines.append(f"{head} {json.dumps(item)}")
    return lines


def manifest(i):
    pod = json.loads((HERE / "pod.json").read_text(encoding="utf-8"))
    pod["metadata"]["name"] = f"web-{i}"
    if i % 10 == 0:
        pod["spec"]["containers"][0]["image"] = "stranger/app"
    return "\n".join(as_yaml(pod)) + "\n"


def policies():
    five = json.loads((HERE / "five.json").read_text(encoding="utf-8"))
    documents = []
    for i in range(POLICIES):
        policy, binding = (json.loads(json.dumps(five[kind][i % 5])) for kind in ("policies", "bindings"))
        policy["metadata"]["name"] = f"p{i}"
        expression = policy["spec"]["validations"][0]["expression"]
        policy["spec"]["validations"][0][
            "expression"] = f"{expression} || object.metadata.name == 'excused-{i}'"
        binding["metadata"]["name"], binding["spec"]["policyName"] = f"b{i}", f"p{i}"
        documents += ["\n".join(as_yaml(policy)), "\n".join(as_yaml(binding))]
    return "\n---\n".join(documents) + "\n"


def used():
    """The processor time, in seconds, of all programs run so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def shortest(command, status, text):
    """The clock time and the processor time of the best of several runs, in seconds. Ends the program if an answer is
    wrong."""
    clock = processor = 1e9
    for _ in range(RUNS):
        start, before = time.perf_counter(), used()
        done = subprocess.run(command, capture_output=True, text=True)
        clock, processor = min(clock, time.perf_counter() - start), min(processor, used() - before)
        if done.returncode != status or text not in done.stdout:
            sys.exit(f"{' '.join(command)}: status {done.returncode}, "
                     f"{done.stderr[:300]}{done.stdout[-300:]}")
    return clock, processor


def say(what, times, wanted):
    clock, processor = times
    print(f"{what}: {clock * 1000:.1f} ms, {processor * 1000:.1f} ms of processor time "
          f"(wanted: {wanted * 1000:.0f} ms)")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "manifests").mkdir()
        for i in range(MANIFESTS):
            (root / "manifests" / f"{i}.yaml").write_text(manifest(i), encoding="utf-8")
        (root / "policies.yaml").write_text(policies(), encoding="utf-8")
        size = sum(f.stat().st_size for f in (root / "manifests").iterdir()) // MANIFESTS
        review = [program, "review", "-p", str(root / "policies.yaml"), str(root / "manifests")]
        times = shortest(review, 1,
                         f"{MANIFESTS} manifests: {MANIFESTS * 9 // 10} admitted, 0 warned, "
                         f"{MANIFESTS // 10} denied")
    say(f"offline {MANIFESTS} manifests of {size} bytes, {POLICIES} policies", times, 0.5)
    say("start version", shortest([program, "version"], 0, ""), 0.015)
    say("start eval", shortest([program, "eval", "1 + 1"], 0, "2"), 0.015)
    # check needs the types of objects, from the tables of the built-in kinds.
    say("start check", shortest([program, "check", str(HERE.parent / "examples/policies/replicas.yaml")], 0, ""),
        0.015)


if __name__ == "__main__":
    main()
