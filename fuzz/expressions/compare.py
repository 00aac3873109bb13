#!/usr/bin/env python3
"""Sends the same batch requests to two programs, shrinks the requests that they answer differently and groups them.

Usage: compare.py --ours 'build/portcullis eval --batch' --oracle 'ORACLE -j 2' [--seed N] [--count N]
                  [--versions] [--kubernetes]
                  [--grammar] [--file REQUESTS]
                  [--show N] [--save FILE]

Requests come from generate.py, grammar.py or kubernetes.py (as trees, so that they can be shrunk), or from a file.
Three kinds of differences do not count:
- The answer depends on the order of a Go map. A differing request is asked again a few times; one equal answer is
  enough. If the oracle contradicts itself, an answer is enough that differs only in the order of a list or of the parts
  of a text (a map of eleven keys has more orders than can be tried).
- A row of accidents.py explains the difference. It is set aside and counted by row.
- The oracle answers with a panic that nothing catches, or its stack ends.
`inputError` is compared only by its presence.
Exit status 1 if anything differs.
"""
import argparse
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import accidents  # noqa: E402
import generate  # noqa: E402
import grammar  # noqa: E402
import kubernetes  # noqa: E402

AGAIN = 4        # how often one process asks a differing request again
PROCESSES = 20   # the number of such processes
ROUNDS = 40      # shrinking steps
SHRUNK = 120     # the number of differences that are shrunk


OVERFLOW = b"goroutine stack exceeds"  # ends the whole process, so the oracle must then use one worker


def ask(command, lines):
    with tempfile.TemporaryFile() as f, tempfile.TemporaryFile() as errors:
        f.write("".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass"))
        f.seek(0)
        done = subprocess.run(shlex.split(command), stdin=f, stdout=subprocess.PIPE, stderr=errors, check=False)
        errors.seek(0)
        said = errors.read()
    out = done.stdout.decode("utf-8", "replace").split("\n")[:-1]
    if len(out) < len(lines) and OVERFLOW in said[:1000]:
        return out + ['{"panic":"stack overflow"}'] + ask(command, lines[len(out) + 1:])
    sys.stderr.buffer.write(said)
    if len(out) != len(lines):
        sys.exit("%s: %d answers to %d requests (exit status %d); first without an answer: %s" %
                 (command, len(out), len(lines), done.returncode, lines[min(len(out), len(lines) - 1)]))
    return out


def same(want, got):
    if want == got or '"panic":' in want:
        return True
    return '"inputError":' in want and '"inputError":' in got


def unordered(answer):
    """The answer with all lists and the parts of texts sorted: equal for answers that differ only in the order of a
    map."""
    def walk(v):
        if isinstance(v, dict):
            return {k: walk(x) for k, x in v.items()}
        if isinstance(v, str):
            return sorted(re.split(r"[][{}, ]+", v))
        return sorted((walk(x) for x in v), key=lambda x: json.dumps(x, sort_keys=True)) if isinstance(v,
            list) else v
    return walk(json.loads(answer))


def explained(answers, got):
    """Whether our answer equals one of the oracle's answers to the same request, except for what is random in
    Go."""
    if any(same(a, got) for a in answers):
        return True
    return len(set(answers)) > 1 and unordered(got) in [unordered(a) for a in set(answers)]


def dump(request):
    return json.dumps(request, ensure_ascii=False, separators=(",", ":"))


def text_of(request):
    return request["expr"] if "expr" in request else dump(request)


def kind(want, got):
    """What differs, as a key for grouping."""
    w, g = json.loads(want), json.loads(got)
    fields = [k for k in sorted(set(w) | set(g)) if w.get(k) != g.get(k)]
    text = ""
    for k in ("compileError", "evalError", "error", "inputError", "panic"):
        if k in fields:
            text += " | " + " <> ".join(re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+", "_",
                str(x.get(k, "-")).split("\n")[0].split(": ", 2)[-1])[:70] for x in (w, g))
    return ",".join(fields) + text


def reductions(node):
    """All trees that are one step smaller: a child replaces its parent, or a short literal replaces a
    node."""
    def rebuild(path, new):
        def walk(n, p):
            if not p:
                return new
            parts = list(n.parts)
            parts[p[0]] = walk(parts[p[0]], p[1:])
            return generate.Node(n.type, parts, n.loose)
        return walk(node, path)
    short = {"int": "1", "uint": "1u", "double": "1.5", "bool": "true", "string": "'a'", "bytes": "b'a'",
             "dyn": "dyn(1)", "any": "1"}

    def visit(n, path):
        children = [(i, p) for i, p in enumerate(n.parts) if not isinstance(p, str)]
        for _, c in children:
            new = generate.Node(c.type, ["("] + [c] + [")"]) if c.loose else c
            yield rebuild(path, new)
        text = generate.render(n)
        if n.type in short and len(text) > len(short[n.type]):
            yield rebuild(path, generate.Node(n.type, [short[n.type]]))
        elif n.type.startswith("list(") and text != "[]":
            yield rebuild(path, generate.Node(n.type, ["[]"]))
        for i, c in children:
            yield from visit(c, path + [i])
    yield from visit(node, [])


