#!/usr/bin/env python3
"""Makes schemas.inc: OpenAPI schemas of those built-in kinds that are not among the Go structs of builtin/types.inc.

Usage: generate_schemas.py SCHEMAS_JSON TYPES_JSONL > schemas.inc

SCHEMAS_JSON: {"schemas": {name: schema}} of one release, TYPES_JSONL: its Go structs (see builtin/generate_types.py).
Most kinds are in both, and their types follow from the structs; what is left (CustomResourceDefinition, APIService and
such, which the API server's own scheme does not hold) is kept as OpenAPI, with only what types are made of.
"""
import json
import sys

KEPT = ("type", "format", "required", "$ref", "default", "x-kubernetes-int-or-string", "x-kubernetes-embedded-resource")


def kinds_of(schema):
    for gvk in schema.get("x-kubernetes-group-version-kind", ()):
        yield gvk


def spell(gvk):
    return (gvk["group"] + "/" if gvk["group"] else "") + gvk["version"] + " " + gvk["kind"]


def shrink(schema):
    """The parts of a schema that types are made of; a reference wrapped in allOf is unwrapped."""
    for part in schema.get("allOf", ()):
        if "$ref" in part:
            return {"$ref": part["$ref"]}
    out = {k: schema[k] for k in KEPT if k in schema}
    if "properties" in schema:
        out["properties"] = {k: shrink(v) for k, v in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            out[key] = shrink(schema[key])
    return out


def references(schema, out):
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            out.add(schema["$ref"].rsplit("/", 1)[-1])
        for v in schema.values():
            references(v, out)


def main():
    schemas = json.load(open(sys.argv[1], encoding="utf-8"))["schemas"]
    known = set()
    for line in open(sys.argv[2], encoding="utf-8"):
        known.update(json.loads(line).get("kinds", ()))
    known_versions = {k.rsplit(" ", 1)[0] for k in known}
    wanted, rows = {}, []
    for name, schema in schemas.items():
        # What every group has (DeleteOptions, WatchEvent) is among the structs.
        kinds = [g for g in kinds_of(schema) if spell(g).rsplit(" ", 1)[0] not in known_versions]
        if kinds and len(list(kinds_of(schema))) == 1:
            wanted[name] = shrink(schema)
            rows += [(g["group"], g["version"], g["kind"], name) for g in kinds]
    queue = list(wanted)
    while queue:
        found = set()
        references(wanted[queue.pop()], found)
        for name in sorted(found - wanted.keys()):
            wanted[name] = shrink(schemas[name])
            queue.append(name)
    text = json.dumps({"schemas": wanted}, sort_keys=True, separators=(",", ":")).replace("#/components/schemas/", "")
    print("// Made by generate_schemas.py; do not edit.")
    print("constexpr std::string_view kSchemas =")
    for i in range(0, len(text), 110):
        print('    R"(%s)"' % text[i:i + 110])
    print("    ;\n// group, version, kind, its schema")
    print("constexpr ExtraRow kExtra[] = {")
    for row in sorted(rows):
        print('    {"%s", "%s", "%s",\n     "%s"},' % row)
    print("};")


if __name__ == "__main__":
    main()
