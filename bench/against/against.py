#!/usr/bin/env python3
"""Compares implementations of CEL in one run: ours, the same by hand in C++, and others.

Usage: against.py OURS BUILD CASES [--install] [--docs FOLDER] [--passes N] [--milliseconds MS] [--only NAME[,NAME...]]
OURS is the runner of ours.cc; CASES is ../shared/bench/cases.json. Others (rivals.py) live in BUILD; --install builds
them there with their own tools, which need package registries. Without it, what is not installed is skipped by name.
--docs writes against.md and against.svg into FOLDER.

Idea: all runners live through the whole run. In each pass, each case is asked of each runner in turn, so that other
work on the machine hits all of them. The fastest pass counts, since other work can only lengthen one, and short passes are
disturbed less often; the spread is what the median lies above it. An answer that is
not the case's is no time but a failure, and the status is 1 if it is ours. Times of compilation are those of three cases.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import plot
from rivals import RIVALS

COMPILED = ["replicas-le", "len100", "len400"]
OURS, FLOOR = "Portcullis", "by hand"


class Runner:
    def __init__(self, name, command):
        self.name = name
        self.errors = {}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, line):
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            return {"error": "the runner ended"}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def plain(value):
    """A value of the batch protocol, as Kubernetes' runner tags it, without its tags."""
    if not isinstance(value, dict):
        return value
    (kind, inner), = value.items()
    return [plain(item) for item in inner] if kind == "list" else inner


def line_of(case, milliseconds):
    return json.dumps({"id": case["name"], "bench": milliseconds, **{key: case[key] for key in ("expr", "vars", "expected")}}) + "\n"


def measure(runners, cases, passes, milliseconds):
    """times[runner][case] = the answers of all passes; a case with a wrong answer has none."""
    times = {runner.name: {} for runner in runners}
    for number in range(passes):
        for case in cases:
            for runner in runners:
                if case["name"] in runner.errors:
                    continue
                answer = runner.ask(line_of(case, milliseconds))
                if "value" in answer and plain(answer["value"]) == case["expected"]:
                    times[runner.name].setdefault(case["name"], []).append(answer)
                else:
                    times[runner.name].pop(case["name"], None)
                    runner.errors[case["name"]] = str(answer.get("error") or answer.get("evalError") or
                                                      answer.get("compileError") or answer)[:200]
        print(f"pass {number + 1} of {passes}", file=sys.stderr)
    return times


def instructions(command, case):
    """Instructions of one evaluation with its set-up, as callgrind counts them in `evaluate_hundred` of ours.cc; None without it."""
    if not shutil.which("valgrind"):
        return None
    done = subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=*evaluate_hundred*", "--callgrind-out-file=/dev/null",
                           command, "--count"], input=line_of(case, 1), capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    return round(int(found[1]) / json.loads(done.stdout)["counted"]) if found else None


def first_line(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (done.stdout.splitlines() or [""])[0]
    return said if command[0] in said.lower() else f"{command[0]} {said}"


def state(rivals, arguments):
    """What the figures depend on."""
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    tools = dict.fromkeys([first_line(["g++", "--version"]), *(first_line(rival.version) for rival in rivals)])
    return [f"{os.cpu_count()} cores ({model[1] if model else 'unknown'}), load {os.getloadavg()[0]:.2f} before the run; "
            f"{arguments.passes} passes of {arguments.milliseconds} ms, interleaved", "; ".join(tools)]


def short(ns):
    return f"{ns:.1f}" if ns < 10 else f"{ns:,.0f}"


def best(answers, key):
    found = [answer[key] for answer in answers or [] if key in answer]
    return min(found, default=None)


def spread(answers):
    found = [answer["evalNs"] for answer in answers]
    return round(100 * (statistics.median(found) / min(found) - 1))


def cell(answers, key="evalNs", unit=1):
    ns = best(answers, key)
    return "-" if ns is None else short(ns / unit) + (f" +{spread(answers)}%" if key == "evalNs" else "")


def evaluation_rows(names, cases, times, counts):
    yield ["case", *names, "to by hand", "instructions", "allocations"]
    for case in cases:
        of = {name: times[name].get(case["name"]) for name in names}
        mine, floor = (best(of.get(name), "evalNs") for name in (OURS, FLOOR))
        yield [case["name"], *(cell(of[name]) for name in names), f"{mine / floor:.2f}" if mine and floor else "-",
               f"{counts[case['name']]:,}" if counts[case["name"]] else "-", str(of[OURS][-1]["allocations"]) if of[OURS] else "-"]


def compilation_rows(names, cases, times):
    names = [name for name in names if name != FLOOR]
    yield ["compiling, us", *names]
    for case in cases:
        if case["name"] in COMPILED:
            yield [f"{len(case['expr'])} characters", *(cell(times[name].get(case["name"]), "compileNs", 1000) for name in names)]


def findings(cases, times, names):
    """The cases in which we are above the limit, or behind another."""
    for case in cases:
        of = {name: best(times[name].get(case["name"]), "evalNs") for name in names}
        mine, floor = of.get(OURS), of.get(FLOOR)
        if mine and floor and mine > max(2 * floor, floor + 20):
            yield f"above the limit (twice by hand, or 20 ns more): {case['name']}, {short(mine)} ns beside {short(floor)}"
        for name, ns in of.items():
            if mine and ns and name not in (OURS, FLOOR) and ns < mine:
                yield f"slower than {name}: {case['name']}, {short(mine)} ns beside {short(ns)}"


def table(rows, markdown=False):
    rows = list(rows)
    if markdown:
        rows.insert(1, ["---"] + ["---:"] * (len(rows[0]) - 1))
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *(part.rjust(width) for part, width in zip(row[1:], widths[1:]))]) for row in rows)


