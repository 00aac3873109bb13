#!/usr/bin/env python3
"""Prints "PASSED FAILED", the test cases of the last `meson test` in a build directory.

GoogleTest programs are counted by their cases, every other test as one, or, where it closes with
"N passed, N failed", by these numbers. Usage: count.py BUILD_DIRECTORY
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
    # One line a case: "[       OK ] Suite.Name (0 ms)"; names without a time are the summary's.
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
