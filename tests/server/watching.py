#!/usr/bin/env python3
"""Runs portcullis-server with policies from a fake API server: lists, watches, params, namespaces, and all that fails.

Usage: watching.py SERVER [NAME...]    (names of cases). Exit status 77: no program openssl.
Closes with `N passed, N failed`.
"""
import base64
import json
import pathlib
import subprocess
import time

from fake_cluster import ADMISSION, BINDINGS, CONFIGMAPS, DEFINITIONS, NAMESPACES, POLICIES, FakeCluster, FakeProxy, Gone, leave, status
from server import PROGRAM, SLOW, Server, case, equal, holds, make_certificate, make_client_certificate, policy, review, run_cases

LIMITS = "/apis/example.com/v1/limits"


def objects(text):
    return [json.loads(part) for part in text.split("\n---\n") if part.strip()]


def install(cluster, name, expression, param=None, **more):
    """A policy and its binding; `param`: apiVersion, kind and paramRef."""
    made, binding = objects(policy(name, expression, **more))
    if param:
        made["spec"]["paramKind"] = {"apiVersion": param[0], "kind": param[1]}
        binding["spec"]["paramRef"] = {"parameterNotFoundAction": "Deny", **param[2]}
    cluster.put(POLICIES, made)
    cluster.put(BINDINGS, binding)


def space(name, **labels):
    return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name, **labels}}}


def config(name, **data):
    return {"metadata": {"name": name, "namespace": "default"}, "data": data}


def fake(place):
    make_certificate(place / "api")
    make_certificate(place / "certs")
    cluster = FakeCluster(place / "api")
    cluster.put(NAMESPACES, space("default"))
    install(cluster, "named", "request.name != 'bad'")
    return cluster


def start(place, cluster, *options, user=None, ready=True):
    (place / "kubeconfig").write_text(cluster.kubeconfig(**(user or {})), encoding="utf-8")
    return Server(place, "--kubeconfig", place / "kubeconfig", "--log-level", "debug", *options, ready=ready)


def response(server, **asked):
    code, _, value = server.send(review(**asked))
    equal(code, 200, value)
    return value["response"]


def allowed(server, **asked):
    return response(server, **asked)["allowed"]


def message(server, **asked):
    return response(server, **asked).get("status", {}).get("message", "")


def verbose(server):
    return server.status("/readyz?verbose")[1]


# --- what is in the cluster decides ---


@case
def policies_of_the_cluster_decide(place):
    cluster = fake(place)
    server = start(place, cluster)
    equal([allowed(server), allowed(server, name="bad")], [True, False])
    install(cluster, "second", "request.name != 'worse'")
    server.wait(lambda: not allowed(server, name="worse"), "denied by a new policy")
    install(cluster, "second", "request.name != 'worst'")
    server.wait(lambda: not allowed(server, name="worst"), "denied by a changed policy")
    equal(allowed(server, name="worse"), True)
    cluster.delete(BINDINGS, "named")
    server.wait(lambda: allowed(server, name="bad"), "admitted without the binding")
    cluster.delete(POLICIES, "second")
    server.wait(lambda: allowed(server, name="worst"), "admitted without the policy")
    holds("[+]cluster ok: context c of" in verbose(server), verbose(server))
    equal(server.metric("portcullis_cluster_connected"), 1.0)


@case
def params_are_exchanged_without_compiling(place):
    cluster = fake(place)
    ref = {"name": "limit", "namespace": "default"}
    install(cluster, "most", "int(object.data.k) <= int(params.data.most)", ("v1", "ConfigMap", ref))
    cluster.put(CONFIGMAPS, config("limit", most="5"))
    server = start(place, cluster)
    seven = {"spec": {"data": {"k": "7"}}}
    loads = server.logged("policies are loaded")
    equal(allowed(server, **seven), False)
    cluster.put(CONFIGMAPS, config("limit", most="9"))
    server.wait(lambda: allowed(server, **seven), "admitted by the changed param")
    cluster.delete(CONFIGMAPS, "limit", "default")
    server.wait(lambda: "no params found" in message(server, **seven), "denied without the param")
    cluster.put(CONFIGMAPS, config("limit", most="6"))
    server.wait(lambda: "no params" not in message(server, **seven), "denied by the new param")
    equal(server.logged("policies are loaded"), loads, "loads")
    holds(server.metric("portcullis_cluster_data_exchanges_total") >= 3, "exchanges")


