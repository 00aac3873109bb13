#!/usr/bin/env python3
"""Writes the input that a fuzz target starts from: a folder of seeds and a dictionary of names.

Usage: seeds.py PROGRAM TARGET SHARED_DIR FOLDER    (writes FOLDER/seeds/* and FOLDER/cel.dict)
Seeds are the examples of this project and, if SHARED_DIR exists, expressions of the conformance tables and policies
of the corpus. The dictionary comes from the function and macro rows that PROGRAM prints, so it cannot be out of
date.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_BYTES = 4096  # the -max_len that ./dev fuzz uses
MOST_SEEDS = 1500  # a short run would spend its time on reading more
OPERATORS = ["&&", "||", "==", "!=", "<=", ">=", "?", ":", " in ", "[?", ".?", "object", "oldObject",
             "request", "true", "null", "0x", "1u", "1e3", "b'", "r'", "\\\\u00e9", "`"]
MARKS = {"custom": ["metadata", "labels", "annotations", "ownerReferences", "managedFields", "finalizers", "spec", "status",
                    "parts", "free", "pod", "set", "atoms", "null", "[]", "{}", "true", "1.5"],
         "mutation": ['"op":"move"', '"from":"/a"', "/-", "/0", "~0", "~1", "-1", "null", "metadata", "containers"],
         "webhook": ["Content-Length: ", "Transfer-Encoding: chunked", "Connection: close", "Expect: 100-continue", "uid"],
         "json": ["\\\\ud800", "1e400", "18446744073709551616", "-0", "{}", "[]", "null"],
         "yaml": ["<<: *a", "&a ", "*a", "!!binary ", "|-\\x0a", ">+\\x0a", "---\\x0a", "...\\x0a", "? ",
                  "0o7", "0b1", ".inf", "y: n", "\\x09"]}


def expressions(shared):
    for path in sorted((shared / "conformance").glob("*/*.json")):
        for test in json.loads(path.read_text(encoding="utf-8"))["tests"]:
            if isinstance(test.get("expr"), str):
                yield test["expr"]
    for path in sorted((ROOT / "tests/language").glob("*.cel")):
        yield from (line.split("  //")[0] for line in path.read_text(encoding="utf-8").splitlines()
                    if line[:1] not in ("", "/"))


def manifests(shared):
    for folder in (ROOT / "examples", shared / "corpus"):
        for path in sorted(folder.rglob("*.yaml")):
            yield path.read_text(encoding="utf-8")


def json_texts(shared):
    yield from ('{"a":[1,-2.5e3,true,null,"\\u00e9\\ud83d\\ude00"],"b":{"a":18446744073709551615}}',
                "[9223372036854775808,1e400]", '"\\ud800"')
    for path in sorted((shared / "decoded").rglob("*.json*")) if (shared / "decoded").exists() else []:
        yield from path.read_text(encoding="utf-8").splitlines()[:200]


def stories(shared):
    """A policy, a binding and an object of one folder as one stream."""
    pods = (ROOT / "examples/manifests/privileged.yaml").read_text(encoding="utf-8")
    for path in sorted((ROOT / "examples/policies").glob("*.yaml")):
        yield path.read_text(encoding="utf-8") + "\n---\n" + pods
    for path in sorted((shared / "corpus").glob("*/*/policy.yaml")):
        binding = path.with_name("binding.yaml")
        bindings = binding.read_text(encoding="utf-8") if binding.exists() else ""
        yield path.read_text(encoding="utf-8") + "\n---\n" + bindings + "\n---\n" + pods


def custom_resources(_shared):
    """Objects of the definition in fuzz/custom.cc, with what they were."""
    metadata = {"name": "g", "namespace": "n", "labels": {"a": "b"}, "uid": "u", "ownerReferences": [
        {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u", "controller": True}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}}, "x": None}
    specs = [{}, {"n": 5, "text": "aa", "when": "2024-01-01T00:00:00Z", "port": "http", "typo": 1},
             {"pod": pod, "free": {"a": [{"b": None}]}, "set": ["a", "b"], "atoms": {"a": 1.5}, "text": None},
             {"parts": [{"name": "a"}, {"name": "b", "port": 443, "more": [{"x": True, "y": 1}]}], "port": 80}]
    for version in "v1", "v2":
        objects = [{"apiVersion": "example.com/" + version, "kind": "Gadget", "metadata": metadata, "spec": spec,
                    "status": {"n": 1}} for spec in specs]
        wrong = dict(objects[1], metadata={"name": "g", "labels": {"a": 5}})
        for new in objects + [wrong]:
            yield json.dumps({"object": new})
            for old in objects[:2]:
                yield json.dumps({"object": new, "old": old})


def results(_shared):
    """Parts of a result, separated as fuzz/report.cc expects them."""
    yield "pod.yaml|a: b|Pod|web|shop|a finding|policy|binding|ns/param|a message|object.x == 1|refused|hint"
    yield "a\nadmitted  Pod b|\x1b[2J|\u202e|\u0085denied  x|\u2028|\r|\x7f|\t|\n|\n\n|\x00\n|"


def requests(_shared):
    """HTTP requests to the server, with AdmissionReviews."""
    for path in "/validate", "/mutate?timeout=10s", "/review":
        for version, operation in ("v1", "CREATE"), ("v1beta1", "DELETE"), ("v1", "UPDATE"):
            review = json.dumps({"apiVersion": "admission.k8s.io/" + version, "kind": "AdmissionReview", "request": {
                "uid": "u", "operation": operation, "name": "a", "namespace": "b",
                "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
                "resource": {"group": "", "version": "v1", "resource": "configmaps"}, "userInfo": {"username": "eve"},
                "object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}}})
            head = f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
            yield f"{head}Content-Length: {len(review)}\r\n\r\n{review}"
            yield f"{head}Transfer-Encoding: chunked\r\n\r\n{len(review):x}\r\n{review}\r\n0\r\n\r\n"
    yield "GET /readyz?verbose HTTP/1.0\r\n\r\n"


def cluster_answers(_shared):
    """A kubeconfig, and what an API server says of namespaces."""
    yield json.dumps({"kind": "Config", "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
                      "clusters": [{"name": "k", "cluster": {"server": "https://a", "certificate-authority-data": "LS0tLS1CRUdJTiBBLS0tLS0K"}}],
                      "users": [{"name": "u", "user": {"tokenFile": "t", "as": "e", "as-groups": ["g"]}}]})
    space = {"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "a", "namespace": "", "resourceVersion": "2"}}
    yield json.dumps({"kind": "NamespaceList", "apiVersion": "v1", "metadata": {"resourceVersion": "1", "continue": "c"},
                      "items": [space]})
    yield "".join(json.dumps({"type": t, "object": space}) + "\n" for t in ("ADDED", "MODIFIED", "BOOKMARK", "DELETED"))
    yield json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old"}}) + "\n"
    yield json.dumps({"kind": "APIResourceList", "resources": [{"name": "limits", "kind": "Limit", "verbs": ["list", "watch"]}]})


def answers(_shared):
    """Answers of webhooks: choice, content type, body, as fuzz/answer.cc splits them."""
    response = {"uid": "u", "allowed": False, "patch": "W10=", "patchType": "JSONPatch", "warnings": ["w"],
                "auditAnnotations": {"k": "v"}, "status": {"code": 403, "reason": "R", "message": "m",
                "details": {"causes": [{"field": "f"}], "retryAfterSeconds": 1}}}
    for choice, version in ("\x03", "v1"), ("\x02", "v1beta1"), ("\x01", "v1"):
        body = json.dumps({"apiVersion": "admission.k8s.io/" + version, "kind": "AdmissionReview",
                           "response": response})
        yield choice + "application/json; charset=utf-8\n" + body
        yield choice + "text/plain;a=\"b\"\n\ufeff" + body
    yield '\x04text/html\n{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m"}'
    yield "\x01a\nkind: AdmissionReview\nresponse: {uid: u, allowed: yes}\n"


def mutations(_shared):
    """An object with operations of every kind and a configuration, as fuzz/mutation.cc splits them."""
    objects = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "finalizers": ["a/a", "b/b"]},
                "data": {"a": "b", "c/d": "~"}},
               {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"a": "b"}},
                "spec": {"containers": [{"name": "c", "image": "i", "args": ["1", "2"],
                                         "ports": [{"containerPort": 80}]}]}}]
    paths = ["/metadata/labels", "/metadata/finalizers/-", "/metadata/finalizers/0", "/spec/containers/0/args/-1",
             "/data/c~1d", "/data/x~0y", "", "/", "/spec/containers/-/x", "/data"]
    values = ["v", 1, None, {"a": "b"}, ["x", {"y": []}]]
    configurations = [{"metadata": {"finalizers": ["b/b", "c/c"]}, "data": {"a": "x"}}, {"spec": {"containers": [
        {"name": "d"}, {"name": "c", "ports": [{"containerPort": 80, "protocol": "UDP"}]}]}}, {"metadata": None}]
    for i, path in enumerate(paths):
        operations = [{"op": op, "path": path, "from": paths[(i + j) % len(paths)],
                       "value": values[(i + j) % len(values)]}
                      for j, op in enumerate(["test", "add", "replace", "copy", "move", "remove"])]
        for operation in operations:
            yield json.dumps({"object": objects[i % 2], "patch": [operation],
                              "configuration": configurations[i % len(configurations)]})
        yield json.dumps({"object": objects[i % 2], "patch": operations[1:]})


SOURCES = {"parse": expressions, "expression": expressions, "json": json_texts, "yaml": manifests,
           "policy": manifests, "review": stories, "custom": custom_resources, "report": results,
           "mutation": mutations, "answer": answers, "webhook": requests, "cluster": cluster_answers}


def spread(texts, count):
    """At most `count` of the texts, evenly distributed."""
    step = max(1, len(texts) / count)
    return [texts[int(i * step)] for i in range(min(count, len(texts)))]


def write_dictionary(program, target, path):
    words = list(MARKS.get(target, []))
    if target not in MARKS:
        rows = subprocess.run([program, "functions"], capture_output=True, text=True, check=True).stdout
        words = OPERATORS + sorted(set(re.findall(r"[A-Za-z][A-Za-z0-9_.]+(?=\()", rows)))
    escaped = (word.replace('"', '\\"') for word in words)
    path.write_text("".join(f'"{word}"\n' for word in escaped), encoding="utf-8")


def main():
    program, target = sys.argv[1:3]
    shared, folder = map(pathlib.Path, sys.argv[3:5])
    seeds = folder / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    texts = sorted({t for t in SOURCES[target](shared) if len(t.encode()) <= MOST_BYTES},
                   key=lambda t: (len(t), t))
    for text in spread(texts, MOST_SEEDS):
        (seeds / hashlib.sha1(text.encode()).hexdigest()[:16]).write_text(text, encoding="utf-8")
    write_dictionary(program, target, folder / "cel.dict")


if __name__ == "__main__":
    main()
