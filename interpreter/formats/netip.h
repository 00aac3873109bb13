// IP addresses and prefixes, with the grammar and error texts of Go's net/netip.
//
// Idea: both families share one 16-byte form. Parse errors have Go's words, because users see them.
// Limits: of a zone ("%eth0") only its presence is kept; CEL's libraries refuse addresses with a zone.
// Tested by interpreter/formats/netip_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "interpreter/values/builder.h"

namespace portcullis::netip {

struct Address {
  std::array<uint8_t, 16> bytes = {};  // an IPv4 address is in the last four
  bool v4 = false;
  bool zoned = false;  // the text had a zone

  bool operator==(const Address&) const = default;
  int bits() const { return v4 ? 32 : 128; }
  bool is_4in6() const;  // ::ffff:a.b.c.d, written as IPv6

  bool is_unspecified() const;
  bool is_loopback() const;
  bool is_multicast() const;
  bool is_link_local_multicast() const;
  bool is_link_local_unicast() const;
  bool is_global_unicast() const;

  // The address with all bits behind the first `length` set to zero.
  Address masked(int length) const;
};

struct Prefix {
  Address address;
  int length = 0;

  bool operator==(const Prefix&) const = default;
  Prefix masked() const { return {address.masked(length), length}; }
  bool contains(const Address& a) const;
  bool contains(const Prefix& p) const { return overlaps(p) && length <= p.length; }
  bool overlaps(const Prefix& p) const;
};

// netip.ParseAddr and ParsePrefix. Return false and set `error` to Go's text on failure ("ParseAddr(\"x\"):
// unable to parse IP").
bool parse_address(std::string_view text, Address& address, std::string& error);
bool parse_prefix(std::string_view text, Prefix& prefix, std::string& error);
// As CEL's libraries read addresses: those that `refusal` tells of are errors, too.
bool parse_cel_address(std::string_view text, Address& address, std::string& error);
// Why they refuse an address that could be parsed: it has a zone, or is an IPv4 address written as IPv6; else empty.
// `what`: "IP address" or "CIDR".
std::string refusal(const Address& address, std::string_view text, std::string_view what);

// Addr.String and Prefix.String: RFC 5952 ("2001:db8::1", "::ffff:1.2.3.4", "10.0.0.0/8").
void append(TextBuilder& out, const Address& address);
void append(TextBuilder& out, const Prefix& prefix);

}  // namespace portcullis::netip
