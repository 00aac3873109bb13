"""Fails if admission/builtin/types.inc is not what generate_types.py makes of the shared struct list.

Usage: builtin_types.py GENERATE_TYPES_PY MORE_TYPES_JSONL GO_NAMES_TSV TYPES_INC SHARED_DIR (exit status 77: there is no shared data)
"""
import os
import subprocess
import sys

script, more, names, table, shared = sys.argv[1:]
structs = os.path.join(shared, "openapi", "1.37", "types.jsonl")
if not os.path.exists(structs):
    print("skipped: no " + structs)
    sys.exit(77)
made = subprocess.run([sys.executable, script, structs, more, names], capture_output=True, text=True, check=True).stdout
if made != open(table, encoding="utf-8").read():
    sys.exit("types.inc is stale: run generate_types.py")
