#!/usr/bin/env python3
"""Random objects of every built-in kind as requests of mode `decode`, made from the list of Go structs. Most
values fit, some do not; some keys are odd, unknown or repeated.

Usage: random_objects.py TYPES_JSONL COUNT [SEED] > requests.jsonl
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got; diff want got
(fields that default to the time of the request, `timeAdded`, differ)
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutate_objects import IMAGES, ODD, QUANTITIES, TIMES, misspell  # noqa: E402

WORDS = {
    "type": ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "RollingUpdate", "Recreate", "OnDelete",
             "Container", "Pod", "Opaque", "Resource", "Utilization", "Pods", "Hostname", ""],
    "kind": ["User", "Group", "ServiceAccount", "Pod", ""],
    "allocationMode": ["ExactCount", "All", ""],
    "sessionAffinity": ["ClientIP", "None", ""],
    "restartPolicy": ["Always", "Never", "OnFailure", ""],
    "phase": ["Pending", "Active", "Running", ""],
    "deviceClassName": ["gpu", ""],
    "protocol": ["TCP", "UDP", ""],
    "podIP": ["10.0.0.1", ""], "ip": ["10.0.0.1", "10.0.0.2", ""], "podCIDR": ["10.0.0.0/24", ""],
    "clusterIP": ["None", "10.0.0.1", ""], "serviceAccount": ["a", ""], "serviceAccountName": ["b", ""],
}
TEXTS = ["", "a", "b", "x-y", "True", "80", "v1", "é", "a\"\\b", "\u2028<&>", "c\td\n", "30%"]
KEYS = ["a", "b", "cpu", "memory", "app.kubernetes.io/name", "", "k\u00e9", "x\"y", "a.b/c", "~",
        "longer-than-fourteen-characters", "autoscaling.alpha.kubernetes.io/metrics",
        "deprecated.daemonset.template.generation", "kubernetes.io/metadata.name"]
INTS = [0, 0, 1, 2, 3, 10, 80, -1, 420, 2147483647, -2147483648]
BASE64 = ["", "YQ==", "aGVsbG8=", "YQ=", "YQ", "!!", "aGVs\nbG8=", "_-8=", "/+8="]


class Maker:
    def __init__(self, path, seed):
        self.rng = random.Random(seed)
        self.structs, self.kinds = {}, []
        for line in open(path, encoding="utf-8"):
            t = json.loads(line)
            self.structs[t["type"]] = t
            self.kinds += [(k, t["type"]) for k in t.get("kinds", [])
                           if any(f.get("type", "").endswith(".ObjectMeta") for f in t["fields"])]
        self.odd = 0.004

    def struct(self, name, depth):
        rng, made = self.rng, {}
        for f in self.structs[name]["fields"]:
            if f.get("inline"):
                inner = self.struct(f["type"], depth)
                made.update(inner)
                continue
            chance = 0.75 if depth == 0 else max(0.12, 0.5 - 0.05 * depth)
            if len(self.structs[name]["fields"]) > 20:
                chance *= 0.6
            if rng.random() < chance and f["name"] not in ("apiVersion",
                    "kind") or rng.random() < 0.02 and depth > 0:
                made[f["name"]] = self.value(f["type"], f["name"], depth + 1)
        if rng.random() < self.odd * 3:
            made[misspell(rng, rng.choice(list(made) or ["x"]))] = rng.choice(ODD)
        return made

    def value(self, kind, name, depth):
        rng = self.rng
        if rng.random() < self.odd:
            return rng.choice(ODD)
        if rng.random() < 0.02:
            return None
        if kind.startswith("list("):
            return [self.value(kind[5:-1], name, depth) for _ in range(self.size(depth))]
        if kind.startswith("map("):
            return {rng.choice(KEYS): self.value(kind[4:-1], name, depth) for _ in range(self.size(depth))}
        short = kind.rsplit(".", 1)[-1]
        if short == "Quantity":
            return rng.choice(QUANTITIES[:24]) if rng.random() > 0.02 else rng.choice(QUANTITIES)
        if short in ("Time", "MicroTime"):
            good = ["2020-01-02T03:04:05.123456Z"] if short == "MicroTime" else ["2020-01-02T03:04:05Z",
                "2020-01-02T03:04:05+02:00"]
            return rng.choice(good) if rng.random() > 0.02 else rng.choice(TIMES)
        if short == "IntOrString":
            return rng.choice([0, 1, 80, "", "0", "http", "30%", "1", -1])
        if short in ("RawExtension", "FieldsV1") or kind == "any":
            return rng.choice([{}, {"a": 1}, {"a": {"b": [1.0, None, 2.50, "x"]}},
                               {"apiVersion": "v1", "kind": "Pod", "spec": {}}, {"f:a": {}}])
        if kind in self.structs:
            return self.struct(kind, depth) if depth < 14 else {}
        if kind == "bool":
            return rng.random() < 0.5
        if kind.startswith("int") or kind.startswith("float") or kind.startswith("uint"):
            return rng.choice(INTS)
        if kind == "bytes":
            return rng.choice(BASE64[:3]) if rng.random() > 0.05 else rng.choice(BASE64)
        if name in ("image", "reference"):
            return rng.choice(IMAGES)
        return rng.choice(WORDS[name]) if name in WORDS and rng.random() < 0.8 else rng.choice(TEXTS)

    def size(self, depth):
        return self.rng.choice([0, 1, 1, 2, 3] if depth < 6 else [0, 1, 1, 2])

    def object(self):
        kind, struct = self.rng.choice(self.kinds)
        api_version, name = kind.split(" ")
        self.odd = self.rng.choice([0, 0, 0.001, 0.01])
        made = self.struct(struct, 0)
        made.update({"apiVersion": api_version, "kind": name})
        return made


def write(rng, value):
    """JSON with some repeated members, numbers in several spellings, and white space between tokens."""
    if isinstance(value, dict):
        members = [(k, v) for k, v in value.items()]
        if members and rng.random() < 0.005:
            k, v = rng.choice(members)
            others = [v, None, {}, [], "z", 7]
            if isinstance(v, (dict, list)):
                others += [x for _, x in members if isinstance(x, type(v))]
            if k not in ("apiVersion", "kind"):
                members.insert(rng.randrange(len(members) + 1), (k, rng.choice(others)))
        return "{" + ",".join(json.dumps(k) + ":" + write(rng, v) for k, v in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(write(rng, v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def main():
    maker = Maker(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    for i in range(int(sys.argv[2])):
        print('{"mode":"decode","id":%d,"object":%s}' % (i, write(maker.rng, maker.object())))


if __name__ == "__main__":
    main()
