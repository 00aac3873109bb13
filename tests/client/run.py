#!/usr/bin/env python3
"""Uses the library as an embedder does: through installed files only.

usage: run.py SOURCE_ROOT BUILD_DIR SHARED_LIBRARY [--rebase]
       run.py SOURCE_ROOT --subproject FOLDER
Installs BUILD_DIR below a temporary folder, and checks that only public headers are there and that each
compiles alone. Builds the programs of tests/client with pkg-config, static and some also with
SHARED_LIBRARY. Compiles and runs the programs of docs/library.md and compares their output. Compares the
answers to AdmissionReviews with those of the program. Then builds the same client with Portcullis as a Meson subproject: its object file only
or, with --subproject, completely, in FOLDER, which takes a whole build. --rebase writes the output of the
programs into docs/library.md. Closes with `N passed, N failed`.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MOST_LINES = 40                  # of the client
MOST_BYTES = 80 * 1024 * 1024    # of what is installed, of which debug information was once 219 MB
CXX = os.environ.get("CXX", "c++")
FLAGS = ["-std=c++20", "-Wall", "-Wextra"]
results = {True: 0, False: 0}


def hold(true, complaint):
    results[bool(true)] += 1
    if not true:
        print(complaint)
    return true


def run(command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def build(source, output, flags):
    done = run([CXX, *FLAGS, "-o", str(output), str(source), *flags])
    return hold(done.returncode == 0, f"{source} does not build:\n{done.stdout}")


def same(what, actual, expected):
    return hold(actual == expected, f"{what}\nexpected\n{expected}actual\n{actual}")


def pkg_config(prefix, libraries, *options):
    folder = next(prefix.rglob("portcullis.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder)}
    asked = ["pkg-config", "--define-variable=prefix=" + str(prefix).replace(" ", "\\ "), *options, "--cflags", "--libs",
             "portcullis"]
    flags = shlex.split(subprocess.run(asked, env=environment, text=True, stdout=subprocess.PIPE, check=True).stdout)
    return flags if libraries is None else [f"-L{libraries}", f"-Wl,-rpath,{libraries}", *flags]


def is_stripped(made):
    options = json.loads(run(["meson", "introspect", "--buildoptions", made]).stdout)
    return next(o["value"] for o in options if o["name"] == "strip")


def headers(root, prefix):
    promised = {p.name for p in (root / "include/portcullis").glob("*.h")}
    installed = {str(p.relative_to(prefix / "include")) for p in (prefix / "include").rglob("*") if p.is_file()}
    same("installed headers", "\n".join(sorted(installed)), "\n".join(sorted("portcullis/" + p for p in promised)))
    for name in sorted(promised):
        text = (prefix / "include/portcullis" / name).read_text(encoding="utf-8")
        hold('#include "' not in text, f"{name} includes what is not installed")
        done = run([CXX, *FLAGS, "-Wpedantic", "-Werror", "-fsyntax-only", "-I", str(prefix / "include"), "-x", "c++",
                    "-include", f"portcullis/{name}", "/dev/null"])
        hold(done.returncode == 0, f"{name} does not stand alone:\n{done.stdout}")


def client(prefix, work, shared):
    lines = (HERE / "client.cc").read_text(encoding="utf-8").count("\n")
    hold(lines <= MOST_LINES, f"the client has {lines} lines")
    expected = (HERE / "expected.txt").read_text(encoding="utf-8")
    # If both libraries are present, -L finds the shared one first.
    for name, flags in (("static", pkg_config(prefix, None, "--static")), ("shared", pkg_config(prefix, shared))):
        program = work / name
        if build(HERE / "client.cc", program, flags):
            same(f"{name} client", run([program]).stdout, expected)
            print(f"{name} client: {program.stat().st_size // 1024} kB")


def global_constants(prefix, work, shared):
    """What an embedder's constants at namespace scope make before main() is what main() makes."""
    for name, flags in (("static", pkg_config(prefix, None, "--static")), ("shared", pkg_config(prefix, shared))):
        program = work / f"globals_{name}"
        if build(HERE / "globals.cc", program, flags):
            done = run([program])
            before, _, after = done.stdout.partition("---\n")
            hold(done.returncode == 0 and "deployments.apps" in before, f"{name} globals end with {done.returncode}")
            same(f"{name} globals", before, after)
    # Of usual priority, without a number in the name of the section, are only those of <iostream>, which ANTLR includes.
    sections = run(["objdump", "-h", next(prefix.rglob("libportcullis.a"))]).stdout
    late = [part.split(":")[0] for part in re.split(r"\n(?=\S+: +file format)", sections)
            if re.search(r" \.init_array ", part)]
    others = [name for name in late if not re.search("grammar|CELLexer|CELParser", name)]
    hold(late and not others, f"initialised before main() in an order that nobody knows: {others}")


