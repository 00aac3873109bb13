"""A webhook server on loopback that misbehaves in the way its path asks for: raw bytes over TLS.

Usage: server.py FOLDER    (makes certificates in FOLDER with the program openssl, prints the ports as JSON,
and serves until its standard input ends)

Ports: `good` (certificate of localhost, 127.0.0.1 and a.b.svc), `other` (of another name), `expired`,
`self` (signed by itself), `mutual` (wants a certificate of the client), `plain` (HTTP without TLS), `silent`
(accepts and says nothing).
"""
import gzip
import json
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

REVIEW = (b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":'
          b'{"uid":"%s","allowed":true%s}}')


def head(body, *more, status=b"HTTP/1.1 200 OK", length=None):
    lines = [status, b"Content-Type: application/json",
             b"Content-Length: %d" % (len(body) if length is None else length), *more]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def chunks(body, size):
    parts = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts) + b"0\r\n\r\n"


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(connection.detach())


def forever(connection, first, again):
    connection.sendall(first)
    while True:
        connection.sendall(again)


def finish(connection):
    """Ends what is sent, and waits for the other side: a connection closed before would be reset."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(2)
    while connection.recv(65536):
        pass


def raw(path, uid):
    """What is sent for `path` before the connection ends; null for what needs more."""
    body = REVIEW % (uid, b"")
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    zipped = gzip.compress(body)
    simple = {
        "/ok": head(body) + body,
        "/http10": b"HTTP/1.0 200 OK\r\n\r\n" + body,
        "/chunks": chunked + chunks(body, 7),
        "/gzip": head(zipped, b"Content-Encoding: gzip") + zipped,
        "/continue": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head(body) + body,
        "/nobody": head(b""),
        "/204": b"HTTP/1.1 204 No Content\r\n\r\n",
        "/nothing": b"",
        "/garbage": b"hello\r\n\r\n",
        "/binary": b"\x00\x01\xff\r\n\r\n",
        "/badstatus": b"HTTP/1.1 abc OK\r\n\r\n",
        "/badheader": b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n" + body,
        "/halfhead": b"HTTP/1.1 200 OK\r\nContent-",
        "/half": head(body, length=1000) + body,
        "/halfchunk": chunked + b"ff\r\n" + body,
        "/badchunk": chunked + b"zz\r\n" + body,
        "/badgzip": head(body, b"Content-Encoding: gzip") + body,
        "/badlength": head(body, length=-1) + body,
        "/http3": b"HTTP/3.0 200 OK\r\n\r\n" + body,
        "/moved": head(b"", b"Location: /ok", status=b"HTTP/1.1 307 Temporary Redirect"),
        "/plain": head(b"", b"Location: http://127.0.0.1:%d/ok" % PORTS["plain"], status=b"HTTP/1.1 307 Go"),
        "/busy": head(b"", b"Retry-After: 1", status=b"HTTP/1.1 503 Busy"),
        "/denied": b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n\r\n go away\n",
    }
    if path == "/big":
        return head(b"", length=10 << 20) + (REVIEW % (uid, b',"odd":"' + b"x" * (10 << 20)))[:10 << 20]
    if path == "/large":
        return head(b"", length=len(body) + (9 << 20)) + body + b" " * (9 << 20)
    return simple.get(path)


def answer(connection, path, uid):
    body = REVIEW % (uid, b"")
    text = raw(path, uid)
    if text is not None:
        connection.sendall(text)
        finish(connection)
    elif path == "/headers":
        forever(connection, b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"x" * 1000 + b"\r\n")
    elif path == "/longheader":
        forever(connection, b"HTTP/1.1 200 OK\r\nX-More: ", b"x" * 1000)
    elif path == "/endless":
        forever(connection, b"HTTP/1.1 200 OK\r\n\r\n", b" " * 65536)
    elif path == "/trickle":
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(300):
            connection.sendall(b" ")
            time.sleep(0.1)
    elif path == "/slow":
        time.sleep(30)
    elif path == "/slowbody":
        connection.sendall(head(body, length=1000) + body)
        time.sleep(30)
    elif path == "/reset":
        reset(connection)
    elif path == "/resetbody":
        connection.sendall(head(body, length=1000) + body)
        time.sleep(0.2)
        reset(connection)


def secured(connection, context):
    spare = connection.dup()  # outlives a handshake that fails
    try:
        return context.wrap_socket(connection, server_side=True)
    except OSError:
        finish(spare)
        raise
    finally:
        spare.close()


def converse(connection, context):
    try:
        if context is not None:
            connection = secured(connection, context)
        text = b""
        while b"\r\n\r\n" not in text:
            part = connection.recv(65536)
            if not part:
                return
            text += part
            if not text.startswith((b"POST ", b"GET ")):
                connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\nnot HTTP\n")
                return
        start, _, body = text.partition(b"\r\n\r\n")
        length = int((re.search(rb"(?i)\r\ncontent-length: (\d+)", start) or [0, 0])[1])
        while len(body) < length:
            body += connection.recv(65536)
        uid = (re.search(rb'"uid":"([^"]*)"', body) or [0, b"none"])[1]
        answer(connection, start.split()[1].decode().partition("?")[0], uid)
    except OSError:
        pass
    finally:
        try:
            connection.close()
        except OSError:
            pass


def serve(listener, context):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=converse, args=(connection, context), daemon=True).start()


def certificates(folder):
    """Makes ca.pem and the certificates of the ports; returns their contexts."""
    def run(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out",
        "ca.pem", "-days", "30", "-subj", "/CN=test ca")
    names = {"good": "DNS:localhost,IP:127.0.0.1,DNS:a.b.svc", "other": "DNS:other.example,DNS:*.x.org",
                             "expired": "DNS:localhost", "self": "DNS:localhost", "client": "DNS:client"}
    for name, alternatives in names.items():
        with open(os.path.join(folder, name + ".ext"), "w", encoding="utf-8") as f:
            f.write("subjectAltName=" + alternatives + "\n")
        run("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", name + ".key",
            "-out", name + ".csr", "-subj", "/CN=" + name)
        how = ["-signkey", name + ".key"] if name == "self" else ["-CA", "ca.pem", "-CAkey", "ca.key",
                                                                  "-CAcreateserial"]
        if name == "expired":
            expired(folder, run)
        else:
            run("x509", "-req", "-in", name + ".csr", "-extfile", name + ".ext", "-out", name + ".pem", "-days", "30",
                *how)
    contexts = {}
    for name in ("good", "other", "expired", "self"):
        contexts[name] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        contexts[name].load_cert_chain(os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key"))
    contexts["mutual"] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    contexts["mutual"].load_cert_chain(os.path.join(folder, "good.pem"), os.path.join(folder, "good.key"))
    contexts["mutual"].load_verify_locations(os.path.join(folder, "ca.pem"))
    contexts["mutual"].verify_mode = ssl.CERT_REQUIRED
    return contexts


def expired(folder, run):
    """`openssl x509` of Debian 12 cannot date back, `openssl ca` can."""
    open(os.path.join(folder, "index.txt"), "w", encoding="utf-8").close()
    with open(os.path.join(folder, "ca.cnf"), "w", encoding="utf-8") as f:
        f.write("[ca]\ndefault_ca=x\n[x]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\n"
                "policy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n")
    run("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "expired.csr", "-out",
        "expired.pem", "-extfile", "expired.ext", "-notext", "-startdate", "20200101000000Z", "-enddate",
        "20200102000000Z")


PORTS = {}
# What servers say that speak neither TLS nor HTTP.
STRANGERS = {"ssh": b"SSH-2.0-OpenSSH_9.2\r\n", "page": b"<!DOCTYPE HTML>", "old": b"\x80\x2e\x01\x00\x02\x00"}


def say(listener, words):
    while True:
        connection, _ = listener.accept()
        connection.recv(65536)
        connection.sendall(words)
        connection.close()


def main():
    contexts = certificates(sys.argv[1])
    for name in ("good", "other", "expired", "self", "mutual", "plain", "silent", *STRANGERS):
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        PORTS[name] = listener.getsockname()[1]
        if name in STRANGERS:
            threading.Thread(target=say, args=(listener, STRANGERS[name]), daemon=True).start()
        elif name != "silent":
            threading.Thread(target=serve, args=(listener, contexts.get(name)), daemon=True).start()
        else:
            contexts[name] = listener  # keeps it open
    print(json.dumps(PORTS), flush=True)
    sys.stdin.read()


main()