@case
def changes_decide_at_once(place):
    """Not when the server looks around the next time, once a second."""
    cluster = fake(place)
    cluster.pieces, cluster.bookmarks = False, 1000  # the event alone wakes the server
    install(cluster, "most", "object.data.k == params.data.k", ("v1", "ConfigMap", {"name": "limit", "namespace": "default"}))
    cluster.put(CONFIGMAPS, config("limit", k="0"))
    server = start(place, cluster)
    took = []
    for number in range(1, 8):
        time.sleep(0.3)
        begun = time.monotonic()
        cluster.put(CONFIGMAPS, config("limit", k=str(number)))
        server.wait(lambda: allowed(server, spec={"data": {"k": str(number)}}), "the new param")
        took.append(time.monotonic() - begun)
    holds(sorted(took)[3] < 0.4 * SLOW, f"seconds until changes decide: {took}")


@case
def data_that_is_not_in_use_has_an_age(place):
    cluster = fake(place)
    server = start(place, cluster)
    equal(server.metric("portcullis_cluster_data_age_seconds"), 0.0)
    cluster.faults["/api/v1/secrets"] = lambda handler, _: cluster.send(handler, 500, status(500, "broken")) or True
    install(cluster, "most", "object.data.k == params.data.k", ("v1", "Secret", {"name": "limit", "namespace": "default"}))
    server.wait(lambda: server.metric("portcullis_cluster_data_age_seconds") > 0.5, "the policy waits for its params")
    cluster.faults.clear()
    server.wait(lambda: server.logged("policies are loaded") == 2, "loaded")
    server.wait(lambda: server.metric("portcullis_cluster_data_age_seconds") == 0.0, "all is in use")


@case
def lists_have_pages(place):
    cluster = fake(place)
    install(cluster, "most", "object.data.k == params.data.k", ("v1", "ConfigMap", {"name": "c1199", "namespace": "default"}))
    cluster.put(CONFIGMAPS, *(config(f"c{i}", k=str(i)) for i in range(1200)))
    server = start(place, cluster)
    equal([allowed(server, spec={"data": {"k": str(k)}}) for k in (1199, 1)], [True, False])
    pages = [q for p, q in cluster.asked if p == CONFIGMAPS and "watch" not in q]
    equal([q["limit"] for q in pages], ["500"] * 3)
    equal(server.metric('portcullis_cluster_objects{resource="configmaps"}'), 1200.0)


@case
def pages_that_expire_are_listed_as_a_whole(place):
    cluster = fake(place)
    cluster.put(NAMESPACES, *(space(f"n{i}") for i in range(700)))

    def expire(_, query):
        if "continue" in query:
            cluster.faults.clear()
            cluster.expire()
        return False

    cluster.faults[NAMESPACES] = expire
    server = start(place, cluster)
    equal(allowed(server, namespace="n699"), True)
    equal([sorted(q) for p, q in cluster.asked if p == NAMESPACES and "watch" not in q], [["limit"], ["continue", "limit"], []])


