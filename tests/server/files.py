#!/usr/bin/env python3
"""The files that portcullis-server reads, above all while they change: policies, links, mounted ConfigMaps, certificates.

Usage: files.py SERVER [NAME...]    (names of cases). Exit status 77: no program openssl.
Closes with `N passed, N failed`.
"""
import os
import pathlib
import shutil
import signal
import socket
import ssl
import sys
import time

from server import (Server, allowed, case, equal, gaps, holds, make_certificate, make_client_certificate, policy, review,
                    run_cases, simple, write)


@case
def policies_are_read_again(place):
    server = simple(place)
    file = place / "policies/p.yaml"
    equal(allowed(server.send(review(name="bad"))), False)
    write(file, policy("named", "request.name != 'worse'"))
    server.wait(lambda: allowed(server.send(review(name="bad"))), "reloaded")
    equal(allowed(server.send(review(name="worse"))), False)
    (place / "policies/q.yaml").write_text(policy("more", "request.name != 'new'"), encoding="utf-8")
    server.wait(lambda: not allowed(server.send(review(name="new"))), "a new file")
    (place / "policies/q.yaml").unlink()
    server.wait(lambda: allowed(server.send(review(name="new"))), "a removed file")
    # A set that does not load keeps the last good one.
    write(file, policy("named", "request.nome != 'worse'"))
    server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="error"}') > 0, "refused")
    equal(allowed(server.send(review(name="worse"))), False)
    status, text = server.status("/readyz?verbose")
    holds(status == 200 and "newer files do not load" in text and "undefined field 'nome'" in text, text)
    equal(server.metric("portcullis_policies_last_reload_successful"), 0.0)
    line = next(l for l in server.log() if "undefined field" in l["msg"])
    holds(str(file) + ":1:" in line["msg"], line["msg"])
    write(file, policy("named", "request.name != 'best'"))
    server.wait(lambda: allowed(server.send(review(name="worse"))), "mended")
    equal(server.status("/readyz?verbose"),
          (200, f"[+]ping ok\n[+]policies ok: generation {server.log()[-1].get('generation', 5)}\n[+]shutdown ok\n"
           "readyz check passed\n"))


@case
def what_the_files_lack_is_warned_of(place):
    make_certificate(place / "certs")
    for number, (text, words) in enumerate(gaps()):
        (place / f"{number}.yaml").write_text(text, encoding="utf-8")
        server = Server(place, "-p", place / f"{number}.yaml")
        told = [l["msg"] for l in server.log() if l["level"] == "warning"]
        holds(len(told) == 1 and words in told[0] and f"{number}.yaml:" in told[0], str(told))
        server.end()


@case
def a_kustomization_takes_no_policy_away(place):
    server = simple(place)
    (place / "policies/kustomization.yaml").write_text("patches: [{path: p.yaml}]\n", encoding="utf-8")
    (place / "policies/q.yaml").write_text(policy("more", "request.name != 'new'"), encoding="utf-8")
    server.wait(lambda: not allowed(server.send(review(name="new"))), "a new file")
    equal(allowed(server.send(review(name="bad"))), False)


@case
def a_directory_that_is_made_again_is_read(place):
    server = simple(place)
    shutil.rmtree(place / "policies")
    server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="error"}') > 0, "missed")
    equal(allowed(server.send(review(name="bad"))), False, "the last good policies")
    (place / "policies").mkdir()
    (place / "policies/p.yaml").write_text(policy("named", "request.name != 'worse'"), encoding="utf-8")
    server.process.send_signal(signal.SIGHUP)
    server.wait(lambda: not allowed(server.send(review(name="worse"))), "read")
    write(place / "policies/p.yaml", policy("named", "request.name != 'worst'"))
    server.wait(lambda: not allowed(server.send(review(name="worst"))), "watched again")


