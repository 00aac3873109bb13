#!/usr/bin/env python3
"""Sends portcullis-server what no API server would send: bytes that are no HTTP, requests that two servers may understand
in two ways, bodies that are no review, too much of everything, and clients that are slow or idle.

Usage: hostile.py SERVER [NAME...]    (names of cases). Exit status 77: no program openssl.
Each case wants a clear answer of 4xx (or the end of the connection, where nothing was asked), and that others are served.
Closes with `N passed, N failed`.
"""
import http.client
import json
import resource
import select
import signal
import socket
import ssl
import sys
import threading
import time

from server import SLOW, allowed, case, equal, holds, mutation, policy, review, run_cases, simple, write


# --- what is no review ---


@case
def what_is_no_review_is_refused(place):
    server = simple(place)
    good = json.dumps(review()).encode()
    connection = server.connect()

    def refused(status, *words, **more):
        got, headers, value = server.send(*words, connection=connection, **more)
        equal(got, status, str(value))
        equal((value["kind"], value["code"], value["status"]), ("Status", status, "Failure"))
        return headers, value["message"]

    refused(404, good, "/")
    headers, _ = refused(405, None, "/validate", method="GET")
    equal(headers["Allow"], "POST")
    connection = server.connect()
    refused(415, good, "/validate", headers={"Content-Type": "text/plain"})
    for charset in ("utf-16", "latin1"):
        connection = server.connect()
        refused(415, good, "/validate", headers={"Content-Type": f"application/json; charset={charset}"})
    connection = server.connect()
    equal(allowed(server.send(good, headers={"Content-Type": "application/json; charset=utf-8"})), True)
    equal(allowed(server.send(good, headers={"Content-Type": 'application/json; charset="UTF-8"'})), True)
    for body, text in ((b"", "unexpected end"), (b"{", "unexpected end"), (b"[]", "no AdmissionReview"),
                       (b"nul", "in literal null"), (b"{}", "no AdmissionReview"), (b"\xff\xfe", "invalid character"),
                       (b'{"kind":"AdmissionReview","kind":"x"}', "already set in map (line 1, column 27)"),
                       (b"[" * 100000, "exceeded max depth"), (b'{"a":' * 100000, "exceeded max depth"),
                       (b'{"kind":"AdmissionReview","apiVersion":"v1"}', "no AdmissionReview")):
        holds(text in refused(400, body)[1], f"{body[:20]}: {refused(400, body)[1]}")
    # An AdmissionReview that asks nothing gets an answer, which refuses it.
    for change, text in (({"operation": "PATCH"}, "operation"), ({"kind": {}}, "kind"), ({"resource": None}, "resource")):
        asked = review()
        asked["request"].update(change)
        answer = server.send(asked, connection=connection)[2]["response"]
        equal((answer["allowed"], answer["uid"], text in answer["status"]["message"]), (False, "u", True), str(answer))
    # A field of another type than Go's decoder takes; null stands for an absent one.
    for change, text in (({"uid": 5}, "request.uid is no string"), ({"object": "x"}, "request.object is no object"),
                         ({"kind": {"kind": []}}, "request.kind.kind is no string"), ({"dryRun": "no"}, "request.dryRun is no boolean"),
                         ({"userInfo": {"groups": ["a", 1]}}, "request.userInfo.groups is no list of strings"),
                         ({"userInfo": {"extra": {"a": "b"}}}, "request.userInfo.extra.a is no list of strings")):
        asked = review()
        asked["request"].update(change)
        holds(text in refused(400, asked)[1], text)
    asked = review()
    asked["request"].update({"userInfo": {"groups": None, "extra": {"a": [None]}}, "options": None, "requestKind": None})
    equal(allowed(server.send(asked, connection=connection)), True, "null")
    holds("admission.k8s.io/v2" in refused(400, {**review(), "apiVersion": "admission.k8s.io/v2"})[1], "v2")
    holds("has no request" in refused(400, {**review(), "request": None})[1], "no request")
    for timeout, status in (("10s", 200), ("1m30.5s", 200), ("500ms", 200), (".5s", 200), ("x", 400), ("-1s", 400), ("10", 400),
                            ("1ns", 504), ("99999999999999999999h", 400)):
        equal(server.send(good, f"/validate?timeout={timeout}", connection)[0], status, timeout)
    equal(server.metric('portcullis_undecided_total{reason="deadline"}'), 1.0)


