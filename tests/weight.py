#!/usr/bin/env python3
"""weight: what the built-in schemas add to the program, and how long it takes to start.

Usage: weight.py PROGRAM POLICY

The tables of Kubernetes' types and the code that reads them are the namespace portcullis::builtin: the sum of
its symbols, with 24 bytes for each relocation in its data, has a limit. Starting is measured as time of the
processor, the least of several runs: of `version`, and of `check` with a policy whose types come from the
tables. Skipped (77) where sanitizers slow everything down.
"""
import resource
import subprocess
import sys

MOST_BYTES = 1_500_000
MOST_MILLISECONDS = 15.0
RUNS = 15
RELOCATION, POINTER = 24, 8


def schema_bytes(program):
    """(code, constants, data with relocations) of the namespace in bytes; None for a
    program with sanitizers."""
    lines = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    sizes = {"t": 0, "r": 0, "d": 0}
    for line in lines:
        parts = line.split()
        if parts[-1].startswith("__asan"):
            return None
        if len(parts) == 4 and "7builtin" in parts[3]:
            sort = {"w": "t", "u": "d", "v": "d", "b": "d"}.get(parts[2].lower(), parts[2].lower())
            sizes[sort] += int(parts[1], 16)
    return sizes["t"], sizes["r"], sizes["d"] + sizes["d"] // POINTER * RELOCATION


def milliseconds(command):
    """Time of the processor of one run, the least of several."""
    least = float("inf")
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least * 1000


def main():
    program, policy = sys.argv[1:3]
    sizes = schema_bytes(program)
    if sizes is None:
        print("skipped: a program with sanitizers")
        sys.exit(77)
    if sum(sizes) == 0:
        print("skipped: a program without symbols")
        sys.exit(77)
    print("built-in schemas: %d bytes (code %d, constants %d, data %d), at most %d"
          % (sum(sizes), *sizes, MOST_BYTES))
    times = {name: milliseconds([program, *args]) for name,
             args in {"version": ["version"], "check": ["check", policy]}.items()}
    for name, taken in times.items():
        print("%s: %.1f ms of the processor, at most %.1f" % (name, taken, MOST_MILLISECONDS))
    sys.exit(sum(sizes) > MOST_BYTES or max(times.values()) > MOST_MILLISECONDS)


if __name__ == "__main__":
    main()
