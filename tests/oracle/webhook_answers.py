#!/usr/bin/env python3
"""Random `admit` requests of one webhook each, whose server answers anything: AdmissionReviews with fields
dropped, doubled, retyped and misspelt, Statuses, broken JSON, YAML, status codes, content types.

Usage: webhook_answers.py [COUNT] [SEED] > requests.jsonl

Deterministic by seed. Answers avoid what docs/faithfulness.md lists: Protobuf, broken YAML, YAML
integers beyond 64 bits.
"""
import base64
import copy
import json
import random
import sys

GROUP = "admission.k8s.io"
NAME = "w.example.com"
CODES = [200] * 30 + [201, 204, 206, 207, 300, 304, 400, 401, 403, 404, 405, 406, 409, 415, 418, 422, 429, 500, 502,
                      503, 504, 511]
TYPES = ["application/json"] * 6 + ["text/plain", "text/html; charset=utf-8", "application/yaml", "TEXT/x", "a", "a/",
         "/a", "a b", "a/b;", "a/b;c", "a/b;c=d;c=e", "a/b; c=\"d;\\\"\"; e=f", "a/b c", "é/x", "a/b;c=d x", ";"]
SCALARS = [None, True, False, 0, 1, -1, 399, 400, 403, 2147483647, 2147483648, 9223372036854775807,
           9223372036854775808, 1.5, 1e3, "", "x", "JSONPatch", "Failure", "Success", "é\n\"", "$UID", [], {}, [1],
           ["a", None], [{}], {"a": 1}, {"a": "b"}, {"a": None}, {"a": {"b": []}}]
PATCHES = [[], None, {}, [1], [None], "x", [{"op": "add", "path": "/data/x", "value": "1"}],
           [{"op": "test", "path": "/data/a", "value": "b"}], [{"op": "remove", "path": "/data/a"}]]


def status(r):
    made = {"code": r.choice([0, 1, 399, 400, 418, 499, 999]), "reason": r.choice(["", "Forbidden", "R é"]),
            "message": r.choice(["", "no", "no\n<b>"]), "status": r.choice(["", "Success", "Failure", "Odd"]),
            "metadata": r.choice([{}, {"continue": "c", "remainingItemCount": 3, "selfLink": ""}]),
            "details": {"name": "n", "group": "g", "kind": "k", "uid": "u", "retryAfterSeconds": r.choice([0, 3]),
                        "causes": [{"reason": "r", "message": "m", "field": "f"}, {}]},
            "kind": "Status", "apiVersion": "v1"}
    return {k: made[k] for k in made if r.random() < 0.6}


def patch(r):
    text = r.choice(["[", "", "nul", "[1]x"]) if r.random() < 0.1 else json.dumps(r.choice(PATCHES))
    coded = base64.b64encode(text.encode()).decode()
    return r.choice([coded] * 6 + [coded[:-1], coded + "\n", coded + "#", list(text.encode()[:4])])


def review(r, version):
    response = {"uid": r.choice(["$UID"] * 9 + ["", "other"]), "allowed": r.random() < 0.5}
    if r.random() < 0.6:
        response["status"] = status(r)
    if r.random() < 0.4:
        response["patch"] = patch(r)
    if r.random() < 0.4:
        response["patchType"] = r.choice(["JSONPatch"] * 4 + ["", "Other"])
    if r.random() < 0.4:
        response["warnings"] = [r.choice(["a", "", "é\t", "x" * 300]) for _ in range(r.choice([0, 1, 3]))]
    if r.random() < 0.4:
        response["auditAnnotations"] = {r.choice(["a", "b-c", "a/b", "", "é"]): r.choice(["", "v", "<é>"])}
    made = {"apiVersion": GROUP + "/" + version, "kind": "AdmissionReview", "response": response}
    if r.random() < 0.2:
        made["request"] = {"uid": "u", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "dryRun": False,
                           "userInfo": {"groups": ["a"], "extra": {"k": ["v"]}}, "object": {"a": [1]}}
    return made


def other(r, version):
    kind = r.choice(["Status", "AdmissionReview", "ListOptions", "APIGroup", "Pod", "", None, 1])
    api = r.choice(["v1", "", "/", GROUP + "/v1", GROUP + "/v1beta1", GROUP + "/", GROUP, "a/b/c", "v2", None, [],
                    GROUP + "/" + version])
    made = {"kind": kind, "apiVersion": api, "status": "Failure", "message": r.choice(["gone", "", 1])}
    return {k: made[k] for k in made if r.random() < 0.8}


