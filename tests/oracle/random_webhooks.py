#!/usr/bin/env python3
"""Random requests with webhook configurations, one JSON line each: which webhooks they reach (mode `webhook`), or the
whole chain with policies of both sorts and what the webhooks answer (mode `admit`).

Usage: random_webhooks.py webhook|admit [COUNT] [SEED] > requests.jsonl
       random_webhooks.py --compare REQUESTS WANT GOT             prints each answer that differs, and how many
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got

Deterministic by seed. Answers of webhooks are those of reference/admission.md 8.4 to 8.7, valid ones more often than
not. One request in sixteen is mutated anywhere, so it may also be an input error, whose text is the oracle's own.
Whole answers are compared; what docs/faithfulness.md sets aside is counted (random_mutating_reviews.py).
"""
import base64
import collections
import copy
import json
import random
import sys

import oracle_errors
import random_mutating_reviews as mutating
import random_reviews as plain
from mutate_policies import dump, mutate

GROUP = plain.GROUP
KINDS = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"]
NAMES = ["a.example.com", "b.example.com", "c.example.com", "a.example.com", "d.x.example.com"]


def client(r):
    if r.random() < 0.5:
        return {"url": r.choice(["https://example.com/", "https://example.com", "https://example.com/a/b?x=y",
                                 "https://example.com:8443/v1/", "https://example.com/a//b/../c%20d"])}
    service = {"namespace": r.choice(["hooks", "default"]), "name": r.choice(["svc", "cut"])}
    if r.random() < 0.6:
        service["path"] = r.choice(["/mutate", "/", "/a/b/", "/a/./b", "/x%2Fy"])
    if r.random() < 0.3:
        service["port"] = r.choice([443, 8443])
    return {"service": service}


