// Fuzzes YAML or JSON documents -> decode -> validate as the API server does -> load. Nothing may crash, and
// a policy that passes validation must load (an Engine refuses only what it cannot decode).
#include <cstdlib>
#include <string>

#include "admission/admission.h"
#include "admission/policies/validation.h"
#include "manifests/documents.h"

using namespace portcullis;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static JsonReader reader;
  static Arena arena;
  arena.reset();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<YamlDocument>> documents = read_documents(text, reader, arena);
  if (!documents.ok()) return 0;
  for (const YamlDocument& document : *documents) {
    const ObjectReport report = check_decoded(decode_object(arena, document.value), {});
    if (!report.known_kind || !report.input_error.empty()) continue;
    const Value* found =
        document.value.is(Kind::Map) ? find_key(document.value, Value::string("kind")) : nullptr;
    const std::string_view kind = found && found->is(Kind::String) ? found->as_text() : std::string_view();
    Cluster cluster;
    if (kind == "ValidatingAdmissionPolicy") cluster.policies = {document.value};
    if (kind == "ValidatingAdmissionPolicyBinding") cluster.bindings = {document.value};
    const bool loads = Engine::load(cluster).ok();
    if (!loads && report.decode_error.empty() && report.errors.empty()) abort();
  }
  return 0;
}
