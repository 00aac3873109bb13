#!/usr/bin/env python3
"""The folders are a pipeline: each may include only itself and folders before it. Prints every include that
breaks this, headers that pull a heavy library into everything, and comments that name a header or a file of
tests that is not there.

Usage: layering.py SOURCE_ROOT
"""
import pathlib
import re
import sys

PIPELINE = ["grammar", "typecheck", "interpreter", "admission", "cli"]
ANYWHERE = ["tests", "bench", "fuzz"]
# Heavy headers (a second or more each) belong into single .cc files.
HEAVY = re.compile(r"simdjson|antlr4-runtime|CLI/|absl/|gtest|gmock|fmt/format|re2/|benchmark/")
NAMED_TEST = re.compile(
    r"\b((?:%s)/[\w./-]+(?:_test\.cc|\.cel|\.py)|(?:tests|fuzz)/[\w./-]+\.(?:cc|txt|tsv))\b"
    % "|".join(PIPELINE + ANYWHERE))
COMMENT = re.compile(r"^\s*//(.*)", re.M)
NAMED_HEADER = re.compile(r"(?<![\w/<-])(?:\w+/)*(\w+\.h)\b(?!>)")
ELSEWHERE = {"simdjson.h", "yaml.h"}  # of libraries
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def breaches(root):
    headers = {path.name for path in root.rglob("*.h")} | ELSEWHERE
    for path in sorted(root.rglob("*")):
        folder = path.relative_to(root).parts[0]
        if path.suffix not in (".h", ".cc", ".def") or folder not in PIPELINE + ANYWHERE:
            continue
        place = path.relative_to(root)
        text = path.read_text(encoding="utf-8")
        for name in NAMED_TEST.findall(text):
            if not (root / name).exists():
                yield f"{place}: there is no {name}"
        for comment in COMMENT.findall(text):
            for name in NAMED_HEADER.findall(comment):
                if name not in headers:
                    yield f"{place}: there is no {name}"
        for bracket, name in INCLUDE.findall(text):
            target = name.split("/")[0]
            if path.suffix == ".h" and bracket == "<" and HEAVY.search(name) and folder in PIPELINE:
                yield f"{place}: heavy header <{name}> in a header"
            if bracket == '"' and "/" not in name and not name.startswith("CEL"):
                yield f"{place}: \"{name}\" is not written from the root"
            if bracket != '"' or target not in PIPELINE + ANYWHERE or folder in ANYWHERE:
                continue
            if path.name.endswith("_test.cc") and target == "tests":
                continue
            if target in ANYWHERE or PIPELINE.index(target) > PIPELINE.index(folder):
                yield f"{place}: {folder}/ may not include {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(breaches(root))
    for line in found:
        print(line)
    print(f"layering: {len(found)} breaches")
    sys.exit(1 if found else 0)


main()
