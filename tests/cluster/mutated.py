#!/usr/bin/env python3
"""What a real kube-apiserver makes of manifests under the mutating policies of the corpus, against `portcullis mutate`.

Usage: KUBECONFIG=... mutated.py PORTCULLIS SHARED [--policies N] [--manifests N] [--show]

SHARED is the folder with corpus/ and tools/; the server comes from SHARED/tools/cluster (`cluster build`, `cluster
up`). For each policy that the server takes (at most 20; its bindings and params with it) the corpus' manifests that it
matches are created with dryRun=All, 10 of each policy and then more until there are 200, and the object that comes back
is compared with `portcullis mutate --normalized -o json`; of those that the policy leaves alone with `portcullis
normalize`. One policy is in force at a time, since the server's order is random. Kinds that the server does not have
get a definition without a schema, which Portcullis gets too. Needs PyYAML. Takes a few minutes.

Where the policy refuses a manifest, its words are compared and it does not count; a manifest that the server refuses
for another cause (its own validation, another plugin) is set aside and counted. Left out of the comparison is what is
different each time: managedFields, resourceVersion, and whatever text is the uid or a time; of a Service its addresses
and node ports. Labels of a Job that come of a map that two fields share (docs/faithfulness.md) are counted and set
aside. Ends with 1 if anything differs.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

PLURALS = {"MutatingAdmissionPolicy": "mutatingadmissionpolicies",
           "MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings"}
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
PLACEHOLDER_UID = "00000000-0000-4000-8000-000000000001"


def documents(path):
    return [d for d in yaml.safe_load_all(path.read_text(encoding="utf-8")) if d]


def manifests_of(corpus, entries):
    """All objects that are created in the corpus, each once, in order."""
    found = {}
    for entry in entries:
        for case in entry["cases"]:
            if case["operation"] != "CREATE" or case.get("review"):
                continue
            for made in documents(corpus / case["file"]):
                name = (made.get("metadata") or {}).get("name")
                if name and made.get("kind") != "List":
                    found.setdefault(json.dumps(made, sort_keys=True, default=str), made)
    return [json.loads(text) for text in found]


def settled(value, uid):
    """Without what is different each time."""
    if isinstance(value, dict):
        return {k: settled(v, uid) for k, v in value.items()
                if k not in ("managedFields", "resourceVersion", "clusterIP", "clusterIPs", "nodePort",
                             "healthCheckNodePort")}
    if isinstance(value, list):
        return [settled(v, uid) for v in value]
    if isinstance(value, str):
        return "UID" if value == uid and uid else "TIME" if TIME.match(value) else value
    return value


def differences(want, got, path=""):
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(set(want) | set(got)):
            yield from differences(want.get(key), got.get(key), f"{path}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        for i, (w, g) in enumerate(zip(want, got)):
            yield from differences(w, g, f"{path}[{i}]")
    elif want != got:
        yield f"{path}: {json.dumps(want)} there, {json.dumps(got)} here"


def is_shared_map(made, difference):
    """The row "maps that two fields share" of docs/faithfulness.md."""
    return made["kind"] == "Job" and difference.endswith("null here") and re.match(
        r"\.metadata\.labels\.(batch\.kubernetes\.io/)?(controller-uid|job-name): ", difference)


class Server:
    def __init__(self, tools):
        sys.path.insert(0, str(tools / "cluster"))
        from kube_client import Client, Policies, path_of  # files of the shared tools
        self.client, self.path_of = Client(), path_of
        self.policies, self.markers = Policies(self.client), 0
        self.kinds = {}
        self.learn("v1", "/api/v1")
        for group in self.client.call("GET", "/apis")[1]["groups"]:
            for version in group["versions"]:
                self.learn(version["groupVersion"], "/apis/" + version["groupVersion"])
        self.namespaces = {"default"}

    def learn(self, api_version, path):
        for r in self.client.call("GET", path)[1].get("resources", []):
            if "/" not in r["name"]:
                self.kinds[api_version, r["kind"]] = (r["name"], r["namespaced"])

    def define(self, api_version, kind):
        """A definition without a schema of a kind of another group; False if there can be none."""
        group, _, version = api_version.rpartition("/")
        if "." not in group or group.endswith(".k8s.io"):
            return False
        plural = kind.lower() + "s"
        made = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": f"{plural}.{group}"},
                "spec": {"group": group, "scope": "Namespaced",
                         "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": kind + "List"},
                         "versions": [{"name": version, "served": True, "storage": True, "schema": {
                             "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}
        if self.client.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", made)[0] != 201:
            return False
        self.kinds[api_version, kind] = (plural, True)
        return True

    def definitions(self):
        """All of the server, those of runs before too."""
        found = self.client.call("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")[1]["items"]
        return [{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": d["metadata"]["name"]}, "spec": d["spec"]} for d in found]

    def namespace(self, name):
        if name not in self.namespaces:
            self.client.call("POST", "/api/v1/namespaces",
                             {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            self.namespaces.add(name)

    def put_up(self, entry, corpus):
        """The policy with its bindings and params; what it answers if it refuses one."""
        docs = documents(corpus / entry["policy"]) + documents(corpus / entry["binding"])
        for param in documents(corpus / entry["params"]) if entry.get("params") else []:
            plural, namespaced = self.kinds[param["apiVersion"], param["kind"]]
            group, _, version = param["apiVersion"].rpartition("/")
            self.policies.create(self.path_of(group, version, plural, (param["metadata"].get("namespace") or "default")
                                              if namespaced else None), param)
        for doc in docs:
            status, got = self.policies.create("/apis/" + doc["apiVersion"] + "/" + PLURALS[doc["kind"]], doc)
            if status != 201:
                return got.get("message", str(got))
        self.ready()
        return None

    def ready(self, limit=30):
        """Waits for a policy made last to be in force, so that all changes before it are, too."""
        self.markers += 1
        name = f"marker-{self.markers}-{os.getpid()}"
        api = "admissionregistration.k8s.io/v1"
        policy = {"matchConstraints": {"resourceRules": [{"apiGroups": ["coordination.k8s.io"], "apiVersions": ["v1"],
                                                          "operations": ["CREATE"], "resources": ["leases"]}]},
                  "reinvocationPolicy": "Never",
                  "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
                      "expression": "Object{metadata: Object.metadata{labels: {'%s': ''}}}" % name}}]}
        for kind, spec in (("MutatingAdmissionPolicy", policy),
                           ("MutatingAdmissionPolicyBinding", {"policyName": name})):
            self.policies.create(f"/apis/{api}/{PLURALS[kind]}",
                                 {"apiVersion": api, "kind": kind, "metadata": {"name": name}, "spec": spec})
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}}
        start = time.monotonic()
        while time.monotonic() - start < limit:
            _, got, _ = self.client.call("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All",
                                         lease)
            if name in (got["metadata"].get("labels") or {}):
                return
            time.sleep(0.05)
        raise RuntimeError(f"policies are not in force after {limit} s")

    def created(self, made):
        """(status, answer) of creating it, with dryRun=All."""
        group, _, version = made["apiVersion"].rpartition("/")
        plural, namespaced = self.kinds[made["apiVersion"], made["kind"]]
        namespace = made["metadata"].get("namespace") or "default" if namespaced else None
        if namespace:
            self.namespace(namespace)
        path = self.path_of(group, version, plural, namespace)
        return self.client.call("POST", path + "?dryRun=All&fieldValidation=Ignore", made)[:2]


def matches(policy, made, kinds):
    """Is the manifest's resource among those of the policy's rules?"""
    group, _, version = made["apiVersion"].rpartition("/")
    plural = kinds[made["apiVersion"], made["kind"]][0]
    return any(
        {group, "*"} & set(r["apiGroups"]) and {version, "*"} & set(r["apiVersions"]) and
        {plural, "*", "*/*"} & set(r["resources"]) and {"CREATE", "*"} & set(r["operations"])
        for r in policy["spec"]["matchConstraints"].get("resourceRules", []))


def ours(program, files, made):
    """(object, whether it was changed) as Portcullis has it; (None, words) if it does not."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as manifest:
        json.dump(made, manifest)
        manifest.flush()
        policies = [part for f in files for part in ("-p", f)]
        done = subprocess.run([program, "mutate", "--normalized", "-o", "json", *policies, manifest.name],
                              capture_output=True, text=True)
        if done.returncode != 0 or not done.stdout.strip():
            return None, done.stderr.strip()
        got = json.loads(done.stdout)
        if (got.get("metadata") or {}).get("uid"):
            return got, True
        definitions = [f for f in files if f.endswith(".crds.json")]
        done = subprocess.run([program, "normalize", "-o", "json", *definitions, manifest.name],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr.strip()
        return json.loads(done.stdout.strip().split("\n")[-1]), False


def main():
    server = None
    try:
        args = arguments()
        server = Server(args.shared / "tools")
        differs = compare(args, server)
    finally:
        if server:
            server.policies.clear()
    sys.exit(1 if differs else 0)


def arguments():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("shared", type=pathlib.Path)
    ap.add_argument("--policies", type=int, default=20)
    ap.add_argument("--manifests", type=int, default=200)
    ap.add_argument("--show", action="store_true", help="print what the server refuses, too")
    return ap.parse_args()


def compare(args, server):
    """Whether anything differs."""
    corpus = args.shared / "corpus"
    entries = json.loads((corpus / "manifest.json").read_text(encoding="utf-8"))
    manifests = [m for m in manifests_of(corpus, entries)
                 if (m["apiVersion"], m["kind"]) in server.kinds or server.define(m["apiVersion"], m["kind"])]
    counts, refused, kinds, differ, tried = collections.Counter(), collections.Counter(), collections.Counter(), [], 0
    mutating = [e for e in entries if e["kind"] == "MutatingAdmissionPolicy"]
    with tempfile.TemporaryDirectory() as directory:
        crds = os.path.join(directory, "definitions.crds.json")
        with open(crds, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(d) + "\n" for d in server.definitions())
        for entry in mutating:
            if counts["policies"] == args.policies:
                break
            failed = server.put_up(entry, corpus)
            if failed:
                print(f"{entry['id']}: the server does not take it: {failed[:200]}")
                server.policies.clear()
                continue
            policy = documents(corpus / entry["policy"])[0]
            fitting = [m for m in manifests if matches(policy, m, server.kinds)]
            own = [m for case in entry["cases"] for m in documents(corpus / case["file"])]
            fitting.sort(key=lambda m: m not in own)  # its own cases first; the others in their order
            if not fitting:
                print(f"{entry['id']}: no manifest fits")
                server.policies.clear()
                continue
            counts["policies"] += 1
            left = args.policies - counts["policies"] + 1
            share = -(-(args.manifests - counts["manifests"]) // left)
            files = [str(corpus / entry[part]) for part in ("policy", "binding", "params") if entry.get(part)] + [crds]
            # Manifests of rare kinds first, so that it is not all Pods.
            seen, order = collections.Counter(), []
            for m in fitting:
                order.append((m not in own, seen[m["kind"]], len(order)))
                seen[m["kind"]] += 1
            for _, _, i in sorted(order):
                if share == 0:
                    break
                made = fitting[i]
                status, answer = server.created(made)
                if status != 201:
                    words = answer.get("message", "") if isinstance(answer, dict) else str(answer)
                    if "denied request: " in words or "strict decoding error: " in words:
                        got, said = ours(args.program, files, made)
                        counts["refused"] += 1
                        # Texts of several lines are indented here.
                        if got is not None or " ".join(words.split()) not in " ".join(said.split()):
                            differ.append((entry["id"], made, [f"{words} there", f"{got or said} here"]))
                        continue
                    refused[f"{status} {answer.get('reason', '')}" if isinstance(answer, dict) else str(status)] += 1
                    if args.show:
                        print("refused", entry["id"], made["kind"], made["metadata"]["name"], words[:200])
                    continue
                share -= 1
                counts["manifests"] += 1
                kinds[made["kind"]] += 1
                got, changed = ours(args.program, files, made)
                if got is None:
                    differ.append((entry["id"], made, ["here: " + changed]))
                    continue
                counts["changed"] += changed
                found = list(differences(settled(answer, answer["metadata"].get("uid")), settled(got, PLACEHOLDER_UID)))
                shared = [d for d in found if is_shared_map(made, d)]
                counts["shared maps"] += bool(shared)
                found = [d for d in found if d not in shared]
                if found:
                    differ.append((entry["id"], made, found))
            server.policies.clear()
    for entry, made, found in differ:
        print(f"{entry}: {made['kind']} {made['metadata']['name']}", *found[:8], sep="\n    ")
    print(f"{counts['policies']} policies, {counts['manifests']} manifests ({counts['changed']} changed, "
          f"{counts['shared maps']} with shared maps), {counts['refused']} refusals, {len(differ)} differ")
    print("kinds:", ", ".join(f"{k} {n}" for k, n in kinds.most_common()))
    print("set aside, refused by the server:", ", ".join(f"{n} with {k}" for k, n in refused.most_common()) or "none")
    return bool(differ)


if __name__ == "__main__":
    main()
