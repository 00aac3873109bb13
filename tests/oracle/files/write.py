"""Writes worlds as files, in the many notations of YAML and JSON, and makes the command line that reads
them."""
import json


def block(value, indent=0):
    """Block YAML with all texts in double quotes, so that no text is read as another type."""
    pad, out = "  " * indent, []
    items = value.items() if isinstance(value, dict) else ((None, v) for v in value)
    for key, item in items:
        head = pad + (json.dumps(key, ensure_ascii=False) + ":" if key is not None else "-")
        if isinstance(item, (dict, list)) and item:
            nested = block(item, indent + 1)
            out += [head] + nested if key is not None else [pad + "- " + nested[0].lstrip()] + nested[1:]
        else:
            out.append(head + " " + json.dumps(item, ensure_ascii=False))
    return out


def as_text(doc):
    return "\n".join(block(doc)) + "\n" if isinstance(doc, dict) and doc else json.dumps(doc) + "\n"


def write_part(folder, name, docs, form, world):
    """The paths of the files of one part."""
    if form == "files":
        (folder / name).mkdir()
        for i, doc in enumerate(docs):
            (folder / name / ("%d.yaml" % i)).write_text(as_text(doc), encoding="utf-8")
        return [folder / name]
    path = folder / (name + (".json" if form == "json" else ".yaml"))
    if form == "json":
        text = json.dumps(docs[0] if len(docs) == 1 else {"apiVersion": "v1", "kind": "List", "items": docs})
    elif form == "list":
        text = as_text({"apiVersion": "v1", "kind": "List", "items": docs})
    elif form == "typed-list" and len({json.dumps([d.get("apiVersion"), d.get("kind")]) for d in docs}) == 1 and (
            docs[0].get("kind") and docs[0].get("apiVersion")):
        text = as_text({"apiVersion": docs[0]["apiVersion"], "kind": str(docs[0]["kind"]) + "List", "items": [
            {k: v for k, v in d.items() if k not in ("apiVersion", "kind")} for d in docs]})
    elif form == "flow":
        text = "---\n".join(json.dumps(d, ensure_ascii=False) + "\n" for d in docs)
    elif form == "stream":
        text = "# a comment\n---\n" + "...\n---\n".join(as_text(d) for d in docs) + "---\n---\n"
    elif form == "review":
        text = "---\n".join(as_text(world.reviews[i]) for i in range(len(docs)))
    elif form == "tabs":
        text = "---\n".join(json.dumps(d, indent="\t", ensure_ascii=False) + "\n" for d in docs)
    elif form == "empty":
        text = "---\n" + "---\n".join(as_text(d) for d in docs) + "---\n# nothing\n---\nnull\n"
    else:
        text = "---\n".join(as_text(d) for d in docs)
    data = {"bom": "\ufeff" + text, "utf-16-le": "\ufeff" + text, "utf-16-be": "\ufeff" + text,
            "crlf": text.replace("\n", "\r\n")}.get(form, text)
    encoding = form if form.startswith("utf-16") else "utf-8"
    path.write_bytes(data.encode(encoding))
    return [path]


def command_of(folder, world):
    out = []
    for name, option in (("policies", "-p"), ("params", "--params"), ("old", "--old"), ("manifests", None)):
        docs = world.parts()[name]
        if not docs and name != "policies":
            continue
        for path in write_part(folder, name, docs, world.forms.get(name, ""), world):
            out += [option, str(path)] if option else [str(path)]
    for flag, value in world.flags.items():
        out += [flag, value]
    if world.flags.get("--operation") == "UPDATE" or "--subresource" in world.flags:
        out += ["--old", "same"]  # as files/reading.py takes an object without a former state
    return out + (["--as-is"] if world.as_is else [])
