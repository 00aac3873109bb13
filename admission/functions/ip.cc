// Library kubernetes.net.ip: IP addresses. See interpreter/formats/netip.h for the grammar.
#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "interpreter/functions/call.h"

namespace portcullis::kubernetes {
namespace {

const netip::Address& address_of(const Opaque& o) { return static_cast<const IpValue&>(o).address; }

Value equal(const Opaque& self, const Value& other, Arena& arena) {
  const auto* right = as<IpValue>(other, kIpClass);
  return right ? Value::boolean(address_of(self) == right->address) : no_such_overload(arena);
}

std::string_view print(Arena& arena, const netip::Address& address) {
  TextBuilder out(arena);
  netip::append(out, address);
  return out.view();
}

Value make(Arena& arena, std::string_view text) {
  netip::Address address;
  std::string error;
  if (!netip::parse_cel_address(text, address, error)) return make_error(arena, error);
  return Value::opaque(arena.make<IpValue>(Opaque{&kIpClass}, address));
}

using Ip = const IpValue&;

constexpr Function kRows[] = {
    {.id = "string_to_ip",
     .signature = "ip(string) -> net.IP",
     .call = wrap([](CallContext& c, std::string_view s) { return make(c.arena(), s); }),
     .doc = "the IPv4 or IPv6 address in a string; error if it is none, has a zone or is an IPv4-mapped IPv6 "
            "address",
     .examples = "ip('::1').family()  // => 6"},
    {.id = "ip_family",
     .signature = "net.IP.family() -> int",
     .call = wrap([](Ip ip) { return int64_t{ip.address.v4 ? 4 : 6}; }),
     .doc = "4 for IPv4, 6 for IPv6",
     .examples = "ip('127.0.0.1').family()  // => 4"},
    {.id = "ip_is_canonical",
     .signature = "ip.isCanonical(string) -> bool",
     .call = wrap([](CallContext& c, std::string_view s) {
       netip::Address address;
       std::string error;
       return netip::parse_cel_address(s, address, error) ? Value::boolean(print(c.arena(), address) == s)
                                                          : c.error(error);
     }),
     .doc = "whether the string is the canonical form of its address; error if it is no address",
     .examples = "ip.isCanonical('2001:DB8::1')  // => false"},
    {.id = "ip_is_unspecified",
     .signature = "net.IP.isUnspecified() -> bool",
     .call = wrap([](Ip ip) { return ip.address.is_unspecified(); }),
     .doc = "whether the address is 0.0.0.0 or ::",
     .examples = "ip('0.0.0.0').isUnspecified()  // => true"},
    {.id = "ip_is_loopback",
     .signature = "net.IP.isLoopback() -> bool",
     .call = wrap([](Ip ip) { return ip.address.is_loopback(); }),
     .doc = "whether the address is in 127.0.0.0/8, or ::1",
     .examples = "ip('127.0.0.1').isLoopback()  // => true"},
    {.id = "ip_is_link_local_multicast",
     .signature = "net.IP.isLinkLocalMulticast() -> bool",
     .call = wrap([](Ip ip) { return ip.address.is_link_local_multicast(); }),
     .doc = "whether the address is in 224.0.0.0/24, or in ff02::/16 with any flags",
     .examples = "ip('224.0.0.1').isLinkLocalMulticast()  // => true"},
    {.id = "ip_is_link_local_unicast",
     .signature = "net.IP.isLinkLocalUnicast() -> bool",
     .call = wrap([](Ip ip) { return ip.address.is_link_local_unicast(); }),
     .doc = "whether the address is in 169.254.0.0/16 or fe80::/10",
     .examples = "ip('fe80::1').isLinkLocalUnicast()  // => true"},
    {.id = "ip_is_global_unicast",
     .signature = "net.IP.isGlobalUnicast() -> bool",
     .call = wrap([](Ip ip) { return ip.address.is_global_unicast(); }),
     .doc = "whether the address is none of the others and not the broadcast address; private addresses "
            "count as global",
     .examples = "ip('10.0.0.1').isGlobalUnicast()  // => true"},
    {.id = "is_ip",
     .signature = "isIP(string) -> bool",
     .call = wrap([](std::string_view s) {
       netip::Address address;
       std::string error;
       return netip::parse_cel_address(s, address, error);
     }),
     .doc = "whether ip() accepts the string",
     .examples = "isIP('::ffff:1.2.3.4')  // => false"},
    {.id = "ip_to_string",
     .signature = "string(net.IP) -> string",
     .call = wrap([](CallContext& c, Ip ip) { return print(c.arena(), ip.address); }),
     .doc = "the canonical form of the address",
     .examples = "string(ip('2001:DB8:0::1'))  // => '2001:db8::1'"},
};

constexpr std::string_view kTypes[] = {"net.IP"};

}  // namespace

const OpaqueClass kIpClass = {
    .type_name = "net.IP",
    .equal = equal,
    .print = [](const Opaque& self, Arena& arena) { return print(arena, address_of(self)); },
    .size = [](const Opaque& self) { return static_cast<uint64_t>(address_of(self).bits() / 8); },
    .go_type = "cel.IP"};
const Library kIp = {
    .name = "kubernetes.net.ip", .functions = kRows, .doc = "IP addresses of both families", .types = kTypes};

Value ip_value(Arena& arena, std::string_view text) { return make(arena, text); }

}  // namespace portcullis::kubernetes
