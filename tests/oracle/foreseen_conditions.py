#!/usr/bin/env python3
"""Claims of `check` about random webhooks, compared with what Kubernetes does with random requests.

Usage: foreseen_conditions.py PORTCULLIS ORACLE [COUNT] [SEED]

Each configuration has a webhook without conditions and one with the same rules and a condition, so the oracle (mode
`webhook`) says for each request whether the rules let it through, and what the condition makes of it. A condition that
is said to be false or true for every request must never be anything else; one that is said to fail must be an error.
A request that is said to reach a webhook, in its own namespace or kube-system, must reach it.
Also counts the conditions that were the same for all requests tried and of which nothing is said, as a measure.
Deterministic by seed.
"""
import collections
import json
import random
import re
import subprocess
import sys
import tempfile

META = {"name": "a", "namespace": "default", "labels": {"app": "a"}}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": META,
       "spec": {"containers": [{"name": "c", "image": "i"}], "hostNetwork": True}}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": META,
              "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "a"}},
                       "template": {"metadata": {"labels": {"app": "a"}}, "spec": POD["spec"]}}}
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": META, "data": {"k": "v"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, "spec": {}}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}, "spec": {}}
SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": META, "spec": {"replicas": 2}}
EVICTION = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": META}
EXEC = {"apiVersion": "v1", "kind": "PodExecOptions", "command": ["sh"], "container": "c"}
TEAM = {"apiVersion": "example.com/v1", "kind": "Team", "metadata": META, "spec": {"size": 1}}
WRITTEN = ["CREATE", "UPDATE", "DELETE"]
# group, version, resource, subresource, namespace, object, operations
SORTS = [
    ("", "v1", "pods", "", "default", POD, WRITTEN), ("apps", "v1", "deployments", "", "default", DEPLOYMENT, WRITTEN),
    ("", "v1", "configmaps", "", "default", CONFIG, WRITTEN), ("", "v1", "nodes", "", "", NODE, WRITTEN),
    ("", "v1", "namespaces", "", "default", NAMESPACE, WRITTEN), ("", "v1", "pods", "status", "default", POD, ["UPDATE"]),
    ("apps", "v1", "deployments", "scale", "default", SCALE, ["UPDATE"]),
    ("", "v1", "pods", "eviction", "default", EVICTION, ["CREATE"]), ("", "v1", "pods", "exec", "default", EXEC, ["CONNECT"]),
    ("example.com", "v1", "teams", "", "default", TEAM, WRITTEN),
]
# The requests of `gets OPERATION of RESOURCE`: the kind, and the user who makes it.
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": META, "spec": {"audiences": ["a"]}}
BINDING = {"apiVersion": "v1", "kind": "Binding", "metadata": META, "target": {"kind": "Node", "name": "n"}}
SLICE = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": META, "addressType": "IPv4", "endpoints": []}
LEASE = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": META, "spec": {}}
CONTROLLERS = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"]
NODES = ["system:nodes", "system:authenticated"]
VITAL = {
    "pods": ("", POD, "system:serviceaccount:kube-system:replicaset-controller", CONTROLLERS),
    "pods/binding": ("", BINDING, "system:kube-scheduler", ["system:authenticated"]),
    "serviceaccounts/token": ("", TOKEN, "system:node:n", NODES), "pods/status": ("", POD, "system:node:n", NODES),
    "endpointslices": ("discovery.k8s.io", SLICE, "system:serviceaccount:kube-system:endpointslice-controller", CONTROLLERS),
    "leases": ("coordination.k8s.io", LEASE, "system:kube-controller-manager", ["system:authenticated"]),
}
SPACES = ["default", "hooks", "kube-system"]
SPACE_LABEL = "kubernetes.io/metadata.name"
TEXTS = {
    "request.operation": WRITTEN + ["CONNECT"], "request.kind.kind": ["Pod", "Deployment", "Team", "Scale"],
    "object.kind": ["Pod", "Deployment", "ConfigMap", "Scale"], "oldObject.kind": ["Pod", "Team"],
    "request.resource.resource": ["pods", "deployments", "teams"], "request.resource.group": ["", "apps", "example.com"],
    "request.resource.version": ["v1", "v1beta1"], "request.requestKind.version": ["v1", "v2"], "request.kind.group": ["", "autoscaling"],
    "request.requestResource.resource": ["pods", "nodes"], "request.requestKind.kind": ["Pod", "PodExecOptions", "Eviction"],
    "request.namespace": ["", "", "default", "kube-system"], "request.subResource": ["", "status", "scale"], "request.name": ["", "a"],
    "object.apiVersion": ["v1", "apps/v1", "example.com/v1"], "object.metadata.namespace": ["default", ""],
    "object.metadata.name": ["a", "b"], "request.userInfo.username": ["eve", "bob"], "object.spec.template.kind": ["x"],
    "object['kind']": ["Pod"], "request['operation']": ["CREATE"], "object.?kind.orValue('')": ["Pod", "Team", ""],
}
PATHS = ["object.metadata", "object.metadata.labels", "object.spec", "object.spec.template", "object.spec.replicas", "object.data",
         "object.spec.nope", "object.metadata.nope", "oldObject.spec", "request.namespace", "request.subResource", "request.name",
         "request.options", "request.userInfo.groups", "request.dryRun", "object.status", "object.kind"]
