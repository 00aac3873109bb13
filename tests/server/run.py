#!/usr/bin/env python3
"""Runs portcullis-server and talks to it: answers, errors, limits, reloads, certificates, the end (hostile.py: hostile clients).

Usage: run.py SERVER PORTCULLIS SOURCE_ROOT [NAME...]    (names of cases). Exit status 77: no program openssl.
Closes with `N passed, N failed`.
"""
import base64
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

from server import (SLOW, Server, allowed, case, equal, holds, make_certificate, make_client_certificate, mutation, openssl,
                    policy, review, run_cases, scopeless, simple, write)

PROGRAM, PORTCULLIS, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


# --- answers ---


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


# --- too much ---


@case
def too_many_requests_get_429(place):
    for options, wanted in (((), {200, 429}), (("--fail-open",), {200})):
        server = simple(place, "--max-requests-inflight", 1, "--threads", 1, *options)
        found, warned = set(), []

        def hammer():
            connection = server.connect()
            for _ in range(150):
                status, headers, value = server.send(review(), connection=connection)
                found.add(status)
                if status == 429:
                    equal(headers["Retry-After"], "1")
                elif "warnings" in value["response"]:
                    warned.append(value["response"])

        threads = [threading.Thread(target=hammer) for _ in range(12)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal(found, wanted)
        overload = server.metric('portcullis_undecided_total{reason="overload"}')
        holds(overload > 0, "some were too many")
        if options:
            equal(len(warned), int(overload))
            equal((warned[0]["allowed"], warned[0]["uid"], warned[0]["warnings"]),
                  (True, "u", ["not decided by policies: the server has too many requests, please try again later"]))
        server.end()


# --- files that change ---


@case
def policies_are_read_again(place):
    server = simple(place)
    file = place / "policies/p.yaml"
    equal(allowed(server.send(review(name="bad"))), False)
    write(file, policy("named", "request.name != 'worse'"))
    server.wait(lambda: allowed(server.send(review(name="bad"))), "reloaded")
    equal(allowed(server.send(review(name="worse"))), False)
    (place / "policies/q.yaml").write_text(policy("more", "request.name != 'new'"), encoding="utf-8")
    server.wait(lambda: not allowed(server.send(review(name="new"))), "a new file")
    (place / "policies/q.yaml").unlink()
    server.wait(lambda: allowed(server.send(review(name="new"))), "a removed file")
    # A set that does not load keeps the last good one.
    write(file, policy("named", "request.nome != 'worse'"))
    server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="error"}') > 0, "refused")
    equal(allowed(server.send(review(name="worse"))), False)
    status, text = server.status("/readyz?verbose")
    holds(status == 200 and "newer files do not load" in text and "undefined field 'nome'" in text, text)
    equal(server.metric("portcullis_policies_last_reload_successful"), 0.0)
    line = next(l for l in server.log() if "undefined field" in l["msg"])
    holds(str(file) + ":1:" in line["msg"], line["msg"])
    write(file, policy("named", "request.name != 'best'"))
    server.wait(lambda: allowed(server.send(review(name="worse"))), "mended")
    equal(server.status("/readyz?verbose"),
          (200, f"[+]ping ok\n[+]policies ok: generation {server.log()[-1].get('generation', 5)}\n[+]shutdown ok\n"
           "readyz check passed\n"))


@case
def a_directory_that_is_made_again_is_read(place):
    server = simple(place)
    shutil.rmtree(place / "policies")
    server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="error"}') > 0, "missed")
    equal(allowed(server.send(review(name="bad"))), False, "the last good policies")
    (place / "policies").mkdir()
    (place / "policies/p.yaml").write_text(policy("named", "request.name != 'worse'"), encoding="utf-8")
    server.process.send_signal(signal.SIGHUP)
    server.wait(lambda: not allowed(server.send(review(name="worse"))), "read")
    write(place / "policies/p.yaml", policy("named", "request.name != 'worst'"))
    server.wait(lambda: not allowed(server.send(review(name="worst"))), "watched again")


