#include "tests/corpus/request.h"

#include <algorithm>
#include <set>

#include "manifests/documents.h"
#include "tests/fields.h"

namespace portcullis::tests {
namespace {

// Kinds whose plural plural() does not form, and kinds of bodies, with their subresource.
const std::map<std::string, std::string, std::less<>> kIrregular = {
    {"Endpoints", "endpoints"},
    {"PodExecOptions", "pods/exec"},
    {"PodAttachOptions", "pods/attach"},
    {"PodPortForwardOptions", "pods/portforward"},
    {"Gateway", "gateways"},
};
const std::set<std::string, std::less<>> kClusterScoped = {
    "Namespace",
    "Node",
    "PersistentVolume",
    "ClusterRole",
    "ClusterRoleBinding",
    "StorageClass",
    "IngressClass",
    "PriorityClass",
    "RuntimeClass",
    "CustomResourceDefinition",
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "APIService",
    "CSIDriver",
    "GatewayClass",
    "ClusterPolicy",
    "CertificateSigningRequest",
    "VolumeSnapshotClass",
    "NodePool",
    "EC2NodeClass",
    "ClusterIssuer",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ControlPlane",
};

std::string plural(const std::string& kind) {
  if (auto it = kIrregular.find(kind); it != kIrregular.end()) return it->second;
  std::string lower = kind;
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  auto ends = [&](std::string_view end) { return lower.ends_with(end); };
  if (ends("y") && lower.size() > 1 &&
      std::string_view("aeiou").find(lower[lower.size() - 2]) == std::string_view::npos) {
    return lower.substr(0, lower.size() - 1) + "ies";
  }
  return ends("s") || ends("x") || ends("ch") || ends("sh") ? lower + "es" : lower + "s";
}

std::pair<std::string, std::string> group_version(const std::string& api_version) {
  size_t slash = api_version.rfind('/');
  if (slash == std::string::npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

Value metadata(const Value& object) {
  const Value* m = field(object, "metadata");
  return m == nullptr ? Value::null() : *m;
}

// `object` with metadata.namespace, which is set if absent.
Value with_namespace(const Value& object, std::string_view name, Arena& arena) {
  Value meta = metadata(object);
  if (field(meta, "namespace") != nullptr) return object;
  auto put = [&](const Value& map, std::string_view key, const Value& value) {
    auto old = map.is(Kind::Map) ? map.as_map() : std::span<const MapEntry>();
    MapEntry* entries = alloc_entries(arena, old.size() + 1);
    size_t n = 0;
    for (const MapEntry& entry : old) {
      if (!entry.key.is(Kind::String) || entry.key.as_text() != key) entries[n++] = entry;
    }
    entries[n++] = {Value::string(arena.copy(key)), value};
    return make_map(entries, n);
  };
  return put(object, "metadata", put(meta, "namespace", Value::string(arena.copy(name))));
}

std::string list_of(const std::vector<Value>& values, std::string_view kind = {}) {
  std::string out = "[";
  for (const Value& v : values) {
    if (!kind.empty() && text_field(v, "kind") != kind) continue;
    out += (out.size() > 1 ? "," : "") + to_json(v);
  }
  return out + "]";
}

}  // namespace

struct Corpus::Request {
  std::string operation, group, version, kind, resource_group, resource_version, resource, subresource, name,
      namespace_name;
  Value object, old_object, user;
  bool dry_run = false;

  std::string json() const {
    JsonWriterText w;
    w.text("operation", operation);
    w.out += ",\"kind\":{" + pair("group", group) + "," + pair("version", version) + "," +
             pair("kind", kind) + "}";
    w.out += ",\"resource\":{" + pair("group", resource_group) + "," + pair("version", resource_version) +
             "," + pair("resource", resource) + "}";
    w.text("subResource", subresource);
    w.text("name", name);
    w.text("namespace", namespace_name);
    w.out += ",\"object\":" + to_json(object) + ",\"oldObject\":" + to_json(old_object) +
             ",\"userInfo\":" + to_json(user) + ",\"dryRun\":" + (dry_run ? "true" : "false");
    return "{" + w.out + "}";
  }

 private:
  static std::string pair(std::string_view key, const std::string& value) {
    return "\"" + std::string(key) + "\":" + quote_json(value);
  }
  struct JsonWriterText {
    std::string out;
    void text(std::string_view key, const std::string& value) {
      out += (out.empty() ? "" : ",") + pair(key, value);
    }
  };
};

Result<std::unique_ptr<Corpus>> Corpus::open(const std::string& directory) {
  auto corpus = std::make_unique<Corpus>();
  corpus->directory_ = directory;
  std::string text;
  if (!read_file(directory + "/manifest.json", text))
    return Error{"cannot read " + directory + "/manifest.json"};
  Result<Value> manifest = read_json(text, corpus->arena_);
  if (!manifest.ok()) return Error{"manifest.json: " + manifest.error().text};
  if (!manifest->is(Kind::List)) return Error{"manifest.json is not a list"};
  corpus->manifest_ = *manifest;
  return corpus;
}

Result<std::vector<Value>> Corpus::documents(const std::string& file) {
  auto [it, fresh] = texts_.try_emplace(file);
  if (fresh && !read_file(directory_ + "/" + file, it->second)) return Error{"cannot read " + file};
  Result<std::vector<YamlDocument>> read = read_documents(it->second, json_, arena_);
  if (!read.ok()) return Error{file + ": " + read.error().text};
  std::vector<Value> values;
  for (const YamlDocument& document : *read) {
    if (!document.value.is_null()) values.push_back(document.value);
  }
  return values;
}

Result<std::vector<Value>> Corpus::load(std::string_view name, const Value& entry, const Value& test) {
  std::string file = text_field(test, name);
  if (file.empty() && field(test, name) == nullptr) file = text_field(entry, name);
  return file.empty() ? std::vector<Value>() : documents(file);
}

std::vector<std::string> Corpus::policies(const Value& entry) {
  std::vector<std::string> texts;
  Result<std::vector<Value>> read = load("policy", entry, Value::null());
  if (!read.ok()) return {"null"};
  for (const Value& v : *read) {
    if (text_field(v, "kind") == text_field(entry, "kind")) texts.push_back(to_json(v));
  }
  return texts;
}

Result<Corpus::Request> Corpus::request_of_review(const Value& review) {
  const Value* r = field(review, "request");
  if (r == nullptr) return Error{"a review without request"};
  auto value = [&](std::string_view name) {
    const Value* v = field(*r, name);
    return v == nullptr ? Value::null() : *v;
  };
  Request request;
  request.object = value("object");
  request.old_object = value("oldObject");
  const Value& some = request.object.is_null() ? request.old_object : request.object;
  request.kind = text_field(some, "kind");
  std::tie(request.group, request.version) = group_version(text_field(some, "apiVersion"));
  request.resource_group = request.group;
  request.resource_version = request.version;
  request.resource = plural(request.kind);
  auto take = [](const Value& from, std::string_view name, std::string& to) {
    if (std::string text = text_field(from, name); !text.empty()) to = text;
  };
  Value kind = value("kind"), resource = value("resource");
  take(kind, "group", request.group);
  take(kind, "version", request.version);
  take(kind, "kind", request.kind);
  take(resource, "group", request.resource_group);
  take(resource, "version", request.resource_version);
  take(resource, "resource", request.resource);
  request.operation = text_field(*r, "operation").empty() ? "CREATE" : text_field(*r, "operation");
  request.subresource = text_field(*r, "subResource");
  request.name = text_field(*r, "name");
  request.namespace_name = text_field(*r, "namespace");
  request.user = field(*r, "userInfo") == nullptr ? *read_json("{}", arena_) : value("userInfo");
  request.dry_run = flag(*r, "dryRun");
  return request;
}

Result<Corpus::Request> Corpus::request_of(const Value& test, Value object, Value old_object) {
  if (std::string file = text_field(test, "review"); !file.empty()) {
    Result<std::vector<Value>> reviews = documents(file);
    if (!reviews.ok()) return reviews.error();
    return reviews->empty() ? Result<Request>(Error{file + ": no document"})
                            : request_of_review((*reviews)[0]);
  }
  Value& some = object.is_null() ? old_object : object;
  Request request;
  request.kind = text_field(some, "kind");
  std::tie(request.group, request.version) = group_version(text_field(some, "apiVersion"));
  request.resource_group = request.group;
  request.resource_version = request.version;
  std::string resource = plural(request.kind);
  size_t slash = resource.find('/');
  request.resource = resource.substr(0, slash);
  if (slash != std::string::npos) request.subresource = resource.substr(slash + 1);
  request.name = text_field(metadata(some), "name");
  if (request.kind == "Namespace") {
    request.namespace_name = request.name;
  } else if (!kClusterScoped.contains(request.kind)) {
    request.namespace_name = text_field(metadata(some), "namespace");
    if (request.namespace_name.empty()) request.namespace_name = text_field(test, "requestNamespace");
    if (request.namespace_name.empty()) request.namespace_name = "default";
    some = with_namespace(some, request.namespace_name, arena_);
  }
  request.object = object;
  request.old_object = old_object;
  request.operation = text_field(test, "operation").empty() ? "CREATE" : text_field(test, "operation");
  request.user = *read_json(
      R"({"username":"kubernetes-admin","groups":["system:masters","system:authenticated"]})", arena_);
  return request;
}

Result<CorpusCase> Corpus::request(const Value& entry, const Value& test) {
  std::map<std::string_view, std::vector<Value>> files;
  for (std::string_view name : {"policy", "binding", "params", "namespaceObject", "oldObject", "file"}) {
    Result<std::vector<Value>> read = load(name, entry, name == "policy" ? Value::null() : test);
    if (!read.ok()) return read.error();
    files[name] = *read;
  }
  auto first = [](const std::vector<Value>& values) { return values.empty() ? Value::null() : values[0]; };
  Result<Request> request = request_of(test, first(files["file"]), first(files["oldObject"]));
  if (!request.ok()) return request.error();

  std::vector<Value> bindings = files["binding"], namespaces = files["namespaceObject"];
  bindings.insert(bindings.end(), files["policy"].begin(), files["policy"].end());
  const std::string& wanted = request->namespace_name;
  bool known = std::any_of(namespaces.begin(), namespaces.end(),
                           [&](const Value& n) { return text_field(metadata(n), "name") == wanted; });
  if (!wanted.empty() && !known) {
    std::string name = quote_json(wanted);
    namespaces.push_back(*read_json("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":" +
                                        name + ",\"labels\":{\"kubernetes.io/metadata.name\":" + name + "}}}",
                                    arena_));
  }
  bool namespaced = std::any_of(files["params"].begin(), files["params"].end(),
                                [](const Value& p) { return !text_field(metadata(p), "namespace").empty(); });
  std::string kind = text_field(entry, "kind");
  CorpusCase made;
  made.id = text_field(entry, "id") + "/" + text_field(test, "name");
  made.stated = &test;
  made.line = "{\"mode\":\"review\",\"id\":" + quote_json(made.id) +
              ",\"policies\":" + list_of(files["policy"], kind) +
              ",\"bindings\":" + list_of(bindings, kind + "Binding") +
              ",\"params\":" + list_of(files["params"]) + ",\"paramScope\":\"" +
              (namespaced ? "Namespaced" : "Cluster") + "\",\"namespaces\":" + list_of(namespaces) +
              ",\"request\":" + request->json() + "}";
  return made;
}

}  // namespace portcullis::tests
