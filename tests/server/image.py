#!/usr/bin/env python3
"""Runs portcullis-server as its image does: in the image's file system alone, read-only, as nobody, without capabilities.

Usage: image.py SERVER SOURCE_ROOT
image/root.sh makes the file system, as the Containerfile does; it must be small, and nothing may be missing in it. Exit
status 77: not root, no right to mount, or a sanitized program. Closes with `N passed, N failed`.
"""
import ctypes
import os
import pathlib
import subprocess
import sys

from server import SLOW, Server, allowed, case, equal, holds, make_certificate, policy, review, run_cases

ROOT = pathlib.Path(sys.argv[2])
NOBODY = 65532
CLONE_NEWNS, MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 1, 32, 4096, 16384, 1 << 18
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, LAST_CAPABILITY = 24, 38, 40
libc = ctypes.CDLL(None, use_errno=True)


def must(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def enter(root):
    """Makes this process one in the image, before it becomes the server."""
    name = str(root).encode()
    must(libc.unshare(CLONE_NEWNS))
    must(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    must(libc.mount(name, name, None, MS_BIND, None))
    must(libc.mount(name, name, None, MS_BIND | MS_REMOUNT | MS_RDONLY, None))
    os.chroot(root)
    os.chdir("/")
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    must(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def may_enter(root):
    try:
        subprocess.run(["/nothing"], preexec_fn=lambda: enter(root), check=False)
    except FileNotFoundError:
        return True
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def make_root(place):
    root = place / "root"
    subprocess.run([ROOT / "image/root.sh", sys.argv[1], root], check=True)
    make_certificate(root / "certs")
    for name in ("tls.key", "tls.crt"):
        os.chown(root / "certs" / name, NOBODY, NOBODY)
    (root / "policies/p.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    os.chmod(place, 0o755)
    return root


@case
def the_image_is_small(place):
    root = make_root(place)
    files = [f for f in root.rglob("*") if f.is_file()]
    size = sum(f.stat().st_size for f in files) / (1 << 20)
    holds(size < 40, f"{size:.1f} MiB")
    print(f"{len(files)} files, {size:.1f} MiB")
    found = subprocess.run(["chroot", root, "/portcullis-server", "--help"], capture_output=True, text=True)
    equal((found.returncode, "AdmissionReviews" in found.stdout), (0, True), found.stderr)


@case
def it_serves_as_nobody_on_a_read_only_file_system(place):
    root = make_root(place)
    server = Server(place, "-p", "/policies", program="/portcullis-server", certificates="/certs",
                    preexec_fn=lambda: enter(root))
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines())
    equal((status["Uid"].split(), int(status["CapEff"], 16), int(status["CapBnd"], 16), status["NoNewPrivs"].strip()),
          ([str(NOBODY)] * 4, 0, 0, "1"))
    equal(allowed(server.send(review(name="bad"))), False)
    (root / "policies/p.yaml").write_text(policy("named", "request.name != 'worse'"), encoding="utf-8")
    server.wait(lambda: allowed(server.send(review(name="bad"))), "reloaded")
    equal(server.end(), 0)


if SLOW != 1:
    print("skipped: a sanitized program is larger than the image may be, and needs /proc")
    sys.exit(77)
if os.geteuid() != 0 or not may_enter("/tmp"):
    print("skipped: this needs root, and the right to mount")
    sys.exit(77)
sys.exit(run_cases(3))