CONSTANTS = ["true", "false", "1 == 2", "'a' in ['a', 'b']", "size('ab') == 2", "[1, 2].all(i, i > 0)", "1 / 0 == 1"]
WHOLE = ["object == null", "oldObject != null", "null == oldObject", "object == oldObject", "object.metadata == oldObject.metadata", "size(object) == 0",
         "'kind' in object", "'template' in object.spec", "object.exists(k, k == 'kind')", "type(object) == type('')",
         "object.metadata != {'name': 'a'}", "{'name': 'a'} == object.metadata", "[object.kind] == ['Pod']", "request.kind == request.requestKind",
         "string(request.dryRun) == 'false'", "dyn(object).kind == 'Pod'", "object.?spec.?template.hasValue()",
         "object.?spec.hasValue()", "object.?metadata.?labels.?app.orValue('') == 'a'", "request.?namespace.hasValue()",
         "oldObject.?spec.hasValue()", "object.spec == oldObject.?spec.orValue({})"]


def atom(r):
    k = r.random()
    if k < 0.5:
        path = r.choice(list(TEXTS))
        words = [repr(w) for w in TEXTS[path]]
        return r.choice(["%s == %s", "%s != %s", "%s in [%s]", "%s.startsWith(%s)"]) % (path, r.choice(words)) if r.random() < 0.8 \
            else "%s in [%s]" % (path, ", ".join(r.sample(words, min(2, len(words)))))
    if k < 0.7:
        return "has(%s)" % r.choice(PATHS)
    return r.choice(CONSTANTS if k < 0.78 else WHOLE)


def condition(r, depth=0):
    k = r.random()
    if depth > 2 or k < 0.35:
        return atom(r)
    a, b = condition(r, depth + 1), condition(r, depth + 1)
    if k < 0.6:
        return "(%s) && (%s)" % (a, b)
    if k < 0.85:
        return "(%s) || (%s)" % (a, b)
    return "!(%s)" % a if k < 0.93 else "(%s) ? (%s) : (%s)" % (a, b, condition(r, depth + 1))


def rules(r):
    made = []
    for _ in range(r.choice([1, 1, 1, 2])):
        group, version, resource, sub, _, _, operations = r.choice(SORTS)
        name = resource + "/" + sub if sub else resource
        rule = {"apiGroups": [group], "apiVersions": [version], "resources": [name],
                "operations": r.choice([operations, [r.choice(operations)], ["*"]])}
        if r.random() < 0.15:
            rule["apiGroups"] = ["*"]
        if r.random() < 0.15:
            rule["apiVersions"] = ["*"]
        if r.random() < 0.2:
            rule["resources"] = [r.choice(["*", "*/*", resource + "/*", "*/status"])]
        if r.random() < 0.15:
            rule["scope"] = r.choice(["Namespaced", "Cluster", "*"])
        made.append(rule)
    return made


def selector(r):
    key = r.choice([SPACE_LABEL, SPACE_LABEL, "team"])
    values = r.sample(SPACES + ["other"], r.choice([1, 2]))
    op = r.choice(["In", "NotIn", "NotIn", "Exists", "DoesNotExist"])
    return {"matchExpressions": [dict({"key": key, "operator": op}, **({"values": values} if op.endswith("In") else {}))]}


def configuration(r, name):
    base = {"clientConfig": {"service": {"namespace": "hooks", "name": "a"}}, "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "rules": rules(r), "matchPolicy": r.choice(["Exact", "Equivalent"])}
    if r.random() < 0.4:
        base["namespaceSelector"] = selector(r)
    if r.random() < 0.1:
        base["objectSelector"] = selector(r)
    if r.random() < 0.3:
        base["failurePolicy"] = "Fail"
    if r.random() < 0.3:
        group, resource = r.choice([(v[0], k) for k, v in VITAL.items()])
        base["rules"].append({"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource], "operations": ["*"]})
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": r.choice(["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]),
            "metadata": {"name": name}, "webhooks": [
                dict(base, name="plain.example.com"),
                dict(base, name="picky.example.com", matchConditions=[{"name": "c", "expression": condition(r)}])]}


def requests(r):
    for group, version, resource, sub, namespace, thing, operations in SORTS:
        for operation in operations:
            made = {"operation": operation, "resource": {"group": group, "version": version, "resource": resource}, "subResource": sub,
                    "name": r.choice(["a", "a", ""]) if operation in ("CREATE", "DELETE") else "a", "namespace": namespace,
                    "dryRun": r.random() < 0.3, "userInfo": r.choice([{"username": "eve", "groups": ["g"]}, {}])}
            parts = thing["apiVersion"].split("/")
            made["kind"] = {"group": parts[0] if len(parts) > 1 else "", "version": parts[-1], "kind": thing["kind"]}
            if operation != "DELETE":
                made["object"] = thing
            if operation == "UPDATE" or operation == "DELETE" and r.random() < 0.7:
                made["oldObject"] = thing if r.random() < 0.5 else dict(thing, metadata={**thing["metadata"], "labels": {"old": "1"}})
            yield made


