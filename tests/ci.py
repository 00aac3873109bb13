#!/usr/bin/env python3
"""Runs the commands of docs/ci.md in a copy of examples/, which has the folders that the page speaks of.

usage: ci.py PROGRAM SOURCE_ROOT
A command is what begins with `portcullis` in a block of YAML or Groovy. Each must have a verdict (status 0 or 1), and
write the reports that the page hands on. The scripts for what a change changes run in clones of a repository of these
files, with the shells of GitHub and GitLab; where the history is missing, they must fail. Closes with
`N passed, N failed`.
"""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

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


def run(script, folder, shell="bash -e", **variables):
    """The status of a script, and what it prints."""
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run([*shell.split(), "-c", script], cwd=folder, text=True, timeout=60, check=False,
                          env={**os.environ, "HOME": str(folder.parent), "PATH": path, **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


# What a pipeline checks out: one commit as a default, or the history with the other branches.
SHALLOW = "git init -q; git fetch -q --depth 1 ../origin change; git checkout -q FETCH_HEAD"
WHOLE = ("git init -q; git fetch -q ../origin '+refs/heads/*:refs/remotes/origin/*'; "
         "git branch -q main origin/main; git checkout -q --detach origin/change")
# main alone changes a file with a manifest that is denied. A folder is named like the branch.
ORIGIN = """git init -q -b main; git config user.name a; git config user.email a@b; rm manifests/privileged.yaml
mkdir main; echo a > main/a; git add .; git commit -q -m a; git checkout -q -b change
{change}
git add .; git commit -q --allow-empty -m b; git checkout -q main
echo "# b" >> manifests/shop.yaml
git add .; git commit -q -m c; git checkout -q change"""
CHANGES = {  # and the status of a review
    "true": 0,
    "echo 'a: b' > 'the values.yaml'; echo 'kind: ConfigMap' > é.md": 0,
    "echo '# a' >> manifests/namespaces.yaml; git rm -q manifests/lab.yaml": 0,
    "git show main:policies/limits.yaml > limits.yaml; cp ../privileged.yaml 'manifests/a b.yaml'": 1,
}


def play_changes(scripts, folder):
    """Runs scripts for what a change changes as pipelines do: in clones of a repository, with the shells they use."""
    for number, (change, status) in enumerate(CHANGES.items()):
        there = folder / str(number)
        shutil.copytree(root / "examples", there / "origin")
        shutil.copy(root / "examples/manifests/privileged.yaml", there)
        made, told = run(ORIGIN.format(change=change), there / "origin")
        hold(made == 0, told)
        base = run("git merge-base main change", there / "origin")[1].strip()
        runs = [("sh -e", WHOLE), ("bash -eo pipefail", WHOLE)] + [("sh -e", SHALLOW)] * (number == 0)
        for script, (shell, clone) in itertools.product(scripts, runs):
            (there / "clone").mkdir()
            made, told = run(clone, there / "clone")
            hold(made == 0, told)
            got, told = run(script, there / "clone", shell, GITHUB_BASE_REF="main", CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
                            GITHUB_WORKSPACE=str(there / "clone"), TMPDIR=str(there))
            if clone == SHALLOW:
                fits = got not in (0, 1)
            elif "--old" in script:  # decides all manifests, of which some are denied
                fits = got == 1
            else:
                fits = got in ((1, 123) if status else (0,))  # 123: of xargs
            hold(fits, f"{shell}: {script}\nafter {change}\nin {clone}\nstatus {got}\n{told}")
            shutil.rmtree(there / "clone")


def scripts_of(block):
    """The scripts of a block: of GitHub its steps together, of GitLab its lines, of a shell the block."""
    lines = re.findall(r"^ *- (?:run: )?(git .*|xargs .*|portcullis .*)$", block, re.M)
    several = re.findall(r"^    - run: \|\n((?: {8}.*\n)+)", block, re.M)
    return "\n".join(lines + [textwrap.dedent(part) for part in several]) or block


text = (root / "docs/ci.md").read_text(encoding="utf-8")
blocks = re.findall(r"^```(?:yaml|groovy)\n(.*?)^```", text, re.M | re.S)
scripts = [scripts_of(block) for block in re.findall(r"^```\w+\n(.*?)^```", text, re.M | re.S)
           if re.search("git (diff|worktree)", block)]
with tempfile.TemporaryDirectory() as work:
    played = [list(play(block, pathlib.Path(work) / str(number)))
              for number, block in enumerate(block for block in blocks if "git diff" not in block)]
    table = re.findall(r"^\| `(portcullis .*?)` \|", text, re.M)
    played.append(list(play("".join(f"- {command}\n" for command in table), pathlib.Path(work) / "table")))
    if shutil.which("git"):
        play_changes(scripts, pathlib.Path(work) / "changes")
hold([len(commands) for commands in played] == [3, 3, 3, 2, 1, 3], f"other commands than expected: {played}")
hold(len(scripts) == 4, f"other scripts for changes than expected: {scripts}")
print(f"{results[True]} passed, {results[False]} failed")
sys.exit(1 if results[False] else 0)
