// Fuzzes names, messages and values -> the text of a result: the first line must begin with the verdict, all
// others must be indented, and no line may hide anything.
#include <cstdlib>
#include <string>

#include "cli/messages/visible.h"
#include "cli/reports/report.h"

using namespace portcullis;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  auto next = [&] {  // the text up to the next `|`
    const std::string_view part = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return std::string(part);
  };
  SourceFile file{next(), next(), {}};
  const YamlDocument document{.size = file.text.view().size()};
  const InputObject object{.file = &file, .document = &document, .path = {}, .value = {}};
  ReviewResult r;
  r.object = &object;
  r.allowed = false;
  r.kind = next(), r.name = next(), r.namespace_name = next();
  r.findings = {{.is_warning = size % 2 == 0,
                 .text = next(),
                 .position = {static_cast<int>(size % 5), 1},
                 .hint = next()}};
  ReviewFailure f;
  f.policy = next(), f.binding = next(), f.param = next(), f.message = next(), f.expression = next();
  f.blame = static_cast<int>(size % 9) - 1;
  r.failures = {f};
  if (size % 2 == 1) r.refusal = Refusal{&file, {static_cast<int>(size % 7), 1}, next(), next(), {}};
  const std::string shown = result_text(r, paint(false));
  if (visible_lines(shown, false) != shown) abort();
  for (size_t at = shown.find('\n'); at + 1 < shown.size(); at = shown.find('\n', at + 1))
    if (!shown.substr(at + 1).starts_with("  ")) abort();
  if (!shown.starts_with(r.refusal ? "refused " : "denied ")) abort();
  return 0;
}
