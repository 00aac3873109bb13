#!/usr/bin/env python3
"""Prints manifests/served.inc, from the OpenAPI resource list of a Kubernetes release.

Usage: manifests/served.py resources.jsonl > manifests/served.inc

A row is a subresource, or a resource that does not support create, update and delete alike.
"""
import json
import sys

OPERATIONS = {"post": "CREATE", "put": "UPDATE", "patch": "UPDATE", "delete": "DELETE",
              "deletecollection": "DELETE", "connect": "CONNECT"}
ORDER = ["CREATE", "UPDATE", "DELETE", "CONNECT"]

rows = {}
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        row = json.loads(line)
        name = row["subresource"].removesuffix("/{path}")  # the same subresource to admission
        body = row["kind"]
        own = body["group"] == row["group"] and body["version"] == row["version"]
        key = (row["group"], row["resource"], name, body["group"], "" if own else body["version"], body["kind"])
        known = rows.setdefault(key, ([], set()))
        if row["version"] not in known[0]:
            known[0].append(row["version"])
        known[1].update(OPERATIONS[verb] for verb in row["verbs"] if verb in OPERATIONS)

print("// Made by manifests/served.py. Group, resource, subresource, versions served; group, version (empty: that of the")
print("// resource) and kind of the body; operations.")
for (group, resource, name, *body), (versions, seen) in sorted(rows.items()):
    operations = [o for o in ORDER if o in seen]
    if not name and operations == ORDER[:3]:
        continue
    mask = " | ".join("k" + o.capitalize() for o in operations) or "0"
    texts = ", ".join(f'"{text}"' for text in (group, resource, name, " ".join(versions), *body))
    print(f"{{{texts}, {mask}}},")
