#!/usr/bin/env python3
"""A real kube-apiserver with policies, and the same server with webhooks that ask portcullis-server with the same policies.

Usage: cluster.py SERVER SHARED [--requests N] [--seed N] [--show]

Starts a server of SHARED/tools/cluster and sends it the same sequence of requests twice (creations, updates and
deletions of ConfigMaps, Deployments and Pods): first with the policies installed, then with none, but a mutating webhook
at /mutate and a validating one at /validate. Of several denials by policies the API
server tells any, Portcullis the first by name: those are counted. Compared are status, message (without the frame of the webhook), reason,
warnings, audit annotations (from the audit log) and the object that comes back, without what differs each time.
Exit status 77: no binaries of the cluster (SHARED/tools/cluster/cluster build), or no openssl. Ends with 1 if anything
differs, and closes with `N passed, N failed`.
"""
import argparse
import base64
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "cluster")]
from server import Server, equal, make_certificate

ADMISSION = "/apis/admissionregistration.k8s.io/v1/"
SPACE = "serve-test"
FRAME = re.compile(r'^admission webhook "[^"]*" denied the request: ')
WARNING = re.compile(r'^299 - "(.*)"$', re.S)
# The audit annotations of policies: "POLICY/KEY", or of webhooks "WEBHOOK/POLICY_KEY".
OF_POLICIES = re.compile(r"^(?:\w+\.portcullis\.example\.com/)?(audited|validation\.policy\.admission\.k8s\.io)[/_](\w+)$")
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {
    "name": SPACE, "labels": {"team": "red", "kubernetes.io/metadata.name": SPACE}}}
PARAM = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "limit", "namespace": SPACE}, "data": {"most": "4"}}


def rules(*resources, operations=("CREATE", "UPDATE")):
    return {"resourceRules": [{"apiGroups": ["", "apps"], "apiVersions": ["v1"], "operations": list(operations),
                               "resources": list(resources)}],
            "namespaceSelector": {"matchLabels": {"team": "red"}}}


