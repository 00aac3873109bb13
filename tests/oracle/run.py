#!/usr/bin/env python3
"""Runs the comparisons with Kubernetes in this folder and in fuzz/expressions, each with COUNT random requests.

Usage: run.py BUILD ORACLE SHARED [COUNT] [SEED] [--only NAME]     `./dev oracle` builds what it needs and calls it

BUILD has portcullis, tests/corpus, tests/custom_resources and, if Go could build them, oracle-customresource,
oracle-strategies and oracle-plugins (from the folders beside this file).
Prints a line for each comparison, and the first answers that differ; what a row of docs/faithfulness.md explains is set aside
and counted. Two comparisons run at a time. A larger COUNT and another SEED find more. The last line is "N passed, N failed",
of comparisons; the exit status is 1 if one failed.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPRESSIONS = HERE.parent.parent / "fuzz" / "expressions"
sys.path.insert(0, str(EXPRESSIONS))
import accidents  # noqa: E402

SHOWN = 2  # differences of one comparison
AGAIN = 20  # times that a request is asked again if its answer differs
MOST_BY_CHANCE = 0.005  # of the answers; at least 2


def run(command, stdin=None, stdout=None):
    """Runs a command; its standard output if `stdout` is no file."""
    with open(stdin or "/dev/null", "rb") as source:
        done = subprocess.run([str(c) for c in command], stdin=source, stdout=stdout or subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
    return done


def output_of(done):
    """The exit status of a command that run() ran, and what it printed."""
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace").strip()


class Comparison:
    """A generator of requests, the programs that answer them, and what compares the answers (None: `plain`). A generator
    of everything there is has a `sample`: how many of its requests are asked, chosen by the seed."""

    def __init__(self, name, generator, compare=None, ours=None, want=None, with_oracle=False, sample=None):
        self.name, self.generator, self.compare = name, generator, compare
        self.ours, self.want, self.with_oracle, self.sample = ours, want, with_oracle, sample


def take_sample(path, size, seed):
    """Leaves `size` lines of a file."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(random.Random(seed).sample(lines, min(size, len(lines)))))


def fits(request, want, got):
    """Whether two answers are the same, for requests whose comparison has no rules of its own."""
    if want == got:
        return True
    if "inputError" in want and "inputError" in got:
        return True
    return "panic" in want or "timeAdded" in json.dumps(want)  # the time of the request


def by_chance(oracle, request, got):
    """Whether Kubernetes answers so, too, when it walks a map in another order (`exists` over two labels costs 3 or 6)."""
    answers = subprocess.run([oracle, "-j", "1"], input=request * AGAIN, capture_output=True, text=True, check=True).stdout
    return any(json.loads(a) == json.loads(got) for a in answers.splitlines())


def plain(requests, want, got, oracle):
    """Compares line by line; (exit status, what to print)."""
    total = different = aside = chance = 0
    out = []
    for request, a, b in zip(open(requests), open(want), open(got), strict=True):
        total += 1
        if a == b or fits(request, json.loads(a), json.loads(b)):
            continue
        if accidents.row(json.loads(request), a, b):
            aside += 1
            continue
        if by_chance(oracle, request, b):
            chance += 1
            if chance == 1:
                out.append("BY CHANCE " + request.strip())
            continue
        different += 1
        if different <= SHOWN:
            out += ["REQUEST " + request.strip(), "WANT " + a.strip(), "GOT " + b.strip()]
    out.append(f"{total} answers, {different} differ, {chance} chance, {aside} set aside")
    return int(different > 0 or chance > max(2, MOST_BY_CHANCE * total)), "\n".join(out)