@case
def mounted_config_maps_are_followed(place):
    """As the kubelet does: the files are links through ..data, which is exchanged; of items below a path, their folder."""
    make_certificate(place / "certs")
    for item in ("p.yaml", "team/p.yaml"):
        mount = place / f"mount{len(item)}"
        mount.mkdir()

        def publish(number, name):
            file = mount / f"..2026_{number}" / item
            file.parent.mkdir(parents=True)
            file.write_text(policy("named", f"request.name != '{name}'"), encoding="utf-8")
            os.symlink(f"..2026_{number}", mount / "..data_tmp")
            os.rename(mount / "..data_tmp", mount / "..data")

        publish(1, "one")
        first = item.split("/", maxsplit=1)[0]
        os.symlink(f"..data/{first}", mount / first)
        for path in (("-R", "-p", mount), ("-p", mount / item)):
            server = Server(place, *path)
            names = ("one", "two", "three")
            equal(server.metric("portcullis_policies"), 1.0)
            for number, name in enumerate(names):
                if number > 0:
                    publish(f"{len(path)}_{number}", name)
                    shutil.rmtree(mount / f"..2026_{number - 1}", ignore_errors=True)
                server.wait(lambda: not allowed(server.send(review(name=name))), name)
            server.end()
            publish(f"{len(path)}_again", "one")


@case
def links_out_of_a_directory_are_followed(place):
    """Of files, of a directory above the given one, and of certificates."""
    make_certificate(place / "certs")
    make_certificate(place / "real")
    for folder in ("files", "far", "more", "v1/policies", "v2/policies", "linked"):
        (place / folder).mkdir(parents=True)
    for file, name in (("far/p.yaml", "one"), ("v1/policies/p.yaml", "two"), ("v2/policies/p.yaml", "three")):
        (place / file).write_text(policy(file[:2], f"request.name != '{name}'"), encoding="utf-8")
    os.symlink("../more/p.yaml", place / "files/p.yaml")
    os.symlink(place / "far/p.yaml", place / "more/p.yaml")
    os.symlink("v1", place / "current")
    for name in ("tls.crt", "tls.key"):
        os.symlink(f"../real/{name}", place / "linked" / name)
    server = Server(place, "-p", place / "files", "-p", place / "current/policies", certificates=place / "linked")
    equal([allowed(server.send(review(name=n))) for n in ("one", "two", "three")], [False, False, True])
    write(place / "far/p.yaml", policy("far", "request.name != 'four'"))
    server.wait(lambda: not allowed(server.send(review(name="four"))), "a file behind two links")
    os.symlink("v2", place / "new")
    os.rename(place / "new", place / "current")
    server.wait(lambda: not allowed(server.send(review(name="three"))), "a link above the path")
    loads = server.logged("the certificate is loaded")
    make_certificate(place / "real", "other")
    server.wait(lambda: server.logged("the certificate is loaded") > loads, "certificates behind links")


