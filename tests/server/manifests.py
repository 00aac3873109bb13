#!/usr/bin/env python3
"""What `portcullis manifests` prints: that Portcullis and a real kube-apiserver take it, and that the server runs with it.

Usage: manifests.py PORTCULLIS SERVER SOURCE_ROOT SHARED
The objects are read with Portcullis' own reader (`review -o json`), which decodes them as the API server does: an unknown or
wrong field is refused. The part with the real server (SHARED/tools/cluster) is skipped by name where its binaries are
missing. Exit status 77: no openssl. Closes with `N passed, N failed`.
"""
import json
import os
import pathlib
import subprocess
import sys

from server import Server, case, equal, gaps, holds, make_certificate, mutation, openssl, policy, review, run_cases, scopeless

PORTCULLIS, SERVER, ROOT, SHARED = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
BINARIES = pathlib.Path(os.environ.get("CLUSTER_BIN", CACHE / "portcullis-cluster/bin"))
# What Pod Security wants at the level "restricted", and what an operator wants of every Deployment.
DEMANDS = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: restricted}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  variables:
  - {name: pod, expression: object.spec.template.spec}
  - {name: containers, expression: variables.pod.containers}
  validations:
  - expression: variables.pod.securityContext.runAsNonRoot && variables.pod.securityContext.seccompProfile.type == 'RuntimeDefault'
  - expression: variables.containers.all(c, c.securityContext.readOnlyRootFilesystem && !c.securityContext.allowPrivilegeEscalation)
  - expression: variables.containers.all(c, c.securityContext.capabilities.drop == ['ALL'] && !has(c.securityContext.capabilities.add))
  - expression: variables.containers.all(c, has(c.livenessProbe) && has(c.readinessProbe) && has(c.resources.limits.memory))
  - expression: variables.pod.volumes.all(v, has(v.secret) || has(v.configMap))
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: restricted}
spec: {policyName: restricted, validationActions: [Deny]}
"""


def manifests(*options, status=0):
    done = subprocess.run([PORTCULLIS, "manifests", *map(str, options)], capture_output=True, text=True)
    equal(done.returncode, status, done.stderr)
    return done.stdout if status == 0 else done.stderr


def objects_of(text):
    """The objects as Portcullis decodes them."""
    done = subprocess.run([PORTCULLIS, "normalize", "-o", "json", "-"], input=text, capture_output=True, text=True)
    equal((done.returncode, [l for l in done.stderr.splitlines() if "cert-manager" not in l and "no built-in kind" not in l]), (0, []),
          done.stderr)
    return {(o["kind"], o["metadata"]["name"]): o for o in map(json.loads, done.stdout.splitlines())}


def files(place):
    """Policies of both sorts in two files, one with a comment, and a certificate."""
    (place / "a.yaml").write_text("# Why names matter.\n" + policy("named", "request.name != 'bad'"), encoding="utf-8")
    (place / "more").mkdir()
    (place / "more/a.yaml").write_text(mutation("label", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'caf\u00e9': 'x'}}]"),
                                       encoding="utf-8")
    make_certificate(place / "certs")
    return ["-p", place / "a.yaml", "-p", place / "more", "--cert", place / "certs/tls.crt", "--key", place / "certs/tls.key"]


def variants(place):
    """Command lines, each of policies from files or from the cluster, with certificates from files or by cert-manager."""
    given = files(place)
    for extra in ([], ["--create-namespace", "--max-replicas", 5, "-n", "policy", "--name", "guard"],
                  ["--failure-policy", "Ignore", "--timeout", "10", "--exclude-namespace", "monitoring"]):
        yield [*given, *extra]
        yield [*given[:4], *extra]
    for extra in ([], ["--authorizer", "--param-resource", "configmaps", "--param-resource", "limits.example.com"], given[4:]):
        yield extra


@case
def all_variants_are_sound(place):
    (place / "demands.yaml").write_text(DEMANDS, encoding="utf-8")
    for options in variants(place):
        text = manifests(*options)
        holds("@" not in text, f"a value is missing: {text}")
        made = objects_of(text)
        kinds = {kind for kind, _ in made}
        holds({"ServiceAccount", "Deployment", "PodDisruptionBudget", "Service", "ValidatingWebhookConfiguration",
               "MutatingWebhookConfiguration"} <= kinds, str(kinds))
        equal("ClusterRole" in kinds, "-p" not in options, "rights")
        equal("Secret" in kinds, "--cert" in options)
        equal("Certificate" in kinds, "--cert" not in options)
        done = subprocess.run([PORTCULLIS, "review", "-p", place / "demands.yaml", "--require-match=policies", "-"], input=text,
                              capture_output=True, text=True)
        equal(done.returncode, 0, done.stdout + done.stderr)
        done = subprocess.run([PORTCULLIS, "check", "-"], input=text, capture_output=True, text=True)
        holds(done.returncode == 0 and " 0 errors, 0 warnings" in done.stdout, f"{options}: {done.stdout} {done.stderr}")


@case
def webhooks_leave_out_what_the_server_needs(place):
    made = objects_of(manifests(*files(place), "-n", "policy"))
    hook = made["ValidatingWebhookConfiguration", "policy-portcullis"]["webhooks"][0]
    equal(hook["namespaceSelector"]["matchExpressions"][0]["values"], ["kube-system", "kube-node-lease", "kube-public", "policy"])
    equal(hook["rules"], [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["pods", "configmaps"],
                           "scope": "*"}])
    mutating = made["MutatingWebhookConfiguration", "policy-portcullis"]["webhooks"][0]
    equal([r["resources"] for r in mutating["rules"]], [["configmaps"]])
    equal((hook["clientConfig"]["service"]["path"], mutating["clientConfig"]["service"]["path"]), ("/validate", "/mutate"))
    deployment = made["Deployment", "portcullis"]["spec"]["template"]["spec"]
    delays = sum(int(a.split("=")[1].rstrip("s")) for a in deployment["containers"][0]["args"] if a.startswith("--shutdown"))
    holds(deployment["terminationGracePeriodSeconds"] > delays, "the kubelet waits for the end")


@case
def each_reinvocation_policy_has_its_webhook(place):
    """A webhook is not told that it is called again, so policies that say Never are in one that is not."""
    make_certificate(place / "certs")
    pair = ["--cert", place / "certs/tls.crt", "--key", place / "certs/tls.key"]
    never = mutation("never", "[JSONPatch{op: 'add', path: '/data/never', value: 'x'}]")
    needed = mutation("needed", "[JSONPatch{op: 'add', path: '/data/needed', value: 'x'}]").replace('"Never"', '"IfNeeded"').replace(
        '"configmaps"', '"secrets"')

    def hooks(*options):
        webhooks = objects_of(manifests(*options))["MutatingWebhookConfiguration", "portcullis-portcullis"]["webhooks"]
        return [(h["name"].split(".")[0], h["clientConfig"]["service"]["path"], h["reinvocationPolicy"], h["rules"][0]["resources"])
                for h in webhooks]

    for text, wanted in ((never, [("mutate", "/mutate", "Never", ["configmaps"])]),
                         (needed, [("mutate", "/mutate", "IfNeeded", ["secrets"])]),
                         (never + needed, [("mutate-never", "/mutate/never", "Never", ["configmaps"]),
                                           ("mutate-if-needed", "/mutate/if-needed", "IfNeeded", ["secrets"])])):
        (place / "p.yaml").write_text(text, encoding="utf-8")
        equal(hooks("-p", place / "p.yaml", *pair), wanted)
    equal(hooks(), [("mutate-never", "/mutate/never", "Never", ["*/*"]), ("mutate-if-needed", "/mutate/if-needed", "IfNeeded", ["*/*"])])


# A request that the cluster or the server makes, or needs, to start: the user, the operation, the object, its resource.
STARTING = [
    ("system:apiserver", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "system:x"}}, "clusterroles"),
    ("admin", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "portcullis-portcullis"}},
     "clusterrolebindings"),
    ("admin", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "portcullis-portcullis"}},
     "clusterroles"),
    ("system:node:a", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}, "nodes"),
    ("system:node:a", {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "a"}, "spec": {"drivers": []}}, "csinodes"),
    ("system:bootstrap:a", {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "a"}},
     "certificatesigningrequests"),
    ("system:node:a", {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a", "namespace": "x"}}, "leases"),
    ("eve", {"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress", "metadata": {"name": "10.0.0.1"}}, "ipaddresses"),
    ("system:serviceaccount:portcullis:portcullis", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}},
     "configmaps")]
DECIDED = [
    ("eve", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "other"}}, "clusterrolebindings"),
    ("eve", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "portcullis-portcullis", "namespace": "x"}}, "roles"),
    ("eve", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nodes", "namespace": "x"}}, "configmaps"),
    ("eve", {"apiVersion": "example.com/v1", "kind": "Node", "metadata": {"name": "a"}}, "nodes")]


def asked_by(user, value, resource):
    """An AdmissionReview of a creation, with everything that conditions see."""
    group, _, version = value["apiVersion"].rpartition("/")
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "operation": "CREATE", "name": value["metadata"]["name"], "namespace": value["metadata"].get("namespace", ""),
        "kind": {"group": group, "version": version, "kind": value["kind"]},
        "resource": {"group": group, "version": version, "resource": resource},
        "userInfo": {"username": user, "groups": ["system:authenticated"]}, "object": value}}


@case
def what_the_cluster_needs_to_start_does_not_wait(place):
    """The printed matchConditions, in a policy that denies everything, since policies have the same conditions."""
    def admitted(*options):
        out = []
        made = objects_of(manifests(*options))
        for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"):
            for hook in made[kind, "portcullis-portcullis"]["webhooks"]:
                text = policy("all", "false", resources=("*/*",), matchConditions=hook["matchConditions"])
                (place / "p.yaml").write_text(text, encoding="utf-8")
                verdicts = []
                for user, value, resource in STARTING + DECIDED:
                    (place / "asked.json").write_text(json.dumps(asked_by(user, value, resource)), encoding="utf-8")
                    done = subprocess.run([PORTCULLIS, "review", "-p", place / "p.yaml", place / "asked.json", "-o", "admissionreview"],
                                          capture_output=True, text=True)
                    verdicts.append(json.loads(done.stdout)["response"]["allowed"])
                out.append(verdicts)
        return out

    wanted = [True] * len(STARTING) + [False] * len(DECIDED)
    equal(admitted(), [wanted] * 3)
    itself = [user.startswith("system:serviceaccount:portcullis") for user, _, _ in STARTING + DECIDED]
    equal(admitted("--all-requests"), [itself] * 3)


@case
def the_server_runs_with_the_arguments_and_the_files(place):
    made = objects_of(manifests(*files(place)))
    mount = place / "mount"
    mount.mkdir()
    data = made["ConfigMap", "portcullis-policies"]["data"]
    equal(sorted(data), ["2-a.yaml", "a.yaml"])
    equal(data["a.yaml"], (place / "a.yaml").read_text())
    equal(data["2-a.yaml"], (place / "more/a.yaml").read_text())
    for name, text in data.items():
        (mount / name).write_text(text, encoding="utf-8")
    args = made["Deployment", "portcullis"]["spec"]["template"]["spec"]["containers"][0]["args"]
    args = [a.replace("=/policies", f"={mount}").replace("delay=10s", "delay=0") for a in args
            if a not in ("--cert-dir=/certs", "--log-format=json")]  # the test has its own
    server = Server(place, *args, program=SERVER)
    equal(server.send(review(name="bad"))[2]["response"]["allowed"], False)
    equal("patch" in server.send(review(), "/mutate")[2]["response"], True)
    equal(server.end(), 0)


@case
def what_is_wrong_is_said(place):
    (place / "none.yaml").write_text('{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}', encoding="utf-8")
    (place / "unbound.yaml").write_text(policy("a", "true").split("---")[0], encoding="utf-8")
    (place / "large.yaml").write_text(policy("a", "true", message="x" * 1100000), encoding="utf-8")
    make_certificate(place / "certs")
    make_certificate(place / "other")
    make_certificate(place / "locked")
    openssl("pkey", "-in", place / "certs/tls.key", "-aes256", "-passout", "pass:x", "-out", place / "locked/tls.key")
    for options, text in ((["-p", place / "missing"], "No such file"), (["-p", place / "none.yaml"], "no policy is in"),
                          (["-p", place / "unbound.yaml"], "no binding of a policy"), (["-p", place / "large.yaml"], "1 MiB"),
                          (["-n", "Bad Name"], "--namespace"), (["--name", "1a"], "--name"),
                          (["--exclude-namespace", 'A B"'], '--exclude-namespace: "A B\\"" is no name'), (["--cert", "a"], "--key"),
                          (["--cert", place / "none.yaml", "--key", place / "certs/tls.key"], "no CERTIFICATE in PEM"),
                          (["--cert", place / "certs/tls.crt", "--key", place / "other/tls.key"], "it is not the key of the certificate"),
                          (["--cert", place / "certs/tls.crt", "--key", place / "locked/tls.key"], "keys with a passphrase are not read"),
                          (["--max-replicas", 1], "--max-replicas"), (["--timeout", 31], "--timeout"),
                          (["-p", place / "unbound.yaml", "--authorizer"], "--authorizer"),
                          (["-p", place / "unbound.yaml", "--all-requests"], "--all-requests"),
                          (["--params-scope", "Limit=Cluster"], "--params-scope is for policies of -p"),
                          (["-p", place / "unbound.yaml", "--params-scope", "Limit=Cluster"], "--params-scope Limit=Cluster: neither")):
        holds(text in manifests(*options, status=2), f"{options}: {manifests(*options, status=2)}")


def warnings(*options):
    done = subprocess.run([PORTCULLIS, "manifests", *map(str, options)], capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    return [l.split("warning: ", 1)[1] for l in done.stderr.splitlines() if "warning: " in l]


@case
def what_may_fail_is_warned_of(place):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-keyout", place / "key",
            "-out", place / "crt", "-subj", "/CN=a", "-addext", "subjectAltName=DNS:portcullis.portcullis.svc")
    pair = ["--cert", place / "crt", "--key", place / "key"]
    equal(warnings(*pair), [])
    got = warnings(*pair, "-n", "policy")
    holds(len(got) == 1 and "valid for portcullis.portcullis.svc, not portcullis.policy.svc" in got[0], str(got))
    # `openssl req` and `openssl x509` of Debian 12 cannot date back, `openssl ca` can.
    (place / "index").touch()
    (place / "ca.cnf").write_text(f"[ca]\ndefault_ca=x\n[x]\ndatabase={place}/index\nnew_certs_dir={place}\ndefault_md=sha256\n"
                                  "policy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n", encoding="utf-8")
    openssl("req", "-new", "-key", place / "key", "-out", place / "csr", "-subj", "/CN=a")
    openssl("ca", "-batch", "-config", place / "ca.cnf", "-selfsign", "-keyfile", place / "key", "-in", place / "csr", "-out",
            place / "old", "-notext", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z")
    got = warnings("--cert", place / "old", "--key", place / "key")
    holds(len(got) == 2 and "has expired" in got[0] and "use SANs instead" in got[1], str(got))
    (place / "p.yaml").write_text(policy("labels", "namespaceObject.metadata.name != ''"), encoding="utf-8")
    got = warnings("-p", place / "p.yaml", *pair)
    holds(len(got) == 1 and "no Namespace is in" in got[0], str(got))
    (place / "n.yaml").write_text('{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}', encoding="utf-8")
    equal(warnings("-p", place / "p.yaml", "-p", place / "n.yaml", *pair), [])
    for rule in ("*", "*/*"):
        (place / "w.yaml").write_text(policy("wide", "true", resources=(rule,)), encoding="utf-8")
        got = warnings("-p", place / "w.yaml", *pair)
        holds(len(got) == 1 and "names all resources" in got[0], str(got))
        equal(warnings("-p", place / "w.yaml", *pair, "--failure-policy", "Ignore"), [])
    # A kind of params whose scope nobody tells.
    (place / "s.yaml").write_text(scopeless(), encoding="utf-8")
    got = warnings("-p", place / "s.yaml", *pair)
    holds(len(got) == 1 and "unknown whether example.com/v1 Limit" in got[0] and "--params-scope KIND=Cluster" in got[0], str(got))
    # What the server would say at its start.
    for text, words in gaps():
        (place / "g.yaml").write_text(text, encoding="utf-8")
        got = warnings("-p", place / "g.yaml", *pair)
        holds(len(got) == 1 and words in got[0], str(got))
    (place / "g.yaml").write_text(policy("broken", "request.nome != 'a'"), encoding="utf-8")
    holds("undefined field 'nome'" in manifests("-p", place / "g.yaml", *pair, status=2), "a policy that does not compile")
    for kind in ("Limit", "Limit.example.com", "example.com/v1/Limit"):
        options = ["-p", place / "s.yaml", *pair, "--params-scope", f"{kind}=Cluster"]
        equal(warnings(*options), [])
        args = objects_of(manifests(*options))["Deployment", "portcullis"]["spec"]["template"]["spec"]["containers"][0]["args"]
        holds(f"--params-scope={kind}=Cluster" in args, str(args))


def asking(name, groups, versions, resources=("widgets",), match_policy="Equivalent", more_rules=(), operations=("CREATE",), **more):
    """A policy that warns of what it sees, and its binding; a policy with `more_rules` has them after its own."""
    rule = {"apiGroups": groups, "apiVersions": versions, "operations": list(operations), "resources": resources, **more}
    return policy(name, "false", actions=("Warn",), matchConstraints={"matchPolicy": match_policy, "resourceRules": [rule, *more_rules]},
                  validations=[{"expression": "false", "messageExpression": f"'{name} sees ' + object.apiVersion"}])


def definition(strategy, *versions, off=()):
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}}
    return json.dumps({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "widgets.ex.io"},
        "spec": {"group": "ex.io", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
                 "conversion": {"strategy": strategy, **({"webhook": webhook} if strategy == "Webhook" else {})},
                 "versions": [{"name": v, "served": v not in off, "storage": v == "v1", "schema": schema} for v in versions]}}) + "\n---\n"


def hooks_of(place, *texts):
    """The printed webhooks of these policies."""
    (place / "p.yaml").write_text("".join(texts), encoding="utf-8")
    made = objects_of(manifests("-p", place / "p.yaml"))
    return [hook for (kind, _), o in sorted(made.items()) if kind.endswith("WebhookConfiguration") for hook in o["webhooks"]]


def paths(place, *texts):
    return [hook["clientConfig"]["service"]["path"] for hook in hooks_of(place, *texts)]


@case
def policies_that_ask_for_other_versions_have_other_webhooks(place):
    """A rule that matches a version keeps the API server from converting the object for the policy of another version."""
    one, every = asking("one", ["ex.io"], ["v1"]), asking("all", ["*"], ["*"], ["*"])
    apart = ["/validate/any-version", "/validate/versions/v1"]
    for texts in ((one, every), (one, asking("all", ["ex.io"], ["*"], ["widgets/*"])), (definition("Webhook", "v1", "v2"), one, every),
                  (asking("one", ["*"], ["v1"]), every), (asking("one", ["*"], ["v1"], ["*"]), every)):
        equal(paths(place, *texts), apart, str(texts))
    equal(paths(place, one, asking("all", ["ex.io"], ["v2", "v1"])), ["/validate/versions/v1", "/validate/versions/v1.v2"])
    equal(paths(place, one, asking("two", ["ex.io"], ["v2"], more_rules=[{"apiGroups": ["ex.io"], "apiVersions": ["v1"],
          "operations": ["CREATE"], "resources": ["widgets"]}])), ["/validate/versions/v1", "/validate/versions/v2/v1"])
    for texts in ((one,), (every,), (one, asking("all", ["ex.io"], ["v1"])),
                  (one, asking("all", ["*"], ["*"], ["gadgets", "*/status"])),
                  (asking("one", ["ex.io"], ["v1"], scope="Namespaced"), asking("all", ["*"], ["*"], ["*"], scope="Cluster")),
                  (one, asking("all", ["*"], ["*"], ["*"], operations=["DELETE"])),
                  (asking("one", ["ex.io"], ["v1"], match_policy="Exact"), every),
                  (asking("one", ["apps"], ["v1"], ["deployments"]), every),  # Portcullis converts built-in kinds
                  (asking("one", ["*"], ["v1"], ["pods"]), every),
                  (definition("None", "v1", "v2"), one, every), (definition("Webhook", "v1"), one, every),
                  (definition("Webhook", "v1", "v2", off=["v2"]), one, every),  # nothing is sent at v2
                  (definition("Webhook", "v1", "v2"), asking("one", ["ex.io"], ["v1", "v2"]), every)):
        equal(paths(place, *texts), ["/validate"], str(texts))
    # Rules for built-in kinds stay together; what a policy asks for beside a conflict has its own versions.
    hooks = hooks_of(place, every, asking("both", ["ex.io", "apps"], ["v1"], ["widgets", "deployments"], scope="Namespaced"))
    ask = {"operations": ["CREATE"], "scope": "*"}
    both = {"apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["widgets", "deployments"], "scope": "Namespaced"}
    equal([(h["name"], h["rules"]) for h in hooks], [
        ("validate.any-version.portcullis.portcullis.svc", [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], **ask},
                                                            {"apiGroups": ["apps"], **both}]),
        ("validate.versions.v1.portcullis.portcullis.svc", [{"apiGroups": ["ex.io"], **both}])])
    mutated = mutation("one", "[JSONPatch{op: 'test', path: '/kind', value: object.kind}]").replace('"apiGroups": [""]', '"apiGroups": ["ex.io"]').replace("configmaps", "widgets")
    other = mutated.replace('"one"', '"all"').replace('"v1"]', '"*"]')
    equal(paths(place, mutated, other), ["/mutate/any-version", "/mutate/versions/v1"])
    equal(paths(place, mutated, other, other.replace('"all"', '"again"').replace('"Never"', '"IfNeeded"')),
          ["/mutate/never/any-version", "/mutate/never/versions/v1", "/mutate/if-needed"])


def given_version(hook, sent, versions, resource="widgets", group="ex.io", operation="CREATE"):
    """The version of the object that an API server sends to the webhook; None: it does not call it."""
    def takes(rule, version):
        return all(set(rule[name]) & {"*", wanted} for name, wanted in (
            ("apiGroups", group), ("apiVersions", version), ("operations", operation), ("resources", resource)))

    return next((v for v in [sent] for r in hook["rules"] if takes(r, v)),
                next((v for r in hook["rules"] for v in versions if takes(r, v)), None))


@case
def each_policy_sees_the_version_of_an_api_server(place):
    """As an API server does, sends a widget of each version to the printed webhooks, and counts what the policies see."""
    versions = ["v1", "v2", "v3"]
    rule = {"apiGroups": ["ex.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["widgets"]}
    texts = (definition("Webhook", *versions), asking("all", ["*"], ["*"], ["*"]), asking("one", ["ex.io"], ["v1"]),
             asking("two", ["ex.io"], ["v2"], ["widgets", "gadgets"]), asking("some", ["ex.io"], ["v1", "v2"]),
             asking("turned", ["ex.io"], ["v2"], more_rules=[rule]), asking("exact", ["ex.io"], ["v1"], match_policy="Exact"),
             asking("mixed", ["apps", "ex.io"], ["v1"], ["widgets", "deployments"]), asking("loose", ["*"], ["v1"], ["*"]),
             asking("deletes", ["ex.io"], ["*"], operations=["DELETE"], more_rules=[rule]))
    hooks = hooks_of(place, *texts)
    make_certificate(place / "certs")
    server = Server(place, "-p", place / "p.yaml", program=SERVER)
    wanted = {"v1": {"two": "v2", "exact": "v1"}, "v2": {"all": "v2", "two": "v2", "some": "v2", "turned": "v2"},
              "v3": {"all": "v3", "two": "v2", "turned": "v2"}}
    for sent in versions:
        seen = []
        for hook in hooks:
            given = given_version(hook, sent, versions)
            if given is None:
                continue
            asked = review(spec={"apiVersion": "ex.io/" + given, "kind": "Widget"})
            for prefix, version in (("", given), ("request", sent)):
                names = ("kind", "resource") if prefix == "" else ("requestKind", "requestResource")
                asked["request"][names[0]] = {"group": "ex.io", "version": version, "kind": "Widget"}
                asked["request"][names[1]] = {"group": "ex.io", "version": version, "resource": "widgets"}
            answer = server.send(asked, hook["clientConfig"]["service"]["path"])[2]["response"]
            equal(answer["allowed"], True, str(answer))
            seen += [w.split(": ", 1)[1] for w in answer.get("warnings", [])]
        names = ["all", "one", "two", "some", "turned", "mixed", "loose", "deletes"] + ["exact"] * (sent == "v1")
        equal(sorted(seen), sorted(f"{n} sees ex.io/{wanted[sent].get(n, 'v1')}" for n in names), sent)
    # A built-in kind is asked for once.
    asked = review(spec={"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
        "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "b"}]}}}})
    asked["request"]["kind"] = {"group": "apps", "version": "v1", "kind": "Deployment"}
    asked["request"]["resource"] = {"group": "apps", "version": "v1", "resource": "deployments"}
    seen = []
    for hook in hooks:
        if given_version(hook, "v1", ["v1"], "deployments", "apps"):
            response = server.send(asked, hook["clientConfig"]["service"]["path"])[2]["response"]
            seen += [w.split(": ", 1)[1] for w in response.get("warnings", [])]
    equal(sorted(seen), ["all sees apps/v1", "loose sees apps/v1", "mixed sees apps/v1"])
    for path in ("/validate/versions/", "/validate/versions", "/validate/versions/V1", "/validate/versions/v2.v1",
                 "/validate/versions/v1/", "/validate/versions//v1", "/validate/any", "/review/any-version",
                 "/validate/versions/any-version", "/validate/any-version/v1"):
        equal(server.send(asked, path)[0], 404, path)
    equal(server.metric('portcullis_http_requests_total{code="200",path="/validate"}') > 5, True)
    equal(server.end(), 0)


def kube_apiserver_takes_it(place):
    """kubectl apply --dry-run=server, but for the kinds of cert-manager, which no bare cluster has."""
    environment = {**os.environ, "CLUSTER_DIR": str(place / "cluster"), "KUBECONFIG": str(place / "cluster/kubeconfig")}
    tool = SHARED / "tools/cluster/cluster"
    subprocess.run([tool, "up"], env=environment, check=True, capture_output=True)
    try:
        for name in ("portcullis", "policy"):
            namespace = json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            subprocess.run([tool, "kubectl", "apply", "-f", "-"], input=namespace, text=True, env=environment, check=True,
                           capture_output=True)
        for options in variants(place):
            text = "---\n".join(part for part in manifests(*options).split("---\n") if "apiVersion: cert-manager.io" not in part)
            done = subprocess.run([tool, "kubectl", "apply", "--dry-run=server", "-f", "-"], input=text, env=environment, capture_output=True,
                                  text=True)
            equal((done.returncode, "arning" in done.stderr), (0, False), f"{options}: {done.stderr}")
    finally:
        subprocess.run([tool, "down"], env=environment, check=False, capture_output=True)


if (BINARIES / "kube-apiserver").exists():
    case(kube_apiserver_takes_it)
else:
    print(f"skipped: kube_apiserver_takes_it (there is no kube-apiserver in {BINARIES})")
sys.exit(run_cases(5))