def claims(portcullis, configs):
    """By configuration: texts of what `check` says of conditions; None if it has errors."""
    found = collections.defaultdict(list)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write("\n".join(json.dumps(c) for c in configs))
        file.flush()
        run = subprocess.run([portcullis, "check", "-o", "json", file.name], capture_output=True, text=True)
    for problem in json.loads(run.stdout)["problems"]:
        if problem["severity"] == "error":
            found[problem["name"]] = None
        elif problem.get("ours") and found[problem["name"]] is not None and problem["text"].startswith('webhook "'):
            found[problem["name"]].append(problem["text"])
    return found


def vital(text):
    """The request of a claim that a webhook gets it, and the index of the webhook."""
    hook, operation, resource, space = re.match(r'webhook "(\w+).example.com" gets (\w+) of (\S+) in .*?namespace "(\S+)"', text).groups()
    group, thing, user, groups = VITAL[resource]
    thing = dict(thing, metadata=dict(thing["metadata"], namespace=space))
    parts = thing["apiVersion"].split("/")
    resource, _, sub = resource.partition("/")
    made = {"operation": operation, "resource": {"group": group, "version": "v1", "resource": resource}, "subResource": sub, "name": "a",
            "namespace": space, "object": thing, "userInfo": {"username": user, "groups": groups},
            "kind": {"group": parts[0] if len(parts) > 1 else "", "version": parts[-1], "kind": thing["kind"]}}
    if operation == "UPDATE":
        made["oldObject"] = thing
    return made, ["plain", "picky"].index(hook)


def main():
    portcullis, oracle = sys.argv[1:3]
    count, seed = (int(a) for a in (sys.argv[3:] + ["500", "1"][len(sys.argv) - 3:]))
    r = random.Random(seed)
    configs = [configuration(r, "w%d" % i) for i in range(count)]
    said = claims(portcullis, configs)
    namespaces = [{"metadata": {"name": n, "labels": {SPACE_LABEL: n}}} for n in SPACES]
    lines = []
    reached = {}  # index of the line: of the webhook
    for config in configs:
        for text in said[config["metadata"]["name"]] or []:
            if " gets " in text:
                request, reached[len(lines)] = vital(text)
                lines.append({"mode": "webhook", "config": config, "request": request, "typed": True, "namespaces": namespaces})
        for request in requests(r):
            lines.append({"id": config["metadata"]["name"], "mode": "webhook", "config": config, "request": request,
                          "typed": request["resource"]["group"] != "example.com", "namespaces": namespaces})
    run = subprocess.run([oracle], input="\n".join(json.dumps(x) for x in lines), capture_output=True, text=True, check=True)
    outcomes = collections.defaultdict(list)
    wrong, tally = 0, collections.Counter()
    for number, (line, answer) in enumerate(zip(lines, run.stdout.splitlines())):
        answer = json.loads(answer)
        if "calls" not in answer:
            sys.exit("no answer: " + json.dumps(answer) + json.dumps(line)[:2000])
        if number in reached:
            tally["reached"] += 1
            if not answer["calls"][reached[number]]["matched"]:
                wrong += 1
                print("not reached", json.dumps(line)[:1500])
            continue
        plain, picky = answer["calls"]
        if plain["matched"]:
            outcome = "fails" if picky.get("status") else "true" if picky["matched"] else "false"
            outcomes[line["id"]].append((line["request"]["operation"], outcome, picky.get("status")))
    for config in configs:
        name = config["metadata"]["name"]
        if said[name] is None:
            tally["does not compile"] += 1
            continue
        texts, met = [t for t in said[name] if "match condition" in t], outcomes[name]
        for text in texts:
            if "is false for every" in text:
                bad = [m for m in met if m[1] != "false"]
                tally["never"] += 1
            elif "is true for every" in text:
                bad = [m for m in met if m[1] != "true"]
                tally["always"] += 1
            else:
                words = text.split(" fails for every ")[1].split(" (")[0]
                bad = [m for m in met if m[1] != "fails" and (words.startswith("request") or m[0] in words)]
                tally["fails"] += 1
            if bad:
                wrong += 1
                print(text, config["webhooks"][1]["matchConditions"][0]["expression"], config["webhooks"][1]["rules"], bad[:3], sep="\n  ")
        if not texts:
            tally["open, but the same in all requests" if len(met) > 2 and len({m[1] for m in met}) == 1 else "open"] += 1
    print("%d configurations, %d requests: %s; %d wrong" % (len(configs), len(lines), dict(tally), wrong))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