@case
def only_what_matters_is_watched(place):
    """Not the neighbours of a file, nor where links led that are gone."""
    make_certificate(place / "certs")
    make_certificate(place / "authority")
    for folder in ("files", "busy", "far"):
        (place / folder).mkdir()
    (place / "files/p.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    for folder in ("busy", "far"):
        (place / folder / "q.yaml").write_text(policy(folder, f"request.name != '{folder}'"), encoding="utf-8")
    server = Server(place, "-p", place / "files", "-p", place / "busy/q.yaml", "--client-ca-file",
                    place / "authority/tls.crt")

    def loads():
        return server.logged("policies are loaded"), server.logged("the certificate is loaded")

    def watches():
        count = 0
        for file in pathlib.Path(f"/proc/{server.process.pid}/fdinfo").iterdir():
            try:
                count += file.read_text().count("inotify wd")
            except FileNotFoundError:
                pass  # a connection that has ended
        return count

    def disturb():
        before = loads()
        for folder in ("busy", "far", "authority", "certs"):
            write(place / folder / "neighbour", "x")
        time.sleep(1)
        equal(loads(), before, "loads")

    before = 4  # files, busy, authority, certs
    server.wait(lambda: watches() == before, "what is watched at first")
    disturb()
    os.symlink("../far/q.yaml", place / "files/q.yaml")
    server.wait(lambda: watches() == before + 1, "the directory of the link")
    disturb()
    write(place / "far/q.yaml", policy("far", "request.name != 'farther'"))
    server.wait(lambda: loads()[0] >= 3, "a file behind the link")
    (place / "files/q.yaml").unlink()
    server.wait(lambda: watches() == before, "it is not watched any more")
    reloads = loads()[0]
    write(place / "busy/q.yaml", policy("busy", "request.name != 'busier'"))
    server.wait(lambda: loads()[0] > reloads, "a file that is given")


@case
def devices_and_large_files_are_no_policies(place):
    server = simple(place, "--log-level", "debug")
    os.symlink("/dev/zero", place / "policies/zero.yaml")
    server.wait(lambda: any(l.get("why") == "it is a device" for l in server.log()), "left out")
    server.wait(lambda: server.logged("policies are loaded") >= 2, "loaded without it")
    with open(place / "policies/large.yaml", "wb") as large:
        large.truncate((64 << 20) + 1)
    server.wait(lambda: server.logged("larger than 64 MiB") > 0, "refused")
    equal(allowed(server.send(review(name="bad"))), False, "the last good policies")


@case
def certificates_are_read_again(place):
    server = simple(place)

    def subject():
        with server.raw() as raw:
            return raw.getpeercert(binary_form=True)

    first, kept = subject(), server.connect()
    equal(allowed(server.send(review(), connection=kept)), True)
    make_certificate(place / "certs", "other")
    server.wait(lambda: subject() != first, "a new certificate")
    equal(allowed(server.send(review(), connection=kept)), True, "an old connection")
    second = subject()
    (place / "certs/tls.key").write_text("no key", encoding="utf-8")
    server.wait(lambda: server.logged("the last good certificate stays in use") > 0, "refused")
    equal(subject(), second)
    holds(server.metric("portcullis_certificate_expiry_timestamp_seconds") > time.time(), "expiry")


@case
def clients_may_need_a_certificate(place):
    make_certificate(place / "authority", "authority")
    apiserver = make_client_certificate(place, place / "authority", "kube-apiserver")
    stranger = make_client_certificate(place, place / "authority", "stranger")
    server = simple(place, "--client-ca-file", place / "authority/tls.crt", "--client-cn", "kube-apiserver")
    equal(allowed(server.send(review(), connection=server.connect(apiserver))), True)
    doubled = make_client_certificate(place, place / "authority", "stranger/CN=kube-apiserver", "doubled")
    equal(allowed(server.send(review(), connection=server.connect(doubled))), True, "the last name counts")
    hidden = make_client_certificate(place, place / "authority", "kube-apiserver/CN=hidden", "hidden")
    for client, alert in ((None, "CERTIFICATE_REQUIRED"), (stranger, "BAD_CERTIFICATE"), (hidden, "BAD_CERTIFICATE")):
        raw = server.tls(client).wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=20))
        try:
            raw.recv(1)  # with TLS 1.3 a client hears of it after its handshake
        except ssl.SSLError as error:
            holds(alert in error.reason, f"{client}: {error.reason}")
            continue
        raise AssertionError(f"{client} was served")
    server.wait(lambda: server.logged("a client is refused") > 0, "a line about the stranger")
    equal([l["commonName"] for l in server.log() if "commonName" in l], ["stranger", "hidden"])
    equal(server.metric("portcullis_handshake_failures_total"), 3.0)
    old = ssl.create_default_context()
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    try:
        old.wrap_socket(socket.create_connection(("127.0.0.1", server.port)))
    except (ssl.SSLError, OSError):
        return
    raise AssertionError("TLS 1.1 was served")


sys.exit(run_cases(2))
