// Fuzzes the answers of webhooks: the first byte chooses version and plugin, the rest is content type, a line
// break, and the body. An answer is either refused or has a Status to reject with; a patch never survives a
// validating webhook.
#include <cstdlib>
#include <string>

#include "chain/answer.h"

using namespace portcullis;
using namespace portcullis::chain;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Arena arena;
  arena.reset();
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t line = text.find('\n');
  HttpAnswer answer{data[0] & 4 ? 500 : 200, {{"Content-Type", text.substr(0, line)}}, {}};
  if (line != text.npos) answer.body = text.substr(line + 1);
  const Question question{"u", (data[0] & 1) != 0, (data[0] & 2) != 0};
  const Response response = read_answer(arena, answer, question);
  if (!response.error.empty()) {
    if (response.allowed || !response.patch.empty()) abort();
    return 0;
  }
  if (answer.code != 200 || (!question.mutating && !response.patch.empty())) abort();
  if (!response.allowed && !rejection(arena, "w", response).is(Kind::Map)) abort();
  if (!response.patch.empty()) (void)read_patch(response.patch);
  std::string texts = unsupported_patch_type(response.patch_type);  // all of them can be read
  for (std::string_view warning : response.warnings) texts += warning;
  for (const auto& [key, value] : response.audit_annotations) texts.append(key).append(value);
  return 0;
}