def compared(c, folder, oracle, portcullis, seed):
    """Runs one comparison; (exit status, what to print)."""
    requests, want, got = folder / "requests", folder / "want", folder / "got"
    with open(requests, "wb") as out:
        made = run([sys.executable, *c.generator], stdout=out)
    if made.returncode != 0 or requests.stat().st_size == 0:
        return 1, "no requests: " + made.stderr.decode()[-500:]
    if c.sample:
        take_sample(requests, c.sample, seed)
    for command, path in ((c.want or [oracle, "-j", "1"], want), (c.ours or [portcullis, "review", "--batch"], got)):
        with open(path, "wb") as out:
            done = run(command, requests, out)
        asked, answered = (sum(1 for _ in open(p, "rb")) for p in (requests, path))
        if asked != answered:
            return 1, f"{command[0]}: {answered} answers to {asked} requests: " + done.stderr.decode(errors="replace")[-500:]
    if c.compare is None:
        return plain(requests, want, got, oracle)
    return output_of(run([sys.executable, *c.compare, requests, want, got, *([oracle] if c.with_oracle else [])]))


def comparisons(build, shared, count, seed):
    """All comparisons. A count says how many requests take about the time of COUNT simple ones."""
    def generated(name, *arguments):
        return [HERE / f"{name}.py", *map(str, arguments)]

    def own(name):
        return [HERE / f"{name}.py", "--compare"]

    half, third, tenth = (max(1, count // n) for n in (2, 3, 10))
    schemas, types = (shared / "openapi" / "1.37" / name for name in ("schemas.json", "types.jsonl"))

    def every_field(what, compare=None, with_oracle=False):
        return Comparison(f"every field: {what}", generated("every_field", what, schemas, schemas.parent / "resources.jsonl"),
                          compare, with_oracle=with_oracle, sample=half)

    out = [
        Comparison("conditions", generated("random_conditions", count, seed)),
        Comparison("reviews", generated("random_reviews", count, seed)),
        Comparison("reviews of real policies", generated("mutate_reviews", build / "tests" / "corpus", shared / "corpus", count, seed)),
        Comparison("reviews of typed objects", generated("typed_reviews", types, tenth, seed)),
        Comparison("mutations", generated("random_mutations", schemas, count, seed), own("random_mutations")),
        Comparison("mutating reviews", generated("random_mutating_reviews", count, seed), own("random_mutating_reviews")),
        Comparison("webhooks", generated("random_webhooks", "webhook", count, seed), own("random_webhooks")),
        Comparison("chains", generated("random_webhooks", "admit", half, seed), own("random_webhooks")),
        Comparison("answers of webhooks", generated("webhook_answers", count, seed)),
        Comparison("policies", generated("mutate_policies", count, seed)),
        Comparison("rules of schemas", generated("crd_rules", count, seed), own("crd_rules"), with_oracle=True),
        Comparison("type checks", generated("mutate_typecheck", shared / "corpus", shared / "openapi" / "1.37", third, seed),
                   own("mutate_typecheck"), with_oracle=True),
        Comparison("objects", generated("random_objects", types, count, seed)),
        Comparison("changed objects", generated("mutate_objects", shared / "decoded", count, seed)),
        every_field("configure", own("random_mutations")),
        every_field("patch", own("random_mutations")),
        every_field("decode"),
        every_field("typecheck", own("mutate_typecheck"), with_oracle=True),
        Comparison("every member: policies", generated("every_member", "policies"), sample=count),
        Comparison("every member: answers", generated("every_member", "answers"), sample=half),
    ]
    registry = build / "oracle-customresource"
    if registry.exists():
        runner = build / "tests" / "custom_resources"
        for name, generator, sample in (("custom resources", generated("custom_resources", half, seed), None),
                                        ("updated custom resources", generated("custom_resources", "--updates", half, seed), None),
                                        ("every member: custom resources", generated("every_member", "objects"), half)):
            out.append(Comparison(name, generator, own("custom_resources"), [runner, "--answer"], [registry], sample=sample))
        for name, generator, sample in (("definitions", generated("custom_resources", "--specs", half, seed), None),
                                        ("every member: definitions", generated("every_member", "definitions"), count)):
            out.append(Comparison(name, generator, [HERE / "custom_resources.py", "--compare-definitions"],
                                  [runner, "--definitions"], [registry], sample=sample))
    else:
        print("custom resources and definitions: skipped (no oracle-customresource)")
    return out


def programs(build, portcullis, oracle, shared, count, seed):
    """The comparisons that ask both sides themselves: name, program, generator of its standard input or None."""
    third, tenth = max(1, count // 3), max(1, count // 10)
    openapi = shared / "openapi" / "1.37"
    # Requests as a webhook is sent them, at another version than the client sent.
    yield "admission reviews", ["admission_reviews", portcullis, oracle, openapi / "types.jsonl", count, seed], None
    yield "files", ["mutate_files", portcullis, oracle, shared, tenth, seed], None
    yield "foreseen mistakes", ["foreseen", oracle, portcullis, "-"], ["random_mutations", openapi / "schemas.json", third, seed]
    yield "foreseen mistakes of reviews", ["foreseen", oracle, portcullis, "-"], ["random_mutating_reviews", third, seed]
    yield "foreseen conditions", ["foreseen_conditions", portcullis, oracle, third, seed], None
    yield "releases", ["skew", portcullis, oracle], None
    strategies = build / "oracle-strategies"
    if strategies.exists():
        yield "metadata of built-in kinds", ["built_in_metadata", portcullis, strategies, count, seed], None
        yield "updates of built-in kinds", ["built_in_updates", portcullis, strategies, count, seed], None
        yield "every member: roles", ["every_member", "roles", portcullis, strategies, tenth, seed], None
    else:
        print("metadata and updates of built-in kinds, and roles: skipped (no oracle-strategies)")
    plugins = build / "oracle-plugins"
    if plugins.exists():
        yield "plugins that refuse", ["plugins", portcullis, plugins, count, seed], None
    else:
        print("plugins that refuse: skipped (no oracle-plugins)")


def asked(folder, program, generator):
    """Runs such a comparison; (exit status, what to print)."""
    def command(words):
        return [sys.executable, HERE / f"{words[0]}.py", *words[1:]]

    requests = None
    if generator:
        requests = folder / "requests"
        with open(requests, "wb") as out:
            run(command(generator), stdout=out)
    return output_of(run(command(program), requests))


def expressions(portcullis, oracle, count, seed):
    """The comparisons of random expressions, which are shrunk where they differ: name, flags of the generator."""
    for name, flags in (("expressions", []), ("expressions of Kubernetes", ["--kubernetes"]),
                        ("expressions of older versions", ["--versions"]), ("texts of the grammar", ["--grammar"])):
        yield name, [EXPRESSIONS / "compare.py", "--ours", f"{portcullis} eval --batch", "--oracle", f"{oracle} -j 1",
                     "--seed", seed, "--count", 2 * count, *flags]


def in_own_folder(act, *arguments):
    """Calls act(FOLDER, *arguments) with a folder that goes afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        return act(pathlib.Path(folder), *arguments)


def jobs(a):
    """All comparisons: name, and the function that runs it."""
    portcullis = a.build / "portcullis"
    for c in comparisons(a.build, a.shared, a.count, a.seed):
        yield c.name, lambda c=c: in_own_folder(
            lambda folder: compared(c, folder, a.oracle, portcullis, a.seed))
    for name, program, generator in programs(a.build, portcullis, a.oracle, a.shared, a.count, a.seed):
        yield name, lambda p=program, g=generator: in_own_folder(asked, p, g)
    for name, command in expressions(portcullis, a.oracle, a.count, a.seed):
        yield name, lambda command=command: output_of(run([sys.executable, *command]))


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    for name in ("build", "oracle", "shared"):
        arguments.add_argument(name, type=lambda p: pathlib.Path(p).resolve())
    arguments.add_argument("count", type=int, nargs="?", default=500)
    arguments.add_argument("seed", type=int, nargs="?", default=1)
    arguments.add_argument("--only", default="")
    a = arguments.parse_args()
    chosen = [job for job in jobs(a) if a.only in job[0]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for (name, _), (status, text) in zip(chosen, pool.map(lambda job: job[1](), chosen), strict=True):
            failed += status != 0
            lines = text.splitlines()
            print(f"{name}: {lines[-1] if lines else ''}" if status == 0 else f"FAILED {name}:\n{text[:4000]}",
                  flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