def holders(node):
    """Every object within `node`, itself included."""
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from holders(part)


def shake(r, node):
    holder = r.choice([h for h in holders(node) if h] or [{"": 0}])
    key = r.choice(list(holder))
    what = r.random()
    if what < 0.2:
        del holder[key]
    elif what < 0.8:
        holder[key] = copy.deepcopy(r.choice([s for s in SCALARS if (key, s) != ("patch", "$UID")]))
    elif what < 0.9:
        holder[key.swapcase()] = holder.pop(key)
    else:
        holder[r.choice(["extra", "Kind", "apiversion", "ALLOWED"])] = copy.deepcopy(r.choice(SCALARS))


def doubled(r, node):
    """The text of `node` in which an object may have a member twice."""
    text = json.dumps(node, ensure_ascii=r.random() < 0.5)
    holder = r.choice(list(holders(node)))
    if not holder or r.random() < 0.7:
        return text
    key = r.choice(list(holder))
    old = json.dumps(holder)
    return json.dumps(node).replace(old, old[:-1] + ", %s: %s}" % (json.dumps(key), json.dumps(r.choice(
        SCALARS + [holder[key]]))), 1)


def yaml(node, indent=0):
    """`node` in block style."""
    lines = []
    for key, value in node.items():
        nested = isinstance(value, dict) and value
        lines.append(" " * indent + json.dumps(key) + ":" + ("" if nested else " " + json.dumps(value)))
        if nested:
            lines += yaml(value, indent + 2).splitlines()
    return "\n".join(lines) + "\n"


def body(r, version):
    node = review(r, version) if r.random() < 0.85 else other(r, version)
    if r.random() < 0.5:
        for _ in range(r.choice([1, 1, 1, 2])):
            shake(r, node)
    what = r.random()
    if what < 0.04:
        return r.choice(["", " ", "null", "x", "[]", "1", "<html>\n<body>gone</body>", "{}", "a: b: c"])
    if what < 0.10:
        return yaml(node).replace("9223372036854775808", "9.5")
    text = doubled(r, node)
    if what < 0.2 and text:
        text = text.replace("$UID", "u")  # errors quote characters, and a uid is random
        at = r.randrange(len(text))
        text = text[:at] + r.choice(["", "x", "}", ",", ":", "\\", "\x01", "é", "1"]) + text[at + r.choice([0, 1]):]
    if what > 0.97:
        text = r.choice(["\ufeff", "\n ", "\t", "\u2003"]) + text + r.choice(["", "\n"])
    return text


def case(r, i):
    version = r.choice(["v1", "v1", "v1beta1"])
    mutating = r.random() < 0.6
    answer = {"text": body(r, version), "code": r.choice(CODES), "headers": {"Content-Type": r.choice(TYPES)}}
    if answer["code"] in (204, 304):  # without a body, whatever the server writes
        answer.update(text="", headers={"Content-Type": "application/json"})
    hook = {"name": NAME, "clientConfig": {"url": "https://example.com/p"}, "sideEffects": "None",
            "admissionReviewVersions": [version], "failurePolicy": r.choice(["Fail"] * 4 + ["Ignore"]),
            "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]}
    kind = "MutatingWebhookConfiguration" if mutating else "ValidatingWebhookConfiguration"
    thing = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "d", "namespace": "n"}, "data": {"a": "b"}}
    request = {"kind": {"group": "", "version": "v1", "kind": "ConfigMap"}, "operation": "CREATE", "name": "d",
               "resource": {"group": "", "version": "v1", "resource": "configmaps"}, "namespace": "n",
               "userInfo": {"username": "eve"}, "object": thing}
    if r.random() < 0.1:
        request.update(operation="DELETE", object=None, oldObject=thing)
    return {"id": i, "mode": "admit", "responses": {NAME: answer}, "request": request,
            "namespaces": [{"metadata": {"name": "n"}}],
            "webhookConfigurations": [{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind,
                                       "metadata": {"name": "c"}, "webhooks": [hook]}]}


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20000
    r = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for i in range(count):
        print(json.dumps(case(r, i)))


if __name__ == "__main__":
    main()