@case
def mounted_config_maps_are_followed(place):
    """As the kubelet does: the files are links through ..data, which is exchanged; of items below a path, their folder."""
    make_certificate(place / "certs")
    for item in ("p.yaml", "team/p.yaml"):
        mount = place / f"mount{len(item)}"
        mount.mkdir()

        def publish(number, name):
            file = mount / f"..2026_{number}" / item
            file.parent.mkdir(parents=True)
            file.write_text(policy("named", f"request.name != '{name}'"), encoding="utf-8")
            os.symlink(f"..2026_{number}", mount / "..data_tmp")
            os.rename(mount / "..data_tmp", mount / "..data")

        publish(1, "one")
        first = item.split("/", maxsplit=1)[0]
        os.symlink(f"..data/{first}", mount / first)
        for path in (("-R", "-p", mount), ("-p", mount / item)):
            server = Server(place, *path)
            names = ("one", "two", "three")
            equal(server.metric("portcullis_policies"), 1.0)
            for number, name in enumerate(names):
                if number > 0:
                    publish(f"{len(path)}_{number}", name)
                    shutil.rmtree(mount / f"..2026_{number - 1}", ignore_errors=True)
                server.wait(lambda: not allowed(server.send(review(name=name))), name)
            server.end()
            publish(f"{len(path)}_again", "one")


@case
def links_out_of_a_directory_are_followed(place):
    """Of files, of a directory above the given one, and of certificates."""
    make_certificate(place / "certs")
    make_certificate(place / "real")
    for folder in ("files", "far", "more", "v1/policies", "v2/policies", "linked"):
        (place / folder).mkdir(parents=True)
    for file, name in (("far/p.yaml", "one"), ("v1/policies/p.yaml", "two"), ("v2/policies/p.yaml", "three")):
        (place / file).write_text(policy(file[:2], f"request.name != '{name}'"), encoding="utf-8")
    os.symlink("../more/p.yaml", place / "files/p.yaml")
    os.symlink(place / "far/p.yaml", place / "more/p.yaml")
    os.symlink("v1", place / "current")
    for name in ("tls.crt", "tls.key"):
        os.symlink(f"../real/{name}", place / "linked" / name)
    server = Server(place, "-p", place / "files", "-p", place / "current/policies", certificates=place / "linked")
    equal([allowed(server.send(review(name=n))) for n in ("one", "two", "three")], [False, False, True])
    write(place / "far/p.yaml", policy("far", "request.name != 'four'"))
    server.wait(lambda: not allowed(server.send(review(name="four"))), "a file behind two links")
    os.symlink("v2", place / "new")
    os.rename(place / "new", place / "current")
    server.wait(lambda: not allowed(server.send(review(name="three"))), "a link above the path")
    loads = server.logged("the certificate is loaded")
    make_certificate(place / "real", "other")
    server.wait(lambda: server.logged("the certificate is loaded") > loads, "certificates behind links")


