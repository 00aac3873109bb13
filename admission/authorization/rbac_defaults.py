#!/usr/bin/env python3
"""Writes rbac_defaults.inc: the RBAC objects that every new cluster has, in the notation of rbac_defaults.h.

Usage: rbac_defaults.py FILE... > rbac_defaults.inc

Each FILE is a JSON List of RBAC objects, as `kubectl get clusterroles,clusterrolebindings,roles,rolebindings
-A -o json` prints it for a new kube-apiserver. The server labels the objects that it creates with
kubernetes.io/bootstrapping=rbac-defaults; all others are ignored.
"""
import json
import sys

BOOTSTRAPPING = "kubernetes.io/bootstrapping"
KINDS = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]
HEAD = """// The RBAC objects that every new cluster has, in the notation of rbac_defaults.h. Made by rbac_defaults.py.
"""


def words(texts):
    """A list as one word; the core group, whose name is empty, is written `core`."""
    texts = [text or "core" for text in texts]
    assert texts and not any(set(text) & set(" ,\n") for text in texts), texts
    return ",".join(texts)


def full_name(metadata):
    return "/".join(filter(None, [metadata.get("namespace"), metadata["name"]]))


def rule_line(rule):
    if "nonResourceURLs" in rule:
        return f"  {words(rule['verbs'])} urls {words(rule['nonResourceURLs'])}"
    parts = [rule["verbs"], rule["apiGroups"], rule["resources"]]
    return "  " + " ".join(words(part) for part in parts + [rule[k] for k in ["resourceNames"] if k in rule])


def role_lines(role):
    line = [role["kind"], full_name(role["metadata"])]
    labels = {k: v for k, v in role["metadata"]["labels"].items() if k != BOOTSTRAPPING}
    line += [f"+{key}={value}" for key, value in sorted(labels.items())]
    for selector in (role.get("aggregationRule") or {}).get("clusterRoleSelectors", []):
        ((key, value),) = selector["matchLabels"].items()
        line.append(f"<{key}={value}")
    # An aggregated role takes its rules from other roles.
    rules = [] if role.get("aggregationRule") else role.get("rules") or []
    return [" ".join(line)] + [rule_line(rule) for rule in rules]


def binding_lines(binding):
    ref = binding["roleRef"]
    line = [binding["kind"], full_name(binding["metadata"]), f"{ref['kind']}:{ref['name']}"]
    for subject in binding.get("subjects") or []:
        line.append(f"{subject['kind']}:{full_name(subject)}")
    return [" ".join(line)]


def main():
    objects = [o for name in sys.argv[1:] for o in json.load(open(name, encoding="utf-8"))["items"]]
    objects = [o for o in objects if o["metadata"].get("labels", {}).get(BOOTSTRAPPING) == "rbac-defaults"]
    objects.sort(key=lambda o: (KINDS.index(o["kind"]), full_name(o["metadata"])))
    print(HEAD + 'R"rbac(')
    for o in objects:
        print("\n".join(binding_lines(o) if o["kind"].endswith("Binding") else role_lines(o)))
    print(')rbac"')


main()
