#!/usr/bin/env python3
"""The folders are a pipeline: each may include only itself and earlier folders; the same holds for the rooms
of a folder. Prints every include that breaks this, functions that another room than that of their header defines,
cycles of includes, headers that pull a heavy library into many files, comments that name a missing header or test
file, and functions in the folders of the library that follow the locale of the program.

Usage: layering.py SOURCE_ROOT
"""
import pathlib
import re
import sys

PIPELINE = ["grammar", "typecheck", "interpreter", "admission", "manifests", "chain", "library", "batch", "http", "cli", "server"]
# "." stands for files in the folder itself: its front door, a header that the last room implements.
ROOMS = {
    "interpreter": ["values", "formats", "functions", "compile", ".", "run"],
    "admission": ["scalars", "objects", "ownership", "builtin", "authorization", "functions", "expressions",
                  "matching", "policies", "crd", "typing", "patching", "foresight", ".", "engine"],
    "cli": ["messages", "formats", "reading", "functions", "cluster", "requests", "checks", ".", "reports",
            "session", "suites", "drafts", "coverage", "mutants", "commands"],
}
ANYWHERE = ["tests", "bench", "fuzz"]
# Heavy headers (a second or more each) belong in single .cc files.
HEAVY = re.compile(r"simdjson|curl/|antlr4-runtime|CLI/|absl/|boost/|prometheus/|gtest|gmock|fmt/format|re2/|benchmark/")
# Headers for the few files that include the library anyway.
ALLOWED = {"cli/given_words.h": "CLI/", "server/session.h": "boost/", "server/http_message.h": "boost/",
           "server/registered.h": "prometheus/", "http/libcurl.h": "curl/"}
NAMED_TEST = re.compile(
    r"\b((?:%s)/[\w./-]+(?:_test\.cc|\.cel|\.py)|(?:tests|fuzz)/[\w./-]+\.(?:cc|txt|tsv))\b"
    % "|".join(PIPELINE + ANYWHERE))
COMMENT = re.compile(r"^\s*//(.*)", re.M)
NAMED_HEADER = re.compile(r"(?<![\w/<-])(?:\w+/)*(\w+\.h)\b(?!>)")
ELSEWHERE = {"simdjson.h", "yaml.h"}  # of libraries
# Functions at the left margin: declared, and defined with a body.
PARAMETERS = r"\((?:[^(){};]|\([^(){};]*\))*\)"
DECLARED = re.compile(r"^[A-Za-z][\w:<>,*& \[\]]*[ *&](\w+)%s;" % PARAMETERS, re.M)
DEFINED = re.compile(r"^[A-Za-z][\w:<>,*& \[\]]*[ *&:](\w+)%s[\w ]*\{" % PARAMETERS, re.M)
# Headers whose functions a later room defines, beside the front doors.
DEFINED_LATER = {"interpreter/values/print.h", "cli/reports/report.h"}
# What an embedder's setlocale() changes: 0.4 is no number where the decimal point is a comma. grammar/literal.h,
# grammar/ascii.h and std::from_chars do the same without it.
BY_LOCALE = re.compile(
    r"\b(?:strto[a-z]+|sto(?:[dfi]|ld|u?ll?)|ato(?:[fil]|ll)|to(?:upper|lower)|v?[fs]?n?printf|[fs]?scanf|str[fp]time|"
    r"strcoll|strn?casecmp|is(?:al(?:pha|num)|digit|xdigit|space|blank|upper|lower|print|punct|graph|cntrl))\("
    r"|<(?:cctype|clocale|locale|iomanip|[io]?stream|iostream|ostream|sstream|fstream|regex)>")
WITHOUT_LOCALE = PIPELINE[:PIPELINE.index("library") + 1]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def room(path):
    """The room of a file, as its place in the pipeline of its folder; None if the folder has no rooms."""
    rooms = ROOMS.get(path.parts[0])
    name = path.parts[1] if len(path.parts) > 2 else "."
    if rooms is None or path.suffix == ".build":
        return None
    return rooms.index(name) if name in rooms else -1