@case
def only_what_matters_is_watched(place):
    """Not the neighbours of a file, nor where links led that are gone."""
    make_certificate(place / "certs")
    make_certificate(place / "authority")
    for folder in ("files", "busy", "far"):
        (place / folder).mkdir()
    (place / "files/p.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    for folder in ("busy", "far"):
        (place / folder / "q.yaml").write_text(policy(folder, f"request.name != '{folder}'"), encoding="utf-8")
    server = Server(place, "-p", place / "files", "-p", place / "busy/q.yaml", "--client-ca-file",
                    place / "authority/tls.crt")

    def loads():
        return server.logged("policies are loaded"), server.logged("the certificate is loaded")

    def watches():
        count = 0
        for file in pathlib.Path(f"/proc/{server.process.pid}/fdinfo").iterdir():
            try:
                count += file.read_text().count("inotify wd")
            except FileNotFoundError:
                pass  # a connection that has ended
        return count

    def disturb():
        before = loads()
        for folder in ("busy", "far", "authority", "certs"):
            write(place / folder / "neighbour", "x")
        time.sleep(1)
        equal(loads(), before, "loads")

    before = 4  # files, busy, authority, certs
    server.wait(lambda: watches() == before, "what is watched at first")
    disturb()
    os.symlink("../far/q.yaml", place / "files/q.yaml")
    server.wait(lambda: watches() == before + 1, "the directory of the link")
    disturb()
    write(place / "far/q.yaml", policy("far", "request.name != 'farther'"))
    server.wait(lambda: loads()[0] >= 3, "a file behind the link")
    (place / "files/q.yaml").unlink()
    server.wait(lambda: watches() == before, "it is not watched any more")
    reloads = loads()[0]
    write(place / "busy/q.yaml", policy("busy", "request.name != 'busier'"))
    server.wait(lambda: loads()[0] > reloads, "a file that is given")


@case
def devices_and_large_files_are_no_policies(place):
    server = simple(place, "--log-level", "debug")
    os.symlink("/dev/zero", place / "policies/zero.yaml")
    server.wait(lambda: any(l.get("why") == "it is a device" for l in server.log()), "left out")
    server.wait(lambda: server.logged("policies are loaded") >= 2, "loaded without it")
    with open(place / "policies/large.yaml", "wb") as large:
        large.truncate((64 << 20) + 1)
    server.wait(lambda: server.logged("larger than 64 MiB") > 0, "refused")
    equal(allowed(server.send(review(name="bad"))), False, "the last good policies")


@case
def certificates_are_read_again(place):
    server = simple(place)

    def subject():
        with server.raw() as raw:
            return raw.getpeercert(binary_form=True)

    first, kept = subject(), server.connect()
    equal(allowed(server.send(review(), connection=kept)), True)
    make_certificate(place / "certs", "other")
    server.wait(lambda: subject() != first, "a new certificate")
    equal(allowed(server.send(review(), connection=kept)), True, "an old connection")
    second = subject()
    (place / "certs/tls.key").write_text("no key", encoding="utf-8")
    server.wait(lambda: server.logged("the last good certificate stays in use") > 0, "refused")
    equal(subject(), second)
    holds(server.metric("portcullis_certificate_expiry_timestamp_seconds") > time.time(), "expiry")


@case
def clients_may_need_a_certificate(place):
    make_certificate(place / "authority", "authority")
    apiserver = make_client_certificate(place, place / "authority", "kube-apiserver")
    stranger = make_client_certificate(place, place / "authority", "stranger")
    server = simple(place, "--client-ca-file", place / "authority/tls.crt", "--client-cn", "kube-apiserver")
    equal(allowed(server.send(review(), connection=server.connect(apiserver))), True)
    doubled = make_client_certificate(place, place / "authority", "stranger/CN=kube-apiserver", "doubled")
    equal(allowed(server.send(review(), connection=server.connect(doubled))), True, "the last name counts")
    hidden = make_client_certificate(place, place / "authority", "kube-apiserver/CN=hidden", "hidden")
    for client, alert in ((None, "CERTIFICATE_REQUIRED"), (stranger, "BAD_CERTIFICATE"), (hidden, "BAD_CERTIFICATE")):
        raw = server.tls(client).wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=20))
        try:
            raw.recv(1)  # with TLS 1.3 a client hears of it after its handshake
        except ssl.SSLError as error:
            holds(alert in error.reason, f"{client}: {error.reason}")
            continue
        raise AssertionError(f"{client} was served")
    server.wait(lambda: server.logged("a client is refused") > 0, "a line about the stranger")
    equal([l["commonName"] for l in server.log() if "commonName" in l], ["stranger", "hidden"])
    equal(server.metric("portcullis_handshake_failures_total"), 3.0)
    old = ssl.create_default_context()
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    old.set_ciphers("ALL:@SECLEVEL=0")
    try:
        old.wrap_socket(socket.create_connection(("127.0.0.1", server.port)))
    except (ssl.SSLError, OSError):
        return
    raise AssertionError("TLS 1.1 was served")


# --- under load ---


