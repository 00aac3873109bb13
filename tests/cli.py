#!/usr/bin/env python3
"""Runs the command lines of tests/cli/*.txt with the real program, and compares their output and exit status
with the files.

usage: cli.py PROGRAM DIRECTORY [--rebase] [NAME...]

A test file has, in any order:
  # comment        says what the following commands show
  file NAME        a file, whose lines follow, each after "| "; it exists for all later commands
  $ COMMAND        a line of shell, run in a directory with these files and `examples`; `portcullis` is the
                   program, $SECONDS_ALLOWED a limit for `ulimit -t` that sanitizers raise
and after a command, its expected result: lines of standard output after two spaces, of standard error after
"! ", and `exit N` if the status is not 0. With --rebase the files are rewritten with the actual results, to be
reviewed as a diff. An output line that contains <...> matches anything there (times, for example); --rebase
keeps it while it matches. The files are played two at a time. Closes with `N passed, N failed`.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SANITIZED = "ASAN_OPTIONS" in os.environ  # ./dev sanitize
TIMEOUT = 300 if SANITIZED else 60  # seconds a command may take


def run(command, directory, program):
    env = dict(os.environ, PATH=f"{directory}/bin:{os.environ['PATH']}", NO_COLOR="1", LC_ALL="C.UTF-8",
               SECONDS_ALLOWED="10" if SANITIZED else "2")
    done = subprocess.run(["bash", "-c", command], cwd=directory, env=env, capture_output=True,
                          timeout=TIMEOUT, stdin=subprocess.DEVNULL)
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode


def shown(out, err, status):
    lines = ["  " + line if line else "" for line in out.split("\n")[:-1]]
    if out and not out.endswith("\n"):
        lines += ["  " + out.split("\n")[-1] + "\\"]  # no line break at the end
    lines += [("! " + line).rstrip(" ") for line in err.split("\n")[:-1]]
    return lines + ([f"exit {status}"] if status != 0 else [])


def fits(want, got):
    if "<...>" not in want:
        return want == got
    return re.fullmatch(".*".join(re.escape(part) for part in want.split("<...>")), got) is not None


class TestFile:
    def __init__(self, path, program, source):
        self.lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        self.path, self.program, self.source = path, program, source
        self.passed, self.failed, self.complaints = 0, 0, []

    def play(self):
        """Runs all commands; returns the lines of the rebased file."""
        out, at = [], 0
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(directory + "/bin")
            os.symlink(self.program, directory + "/bin/portcullis")
            os.symlink(self.source / "examples", directory + "/examples")
            os.symlink(self.source / "tests/cli", directory + "/cli")
            while at < len(self.lines):
                line = self.lines[at]
                out.append(line)
                at += 1
                if line.startswith("file "):
                    at = self.make_file(pathlib.Path(directory) / line[5:].strip(), at, out)
                elif line.startswith("$ "):
                    at = self.check(line[2:], directory, at, out)
                elif line and not line.startswith("#"):
                    raise ValueError(f"{self.path.name}:{at}: not understood: {line}")
        return out

    def blank(self, at):
        """An empty line belongs to the output if output follows."""
        while at < len(self.lines) and not self.lines[at]:
            at += 1
        return at < len(self.lines) and self.lines[at][:2] in ("  ", "! ")

    def make_file(self, path, at, out):
        start = at
        while at < len(self.lines) and self.lines[at].startswith("|"):
            at += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line[2:] + "\n" for line in self.lines[start:at]), encoding="utf-8")
        out += self.lines[start:at]
        return at

    def check(self, command, directory, at, out):
        start = at
        while at < len(self.lines) and (self.lines[at][:2] in ("  ", "! ", "!")
                                        or self.lines[at].startswith("exit ") or self.blank(at)):
            at += 1
        want = self.lines[start:at]
        got = shown(*run(command, directory, self.program))
        good = len(want) == len(got) and all(map(fits, want, got))
        if good:
            self.passed += 1
            out += want
            return at
        self.failed += 1
        self.complaints.append(f"{self.path.name}:{start}: $ {command}")
        self.complaints += [f"  want {line}" for line in want if line not in got]
        self.complaints += [f"  got  {line}" for line in got if line not in want]
        out += got
        return at


def main():
    arguments = [a for a in sys.argv[1:] if a != "--rebase"]
    program, directory, names = pathlib.Path(arguments[0]).resolve(), pathlib.Path(arguments[1]).resolve(
        ), arguments[2:]
    tests = [TestFile(path, program, directory.parent.parent) for path in sorted(directory.glob("*.txt"))
             if not names or path.stem in names]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for test, lines in zip(tests, pool.map(TestFile.play, tests), strict=True):
            print("".join(line + "\n" for line in test.complaints), end="", flush=True)
            if "--rebase" in sys.argv and test.failed:
                test.path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    passed, failed = sum(t.passed for t in tests), sum(t.failed for t in tests)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
