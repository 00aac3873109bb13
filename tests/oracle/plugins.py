#!/usr/bin/env python3
"""Random Pods, objects that make Pods, claims and Namespaces, in namespaces with random labels of Pod Security and LimitRanges;
what `review` says is compared with the code of the plugins PodSecurity and LimitRanger.

Usage: plugins.py PROGRAM PLUGINS [COUNT] [SEED]
PLUGINS: the program of tests/oracle/plugins. Deterministic by seed. The order in which LimitRanger tells the errors of several
resources is that of a Go map, and not compared.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LABEL = "pod-security.kubernetes.io/"
LEVELS = ["privileged", "baseline", "baseline", "restricted", "restricted", "restricted"]
MINORS = [0, 7, 8, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 99]
BAD = ["", "strict", "Baseline", "v1.", "v1.01", "1.30", "v2.0", "v1.x", "v1.9223372036854775807", "v1.9223372036854775808"]
VOLUMES = {"configMap": {"name": "a"}, "csi": {"driver": "d"}, "downwardAPI": {}, "emptyDir": {}, "ephemeral": {}, "image": {"reference": "i"},
           "persistentVolumeClaim": {"claimName": "c"}, "projected": {}, "secret": {"secretName": "s"}, "hostPath": {"path": "/"},
           "gcePersistentDisk": {"pdName": "p"}, "awsElasticBlockStore": {"volumeID": "v"}, "gitRepo": {"repository": "r"},
           "nfs": {"server": "s", "path": "/"}, "iscsi": {"targetPortal": "t", "iqn": "i", "lun": 0}, "glusterfs": {"endpoints": "e", "path": "p"},
           "rbd": {"monitors": ["m"], "image": "i"}, "flexVolume": {"driver": "d"}, "cinder": {"volumeID": "v"}, "cephfs": {"monitors": ["m"]},
           "flocker": {"datasetName": "d"}, "fc": {"lun": 0}, "azureFile": {"secretName": "s", "shareName": "s"},
           "vsphereVolume": {"volumePath": "p"}, "quobyte": {"registry": "r", "volume": "v"}, "azureDisk": {"diskName": "d", "diskURI": "u"},
           "photonPersistentDisk": {"pdID": "p"}, "portworxVolume": {"volumeID": "v"}, "scaleIO": {"gateway": "g", "system": "s", "secretRef": {}},
           "storageos": {"volumeName": "v"}}
SYSCTLS = ["kernel.shm_rmid_forced", "net.ipv4.tcp_syncookies", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time",
           "net.ipv4.tcp_rmem", "net.ipv4.tcp_notsent_lowat", "net.ipv4.ping_group_range", "kernel.msgmax", "net/ipv4/tcp_wmem"]
CAPABILITIES = ["ALL", "CHOWN", "NET_BIND_SERVICE", "NET_RAW", "SYS_ADMIN", "all", "KILL", "SYS_TIME"]
TEMPLATES = {"PodTemplate": ("v1", ["template"]), "ReplicationController": ("v1", ["spec", "template"]),
             "ReplicaSet": ("apps/v1", ["spec", "template"]), "Deployment": ("apps/v1", ["spec", "template"]),
             "StatefulSet": ("apps/v1", ["spec", "template"]), "DaemonSet": ("apps/v1", ["spec", "template"]),
             "Job": ("batch/v1", ["spec", "template"]), "CronJob": ("batch/v1", ["spec", "jobTemplate", "spec", "template"])}


AMOUNTS = ["0", "1", "2", "500m", "0.5", "1500m", "100m", "1m", "0.1m", "1Gi", "1G", "512Mi", "1.5Gi", "1e3", "64Ki", "9007199254740993",
           "2P", "3", "250m"]
RESOURCES = ["cpu", "memory", "ephemeral-storage", "example.com/gpu", "storage"]


def amounts(r, most):
    return {name: r.choice(AMOUNTS) for name in r.sample(RESOURCES, r.randint(0, most))}


def resources(r):
    return some(r, 0.7, {"requests": lambda: amounts(r, 3), "limits": lambda: amounts(r, 3)})


def limit_range(r):
    limit = lambda: {"type": r.choice(["Container", "Container", "Pod", "PersistentVolumeClaim", "Other"])} | some(r, 0.35, {
        name: lambda: amounts(r, 2) for name in ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")})
    return {"apiVersion": "v1", "kind": "LimitRange", "spec": {"limits": [limit() for _ in range(r.randint(1, 2))]}}


def some(r, chance, make):
    """The members of which `make` has a maker, each by chance."""
    return {name: value() for name, value in make.items() if r.random() < chance}


def labels(r):
    out = {"app": "a"} if r.random() < 0.3 else {}
    for mode, chance in (("enforce", 0.8), ("audit", 0.2), ("warn", 0.4)):
        if r.random() < chance:
            out[LABEL + mode] = r.choice(BAD) if r.random() < 0.04 else r.choice(LEVELS)
        if r.random() < 0.5:
            version = "latest" if r.random() < 0.2 else f"v1.{r.choice(MINORS)}"
            out[LABEL + mode + "-version"] = r.choice(BAD) if r.random() < 0.04 else version
    return out


def both(r, chance):
    """What the securityContext of a Pod and of a container may have."""
    profile = lambda: {"type": r.choice(["RuntimeDefault", "Localhost", "Unconfined", "X"]), "localhostProfile": "p"}
    return some(r, chance, {
        "runAsNonRoot": lambda: r.random() < 0.8, "runAsUser": lambda: r.choice([0, 1, 1000]),
        "seccompProfile": profile, "appArmorProfile": profile,
        "seLinuxOptions": lambda: some(r, 0.4, {"type": lambda: r.choice(["", "container_t", "container_engine_t", "spc_t", "x_t"]),
                                                "user": lambda: r.choice(["", "u"]), "role": lambda: r.choice(["", "r"]), "level": lambda: "l"}),
        "windowsOptions": lambda: some(r, 0.6, {"hostProcess": lambda: r.random() < 0.5, "runAsUserName": lambda: "u"})})


def container(r, name, chance, ephemeral):
    security = some(r, chance, {
        "privileged": lambda: r.random() < 0.3, "allowPrivilegeEscalation": lambda: r.random() < 0.2,
        "procMount": lambda: r.choice(["Default", "Unmasked"]),
        "capabilities": lambda: some(r, 0.7, {"drop": lambda: r.sample(CAPABILITIES, r.randint(0, 2)) + ["ALL"] * (r.random() < 0.6),
                                              "add": lambda: r.sample(CAPABILITIES, r.randint(0, 3))})}) | both(r, chance)
    handler = lambda: r.choice([{"httpGet": {"port": 1} | some(r, 0.4, {"host": lambda: r.choice(["", "h", "127.0.0.1"])})},
                                {"tcpSocket": {"port": 1} | some(r, 0.4, {"host": lambda: "t"})}, {"exec": {"command": ["c"]}}])
    out = {"name": name, "image": r.choice(["i", "j:1"])}
    if security or r.random() < 0.3:
        out["securityContext"] = security
    if r.random() < 0.5:
        out["resources"] = resources(r)
    if not ephemeral:
        out |= some(r, 0.1, {"livenessProbe": handler, "readinessProbe": handler, "startupProbe": handler,
                             "lifecycle": lambda: some(r, 0.6, {"postStart": handler, "preStop": handler}),
                             "ports": lambda: [{"containerPort": 80 + i} | some(r, 0.4, {"hostPort": lambda: r.choice([0, 80, 8080, 9])})
                                               for i in range(r.randint(0, 3))]})
    return out


def pod(r):
    chance = r.choice([0.1, 0.3, 0.6])
    names = r.sample(["a", "b", "c", "web-1", "x2"], 5)
    spec = {"containers": [container(r, names.pop(), chance, False) for _ in range(r.randint(1, 2))]}
    if r.random() < 0.3:
        spec["initContainers"] = [container(r, names.pop(), chance, False) | some(r, 0.3, {"restartPolicy": lambda: "Always"})
                                  for _ in range(r.randint(1, 2))]
    if r.random() < 0.1:
        spec["resources"] = resources(r)
    spec |= some(r, 0.08, {"hostNetwork": lambda: r.random() < 0.7, "hostPID": lambda: r.random() < 0.7, "hostIPC": lambda: r.random() < 0.7,
                           "hostUsers": lambda: r.random() < 0.3, "os": lambda: {"name": r.choice(["linux", "windows"])}})
    security = both(r, chance)
    if r.random() < 0.15:
        security["sysctls"] = [{"name": n, "value": "1"} for n in r.sample(SYSCTLS, r.randint(0, 3))]
    if security or r.random() < 0.3:
        spec["securityContext"] = security
    if r.random() < 0.4:
        kinds = [r.choice(list(VOLUMES)) for _ in range(r.randint(1, 3))]
        spec["volumes"] = [{"name": f"v{i}", k: VOLUMES[k]} for i, k in enumerate(kinds)]
        if r.random() < 0.1:
            spec["volumes"].append({"name": "none"})
    meta = {}
    if r.random() < 0.25:
        keys = ["container.apparmor.security.beta.kubernetes.io/a", "container.apparmor.security.beta.kubernetes.io/b",
                "container.apparmor.security.beta.kubernetes.io/c", "seccomp.security.alpha.kubernetes.io/pod",
                "container.seccomp.security.alpha.kubernetes.io/a", "container.seccomp.security.alpha.kubernetes.io/web-1", "other"]
        values = ["runtime/default", "docker/default", "localhost/p", "unconfined", "", 'q"q\n', "é"]
        meta["annotations"] = {k: r.choice(values) for k in r.sample(keys, r.randint(1, 3))}
    return meta, spec


def changed(r, spec):
    """A former state of a Pod."""
    old = json.loads(json.dumps(spec))
    for c in old["containers"] + old.get("initContainers", []):
        if r.random() < 0.2:
            c["image"] = "former"
    if r.random() < 0.1 and "initContainers" in old:
        del old["initContainers"]
    if r.random() < 0.2:
        old["activeDeadlineSeconds"] = 5
    return old


def made(r, number):
    name = f"o{number}"
    if r.random() < 0.1:
        request = {"object": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels(r)}}}
        if r.random() < 0.5:
            old = request["object"]["metadata"]["labels"] if r.random() < 0.3 else labels(r)
            request["old"] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": old}}
        return request | {"labels": {}}
    meta, spec = pod(r)
    place = {"name": name, "namespace": f"n{number}"}
    request = {"labels": labels(r)}
    if r.random() < 0.3:
        request["ranges"] = [limit_range(r) for _ in range(r.randint(1, 2))]
    if r.random() < 0.1:
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": r.choice(AMOUNTS[1:])}}}
        request["object"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": place, "spec": claim}
        if r.random() < 0.3:
            claim = claim | {"resources": {"requests": {"storage": "1m"}}}
            request["old"] = request["object"] | {"spec": claim}
        return request
    if r.random() < 0.7:
        request["object"] = {"apiVersion": "v1", "kind": "Pod", "metadata": meta | place, "spec": spec}
        if r.random() < 0.2:
            request["old"] = request["object"] | {"spec": changed(r, spec)}
        return request
    kind = r.choice(list(TEMPLATES))
    version, path = TEMPLATES[kind]
    inner = {"metadata": meta | {"labels": {"a": "b"}}, "spec": spec}
    for member in reversed(path):
        inner = {member: inner}
    request["object"] = {"apiVersion": version, "kind": kind, "metadata": place} | inner
    if r.random() < 0.2:
        request["old"] = request["object"]
    return request


def said(program, requests, folder):
    """The message, code and warnings that `review` has for each request."""
    manifests, former, policies = folder / "objects.json", folder / "former.json", folder / "policies.json"
    manifests.write_text("".join(json.dumps(q["object"]) + "\n" for q in requests), encoding="utf-8")
    former.write_text("".join(json.dumps(q["old"]) + "\n" for q in requests if "old" in q), encoding="utf-8")
    cluster = [{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "p"},
                "spec": {"matchConstraints": {"resourceRules": [
                    {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}]},
                    "validations": [{"expression": "true"}]}}]
    cluster += [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n{i}", "labels": q["labels"]}}
                for i, q in enumerate(requests)]
    cluster += [q["ranges"][n] | {"metadata": {"name": f"r{n}", "namespace": f"n{i}"}}
                for i, q in enumerate(requests) for n in range(len(q.get("ranges", [])))]
    policies.write_text("".join(json.dumps(o) + "\n" for o in cluster), encoding="utf-8")
    command = [program, "review", "-o", "json", "-p", policies, "--old", former, manifests]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    out = {}
    for result in json.loads(done.stdout)["results"]:
        status = result.get("status", {})
        out[result["name"]] = [status.get("message", ""), status.get("code", 0), result["warnings"]]
    return [out.get(f"o{i}") for i in range(len(requests))]


def without_order(text):
    """A message as a sorted list of its errors."""
    start, _, errors = text.partition(" is forbidden: ")
    return [start, *sorted(re.split(r", (?=minimum |maximum |\S+ max limit )", errors.strip("[]")))]


def main():
    program, plugin = sys.argv[1:3]
    count, seed = (int(a) for a in (sys.argv[3:] + ["1000", "1"][len(sys.argv) - 3:])[:2])
    r = random.Random(seed)
    requests = [made(r, i) | {"id": i} for i in range(count)]
    want = subprocess.run([plugin], input="".join(json.dumps(q) + "\n" for q in requests), capture_output=True, text=True,
                          check=True).stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        got = said(program, requests, pathlib.Path(folder))
    different = refused = limited = warned = aside = 0
    for request, line, ours in zip(requests, want, got, strict=True):
        answer = json.loads(line)
        if "message" not in answer:
            aside += 1
            continue
        theirs = [answer["message"], answer["code"], answer["warnings"]]
        refused += bool(theirs[0])
        warned += bool(theirs[2])
        limited += " usage per " in theirs[0] or " max limit " in theirs[0]
        if theirs == ours or ours and [without_order(theirs[0]), theirs[1:]] == [without_order(ours[0]), ours[1:]]:
            continue
        different += 1
        if different <= 3:
            print("REQUEST", json.dumps(request)[:3000], "\nWANT", theirs, "\nGOT ", ours, "\n")
    print(f"{count} requests, {different} differ, {refused} refused, {limited} of them by LimitRanges, {warned} warned, "
          f"{aside} not compared")
    return 1 if different or not limited or refused == limited or not warned else 0


if __name__ == "__main__":
    sys.exit(main())
