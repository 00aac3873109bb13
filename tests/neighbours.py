#!/usr/bin/env python3
"""The sources of a folder that is compiled as one unit (`one_unit` in meson.build) see each other's unnamed
namespaces. Prints every name of an unnamed namespace that another source of the folder declares or uses, too:
there a call could silently mean the neighbour's function.

Usage: neighbours.py SOURCE_ROOT FOLDER...
"""
import pathlib
import re
import sys

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
# What starts in the first column of an unnamed namespace, as clang-format leaves it: types, constants, functions.
# The compiler finds aliases of one name that differ.
TYPE = re.compile(r"(?:struct|class|enum class|enum) (?:alignas\(\w+\) )?(\w+)\b")
FUNCTION = re.compile(r"[^=(:]*(?:::[^=(:]*)*?(?<!::)\b(\w+)\(")
VARIABLE = re.compile(r"[^=({]+?\b(\w+)(?:\[\w*\])*(?: =|\{|;)")
LITERAL = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', re.S)
COMMENT = re.compile(r"//.*")
WORD = re.compile(r"(?<![\w.:>])\w+")
# A function is called, or passed by its name where no variable, parameter or member has that name.
CALL = re.compile(r"(?<![\w.:>])(\w+)\(")
PASSED = re.compile(r"[(,]\s*&?(\w+)(?=\s*[,)])")
NO_FUNCTION = re.compile(r"[\w>\]]\s+(\w+)\s*[;,=){\[:]|[&*]\s*(\w+)")


def declared(text):
    """The names that the unnamed namespaces of a source declare: types and constants, functions."""
    words, functions = set(), set()
    for body in UNNAMED.findall(text):
        for line in body.splitlines():
            if not line or not (line[0].isalpha() or line[0] == "["):
                continue
            if named := TYPE.match(line):
                words.add(named.group(1))
            elif re.match(r"(?:template|public|private|extern|namespace|using|static_assert)\b", line):
                continue
            elif named := VARIABLE.match(line):
                words.add(named.group(1))
            elif named := FUNCTION.match(line):
                functions.add(named.group(1))
    return words, functions


def clashes(folder):
    texts = {path: LITERAL.sub('""', path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.cc"))
             if not path.name.endswith("_test.cc") and path.name != "main.cc"}
    used = {}
    for path, text in texts.items():
        code = COMMENT.sub("", text)
        others = {name for names in NO_FUNCTION.findall(code) for name in names}
        used[path] = set(WORD.findall(code)), set(CALL.findall(code)) | (set(PASSED.findall(code)) - others)
    for path, text in texts.items():
        for names, use in zip(declared(text), (0, 1)):
            for other in texts:
                for name in sorted(names & used[other][use]) if other != path else []:
                    yield f"{other}: {name} is also a name of the unnamed namespace of {path.name}"


def main():
    root, folders = pathlib.Path(sys.argv[1]), sys.argv[2:]
    found = [clash for folder in folders for clash in clashes(root / folder)]
    for clash in found:
        print(clash)
    print(f"neighbours: {len(found)} clashes in {len(folders)} folders")
    sys.exit(1 if found or not folders else 0)


main()
