#!/usr/bin/env python3
"""Runs portcullis-server and talks to it: answers, what is logged of them, which namespaces and kinds it knows. files.py: the
files that it reads; lifecycle.py: start, load and end; hostile.py: hostile clients.

Usage: run.py SERVER PORTCULLIS SOURCE_ROOT [NAME...]    (names of cases). Exit status 77: no program openssl.
Closes with `N passed, N failed`.
"""
import base64
import json
import os
import pathlib
import signal
import subprocess
import sys

from server import (Server, allowed, case, equal, holds, make_certificate, mutation, policy, review, run_cases, scopeless,
                    simple)

PORTCULLIS, ROOT = sys.argv[2], pathlib.Path(sys.argv[3])


@case
def a_policy_with_params_of_unknown_scope_fails_alone(place):
    """As in an API server, which does not find the kind: other policies decide."""
    limit = '{"apiVersion": "example.com/v1", "kind": "Limit", "metadata": {"name": "a"}, "spec": {"name": "web"}}'
    server = simple(place, text=scopeless() + policy("named", "request.name != 'bad'", resources=("pods",)) + limit)
    answer = server.send(review())[2]["response"]
    equal(answer["allowed"], False)
    holds("failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'" in answer["status"]["message"], str(answer))
    equal((allowed(server.send(review(kind="Pod"))), allowed(server.send(review(name="bad", kind="Pod")))), (True, False))
    told = [l["msg"] for l in server.log() if "unknown whether example.com/v1 Limit" in l["msg"]]
    holds(len(told) == 1 and "--params-scope KIND=Cluster or =Namespaced" in told[0], str(told))
    equal(server.end(), 0)
    # The forms of `portcullis review`.
    for kind in ("Limit", "Limit.example.com", "example.com/v1/Limit"):
        server = Server(place, "-p", place / "policies", "--params-scope", f"{kind}=Cluster")
        equal((allowed(server.send(review())), allowed(server.send(review(name="other")))), (True, False), kind)
        equal(server.end(), 0)
    for given, why in (("Limt=Cluster", "did you mean Limit?"), ("Limit", "want KIND=Cluster or KIND=Namespaced")):
        server = Server(place, "-p", place / "policies", "--params-scope", given, ready=False)
        equal(server.process.wait(20), 2)
        holds(server.logged(f"--params-scope {given}: ") and server.logged(why), str(server.log()))


@case
def answers_are_those_of_the_command_line(place):
    """Every answer of /review is that of `review -o admissionreview` to the same AdmissionReview."""
    make_certificate(place / "certs")
    policies = ["-p", ROOT / "examples/policies", "-p", ROOT / "examples/manifests/namespaces.yaml"]
    server = Server(place, *policies)
    connection = server.connect()
    for version in ("v1", "v1beta1"):
        for operation in ("CREATE", "UPDATE", "DELETE"):
            for kind in ("Pod", "ConfigMap"):
                for namespace in ("shop", "lab"):
                    asked = review("x-1", "web", namespace, operation, version, kind)
                    if operation == "UPDATE":
                        asked["request"]["oldObject"] = asked["request"]["object"]
                    (place / "asked.json").write_text(json.dumps(asked), encoding="utf-8")
                    wanted = subprocess.run(
                        [PORTCULLIS, "review", *map(str, policies), "-o", "admissionreview", str(place / "asked.json")],
                        capture_output=True, text=True).stdout
                    equal(server.send(asked, "/review", connection)[2], json.loads(wanted), f"{operation} {kind}")
    equal(server.end(), 0, "exit status")


@case
def the_largest_objects_of_an_api_server_are_decided(place):
    """An update has two objects of 3 MB, and Go writes <, > and & in six bytes."""
    server = simple(place, "--max-pending-bytes", 67108864, "--max-request-memory", 67108864)  # as `portcullis manifests`
    asked = review(operation="UPDATE")
    asked["request"]["object"]["data"]["page"] = "<" * 3_000_000
    asked["request"]["oldObject"] = asked["request"]["object"]
    equal(allowed(server.send(json.dumps(asked).replace("<", "\\u003c").encode())), True)
    asked["request"]["object"]["data"] = {f"key-{i}": "a value of usual size" for i in range(70_000)}
    holds(len(json.dumps(asked["request"]["object"])) > 2_500_000, "a large one of small parts")
    equal(allowed(server.send(asked)), True)
    equal(server.metric('portcullis_undecided_total{reason="memory"}'), 0.0)


