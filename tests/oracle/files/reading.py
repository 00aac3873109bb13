"""How Kubernetes would read the files of a world: an independent reading, not the program's.

It decides which document is a policy, a binding or a param and in which namespace, which resource a kind is,
and what kubectl or the API server refuses before any policy; it makes requests of mode `review` for the rest.
If the files leave something open, it makes all possibilities."""
import collections
import copy
import json
import random

from files.world import BINDING, GROUP, POLICY, group_of, meta, split

# Served by default or with --runtime-config.
POLICY_VERSIONS = ("v1", "v1beta1", "v1alpha1")


def is_published_cluster_scoped(key):
    """Kinds whose definitions are public: docs/faithfulness.md names them."""
    return key[0] == "constraints.gatekeeper.sh" or (key[0], key[2]) == ("kubescape.io", "ControlConfiguration")


class Kinds:
    """The served kinds: the built-in ones of the OpenAPI documents, and the definitions of a world."""

    def __init__(self, path):
        self.kinds, self.subresources, self.versions = {}, {}, collections.defaultdict(set)
        with open(path, encoding="utf-8") as f:
            for row in map(json.loads, f):
                where = (row["group"], row["version"], row["resource"])
                if row["subresource"]:
                    self.subresources[where + (row["subresource"],)] = row
                    continue
                self.kinds[row["group"], row["version"], row["kind"]["kind"]] = row
                self.versions[row["group"], row["resource"]].add((row["version"], row["kind"]["kind"]))
        self.groups = {group for group, _, _ in self.kinds}

    def equivalents(self):
        return [[{"resource": {"group": g, "version": v, "resource": r}, "kind": {"group": g, "version": v, "kind": k}}
                 for v, k in sorted(versions)] for (g, r), versions in sorted(self.versions.items()) if len(versions) > 1]


def plurals(kind):
    lower = kind.lower()
    return sorted({lower + "s", lower + "es", lower[:-1] + "ies" if lower.endswith("y") else lower + "s"})


class Refused(Exception):
    """Raised if the API server, or kubectl before it, would refuse the files."""


