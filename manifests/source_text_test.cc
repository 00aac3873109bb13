#include "manifests/source_text.h"

#include <gtest/gtest.h>

#include <string>

namespace portcullis {
namespace {

std::string objects(int count) {
  std::string out;
  for (int i = 0; i < count; i++)
    out += "kind: ConfigMap\nmetadata: {name: \"c" + std::to_string(i * 7919) +
           "\"}\ndata: {a: '\xc3\xbc'}\n---\n";
  return out;
}

TEST(SourceText, IsTheSameWhenItIsReadAgain) {
  const std::string zeros(1 << 17, '\0'), many = objects(3000);
  std::string noise;
  for (uint32_t i = 0, n = 1; i < (1 << 17); i++, n = n * 1664525 + 1013904223)
    noise += static_cast<char>(n >> 24);
  for (const std::string& text : {std::string(), std::string("a: 1"), zeros, zeros + "end", many, many + "{",
                                  noise, noise + many + noise}) {
    SourceText source(text);
    source.pack();
    const SourceText copy = source;
    EXPECT_TRUE(source.view() == text) << text.size();
    EXPECT_TRUE(copy.view() == text) << text.size();
    EXPECT_EQ(source.view().data(), source.view().data());
  }
}

TEST(SourceText, TakesLittleUntilItIsRead) {
  SourceText small(objects(10)), large(objects(3000));
  const size_t before = small.memory(), whole = large.memory();
  small.pack();
  large.pack();
  EXPECT_EQ(small.memory(), before);
  EXPECT_LT(large.memory(), whole / 4);
}

}  // namespace
}  // namespace portcullis
