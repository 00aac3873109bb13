// Fuzzes a YAML stream -> documents: every error must have a place, and a written value must read back the
// same.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "manifests/documents.h"
#include "manifests/yaml.h"

using namespace portcullis;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static JsonReader reader;
  static Arena arena;
  arena.reset();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<YamlDocument>> documents = read_documents(text, reader, arena);
  if (!documents.ok()) {
    if (documents.error().text.empty() || documents.error().position.line < 1) abort();
    return 0;
  }
  for (const YamlDocument& document : *documents) {
    const Position at = locate(text, document, "metadata.labels[app]");
    const auto lines =
        std::ranges::count_if(document.in(text), [](char c) { return c == '\n' || c == '\r'; });
    if (at.line < document.line || at.line > document.line + lines + 1) abort();
    const Result<Value> again = read_yaml(to_yaml(document.value), arena);
    if (!again.ok() || to_json(*again) != to_json(document.value)) abort();
  }
  return 0;
}