def circles(root):
    """Cycles of includes, each once."""
    includes = {}
    for path in root.rglob("*.h"):
        place = path.relative_to(root).as_posix()
        if place.split("/")[0] in PIPELINE:
            text = path.read_text(encoding="utf-8")
            includes[place] = [name for bracket, name in INCLUDE.findall(text) if bracket == '"']
    done = set()

    def walk(place, way):
        if place in way:
            yield "circle: " + " -> ".join(way[way.index(place):] + [place])
        elif place not in done:
            for name in includes.get(place, []):
                yield from walk(name, way + [place])
            done.add(place)

    for place in sorted(includes):
        yield from walk(place, [])


def face(root):
    """Public headers include only themselves and the standard library, and only library/ and the server, an embedder,
    include them."""
    for path in sorted((root / "include").rglob("*.h")):
        for bracket, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if bracket != "<" or not (name.startswith("portcullis/") or re.fullmatch(r"\w+", name)):
                yield f"{path.relative_to(root)}: a public header includes {name}"
    for folder in PIPELINE:
        for path in sorted((root / folder).rglob("*")):
            known = path.suffix in (".h", ".cc") and folder not in ("library", "server")
            if known and "#include <portcullis/" in path.read_text(encoding="utf-8"):
                yield f"{path.relative_to(root)}: only library/ and server/ include public headers"


def elsewhere(root):
    """Functions that a header declares and only other rooms define."""
    definitions = {}
    for folder in PIPELINE:
        for path in (root / folder).rglob("*.cc"):
            for name in DEFINED.findall(path.read_text(encoding="utf-8")):
                definitions.setdefault(name, []).append(path.relative_to(root))
    for folder in PIPELINE:
        for path in sorted((root / folder).rglob("*.h")):
            place = path.relative_to(root)
            if str(place) in DEFINED_LATER or (folder in ROOMS and len(place.parts) == 2):
                continue
            for name in DECLARED.findall(path.read_text(encoding="utf-8")):
                found = definitions.get(name, [])
                if found and all(other.parent != place.parent for other in found):
                    yield f"{place}: {name}() is defined in {found[0]}"


def by_locale(root):
    for folder in WITHOUT_LOCALE:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc", ".inc") or path.name.endswith("_test.cc"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if found := BY_LOCALE.search(line.split("//")[0]):
                    yield f"{path.relative_to(root)}:{number}: {found[0]} follows the locale of the program"


def breaches(root):
    yield from by_locale(root)
    yield from circles(root)
    yield from elsewhere(root)
    yield from face(root)
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
            if path.suffix == ".h" and bracket == "<" and HEAVY.search(name) and folder in PIPELINE and \
                    not name.startswith(ALLOWED.get(str(place), "no library")):
                yield f"{place}: heavy header <{name}> in a header"
            if bracket == '"' and "/" not in name and not name.startswith("CEL"):
                yield f"{place}: \"{name}\" is not written from the root"
            if bracket != '"' or target not in PIPELINE + ANYWHERE or folder in ANYWHERE:
                continue
            if path.name.endswith("_test.cc"):  # may use what comes later
                continue
            if target in ANYWHERE or PIPELINE.index(target) > PIPELINE.index(folder):
                yield f"{place}: {folder}/ may not include {name}"
            elif target == folder and folder in ROOMS:
                here, there = room(place), room(pathlib.PurePosixPath(name))
                if min(here, there) < 0 or there > here:
                    yield f"{place}: {place.parent}/ may not include {name}"


def main():
    root = pathlib.Path(sys.argv[1])
    found = list(breaches(root))
    for line in found:
        print(line)
    print(f"layering: {len(found)} breaches")
    sys.exit(1 if found else 0)


main()