@case
def sizes_are_limited(place):
    server = simple(place, "--max-body", 10000, "--max-header", 2000)
    asked = review()
    asked["request"]["object"]["data"]["a"] = "x" * 8000
    equal(allowed(server.send(asked)), True)
    asked["request"]["object"]["data"]["a"] = "x" * 12000
    status, _, answer = server.send(asked)
    size = len(json.dumps(asked))
    told = f"the body of the request is too large: {size} bytes, while --max-body is 10000"
    equal((status, answer["message"], answer["reason"]), (413, told, "RequestEntityTooLarge"))
    told_lines = [(l["msg"], l["reason"], l["path"]) for l in server.log() if l.get("error") == told]
    equal(told_lines, [("a request is not decided", "too_large", "/validate")])
    equal(server.metric('portcullis_http_requests_total{code="413",path="/validate"}'), 1.0)
    equal(server.metric('portcullis_undecided_total{reason="too_large"}'), 1.0)
    # In chunks, whose sum is not announced.
    raw = server.raw()
    raw.sendall(b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n")
    try:
        for _ in range(100):
            raw.sendall(b"400\r\n" + b" " * 0x400 + b"\r\n")
    except OSError:
        pass
    holds(raw.recv(100).startswith(b"HTTP/1.1 413"), "chunks beyond the limit")
    equal(server.send(asked, headers={"Content-Type": "application/json", "X": "y" * 3000})[0], 431)
    # A client that sends all before it reads gets the answer too.
    asked["request"]["object"]["data"]["a"] = "x" * 8_000_000
    equal(server.send(asked)[0], 413)
    equal(allowed(server.send(review())), True, "others")


@case
def an_evaluation_ends_at_the_deadline(place):
    """Its cost is small, but it takes longer than anybody waits: each variable has the one before twice."""
    doubled = [{"name": "v0", "expression": "[1]"}]
    doubled += [{"name": f"v{n}", "expression": f"[variables.v{n - 1}, variables.v{n - 1}]"} for n in range(1, 41)]
    server = simple(place, text=policy("slow", "variables.v40 == variables.v40", variables=doubled))
    start = time.monotonic()
    equal(server.send(json.dumps(review()).encode(), "/validate?timeout=500ms")[0], 504, "the status")
    holds(time.monotonic() - start < 10 * SLOW, "in time")


@case
def bytes_that_are_no_http_are_refused(place):
    server = simple(place, "--read-timeout", 2)
    body = json.dumps(review(name="bad")).encode()
    head = b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    length = b"Content-Length: %d\r\n" % len(body)

    def answer(data):
        raw = server.raw()
        raw.sendall(data)
        out = b""
        try:
            while piece := raw.recv(65536):
                out += piece
        except OSError:
            pass
        return out

    for name, data, wanted in (
            ("garbage", b"\x00\x01\x02\x03\r\n\r\n", b"400"),
            ("no version", b"POST /validate\r\n\r\n", b"400"),
            ("bad version", b"POST /validate HTTP/9.9\r\n\r\n", b"400"),
            ("HTTP/2 without upgrade", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"400"),
            ("two lengths", head + length + b"Content-Length: 5\r\n\r\n" + body, b"400"),
            ("length and chunks", head + length + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
            ("chunks and length", head + b"Transfer-Encoding: chunked\r\n" + length + b"\r\n0\r\n\r\n", b"400"),
            ("negative length", head + b"Content-Length: -5\r\n\r\n", b"400"),
            ("length that is no number", head + b"Content-Length: 0x10\r\n\r\n", b"400"),
            ("length beyond 64 bits", head + b"Content-Length: 99999999999999999999999\r\n\r\n", b"400"),
            ("bad chunk", head + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n", b"400"),
            ("huge chunk", head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"41"),
            ("space before the colon", head + b"A : b\r\n" + length + b"\r\n" + body, b"400"),
            ("NUL in a header", head + b"A: \x00\r\n" + length + b"\r\n" + body, b"400"),
            ("folded header", head + b"A: b\r\n c\r\n" + length + b"\r\n" + body, b"400"),
            ("no Host", head.replace(b"Host: a\r\n", b"") + length + b"\r\n" + body, b"400"),
            ("two encodings", head + b"Content-Encoding: identity\r\nContent-Encoding: gzip\r\n" + length + b"\r\n" + body, b"400"),
            ("two types", head + b"Content-Type: text/plain\r\n" + length + b"\r\n" + body, b"400"),
            ("a length twice in one", head + b"Content-Length: %d, %d\r\n\r\n" % (len(body), len(body)) + body, b"400"),
            ("two Hosts", head + b"Host: b\r\n" + length + b"\r\n" + body, b"400"),
            ("unknown coding", head + b"Transfer-Encoding: xchunked\r\n" + length + b"\r\n" + body, b"501"),
            ("coding of HTTP/1.0", head.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"501"),
            ("two codings", head + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b"400"),
            ("endless header", head + b"A: " + b"x" * 100000, b"431"),
            ("endless target", b"POST /" + b"x" * 100000 + b" HTTP/1.1\r\n\r\n", b"431"),
            ("many headers", head + b"A: b\r\n" * 10000 + b"\r\n", b"431"),
            ("endless chunk extension", head + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 100000, b"4"),
            ("endless trailer", head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 20000, b"4"),
            ("gzip", head + b"Content-Encoding: gzip\r\n" + length + b"\r\n" + body, b"415")):
        got = answer(data)
        holds(got.startswith(b"HTTP/1.1 " + wanted), f"{name}: {got[:200]}")
        equal(got.count(b"HTTP/1.1 "), 1, f"{name}: answers")
    # Two requests at once are two answers, in order.
    asked = [json.dumps(review(uid=u)).encode() for u in ("one", "two")]
    got = answer(b"".join(head + b"Content-Length: %d\r\n\r\n" % len(a) + a for a in asked[:1]) +
                 head + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(asked[1]) + asked[1])
    holds(b'"uid":"one"' in got and got.index(b'"uid":"one"') < got.index(b'"uid":"two"'), str(got))
    # A client that waits to be told to go on.
    raw = server.raw()
    raw.sendall(head + b"Expect: 100-continue\r\n" + length + b"\r\n")
    holds(raw.recv(1000).startswith(b"HTTP/1.1 100 "), "100")
    raw.sendall(body)
    holds(b'"allowed":false' in raw.recv(10000), "after 100")
    # HTTP/1.0 closes after its answer.
    got = answer(head.replace(b"1.1", b"1.0") + length + b"\r\n" + body)
    holds(b'"allowed":false' in got, str(got))
    # HTTP/1.0 may ask for a connection that stays, and is told that it does.
    got = answer(head.replace(b"1.1", b"1.0") + b"Connection: keep-alive\r\n" + length + b"\r\n" + body +
                 head.replace(b"1.1", b"1.0") + length + b"\r\n" + body)
    equal((got.count(b"HTTP/1.1 200"), got.lower().count(b"connection: keep-alive"), got.lower().count(b"connection: close")),
          (2, 1, 1), str(got))
    # HEAD has no body in its answer.
    ask = b"%s %s HTTP/1.1\r\nHost: a\r\n\r\n"
    got = answer(b"".join(ask % (b"HEAD", path) for path in (b"/validate", b"/healthz", b"/none")) + b"HEAD /readyz HTTP/1.0\r\n\r\n")
    equal([part[:3] for part in got.split(b"HTTP/1.1 ")[1:]], [b"405", b"200", b"404", b"200"], "HEAD")
    holds(got.endswith(b"\r\n\r\n") and b"Content-Length: 2\r\n" in got, f"bodies: {got}")
    got = answer(b"POST /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    holds(got.startswith(b"HTTP/1.1 405") and b"Allow: GET, HEAD\r\n" in got, f"POST of health: {got}")
    # The target may be a whole URL.
    whole = head.replace(b"/validate", b"HTTPS://localhost:9/validate?timeout=5s") + b"Connection: close\r\n" + length
    holds(b'"allowed":false' in answer(whole + b"\r\n" + body), "a whole URL")
    holds(answer(ask.replace(b"1.1", b"1.0") % (b"GET", b"http://localhost")).startswith(b"HTTP/1.1 404"), "a URL without a path")
    # Half a request, and then nothing, or a byte now and then.
    for half in (head, head + length + b"\r\n" + body[:20]):
        holds(answer(half).startswith(b"HTTP/1.1 408 "), f"half a request: {half}")
    slow = server.raw()
    try:
        for byte in head * 10:
            if select.select([slow], [], [], 0.05)[0]:
                break  # the answer is there: a further byte could reset the connection before it is read
            slow.sendall(bytes([byte]))
    except OSError:
        pass
    holds(slow.recv(1000).startswith(b"HTTP/1.1 408 "), "a slow request")
    # HTTP without TLS.
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    plain.sendall(b"GET / HTTP/1.1\r\n\r\n" * 100)
    got = b""
    while piece := plain.recv(1000):
        got += piece
    holds(got.startswith(b"HTTP/1.1 400 ") and b"HTTPS" in got, str(got))
    # TLS that is none.
    broken = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    broken.sendall(b"\x16\x03\x01\x40\x00" + b"\x01" * 20000)
    try:
        while broken.recv(1000):
            pass
    except OSError:
        pass
    equal(allowed(server.send(review())), True, "others")
    equal(server.end(), 0)


@case
def slow_and_idle_clients_disturb_nobody(place):
    server = simple(place, "--max-connections", 60, "--read-timeout", 60, "--idle-timeout", 60)
    idle = [server.raw() for _ in range(30)]
    slow = [server.raw() for _ in range(29)]
    for s in slow:
        s.sendall(b"POST /validate HTTP/1.1\r\nContent-Length: 100000\r\nContent-Type: application/json\r\nA: ")
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(30)]  # no handshake
    start = time.monotonic()
    for _ in range(50):
        equal(allowed(server.send(review())), True, "a client with manners")
    holds(time.monotonic() - start < 10 * SLOW, "in time")
    holds(server.metric("portcullis_connections") <= 61, "connections are limited")
    for s in idle + slow + silent:
        s.close()


@case
def connections_without_a_handshake_make_room_first(place):
    server = simple(place, "--max-connections", 40)
    client = server.connect()
    equal(allowed(server.send(review(), connection=client)), True)
    kept = client.sock
    bare = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
    server.wait(lambda: server.metric("portcullis_connections_total") >= 61, "accepted")
    server.wait(lambda: server.metric("portcullis_connections") <= 40, "closed")
    equal(allowed(server.send(review(), connection=client)), True)
    holds(client.sock is kept, "the connection stays")
    for s in bare:
        s.close()


@case
def the_timeout_counts_from_the_first_byte(place):
    server = simple(place, "--read-timeout", f"{10 * SLOW}s")
    body = json.dumps(review()).encode()
    raw = server.raw()
    raw.sendall(b"POST /validate?timeout=1s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n")
    time.sleep(1 + 2 * SLOW)
    raw.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    equal(raw.recv(12), b"HTTP/1.1 504", "the answer")


@case
def header_and_body_each_have_their_time(place):
    server = simple(place, "--read-timeout", "10s")
    body = json.dumps(review()).encode()
    raw = server.raw()
    raw.sendall(b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n")
    time.sleep(6)
    raw.sendall(b"Content-Length: %d\r\n\r\n" % len(body))
    time.sleep(6)
    raw.sendall(body)
    equal(raw.recv(12), b"HTTP/1.1 200", "the answer")


def resident(server):
    return server.metric("process_resident_memory_bytes") / (1 << 20)


@case
def ten_thousand_idle_connections_are_borne(place):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(10000 if SLOW == 1 else 500, most // 2 - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    server = simple(place, "--max-connections", count + 10, "--idle-timeout", "10m", "--read-timeout", "10m")
    before = resident(server)
    client = server.connect()
    equal(allowed(server.send(review(), connection=client)), True)
    context = server.tls()
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # half the work of a handshake for this client
    idle = [context.wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=60)) for _ in range(count // 10)]
    idle += [socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(count - len(idle))]
    server.wait(lambda: server.metric("portcullis_connections") >= count, f"{count} connections")
    # Sanitizers keep what is freed.
    holds(resident(server) - before < (100 * count / 1024 + 50) * SLOW, f"{resident(server) - before} MiB for {count} connections")
    for _ in range(20):
        equal(allowed(server.send(review(), connection=client)), True, "a client that was there before")
        equal(allowed(server.send(review())), True, "a new client")
    for s in idle:
        s.close()
    server.wait(lambda: server.metric("portcullis_connections") < 20, "closed")


@case
def idle_threads_hold_no_old_policies(place):
    """Of sixteen threads one decides by each set; the next exchange frees that set, although the thread has nothing to do."""
    if SLOW > 1:
        return  # sanitizers keep what is freed
    param = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "p", "namespace": "default"}}
    text = json.dumps(param) + "\n---\n" + policy("named", "request.name != params.metadata.name",
                                                  paramKind={"apiVersion": "v1", "kind": "ConfigMap"})
    ref = '"paramRef": {"name": "p", "namespace": "default", "parameterNotFoundAction": "Deny"}'
    text = text.replace('"policyName": "named"', f'"policyName": "named", {ref}')
    server = simple(place, "--threads", 16, text=text)
    loaded = []
    for round in range(16):
        entries = "".join(f'  k{i}: "{round}{"x" * 200}"\n' for i in range(20_000))
        write(place / "policies/large.yaml",
              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large, namespace: default}\ndata:\n" + entries)
        server.wait(lambda: server.logged("policies are loaded") >= round + 2, "loaded")
        equal(allowed(server.send(review())), True, "by a thread that keeps what it used")
        loaded.append(resident(server))
    holds(loaded[-1] - loaded[1] < 60, f"{loaded} MiB")


@case
def many_large_bodies_share_their_memory(place):
    server = simple(place, "--max-pending-bytes", 20_000_000)
    head = (b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n")
    before = resident(server)
    clients = [server.raw() for _ in range(40)]
    refused = 0
    for c in clients:
        c.settimeout(0.05)
        try:
            c.sendall(head + b" " * 2_000_000)
        except OSError:
            pass
    for c in clients:
        try:
            refused += c.recv(100).startswith(b"HTTP/1.1 429 ")
        except OSError:
            pass
    holds(refused > 10, f"{refused} of 40 are refused")
    holds(resident(server) - before < 150 * SLOW, f"{resident(server) - before} MiB")  # sanitizers keep what is freed
    equal(allowed(server.send(review())), True, "others")


@case
def memory_that_is_out_ends_one_connection(place):
    if SLOW > 1:
        return  # sanitizers reserve more than any limit
    server = simple(place, "--max-body", 1 << 40, "--max-pending-bytes", 1 << 40, "--threads", 1,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
    raw = server.raw()
    raw.sendall(b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4000000000\r\n\r\n")
    piece, sent = b" " * (1 << 20), 0
    try:
        while sent < 4000:
            raw.sendall(piece)
            sent += 1
    except OSError:
        pass
    holds(sent < 1024, f"{sent} MiB are taken")
    equal(allowed(server.send(review())), True, "others")
    holds(server.logged("a connection ends") > 0, "the log")
    equal(server.metric("portcullis_requests_in_flight"), 0.0)
    server.wait(lambda: server.metric("portcullis_connections") == 0, "connections leave")


@case
def clients_that_do_not_read_hold_no_place(place):
    """Their answers are too large for the buffers of the system, and wait in the server."""
    text = policy("large", "false", message=None, failurePolicy="Fail")
    text = text.replace('"message": null', '"messageExpression": "string(object.data.k)"')
    server = simple(place, "--max-requests-inflight", 4, "--read-timeout", "60s", text=text)
    asked = review()
    asked["request"]["object"]["data"]["k"] = "x" * 4000
    body = json.dumps(asked).encode()
    head = b"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    deaf = [server.raw() for _ in range(8)]
    for d in deaf:
        d.settimeout(0.5)
        try:
            for _ in range(2000):  # requests one behind the other, until nothing goes through any more
                d.sendall(head + body)
        except OSError:
            pass
    for _ in range(20):
        equal(server.send(review())[0], 200, "others")
    equal(server.metric("portcullis_requests_in_flight"), 0.0)


@case
def small_requests_with_large_answers_take_little_memory(place):
    """Each default of each of many containers is an operation of the patch."""
    text = mutation("label", "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]").replace("configmaps", "pods")
    server = simple(place, "--threads", 1, "--max-request-memory", 64 << 20, text=text)
    before = resident(server)
    for count, status in ((1000, 200), (200_000, 500)):
        asked = review(kind="Pod", spec={"spec": {"containers": [{}] * count}}, labels={"x": "y"})
        got, _, value = server.send(asked, "/mutate")
        equal(got, status, f"{count} containers")
    holds("--max-request-memory" in value["message"] and value["kind"] == "Status", str(value))
    holds(resident(server) - before < 200 * SLOW, f"{resident(server) - before} MiB")
    equal(allowed(server.send(review(kind="Pod", labels={"x": "y"}), "/mutate")), True, "others")


@case
def answers_that_nobody_reads_share_their_memory(place):
    copies = ", ".join(f"JSONPatch{{op: 'add', path: '/data/k{number}', value: object.data.k}}" for number in range(32))
    text = mutation("copy", f"[{copies}]")
    server = simple(place, "--max-pending-bytes", 40_000_000, text=text)
    body = json.dumps(review(spec={"data": {"k": "x" * 300_000}})).encode()
    head = b"POST /mutate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    deaf = []
    for number in range(10):
        deaf.append(server.raw())
        deaf[-1].sendall(head + body)
        server.wait(lambda: server.metric('portcullis_http_requests_total{code="200",path="/mutate"}') +
                    server.metric('portcullis_undecided_total{reason="overload"}') > number, "decided or refused")
    holds(server.metric('portcullis_undecided_total{reason="overload"}') > 0, "some are too many")
    for d in deaf:
        d.close()
    server.wait(lambda: server.metric("portcullis_connections") == 0, "closed")
    equal(allowed(server.send(review(), "/mutate")), True, "others")


# --- while every thread decides ---


def busy(place, *options):
    """A server whose threads all search for a regular expression, for minutes, and the threads that asked."""
    server = simple(place, "--threads", 2, *options, text=policy("slow", "!object.data.text.matches(object.data.pattern)"))
    asked = review(spec={"data": {"text": "a" * 2_500_000, "pattern": "(a?){1000}b"}})

    def ask():
        try:
            server.send(asked)
        except (OSError, http.client.HTTPException):
            pass  # it ends without an answer

    for _ in range(4):
        threading.Thread(target=ask, daemon=True).start()
    server.wait(lambda: server.metric("portcullis_requests_in_flight") >= 2, "busy")
    return server


@case
def probes_and_signals_wait_for_no_decision(place):
    server = busy(place, "--shutdown-delay", "10m")
    for path in ("/livez", "/readyz", "/healthz", "/metrics"):
        equal(server.status(path)[0], 200, path)
    before = server.metric("portcullis_connections")
    with socket.create_connection(("127.0.0.1", server.port)):
        server.wait(lambda: server.metric("portcullis_connections") > before, "accepted")
    server.process.send_signal(signal.SIGTERM)
    server.wait(lambda: server.status("/readyz")[0] == 500, "not ready")
    equal(server.status("/livez")[0], 200)
    equal(server.end(), 1, "the status after a second signal")
    equal(server.logged("ended with requests that are not answered"), 1)


@case
def a_decision_that_does_not_end_is_given_up(place):
    server = busy(place, "--shutdown-timeout", "100ms")
    equal(server.end(), 1, "the status")
    equal(server.logged("ended with requests that are not answered"), 1)


@case
def connections_that_cannot_be_closed_are_limited(place):
    """While no thread closes those that should make room."""
    server = busy(place, "--max-connections", 20)
    waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
    server.wait(lambda: server.metric("portcullis_connections") == 40, "connections")
    waiting[-1].settimeout(20)
    try:
        equal(waiting[-1].recv(1), b"", "the last one")
    except ConnectionResetError:
        pass


sys.exit(run_cases(2))
