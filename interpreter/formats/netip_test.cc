#include "interpreter/formats/netip.h"

#include <gtest/gtest.h>

#include <string>

namespace portcullis::netip {
namespace {

std::string address(std::string_view text) {
  Address a;
  std::string error;
  if (!parse_address(text, a, error)) return error;
  Arena arena;
  TextBuilder out(arena);
  append(out, a);
  return std::string(out.view());
}

std::string prefix(std::string_view text) {
  Prefix p;
  std::string error;
  if (!parse_prefix(text, p, error)) return error;
  Arena arena;
  TextBuilder out(arena);
  append(out, p.masked());
  return std::string(out.view());
}

TEST(Netip, PrintsTheCanonicalForm) {
  EXPECT_EQ(address("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(address("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(address("::"), "::");
  EXPECT_EQ(address("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(address("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7");
  EXPECT_EQ(address("::ffff:1.2.3.4"), "::ffff:1.2.3.4");
  EXPECT_EQ(address("64:ff9b::1.2.3.4"), "64:ff9b::102:304");
  EXPECT_EQ(address("1::"), "1::");
}

TEST(Netip, SaysWhatIsWrongAsGo) {
  EXPECT_EQ(address("x"), R"(ParseAddr("x"): unable to parse IP)");
  EXPECT_EQ(address("1.2.3.256"), R"(ParseAddr("1.2.3.256"): IPv4 field has value >255)");
  EXPECT_EQ(address("1.2.3."), R"(ParseAddr("1.2.3."): IPv4 field must have at least one digit (at "."))");
  EXPECT_EQ(address("1.2.03.4"), R"(ParseAddr("1.2.03.4"): IPv4 field has octet with leading zero)");
  EXPECT_EQ(address("1:2"), R"(ParseAddr("1:2"): address string too short)");
  EXPECT_EQ(address("1::2::3"), R"(ParseAddr("1::2::3"): multiple :: in address (at ":3"))");
  EXPECT_EQ(address("12345::"),
            R"(ParseAddr("12345::"): each group must have 4 or less digits (at "12345::"))");
  EXPECT_EQ(address("::1%"), R"(ParseAddr("::1%"): zone must be a non-empty string)");
  EXPECT_EQ(prefix("10.0.0.0"), R"(netip.ParsePrefix("10.0.0.0"): no '/')");
  EXPECT_EQ(prefix("10.0.0.0/33"), R"(netip.ParsePrefix("10.0.0.0/33"): prefix length out of range)");
  EXPECT_EQ(prefix("10.0.0.0/+8"), R"(netip.ParsePrefix("10.0.0.0/+8"): bad bits after slash: "+8")");
  EXPECT_EQ(prefix("x/8"), R"(netip.ParsePrefix("x/8"): ParseAddr("x"): unable to parse IP)");
}

TEST(Netip, MasksAndContains) {
  EXPECT_EQ(prefix("192.168.5.77/20"), "192.168.0.0/20");
  EXPECT_EQ(prefix("2001:db8:ffff::1/33"), "2001:db8:8000::/33");
  EXPECT_EQ(prefix("1.2.3.4/0"), "0.0.0.0/0");
  Prefix p, q;
  Address a;
  std::string e;
  ASSERT_TRUE(parse_prefix("10.0.0.0/8", p, e) && parse_prefix("10.1.0.0/16", q, e) &&
              parse_address("10.9.9.9", a, e));
  EXPECT_TRUE(p.contains(a));
  EXPECT_FALSE(q.contains(a));
  EXPECT_TRUE(q.overlaps(p));
  EXPECT_TRUE(a.is_global_unicast());
}

}  // namespace
}  // namespace portcullis::netip
