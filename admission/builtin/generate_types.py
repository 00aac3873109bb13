#!/usr/bin/env python3
"""Makes types.inc, the table of the Go structs of Kubernetes' built-in kinds, from the struct list of a
release.

Usage: generate_types.py TYPES_JSONL MORE_TYPES_JSONL GO_NAMES_TSV SCHEMAS_JSON RESOURCES_JSONL > types.inc

TYPES_JSONL: one line for each struct {type, kinds, fields: [{name, type, omitempty, omitzero, pointer,
inline}], custom}. MORE_TYPES_JSONL: the same for kinds of aggregated API servers (CustomResourceDefinition,
APIService), for those unknown to mode `decode` of the batch protocol, and for what autoscaling/v1 keeps in
annotations. GO_NAMES_TSV: Go type texts that cannot be derived from it (see there). Embedded structs are
flattened, as in Go's JSON decoder; a field keeps the name of its embedding, because error texts show it.
SCHEMAS_JSON: the OpenAPI schemas of the same release, {"schemas": {name: schema}}: how lists, maps and
structs are merged (x-kubernetes-list-type and the like), and of which kinds there is one. RESOURCES_JSONL: the
resources of the release, {group, version, kind: {group, version, kind}}: the API server has the schema of a kind in the
document of the group and version whose resources use it, and looks for it only in that of the kind (so Scale, which is
of autoscaling/v1, is in those of apps/v1 and v1).
"""
import json
import sys

SCALARS = {
    "string": "kText", "bool": "kBoolean", "int32": "kInt32", "int64": "kInt64", "bytes": "kBase64",
    "any": "kAny", "k8s.io/apimachinery/pkg/api/resource.Quantity": "kQuantity",
    "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1": "kRaw",
    "k8s.io/apimachinery/pkg/runtime.RawExtension": "kRaw",
    "k8s.io/apimachinery/pkg/apis/meta/v1.Time": "kTime",
    "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": "kMicroTime",
    "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "kIntOrString", "float64": "kDouble",
    "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "kJson",
}


CRD = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1."
for alternative in ("Bool", "Array", "StringArray"):
    SCALARS[CRD + "JSONSchemaPropsOr" + alternative] = "kSchemaOr"


def go_text(spelling):
    """The Go type text for a spelling of TYPES_JSONL."""
    if spelling.startswith("list("):
        return "[]" + go_text(spelling[5:-1])
    if spelling.startswith("map("):
        return "map[string]" + go_text(spelling[4:-1])
    return "[]uint8" if spelling == "bytes" else spelling.rsplit("/", 1)[-1]


def unwrap(spelling):
    """(shape, innermost spelling): list(T), map(T), map(list(T)) or T itself."""
    for prefix, shape in (("map(list(", "kMapOfLists"), ("list(", "kList"), ("map(", "kMap")):
        if spelling.startswith(prefix):
            return shape, spelling[len(prefix):].rstrip(")")
    return "kOne", spelling


def schema_of(schemas, node):
    """The schema that a reference names, or the node itself."""
    for ref in [node.get("$ref")] + [n.get("$ref") for n in node.get("allOf", ())]:
        if ref:
            return schemas[ref.rsplit("/", 1)[-1]]
    return node


def merging(schemas, struct, name, shape):
    """(flags, keys) of the field `name`: how it merges, if not by default (lists are atomic, maps and structs
    granular)."""
    schema = schemas.get("io." + struct.replace("/", "."), {}).get("properties", {}).get(name)
    if schema is None:
        return [], ""
    def is_atomic(node):
        kind = schema_of(schemas, node).get("x-kubernetes-map-type")
        return node.get("x-kubernetes-map-type", kind) == "atomic"
    if shape != "kList":
        return (["kAtomic"] if is_atomic(schema) else []), ""
    kind, item = schema.get("x-kubernetes-list-type", "atomic"), schema.get("items", {})
    flags = {"set": ["kSet"], "map": ["kKeyed"]}.get(kind, [])
    if is_atomic(item):
        flags.append("kAtomicItems")
    keys = []
    for key in schema.get("x-kubernetes-list-map-keys", ()) if kind == "map" else ():
        default = schema_of(schemas, item)["properties"][key].get("default")
        keys.append(key if default is None else key + "=" + json.dumps(default))
    return flags, ",".join(keys)


class Pool:
    """Distinct texts, by index."""

    def __init__(self):
        self.index, self.texts = {}, []

    def add(self, text):
        if text not in self.index:
            self.index[text] = len(self.texts)
            self.texts.append(text)
        return self.index[text]


def flatten(struct, structs, prefix=()):
    """(field, names of the embedded structs around it) in Go's order; a shallower field hides a deeper
    one."""
    own, deep = [], []
    for field in struct["fields"]:
        if field.get("inline"):
            name = field["type"].rsplit(".", 1)[-1]
            deep += flatten(structs[field["type"]], structs, prefix + (name,))
        else:
            own.append((field, prefix))
    names = {f["name"] for f, _ in own}
    return own + [(f, p) for f, p in deep if f["name"] not in names]