@case
def each_path_asks_its_policies(place):
    text = (policy("named", "request.name != 'bad'") +
            mutation("label", "[JSONPatch{op: 'add', path: '/metadata/labels/team', value: 'red'}]") +
            policy("team", "object.metadata.?labels.team.orValue('') == 'red'", message="no team"))
    server = simple(place, text=text)
    asked = review(labels={"a": "b"})
    equal(allowed(server.send(asked, "/validate")), False, "/validate runs no mutation")
    mutated = server.send(asked, "/mutate")[2]["response"]
    patch = [{"op": "add", "path": "/metadata/labels/team", "value": "red"}]
    equal((mutated["allowed"], mutated["patchType"], json.loads(base64.b64decode(mutated["patch"]))),
          (True, "JSONPatch", patch), "/mutate")
    equal(allowed(server.send(review(name="bad", labels={"a": "b"}), "/mutate")), True,
          "/mutate runs no validation")
    both = server.send(asked, "/review")[2]["response"]
    equal((both["allowed"], json.loads(base64.b64decode(both["patch"]))), (True, patch), "/review")
    refused = server.send(review(name="bad", labels={"a": "b"}), "/review")[2]["response"]
    equal((refused["allowed"], "patch" in refused), (False, False), "/review of a refused one")
    equal(server.metric('apiserver_mutating_admission_policy_check_total{error_type="no_error",policy="label",'
                        'policy_binding="label"}'), 4.0, "mutations")


GADGETS = json.dumps(
    {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.example.com"},
     "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "gadgets", "kind": "Gadget"},
              "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                  "type": "object", "properties": {"spec": {"type": "object", "properties": {
                      "size": {"type": "integer"}, "colour": {"type": "string", "default": "red"}}}}}}}]}}) + "\n---\n"


def of_gadgets(text):
    """Policies of ConfigMaps as those of Gadgets."""
    return text.replace('"apiGroups": [""]', '"apiGroups": ["example.com"]').replace("configmaps", "gadgets")


def gadget(spec):
    asked = review(labels={"a": "b"}, spec={"spec": spec})
    request = asked["request"]
    request["object"].update(apiVersion="example.com/v1", kind="Gadget")
    request["object"]["metadata"]["managedFields"] = [{"manager": "argocd", "operation": "Apply"}]
    request["kind"] = {"group": "example.com", "version": "v1", "kind": "Gadget"}
    request["resource"] = {"group": "example.com", "version": "v1", "resource": "gadgets"}
    return asked


@case
def custom_resources_are_decided_as_they_were_sent(place):
    """The definition of the API server may be newer than the one among the files."""
    label = mutation("label", "[JSONPatch{op: 'add', path: '/metadata/labels/team', value: object.metadata.managedFields[0].manager}]")
    server = simple(place, text=GADGETS + of_gadgets(
        policy("spec", "object.spec.size == '9' && object.spec.host && size(object.spec) == 2 && object.metadata.managedFields[0].manager == 'argocd'",
               resources=("gadgets",)) + label))
    asked = gadget({"size": "9", "host": True})
    validated = server.send(asked, "/validate")[2]["response"]
    equal((validated["allowed"], validated.get("warnings")), (True, None), f"/validate: {validated}")
    mutated = server.send(asked, "/mutate")[2]["response"]
    equal(json.loads(base64.b64decode(mutated["patch"])),
          [{"op": "add", "path": "/metadata/labels/team", "value": "argocd"}], "/mutate: no default of another definition")


@case
def mutating_policies_are_asked_by_their_reinvocation(place):
    once = mutation("once", "[JSONPatch{op: 'add', path: '/data/once', value: 'x'}]")
    again = mutation("again", "[JSONPatch{op: 'add', path: '/data/again', value: 'x'}]").replace('"Never"', '"IfNeeded"')
    server = simple(place, text=once + again)

    def added(path):
        answer = server.send(review(labels={"a": "b"}), path)[2]["response"]
        return [p["path"] for p in json.loads(base64.b64decode(answer["patch"]))]

    equal((added("/mutate/never"), added("/mutate/if-needed"), added("/mutate")),
          (["/data/once"], ["/data/again"], ["/data/again", "/data/once"]))
    equal(added("/review"), ["/data/again", "/data/once"])
    equal(server.metric('portcullis_http_requests_total{code="200",path="/mutate/never"}'), 1.0)