def validating(name, validations, matches, actions=("Deny",), param=False, **spec):
    if param:
        spec["paramKind"] = {"apiVersion": "v1", "kind": "ConfigMap"}
    binding = {"policyName": name, "validationActions": list(actions)}
    if param:
        binding["paramRef"] = {"name": "limit", "namespace": SPACE, "parameterNotFoundAction": "Deny"}
    return [{"kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
             "spec": {"matchConstraints": matches, "validations": validations, **spec}},
            {"kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name}, "spec": binding}]


def mutating(name, mutations, matches, **spec):
    return [{"kind": "MutatingAdmissionPolicy", "metadata": {"name": name}, "spec": {
             "matchConstraints": matches, "mutations": mutations, "reinvocationPolicy": "Never", **spec}},
            {"kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name}, "spec": {"policyName": name}}]


def policies():
    workloads = ("deployments", "pods", "configmaps")
    label = "object.metadata.?labels.{}.orValue('')"
    made = [
        *validating("replicas", [{"expression": "object.spec.replicas <= int(params.data.most)",
                                  "messageExpression": "'at most ' + params.data.most + ', not ' + string(object.spec.replicas)"}],
                    rules("deployments"), param=True),
        *validating("owner", [{"expression": label.format("owner") + " != 'nobody'", "message": "nobody owns nothing",
                               "reason": "Forbidden"}], rules(*workloads)),
        *validating("warned", [{"expression": label.format("tier") + " != 'low'", "message": "a low tier"},
                               {"expression": "variables.short", "messageExpression": "'the name has ' + string(variables.size)"}],
                    rules(*workloads), actions=("Warn", "Audit"),
                    variables=[{"name": "size", "expression": "object.metadata.name.size()"},
                               {"name": "short", "expression": "variables.size < 10"}]),
        *validating("audited", [], rules(*workloads), auditAnnotations=[
            {"key": "tier", "valueExpression": "'tier ' + " + label.format("tier")},
            {"key": "old", "valueExpression": "oldObject == null ? '' : string(oldObject.metadata.name)"}]),
        *validating("images", [{"expression": "object.spec.containers.all(c, c.image.startsWith('example.com/'))"}],
                    rules("pods"), matchConditions=[{"name": "other", "expression": "object.metadata.name.endsWith('1')"}]),
        *validating("kept", [{"expression": "oldObject.metadata.?labels.keep.orValue('') != 'yes'", "message": "kept"}],
                    rules(*workloads, operations=("DELETE",))),
        *validating("fixed", [{"expression": "oldObject.metadata.?labels.tier == object.metadata.?labels.tier",
                               "message": "the tier is fixed", "reason": "Invalid"}],
                    rules(*workloads, operations=("UPDATE",)),
                    matchConditions=[{"name": "asks", "expression": label.format("fixed") + " == 'yes'"}]),
        *validating("broken", [{"expression": "object.data.number == '1' || int(object.data.number) > 0"}], rules("configmaps")),
        *validating("ignored", [{"expression": "int(object.data.number) > 100000 || namespaceObject.metadata.name != ''"}],
                    rules("configmaps"), failurePolicy="Ignore"),
        *mutating("labelled", [{"patchType": "JSONPatch", "jsonPatch": {"expression":
                  "has(object.metadata.labels) ? [JSONPatch{op: 'add', path: '/metadata/labels/mutated', value: 'yes'}] : "
                  "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'mutated': 'new'}}]"}}], rules(*workloads)),
        *mutating("applied", [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression":
                  "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ["
                  "Object.spec.template.spec.containers.item{name: 'side', image: 'example.com/side:1'}]}}}}"}}],
                  rules("deployments"), matchConditions=[{"name": "asks", "expression": label.format("side") + " == 'yes'"}]),
        *mutating("failing", [{"patchType": "JSONPatch", "jsonPatch": {"expression":
                  "[JSONPatch{op: 'replace', path: '/data/nowhere', value: 'x'}]"}}], rules("configmaps"),
                  matchConditions=[{"name": "asks", "expression": label.format("fail") + " == 'yes'"}]),
    ]
    return [{"apiVersion": "admissionregistration.k8s.io/v1", **m} for m in made]


def configurations(server, authority):
    matches = rules("deployments", "pods", "configmaps", operations=("CREATE", "UPDATE", "DELETE"))

    def configuration(kind, path):
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "portcullis"}, "webhooks": [{
            "name": f"{path}.portcullis.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "failurePolicy": "Fail", "timeoutSeconds": 10, "rules": matches["resourceRules"],
            "namespaceSelector": matches["namespaceSelector"],
            "clientConfig": {"url": f"https://localhost:{server.port}/{path}", "caBundle": authority}}]}

    return [configuration("MutatingWebhookConfiguration", "mutate"),
            configuration("ValidatingWebhookConfiguration", "validate")]


def requests(count, pick):
    """The sequence: (method, kind, name, body)."""
    names = {kind: [f"{kind.lower()[:3]}-{'x' * pick.randrange(8)}{i}" for i in range(12)]
             for kind in ("ConfigMap", "Deployment", "Pod")}
    existing, out = set(), []
    for _ in range(count):
        kind = pick.choice(list(names))
        name = pick.choice(names[kind])
        method = pick.choice(["POST"] if (kind, name) not in existing else ["PUT", "PUT", "DELETE", "POST"])
        if kind == "Pod" and method == "PUT":
            method = "DELETE"  # of a Pod hardly anything may change
        existing.add((kind, name))
        labels = {key: value for key, values in (("owner", ["me", "nobody"]), ("tier", ["low", "high"]), ("keep", ["yes"]),
                                                 ("side", ["yes"]), ("fixed", ["yes"]), ("fail", ["yes"]))
                  for value in [pick.choice(values)] if pick.random() < 0.25}
        metadata = {"name": name, "namespace": SPACE, **({"labels": labels} if labels else {})}
        pod = {"containers": [{"name": "main", "image": pick.choice(["example.com/a:1", "other.com/a:1"])}]}
        body = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
        if kind == "ConfigMap":
            body["data"] = {"number": pick.choice(["1", "7", "-3", "many"])}
        elif kind == "Pod":
            body["spec"] = pod
        else:
            body.update({"apiVersion": "apps/v1", "spec": {
                "replicas": pick.randrange(7), "selector": {"matchLabels": {"a": "b"}},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}})
        out.append((method, kind, name, None if method == "DELETE" else body))
    return out


