// The text of a result: whatever names and messages contain, no line but the first resembles one of ours.
#include "cli/reports/report.h"

#include <gtest/gtest.h>

#include <random>

#include "cli/messages/visible.h"

namespace portcullis {
namespace {

// Texts that try to look like a verdict, and bytes that a terminal obeys.
std::string hostile(std::mt19937& random) {
  static const std::string kPieces[] = {"\nadmitted  Pod a",
                                        "\rdenied ",
                                        "\x1b[2K",
                                        "\u0085refused  ",
                                        "\u202e",
                                        "\u2028warned ",
                                        "\xff",
                                        "\n\n",
                                        "a",
                                        "\n",
                                        "admitted",
                                        " ",
                                        "\x1b[1;31m",
                                        "\t"};
  std::string out;
  for (size_t i = random() % 6; i > 0; i--) out += kPieces[random() % std::size(kPieces)];
  return out;
}

TEST(Report, NoTextForgesALine) {
  std::mt19937 random(11);
  SourceFile file;
  file.text = std::string("a: 1\n");
  YamlDocument document{.size = file.text.view().size()};
  for (int round = 0; round < 5000; round++) {
    auto text = [&] { return hostile(random); };
    file.name = text();
    InputObject object{.file = &file, .document = &document};
    ReviewResult r;
    r.object = &object;
    r.kind = text(), r.name = text(), r.namespace_name = text();
    r.operation = "UPDATE";
    r.allowed = random() % 2 == 0;
    r.findings = {{.is_warning = false, .text = text(), .position = {}}};
    ReviewFailure f;
    f.policy = text(), f.binding = text(), f.param = text(), f.message = text(), f.policy_file = text();
    f.expression = text();
    f.denied = !r.allowed;
    std::string value = text();
    f.values = {
        ExplainedPart{.text = text(), .evaluated = true, .value = value_text(Value::string(value), 0)}};
    f.blame = random() % 2 == 0 ? -1 : 0;
    ExplainedExpression inner{.name = text(), .text = text(), .blame = f.blame, .values = f.values};
    f.variables = f.conditions = f.unused_message.variables = {inner};
    static_cast<ExplainedExpression&>(f.unused_message) = inner;
    f.unused_message.why = text();
    std::string source = text();
    f.source = source;
    f.position = {1, 1};
    r.failures = {f};
    r.not_applied = {{.policy = text(),
                      .binding = text(),
                      .param = text(),
                      .why = text(),
                      .file = text(),
                      .position = {1, 1},
                      .condition = inner}};
    if (random() % 2 == 0) {
      r.allowed = false;
      r.refusal = Refusal{&file, {1, 1}, text(), text(), {}};
    }
    std::string shown = result_text(r, paint(false));
    ASSERT_EQ(visible_lines(shown, false), shown);
    ASSERT_TRUE(shown.ends_with('\n'));
    for (size_t at = shown.find('\n'); at + 1 < shown.size(); at = shown.find('\n', at + 1))
      ASSERT_EQ(shown.substr(at + 1, 2), "  ") << shown;
  }
}

}  // namespace
}  // namespace portcullis
