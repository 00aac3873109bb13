#!/usr/bin/env python3
"""What a real kube-apiserver does with webhooks, against `portcullis review` and `mutate --webhooks call` and, of what
those recorded, `--webhooks recorded`.

Usage: KUBECONFIG=... webhooks.py PORTCULLIS SHARED [--requests N] [--seed N] [--show]

SHARED is the folder with tools/; the server comes from SHARED/tools/cluster (`cluster build`, `cluster up`). Two
mutating webhooks (one of them reinvoked) and a validating one stand on one HTTPS server of this program. An annotation
of each object says how each webhook answers: patches, denials, warnings, annotations, Statuses, broken and late
answers. The objects are created with dryRun=All. Compared are the status, its message, the warnings, the object that
comes back, and the AdmissionReviews that the webhooks get, byte for byte but for uid, times and managers. Needs PyYAML
and openssl. Ends with 1 if anything differs. Set aside and counted: a reinvocation after a patch without effect
(docs/webhooks.md).
"""
import argparse
import base64
import http.server
import json
import os
import pathlib
import random
import re
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutated import PLACEHOLDER_UID, differences, settled  # files beside this one

ADMISSION = "/apis/admissionregistration.k8s.io/v1/"
SPACE, STEER = "webhooks-test", "steer.example.com/"
PORT_OF_CLIENT = re.compile(r"127\.0\.0\.1:\d+->")
UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
AGENT = "webhooks-test"
WARNING = re.compile(r'^299 - "(.*)"$', re.S)


def patch(*operations):
    return {"allowed": True, "patchType": "JSONPatch",
            "patch": base64.b64encode(json.dumps(list(operations)).encode()).decode()}


def add(path, value):
    return {"op": "add", "path": path, "value": value}


# What a webhook answers: (HTTP status, response or whole body).
ANSWERS = {
    "allow": (200, {"allowed": True}),
    "label": (200, patch(add("/metadata/labels", {"a": "b", "inject": "yes"}))),
    "annotate": (200, patch(add("/metadata/annotations/seen", "1"))),
    "count": None,  # appends to an annotation, as often as it runs
    "replicas": (200, patch({"op": "replace", "path": "/spec/replicas", "value": 9})),
    "test": (200, patch({"op": "test", "path": "/metadata/name", "value": "nobody"}, add("/metadata/labels", {}))),
    "missing": (200, patch({"op": "remove", "path": "/metadata/nothing"})),
    "malformed": (200, patch(add("/spec/replicas", "many"))),
    "unknown": (200, patch(add("/spec/nowhere", {"a": 1}))),
    "nolist": (200, {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(b'{"op": "add"}').decode()}),
    "notype": (200, {"allowed": True, "patch": base64.b64encode(b"[]").decode()}),
    "merge": (200, {"allowed": True, "patchType": "Merge", "patch": base64.b64encode(b"{}").decode()}),
    "deny": (200, {"allowed": False, "status": {"code": 418, "message": "no tea", "reason": "Teapot"}}),
    "denyplain": (200, {"allowed": False}),
    "denycode": (200, {"allowed": False, "status": {"code": 200, "message": "fine"}}),
    "denycauses": (200, {"allowed": False, "status": {"message": "see causes", "reason": "Invalid", "code": 422, "details": {
        "causes": [{"message": "too big", "field": "spec.replicas", "reason": "FieldValueInvalid"}]}}}),
    "warn": (200, {"allowed": True, "warnings": ["careful", "really \u00e9 careful", "x" * 300]}),
    "audit": (200, {"allowed": True, "auditAnnotations": {"why": "because", "no/t": "x"}}),
    "uid": (200, {"allowed": True, "uid": "other"}),
    "version": (200, {"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview", "response": {"allowed": True}}),
    "kind": (200, {"apiVersion": "v1", "kind": "Pod"}),
    "empty": (200, {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}),
    "http500": (500, {"allowed": True}),
    "http404": (404, b"not here"),
    "status": (403, {"apiVersion": "v1", "kind": "Status", "status": "Failure", "message": "go away", "code": 403}),
    "garbage": (200, b"{"),
    "nobody": (200, b""),
    "slow": "slow",
    "reset": "reset",
}
MUTATING = ["allow", "label", "annotate", "count", "replicas", "test", "missing", "malformed", "unknown", "nolist", "notype",
            "merge", "deny", "denyplain", "warn", "audit", "uid", "version", "empty", "http500", "status", "garbage",
            "slow", "reset"]
VALIDATING = [a for a in ANSWERS if a not in ("label", "annotate", "count", "replicas", "test", "missing", "malformed",
                                               "unknown", "nolist", "merge")] + ["annotate"]