class Load:
    """Threads that send ConfigMaps named `bad` and `worse` and keep what goes wrong."""

    def __init__(self, server, valid, threads=6, reconnect=False):
        self.server, self.valid, self.ends = server, valid, False
        self.answers, self.wrong = 0, []
        self.threads = [threading.Thread(target=self.run, args=(reconnect,)) for _ in range(threads)]
        for t in self.threads:
            t.start()

    def run(self, reconnect):
        connection = self.server.connect()
        while not self.ends:
            try:
                got = tuple(allowed(self.server.send(review(name=n), connection=connection)) for n in ("bad", "worse"))
            except Exception as error:
                if self.ends:
                    return
                self.wrong.append(repr(error))
                return
            if not self.valid(got):
                self.wrong.append(repr(got))
            self.answers += 2
            if reconnect:
                connection.close()
                connection = self.server.connect()

    def end(self):
        self.ends = True
        for t in self.threads:
            t.join()
        return self.wrong


@case
def nothing_is_lost_while_files_change(place):
    server = simple(place)
    # Each set denies one of the two; answers of two sets may follow each other, and none is denied or allowed by a
    # mixture of both: each set has a second policy that denies what the other allows.
    sets = [policy("a", f"request.name != '{bad}'") + policy("b", f"request.name == '{good}'")
            for bad, good in (("bad", "worse"), ("worse", "bad"))]
    write(place / "policies/p.yaml", sets[0])
    server.wait(lambda: allowed(server.send(review(name="worse"))) and not allowed(server.send(review(name="bad"))), "set")
    fixed = Load(server, lambda got: True)
    fresh = Load(server, lambda got: True, threads=2, reconnect=True)
    reloads = 200 if SLOW == 1 else 20
    done = 0
    for number in range(reloads):
        before = server.metric('portcullis_policy_reloads_total{result="success"}') if number % 20 == 0 else None
        write(place / "policies/p.yaml", sets[number % 2])
        if number % (reloads // 20) == 0:
            make_certificate(place / "certs")
        if before is not None:
            server.wait(lambda: server.metric('portcullis_policy_reloads_total{result="success"}') > before, "reloaded")
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.25 if number % 10 == 0 else 0.03)
        done += 1
    wrong = fixed.end() + fresh.end()
    equal(wrong, [], f"of {fixed.answers + fresh.answers} answers")
    holds(fixed.answers > 100 and fresh.answers > 20, f"{fixed.answers} and {fresh.answers} answers")
    equal(server.metric('portcullis_policy_reloads_total{result="error"}'), 0.0)
    equal(server.end(), 0)


@case
def nothing_is_lost_at_the_end(place):
    server = simple(place, "--shutdown-delay", 1)
    stop, lost, answers, closed = threading.Event(), [], [], []

    def client():
        connection = server.connect()
        while not stop.is_set():
            try:
                status, headers, value = server.send(review(), connection=connection)
            except ConnectionRefusedError:
                return  # a new connection after the delay: the Service has sent it elsewhere by then
            except Exception as error:
                lost.append(repr(error))
                return
            answers.append(status)
            if headers.get("Connection") == "close":
                closed.append(1)
                connection.close()
                connection = server.connect()

    threads = [threading.Thread(target=client) for _ in range(6)]
    for t in threads:
        t.start()
    time.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    server.wait(lambda: server.status("/readyz")[0] == 500, "not ready")
    equal(server.status("/livez")[0], 200)
    for t in threads:
        t.join()
    equal((lost, set(answers)), ([], {200}))
    holds(closed, "answers close their connections during the delay")
    equal(server.process.wait(20), 0, "exit status")


@case
def a_killed_server_is_ready_again(place):
    """bench/server.py measures how soon."""
    text = "".join(policy(f"p{i}", f"request.name != 'bad{i}'") for i in range(100))
    server = simple(place, text=text)
    server.end(signal.SIGKILL)
    server = simple(place, text=text)
    equal(allowed(server.send(review(name="bad77"))), False)