def differing(args, requests, aside=None):
    """[(request index, want, got)] of lasting differences. Those that are set aside are counted in `aside`."""
    lines = [dump(r) for r in requests]
    wants, gots = ask(args.oracle, lines), ask(args.ours, lines)
    suspects = [i for i in range(len(lines)) if not same(wants[i], gots[i])]
    if suspects:
        # Go visits some maps once, when an environment is made (the order of overloads, which numbers type
        # variables), so several processes are needed.
        again = [ask(args.oracle, [lines[i] for i in suspects for _ in range(AGAIN)])
                 for _ in range(PROCESSES)]
        suspects = [i for n, i in enumerate(suspects)
                    if not explained([a for run in again for a in run[n * AGAIN:(n + 1) * AGAIN]], gots[i])]
    found = []
    for i in suspects:
        row = accidents.row(requests[i], wants[i], gots[i])
        if row is None:
            found.append((i, wants[i], gots[i]))
        elif aside is not None:
            aside[row] += 1
            if args.aside:
                print("aside (%s): %s\n    want %s\n    got  %s" % (row, dump(requests[i]), wants[i], gots[i]))
    return found


def shrink(args, found):
    """Shrinks found, a list of [tree, request, want, got], in place; each round shrinks all of them by one step."""
    active = [f for f in found if f[0] is not None]
    for _ in range(ROUNDS):
        candidates, owner = [], []
        for f in active:
            size = len(f[1]["expr"])
            trees = sorted(((len(generate.render(t)), n, t) for n, t in enumerate(reductions(f[0]))),
                           key=lambda x: x[:2])
            for length, _, t in trees[:60]:
                if length < size:
                    candidates.append((t, dict(f[1], expr=generate.render(t))))
                    owner.append(f)
        if not candidates:
            return
        changed = set()
        for i, want, got in differing(args, [c[1] for c in candidates]):
            f = owner[i]
            if id(f) not in changed:  # the first one is the smallest
                changed.add(id(f))
                f[:] = [candidates[i][0], candidates[i][1], want, got]
        active = [f for f in active if id(f) in changed]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--ours", required=True)
    ap.add_argument("--oracle", required=True)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--count", type=int, default=10000)
    ap.add_argument("--versions", action="store_true")
    ap.add_argument("--kubernetes", action="store_true", help="expressions of policies, see kubernetes.py")
    ap.add_argument("--grammar", action="store_true", help="expressions of the grammar alone, see grammar.py")
    ap.add_argument("--file")
    ap.add_argument("--show", type=int, default=3, help="examples a group")
    ap.add_argument("--aside", action="store_true", help="show what is set aside")
    ap.add_argument("--save", help="write the shrunk requests here")
    args = ap.parse_args()
    if args.file:
        with open(args.file, encoding="utf-8") as f:
            made = [(None, json.loads(line)) for line in f if line.strip()]
    else:
        module = kubernetes if args.kubernetes else grammar if args.grammar else generate
        made = [module.request(args.seed, i, args.versions) for i in range(args.count)]
    found, aside, chunk = [], collections.Counter(), 20000
    for start in range(0, len(made), chunk):
        part = made[start:start + chunk]
        found += [[part[i][0], part[i][1], want, got] for i, want,
                  got in differing(args, [p[1] for p in part], aside)]
    total = len(found)
    by_kind = collections.defaultdict(list)
    for f in found:
        by_kind[kind(f[2], f[3])].append(f)
    picked = []
    while len(picked) < SHRUNK and any(by_kind.values()):
        for group in by_kind.values():
            if group and len(picked) < SHRUNK:
                picked.append(group.pop())
    shrink(args, picked)
    groups = collections.defaultdict(list)
    for f in picked:
        groups[kind(f[2], f[3])].append(f)
    for name, group in sorted(groups.items(), key=lambda g: -len(g[1])):
        print("== %d (of %d shrunk): %s" % (len(group), len(picked), name))
        seen = set()
        for f in sorted(group, key=lambda f: len(text_of(f[1]))):
            if text_of(f[1]) in seen or len(seen) >= args.show:
                continue
            seen.add(text_of(f[1]))
            print("  %s\n    want %s\n    got  %s" % (dump(f[1]), f[2], f[3]))
    if args.save:
        with open(args.save, "w", encoding="utf-8") as f:
            f.writelines(dump(p[1]) + "\n" for p in picked)
    for name, count in aside.most_common():
        print("set aside: %d %s" % (count, name))
    print("%d asked, %d differ, %d set aside (%.2f %%)" %
          (len(made), total, aside.total(), 100 * aside.total() / max(1, len(made))))
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