@case
def watches_go_on_from_bookmarks(place):
    cluster = fake(place)
    server = start(place, cluster)
    for _ in range(5):
        install(cluster, "named", "request.name != 'bad'")  # newer versions, which namespaces see by bookmarks alone
    newest = cluster.version
    server.wait(lambda: cluster.count(NAMESPACES, watch=True) == 1, "watching")
    seen = cluster.marks[NAMESPACES]
    server.wait(lambda: cluster.marks[NAMESPACES] >= seen + 3, "bookmarks")
    cluster.cut()
    server.wait(lambda: cluster.count(NAMESPACES, watch=True) == 2, "watching again")
    equal(cluster.count(NAMESPACES), 1, "lists")
    last = [q for p, q in cluster.asked if p == NAMESPACES][-1]
    equal((int(last["resourceVersion"]) >= newest, last["allowWatchBookmarks"]), (True, "true"))
    install(cluster, "second", "request.name != 'worse'")
    server.wait(lambda: not allowed(server, name="worse"), "denied by a policy after the cut")


@case
def forgotten_versions_are_listed_anew(place):
    cluster = fake(place)
    server = start(place, cluster)
    server.wait(lambda: cluster.count(POLICIES, watch=True) == 1, "watching")
    with cluster.lock:
        del cluster.objects[BINDINGS][("", "named")]  # nobody is told
    cluster.expire()
    server.wait(lambda: allowed(server, name="bad"), "the binding is gone")
    install(cluster, "second", "request.name != 'worse'")
    server.wait(lambda: not allowed(server, name="worse"), "watching again")
    holds(cluster.count(POLICIES) < 5, "not listed again and again")


@case
def older_clusters_have_older_versions(place):
    cluster = fake(place)
    for path in [p for p in cluster.kinds if p.startswith(ADMISSION)]:
        kind = cluster.kinds.pop(path)
        old = cluster.objects.pop(path)
        if kind[0].startswith("Validating"):
            newer = path.replace("/v1/", "/v1beta1/")
            cluster.add_kind(newer, *kind)
            cluster.put(newer, *old.values())
    server = start(place, cluster)
    equal([allowed(server), allowed(server, name="bad")], [True, False])


# --- params of kinds that come and go ---


def limit(most):
    return {"metadata": {"name": "limit", "namespace": "default"}, "spec": {"most": most}}


