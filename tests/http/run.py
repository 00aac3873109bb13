#!/usr/bin/env python3
"""Calls the webhook servers of server.py through http/, and compares what it says of each with what
kube-apiserver 1.37 says (Go 1.26, observed with its own client), and the time it takes with the timeout.

Usage: run.py ASK    (the program of ask.cc). Exit status 77: no client in this build, or no program openssl.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ASK = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 2
BROKEN = "net/http: HTTP/1.x transport connection broken: "
BODY = "failed to call webhook: unexpected error when reading response body. Please retry. Original error: "
TLS = "tls: failed to verify certificate: x509: "
LATE = "context deadline exceeded"

# path, what is said; `P: ` stands for the frame of an error without an answer
ANSWERS = [
    ("/ok", "allowed"), ("/http10", "allowed"), ("/chunks", "allowed"), ("/gzip", "allowed"), ("/continue", "allowed"),
    ("/large", "allowed"), ("/moved", "allowed"), ("/plain", "allowed"),
    ("/nobody", "failed to call webhook: 0-length response with status code: 200 and content type: application/json"),
    ("/204", "failed to call webhook: 0-length response with status code: 204 and content type: application/json"),
    ("/denied", "failed to call webhook: go away"),
    ("/big", "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input"),
    ("/nothing", "P: EOF"),
    ("/garbage", "P: " + BROKEN + "malformed HTTP response \"hello\""),
    ("/binary", "P: " + BROKEN + "malformed HTTP response \"\\x00\\x01\\xff\""),
    ("/headers", "P: " + BROKEN + "net/http: server response headers exceeded 10485760 bytes; aborted"),
    ("/longheader", "P: " + BROKEN + "net/http: server response headers exceeded 10485760 bytes; aborted"),
    ("/reset", "P: read tcp HERE->SERVER: read: connection reset by peer"),
    ("/half", BODY + "unexpected EOF"), ("/halfchunk", BODY + "unexpected EOF"),
    ("/badchunk", BODY + "invalid byte in chunk length"), ("/badgzip", BODY + "gzip: invalid header"),
    ("/resetbody", BODY + "read tcp HERE->SERVER: read: connection reset by peer"),
    ("/slow", "P: " + LATE), ("/slowbody", BODY + LATE), ("/trickle", BODY + LATE), ("/busy", "P: " + LATE),
    ("/endless", BODY + "the body exceeds 16777216 bytes"),  # Go reads on until the deadline
    # Go has more to say of these.
    ("/badstatus", "P: " + BROKEN + ".*"), ("/badlength", "P: " + BROKEN + ".*"), ("/http3", "P: " + BROKEN + ".*"),
    ("/badheader", "P: " + BROKEN + ".*"), ("/halfhead", "P: " + BROKEN + ".*"),
]
# port, host, what is said
CERTIFICATES = [
    ("good", "localhost", "allowed"),
    ("other", "localhost", "P: " + TLS + "certificate is valid for other.example, *.x.org, not localhost"),
    ("other", "127.0.0.1", "P: " + TLS + "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP "
     "SANs"),
    ("expired", "localhost", "P: " + TLS + "certificate has expired or is not yet valid: current time NOW is after "
     "2020-01-02T00:00:00Z"),
    ("self", "localhost", "P: " + TLS + "certificate signed by unknown authority"),
    ("plain", "localhost", "P: http: server gave HTTP response to HTTPS client"),
    ("ssh", "localhost", "P: tls: first record does not look like a TLS handshake"),
    ("page", "localhost", "P: tls: first record does not look like a TLS handshake"),
    ("old", "localhost", "P: tls: unsupported SSLv2 handshake received"),
    ("silent", "localhost", "P: " + LATE),
]


class Asker:
    def __init__(self, folder):
        self.ask = subprocess.Popen([ASK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.files, self.folder, self.faults = None, folder, 0

    def check(self, url, want, **more):
        call = {"url": url, "ca": os.path.join(self.folder, "ca.pem"), "timeout": TIMEOUT, **more}
        self.ask.stdin.write(json.dumps(call) + "\n")
        self.ask.stdin.flush()
        told = self.ask.stdout.readline()
        if not told:
            sys.exit(77 if self.ask.wait() == 77 else "the client ended")
        told = json.loads(told)
        got = re.sub(r"read tcp 127.0.0.1:\d+->127.0.0.1:\d+", "read tcp HERE->SERVER", told["got"])
        got = re.sub(r"current time [-\dT:]+Z", "current time NOW", got)
        want = want.replace("P: ", 'failed to call webhook: Post "%s?timeout=%ds": ' % (url, TIMEOUT), 1)
        fits = re.fullmatch(re.escape(want[:-2]) + ".*", got) if want.endswith(".*") else got == want
        self.files = self.files or told["files"]
        if not fits or told["seconds"] > TIMEOUT + 1 or told["files"] != self.files:
            self.faults += 1
            print("%s\n  want %s\n  got  %s  (%.1f s, %d files)" % (url, want, got, told["seconds"], told["files"]))


def main():
    if shutil.which("openssl") is None:
        print("skipped: no openssl")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, os.path.join(HERE, "server.py"), folder], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        ports = json.loads(server.stdout.readline())
        asker = Asker(folder)
        good = "127.0.0.1:%d" % ports["good"]
        for path, want in ANSWERS:
            asker.check("https://" + good + path, want)
        for port, host, want in CERTIFICATES:
            asker.check("https://%s:%d/ok" % (host, ports[port]), want)
        asker.check("https://" + good + "/ok", "P: " + TLS + "certificate signed by unknown authority", ca="")
        asker.check("https://127.0.0.1:1/ok", "P: dial tcp 127.0.0.1:1: connect: connection refused")
        asker.check("https://a.b.svc:443/ok", "allowed", to={"a.b.svc": good})
        asker.check("https://c.b.svc:443/ok", "P: " + TLS + "certificate is valid for localhost, a.b.svc, not c.b.svc",
                    to={"c.b.svc": good})
        asker.check("https://c.b.svc:443/ok", "P: dial tcp 127.0.0.1:1: connect: connection refused",
                    to={"c.b.svc": "127.0.0.1:1"})
        mutual = "https://localhost:%d/ok" % ports["mutual"]
        asker.check(mutual, "P: remote error: tls: certificate required")
        asker.check(mutual, "allowed", certificate=os.path.join(folder, "client.pem"),
                    key=os.path.join(folder, "client.key"))
        locked = os.path.join(folder, "locked.key")
        subprocess.run(["openssl", "pkey", "-in", os.path.join(folder, "client.key"), "-aes256", "-passout", "pass:x", "-out",
                        locked], check=True, capture_output=True)
        asker.check(mutual, "could not get REST client: " + locked + ": keys with a passphrase are not read",
                    certificate=os.path.join(folder, "client.pem"), key=locked)
        # Go skips blocks with headers, and what it does not understand, if there is a certificate besides.
        with open(os.path.join(folder, "ca.pem"), encoding="utf-8") as f:
            authority = f.read()
        malformed = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        encrypted = ("-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\n"
                     "DEK-Info: AES-128-CBC,48CD06EF2A3A8DE1A10869AB766F4AB2\n\nAAAA\n-----END CERTIFICATE-----\n")
        path = os.path.join(folder, "bundle")
        for text, want in (("junk", "unable to parse bytes as PEM block"), (encrypted, "no valid certificate authority data seen"),
                           (encrypted + "junk", "unable to parse bytes as PEM block"),
                           (malformed, "failed to parse certificate: x509: malformed certificate"),
                           (malformed + encrypted + authority, None)):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            refused = want and "could not get REST client: unable to load root certificates: " + want
            asker.check("https://" + good + "/ok", refused or "allowed", ca=path)
        asker.ask.stdin.close()
        if asker.ask.wait() != 0:
            asker.faults += 1
        server.stdin.close()
        server.kill()
        server.wait()
    print("http: %d faults" % asker.faults)
    sys.exit(1 if asker.faults else 0)


main()
