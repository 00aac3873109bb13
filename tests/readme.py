#!/usr/bin/env python3
"""Checks README.md and docs/: runs their console examples and compares the output, and checks that the paths
they name exist and that headings are headings. README.md links every page of docs/, and its map has every folder. A link leads
to a file, and its anchor to a heading.

usage: readme.py PROGRAM SOURCE_ROOT [--rebase]
An example is a fenced block marked `console`: lines "$ build/portcullis ...", run in SOURCE_ROOT, each
followed by its complete output (with standard error). With --rebase the files are rewritten. A path is a text
of the form `folder/...`, which may have patterns of the shell. Closes with `N passed, N failed`.
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
    """The block with the present output of its commands."""
    out = ""
    for command in re.findall(r"^\$ (.*)$", block.group(1), re.M):
        out += f"$ {command}\n" + run(command)
    results[out == block.group(1)] += 1
    if out != block.group(1):
        print(f"expected\n{block.group(1)}actual\n{out}")
    return f"```console\n{out}```"


def hold(true, complaint):
    results[true] += 1
    if not true:
        print(complaint)


folders = {entry.name for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith("build")}
for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    text = path.read_text(encoding="utf-8")
    for line in re.findall(r"^#.*", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        hold(bool(re.match(r"#+ \S", line)), f"{path.name}: no heading: {line}")
    for named in sorted(set(re.findall(r"`([a-z]+/[\w./*-]*)`", text))):
        if named.split("/")[0] in folders:
            hold(any(root.glob(named.rstrip("/"))), f"{path.name}: there is no {named}")
    fresh = re.sub(r"^```console\n(.*?)^```", again, text, flags=re.M | re.S)
    if "--rebase" in sys.argv:
        path.write_text(fresh, encoding="utf-8")
def anchors(path):
    """The anchors of a page's headings, as GitHub makes them: lower case, without punctuation, hyphens for spaces."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)", text, re.M)}


for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
    for link in sorted(set(re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"),
                                                           flags=re.M | re.S)))):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if "://" not in link:
            hold(target.exists() and (not anchor or anchor in anchors(target)), f"{path.name}: {link} leads nowhere")
readme = (root / "README.md").read_text(encoding="utf-8")
for page in sorted((root / "docs").glob("*.md")):
    hold(f"(docs/{page.name})" in readme, f"README.md does not link docs/{page.name}")
for folder in sorted(folders):
    hold(folder.startswith(".") or bool(re.search(f"^    {folder}/ +[^ ]", readme, re.M)), f"README.md: the map lacks {folder}/")
print(f"{results[True]} passed, {results[False]} failed")
sys.exit(1 if results[False] else 0)