def failing_memory(prefix, work):
    if build(HERE / "no_memory.cc", work / "no_memory", pkg_config(prefix, None, "--static")):
        same("wrong answers where memory fails", run([work / "no_memory"]).stdout, "")


def names_of(library):
    """The symbols that a shared library exports besides portcullis::v1."""
    shown = run(["nm", "-D", "--defined-only", "--format=posix", str(library)]).stdout.split("\n")
    names = [line.split(" ")[0].split("@")[0] for line in shown if line]
    return [n for n in names if not re.match(r"_Z(N|NK|TVN|TIN|TSN)10portcullis2v1", n)], len(names)


def guide(root, prefix, work, rebase):
    """The programs of docs/library.md: ```cpp NAME.cc, and ```output NAME ARGUMENTS with their output."""
    path = root / "docs/library.md"
    text = path.read_text(encoding="utf-8")
    flags = pkg_config(prefix, None, "--static")
    programs = re.findall(r"^```cpp (\w+)\.cc\n(.*?)^```", text, re.M | re.S)
    hold(len(programs) == 4, f"docs/library.md has {len(programs)} programs")
    for name, source in programs:
        (work / f"{name}.cc").write_text(source, encoding="utf-8")
        build(work / f"{name}.cc", work / name, flags)

    def again(block):
        command, printed = block.group(1), block.group(2)
        out = run(["bash", "-c", shlex.quote(str(work)) + "/" + command], cwd=root).stdout
        if not rebase:
            same(command, out, printed)
        return f"```output {command}\n{out}```"

    fresh = re.sub(r"^```output (.*?)\n(.*?)^```", again, text, flags=re.M | re.S)
    if rebase:
        path.write_text(fresh, encoding="utf-8")


def refusals(root, work):
    """The programs of the guide decide nothing if a file cannot be read, or if no policy is loaded."""
    policy, pod = "examples/policies/limits.yaml", "examples/manifests/privileged.yaml"
    none = "examples/manifests/namespaces.yaml"
    configurations = "examples/webhooks/configurations.yaml"
    review = (HERE / "reviews.txt").read_text(encoding="utf-8").split("\n")[0] + "\n"
    for program, files in (("decide", ["none.yaml", pod]), ("decide", ["tests", pod]), ("decide", [policy, "none.yaml"]),
                           ("decide", [none, pod]), ("webhook", [policy, "none.yaml"]), ("webhook", [none]), ("webhook", []),
                           ("chain", ["none.yaml", pod]), ("chain", [configurations, "none.yaml"]), ("chain", [none, pod])):
        done = run([work / program, *files], cwd=root, input=review)
        hold(done.returncode == 2 and "allowed" not in done.stdout and done.stdout.count("\n") == 1,
             f"{program} {' '.join(files)} ends with {done.returncode}:\n{done.stdout}")
    # What an exchange cannot read changes nothing.
    given = [work / "webhook", "examples/policies/replicas.yaml", none]
    for data in ("none.yaml", "tests", "tests/client/mistaken.yaml"):
        lines = run(given, cwd=root, input=review + f"exchange {data}\n" + review).stdout.splitlines()
        hold(lines.count("nothing is exchanged") == 1, f"{data} is exchanged")
        answered = [line for line in lines if line.startswith("{")]
        hold(len(answered) == 2 and answered[0] == answered[1] and '"allowed":false' in answered[0],
             f"the exchange of {data} changes the answer:\n" + "\n".join(lines))


