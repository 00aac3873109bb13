"""Accidents of Go that Portcullis does not reproduce: the rows of docs/faithfulness.md, for the comparing programs.

Idea: `row(request, want, got)` names the row that explains a difference, judging by the two answers and the
expression. A difference that no row explains is a bug. The generators avoid such expressions; those that chance still
makes are set aside and counted.
Limits: error texts identify a row; if the error was absorbed, only the cost may show that there was one.
"""
import re

INDEX = re.compile(r"invalid qualifier type: [^\"'\\]*")
ADDRESS = re.compile(r"\{(\w+) 0x[0-9a-f]+ [0-9]+\}")  # how Go prints a named format, which holds a function
# How Go prints a part of a typed object, which holds pointers.
PLACE = re.compile(r"&\{\{0x[0-9a-f]+ 0x[0-9a-f]+ [0-9]+\} (?:map)?\[")
OUTER_NAME = re.compile(r"(?:^|[^\w)\]}\"'`.?])\.[A-Za-z_]")
OBJECT = re.compile(r"\bObject(\.\w+)*\s*\{")
LOOP = re.compile(r"\.(all|exists|exists_one|existsOne|map|filter|transform\w+|bind|sortBy|optMap|optFlatMap)\(")
STATIC_COST = re.compile(r'"(?:maxCost|messageExpressionMaxCost|estimate)":(?:"[0-9]+"|[0-9]+|\[[^]]*\])')
RUN_TIME_COST = re.compile(r'"(?:cost|remainingBudget)":"?[0-9]+"?')
# A map literal with a key that is no simple value.
NO_KEY = re.compile(r"[{,]\s*\??(?:dyn\()*(?:\[|\{|b['\"]|(?:ip|cidr|quantity|url|semver)\(|optional\.|format\."
                    r"|JSONPatch\b|Object\b)")
LONG_PRECISION = re.compile(r"%\.[0-9]{3,}[fe]")


def expressions(request):
    """All texts of a request that may be expressions, joined."""
    found = []

    def walk(v):
        if isinstance(v, str):
            found.append(v)
        elif isinstance(v, (list, dict)):
            for x in v.values() if isinstance(v, dict) else v:
                walk(x)
    walk(request)
    return "\n".join(found)


def row(request, want, got):
    """The name of the row of docs/faithfulness.md that explains the difference, or None."""
    if "internal error: " in want:
        return "panics"
    if "unsupported key type: " in got:
        return "keys"
    text = expressions(request)
    # The error of the key lost against another error; the parts that were not evaluated were not charged.
    if NO_KEY.search(text) and RUN_TIME_COST.sub("", want) == RUN_TIME_COST.sub("", got):
        return "keys"
    if INDEX.sub("", want) == INDEX.sub("", got):
        return "the type of an index"
    if "cannot read google.protobuf.Any" in got or "google.protobuf.Any{" in text:
        return "messages of protobuf"
    if LONG_PRECISION.search(text) and ("exceeds maximum allowed precision" in got or "NOVERB" in want
                                        or re.search(r"[0-9]{100}", got)):
        return "precision"
    if "JSONPatch" in text and "undefined field" in got:
        return "fields that a patch does not have"
    if OBJECT.search(text) and ("unsupported conversion to ref.Val" in want or "fail to convert field" in want
                                or "cannot get field" in want):
        return "parts of an Object"
    if OBJECT.search(text) and re.search(r"==|!=|\bin\b|indexOf|distinct|sets\.|includes", text):
        return "comparing Objects"
    if ADDRESS.sub(r"\1", want) == got or PLACE.search(want) or "%!s(" in want:
        return "addresses and dumps in texts"
    if OUTER_NAME.search(text) and LOOP.search(text):
        return "absolute names"
    if "timestamp" in text and "{" in text and re.search(r"[+-][0-9]{2}:[0-9]{2}", text) and ":" in text \
            and re.search(r"\{\s*(dyn\()?timestamp|transformMap", text):
        return "times as keys"
    made = request.get("object")
    if request.get("mode") == "decode" and isinstance(made, dict) and made.get("kind") == "Scale" \
            and made.get("apiVersion") in ("apps/v1beta1", "apps/v1beta2"):
        return "selectors in texts of old Scales"
    if request.get("mode") == "review" and request["request"].get("kind", {}).get("kind") == "Scale" \
            and "couldn't parse the selector string" in want:
        return "selectors in texts of old Scales"
    hinted = request.get("mode") == "crdrule" or request.get("sizeHints")
    if hinted and LOOP.search(text) and STATIC_COST.sub("", want) == STATIC_COST.sub("", got):
        return "paths in the static cost"
    return None