def spelt(kind):
    """A kind as a text, "apps/v1 Deployment"."""
    return "%s %s" % ("/".join(filter(None, (kind["group"], kind["version"]))), kind["kind"])


def main():
    structs = {}
    for more, path in enumerate(sys.argv[1:3]):
        for line in open(path, encoding="utf-8"):
            entry = json.loads(line)
            entry["more"] = more
            structs[entry["type"]] = entry
    go_names = {}
    for line in open(sys.argv[3], encoding="utf-8"):
        if not line.startswith("#"):
            struct, field, names = line.rstrip("\n").split("\t")
            go_names["k8s.io/" + struct, field] = names.split(" ")
    schemas = json.load(open(sys.argv[4], encoding="utf-8"))["schemas"]
    rows = [t for t in structs if not structs[t].get("custom")]
    number = {t: i for i, t in enumerate(rows)}
    pool = Pool()
    fields, types, kinds, merges = [], [], [], []
    for t in rows:
        first = len(fields)
        for field, prefix in flatten(structs[t], structs):
            owner = t
            for name in prefix:  # go_names.tsv is by the struct that declares the field
                owner = next(f["type"] for f in structs[owner]["fields"] if f.get("inline")
                             and f["type"].endswith("." + name))
            shape, inner = unwrap(field["type"])
            chain = [go_text(field["type"])]
            while len(chain) < 3 and chain[-1].startswith(("[]", "map[string]")) and chain[-1] != "[]uint8":
                chain.append(chain[-1].split("]", 1)[1])
            chain = go_names.get((owner, field["name"]), chain)
            flags = [c for c, k in (("kOmitEmpty", "omitempty"), ("kOmitZero", "omitzero"),
                                    ("kPointer", "pointer")) if field.get(k)]
            kind = SCALARS.get(inner)
            how, keys = merging(schemas, t.replace("k8s.io/", "k8s/", 1), field["name"], shape)
            if how:
                merges.append((len(fields), "|".join(how), keys.replace('"', '\\"')))
            fields.append("{%d,%s,%s,%d,%d,%d,%d,%s}" % (
                pool.add(field["name"]), shape, kind or "kStruct",
                number[CRD + "JSONSchemaProps"] if kind == "kSchemaOr" else number[inner] if not kind else 0,
                pool.add(chain[0]), pool.add(chain[-1]), pool.add(".".join(prefix)), "|".join(flags) or "0"))
        types.append("{%d,%d,%d,%d}" % (pool.add(t.replace("k8s.io/", "", 1)), pool.add(t.rsplit(".", 1)[-1]),
                                        first, len(fields) - first))
        for kind in structs[t].get("kinds", ()):
            kinds.append((kind, number[t], structs[t]["more"]))
    # Appended after all other texts.
    merges = ["{%d,%s,%d}" % (field, how, pool.add(keys)) for field, how, keys in merges]
    print("// Made by generate_types.py; do not edit.")
    print("constexpr std::string_view kTexts[] = {")
    for text in pool.texts:
        print('    "%s",' % text)
    print("};\n// name, shape, scalar, struct, Go type, Go type of what it holds, embedding, flags")
    print("constexpr FieldRow kFields[] = {")
    for i in range(0, len(fields), 4):
        print("    " + ",".join(fields[i:i + 4]) + ",")
    print("};\n// path, Go name, first field, number of fields")
    print("constexpr StructRow kStructs[] = {")
    for i in range(0, len(types), 6):
        print("    " + ",".join(types[i:i + 6]) + ",")
    print("};\n// field, how it is merged, keys of kKeyed")
    print("constexpr MergeRow kMerges[] = {")
    for i in range(0, len(merges), 6):
        print("    " + ",".join(merges[i:i + 6]) + ",")
    print("};\n// apiVersion and kind, struct, from MORE_TYPES_JSONL; sorted")
    print("constexpr KindRow kKinds[] = {")
    for kind, n, more in sorted(kinds):
        print('    {"%s",%d,%s},' % (kind, n, "true" if more else "false"))
    print("};\n// in the order of kKinds: does the document of its group and version have a schema of it?")
    print("constexpr bool kPublished[] = {")
    published = {spelt(k) for s in schemas.values() for k in s.get("x-kubernetes-group-version-kind", ())}
    resources = [json.loads(line) for line in open(sys.argv[5], encoding="utf-8")]
    own = {spelt(r["kind"]) for r in resources if spelt(r["kind"]) == spelt({**r, "kind": r["kind"]["kind"]})}
    published -= {spelt(r["kind"]) for r in resources} - own
    told = [str(kind in published).lower() for kind, _, _ in sorted(kinds)]
    for i in range(0, len(told), 16):
        print("    " + ",".join(told[i:i + 16]) + ",")
    print("};")


if __name__ == "__main__":
    main()