DEFINITION = {"metadata": {"name": "limits.example.com"}, "spec": {
    "group": "example.com", "scope": "Namespaced",
    "names": {"kind": "Limit", "plural": "limits", "singular": "limit", "listKind": "LimitList"},
    "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"spec": {"type": "object", "properties": {"most": {"type": "integer"}}}}}}}]}}


@case
def a_definition_appears_later(place):
    cluster = fake(place)
    install(cluster, "most", "int(object.data.k) <= params.spec.most",
            ("example.com/v1", "Limit", {"name": "limit", "namespace": "default"}))
    server = start(place, cluster)
    seven = {"spec": {"data": {"k": "7"}}}
    holds("failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'" in message(server, **seven),
          message(server, **seven))
    holds("params of example.com/v1 Limit cannot be read" in verbose(server), verbose(server))
    equal(server.metric("portcullis_cluster_param_kinds_unreadable"), 1.0)
    cluster.add_kind(LIMITS, "Limit", True)
    cluster.put(LIMITS, limit(9))
    cluster.put(DEFINITIONS, DEFINITION)
    server.wait(lambda: allowed(server, **seven), "admitted by the param")
    cluster.put(LIMITS, limit(5))
    server.wait(lambda: not allowed(server, **seven), "denied by the changed param")
    # The definition goes: the kind stays, without params, also when a policy changes.
    cluster.remove_kind(LIMITS)
    cluster.delete(DEFINITIONS, "limits.example.com")
    server.wait(lambda: "no params found" in message(server, **seven), "denied without params")
    loads = server.logged("policies are loaded")
    install(cluster, "second", "request.name != 'worse'")
    server.wait(lambda: server.logged("policies are loaded") > loads, "loaded")
    holds("no params found" in message(server, **seven), message(server, **seven))
    equal(server.metric("portcullis_cluster_param_kinds_unreadable"), 0.0)


@case
def params_without_rights_fail(place):
    cluster = fake(place)
    cluster.faults["/api/v1/secrets"] = lambda handler, _: cluster.send(handler, 403, status(403, "secrets is forbidden")) or True
    install(cluster, "most", "params == null", ("v1", "Secret", {"selector": {}, "parameterNotFoundAction": "Allow"}))
    server = start(place, cluster)
    holds("failed to find resource" in message(server), message(server))
    holds("params of v1 Secret cannot be read: 403 secrets is forbidden" in verbose(server), verbose(server))


# --- namespaces ---


@case
def a_namespace_is_created_then_used(place):
    cluster = fake(place)
    install(cluster, "team", "namespaceObject.metadata.?labels.team.orValue('') == 'red'")
    cluster.put(NAMESPACES, space("default", team="red"))
    server = start(place, cluster)
    cluster.held.add(NAMESPACES)  # the watch is late
    cluster.put(NAMESPACES, space("new", team="red"), space("blue", team="blue"))
    equal(allowed(server, namespace="new"), True)
    equal(allowed(server, namespace="blue"), False)
    equal([message(server, namespace="nowhere"), response(server, namespace="nowhere")["status"]["code"]],
          ['namespaces "nowhere" not found', 404])
    equal(cluster.count("/api/v1/namespaces/new"), 1, "requests for the namespace")
    cluster.faults["/api/v1/namespaces/other"] = lambda handler, _: cluster.send(handler, 500, status(500, "broken")) or True
    code, _, value = server.send(review(namespace="other"))
    equal((code, value["message"]), (503, "it is unknown whether the namespace exists: 500 broken"))
    cluster.held.clear()
    cluster.put(NAMESPACES, space("blue", team="red"))
    server.wait(lambda: allowed(server, namespace="blue"), "admitted by the changed label")


# --- the authorizer ---


@case
def roles_of_the_cluster_answer_the_authorizer(place):
    rbac = "/apis/rbac.authorization.k8s.io/v1/"
    cluster = fake(place)
    server = start(place, cluster)
    equal(cluster.count(rbac + "roles"), 0, "roles are read only if an expression asks")
    install(cluster, "may", "authorizer.group('').resource('things').check('use').allowed()")
    server.wait(lambda: not allowed(server), "denied without a role")
    cluster.put(rbac + "clusterroles", {"metadata": {"name": "user"}, "rules": [
        {"apiGroups": [""], "resources": ["things"], "verbs": ["use"]}]})
    cluster.put(rbac + "clusterrolebindings", {"metadata": {"name": "user"}, "subjects": [
        {"kind": "User", "name": "eve", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "user"}})
    server.wait(lambda: allowed(server), "admitted by the role")


# --- with files ---


@case
def files_and_a_cluster_together(place):
    cluster = fake(place)
    policies = place / "policies"
    policies.mkdir()
    (policies / "p.yaml").write_text(policy("file", "request.name != 'worse'") + policy("named", "request.name != 'evil'"))
    server = start(place, cluster, "-p", policies)
    equal([allowed(server, name=n) for n in ("a", "worse", "evil", "bad")], [True, False, False, True])
    (policies / "p.yaml").write_text(policy("file", "request.name != 'worst'"))
    server.wait(lambda: not allowed(server, name="worst"), "denied by the changed file")
    equal(allowed(server, name="bad"), False, "the policy of the cluster is there again")
    (policies / "p.yaml").write_text(policy("file", "request.nam != 'worst'"))
    server.wait(lambda: server.logged("the last good policies stay in use"), "the bad file is told")
    equal(allowed(server, name="worst"), False)
    holds("newer files do not load" in verbose(server), verbose(server))


@case
def an_object_of_a_file_stays(place):
    """Also if the file does not name its namespace, and the cluster has an object of its name for a time."""
    cluster = fake(place)
    for name in "limit", "seen":
        install(cluster, name, f"object.data.{name} == params.data.k", ("v1", "ConfigMap", {"name": name, "namespace": "default"}))
    cluster.put(CONFIGMAPS, config("seen", k="0"))
    (place / "limit.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: limit}, data: {k: file}}")
    server = start(place, cluster, "-p", place / "limit.yaml")

    def decides_as_file(step):
        cluster.put(CONFIGMAPS, config("seen", k=step))  # a change of params alone, which loads nothing anew
        server.wait(lambda: allowed(server, spec={"data": {"seen": step, "limit": "file"}}), "decided by the file: " + step)
        equal(allowed(server, spec={"data": {"seen": step, "limit": "cluster"}}), False)

    decides_as_file("before")
    cluster.put(CONFIGMAPS, config("limit", k="cluster"))
    decides_as_file("beside")
    cluster.delete(CONFIGMAPS, "limit", "default")
    decides_as_file("after")


@case
def policies_of_files_alone(place):
    cluster = fake(place)
    (place / "p.yaml").write_text(policy("file", "namespaceObject.metadata.name != 'default' || request.name != 'worse'"))
    server = start(place, cluster, "-p", place / "p.yaml", "--no-cluster-policies")
    equal([allowed(server, name=n) for n in ("bad", "worse")], [True, False])
    equal(cluster.count(POLICIES), 0)


# --- what goes wrong ---


@case
def not_ready_before_the_first_lists(place):
    cluster = fake(place)
    cluster.faults[NAMESPACES] = lambda handler, _: cluster.send(handler, 403, status(403, "namespaces is forbidden: no")) or True
    server = start(place, cluster, ready=False)
    server.wait(lambda: "namespaces: 403 namespaces is forbidden: no" in verbose(server), "told what is missing")
    equal(server.status("/readyz")[0], 500)
    equal(server.send(review())[0], 503)
    cluster.faults.clear()
    server.wait(lambda: server.status("/readyz")[0] == 200, "ready")
    equal(allowed(server, name="bad"), False)


@case
def a_lost_cluster_keeps_the_last_good_set(place):
    cluster = fake(place)
    server = start(place, cluster)
    cluster.down()
    server.wait(lambda: "[+]cluster ok: lost, decides with what it knew" in verbose(server), "told")
    equal([server.status("/readyz")[0], allowed(server, name="bad")], [200, False])
    equal(server.metric("portcullis_cluster_connected"), 0.0)
    server.wait(lambda: server.logged("the cluster is lost"), "logged")
    server.wait(lambda: server.metric("portcullis_cluster_data_age_seconds") > 1.5, "it has an age, and attempts fail")
    cluster.up()
    install(cluster, "second", "request.name != 'worse'")
    server.wait(lambda: not allowed(server, name="worse"), "denied by a policy after that")
    server.wait(lambda: server.metric("portcullis_cluster_connected") == 1.0, "connected")
    lines = [l["msg"] for l in server.log() if l["msg"].startswith(("the cluster", "the watch")) and l["level"] != "debug"]
    equal(lines, ["the cluster is lost; the last good policies, params and namespaces stay in use", "the cluster is there again"])


@case
def a_stored_policy_that_does_not_load_fails(place):
    cluster = fake(place)
    install(cluster, "broken", "object.data.nam == ", resources=("configmaps",))
    server = start(place, cluster)
    holds("compilation failed" in message(server) or "failed" in message(server), message(server))
    equal([allowed(server, kind="Pod"), allowed(server, kind="Pod", name="bad")], [True, False])
    holds("1 objects do not load and fail: in the cluster: ValidatingAdmissionPolicy/broken" in verbose(server), verbose(server))
    equal(server.metric("portcullis_cluster_objects_invalid"), 1.0)
    equal(server.logged("in the cluster: ValidatingAdmissionPolicy/broken"), 1, "lines of the log")
    cluster.delete(POLICIES, "broken")
    server.wait(lambda: allowed(server), "admitted without it")


@case
def a_token_is_exchanged(place):
    cluster = fake(place)
    (place / "token").write_text("secret\n")
    server = start(place, cluster, user={"tokenFile": str(place / "token")})
    cluster.tokens = {"newer"}
    cluster.cut()
    server.wait(lambda: "401 Unauthorized" in verbose(server), "refused")
    (place / "token").write_text("newer")
    server.wait(lambda: server.metric("portcullis_cluster_connected") == 1.0, "connected with the new token")
    holds(not server.logged("secret"), "no token in the log")


@case
def a_pod_asks_as_its_service_account(place):
    cluster = fake(place)
    account = place / "account"
    account.mkdir()
    (account / "ca.crt").write_bytes(cluster.authority)
    (account / "token").write_text("secret")
    pod = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(cluster.port)}
    for options in (["--in-cluster"], []):  # in a Pod it is the default
        server = Server(place, *options, "--service-account-dir", account, environment=pod)
        equal([allowed(server), allowed(server, name="bad")], [True, False])
        holds("[+]cluster ok: service account of the Pod" in verbose(server), verbose(server))
        equal(server.end(), 0, "exit status")
    equal(cluster.identities, {"token secret"})

    def refused(text, environment):
        done = subprocess.run([PROGRAM, "--cert-dir", place / "certs", "--in-cluster", "--service-account-dir", account],
                              capture_output=True, text=True, timeout=60, env={"PATH": "/bin", **environment})
        equal((done.returncode, text in done.stderr), (2, True), f"{text}: {done.stderr}")

    refused("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set", {})
    (account / "token").unlink()
    refused(f"{account}/token", pod)


@case
def all_that_a_kubeconfig_may_show(place):
    cluster = fake(place)
    make_certificate(place / "people", "people")
    certificate, key = make_client_certificate(place, place / "people", "robot")
    cluster.down()
    cluster.tokens, cluster.basic, cluster.client_authority = {"secret"}, "eve:pass:word", place / "people/tls.crt"
    cluster.up()
    (place / "relative.token").write_text("secret")
    data = {name: base64.b64encode(pathlib.Path(file).read_bytes()).decode() for name, file in
            (("client-certificate-data", certificate), ("client-key-data", key))}
    before = ""  # the server before may have asked something that the cluster reads late
    for user, identity in (({"client-certificate": certificate, "client-key": key}, "certificate robot"),
                           (data, "certificate robot"),
                           ({"tokenFile": "relative.token"}, "token secret"),
                           ({"username": "eve", "password": "pass:word"}, "basic eve:pass:word"),
                           ({"token": "secret", "as": "someone"}, "token secret as someone")):
        cluster.identities = set()
        server = start(place, cluster, user=user)
        equal([allowed(server), allowed(server, name="bad")], [True, False])
        equal((cluster.identities - {before} | {identity} & cluster.identities, server.end()), ({identity}, 0))
        before = identity


@case
def a_proxy_is_asked_where_the_kubeconfig_says(place):
    cluster, proxy = fake(place), FakeProxy()
    made = json.loads(cluster.kubeconfig())
    made["clusters"][0]["cluster"]["proxy-url"] = f"http://127.0.0.1:{proxy.port}"
    (place / "kubeconfig").write_text(json.dumps(made))
    server = Server(place, "--kubeconfig", place / "kubeconfig")
    equal([allowed(server), allowed(server, name="bad")], [True, False])
    equal(set(proxy.asked), {f"127.0.0.1:{cluster.port}"})
    server.end()


def garbage(cluster, make):
    """The next watch of policies gets `make`'s bytes, and everybody else what is right."""
    def answer(handler, query):
        if "watch" not in query:
            return False
        cluster.faults.clear()
        cluster.begin_watch(handler)
        for part in make():
            cluster.chunk(handler, part)
        raise Gone
    cluster.faults[POLICIES] = answer


@case
def broken_answers_end_with_a_line_and_a_retry(place):
    cluster = fake(place)
    server = start(place, cluster)
    odd = json.dumps({"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", "metadata": {
        "name": "x", "resourceVersion": "5"}}}).encode()
    for index, (parts, told) in enumerate((
            ([b'{"type": "ADD\n'], "the event is not JSON"),
            ([odd + b"\n"], "an object is of the kind v1 Pod, not admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy"),
            ([b"[" * 100000 + b"\n"], "the event is not JSON"),
            ([b'{"type": "ADDED"}\n'], "no object"),
            ((b"x" * (1 << 20) for _ in range(17)), "an event is longer than 16777216 bytes"))):
        garbage(cluster, lambda parts=parts: parts)
        cluster.cut()
        server.wait(lambda told=told: any(told in line.get("error", "") for line in server.log()), f"told {told}")
        name = f"worse{index}"
        install(cluster, "second", f"request.name != '{name}'")
        server.wait(lambda name=name: not allowed(server, name=name), f"denied after {told}")
        equal(allowed(server, name="bad"), False)


@case
def broken_lists_are_asked_for_again(place):
    cluster = fake(place)
    answers = [b"<html>", b"[]", json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}}).encode(),
               json.dumps({"kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [3]}).encode()]

    def answer(handler, _):
        if not answers:
            return False
        cluster.send(handler, 200, answers.pop(0))
        return True

    cluster.faults[NAMESPACES] = answer
    server = start(place, cluster, ready=False)
    server.wait(lambda: server.status("/readyz")[0] == 200, "ready after all", 60)
    for told in ("the list is not JSON", "the list is not a JSON object", "the answer is a v1 PodList, not v1 NamespaceList",
                 "an item of the list is not an object"):
        holds(any(told in line.get("error", "") for line in server.log()), told)


@case
def objects_have_a_limit(place):
    cluster = fake(place)
    server = start(place, cluster, "--max-cluster-bytes", "20000")
    cluster.put(NAMESPACES, *(space(f"n{i}", filler="x" * 60) for i in range(200)))
    server.wait(lambda: "the objects of the cluster are larger than 20000 bytes" in verbose(server), "told")
    equal(allowed(server, name="bad"), False)


@case
def starts_only_with_a_usable_kubeconfig(place):
    cluster = fake(place)
    made = json.loads(cluster.kubeconfig())

    def refused(change, text, *options):
        value = json.loads(json.dumps(made))
        change(value)
        (place / "k").write_text(json.dumps(value))
        done = subprocess.run([PROGRAM, "--cert-dir", place / "certs", "--kubeconfig", place / "k", *options],
                              capture_output=True, text=True, timeout=60)
        equal((done.returncode, text in done.stderr), (2, True), f"{text}: {done.stderr}")

    refused(lambda v: v["users"][0].update(user={"exec": {"command": "aws"}}), "the server starts no programs")
    refused(lambda v: v["users"][0].update(user={"auth-provider": {"name": "gcp"}}), "the server starts no programs")
    refused(lambda v: v["users"][0].update(user={"client-certificate": "c.crt"}), "client-certificate and client-key belong together")
    refused(lambda v: v["users"][0].update(user={"token": "t", "username": "eve"}), "a token and a username exclude each other")
    refused(lambda v: v.pop("current-context"), "there is no current-context")
    refused(lambda v: None, 'there is no context \\"d\\"', "--context", "d", "--log-format", "json")
    refused(lambda v: v["clusters"][0]["cluster"].pop("server"), "server is missing")
    refused(lambda v: None, "--params-scope is for files alone", "--params-scope", "Limit=Cluster")
    refused(lambda v: None, "--no-cluster-policies wants policies of -p", "--no-cluster-policies")
    done = subprocess.run([PROGRAM, "--cert-dir", place / "certs"], capture_output=True, text=True, timeout=60,
                          env={"PATH": "/bin"})
    equal((done.returncode, "give -p, --kubeconfig, or --in-cluster" in done.stderr), (2, True), done.stderr)


if __name__ == "__main__":
    leave(run_cases(2))
