#!/usr/bin/env python3
"""Runs the first example of docs/server.md as it is written, and compares the answer with the one that the page shows.

Usage: guide.py SERVER PORTCULLIS SOURCE_ROOT [--rebase]     (--rebase writes the answer into the page)
Only the build is left out, and the ports are free ones. Exit status 77: no openssl or curl. Closes with `N passed, N failed`.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

from server import free_port

SERVER, PORTCULLIS, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
if not shutil.which("openssl") or not shutil.which("curl"):
    print("skipped: no openssl or curl")
    sys.exit(77)

page = ROOT / "docs/server.md"
text = page.read_text(encoding="utf-8")
commands, answer = re.search(r"^```sh\n\./dev build\n(.*?)^```\n.*?^```json\n(.*?)^```", text, re.M | re.S).groups()
port = free_port()
script = (commands.replace("build/portcullis serve", f'{shlex.quote(str(PORTCULLIS))} serve --listen localhost:{port} --metrics-listen ""')
          .replace("localhost:9443", f"localhost:{port}").replace("curl ", "curl --silent --show-error ")) + "echo\n"
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "examples").symlink_to(ROOT / "examples")
    # `serve` becomes the program beside the command line.
    with subprocess.Popen(["bash", "-c", script], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=open(pathlib.Path(folder) / "log", "w", encoding="utf-8"), start_new_session=True) as shell:
        try:
            printed = shell.stdout.readline() if shell.wait(60) == 0 else ""
        finally:
            os.killpg(shell.pid, signal.SIGTERM)
    log = (pathlib.Path(folder) / "log").read_text(encoding="utf-8")
got = json.dumps(json.loads(printed), indent=2) + "\n" if printed else log
if "--rebase" in sys.argv:
    page.write_text(text.replace(f"```json\n{answer}```", f"```json\n{got}```", 1), encoding="utf-8")
    answer = got
if got != answer:
    print(f"expected\n{answer}actual\n{got}{log}")
print("1 passed, 0 failed" if got == answer else "0 passed, 1 failed")
sys.exit(0 if got == answer else 1)
