#!/usr/bin/env python3
"""Random mutations of objects as requests of mode `decode`: fields dropped, added, retyped,
misspelt, null, odd values.

Usage: mutate_objects.py DECODED_DIR COUNT [SEED] > requests.jsonl
Compare: ORACLE < requests.jsonl > want; portcullis review --batch < requests.jsonl > got; diff want got
"""
import copy
import json
import os
import random
import sys

ODD = [None, True, False, 0, 1, -1, 3, 80, 1.5, 1.0, 2147483648, -2147483649, 9223372036854775807,
       9223372036854775808, 1e21, 1e-7, "", "x", "0", "80", "30%", "latest", "nginx:1.2", "Always", [], {},
       [None], ["a"], [1], [{}], {"a": "b"}, {"a": 1}, {"a": None}]
QUANTITIES = ["0.5", "1", "1.0", "100m", "0.1m", "1500m", "1Gi", "1024Mi", "1.5Gi", "1e3", "1E3", "5e-1",
              "1k", "1000", "0", "-1", "+1", "01", "1.", ".5", "1u", "1n", "100000000000000000000000", "16Ei",
              "1Ki ", "x", "1x", "", "1_000", 0.5, 1, 1.5, 1000, 1e3, 0, 12345678901234567890]
TIMES = ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05.999999Z", "2020-01-02T03:04:05+02:00", "2020-01-02",
         "x", "", "2020-13-02T03:04:05Z", "2020-02-30T03:04:05Z", "2020-01-02T24:04:05Z",
         "2020-01-02T03:04:05.123456Z", "0001-01-01T00:00:00Z", "2020-01-02T03:04:60Z", "2020-01-02T3:04:05Z",
         "2020-01-02T03:04:05+25:00", "2020-01-02t03:04:05Z", "2020-01-02T03:04:05Zx", "2020-01-02 03:04:05Z"]
IMAGES = ["nginx", "nginx:latest", "nginx:1", "reg.io/a/b", "reg.io:5000/a:latest", "a@sha256:" + "0" * 64,
          "nginx:", "NGINX", "nginx:LATEST", "a/b/c:1.2.3", "nginx:latest@sha256:" + "a" * 64, "localhost/x",
          "a..b", "a__b", "a___b", "a--b:latest", "-a", "a:" + "t" * 129, ""]


def places(value, path=()):
    if isinstance(value, dict):
        for key in value:
            yield value, key, path + (key,)
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield value, i, path + (i,)
            yield from places(item, path + (i,))


def misspell(rng, name):
    if not name:
        return "x"
    i = rng.randrange(len(name))
    return rng.choice([name[:i] + name[i + 1:], name[:i] + name[i].swapcase() + name[i + 1:], name + "s",
                       name[:i] + "x" + name[i:]])


def odd(rng, path):
    names = [p for p in path if isinstance(p, str)]
    last = names[-1] if names else ""
    if rng.random() < 0.5:
        if set(names) & {"limits", "requests", "capacity", "hard", "storage", "cpu", "memory", "divisor",
                         "sizeLimit"}:
            return rng.choice(QUANTITIES)
        if "ime" in last:
            return rng.choice(TIMES)
        if last in ("image", "reference"):
            return rng.choice(IMAGES)
    return copy.deepcopy(rng.choice(ODD))


def mutate(rng, obj, names, values):
    spots = [s for s in places(obj) if s[2][0] not in ("apiVersion", "kind") or len(s[2]) > 1]
    if not spots:
        return
    holder, key, path = rng.choice(spots)
    kind = rng.randrange(6)
    if kind == 0:
        del holder[key]
    elif kind == 1:
        holder[key] = odd(rng, path)
    elif kind == 2 and isinstance(holder, dict):
        holder[misspell(rng, key)] = holder.pop(key)
    elif kind == 3 and isinstance(holder, dict):
        name = rng.choice(names)
        holder[name] = copy.deepcopy(rng.choice(values[name]))
    elif kind == 4:
        holder[key] = None
    else:
        if isinstance(holder[key], list):
            holder[key] = holder[key] * 2 if rng.random() < 0.5 else {"a": holder[key]}
        elif isinstance(holder[key], dict):
            holder[key] = [holder[key]] if rng.random() < 0.5 else {}
        else:
            holder[key] = odd(rng, path)


def main():
    folder, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    objects, values = [], {}
    for name in ("hand.jsonl", "corpus.jsonl"):
        for line in open(os.path.join(folder, name), encoding="utf-8"):
            obj = json.loads(line).get("manifest")
            if isinstance(obj, dict) and isinstance(obj.get("kind"), str):
                objects.append(obj)
                for holder, key, _ in places(obj):
                    if isinstance(key, str):
                        values.setdefault(key, []).append(holder[key])
    names = sorted(values)
    for i in range(count):
        obj = copy.deepcopy(rng.choice(objects))
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            mutate(rng, obj, names, values)
        print(json.dumps({"mode": "decode", "id": i, "object": obj}, separators=(",", ":"),
                         ensure_ascii=False))


if __name__ == "__main__":
    main()
