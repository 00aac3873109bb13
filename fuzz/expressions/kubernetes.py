"""Random expressions as in Kubernetes' policies: over request, objects and authorizer, with all libraries in every
version.

Idea: the generator of generate.py with the variables of a policy (policy_values.py), more templates
(policy_templates.py: paths into objects, patch types, functions with wrong names), and texts that are made up (texts.py)
or damaged instead of picked, because parsers of quantities, addresses, URLs, versions, selectors and formats differ in
what they refuse. Some requests have the mode `condition`: several expressions and variables share one budget, often a
small one.

Usage: compare.py --kubernetes ...; or kubernetes.py SEED COUNT > requests.jsonl
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402
from generate import Node  # noqa: E402
from policy_templates import EXTRAS, OPS, PATCHES, PATHS, VERBS  # noqa: E402
from policy_values import AUTHZ, BUILT_IN, CUSTOM, ENVIRONMENTS, NAMESPACES, PARAMS, POD, POLICY, USER  # noqa: E402
from texts import MAKERS, OF_TYPE, quoted  # noqa: E402

PATCHES_OF = float(os.environ.get("PATCHES", "0.1"))  # the share of expressions that may make patches
VERSIONS = ["1.%d" % minor for minor in range(23, 38)]


class Generator(generate.Generator):
    def __init__(self, seed, index):
        super().__init__(seed + 7_777_777, index)
        self.environment = self.r.choice(ENVIRONMENTS)
        self.policy = "request" in self.environment
        self.authz = self.policy
        self.patch = self.r.random() < PATCHES_OF
        self.rows = {}

    def top(self):
        if self.patch and self.r.random() < 0.6:
            return self.make(self.r.choice(("Object", "patch", "list(patch)")), self.depth)
        return super().top()

    def make(self, wanted, depth):
        r = self.r
        if depth > 0 and self.budget > 0 and r.random() < (0.5
                if wanted in ("Object", "patch", "list(patch)") else 0.12):
            rows = self.extra(wanted)
            if rows:
                self.budget -= 1
                template, bound = r.choice(rows)
                return self.fill(template, dict(bound), wanted, depth)
        return super().make(wanted, depth)

    def extra(self, wanted):
        if wanted not in self.rows:
            self.rows[wanted] = []
            for t in PATCHES * 3 + EXTRAS if self.patch else EXTRAS:
                bound = {}
                if (self.authz or not t.authz) and generate.match(t.result, wanted, bound):
                    self.rows[wanted].append((t, bound))
        return self.rows[wanted]

    def leaf(self, wanted):
        r = self.r
        if self.policy and wanted in PATHS and r.random() < 0.5 and not (self.scope and r.random() < 0.3):
            return Node(wanted, [r.choice(PATHS[wanted])], wanted == "bool")
        if wanted in MAKERS and r.random() < 0.6:
            return Node(wanted, [quoted(self.made(wanted), r)])
        if wanted in OF_TYPE and r.random() < 0.3:
            return Node(wanted, ["%s(%s)" % (wanted, quoted(self.made(OF_TYPE[wanted]), r))])
        return super().leaf(wanted)

    def made(self, role):
        text = MAKERS[role](self.r)
        return generate.damage(text, self.r) if self.r.random() < 0.07 else text

    def literal(self, wanted, depth):
        r = self.r
        if wanted == "verb":
            return r.choice(VERBS)
        if wanted == "op":
            return r.choice(OPS)
        if wanted == "Object":
            return r.choice(("Object{}", "Object{spec: Object.spec{a: 1}}", "Object{a: 1}"))
        if wanted == "patch":
            return r.choice(("JSONPatch{op: 'add', path: '/a', value: 1}", "JSONPatch{}",
                             "JSONPatch{op: 'remove', path: '/a'}"))
        return super().literal(wanted, depth)


def variables(line, text, environment, r):
    types, given = {}, {}
    for name in environment:
        if name.split(".")[0] not in text:
            continue
        kind, pool = environment[name]
        if kind != "dyn":
            types[name] = kind
        if pool is not None and r.random() < 0.98:
            given[name] = r.choice(pool)
    if types:
        line["types"] = types
    if given:
        line["vars"] = given


def version(line, r, chance=0.3):
    if r.random() < chance:
        line.update(env="new", version=r.choice(VERSIONS))


def cel_request(seed, index):
    g = Generator(seed, index)
    r = g.r
    tree = g.top()
    text = generate.render(tree)
    line = {"id": "k%d-%d" % (seed, index), "expr": text}
    variables(line, text, g.environment, r)
    if g.authz:
        line["authz"] = r.choice(AUTHZ)
        line["userInfo"] = r.choice((USER, {"username": "bob"}))
    if g.patch:
        line["patchTypes"] = True
    version(line, r)
    if "env" not in line and r.random() < 0.08:
        line["env"] = "libraries"
    if r.random() < 0.04:
        line["costLimit"] = r.choice((0, 1, r.randrange(40), 350000, 350001, r.randrange(400), 2 ** 63,
                                      2 ** 64 - 1))
    if r.random() < 0.06:
        line["sizeHints"] = {n + suffix: r.choice((0, 1, r.randrange(1000))) for n in g.environment
                             if n in text for suffix in ("", ".@items", ".@values", ".@keys")
                             if r.random() < 0.6}
    if r.random() < 0.03:
        line["expr"] = generate.damage(text, r)
        tree = None
    return tree, line


def condition_request(seed, index):
    g = Generator(seed, index)
    r = g.r
    g.environment, g.policy, g.authz, g.patch = POLICY, True, r.random() < 0.6, r.random() < PATCHES_OF
    parameters = r.random() < 0.5

    def text(top=None):
        g.scope, g.budget, g.depth = [], r.choice((4, 8, 12, 20)), r.choice((1, 2, 3, 4))
        made = generate.render(g.make(top, g.depth) if top else g.top())
        return generate.damage(made, r) if r.random() < 0.02 else made
    # Variables of the same name could refer to each other endlessly, which Kubernetes does not survive.
    names = r.sample(("a", "n", "list", "name", "m", "ok"), r.choice((0, 0, 1, 2, 3)))
    line = {"id": "c%d-%d" % (seed, index), "mode": "condition",
            "expressions": [text("bool" if r.random() < 0.5 else None)
                            for _ in range(r.choice((1, 1, 2, 3, 5)))]}
    if names:
        line["variables"] = [{"name": n, "expression": text()} for n in names]
        line["expressions"] += [e
                                for e in r.sample(["variables.a == 1", "variables.n > 3 && variables.n < 10",
                                    "variables.list.all(i, i > 0)", "variables.name + 'x' == variables.name",
                                    "variables.m.a", "has(variables.ok) && variables.ok"], r.choice((1, 2)))]
    if parameters:
        line.update(hasParams=True, params=r.choice(PARAMS))
    if g.authz:
        line.update(hasAuthorizer=True, authz=r.choice(AUTHZ))
    if g.patch:
        line["patchTypes"] = True
    if r.random() < 0.3:
        line["returnTypes"] = r.choice((["bool"], ["string"], ["bool", "string"], ["string", "null_type"],
                                        ["list(int)"], ["dyn"], ["any"]))
    line["budget"] = r.choice((r.randrange(20), r.randrange(200), r.randrange(100), 350000, 350010, 700010,
                               10000000, 0, -1, 1))
    if r.random() < 0.3:
        del line["budget"]
    version(line, r, 0.2)
    if r.random() < 0.05:
        line["checkOnly"] = True
    space = r.choice([n for n in NAMESPACES if n])
    if r.random() < 0.6:
        line["namespaceObject"] = space
    name = {"name": "d", "namespace": "default"}
    line["request"] = {"operation": r.choice(("CREATE", "UPDATE", "DELETE")),
                       "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
                       "resource": {"group": "apps", "version": "v1", "resource": "deployments"}, **name,
                       "userInfo": r.choice((USER, {"username": "bob"})), "dryRun": r.random() < 0.5}
    for field in ("object", "oldObject"):
        o = r.choice((POD, POD, CUSTOM, None))
        if o:
            line["request"][field] = {**o, "apiVersion": "apps/v1", "kind": "Deployment"}
    if r.random() < 0.3:
        built_in(line, r)
    return None, line


def built_in(line, r):
    kind, resource, value = r.choice(BUILT_IN)
    line["typed"] = True
    line["request"].update(kind=kind, resource={"group": kind["group"], "version": kind["version"],
        "resource": resource})
    for field in ("object", "oldObject"):
        line["request"].pop(field, None)
        if r.random() < 0.8:
            line["request"][field] = value


def request(seed, index, versions=False):
    """(tree or None, request); one of six requests has the mode `condition`."""
    tree, line = condition_request(seed, index) if random.Random(seed * 31
        + index).random() < 1 / 6 else cel_request(seed, index)
    if versions:
        line.update(env="new", version=VERSIONS[index % len(VERSIONS)])
    return tree, line


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    for i in range(count):
        sys.stdout.write(json.dumps(request(seed, i)[1], ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
