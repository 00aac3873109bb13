#!/usr/bin/env python3
"""Runs the scripts of `portcullis completion` in the installed shells, and compares their suggestions.

usage: completion.py PROGRAM

Bash must be installed; a missing zsh or fish is skipped. One test types at a terminal, to see how the shell
treats names with spaces. Closes with `N passed, N failed`.
"""
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

REVIEW = ["text", "json", "yaml", "admissionreview", "junit", "tap", "sarif", "github", "gitlab", "html", "policyreport"]
# The words of a command line, of which the last is completed, and the suggestions. In bash, an equals sign
# ends a word, too.
CASES = [
    (["rev"], ["review"]),
    (["review", "-o", ""], REVIEW),
    (["review", "--output", "js"], ["json"]),
    (["check", "-o", ""], [f for f in REVIEW if f != "admissionreview"]),
    (["functions", "-o", "m"], ["markdown"]),
    (["review", "--operation", "D"], ["DELETE"]),
    (["eval", "--color", ""], ["auto", "always", "never"]),
    (["eval", "--kubernetes-version", "1.3"], [f"1.{n}" for n in range(30, 38)]),
    (["help", "n"], ["normalize"]),
    (["completion", ""], ["bash", "zsh", "fish"]),
    (["review", "m"], ["my file.yaml", "my other.yaml", "main.yaml"]),
    (["review", "-p", "my"], ["my file.yaml", "my other.yaml"]),
    (["normalize", "sub dir/"], ["sub dir/a.yaml"]),
    (["review", "--as", "m"], []),
    (["eval", "m"], []),
    (["review", "--namespace-l"], ["--namespace-label"]),
]
# Words as typed, which only arrays of bash keep, and values after equals signs.
BASH_CASES = [
    (["review", "my\\ f"], ["my file.yaml"]),
    (["review", '"my f'], ["my file.yaml"]),
    (["review", "sub\\ dir/"], ["sub dir/a.yaml"]),
    (["review", "--output", "="], REVIEW),
    (["review", "--output", "=", "js"], ["json"]),
    (["review", "--require-match", "=", "p"], ["policies"]),
    (["review", "--require-match", "ma"], ["main.yaml"]),
    (["review", "--output=js"], ["--output=json"]),
    (["check", "--object=my"], ["--object=my file.yaml", "--object=my other.yaml"]),
]
# Keys at a terminal, and the arguments that the program receives.
TYPED = [
    ("bash", b"portcullis review my\\ f\t\n", b"<review><my file.yaml>"),
    ("bash", b"portcullis review 'my f\t\n", b"<review><my file.yaml>"),
    ("bash", b"portcullis check --output=js\t\n", b"<check><--output=json>"),
    ("zsh", b"portcullis rev\t-o adm\t\n", b"<review><-o><admissionreview>"),
    ("zsh", b"portcullis review --output=y\t\n", b"<review><--output=yaml>"),
    ("zsh", b"portcullis review --require-match=p\t\n", b"<review><--require-match=policies>"),
    ("zsh", b"portcullis review my\\ f\t\n", b"<review><my file.yaml>"),
    ("zsh", b"portcullis check --object sub\t\t\n", b"<check><--object><sub dir/a.yaml>"),
    ("zsh", b"portcullis help norm\t\n", b"<help><normalize>"),
    ("zsh", b"portcullis eval --cost\t9\n", b"<eval><--cost-limit><9>"),
]


def quoted(words):
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def run(arguments, directory):
    done = subprocess.run(arguments, cwd=directory, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.split("\n")[:-1] + [f"! {line}" for line in done.stderr.split("\n") if line]


def ask_bash(words, directory):
    return run(["bash", "--norc", "-c", f". ./bash.sh; COMP_WORDS=(portcullis {quoted(words)}); COMP_CWORD={len(words)}; "
                "_portcullis; for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done"], directory)


def ask_fish(words, directory):
    line = "portcullis " + " ".join(word.replace(" ", "\\ ") for word in words)
    return [offer.split("\t")[0].replace("\\ ", " ") for offer in
            run(["fish", "-N", "-c", f". ./fish.sh; complete -C {quoted([line])}"], directory)]


def type_in(shell, directory, keys, wanted):
    """The output of a terminal after `keys` were typed, once it has `wanted` or ten seconds have passed."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.environ.update(TERM="dumb", INPUTRC="/dev/null", HOME=directory)
        os.execvp(shell, [shell, "--norc", "-i"] if shell == "bash" else [shell, "-f", "-i"])
    os.write(terminal, b"PS1='ready> '; portcullis() { printf '<%s>' \"$@\"; echo; }; . ./" + shell.encode() + b".sh; echo set $((6 * 7))\n")
    os.set_blocking(terminal, False)
    out, sent, end = b"", False, time.monotonic() + 10
    while wanted not in out and time.monotonic() < end:
        try:
            out += os.read(terminal, 4096)
        except BlockingIOError:
            time.sleep(0.05)
        except OSError:  # the shell is gone
            break
        if not sent and b"ready> " in out[out.find(b"set 42"):] and b"set 42" in out:
            os.write(terminal, keys)
            sent = True
    os.close(terminal)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return out


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for name in ("my file.yaml", "my other.yaml", "main.yaml", "sub dir/a.yaml"):
            path = pathlib.Path(directory) / name
            path.parent.mkdir(exist_ok=True)
            path.touch()
        tests, there = [], []
        for shell, ask in (("bash", ask_bash), ("zsh", None), ("fish", ask_fish)):
            script = subprocess.run([program, "completion", shell], capture_output=True, check=True).stdout
            (pathlib.Path(directory) / f"{shell}.sh").write_bytes(script)
            if shutil.which(shell) is None:
                print(f"no {shell} here: left out")
                continue
            there.append(shell)
            if ask is None:
                continue
            more = BASH_CASES if shell == "bash" else []
            tests += [(shell, ask, words, want) for words, want in CASES + more]
        for shell, ask, words, want in tests:
            got = ask(words, directory)
            if sorted(got) == sorted(want):
                passed += 1
                continue
            failed += 1
            print(f"{shell}: portcullis {quoted(words)}\n  want {want}\n  got  {got}")
        for shell, keys, want in TYPED:
            if shell not in there:
                continue
            out = type_in(shell, directory, keys, want)
            if want in out:
                passed += 1
                continue
            failed += 1
            print(f"typed in {shell}: {keys}\n  want {want}\n  got  {out}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
