#!/usr/bin/env python3
"""Runs the console examples of README.md and docs/architecture.md and compares what they print.

usage: readme.py PROGRAM SOURCE_ROOT [--rebase]
An example is a fenced block marked `console`: lines "$ build/portcullis ...", run in SOURCE_ROOT, each
followed by all that it prints (standard error too). With --rebase the files are rewritten. Closes with
`N passed, N failed`.
"""
import pathlib
import re
import shlex
import subprocess
import sys

program, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
results = {True: 0, False: 0}


def run(command):
    line = command.replace("build/portcullis", shlex.quote(program))
    done = subprocess.run(["bash", "-c", line], cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=60)
    return done.stdout.replace(program, "build/portcullis")


def again(block):
    """The block with what its commands print today."""
    out = ""
    for command in re.findall(r"^\$ (.*)$", block.group(1), re.M):
        out += f"$ {command}\n" + run(command)
    results[out == block.group(1)] += 1
    if out != block.group(1):
        print(f"expected\n{block.group(1)}actual\n{out}")
    return f"```console\n{out}```"


for name in ("README.md", "docs/architecture.md"):
    path = root / name
    text = path.read_text(encoding="utf-8")
    fresh = re.sub(r"^```console\n(.*?)^```", again, text, flags=re.M | re.S)
    if "--rebase" in sys.argv:
        path.write_text(fresh, encoding="utf-8")
print(f"{results[True]} passed, {results[False]} failed")
sys.exit(1 if results[False] else 0)
