#!/usr/bin/env python3
"""A real kube-apiserver whose policies, bindings, params, namespaces, definitions and roles change, and portcullis-server
that watches it: both must decide the same.

Usage: watching_cluster.py SERVER SHARED

After each change the same objects are sent to the API server (as dry runs, so its own policies decide) and to /validate,
until both answers are what the change makes of them; compared are verdict and message. Exit status 77: no binaries of the
cluster (SHARED/tools/cluster/cluster build), or no openssl. Closes with `N passed, N failed`.
"""
import pathlib
import sys
import tempfile
import time

from cluster import Cluster, cannot_start
from server import Server, make_certificate, review
from watching import DEFINITION, LIMITS, limit, space

ADMISSION = "/apis/admissionregistration.k8s.io/v1/"
RBAC = "/apis/rbac.authorization.k8s.io/v1/"
POLICIES, BINDINGS = ADMISSION + "validatingadmissionpolicies", ADMISSION + "validatingadmissionpolicybindings"
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
EVE = {"Impersonate-User": "eve", "Impersonate-Group": "system:authenticated"}
# A new definition is known to the API server's policies after up to this long (its discovery).
PATIENCE = 60


def policy(name, expression, param=None, namespaces=None, **spec):
    """A policy for ConfigMaps that are named probe-..., and its binding."""
    rules = [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]
    made = {"matchConstraints": {"resourceRules": rules, "namespaceSelector": {"matchLabels": namespaces or {}}},
            "matchConditions": [{"name": "probe", "expression": "object.metadata.name.startsWith('probe')"}],
            "validations": [{"expression": expression, "message": "by " + name}], **spec}
    binding = {"policyName": name, "validationActions": ["Deny"]}
    if param:
        made["paramKind"] = {"apiVersion": param[0], "kind": param[1]}
        binding["paramRef"] = {"name": "limit", "namespace": "default", "parameterNotFoundAction": "Deny"}
    return {"metadata": {"name": name}, "spec": made}, {"metadata": {"name": name}, "spec": binding}


class Pair:
    """The cluster and the server that watches it."""

    def __init__(self, cluster, server):
        self.client, self.server = cluster.client, server
        self.connection = server.connect()

    def call(self, method, path, body=None, good=(200, 201)):
        code, got, _ = self.client.call(method, path, body)
        if code not in good:
            raise RuntimeError(f"{method} {path}: {code} {got}")
        return got

    def put(self, path, made):
        """Creates an object, or replaces it."""
        name = path + "/" + made["metadata"]["name"]
        code, old, _ = self.client.call("GET", name)
        if code == 404:
            return self.call("POST", path, made)
        metadata = {**made["metadata"], "resourceVersion": old["metadata"]["resourceVersion"]}
        return self.call("PUT", name, {**made, "metadata": metadata})

    def install(self, *words, **more):
        made, binding = policy(*words, **more)
        self.put(POLICIES, made)
        self.put(BINDINGS, binding)

    def answers(self, name, namespace, data):
        """Both answers: verdict and message."""
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}
        code, got, _ = self.client.call("POST", f"/api/v1/namespaces/{namespace}/configmaps?dryRun=All", obj, EVE)
        there = (code == 201, "" if code == 201 else got.get("message"))
        asked = review(name=name, namespace=namespace, spec={"data": data})
        asked["request"]["dryRun"] = True
        response = self.server.send(asked, "/validate", self.connection)[2].get("response")
        here = response and (response["allowed"], response.get("status", {}).get("message", ""))
        return there, here

    def agree(self, what, *probes):
        """Waits until both decide as the probes say: name, namespace, data, verdict."""
        end = time.monotonic() + PATIENCE
        while True:
            found = [(self.answers(*probe[:3]), probe[3]) for probe in probes]
            if all(there == here and there[0] == wanted for (there, here), wanted in found):
                return True
            if time.monotonic() > end:
                print(f"FAILED {what}: {found}")
                return False
            time.sleep(0.1)