def cannot_start():
    """Why no cluster can be started; empty if it can."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    binaries = pathlib.Path(os.environ.get("CLUSTER_BIN", cache / "portcullis-cluster/bin"))
    if not (binaries / "kube-apiserver").exists():
        return f"there is no kube-apiserver in {binaries} (../shared/tools/cluster/cluster build makes it)"
    return "" if shutil.which("openssl") else "there is no program openssl"


class Cluster:
    """A server of SHARED/tools/cluster of its own."""

    def __init__(self, shared, place):
        self.tool = shared / "tools/cluster/cluster"
        self.place = place / "cluster"
        self.environment = {**os.environ, "CLUSTER_DIR": str(self.place)}
        subprocess.run([self.tool, "up"], env=self.environment, check=True, capture_output=True)
        os.environ["KUBECONFIG"] = str(self.place / "kubeconfig")
        sys.path.insert(0, str(self.tool.parent))
        from kube_client import Client  # a file of the shared tools
        self.client = Client()

    def close(self):
        subprocess.run([self.tool, "down"], env=self.environment, check=False, capture_output=True)

    def install(self, objects):
        for o in objects:
            path = ADMISSION + {"MutatingAdmissionPolicy": "mutatingadmissionpolicies",
                                "ValidatingAdmissionPolicy": "validatingadmissionpolicies"}.get(o["kind"], o["kind"].lower() + "s")
            code, got, _ = self.client.call("POST", path, o)
            if code != 201:
                raise RuntimeError(f"{o['kind']} {o['metadata']['name']}: {got}")
            o["path"] = path + "/" + o["metadata"]["name"]

    def remove(self, objects):
        for o in objects:
            self.client.call("DELETE", o.pop("path"))

    def wait(self):
        """Until mutation and validation are in force; then for those that are slower."""
        probe = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
            "name": "probe", "namespace": SPACE, "labels": {"owner": "nobody"}}, "data": {"number": "1"}}
        good = {**probe, "metadata": {"name": "probe", "namespace": SPACE}}
        for _ in range(400):
            time.sleep(0.05)
            code, _, _ = self.client.call("POST", f"/api/v1/namespaces/{SPACE}/configmaps?dryRun=All", probe)
            mutated = self.client.call("POST", f"/api/v1/namespaces/{SPACE}/configmaps?dryRun=All", good)[1]
            if code == 403 and "mutated" in mutated["metadata"].get("labels", {}):
                time.sleep(2)
                return
        raise RuntimeError("nothing is in force")

    def run(self, sequence):
        """One result for each request, and the namespace empty again."""
        audit = self.place / "audit.log"
        start = audit.stat().st_size
        out = []
        for method, kind, name, body in sequence:
            prefix = "/apis/apps/v1" if kind == "Deployment" else "/api/v1"
            path = f"{prefix}/namespaces/{SPACE}/{kind.lower()}s"
            grace = "?gracePeriodSeconds=0" if method == "DELETE" else ""
            code, got, warnings = self.client.call(method, path if method == "POST" else f"{path}/{name}{grace}", body)
            out.append([code, got, sorted(WARNING.sub(r"\1", w) for w in warnings), None])
        events = []
        while len(events) < len(sequence):
            time.sleep(0.5)
            lines = audit.read_bytes()[start:].decode().splitlines()
            events = [e for e in map(json.loads, lines) if e["stage"] == "ResponseComplete" and
                      (e.get("objectRef") or {}).get("namespace") == SPACE]
        for result, event in zip(out, events):
            result[3] = annotations_of(event)
        return out

    def clear(self):
        for path in ("/api/v1/namespaces/{}/configmaps", "/api/v1/namespaces/{}/pods", "/apis/apps/v1/namespaces/{}/deployments"):
            got = self.client.call("GET", path.format(SPACE))[1]
            for item in got["items"]:
                if item["metadata"]["name"] not in ("limit", "kube-root-ca.crt"):
                    self.client.call("DELETE", f"{path.format(SPACE)}/{item['metadata']['name']}?gracePeriodSeconds=0")


def annotations_of(event):
    found = ((OF_POLICIES.match(key), value) for key, value in (event.get("annotations") or {}).items())
    return {f"{match[1]}/{match[2]}": value for match, value in found if match}


def plain(result):
    """A result without what differs each time."""
    from mutated import settled
    code, got, warnings, annotations = result
    if isinstance(got, dict) and got.get("kind") == "Status":
        details = {k: v for k, v in (got.get("details") or {}).items() if k != "uid"}
        return [code, FRAME.sub("", got.get("message", "")), got.get("reason"), details, warnings, annotations]
    uid = got["metadata"].get("uid") if isinstance(got, dict) else None
    return [code, settled(got, uid), warnings, annotations]


def denials_of(decision):
    """The messages that a status can have: of several denials the API server takes any, Portcullis the first by name."""
    plural, frame = decision["resource"]["resource"], "ValidatingAdmissionPolicy '{policy}' with binding '{binding}' "
    group = decision["resource"].get("group")
    subject = f'{plural}{"." + group if group else ""} "{decision["name"]}" is forbidden: '
    return [subject + frame.format(**d) + "denied request: " + d["message"] for d in decision["denials"]]


def is_other_denial(there, here, denials):
    """Whether both deny, there by another of the policies that deny here; all but status, message and reason is equal."""
    return (there[0] >= 400 and here[0] >= 400 and there[1] in denials and here[1] in denials and
            there[4:] == here[4:])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("server")
    ap.add_argument("shared", type=pathlib.Path)
    ap.add_argument("--requests", type=int, default=500)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--show", action="store_true")
    args = ap.parse_args()
    if why := cannot_start():
        print("skipped:", why)
        return 77
    sequence = requests(args.requests, random.Random(args.seed))
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        cluster = Cluster(args.shared, place)
        server = None
        try:
            for path, made in (("/api/v1/namespaces", NAMESPACE), (f"/api/v1/namespaces/{SPACE}/configmaps", PARAM)):
                cluster.client.call("POST", path, made)
            installed = policies()
            (place / "policies.yaml").write_text(
                "\n---\n".join(json.dumps(o) for o in [*installed, NAMESPACE, PARAM]), encoding="utf-8")
            cluster.install(installed)
            cluster.wait()
            there = cluster.run(sequence)
            cluster.remove(installed)
            time.sleep(2)
            cluster.clear()
            make_certificate(place / "certs")
            server = Server(place, "-p", place / "policies.yaml", "--audit-log", place / "audit")
            hooks = configurations(server, base64.b64encode((place / "certs/tls.crt").read_bytes()).decode())
            cluster.install(hooks)
            cluster.wait()
            here = cluster.run(sequence)
            equal(server.end(), 0)  # then its logs are complete
            log = server.log_path.read_text(encoding="utf-8")
            decisions = [json.loads(line) for line in (place / "audit").read_text(encoding="utf-8").splitlines()]
        finally:
            if server is not None:
                server.end()
            cluster.close()
    differ, others, codes = 0, 0, {}
    left = [d for d in decisions if "denials" in d and d["name"] != "probe"]  # in the order of the requests
    for request, a, b in zip(sequence, there, here):
        codes[a[0]] = codes.get(a[0], 0) + 1
        mine = denials_of(left.pop(0)) if left and plain(b)[1] == left[0]["message"] else []
        if plain(a) != plain(b) and is_other_denial(plain(a), plain(b), mine):
            others += 1
        elif plain(a) != plain(b):
            differ += 1
            if differ <= 10:
                print(request[0], request[1], request[2], f"  there: {json.dumps(plain(a))}", f"  here:  {json.dumps(plain(b))}",
                      sep="\n")
    annotated = sum(bool(r[3]) for r in there)
    warned = sum(bool(r[2]) for r in there)
    print(f"statuses {dict(sorted(codes.items()))}, {warned} with warnings, {annotated} with audit annotations, "
          f"{others} denied by another of several policies")
    if args.show:
        print(log[-2000:])
    print(f"{len(sequence) - differ} passed, {differ} failed")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
