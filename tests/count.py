#!/usr/bin/env python3
"""Prints "PASSED FAILED", the test cases of the last `meson test` in a build directory.

Programs of GoogleTest are counted by their cases; each other test counts as one or, if it closes with "N
passed, N failed", as these numbers. Usage: count.py BUILD_DIRECTORY
"""
import json
import pathlib
import re
import sys

passed = failed = 0
for line in (pathlib.Path(sys.argv[1]) / "meson-logs/testlog.json").read_text(encoding="utf-8").splitlines():
    test = json.loads(line)
    text = test.get("stdout", "")
    if test["result"] == "SKIP":
        continue
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    closing = re.findall(r"^(\d+) passed, (\d+) failed", text, re.M)
    # A case is one line: "[       OK ] Suite.Name (0 ms)"; names without a time belong to the summary.
    cases = re.findall(r"^\[ +(OK|FAILED) +\] \S+\.\S+.*\(\d+ ms\)", text, re.M)
    if closing:
        ok, bad = map(int, closing[-1])
    elif cases:
        ok, bad = cases.count("OK"), cases.count("FAILED")
    else:
        ok, bad = int(good), 0
    passed += ok
    failed += bad if good or bad else bad + 1
print(passed, failed)