@case
def denials_are_counted_and_logged(place):
    text = (policy("named", "request.name != 'bad'") + policy("warns", "false", actions=("Warn", "Audit")) +
            policy("fails", "object.data.none == 'x'", resources=("configmaps",), failurePolicy="Ignore"))
    audit = place / "audit.log"
    server = simple(place, "--audit-log", audit, text=text)
    answer = server.send(review(name="bad"))[2]["response"]
    equal(answer["warnings"], ["Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns': no"])
    name = "apiserver_validating_admission_policy_check_total"

    def count(name_of_policy, action):
        labels = f'enforcement_action="{action}",error_type="invalid_error",policy="{name_of_policy}",'
        return server.metric(f'{name}{{{labels}policy_binding="{name_of_policy}"}}')

    equal([count("named", "deny"), count("warns", "warn"), count("warns", "audit"), count("fails", "allow")], [1.0] * 4)
    line = next(l for l in server.log() if l["msg"] == "denied")
    equal((line["uid"], line["resource"], line["name"], line["user"], line["policy"], line["code"]),
          ("u", "configmaps", "bad", "eve", "named", 422))
    server.wait(lambda: audit.read_text().endswith("\n"), "a line of the audit log")
    written = json.loads(audit.read_text())
    equal((written["allowed"], written["reason"], written["warnings"]), (False, "Invalid", answer["warnings"]))
    os.rename(audit, place / "audit.old")
    server.process.send_signal(signal.SIGHUP)
    server.wait(audit.exists, "a new audit log")
    server.send(review())
    server.wait(lambda: audit.read_text().endswith("\n"), "a line of the new audit log")
    equal(json.loads(audit.read_text())["allowed"], True)


@case
def denials_of_mutating_policies_name_them(place):
    broken = mutation("broken", "[JSONPatch{op: 'remove', path: '/data/nope'}]")
    wrong_type = mutation("typed", "[JSONPatch{op: 'add', path: '/data', value: 7}]")
    ignored = mutation("ignored", "[JSONPatch{op: 'remove', path: '/data/nope'}]").replace(
        '"reinvocationPolicy"', '"failurePolicy": "Ignore", "reinvocationPolicy"')
    for text, path, name in ((broken, "/mutate", "broken"), (ignored + broken, "/review", "broken"), (wrong_type, "/mutate", "typed")):
        server = simple(place, text=text + policy("named", "request.name != 'bad'"))
        equal(allowed(server.send(review(name="bad"), path)), False)
        equal([(l["policy"], l["binding"]) for l in server.log() if l["msg"] == "denied"], [(name, name)])
        server.end()


@case
def failures_to_write_a_mutated_object_back_name_the_policy_that_caused_them(place):
    """The API server's message names none. The first two policies and the last are without fault."""
    text = (mutation("a", "[JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'y'}]") +
            mutation("b", "[JSONPatch{op: 'remove', path: '/data/nope'}]").replace('"mutations"', '"failurePolicy": "Ignore", "mutations"') +
            mutation("c", "[JSONPatch{op: 'replace', path: '/apiVersion', value: 'example.com/v9'}]") +
            mutation("d", "[JSONPatch{op: 'add', path: '/metadata/labels/z', value: 'y'}]"))
    server = simple(place, text=GADGETS + of_gadgets(text))
    message = "Internal error occurred: failed to convert object: request to convert CR from an invalid group/version: example.com/v9"
    for path in ("/mutate", "/review"):
        equal(server.send(gadget({}), path)[2]["response"]["status"]["message"], message)
    equal([(l["policy"], l["binding"]) for l in server.log() if l["msg"] == "denied"], [("c", "c")] * 2)


@case
def what_requests_bring_changes_no_terminal(place):
    asked = review(name="bad", uid="é" * 10_000)
    asked["request"]["userInfo"]["username"] = "a\x9b31m\x7f\u202e\u2066\u2028é\n"
    for log_format in ("json", "text"):
        server = simple(place, "--audit-log", place / "audit", log_format=log_format)
        equal(allowed(server.send(asked)), False)
        equal(server.end(), 0)
        for file, most in ((server.log_path, 6_000), (place / "audit", 30_000)):
            line = next(l for l in file.read_text(encoding="utf-8").split("\n") if "31m" in l)
            holds("a\\u009b31m\\u007f\\u202e\\u2066\\u2028é\\n" in line, line)
            holds(len(line) < most, f"{len(line)} characters")
        if log_format == "json":
            equal([(l["user"], l["uid"]) for l in server.log() if l["msg"] == "denied"],
                  [(asked["request"]["userInfo"]["username"], "é" * 2048 + "... (15904 bytes are left out)")])


