// Fuzzes YAML documents -> policies, bindings, params, namespaces and an object (the last document) -> a
// decision. There must always be one. A refusal must give a reason, an admission must mention no refusal, and
// a second review must decide the same.
#include <cstdlib>
#include <string>

#include "admission/admission.h"
#include "manifests/documents.h"

using namespace portcullis;

static std::string_view text_of(const Value& object, std::string_view key) {
  const Value* found = object.is(Kind::Map) ? find_key(object, Value::string(key)) : nullptr;
  return found && found->is(Kind::String) ? found->as_text() : std::string_view();
}

static Cluster cluster_of(const std::vector<YamlDocument>& documents) {
  Cluster cluster;
  for (const YamlDocument& document : documents) {
    const std::string_view kind = text_of(document.value, "kind");
    if (kind == "ValidatingAdmissionPolicy")
      cluster.policies.push_back(document.value);
    else if (kind == "ValidatingAdmissionPolicyBinding")
      cluster.bindings.push_back(document.value);
    else if (kind == "Namespace")
      cluster.namespaces.push_back(document.value);
    else if (document.value.is(Kind::Map))
      cluster.params.push_back(document.value);
  }
  return cluster;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static JsonReader reader;
  static Arena arena;
  static ReviewContext context;
  arena.reset();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<YamlDocument>> documents = read_documents(text, reader, arena);
  if (!documents.ok() || documents->empty()) return 0;
  const Result<std::shared_ptr<const Engine>> engine = Engine::load(cluster_of(*documents));
  if (!engine.ok()) return 0;
  AdmissionRequest request;
  request.kind = {"", "v1", "Pod"};
  request.resource = {"", "v1", "pods"};
  request.name = "web-1";
  request.namespace_name = "prod";
  request.object = documents->back().value;
  Decision first, second;
  (*engine)->review(request, context, first);
  const bool refused = !first.status.message.empty() || !first.error.empty();
  if (first.allowed == refused) abort();
  const std::string message(first.status.message);
  (*engine)->review(request, context, second);
  if (first.allowed != second.allowed || message != second.status.message) abort();
  return 0;
}