def hook(r, name, target, kind):
    others = plain.RESOURCES
    made = {"name": name, "clientConfig": client(r), "admissionReviewVersions": r.choice(
        [["v1"], ["v1"], ["v1", "v1beta1"], ["v1beta1"], ["v1beta1", "v1"], ["v2", "v1"], ["v2"]]),
            "sideEffects": r.choice(["None", "None", "NoneOnDryRun", "Some", "Unknown"])}
    made["rules"] = []
    for _ in range(r.choice([0, 1, 1, 1, 2])):
        rule = plain.rule(r, target if r.random() < 0.85 else r.choice(others))
        rule.pop("resourceNames", None)
        made["rules"].append(rule)
    if r.random() < 0.55:
        made["rules"].append({"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]})
    if r.random() < 0.25:
        made["namespaceSelector"] = plain.selector(r)
    if r.random() < 0.25:
        made["objectSelector"] = plain.selector(r)
    if r.random() < 0.5:
        made["matchPolicy"] = r.choice(["Exact", "Equivalent"])
    if r.random() < 0.6:
        made["failurePolicy"] = r.choice(["Fail", "Ignore", "Ignore"])
    if r.random() < 0.4:
        made["timeoutSeconds"] = r.choice([1, 5, 30])
    if kind.startswith("Mutating") and r.random() < 0.6:
        made["reinvocationPolicy"] = r.choice(["Never", "IfNeeded", "IfNeeded"])
    if r.random() < 0.3:
        made["matchConditions"] = [{"name": "c%d" % i, "expression": plain.boolean(r, False, False)}
                                   for i in range(r.choice([1, 2, 3]))]
    if r.random() < 0.03:
        made.pop(r.choice(list(made)))
    return made


def configuration(r, kind, name, target):
    return {"apiVersion": GROUP + "/" + r.choice(["v1"] * 9 + ["v1beta1"]), "kind": kind,
            "metadata": {"name": name},
            "webhooks": [hook(r, n, target, kind) for n in r.sample(NAMES, r.choice([1, 1, 2, 3]))]}


def related(r, target):
    """Equivalent versions, and rules of some webhooks that name another one of them."""
    return r.choice([t for t in plain.RESOURCES + mutating.BUILTIN if t[2] == target[2]] or [target])


def webhook_case(r, number):
    base = plain.case(r, number)
    asked = base["request"]
    res = asked["resource"]
    target = (res["group"], res["version"], res["resource"], asked["kind"]["kind"], bool(asked["namespace"]))
    made = {"id": number, "mode": "webhook", "config": configuration(r, r.choice(KINDS), "w", related(r, target)),
            "request": asked}
    for field in ("namespaces", "equivalents", "authz"):
        if field in base:
            made[field] = base[field]
    return made


# --- what webhooks answer ---

PATCHES = [
    [{"op": "add", "path": "/metadata/labels", "value": {"env": "prod", "w": "1"}}],
    [{"op": "add", "path": "/metadata/labels/env", "value": "dev"}],
    [{"op": "replace", "path": "/spec/replicas", "value": 3}], [{"op": "remove", "path": "/spec"}],
    [{"op": "test", "path": "/kind", "value": "Pod"}], [{"op": "test", "path": "/metadata/name", "value": "a"}],
    [{"op": "add", "path": "/metadata/annotations", "value": {"n": "1", "h": "<&>\u2028"}}],
    [{"op": "add", "path": "/metadata/annotations/x", "value": "1e3"}],
    [{"op": "add", "path": "/spec/replicas", "value": 1}], [], None, [{"op": "nope", "path": "/x"}], [{"path": "/x"}],
    [{"op": "add", "path": "/spec/unknown", "value": {"b": 1, "a": [1.50, 2.5]}}], [{"op": "replace", "path": "/kind", "value": "Pod"}],
    [{"op": "replace", "path": "/apiVersion", "value": "v1"}], [{"op": "remove", "path": "/kind"}],
    [{"op": "replace", "path": "/metadata/name", "value": 5}], [{"op": "copy", "from": "/metadata/name", "path": "/metadata/labels/x"}],
    [{"op": "move", "from": "/metadata/labels", "path": "/metadata/annotations"}], {}, "x", [1], [None],
    [{"op": "add", "path": "/data", "value": {"k": "new"}}], [{"op": "add", "path": "/data/z", "value": "2"}],
    [{"op": "add", "path": "/spec/containers/-", "value": {"name": "side", "image": "i"}}],
    [{"op": "replace", "path": "/spec/containers/0/image", "value": "other"}], [{"op": "replace", "path": "", "value": {}}],
    [{"op": "add", "path": "/metadata/labels", "value": None}], [{"op": "replace", "path": "/spec", "value": None}],
    [{"op": "add", "path": "/metadata/annotations/x", "value": None}], [{"op": "replace", "path": "/kind", "value": None}],
    [{"op": "add", "path": "/apiVersion", "value": "v1"}, {"op": "add", "path": "/kind", "value": "Pod"}],
    [{"op": "remove", "path": "/apiVersion"}], [{"op": "replace", "path": "/kind", "value": "Deployment"}],
    [{"op": "test", "path": "/metadata/labels", "value": None}], [{"op": "add", "path": "/spec/x", "value": None}],
    [{"op": "replace", "path": "/metadata", "value": None}], [{"op": "add", "path": "/data", "value": {"k": None}}],
]
STATUSES = [None, {}, {"message": "no"}, {"message": "no", "code": 403, "reason": "Forbidden"}, {"code": 418},
            {"code": 200, "message": "odd"}, {"code": 999, "message": "far"}, {"reason": "Because"},
            {"status": "Success", "message": "s"}, {"status": "Other", "message": "s", "code": 499},
            {"message": "m", "details": {"name": "n", "kind": "k", "group": "g", "causes": [
                {"reason": "r", "message": "c", "field": "f"}], "retryAfterSeconds": 3}},
            {"message": "m", "metadata": {"resourceVersion": "5", "continue": "c"}}, {"message": "<&>", "code": "x"},
            {"message": 5}, {"message": "a\nb", "code": -1}]


def response(r, mutates, version):
    """The `response` of an AdmissionReview, mostly a valid one."""
    made = {"uid": "$UID", "allowed": r.random() < 0.75}
    if not made["allowed"] or r.random() < 0.1:
        status = copy.deepcopy(r.choice(STATUSES))
        if status is not None:
            made["status"] = status
    if mutates and r.random() < 0.7 or r.random() < 0.03:
        patch = r.choice(PATCHES[:9] if r.random() < 0.7 else PATCHES)
        made["patch"] = base64.b64encode(json.dumps(patch, ensure_ascii=False).encode()).decode()
        made["patchType"] = "JSONPatch"
    if r.random() < 0.3:
        made["warnings"] = r.choice([["careful"], ["a", "b", "a"], [], None, ["x" * 300], ["é", "line\nbreak"], [""]])
    if r.random() < 0.3:
        made["auditAnnotations"] = r.choice([{"k": "v"}, {"k": "v", "bad key": "x", "a/b": "y"}, {}, None, {"k": "w"},
                                             {"key-1": "<&>", "_": "1", "A.b": "2"}])
    k = r.random()
    if k < 0.02:
        made["patch"] = r.choice(["%%%", "", "W10", "bm90IGpzb24=", 5])
    elif k < 0.05:
        made["patchType"] = r.choice(["", "MergePatch", "JSONPatch", None, 1])
    elif k < 0.07:
        made["uid"] = r.choice(["", "other", None, "$UID$UID"])
    elif k < 0.09:
        made.pop(r.choice(list(made)))
    elif k < 0.11:
        made["allowed"] = r.choice(["true", None, 1])
    elif k < 0.12:
        made["nope"] = 1
    return made


def review(r, mutates):
    version = r.choice(["admission.k8s.io/v1"] * 6 + ["admission.k8s.io/v1beta1"])
    made = {"apiVersion": version, "kind": "AdmissionReview", "response": response(r, mutates, version)}
    k = r.random()
    if k < 0.02:
        made["kind"] = r.choice(["", "Status", "Pod", None, "Nope"])
    elif k < 0.04:
        made["apiVersion"] = r.choice(["", "v1", "admission.k8s.io/v2", "a/b/c", None, 5])
    elif k < 0.06:
        made.pop(r.choice(list(made)))
    elif k < 0.07:
        made["response"] = r.choice([None, {}, [], "x"])
    elif k < 0.08:
        made = r.choice([None, [], "x", 5, {}, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "st"}])
    return made


def answer(r, mutates):
    k = r.random()
    if k < 0.82:
        return {"body": review(r, mutates)}
    if k < 0.85:
        return {"refuse": True}
    if k < 0.90:
        made = {"code": r.choice([201, 206, 207, 300, 304, 400, 401, 403, 404, 405, 406, 409, 410, 415, 422, 500, 502, 503, 504, 599])}
        if r.random() < 0.5:
            made["text"] = r.choice(["", "boom", "<b>&</b>", " padded \n", "x" * 3000])
        elif r.random() < 0.4:
            made["body"] = {"kind": "Status", "apiVersion": "v1", "status": r.choice(["Failure", "Success"]),
                            "message": "mine", "code": 409, "reason": "Conflict"}
        return made
    if k < 0.94:
        made = {"body": review(r, mutates)}
        made["headers"] = {"Content-Type": r.choice(["application/json", "application/yaml", "text/html", "", "x", "a/b; c=",
                                                     "application/json; charset=utf-8", ";"])}
        return made
    if k < 0.97:
        return {"text": r.choice(["", "{", "not json", "kind: AdmissionReview\napiVersion: admission.k8s.io/v1\nresponse: {uid: $UID, allowed: true}\n",
                                  "\ufeff{}", "null", "[]", '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"$UID","allowed":true,"allowed":false}}'])}
    if k < 0.985:
        return {"code": r.choice([429, 503, 500]), "headers": {"Retry-After": r.choice(["0", "0", "x", "-1"])}}
    return {"code": r.choice([301, 302, 303, 307, 308]), "headers": {"Location": r.choice(["/other", "other?x=1", "", "https://example.com/z"])}}


def admit_case(r, number, before):
    made = mutating.case(r, number, before)
    made["mode"] = "admit"
    asked = made["request"]
    res = asked["resource"]
    target = (res["group"], res["version"], res["resource"], asked["kind"]["kind"], bool(asked["namespace"]))
    if r.random() < 0.25:
        made["policies"] = [p for p in made["policies"] if r.random() < 0.5]
    if made["id"] % 3 == 0 or "configurations" not in before:
        before["configurations"] = [configuration(r, r.choice(KINDS), n, related(r, target))
                                    for n in r.sample(["w", "v", "x", "W"], r.choice([1, 2, 2, 3]))]
    made["webhookConfigurations"] = copy.deepcopy(before["configurations"])
    made["responses"] = {}
    kinds = {h.get("name"): c["kind"] for c in made["webhookConfigurations"] for h in c["webhooks"]}
    for name, kind in kinds.items():
        if name is None or r.random() < 0.15:
            continue
        mutates = kind.startswith("Mutating")
        k = r.random()
        made["responses"][name] = answer(r, mutates) if k < 0.75 else [answer(r, mutates) for _ in range(r.choice([0, 1, 2, 3]))]
    return made


def compare(requests, want, got):
    kinds = collections.Counter()
    for line, w, g in zip(*(open(name, encoding="utf-8") for name in (requests, want, got))):
        answer_ = json.loads(w)
        kind = next((k for k in ("panic", "inputError") if k in answer_), None) or (
            "answered" if "allowed" not in answer_ else "admitted" if answer_["allowed"] else "refused")
        kinds["requests"] += 1
        kinds[kind] += 1
        if w == g or kind == "panic" or kind == "inputError" and "inputError" in json.loads(g):
            continue
        if mutating.is_accident(w, g):
            kinds["accident"] += 1
            continue
        if error := oracle_errors.name_of(line, g):
            kinds[error] += 1
            continue
        kinds["differ"] += 1
        print(f"id {json.loads(line)['id']}\n   want {w[:3000]}   got  {g[:3000]}")
    print(", ".join(f"{n} {kind}" for kind, n in kinds.items()))
    sys.exit(1 if kinds["differ"] else 0)


def shaken(r, made):
    parts = [p for p in ("config", "webhookConfigurations", "request") if made.get(p)]
    part = r.choice(parts)
    holder = {part: copy.deepcopy(made[part])}
    try:
        mutate(r, holder)
    except (TypeError, KeyError, IndexError, AttributeError):
        pass
    if any(odd in repr(holder) for odd in ("Pairs", "'Name'")):
        return
    try:
        if None in holder["request"]["userInfo"]["extra"].values():  # docs/faithfulness.md: null where texts are
            return
    except (TypeError, KeyError, AttributeError):
        pass
    made.update(holder)


def main():
    if sys.argv[1:2] == ["--compare"]:
        return compare(*sys.argv[2:5])
    mode = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    r = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    before = {}
    for i in range(count):
        made = webhook_case(r, i) if mode == "webhook" else admit_case(r, i, before)
        if r.random() < 0.06:
            shaken(r, made)
        print(dump(made))


if __name__ == "__main__":
    main()
