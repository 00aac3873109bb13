#!/usr/bin/env python3
"""portcullis-server at its start, under load and at its end: what it refuses to start with, too many requests, and that no
request is lost while files change or when it ends.

Usage: lifecycle.py SERVER PORTCULLIS [NAME...]    (names of cases). Exit status 77: no program openssl.
Closes with `N passed, N failed`.
"""
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

from server import (SLOW, Server, allowed, case, equal, holds, make_certificate, openssl, policy, review, run_cases,
                    simple, write)

PROGRAM, PORTCULLIS = sys.argv[1:3]


# --- start ---


@case
def a_killed_server_is_ready_again(place):
    """bench/server.py measures how soon."""
    text = "".join(policy(f"p{i}", f"request.name != 'bad{i}'") for i in range(100))
    server = simple(place, text=text)
    server.end(signal.SIGKILL)
    server = simple(place, text=text)
    equal(allowed(server.send(review(name="bad77"))), False)


@case
def a_server_that_cannot_start_says_why(place):
    make_certificate(place / "certs")
    (place / "bad.yaml").write_text(policy("named", "request.nome != 'bad'"), encoding="utf-8")
    (place / "good.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    (place / "none").mkdir()
    make_certificate(place / "locked")
    openssl("pkey", "-in", place / "certs/tls.key", "-aes256", "-passout", "pass:x", "-out", place / "locked/tls.key")
    make_certificate(place / "old")
    openssl("ec", "-in", place / "certs/tls.key", "-aes256", "-passout", "pass:x", "-out", place / "old/tls.key")
    for options, text in ((("-p", place / "bad.yaml"), "undefined field 'nome'"),
                          (("-p", place / "missing"), "No such file"),
                          (("-p", place / "none"), "no policy with a binding"),
                          (("-p", place / "good.yaml", "--cert-dir", place / "none"), "tls.crt"),
                          (("-p", place / "good.yaml", "--listen", "nowhere"), "want HOST:PORT"),
                          (("-p", place / "good.yaml", "--audit-log", place / "no/file"), "No such file"),
                          (("-p", place / "good.yaml", "--cert-dir", place / "locked"), "keys with a passphrase are not read"),
                          (("-p", place / "good.yaml", "--cert-dir", place / "old"), "keys with a passphrase are not read"),
                          (("-p", place / "good.yaml", "--listen", ":65536"), "want HOST:PORT"),
                          (("-p", place / "good.yaml", "--read-timeout", "soon"), "want a time"),
                          (("-p", place / "good.yaml", "--read-timeout", "0"), "want a time"),
                          (("-p", place / "good.yaml", "--max-body", "0"), "--max-body"),
                          (("-p", place / "good.yaml", "--client-cn", "a"), "--client-ca-file"),
                          (("-p", place / "good.yaml", "--max-header", "4294967296"), "from 1 to 16777216, not 4294967296"),
                          (("-p", place / "good.yaml", "--log-denials=-1"), "not -1"),
                          (("-p", place / "good.yaml", "--log-denials", "9" * 23), "want a whole number"),
                          (("-p", place / "good.yaml", "--threads", "2x"), "not 2x"),
                          (("-p", place / "good.yaml", "--service-account-dir", place), "--in-cluster"),
                          (("-p", "-"), "-p wants files or directories, not standard input"),
                          (("--listen", ":1"), "give -p, --kubeconfig")):
        done = subprocess.run([PORTCULLIS, "serve", "--cert-dir", place / "certs", *options] if "--cert-dir" not in options
                              else [PORTCULLIS, "serve", *options], capture_output=True, text=True, timeout=60)
        equal((done.returncode, text in done.stderr), (2, True), f"{options}: {done.stderr}")
    server = Server(place, "-p", place / "bad.yaml", "-p", place / "good.yaml", "--policies-as", "stored",
                    ready=False)
    server.end()


@case
def a_server_without_room_for_its_threads_says_so(place):
    if SLOW > 1:
        return  # sanitizers reserve more than any limit
    make_certificate(place / "certs")
    (place / "good.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    for room, text in ((2 << 30, "cannot start 1024 threads"),  # the stacks of 1024 threads have 8 GiB
                       (150 << 20, "the server cannot go on: no memory")):
        done = subprocess.run([PROGRAM, "--cert-dir", place / "certs", "-p", place / "good.yaml", "--threads", "1024",
                               "--listen", "127.0.0.1:0", "--metrics-listen", ""], capture_output=True, text=True, timeout=60,
                              preexec_fn=lambda room=room: resource.setrlimit(resource.RLIMIT_AS, (room, room)), check=False)
        equal((done.returncode, text in done.stderr), (2, True), done.stderr)


@case
def the_command_line_has_the_name_that_it_was_called_by(_):
    for words, name in (((PROGRAM,), "portcullis-server"), ((PORTCULLIS, "serve"), "portcullis serve")):
        def run(option):
            done = subprocess.run([*words, option], capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout, done.stderr

        holds(f"Usage: {name} [OPTIONS]" in run("--help")[1], run("--help")[1])
        equal(run("--polices=x"), (2, "", "error: unknown flag --polices=x; did you mean --policies?\n"
                                          f"See '{name} --help'.\n"))
        status, output, _ = run("--version")
        equal((status, output), (0, subprocess.run([PORTCULLIS, "version"], capture_output=True, text=True).stdout))


@case
def each_address_of_a_name_is_served_or_none(place):
    make_certificate(place / "certs")
    (place / "good.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        found = {a[4][0] for a in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM)}
        if found != {"::1", "127.0.0.1"}:
            return  # this machine has one address for the name
        done = subprocess.run([PORTCULLIS, "serve", "-p", place / "good.yaml", "--cert-dir", place / "certs", "--listen",
                               f"localhost:{port}"], capture_output=True, text=True, timeout=60)
        equal((done.returncode, f"localhost:{port} (127.0.0.1): Address already in use" in done.stderr), (2, True), done.stderr)


# --- load and end ---


@case
def too_many_requests_get_429(place):
    for options, wanted in (((), {200, 429}), (("--fail-open",), {200})):
        server = simple(place, "--max-requests-inflight", 1, "--threads", 1, *options)
        found, warned = set(), []

        def hammer():
            connection = server.connect()
            for _ in range(150):
                status, headers, value = server.send(review(), connection=connection)
                found.add(status)
                if status == 429:
                    equal(headers["Retry-After"], "1")
                elif "warnings" in value["response"]:
                    warned.append(value["response"])

        threads = [threading.Thread(target=hammer) for _ in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal(found, wanted)
        overload = server.metric('portcullis_undecided_total{reason="overload"}')
        holds(overload > 0, "some were too many")
        if options:
            equal(len(warned), int(overload))
            equal((warned[0]["allowed"], warned[0]["uid"], warned[0]["warnings"]),
                  (True, "u", ["not decided by policies: the server has too many requests, please try again later"]))
        server.end()


class Load:
    """Threads that send ConfigMaps named `bad` and `worse` and keep what goes wrong."""

    def __init__(self, server, valid, threads=6, reconnect=False):
        self.server, self.valid, self.ends = server, valid, False
        self.answers, self.wrong = 0, []
        self.threads = [threading.Thread(target=self.run, args=(reconnect,)) for _ in range(threads)]
        for t in self.threads:
            t.start()

    def run(self, reconnect):
        connection = self.server.connect()
        while not self.ends:
            try:
                got = tuple(allowed(self.server.send(review(name=n), connection=connection)) for n in ("bad", "worse"))
            except Exception as error:
                if self.ends:
                    return
                self.wrong.append(repr(error))
                return
            if not self.valid(got):
                self.wrong.append(repr(got))
            self.answers += 2
            if reconnect:
                connection.close()
                connection = self.server.connect()

    def end(self):
        self.ends = True
        for t in self.threads:
            t.join()
        return self.wrong


@case
def nothing_is_lost_while_files_change(place):
    server = simple(place)
    # Each set denies one of the two; answers of two sets may follow each other, and none is denied or allowed by a
    # mixture of both: each set has a second policy that denies what the other allows.
    sets = [policy("a", f"request.name != '{bad}'") + policy("b", f"request.name == '{good}'")
            for bad, good in (("bad", "worse"), ("worse", "bad"))]
    write(place / "policies/p.yaml", sets[0])
    server.wait(lambda: allowed(server.send(review(name="worse"))) and not allowed(server.send(review(name="bad"))), "set")
    fixed = Load(server, lambda got: True)
    fresh = Load(server, lambda got: True, threads=2, reconnect=True)
    reloads = 200 if SLOW == 1 else 20
    done = 0
    for number in range(reloads):
        before = server.metric('portcullis_policy_reloads_total{result="success"}') if number % 20 == 0 else None
        write(place / "policies/p.yaml", sets[number % 2])
        if number % (reloads // 20) == 0:
            make_certificate(place / "certs")
        if before is not None:
            server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="success"}') > before, "reloaded")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.25 if number % 10 == 0 else 0.03)
        done += 1
    wrong = fixed.end() + fresh.end()
    equal(wrong, [], f"of {fixed.answers + fresh.answers} answers")
    holds(fixed.answers > 100 and fresh.answers > 20, f"{fixed.answers} and {fresh.answers} answers")
    equal(server.metric('portcullis_policy_reloads_total{result="error"}'), 0.0)
    equal(server.end(), 0)


@case
def nothing_is_lost_at_the_end(place):
    server = simple(place, "--shutdown-delay", 1)
    stop, lost, answers, closed = threading.Event(), [], [], []

    def client():
        connection = server.connect()
        while not stop.is_set():
            try:
                status, headers, value = server.send(review(), connection=connection)
            except ConnectionRefusedError:
                return  # a new connection after the delay: the Service has sent it elsewhere by then
            except Exception as error:
                lost.append(repr(error))
                return
            answers.append(status)
            if headers.get("Connection") == "close":
                closed.append(1)
                connection.close()
                connection = server.connect()

    threads = [threading.Thread(target=client) for _ in range(6)]
    for t in threads:
        t.start()
    server.wait(lambda: len(answers) >= 100, "answers")
    server.process.send_signal(signal.SIGTERM)
    server.wait(lambda: server.status("/readyz")[0] == 500, "not ready")
    equal(server.status("/livez")[0], 200)
    for t in threads:
        t.join()
    equal((lost, set(answers)), ([], {200}))
    holds(closed, "answers close their connections during the delay")
    equal(server.process.wait(20), 0, "exit status")


sys.exit(run_cases(3))