class Reading:
    """One reading of a world: the requests to the oracle, by possibilities."""

    def __init__(self, world, kinds):
        self.world, self.builtin = world, kinds
        self.default = world.flags.get("-n", "default")

    def validations(self):
        """Requests of mode validate, and of mode decode for objects that a review only reads: a server
        refuses the files if it refuses one of these."""
        w = self.world
        out = [{"mode": "validate", "object": d} for d in w.policies if group_of(d) == GROUP]
        looked_at = [] if self.as_it_stands() else w.params + [d for d in w.policies if group_of(d) != GROUP]
        return out + [{"mode": "decode", "object": d} for d in looked_at
                      if split(d["apiVersion"]) + (d["kind"],) in self.builtin.kinds and
                      d["kind"] != "CustomResourceDefinition"]

    def as_it_stands(self):
        return self.world.as_is or self.world.forms.get("manifests") == "review"

    def check(self):
        for part in ("policies", "params", "old", "manifests"):
            for doc in self.world.parts()[part]:
                for name in ("apiVersion", "kind"):
                    if not isinstance(doc.get(name), str) or not doc[name]:
                        raise Refused("no " + name)
                group, version = split(doc["apiVersion"])
                old_policy = version in POLICY_VERSIONS and doc["kind"] in (POLICY, BINDING)
                if group == GROUP and not old_policy and (group, version, doc["kind"]) not in self.builtin.kinds:
                    raise Refused("no kind of " + GROUP)
                if doc["kind"] in (POLICY, BINDING) and group != GROUP:
                    raise Refused("a policy of another group")
                if part != "manifests" and group in self.builtin.groups and group != GROUP and (
                        (group, version, doc["kind"]) not in self.builtin.kinds):
                    raise Refused("a kind that is not served")
                if not isinstance(doc.get("metadata"), (dict, type(None))) and not self.as_it_stands():
                    raise Refused("metadata of another type")
                for key in ("name", "namespace"):
                    if not isinstance(meta(doc).get(key), (str, type(None))):
                        raise Refused("metadata of another type")
        names = collections.Counter((d["kind"], meta(d).get("name")) for d in self.world.policies
                                    if d["kind"] in (POLICY, BINDING))
        if any(n > 1 for n in names.values()):
            raise Refused("two of a name")

    def definitions(self):
        found = {}
        for doc in self.world.policies + self.world.params + self.world.manifests:
            if doc["kind"] == "CustomResourceDefinition" and group_of(doc) == "apiextensions.k8s.io":
                spec = doc.get("spec") or {}
                try:
                    for version in spec["versions"]:
                        key = (spec["group"], version["name"], spec["names"]["kind"])
                        if not all(isinstance(part, str) for part in key + (spec["names"]["plural"], spec["scope"])):
                            raise TypeError
                        if version.get("served", True):
                            found[key] = {"resource": spec["names"]["plural"], "namespaced": spec["scope"] != "Cluster"}
                except (KeyError, TypeError, AttributeError):
                    raise Refused("a definition that is none") from None
        return found

    def possibilities(self):
        """Lists of review requests, with one request for each manifest; any list may be the true one. A kind
        of params is assumed to be namespaced if files use a namespace with it."""
        self.check()
        defined = self.definitions()
        params = [d for d in self.world.policies + self.world.params + self.world.manifests
                  if group_of(d) != GROUP]
        unknown = set()
        for doc in self.world.policies:
            spec = doc.get("spec") if isinstance(doc.get("spec"), dict) else {}
            kind = spec.get("paramKind")
            if doc["kind"] == POLICY and isinstance(kind, dict):
                key = split(kind.get("apiVersion")) + (str(kind.get("kind")),)
                versioned = any((d[0], d[2]) == (key[0], key[2]) for d in defined)  # served, but not in that version
                if key not in defined and not versioned and key[0] not in self.builtin.groups:
                    unknown.add(key)
        told = any(meta(d).get("namespace") for d in params if split(d["apiVersion"]) + (d["kind"],) in unknown) or any(
            ((d.get("spec") or {}).get("paramRef") or {}).get("namespace") for d in self.world.policies
            if isinstance(d.get("spec"), dict) and isinstance(d["spec"].get("paramRef"), dict))
        for scope in ((True, False) if unknown and not told else (True,)):
            kinds = {**{k: {"resource": r["resource"], "namespaced": r["namespaced"]}
                        for k, r in self.builtin.kinds.items()}, **defined,
                     **{k: {"resource": k[2].lower() + "s", "namespaced": scope and not is_published_cluster_scoped(k)}
                        for k in unknown}}
            for chosen in self.same_params(params, kinds):
                yield from self.by_manifests(kinds, chosen)

    def same_params(self, params, kinds):
        """Params of one kind and name are one object: either the first or the last of them."""
        first, last = {}, {}
        for doc in params:
            key = split(doc["apiVersion"]) + (doc["kind"],)
            known = kinds.get(key)
            if known is None:
                continue
            doc = self.stored(doc, known["namespaced"])
            one = json.dumps([key, meta(doc).get("namespace"), meta(doc).get("name")])
            first.setdefault(one, doc)
            last[one] = doc
        yield list(first.values())
        if first != last:
            yield list(last.values())

    def by_manifests(self, kinds, params):
        choices = [[]]
        for doc in self.world.manifests:
            if doc["kind"] in (POLICY, BINDING) or group_of(doc) == GROUP:
                continue
            found = list(self.requests(doc, kinds, params))
            choices = [c + [f] for c in choices for f in found][:16]
        yield from choices

    def requests(self, doc, kinds, params):
        group, version = split(doc["apiVersion"])
        known = kinds.get((group, version, doc["kind"]))
        if known is not None:
            yield self.request(doc, known["resource"], known["namespaced"], params, kinds)
        elif group in self.builtin.groups or "." not in group or group.endswith(".k8s.io"):
            raise Refused("a kind that is not served")
        elif any(k[0] == group and k[2] == doc["kind"] for k in kinds):
            raise Refused("a version that is not served")
        else:
            for plural in plurals(doc["kind"]):
                for namespaced in (True, False):
                    yield self.request(doc, plural, namespaced, params, kinds)

    def request(self, doc, plural, namespaced, params, kinds):
        w = self.world
        group, version = split(doc["apiVersion"])
        name = meta(doc).get("name", "")
        is_namespace = (group, plural) == ("", "namespaces")
        ns = (meta(doc).get("namespace") or self.default) if namespaced else name if is_namespace else ""
        same = [o for o in w.old if (group_of(o), o["kind"], meta(o).get("name", "")) == (group, doc["kind"], name)
                and (not namespaced or (meta(o).get("namespace") or self.default) == ns)]
        operation = self.operation(bool(same), self.subresource((group, version, plural), doc["kind"]))
        # Versions of a kind are the same objects; versions that differ in more than their name are rare.
        old = {**self.stored(same[-1] if same else doc, namespaced), "apiVersion": doc["apiVersion"]}
        asked = {k: v for k, v in kinds.items() if any(d["kind"] == k[2] for d in params) or self.asked(k)}
        return {"mode": "review",
                "policies": [d for d in w.policies if d["kind"] == POLICY],
                "bindings": [d for d in w.policies if d["kind"] == BINDING], "params": params,
                "paramKinds": [{"apiVersion": (k[0] + "/" if k[0] else "") + k[1], "kind": k[2], **v}
                               for k, v in asked.items()],
                "namespaces": self.namespaces(ns if namespaced else ""), "authz": [{"decision": "allow"}],
                "equivalents": self.builtin.equivalents(),
                "typed": not self.as_it_stands() and (group, version, doc["kind"]) in self.builtin.kinds,
                "request": {"operation": operation, "subResource": w.flags.get("--subresource", ""),
                            "kind": {"group": group, "version": version, "kind": doc["kind"]},
                            "resource": {"group": group, "version": version, "resource": plural},
                            "name": name, "namespace": ns,
                            "object": None if operation == "DELETE" else self.stored(doc, namespaced),
                            "oldObject": None if operation == "CREATE" else old,
                            "options": {"apiVersion": "meta.k8s.io/v1", "kind": operation.capitalize() + "Options"},
                            "userInfo": {"username": "kubernetes-admin",
                                         "groups": ["system:masters", "system:authenticated"]}}}

    def subresource(self, resource, kind):
        """What the subresource of the command line accepts, as a row; None if the command line has none."""
        name = self.world.flags.get("--subresource")
        if not name:
            return None
        row = self.builtin.subresources.get(resource + (name,))
        known = (resource[0], resource[2]) in self.builtin.versions or any(k[0] == resource[0] for k in self.definitions())
        if not known and name in ("status", "scale"):  # the program says that it guesses
            return {"verbs": ["put"]}
        if row is None or row["kind"]["kind"] != kind:
            raise Refused("no such subresource")
        return row

    def operation(self, paired, subresource):
        verbs = {"CREATE": "post", "UPDATE": "put", "DELETE": "delete"}
        operation = self.world.flags.get("--operation")
        if operation is None:  # of a subresource that is not created it can only be the other
            operation = "UPDATE" if paired or (subresource and "post" not in subresource["verbs"]) else "CREATE"
        if operation not in verbs:
            raise Refused("no such operation of a manifest")
        if subresource and verbs[operation] not in subresource["verbs"]:
            raise Refused("no such subresource")
        return operation

    def stored(self, doc, namespaced):
        """The object with the namespace of the request."""
        doc = copy.deepcopy(doc)
        if isinstance(doc.get("metadata"), dict):
            if namespaced:
                doc["metadata"]["namespace"] = doc["metadata"].get("namespace") or self.default
            else:
                doc["metadata"].pop("namespace", None)
        return doc

    def namespaces(self, needed):
        """The given Namespaces, with the label that all have; the first of several with one name counts."""
        w = self.world
        found = {meta(d).get("name"): copy.deepcopy(d) for d in reversed(w.policies + w.params + w.manifests + w.old)
                 if d["kind"] == "Namespace" and d["apiVersion"] == "v1" and meta(d)}
        if needed and needed not in found:
            found[needed] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": needed}}
        for name, space in found.items():
            # A server matches field names exactly; the oracle's request would match them in any case.
            space["metadata"] = {k: v for k, v in space["metadata"].items()
                                 if k in ("name", "labels") or k.lower() not in ("name", "labels")}
            space["metadata"].pop("namespace", None)
            labels = space["metadata"].get("labels")
            space["metadata"]["labels"] = {**(labels if isinstance(labels, dict) else {}),
                                           "kubernetes.io/metadata.name": name}
        return list(found.values())

    def asked(self, key):
        for doc in self.world.policies:
            spec = doc.get("spec") if isinstance(doc.get("spec"), dict) else {}
            kind = spec.get("paramKind")
            if isinstance(kind, dict) and split(kind.get("apiVersion")) + (str(kind.get("kind")),) == key:
                return True
        return False


