"""Compares the answers to requests of crd_rules.py.

Kubernetes walks properties and maps in random order: errors are compared as a set. The order also decides which error comes
first: with an oracle, a program that answers requests, different cases are asked again, and one equal answer suffices. If the
oracle's own answers differ among themselves and never equal ours (`self == self` forty times), ours must have what they have
in common ("chance"). Answers `panic` are not compared. Cases of a row of accidents.py are set aside and counted.
"""
import collections
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "fuzz", "expressions"))
import accidents  # noqa: E402

# How often to ask again about a case that depends on a random order: in a map of two entries, one comes first
# 7 times of 8.
AGAIN = 60


def essence(answer):
    a = dict(answer)
    if "inputError" in a:
        return {"inputError": True}
    if isinstance(a.get("errors"), list):
        a["errors"] = sorted(a["errors"], key=lambda e: json.dumps(e, sort_keys=True))
        if a.get("outOfBudget"):
            a["errors"] = "depends on the order"
    return a


def within(answers, ours):
    """Whether the answers to one case differ among themselves, and ours has all that they share."""
    first = answers[0]
    if all(a == first for a in answers):
        return False
    common = [k for k in first if k not in ("errors", "cost") and all(a.get(k) == first[k] for a in answers)]
    listed = [[json.dumps(e, sort_keys=True) for e in a["errors"]] for a in (*answers, ours)
              if isinstance(a.get("errors"), list)]
    always = set.intersection(*map(set, listed[:-1])) if len(listed) == len(answers) + 1 else set()
    return all(ours.get(k) == first[k] for k in common) and always <= set(listed[-1] if listed else ())


def ask_again(oracle, cases):
    """The cases for which the oracle never gives our answer, and how many of these are chance: its own
    answers differ, too."""
    seen = [[essence(json.loads(c[1]))] for c in cases]
    left = list(range(len(cases)))
    for _ in range(AGAIN):
        if not left:
            break
        lines = subprocess.run([oracle, "-j", "1"], input="".join(cases[i][0] for i in left),
                               capture_output=True, text=True, check=True).stdout
        for i, line in zip(list(left), lines.splitlines(), strict=True):
            seen[i].append(essence(json.loads(line)))
            if seen[i][-1] == essence(json.loads(cases[i][2])):
                left.remove(i)
    chance = [i for i in left if within(seen[i], essence(json.loads(cases[i][2])))]
    return [cases[i] for i in left if i not in chance], len(chance)


def compare(requests, want, got, oracle=None):
    total = panics = 0
    cases = []
    with open(requests, encoding="utf-8") as q, open(want, encoding="utf-8") as w, open(got,
            encoding="utf-8") as g:
        for request, a, b in zip(q, w, g, strict=True):
            total += 1
            x, y = json.loads(a), json.loads(b)
            if "panic" in x:
                panics += 1
                continue
            if essence(x) == essence(y):
                continue
            cases.append((request, a, b))
    different, chance = ask_again(oracle, cases) if oracle else (cases, 0)
    rows = [accidents.row(json.loads(request), a, b) for request, a, b in different]
    aside = collections.Counter(row for row in rows if row)
    different = [c for c, row in zip(different, rows, strict=True) if not row]
    for request, a, b in different:
        print("REQUEST", request.strip(), "\nWANT", a.strip(), "\nGOT ", b.strip(), "\n")
    print(f"{total} answers, {len(different)} differ, {chance} chance, {panics} panics not compared, "
          f"{aside.total()} set aside {dict(aside)}")
    return 1 if different else 0