class Hooks:
    """The HTTPS server; keeps what it gets by webhook and name of the object."""

    def __init__(self, folder):
        self.seen, self.lock = {}, threading.Lock()
        key, cert = os.path.join(folder, "key"), os.path.join(folder, "cert")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc",
                        "-days", "2", "-subj", "/CN=hooks", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
                        "-out", cert], check=True, capture_output=True, timeout=60)
        self.ca = base64.b64encode(pathlib.Path(cert).read_bytes()).decode()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cert, key)
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def do_POST(self):
                text = self.rfile.read(int(self.headers["Content-Length"]))
                hooks.answer(self, text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, name):
        return f"https://127.0.0.1:{self.server.server_address[1]}/{name}"

    def answer(self, handler, text):
        review = json.loads(text)
        request, name = review["request"], handler.path.split("?")[0].strip("/")
        made = request["object"]
        with self.lock:
            self.seen.setdefault((name, made["metadata"]["name"]), []).append(review)
        annotations = made["metadata"].get("annotations") or {}
        what = annotations.get(STEER + name, "allow")
        if what == "slow":
            time.sleep(2.5)
        if what == "reset":
            handler.connection.unwrap()
            handler.connection.close()
            handler.close_connection = True
            return
        if what == "count":
            status, body = 200, patch(add("/metadata/annotations/count", annotations.get("count", "") + "i"))
        else:
            status, body = ANSWERS[what] if isinstance(ANSWERS[what], tuple) else ANSWERS["allow"]
        if isinstance(body, dict) and "kind" not in body:
            body = {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": {
                "uid": request["uid"], **body}}
        elif isinstance(body, dict) and "response" in body:
            body = {**body, "response": {"uid": request["uid"], **body["response"]}}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:
            handler.close_connection = True

    def take(self):
        with self.lock:
            seen, self.seen = self.seen, {}
        return seen


def configurations(hooks):
    rules = [{"apiGroups": ["", "apps"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
              "resources": ["configmaps", "deployments", "pods"], "scope": "Namespaced"}]

    def webhook(name, **more):
        return {"name": name + ".example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "timeoutSeconds": 1, "failurePolicy": "Fail", "rules": rules,
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": SPACE}},
                "clientConfig": {"url": hooks.url(name), "caBundle": hooks.ca}, **more}

    def configuration(kind, name, *webhooks):
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
                "webhooks": list(webhooks)}

    return [
        configuration("MutatingWebhookConfiguration", "one",
                      webhook("first", reinvocationPolicy="IfNeeded"),
                      webhook("second", failurePolicy="Ignore", objectSelector={
                          "matchExpressions": [{"key": "inject", "operator": "NotIn", "values": ["no"]}]})),
        configuration("ValidatingWebhookConfiguration", "two", webhook("third", admissionReviewVersions=["v1beta1", "v1"],
                      matchConditions=[{"name": "named", "expression": "!object.metadata.name.endsWith('-7')"}]))]


def manifest(number, pick):
    annotations = {STEER + "first": pick.choice(MUTATING), STEER + "second": pick.choice(MUTATING),
                   STEER + "third": pick.choice(VALIDATING)}
    for name in list(annotations):  # most answers let the request pass, so that the later webhooks are reached
        if pick.random() < (0.5 if name != STEER + "third" else 0.1):
            annotations[name] = pick.choice(["allow", "label", "annotate", "count"] if name != STEER + "third" else ["allow"])
    metadata = {"name": f"object-{number}", "namespace": SPACE, "annotations": annotations}
    if pick.random() < 0.5:
        metadata["labels"] = {"a": "b", "inject": pick.choice(["yes", "no"])}
    pod = {"containers": [{"name": "main", "image": "example.com/a:1"}]}
    kind = pick.choice(["ConfigMap", "Deployment", "Deployment", "Pod"])
    if kind == "ConfigMap":
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": {"a": "1"}}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": pod}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {
        "replicas": pick.randrange(5), "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}}


class Server:
    def __init__(self, tools, files):
        sys.path.insert(0, str(tools / "cluster"))
        from kube_client import Client  # a file of the shared tools
        self.client, self.made = Client(), []
        self.client.call("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
        for c in files:
            path = ADMISSION + c["kind"].lower() + "s"
            self.client.call("DELETE", path + "/" + c["metadata"]["name"])
            code, got, _ = self.client.call("POST", path, c)
            if code != 201:
                raise RuntimeError(f"{c['kind']}: {got}")
            self.made.append(path + "/" + c["metadata"]["name"])

    def wait(self, hooks):
        probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "probe", "namespace": SPACE}}
        for _ in range(400):
            time.sleep(0.05)
            hooks.take()
            self.create(probe)
            if {name for name, _ in hooks.take()} == {"first", "second", "third"}:
                return
        raise RuntimeError("the webhooks are not called")

    def create(self, made):
        plural = made["kind"].lower() + "s"
        prefix = "/api/v1" if made["apiVersion"] == "v1" else "/apis/" + made["apiVersion"]
        code, got, warnings = self.client.call("POST", f"{prefix}/namespaces/{SPACE}/{plural}?dryRun=All&fieldManager={AGENT}", made)
        return code, got, [WARNING.sub(lambda m: re.sub(r"\\(.)", r"\1", m[1]), w) for w in warnings]

    def close(self):
        for path in self.made:
            self.client.call("DELETE", path)


