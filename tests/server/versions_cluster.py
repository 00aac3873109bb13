#!/usr/bin/env python3
"""A real kube-apiserver with policies for versions of a custom resource that only a webhook converts, and the same server with
the webhooks that `portcullis manifests` prints for these policies: each policy must see the same object.

Usage: versions_cluster.py PORTCULLIS SERVER SHARED

Policies warn of the version that they see, or annotate the object with it. Objects of each version are sent as dry runs. Of
mutating policies that match at several versions the API server loses changes, and webhooks do not: those are no difference.
Exit status 77: no binaries of the cluster (SHARED/tools/cluster/cluster build), or no openssl. Closes with
`N passed, N failed`.
"""
import base64
import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time

PORTCULLIS, SHARED = sys.argv[1], pathlib.Path(sys.argv[3])
sys.argv[1] = sys.argv[2]  # the program of server.py
from cluster import Cluster, cannot_start
from server import Server, make_certificate

VERSIONS = ["v1", "v2", "v3"]
WIDGETS = "/apis/ex.io/{}/namespaces/default/widgets"
ADMISSION = "/apis/admissionregistration.k8s.io/v1/"


class Converter(http.server.BaseHTTPRequestHandler):
    """The conversion webhook: spec.at is the version."""

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wanted = review["request"]["desiredAPIVersion"]
        made = [{**o, "apiVersion": wanted, "spec": {"at": wanted}} for o in review["request"]["objects"]]
        answer = json.dumps({**review, "request": None, "response": {
            "uid": review["request"]["uid"], "convertedObjects": made, "result": {"status": "Success"}}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def start_converter(certificates):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Converter)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / "tls.crt", certificates / "tls.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def definition(port, authority):
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    client = {"url": f"https://127.0.0.1:{port}/convert", "caBundle": authority}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.ex.io"},
            "spec": {"group": "ex.io", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
                     "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": client}},
                     "versions": [{"name": v, "served": True, "storage": v == "v1", "schema": schema} for v in VERSIONS]}}


