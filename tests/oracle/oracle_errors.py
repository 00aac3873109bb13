"""Where the oracle is known to be wrong: a real kube-apiserver 1.37.1 answered otherwise, or its code says so. The comparing
programs set these cases aside and count them.
"""
import json

# A server has no schemas of these kinds where it looks for them (tests/admission/mutation/subresource_schema_test.yaml); the
# oracle, which has all schemas in one place, applies configurations to them.
WITHOUT_SCHEMA = (("autoscaling", "v1", "Scale"), ("policy", "v1", "Eviction"), ("authentication.k8s.io", "v1", "TokenRequest"))
# A server converts what mutations made of a custom resource back to its version, after all mutations (apiserver
# pkg/admission/plugin/policy/mutating/dispatcher.go, apiextensions-apiserver pkg/apiserver/conversion/converter.go); the oracle
# gives it the kind of the request, also where a policy runs again.
CONVERSION = ("is unstructured and is not suitable for converting to",
              "failed to convert object: request to convert CR from an invalid group/version",
              "failed to convert patch object to typed object: no corresponding type for example.com/")


def name_of(line, got):
    """The error that explains another answer `got` to the request of `line`; None if none does."""
    kind = json.loads(line)["request"].get("kind") or {}
    if "applyConfiguration" in line and (kind.get("group"), kind.get("version"), kind.get("kind")) in WITHOUT_SCHEMA:
        return "no schema"
    if any(text in got for text in CONVERSION) or kind_of(got) not in (None, kind.get("kind")):
        return "no conversion"
    return None


def kind_of(answer):
    """The kind of the patched object of an answer, or of the object that is all of it; None if there is none."""
    try:
        made = json.loads(answer)
    except ValueError:
        return None
    made = made.get("patchedObject", made) if isinstance(made, dict) else None
    return made.get("kind") if isinstance(made, dict) else None