INTRO = """# Beside other implementations of CEL

Written by `./dev bench --against --docs docs`. What is measured, and the versions: [bench/against](../bench/against/README.md).
Times in ns: the fastest pass, and how far the median of the passes lies above it.

![the times of the table](against.svg)
"""


def listed(lines):
    return "".join(f"- {line}\n" for line in lines)


def write_docs(folder, notes, tables, problems):
    parts = [INTRO, listed(notes), *(f"{one}\n" for one in tables), listed(problems)]
    (folder / "against.md").write_text("\n".join(part for part in parts if part), encoding="utf-8")


def parse():
    parser = argparse.ArgumentParser(prog="./dev bench --against", description="Compares implementations of CEL in one run.")
    parser.add_argument("ours", help=argparse.SUPPRESS)
    parser.add_argument("build", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("cases", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--install", action="store_true", help="first install the others, from their package registries")
    parser.add_argument("--docs", type=pathlib.Path, metavar="FOLDER", help="write against.md and against.svg there")
    parser.add_argument("--passes", type=int, default=20, metavar="N", help="default 20")
    parser.add_argument("--milliseconds", type=int, default=4, metavar="MS", help="of a case in a pass (default 4)")
    parser.add_argument("--only", metavar="NAME,...", help="only these cases")
    return parser.parse_args()


def chosen(path, only):
    if not path.exists():
        sys.exit(f"{path} is not there")
    cases = json.loads(path.read_text(encoding="utf-8"))
    wanted = only.split(",") if only else [case["name"] for case in cases]
    unknown = set(wanted) - {case["name"] for case in cases}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    return [case for case in cases if case["name"] in wanted]


def main():
    arguments = parse()
    arguments.build = arguments.build.resolve()
    cases = chosen(arguments.cases, arguments.only)
    if arguments.install:
        for rival in RIVALS:
            rival.put(arguments.build)
    skipped = {rival.name: rival.missing(arguments.build) for rival in RIVALS}
    rivals = [rival for rival in RIVALS if not skipped[rival.name]]
    notes = state(rivals, arguments) + [f"skipped: {name}: {why}" for name, why in skipped.items() if why]
    runners = [Runner(OURS, [arguments.ours]), Runner(FLOOR, [arguments.ours, "--floor"]),
               *(Runner(rival.name, rival.command(arguments.build)) for rival in rivals)]
    times = measure(runners, cases, arguments.passes, arguments.milliseconds)
    names = [runner.name for runner in runners]
    for runner in runners:
        runner.end()
        notes += [f"no answer: {runner.name}, {case}: {why}" for case, why in runner.errors.items()]
    counts = {case["name"]: instructions(arguments.ours, case) for case in cases}
    rows = list(evaluation_rows(names, cases, times, counts))
    compiled = list(compilation_rows(names, cases, times))
    problems = list(findings(cases, times, names))
    print("\n".join(notes), table(rows), table(compiled), "\n".join(problems), sep="\n\n")
    if arguments.docs:
        write_docs(arguments.docs, notes, [table(rows, True), table(compiled, True)], problems)
        best_of = {name: {case["name"]: best(times[name].get(case["name"]), "evalNs") for case in cases} for name in names}
        (arguments.docs / "against.svg").write_text(plot.draw([case["name"] for case in cases], best_of), encoding="utf-8")
    return 1 if runners[0].errors else 0


if __name__ == "__main__":
    sys.exit(main())
