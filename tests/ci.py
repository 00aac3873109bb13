#!/usr/bin/env python3
"""Runs the commands of docs/ci.md in a copy of examples/, which has the folders that the page speaks of.

usage: ci.py PROGRAM SOURCE_ROOT
A command is what begins with `portcullis` in a block of YAML or Groovy. Each must have a verdict (status 0 or 1), and
write the reports that the page hands on. Closes with `N passed, N failed`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

program, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
results = {True: 0, False: 0}


def hold(true, complaint):
    results[bool(true)] += 1
    if not true:
        print(complaint)


def play(block, folder):
    """Runs the commands of a block in a new copy of the examples."""
    shutil.copytree(root / "examples", folder)
    path = f"{program.parent}:{os.environ['PATH']}"
    names = ""  # of changed files, which pre-commit passes
    if "entry:" in block and "pass_filenames: false" not in block:
        (folder / "kustomization.yaml").write_text("kind: Kustomization\n", encoding="utf-8")
        names = " kustomization.yaml manifests/shop.yaml"
    for command in re.findall(r"(?:^ *- |run: |entry: |sh ')(portcullis .*?)'?$", block, re.M):
        command += names
        done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        hold(done.returncode in (0, 1), f"{command}: status {done.returncode}\n{done.stdout}")
        yield command
    for report in re.findall(r"[\w.]+\.(?:xml|sarif|json|html)", block):
        hold((folder / report).is_file(), f"no command writes {report}")


def play_changed(text, folder):
    """Runs the command for changed files in a repository of the examples: without any, and with names of all sorts."""
    shutil.copytree(root / "examples", folder)
    script = "set -e; git init -q -b main; git config user.name a; git config user.email a@b; git add .; git commit -q -m a"
    (command,) = re.findall(r"`(git diff [^`]*)`", text)
    for change in ("true", "echo 'a: b' > 'the values.yaml'; echo 'kind: ConfigMap' > é.md; git add ."):
        done = subprocess.run(["bash", "-c", f"{script}; {change}; set -o pipefail; {command}"], cwd=folder,
                              env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        hold(done.returncode == 0, f"{command}: status {done.returncode}\n{done.stdout}")
        script = "true"


text = (root / "docs/ci.md").read_text(encoding="utf-8")
blocks = re.findall(r"^```(?:yaml|groovy)\n(.*?)^```", text, re.M | re.S)
with tempfile.TemporaryDirectory() as work:
    played = [list(play(block, pathlib.Path(work) / str(number))) for number, block in enumerate(blocks)]
    table = re.findall(r"^\| `(portcullis .*?)` \|", text, re.M)
    played.append(list(play("".join(f"- {command}\n" for command in table), pathlib.Path(work) / "table")))
    if shutil.which("git"):
        play_changed(text, pathlib.Path(work) / "changed")
hold([len(commands) for commands in played] == [3, 3, 3, 2, 1, 3], f"other commands than expected: {played}")
print(f"{results[True]} passed, {results[False]} failed")
sys.exit(1 if results[False] else 0)
