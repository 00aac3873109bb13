#!/usr/bin/env python3
"""weight: limits the size of the built-in schemas in the program.

Usage: weight.py PROGRAM

The tables of Kubernetes' types and the code that reads them are in the namespace portcullis::builtin. The sum
of its symbols, plus 24 bytes for each relocation in its data, has a limit. Skipped (77) for a program with
sanitizers or without symbols. bench/offline.py measures how long the program takes to start.
"""
import subprocess
import sys

MOST_BYTES = 1_500_000
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


def main():
    sizes = schema_bytes(sys.argv[1])
    if sizes is None:
        print("skipped: a program with sanitizers")
        sys.exit(77)
    if sum(sizes) == 0:
        print("skipped: a program without symbols")
        sys.exit(77)
    print("built-in schemas: %d bytes (code %d, constants %d, data %d), at most %d"
          % (sum(sizes), *sizes, MOST_BYTES))
    sys.exit(sum(sizes) > MOST_BYTES)


if __name__ == "__main__":
    main()
