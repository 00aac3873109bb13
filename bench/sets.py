#!/usr/bin/env python3
"""Times sets of policies beside Kubernetes itself: reviews by a hundred policies and by a thousand bindings, and loading.

Usage: sets.py PROGRAM ORACLE SHARED [SCENARIO...]      (ORACLE: `go build` in ../shared/oracle; SHARED: ../shared)
       sets.py --files FOLDER SHARED [COUNT]            (writes what loaded-10000 loads, or COUNT policies of it)
The scenarios are those of SHARED/bench/make_requests.py. Both programs answer the same lines and measure themselves
(`bench` of the batch protocol: decode the Pod and decide; compile the policies), one after the other in one run; the
fastest of several runs counts. Each scenario is also asked with a Pod that is denied. Ends with status 1 where two
answers differ. Prints what is wanted beside what is not reached; the machine may be busy, so that is no failure.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

MILLISECONDS, RUNS = 200, 5
NAMES = ["five", "hundred-distinct", "hundred-shared", "bindings-1024", "loaded-10000"]
MEASURED = ("dispatchNs", "compileAllNs")


def lines(shared, name, *options):
    return subprocess.run([sys.executable, shared / "bench/make_requests.py", name, *options], check=True,
                          capture_output=True, text=True).stdout


def ask(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: status {done.returncode}, {done.stderr[:300]}")
    return json.loads(done.stdout)


def times(command, text):
    """What the program measured, and its answer."""
    answer = ask(command, text)
    return [answer.pop(key, 0) for key in MEASURED], answer


def compare(program, oracle, text, name):
    mine, theirs = times(program, text)[1], times(oracle, text)[1]
    if mine != theirs:
        sys.exit(f"{name}: the answers differ:\n{json.dumps(mine)[:2000]}\n{json.dumps(theirs)[:2000]}")


# What use() runs: prints the seconds and the MiB of a command whose output is right.
USE = """import resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
if done.returncode != 0 or "1 manifest: 1 admitted" not in done.stdout:
    sys.exit(f"{sys.argv[1:]}: status {done.returncode}, {done.stdout[:300]}")
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"""


def use(command):
    """The seconds and the MiB of a run. Small processes start it: the memory of a process counts as that of its child."""
    output = subprocess.run([sys.executable, "-c", USE, *command], check=True, stdout=subprocess.PIPE, text=True).stdout
    return tuple(map(float, output.split()))


def write_files(folder, text, count):
    """The policies of a line in a file, at most `count` of them, and its Pod; what `review` needs of them."""
    asked, root = json.loads(text), pathlib.Path(folder)
    objects = asked["policies"][:count] + asked["bindings"][:count] + asked["namespaces"]
    (root / "policies.yaml").write_text("\n---\n".join(map(json.dumps, objects)), encoding="utf-8")
    (root / "pod.json").write_text(json.dumps(asked["request"]["object"]), encoding="utf-8")
    return ["-p", str(root / "policies.yaml"), str(root / "pod.json")]


def load_files(program, text):
    """The seconds and the MiB of `review` with the policies of a line in a file: the best of several runs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "review", *write_files(folder, text, None)]
        return tuple(map(min, zip(*(use(command) for _ in range(RUNS)))))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    if sys.argv[1] == "--files":
        count = int(sys.argv[4]) if len(sys.argv) > 4 else None
        return write_files(sys.argv[2], lines(pathlib.Path(sys.argv[3]), "loaded-10000"), count)
    shared, names = pathlib.Path(sys.argv[3]), sys.argv[4:] or NAMES
    program, oracle = [sys.argv[1], "review", "--batch"], [sys.argv[2]]
    print(f"{'':18}{'review':>12}{'load':>12}{'Kubernetes':>12}{'load':>12}{'ratio':>8}{'load':>8}")
    reviews, ratios, loads = {}, {}, {}
    for name in names:
        for options in ([], ["--deny"]):
            compare(program, oracle, lines(shared, name, *options), name)
        text = lines(shared, name, "--bench", str(MILLISECONDS))
        # Kubernetes takes half a minute to compile 10,000 policies.
        asked = [oracle] if name != "loaded-10000" else []
        runs = [[times(command, text)[0] for command in [program, *asked]] for _ in range(RUNS)]
        ours, load, *theirs = [min(run[side][what] for run in runs) for side in range(len(runs[0])) for what in (0, 1)]
        reviews[name] = ours / 1000
        row = f"{name:18}{ours / 1000:9.1f} us{load / 1e6:9.2f} ms"
        if theirs:
            ratios[name], loads[name] = theirs[0] / ours, theirs[1] / load
            row += f"{theirs[0] / 1000:9.0f} us{theirs[1] / 1e6:9.1f} ms{ratios[name]:8.0f}{loads[name]:8.0f}"
        print(row, flush=True)

    def limit(what, value, most, unit=""):
        print(f"{what}: {value:.2f}{unit}" + (f" (wanted: at most {most}{unit})" if value > most else ""))

    def least(what, value, wanted):
        print(f"{what}: {value:.0f}" + (f" (wanted: at least {wanted})" if value < wanted else ""))

    if "hundred-distinct" in names:
        least("100 distinct policies, times Kubernetes", ratios["hundred-distinct"], 120)
        least("loading 100 distinct policies, times Kubernetes", loads["hundred-distinct"], 40)
    if {"hundred-distinct", "hundred-shared"} <= set(names):
        limit("100 shared policies to 100 distinct ones", reviews["hundred-shared"] / reviews["hundred-distinct"], 0.4)
    if "bindings-1024" in names:
        limit("1,024 bindings with params", reviews["bindings-1024"] / 1000, 0.2, " ms")
    if {"five", "loaded-10000"} <= set(names):
        limit("10,000 policies loaded to only the five that match", reviews["loaded-10000"] / reviews["five"], 1.1)
        seconds, memory = load_files(sys.argv[1], lines(shared, "loaded-10000"))
        limit("review with 10,000 policies in a file", seconds, 0.6, " s")
        limit("its memory", memory, 40, " MiB")


if __name__ == "__main__":
    main()