def run(program, *args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    if done.returncode == 2:
        raise RuntimeError(" ".join(args) + ": " + done.stderr)
    return done.stdout


def even(text):
    """A message without what differs each time."""
    return UID.sub("UID", PORT_OF_CLIENT.sub("HERE->", text or ""))


def verdicts(program, files, *options):
    """name -> (code, message, warnings, object) as Portcullis has it."""
    manifests, common = files["manifests"], ["-p", files["configurations"], "--dry-run", "--field-manager", AGENT]
    out = {}
    results = json.loads(run(program, "review", "-o", "json", *common, manifests, *options))["results"]
    for r in results:
        status = r.get("status") or {}
        code = status.get("code", 0) if r["verdict"] == "denied" else 201
        out[r["name"]] = [code, even(status.get("message")), list(dict.fromkeys(r["warnings"])), None]
    return out


def objects(program, files, *options):
    """name -> object as the API server returns it. `mutate` prints what does not change as it is written."""
    made = map(json.loads, run(program, "normalize", "-o", "json", files["manifests"]).splitlines())
    out = {o["metadata"]["name"]: o for o in made}
    lines = run(program, "mutate", "--normalized", "-o", "json", "-p", files["configurations"], "--dry-run",
                "--field-manager", AGENT, files["manifests"], *options).splitlines()
    out.update({o["metadata"]["name"]: o for o in map(json.loads, lines) if o["metadata"].get("uid")})
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("shared", type=pathlib.Path)
    ap.add_argument("--requests", type=int, default=100)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--show", action="store_true")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        hooks = Hooks(folder)
        made = configurations(hooks)
        pick = random.Random(args.seed)
        manifests = [manifest(i, pick) for i in range(args.requests)]
        files = {name: os.path.join(folder, name + ".json") for name in ("configurations", "manifests")}
        for name, content in (("configurations", made), ("manifests", manifests)):
            pathlib.Path(files[name]).write_text("".join(json.dumps(o) + "\n---\n" for o in content), encoding="utf-8")
        server = Server(args.shared / "tools", made)
        try:
            server.wait(hooks)
            there = {m["metadata"]["name"]: server.create(m) for m in manifests}
        finally:
            server.close()
        asked_there = hooks.take()
        kept = os.path.join(folder, "kept")
        here = verdicts(args.program, files, "--webhooks", "call", "--record", kept)
        asked_here = hooks.take()
        again = verdicts(args.program, files, "--webhooks", "recorded=" + kept)
        bodies = objects(args.program, files, "--webhooks", "recorded=" + kept)
        sys.exit(report(args, manifests, there, here, again, bodies, asked_there, asked_here))


def report(args, manifests, there, here, again, bodies, asked_there, asked_here):
    differ, admitted, asked, idle = 0, 0, 0, 0
    for m in manifests:
        name = m["metadata"]["name"]
        code, answer, warnings = there[name]
        times = {h: (len(asked_there.get((h, name), [])), len(asked_here.get((h, name), [])))
                 for h in ("first", "second", "third")}
        if times["first"] == (2, 1) and all(a == b for h, (a, b) in times.items() if h != "first"):
            idle += 1
            continue
        message = "" if code == 201 else even(answer.get("message") if isinstance(answer, dict) else answer)
        found = []
        for what, want, got in (("code", code, here[name][0]), ("message", message, here[name][1]),
                                ("warnings", warnings, here[name][2])):
            if want != got:
                found.append(f"{what}: {json.dumps(want)} there, {json.dumps(got)} here")
        if here[name] != again[name]:
            found.append(f"recorded: {again[name]}, called: {here[name]}")
        if code == 201:
            admitted += 1
            found += differences(settled(answer, answer["metadata"].get("uid")), settled(bodies.get(name), PLACEHOLDER_UID))
        for hook in ("first", "second", "third"):
            want, got = asked_there.get((hook, name), []), asked_here.get((hook, name), [])
            asked += len(want)
            if len(want) != len(got):
                found.append(f"{hook}: asked {len(want)} times there, {len(got)} here")
            for w, g in zip(want, got):
                found += [f"{hook} gets {d}" for d in differences(review(w), review(g))]
        if found:
            differ += 1
            print(name, json.dumps(m["metadata"]["annotations"]), *found[:8], sep="\n    ")
        elif args.show:
            print(name, code, message)
    print(f"{len(manifests)} requests ({admitted} admitted), webhooks asked {asked} times, {idle} set aside, {differ} differ")
    return 1 if differ else 0


def review(r):
    """An AdmissionReview without what differs each time: uid, times, the manager of the fields."""
    request = {k: v for k, v in r["request"].items() if k != "uid"}
    request["userInfo"] = {k: v for k, v in request["userInfo"].items() if k != "uid"}  # that of the token
    uid = ((request["object"] or {}).get("metadata") or {}).get("uid")
    even_fields = json.loads(json.dumps(request).replace(uid or "\0", "UID"))
    for entry in even_fields["object"]["metadata"].get("managedFields", []):
        entry["time"] = "TIME"
    fields = even_fields["object"]["metadata"].get("managedFields")
    even_fields = settled(even_fields, None)
    even_fields["object"]["metadata"]["managedFields"] = fields
    return {**r, "request": even_fields}


if __name__ == "__main__":
    main()