def policies():
    def rule(versions, groups=("ex.io",), resources=("widgets",)):
        return {"apiGroups": list(groups), "apiVersions": versions, "operations": ["CREATE"], "resources": list(resources)}

    def made(kind, name, rules, match_policy="Equivalent", **spec):
        # Without the condition the policy for everything would warn of what the cluster creates by itself.
        matches = {"matchPolicy": match_policy, "resourceRules": rules}
        conditions = [{"name": "widgets", "expression": "request.resource.group == 'ex.io'"}]
        api = {"apiVersion": "admissionregistration.k8s.io/v1"}
        actions = {"validationActions": ["Warn"]} if kind.startswith("Validating") else {}
        return [{**api, "kind": kind, "metadata": {"name": name},
                 "spec": {"matchConstraints": matches, "matchConditions": conditions, **spec}},
                {**api, "kind": kind + "Binding", "metadata": {"name": name}, "spec": {"policyName": name, **actions}}]

    def sees(name, *more):
        validation = {"expression": "false", "messageExpression": f"'{name} sees ' + object.apiVersion + ' ' + object.spec.at"}
        return made("ValidatingAdmissionPolicy", name, *more, validations=[validation])

    def marks(name, *more):
        patch = f"[JSONPatch{{op: 'add', path: '/metadata/annotations/{name}', value: object.spec.at.replace('/', '-')}}]"
        return made("MutatingAdmissionPolicy", name, *more, reinvocationPolicy="Never",
                    mutations=[{"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}])

    return (sees("all", [rule(["*"], ["*"], ["*"])]) + sees("one", [rule(["v1"])]) + sees("two", [rule(["v2"])]) +
            sees("some", [rule(["v2", "v1"])]) + sees("turned", [rule(["v2"]), rule(["v1"])]) + sees("exact", [rule(["v1"])], "Exact") +
            marks("any", [rule(["*"])]) + marks("first", [rule(["v1"])]) + marks("second", [rule(["v2"])]))


def resource_of(kind):
    return kind[:-1] + "ies" if kind.endswith("y") else kind + "s"


def kept(there, here):
    """The marks of webhooks, without those that the API server loses: of policies before one that matches at another version."""
    return {name: here[name] for name in there if name in here}


class Test:
    def __init__(self, cluster, place):
        self.client, self.place = cluster.client, place

    def put(self, path, made):
        code, got, _ = self.client.call("POST", path, made)
        if code != 201:
            raise RuntimeError(f"{path}: {code} {got}")

    def seen(self):
        """What policies see of an object of each version: warnings and annotations; and the status."""
        out = {}
        for version in VERSIONS:
            widget = {"apiVersion": f"ex.io/{version}", "kind": "Widget", "spec": {"at": f"ex.io/{version}"},
                      "metadata": {"name": "a", "annotations": {"none": ""}}}
            code, got, warnings = self.client.call("POST", WIDGETS.format(version) + "?dryRun=All", widget)
            texts = sorted(w.split(" sees ")[0].split()[-1] + " sees " + w.split(" sees ")[1].rstrip('"') for w in warnings if " sees " in w)
            out[version] = (code, texts, got.get("metadata", {}).get("annotations", got))
        return out

    def settled(self, wanted):
        """What is seen when nothing is missing any more; `exact` sees one version alone."""
        end = time.monotonic() + 60
        while True:
            found = self.seen()
            if all(code == 201 and len(texts) >= wanted - 1 and "second" in marks
                   for code, texts, marks in found.values()) or time.monotonic() > end:
                time.sleep(2)
                return self.seen()
            time.sleep(0.5)


def printed_hooks(test, port, authority, options):
    """The printed configurations, which the API server takes, with the address of the server here."""
    done = subprocess.run([PORTCULLIS, "manifests", *options], capture_output=True, text=True, check=True)
    read = subprocess.run([PORTCULLIS, "normalize", "-o", "json", "-"], input=done.stdout, capture_output=True, text=True)
    for made in map(json.loads, read.stdout.splitlines()):
        if not made["kind"].endswith("WebhookConfiguration"):
            continue
        test.put(ADMISSION + resource_of(made["kind"].lower()) + "?dryRun=All", made)
        for hook in made["webhooks"]:
            path = hook["clientConfig"].pop("service")["path"]
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": authority}
        made["metadata"] = {"name": made["metadata"]["name"]}
        yield made


def run(cluster, place):
    authority = base64.b64encode((place / "certs/tls.crt").read_bytes()).decode()
    test = Test(cluster, place)
    test.put("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd := definition(start_converter(place / "certs"), authority))
    (place / "p").mkdir()
    (place / "p/all.yaml").write_text("\n---\n".join(map(json.dumps, [crd, *policies()])), encoding="utf-8")
    for _ in range(200):
        if test.client.call("GET", WIDGETS.format("v1"))[0] == 200:
            break
        time.sleep(0.1)
    for made in policies():
        test.put(ADMISSION + resource_of(made["kind"].lower()), made)
    there = test.settled(6)
    for made in policies():
        test.client.call("DELETE", ADMISSION + resource_of(made["kind"].lower()) + "/" + made["metadata"]["name"])
    server = Server(place, "-p", place / "p")
    for made in printed_hooks(test, server.port, authority, ["-p", place / "p"]):
        test.put(ADMISSION + resource_of(made["kind"].lower()), made)
    here = test.settled(6)
    failed = 0
    for version in VERSIONS:
        good = there[version] == (*here[version][:2], kept(there[version][2], here[version][2])) and here[version][2] == {
            "none": "", "any": f"ex.io-{version}", "first": "ex.io-v1", "second": "ex.io-v2"}
        failed += not good
        if not good or "--show" in sys.argv:
            print(f"{version}:\n  policies {there[version]}\n  webhooks {here[version]}")
    if failed:
        print(server.log_path.read_text(encoding="utf-8")[-2000:])
    return failed


def main():
    if why := cannot_start():
        print("skipped:", why)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        make_certificate(place / "certs")
        cluster = Cluster(SHARED, place)
        try:
            failed = run(cluster, place)
        finally:
            cluster.close()
            while Server.running:
                Server.running.pop().process.kill()
    print(f"{len(VERSIONS) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