def answers(root, prefix, work):
    """The webhook of the guide answers as the program does."""
    same_answers(root, prefix, work, "reviews", "examples/policies/replicas.yaml", "examples/manifests/namespaces.yaml")
    made = same_answers(root, prefix, work, "mutated", "tests/client/mutating.yaml", "tests/client/mutating_data.yaml")
    patched = [json.loads(line)["response"]["uid"] for line in made.splitlines() if '"patchType":"JSONPatch"' in line]
    # A policy denies the result of m-2. The API server itself would refuse that of m-9, by its definition; m-12 has none.
    same("patched", " ".join(patched), "m-1 m-3 m-5 m-6 m-8 m-9")
    refused = {r["uid"]: r["status"].get("code") for r in (json.loads(line)["response"] for line in made.splitlines())
               if not r["allowed"]}
    same("refused", json.dumps(refused), json.dumps({"m-2": 422, "m-7": 403, "m-10": 403, "m-11": 403, "m-12": 503}))


def same_answers(root, prefix, work, name, policies, data):
    """Compares the answers to the reviews of NAME.txt; returns those of the library."""
    reviews = [line for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").split("\n") if "request" in line]
    review = work / f"{name}.json"
    review.write_text("\n".join(reviews) + "\n", encoding="utf-8")
    ours = run([work / "webhook", policies, data], cwd=root, stdin=review.open()).stdout
    theirs = subprocess.run([prefix / "bin/portcullis", "review", "-o", "admissionreview", "-p", policies, "--params",
                             data, review], cwd=root, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL).stdout
    hold(len(theirs.split("\n")) == len(reviews) + 1, f"the program does not answer all reviews of {name}.txt")
    same(f"answers to the AdmissionReviews of {name}.txt", ours, theirs)
    return ours


def subproject(root, work, whole):
    """A project with Portcullis in subprojects/."""
    (work / "subprojects").mkdir(parents=True, exist_ok=True)
    link = work / "subprojects/portcullis"
    if not link.exists():
        link.symlink_to(root, target_is_directory=True)
    (work / "client.cc").write_text((HERE / "client.cc").read_text(encoding="utf-8"), encoding="utf-8")
    (work / "meson.build").write_text(
        "project('client', 'cpp', default_options: ['cpp_std=c++20', 'buildtype=plain'])\n"
        "executable('client', 'client.cc', dependencies: dependency('portcullis', fallback: 'portcullis'))\n",
        encoding="utf-8")
    made = work / "build"
    if not (made / "build.ninja").exists():
        done = run(["meson", "setup", made, work])
        if not hold(done.returncode == 0, f"the subproject is not set up:\n{done.stdout}"):
            return
    targets = run(["ninja", "-C", made, "-t", "targets", "all"]).stdout
    hold("unit_tests" not in targets and "cli_main" not in targets, "a subproject builds more than the library")
    done = run(["ninja", "-C", made, "client" if whole else "client.p/client.cc.o"])
    if hold(done.returncode == 0, f"the client of the subproject does not build:\n{done.stdout[-5000:]}") and whole:
        same("client of the subproject", run([made / "client"]).stdout,
             (HERE / "expected.txt").read_text(encoding="utf-8"))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if sys.argv[2] == "--subproject":
        subproject(root, pathlib.Path(sys.argv[3]).resolve(), True)
        print(f"{results[True]} passed, {results[False]} failed")
        sys.exit(1 if results[False] else 0)
    made, shared = (pathlib.Path(a).resolve() for a in sys.argv[2:4])
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        done = run(["meson", "install", "-C", made, "--no-rebuild", "--destdir", work / "staged dir"])
        if not hold(done.returncode == 0, done.stdout):
            sys.exit(1)
        prefix = next((work / "staged dir").rglob("include")).parent
        size = sum(p.stat().st_size for p in prefix.rglob("*") if p.is_file() and not p.is_symlink())
        print(f"installed: {size // 1024} kB")
        if is_stripped(made):
            hold(size <= MOST_BYTES, f"{size} bytes are installed")
        hold(run([prefix / "bin/portcullis", "version"]).returncode == 0, "the installed program does not run")
        headers(root, prefix)
        client(prefix, work, shared.parent)
        global_constants(prefix, work, shared.parent)
        failing_memory(prefix, work)
        others, count = names_of(shared)
        hold(not others and count > 0, f"the shared library shows {others[:5]} and more, {len(others)} in all")
        guide(root, prefix, work, "--rebase" in sys.argv)
        refusals(root, work)
        answers(root, prefix, work)
        subproject(root, work / "super", False)
    print(f"{results[True]} passed, {results[False]} failed")
    sys.exit(1 if results[False] else 0)


main()
