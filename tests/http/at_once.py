#!/usr/bin/env python3
"""`portcullis review --webhooks call` asks validating webhooks at once: the server answers none of three before all three
are asked.

Usage: at_once.py PORTCULLIS    Exit status 77: no HTTP in this build, or no program openssl.
"""
import base64
import http.server
import json
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading

PROGRAM = sys.argv[1]
COUNT, PATIENCE = 3, 20  # seconds; webhooks wait at most 30
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def serve(folder, together):
    key, cert = folder / "key", folder / "cert"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
                    "-days", "2", "-subj", "/CN=hooks", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                    cert], check=True, capture_output=True, timeout=60)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(cert, key)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                together.wait(PATIENCE)
                response = {"allowed": True, "warnings": [self.path.split("?")[0]]}
            except threading.BrokenBarrierError:
                response = {"allowed": False, "status": {"message": "asked alone"}}
            body = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"],
                               "response": {"uid": review["request"]["uid"], **response}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"https://127.0.0.1:{server.server_address[1]}", base64.b64encode(cert.read_bytes()).decode()


def main():
    if not shutil.which("openssl"):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        url, ca = serve(folder, threading.Barrier(COUNT))
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}
        hooks = [{"name": f"w{i}.example.com", "clientConfig": {"url": f"{url}/{i}", "caBundle": ca}, "sideEffects": "None",
                  "admissionReviewVersions": ["v1"], "timeoutSeconds": 30, "rules": [rule]} for i in range(COUNT)]
        (folder / "hooks.json").write_text(json.dumps({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "v"}, "webhooks": hooks}), encoding="utf-8")
        (folder / "pod.json").write_text(json.dumps(POD), encoding="utf-8")
        kept = folder / "kept"
        for how in (["call", "--record", kept], [f"recorded={kept}"]):
            done = subprocess.run([PROGRAM, "review", "-o", "json", "-p", folder / "hooks.json", folder / "pod.json",
                                   "--webhooks", *how], capture_output=True, text=True)
            if "built without HTTP" in done.stderr:
                sys.exit(77)
            warnings = json.loads(done.stdout)["results"][0]["warnings"]
            # In the order of the configuration, whichever answers first.
            if done.returncode != 0 or warnings != ["/0", "/1", "/2"]:
                sys.exit(f"{how[0]}: status {done.returncode}, warnings {warnings}\n{done.stdout}{done.stderr}")
    print("2 passed, 0 failed")


main()