@case
def a_server_that_cannot_start_says_why(place):
    make_certificate(place / "certs")
    (place / "bad.yaml").write_text(policy("named", "request.nome != 'bad'"), encoding="utf-8")
    (place / "good.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    (place / "none").mkdir()
    make_certificate(place / "locked")
    openssl("pkey", "-in", place / "certs/tls.key", "-aes256", "-passout", "pass:x", "-out", place / "locked/tls.key")
    make_certificate(place / "old")
    openssl("ec", "-in", place / "certs/tls.key", "-aes256", "-passout", "pass:x", "-out", place / "old/tls.key")
    for options, text in ((("-p", place / "bad.yaml"), "undefined field 'nome'"),
                          (("-p", place / "missing"), "No such file"),
                          (("-p", place / "none"), "no policy with a binding"),
                          (("-p", place / "good.yaml", "--cert-dir", place / "none"), "tls.crt"),
                          (("-p", place / "good.yaml", "--listen", "nowhere"), "want HOST:PORT"),
                          (("-p", place / "good.yaml", "--audit-log", place / "no/file"), "No such file"),
                          (("-p", place / "good.yaml", "--cert-dir", place / "locked"), "keys with a passphrase are not read"),
                          (("-p", place / "good.yaml", "--cert-dir", place / "old"), "keys with a passphrase are not read"),
                          (("-p", place / "good.yaml", "--listen", ":65536"), "want HOST:PORT"),
                          (("-p", place / "good.yaml", "--read-timeout", "soon"), "want a time"),
                          (("-p", place / "good.yaml", "--read-timeout", "0"), "want a time"),
                          (("-p", place / "good.yaml", "--max-body", "0"), "--max-body"),
                          (("-p", place / "good.yaml", "--client-cn", "a"), "--client-ca-file"),
                          (("-p", place / "good.yaml", "--max-header", "4294967296"), "from 1 to 16777216, not 4294967296"),
                          (("-p", place / "good.yaml", "--log-denials=-1"), "not -1"),
                          (("-p", place / "good.yaml", "--log-denials", "9" * 23), "want a whole number"),
                          (("-p", place / "good.yaml", "--threads", "2x"), "not 2x"),
                          (("-p", place / "good.yaml", "--service-account-dir", place), "--in-cluster"),
                          (("-p", "-"), "-p wants files or directories, not standard input"),
                          (("--listen", ":1"), "give -p, --kubeconfig")):
        done = subprocess.run([PORTCULLIS, "serve", "--cert-dir", place / "certs", *options] if "--cert-dir" not in options
                              else [PORTCULLIS, "serve", *options], capture_output=True, text=True, timeout=60)
        equal((done.returncode, text in done.stderr), (2, True), f"{options}: {done.stderr}")
    server = Server(place, "-p", place / "bad.yaml", "-p", place / "good.yaml", "--policies-as", "stored",
                    ready=False)
    server.end()


@case
def the_command_line_has_the_name_that_it_was_called_by(_):
    for words, name in (((PROGRAM,), "portcullis-server"), ((PORTCULLIS, "serve"), "portcullis serve")):
        def run(option):
            done = subprocess.run([*words, option], capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout, done.stderr

        holds(f"Usage: {name} [OPTIONS]" in run("--help")[1], run("--help")[1])
        equal(run("--polices=x"), (2, "", "error: unknown flag --polices=x; did you mean --policies?\n"
                                          f"See '{name} --help'.\n"))
        status, output, _ = run("--version")
        equal((status, output), (0, subprocess.run([PORTCULLIS, "version"], capture_output=True, text=True).stdout))


@case
def each_address_of_a_name_is_served_or_none(place):
    make_certificate(place / "certs")
    (place / "good.yaml").write_text(policy("named", "request.name != 'bad'"), encoding="utf-8")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        found = {a[4][0] for a in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM)}
        if found != {"::1", "127.0.0.1"}:
            return  # this machine has one address for the name
        done = subprocess.run([PORTCULLIS, "serve", "-p", place / "good.yaml", "--cert-dir", place / "certs", "--listen",
                               f"localhost:{port}"], capture_output=True, text=True, timeout=60)
        equal((done.returncode, f"localhost:{port} (127.0.0.1): Address already in use" in done.stderr), (2, True), done.stderr)


sys.exit(run_cases(4))
