#!/usr/bin/env python3
"""Prints manifests/resources.inc, the kinds of a Kubernetes release, from its OpenAPI resource list.

Usage: manifests/resources.py resources.jsonl > manifests/resources.inc
"""
import json
import sys

kinds = {}
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        row = json.loads(line)
        if row["subresource"]:
            continue
        key = (row["group"], row["kind"]["kind"], row["resource"], row["namespaced"])
        kinds.setdefault(key, []).append(row["version"])
print("// Made by manifests/resources.py. Group, kind, resource, namespaced, versions served.")
for (group, kind, resource, namespaced), versions in sorted(kinds.items()):
    print(f'{{"{group}", "{kind}", "{resource}", {str(namespaced).lower()}, "{" ".join(versions)}"}},')
