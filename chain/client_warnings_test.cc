#include "chain/client_warnings.h"

#include <gtest/gtest.h>

namespace portcullis::chain {
namespace {

using Texts = std::vector<std::string>;

TEST(ClientWarnings, SendsEachTextOnceAndNothingUnsendable) {
  const ClientWarnings w = client_warnings(Texts{"a", "", "b\tc", "a", "\xc2\x85", "\xff", "\xc3\xa9"});
  EXPECT_EQ(w.sent, (Texts{"a", "\xc3\xa9"}));
  EXPECT_EQ(w.unsendable, (Texts{"", "b\tc", "\xc2\x85", "\xff"}));
  EXPECT_FALSE(w.cut);
}

TEST(ClientWarnings, CutsTextsThatAreTooLongTogether) {
  Texts long_ones;
  for (char c = 'a'; c < 'a' + 20; c++) long_ones.emplace_back(std::string(300, c));
  ClientWarnings w = client_warnings(long_ones);
  EXPECT_TRUE(w.cut);
  EXPECT_EQ(w.sent.size(), 16U);  // 16 * 256 = 4096
  EXPECT_EQ(w.sent[0], std::string(256, 'a'));
  EXPECT_EQ(w.beyond, 4U);
  // What is cut off does not count.
  w = client_warnings(Texts{std::string(300, 'a') + "\n", std::string(4097, 'b')});
  EXPECT_EQ(w.sent, (Texts{std::string(256, 'a'), std::string(256, 'b')}));
  EXPECT_TRUE(w.unsendable.empty());
}

// As measured: of 30 texts of 203 characters, 21 are sent.
TEST(ClientWarnings, SendsOneTextThatReachesTheBound) {
  Texts texts;
  for (char c = 'A'; c < 'A' + 30; c++) texts.emplace_back(std::string(203, c));
  EXPECT_EQ(client_warnings(texts).sent.size(), 21U);
  texts.resize(20);  // 4,060 characters
  EXPECT_FALSE(client_warnings(texts).cut);
}

}  // namespace
}  // namespace portcullis::chain
