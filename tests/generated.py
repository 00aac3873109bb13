"""Fails if a generated file differs from the output of its script.

Usage: generated.py FILE SHARED_DIR SCRIPT ARGUMENT...

SCRIPT is in Python or Go. An ARGUMENT that begins with '@' is a path below SHARED_DIR. Exit status 77: the shared
data or Go is missing, nothing was compared.
"""
import os
import shutil
import subprocess
import sys

table, shared, script, *arguments = sys.argv[1:]
arguments = [os.path.join(shared, a[1:]) if a.startswith("@") else a for a in arguments]
missing = [a for a in arguments if not os.path.exists(a)]
if missing:
    print("skipped: no " + missing[0])
    sys.exit(77)
runner = ["go", "run"] if script.endswith(".go") else [sys.executable]
if not shutil.which(runner[0]):
    print("skipped: no go")
    sys.exit(77)
made = subprocess.run([*runner, script, *arguments], capture_output=True, text=True, check=True).stdout
if made != open(table, encoding="utf-8").read():
    sys.exit(os.path.basename(table) + " is stale: run " + os.path.basename(script))
