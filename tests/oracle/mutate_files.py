#!/usr/bin/env python3
"""mutate_files: compares `portcullis review` with Kubernetes on files that are wrong, incomplete or odd.

Usage: mutate_files.py PROGRAM ORACLE SHARED COUNT [SEED] [--case N] [--keep FOLDER] [-j JOBS]

Takes cases of SHARED/corpus and some of its own, changes one to three things (names, kinds, groups, versions,
namespaces, scopes, rules, params, missing or repeated documents, encodings, lists, flags:
files/mutations.py), writes the files, and runs the program on them. ORACLE (shared/oracle) gives the answer
of Kubernetes to the complete situation, which an independent reading of the files makes (files/reading.py):
which document is a policy, a binding or a param and in which namespace, which resource a kind is
(SHARED/openapi), what the API server refuses (mode `validate`). If the files leave something open (the scope
or the plural of a kind without definition), it asks about all possibilities.

Exit status 0 is a false admit unless every possibility admits. Status 1 is a false denial unless one denies.
Status 2 is no verdict, which is right if the API server would never accept the files; otherwise it is only
counted, with its cause. --case runs one case alone and prints it. The same seed gives the same files. Closes
with `N passed, N failed`: false admits and false denials fail.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from files.mutations import make_case
from files.reading import Case, Kinds
from files.world import corpus_worlds, own_worlds
from files.write import command_of

CHUNK = 500


def ask(oracle, questions):
    lines = "".join(json.dumps(q, ensure_ascii=False) + "\n" for q in questions)
    done = subprocess.run([oracle, "-j", "2", "-policies", "256"], input=lines, capture_output=True, text=True,
                          encoding="utf-8", check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(questions):
        sys.exit("the oracle gave %d answers to %d questions: %s" % (len(answers), len(questions), done.stderr[-500:]))
    return answers


# The program's message about a kind that is not served, if it was told not to decode objects (--as-is, or an
# AdmissionReview): the verdict is that of the policies, if such a request existed.
AS_IT_STANDS = re.compile("decided unchanged|the server of this request did")
# Its message about a custom kind without definition, whose plural and scope it guesses.
GUESSED = "taken as "


def judge(want, status, text):
    if status == 0 and want == {"refuse"} and AS_IT_STANDS.search(text):
        return "admitted as it stands, and said so"
    if status == 0 and len(want) > 1 and "admit" in want and GUESSED in text:
        return "admitted by a guess, and said so"
    if status == 0:
        return "right" if want == {"admit"} else "FALSE ADMIT"
    if status == 1:
        return "right" if "deny" in want else "denied, though refused" if want == {"refuse"} else "FALSE DENIAL"
    if status == 2:
        return "right" if want == {"refuse"} else "unsure, and no verdict" if len(want) > 1 else "no verdict"
    return "CRASH"


def run(program, world, folder):
    folder.mkdir(parents=True)
    command = [program, "review", "-q", *command_of(folder, world)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 124, "timeout", command
    return done.returncode, (done.stderr + done.stdout).decode("utf-8", "replace"), command


def cause(text):
    """The first error, without the parts that vary."""
    found = re.search(r"error: (.*)", text)
    return re.sub(r'"[^"]*"|\d+', "_", found.group(1))[:90] if found else text[:90]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("oracle")
    ap.add_argument("shared")
    ap.add_argument("count", type=int)
    ap.add_argument("seed", type=int, nargs="?", default=1)
    ap.add_argument("--case", type=int)
    ap.add_argument("--keep", help="folder for the files of failures")
    ap.add_argument("-j", type=int, default=os.cpu_count())
    args = ap.parse_args()
    shared = pathlib.Path(args.shared)
    kinds = Kinds(shared / "openapi/1.37/resources.jsonl")
    worlds = list(corpus_worlds(shared / "corpus"))
    worlds += list(own_worlds()) * max(1, len(worlds) // 60)
    counts, causes, failed = collections.Counter(), collections.Counter(), 0
    numbers = [args.case] if args.case is not None else range(args.count)
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for start in range(0, len(numbers), CHUNK):
            cases = [Case(n, make_case(worlds, args.seed, n), kinds) for n in numbers[start:start + CHUNK]]
            root = pathlib.Path(args.keep or temporary) / str(start)
            runs = [pool.submit(run, args.program, c.world, root / str(c.number)) for c in cases]
            answers = ask(args.oracle, [q for c in cases for q in c.questions()])
            for case, future in zip(cases, runs):
                mine, answers = answers[:len(case.questions())], answers[len(case.questions()):]
                want = case.answered(mine)
                status, text, command = future.result()
                result = judge(want, status, text)
                counts[result] += 1
                if result == "no verdict":
                    causes[cause(text)] += 1
                if result.isupper() or args.case is not None:
                    failed += result.isupper()
                    print("%s: case %d of seed %d: %s\n  want %s %s, exit status %d" % (
                        result, case.number, args.seed, "; ".join(case.world.log), "/".join(sorted(want)), case.refused,
                        status))
                    print("  " + "\n  ".join(text.splitlines()[:6]))
                    if args.case is not None:
                        print(" ".join(command))
                        for q, a in zip(case.questions(), mine):
                            print(json.dumps(q)[:3000], "\n ", json.dumps(a)[:800])
    for text, number in causes.most_common(25):
        print("%6d no verdict: %s" % (number, text))
    for result, number in sorted(counts.items()):
        print("%6d %s" % (number, result))
    print("seed %d: %d passed, %d failed" % (args.seed, sum(counts.values()) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
