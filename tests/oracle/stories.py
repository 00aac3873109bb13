#!/usr/bin/env python3
"""Compares the stories of tests/stories with the oracle: each answer in a story must be the oracle's.

Usage: stories.py ORACLE RUNNER DIR [--rebase]

RUNNER is build/tests/stories. --rebase writes the oracle's answers into the stories.
"""
import subprocess
import sys
import tempfile


def main():
    oracle, runner, directory = sys.argv[1:4]
    requests = subprocess.run([runner, directory, "--requests"], check=True, capture_output=True).stdout
    answers = subprocess.run([oracle], input=requests, check=True, stdout=subprocess.PIPE).stdout
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(answers)
        file.flush()
        mode = "--rebase" if "--rebase" in sys.argv else "--judge"
        sys.exit(subprocess.run([runner, directory, mode, file.name]).returncode)


if __name__ == "__main__":
    main()