def steps(pair):
    """Changes the cluster; each step is a name, the change and its probes."""
    one, nine = {"k": "1"}, {"k": "9"}
    yield "a policy is created", lambda: pair.install("first", "object.metadata.name != 'probe-bad'"), [
        ("probe-a", "default", one, True), ("probe-bad", "default", one, False)]
    yield "a policy is changed", lambda: pair.install("first", "object.metadata.name != 'probe-worse'"), [
        ("probe-bad", "default", one, True), ("probe-worse", "default", one, False)]
    yield "a binding is deleted", lambda: pair.call("DELETE", BINDINGS + "/first"), [("probe-worse", "default", one, True)]
    yield "a policy has params", lambda: (pair.put(CONFIGMAPS, {"metadata": {"name": "limit"}, "data": {"most": "5"}}),
                                          pair.install("most", "int(object.data.k) <= int(params.data.most)", ("v1", "ConfigMap"))), [
        ("probe-a", "default", one, True), ("probe-a", "default", nine, False)]
    yield "a param is changed", lambda: pair.put(CONFIGMAPS, {"metadata": {"name": "limit"}, "data": {"most": "9"}}), [
        ("probe-a", "default", nine, True)]
    yield "a param is deleted", lambda: pair.call("DELETE", CONFIGMAPS + "/limit"), [("probe-a", "default", one, False)]
    yield "its policy is deleted", lambda: pair.call("DELETE", POLICIES + "/most"), [("probe-a", "default", one, True)]
    yield "a policy sees namespaces", lambda: (pair.install("red", "namespaceObject.metadata.labels.team == 'red'", namespaces={"seen": "yes"}),
                                               pair.put("/api/v1/namespaces", space("red", team="red", seen="yes")),
                                               pair.put("/api/v1/namespaces", space("blue", team="blue", seen="yes"))), [
        ("probe-a", "red", one, True), ("probe-a", "blue", one, False), ("probe-a", "default", one, True)]
    yield "a namespace is changed", lambda: pair.put("/api/v1/namespaces", space("blue", team="red", seen="yes")), [
        ("probe-a", "blue", one, True)]
    yield "a policy that does not load", lambda: pair.install("stored", "params.x == 1", ("example.com/v1", "Limit")), [
        ("probe-a", "default", one, False)]
    yield "its kind appears", lambda: (pair.put("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", DEFINITION),
                                       established(pair),
                                       pair.put(LIMITS.replace("limits", "namespaces/default/limits"),
                                                {**limit(5), "apiVersion": "example.com/v1", "kind": "Limit"}),
                                       pair.install("stored", "int(object.data.k) <= params.spec.most", ("example.com/v1", "Limit"))), [
        ("probe-a", "default", one, True), ("probe-a", "default", nine, False)]
    yield "its param is changed", lambda: pair.put(LIMITS.replace("limits", "namespaces/default/limits"),
                                                   {**limit(9), "apiVersion": "example.com/v1", "kind": "Limit"}), [
        ("probe-a", "default", nine, True)]
    yield "a policy asks the authorizer", lambda: pair.install("may", "authorizer.group('').resource('things').check('use').allowed()"), [
        ("probe-a", "default", one, False)]
    yield "a role allows it", lambda: (pair.put(RBAC + "clusterroles", {"metadata": {"name": "things"}, "rules": [
        {"apiGroups": [""], "resources": ["things"], "verbs": ["use"]}]}), bind(pair, "things")), [
        ("probe-a", "default", one, True)]
    yield "the role is deleted", lambda: pair.call("DELETE", RBAC + "clusterroles/things"), [("probe-a", "default", one, False)]
    yield "all policies are deleted", lambda: (pair.call("DELETE", POLICIES), pair.call("DELETE", BINDINGS)), [
        ("probe-a", "default", one, True), ("probe-a", "blue", one, True)]


def bind(pair, role):
    pair.put(RBAC + "clusterrolebindings", {"metadata": {"name": role}, "subjects": [
        {"kind": "User", "name": "eve", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}})


def established(pair):
    for _ in range(200):
        if pair.client.call("GET", LIMITS)[0] == 200:
            return
        time.sleep(0.1)
    raise RuntimeError("the definition is not served")


def new_namespaces(pair):
    """Namespaces that are created and used at once: the server must never say that they are not there."""
    wrong = 0
    pair.install("red", "namespaceObject.metadata.labels.team == 'red'")
    pair.agree("a policy sees labels of namespaces", ("probe-a", "default", {"k": "1"}, False))
    for i in range(20):
        pair.call("POST", "/api/v1/namespaces", space(f"new{i}", team="red"))
        asked = review(name="probe-a", namespace=f"new{i}")
        response = pair.server.send(asked, "/validate", pair.connection)[2]["response"]
        wrong += not response["allowed"]
    if wrong:
        print(f"FAILED {wrong} of 20 requests in new namespaces are denied")
    return not wrong


def main():
    if why := cannot_start():
        print("skipped:", why)
        return 77
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        cluster = Cluster(pathlib.Path(sys.argv[2]), place)
        try:
            make_certificate(place / "certs")
            server = Server(place, "--kubeconfig", place / "cluster/kubeconfig")
            pair = Pair(cluster, server)
            pair.put(RBAC + "clusterroles", {"metadata": {"name": "maker"}, "rules": [
                {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]}]})
            bind(pair, "maker")
            for what, change, probes in steps(pair):
                change()
                good = pair.agree(what, *probes)
                passed += good
                failed += not good
            good = new_namespaces(pair)
            passed += good
            failed += not good + (server.end() != 0)
            if failed:
                print(server.log_path.read_text(encoding="utf-8")[-3000:])
        finally:
            cluster.close()
            while Server.running:
                Server.running.pop().process.kill()
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