@case
def readers_that_stall_stop_nobody(place):
    """Lines that have no room are lost, all others come in order; then a line tells how many were lost."""
    def first_number(line):
        return int(line["name"].split("-")[0])

    os.mkfifo(place / "audit")
    server = simple(place, "--audit-log", place / "audit")
    connection = server.connect()
    for number in range(12):
        equal(server.send(review(name=f"{number}-" + "x" * 900_000), connection=connection)[0], 200)
    lost = server.metric("portcullis_audit_lines_lost_total")
    holds(0 < lost < 12, f"{lost} of 12 are lost")
    with open(place / "audit", encoding="utf-8") as reader:
        read = [first_number(json.loads(reader.readline())) for _ in range(12 - int(lost))]
        equal(read, list(range(len(read))), "the lines that are left")
        server.send(review(name="12-"), connection=connection)
        equal(first_number(json.loads(reader.readline())), 12)
    server.wait(lambda: server.logged("lines of the audit log were lost") > 0, "told")
    equal([l["count"] for l in server.log() if "lines of the audit log" in l["msg"]], [int(lost)])
    server.send(review())
    equal(server.end(), 0, "the end without a reader")


@case
def a_log_that_nobody_reads_stops_nobody(place):
    outlet, inlet = os.pipe()
    server = simple(place, "--log-denials", 1_000_000, stderr=inlet, text=policy("no", "false"))
    os.close(inlet)
    connection = server.connect()
    for number in range(1000):
        equal(server.send(review(name=f"{number}-" + "x" * 6_000), connection=connection)[0], 200)
    lines, reader = [], os.fdopen(outlet, encoding="utf-8")
    while "lost" not in (line := json.loads(reader.readline()))["msg"]:
        lines.append(line)
    denied = [l for l in lines if l["msg"] == "denied"]
    equal(len(denied) + line["count"], 1000)
    equal([l["name"].split("-")[0] for l in denied], [str(i) for i in range(len(denied))])
    for _ in range(100):
        equal(server.send(review(name="x" * 6_000), connection=connection)[0], 200)
    equal(server.end(), 0, "the end without a reader")


@case
def kinds_of_newer_releases_are_decided(place):
    """What the cluster serves it has, even if nobody here knows it; the log tells each kind once."""
    server = simple(place, text=policy("named", "request.name != 'bad'", resources=("configmaps",)))

    def ask(name, kind, resource):
        asked = review(name=name)
        asked["request"]["kind"]["kind"] = asked["request"]["object"]["kind"] = kind
        asked["request"]["resource"]["resource"] = resource
        return allowed(server.send(asked))

    equal([ask("web", "NewThing", "newthings"), ask("bad", "NewThing", "newthings"), ask("bad", "OtherMap", "configmaps")],
          [True, True, False])
    equal([l["kind"] for l in server.log() if "has this kind" in l["msg"]], ["v1 NewThing", "v1 OtherMap"])


@case
def namespaces_that_a_policy_sees_must_be_known(place):
    text = policy("labels", "namespaceObject.metadata.name != ''")
    known = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "known"}}) + "\n---\n"
    server = simple(place, text=text + known)
    equal(allowed(server.send(review(namespace="known"))), True, "known")
    answer = server.send(review(namespace="strange"))[2]["response"]
    equal(server.logged("no Namespace is in the files"), 0)
    told = 'portcullis-server does not know the namespace "strange": no file of -p describes it (--unknown-namespaces)'
    equal((answer["allowed"], answer["status"]["code"], answer["status"]["reason"], answer["status"]["message"]),
          (False, 500, "InternalError", told))
    equal(server.metric('portcullis_undecided_total{reason="namespace"}'), 1.0)
    server.send(review(namespace="strange"))
    equal([l["namespace"] for l in server.log() if "no file of -p describes a namespace" in l["msg"]], ["strange"])
    equal([l["message"] for l in server.log() if l["msg"] == "denied"], [told] * 2)
    server.end()
    server = simple(place, text=known + policy("shop", "true", matchConstraints={
        "namespaceSelector": {"matchLabels": {"a": "b"}},
        "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}]}))
    answer = server.send(review(namespace="strange"))[2]["response"]
    holds(answer["status"]["message"].endswith("failed to configure policy: " + told), str(answer))
    server.end()
    # A policy may say the same of something else.
    words = 'namespaces "strange" not found'
    server = simple(place, text=known + policy("words", "false", message=words, resources=("namespaces",)))
    answer = server.send(review(name="strange", kind="Namespace", namespace="strange"))[2]["response"]
    holds(answer["status"]["message"].endswith(words), str(answer))
    server.end()
    server = simple(place, text=text)
    equal(server.logged("no Namespace is in the files of -p"), 1)
    server.end()
    server = simple(place, "--unknown-namespaces", "assume", text=text + known)
    equal(allowed(server.send(review(namespace="strange"))), True, "assumed")


sys.exit(run_cases(4))
