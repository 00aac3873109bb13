// Fuzzes JSON text -> value. The reader over simdjson and the exact reader must agree whether a text is JSON,
// and on its value. A written value must read back the same (except -0.0, which Go writes as -0 and reads as
// 0). A Document, which keeps duplicate keys, must accept what they accept, and fail with the same text.
#include <cstdlib>
#include <string>

#include "admission/objects/document.h"
#include "interpreter/values/equal.h"
#include "interpreter/values/json.h"

using namespace portcullis;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static JsonReader reader;
  static Arena arena;
  arena.reset();
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Value> fast = reader.read(text, arena);
  const Result<Value> exact = read_json(text, arena);
  if (fast.ok() != exact.ok()) abort();
  // A Document keeps the digits of numbers, so it accepts numbers that are too large as well.
  const Result<Document> document = read_document(text);
  if (document.ok() != (exact.ok() || is_large_number(exact.error()))) abort();
  if (!document.ok() && document.error().text != exact.error().text) abort();
  if (!exact.ok()) {
    if (exact.error().text.empty()) abort();
    return 0;
  }
  const std::string written = to_json(*fast);
  if (written != to_json(*exact)) abort();
  const Result<Value> again = reader.read(written, arena);
  if (!again.ok()) abort();
  if (to_json(*again) != written && !equal(*fast, *again, arena).is_true()) abort();
  return 0;
}