def wrap_reviews(world, lists, rng):
    """Manifests as recorded AdmissionReviews, of the first possibility; a few lack something."""
    if len(lists) > 1 or len(lists[0]) != len(world.manifests):
        world.forms["manifests"] = ""
        return
    world.reviews = []
    for question in lists[0]:
        request = question["request"]
        missing = rng.choice(["", "", "name", "namespace", "userInfo", "options", "kind", "resource", "operation", "uid"])
        if missing in ("name", "namespace", "userInfo", "options"):  # a request that is another one
            request.pop(missing)
        world.log.append("review without %s" % missing)
        world.reviews.append({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            k: v for k, v in {"uid": "u", **request}.items() if k != missing}})


class Case:
    def __init__(self, number, world, kinds):
        self.number, self.world, self.refused = number, world, ""
        reading = Reading(world, kinds)
        self.validations, self.lists = [], []
        try:
            self.lists = list(reading.possibilities())
            self.validations = reading.validations()
            if not self.lists or not self.lists[0]:
                raise Refused("nothing to review")
        except Refused as e:
            self.refused, self.lists = str(e), []
        if world.forms.get("manifests") == "review":
            if self.lists:
                wrap_reviews(world, self.lists, random.Random(number))
            else:
                world.forms["manifests"] = ""

    def questions(self):
        return self.validations + [q for requests in self.lists for q in requests]

    def answered(self, answers):
        """The set of possible verdicts: admit, deny, refuse."""
        if self.refused:
            return {"refuse"}
        for answer in answers[:len(self.validations)]:
            if answer.get("errors") or answer.get("strictErrors") or not {"defaulted", "object"} & set(answer):
                self.refused = "policy: " + json.dumps(answer.get("errors") or answer.get("strictErrors") or answer)[:300]
                return {"refuse"}
        answers, out = answers[len(self.validations):], set()
        for requests in self.lists:
            mine, answers = answers[:len(requests)], answers[len(requests):]
            if any("allowed" not in a for a in mine):
                self.refused = json.dumps([a for a in mine if "allowed" not in a][0])[:300]
                out.add("refuse")
            else:
                out.add("admit" if all(a["allowed"] for a in mine) else "deny")
        return out
