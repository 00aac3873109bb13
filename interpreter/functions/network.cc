// The network library: IP addresses and CIDR ranges. Source of behaviour: cel-go ext/network.go.
// Kubernetes has libraries with the same functions but other texts, costs and equality (admission/functions).
// Tested by tests/language/libraries.cel, tests/examples.cc.
#include "grammar/quote.h"
#include "interpreter/formats/netip.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

struct Ip : Opaque {
  netip::Address address;
};
struct Cidr : Opaque {
  netip::Prefix prefix;
};

template <class T>
std::string_view printed(const T& t, Arena& arena) {
  TextBuilder out(arena);
  netip::append(out, t);
  return out.view();
}

extern const OpaqueClass kIp;
extern const OpaqueClass kCidr;

// `other` if it is of the same class, else null.
template <class T>
const T* same_class(const Opaque& self, const Value& other) {
  bool same = other.is(Kind::Opaque) && other.as_opaque().cls == self.cls;
  return same ? static_cast<const T*>(&other.as_opaque()) : nullptr;
}

constinit const OpaqueClass kIp = {
    .type_name = "net.IP",
    .equal =
        [](const Opaque& self, const Value& other, Arena&) {
          const Ip* ip = same_class<Ip>(self, other);
          return Value::boolean(ip != nullptr && ip->address == static_cast<const Ip&>(self).address);
        },
    .print = [](const Opaque& self,
                Arena& arena) { return printed(static_cast<const Ip&>(self).address, arena); }};

constinit const OpaqueClass kCidr = {
    .type_name = "net.CIDR",
    .equal =
        [](const Opaque& self, const Value& other, Arena&) {
          const Cidr* cidr = same_class<Cidr>(self, other);
          return Value::boolean(cidr != nullptr && cidr->prefix == static_cast<const Cidr&>(self).prefix);
        },
    .print = [](const Opaque& self,
                Arena& arena) { return printed(static_cast<const Cidr&>(self).prefix, arena); }};

bool parse_cidr(std::string_view text, netip::Prefix& prefix, std::string& error) {
  std::string reason;
  if (!netip::parse_prefix(text, prefix, reason)) {
    error = "CIDR " + quote(text) + " parse error during conversion from string: " + reason;
  } else {
    error = netip::refusal(prefix.address, text, "CIDR");
  }
  return error.empty();
}

Value ip_value(CallContext& context, const netip::Address& address) {
  return Value::opaque(context.arena().make<Ip>(Opaque{&kIp}, address));
}
Value cidr_value(CallContext& context, const netip::Prefix& prefix) {
  return Value::opaque(context.arena().make<Cidr>(Opaque{&kCidr}, prefix));
}

// Returns `f` of the address or prefix in `text`, or the error.
template <class F>
Value with_ip(CallContext& context, std::string_view text, F f) {
  netip::Address address;
  std::string error;
  return netip::parse_cel_address(text, address, error) ? Value(f(address)) : context.error(error);
}
template <class F>
Value with_cidr(CallContext& context, std::string_view text, F f) {
  netip::Prefix prefix;
  std::string error;
  return parse_cidr(text, prefix, error) ? Value(f(prefix)) : context.error(error);
}

constexpr Function kRows[] = {
    row("string_to_cidr", "cidr(string) -> net.CIDR", wrap([](CallContext& c, std::string_view s) {
          return with_cidr(c, s, [&](const netip::Prefix& p) { return cidr_value(c, p); });
        }),
        "reads an address range", "string(cidr('192.168.0.0/24'))  // => '192.168.0.0/24'"),
    row("cidr_to_string", "string(net.CIDR) -> string",
        wrap([](CallContext& c, const Cidr& r) { return printed(r.prefix, c.arena()); }), "the range as text",
        "string(cidr('::1/128'))  // => '::1/128'"),
    row("cidr_contains_cidr", "net.CIDR.containsCIDR(net.CIDR) -> bool",
        wrap([](const Cidr& a, const Cidr& b) { return a.prefix.contains(b.prefix); }),
        "whether the range contains all of another range",
        "cidr('10.0.0.0/8').containsCIDR(cidr('10.1.0.0/16'))  // => true"),
    row("cidr_contains_cidr_string", "net.CIDR.containsCIDR(string) -> bool",
        wrap([](CallContext& c, const Cidr& a, std::string_view s) {
          return with_cidr(c, s,
                           [&](const netip::Prefix& p) { return Value::boolean(a.prefix.contains(p)); });
        }),
        "whether the range contains all of another range",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')  // => true"),
    row("cidr_contains_ip_ip", "net.CIDR.containsIP(net.IP) -> bool",
        wrap([](const Cidr& r, const Ip& i) { return r.prefix.contains(i.address); }),
        "whether the range contains an address", "cidr('10.0.0.0/8').containsIP(ip('10.0.0.1'))  // => true"),
    row("cidr_contains_ip_string", "net.CIDR.containsIP(string) -> bool",
        wrap([](CallContext& c, const Cidr& r, std::string_view s) {
          return with_ip(c, s, [&](const netip::Address& a) { return Value::boolean(r.prefix.contains(a)); });
        }),
        "whether the range contains an address", "cidr('10.0.0.0/8').containsIP('11.0.0.1')  // => false"),
    row("ip_family", "net.IP.family() -> int",
        wrap([](const Ip& i) { return int64_t{i.address.v4 ? 4 : 6}; }), "4 for IPv4, 6 for IPv6",
        "ip('::1').family()  // => 6"),
    row("string_to_ip", "ip(string) -> net.IP", wrap([](CallContext& c, std::string_view s) {
          return with_ip(c, s, [&](const netip::Address& a) { return ip_value(c, a); });
        }),
        "reads an address", "string(ip('2001:DB8::1'))  // => '2001:db8::1'"),
    row("cidr_ip", "net.CIDR.ip() -> net.IP",
        wrap([](CallContext& c, const Cidr& r) { return ip_value(c, r.prefix.address); }),
        "the address of a range", "cidr('192.168.1.5/24').ip() == ip('192.168.1.5')  // => true"),
    row("ip_to_string", "string(net.IP) -> string",
        wrap([](CallContext& c, const Ip& i) { return printed(i.address, c.arena()); }),
        "the address as text", "string(ip('127.0.0.1'))  // => '127.0.0.1'"),
    row("ip_is_canonical", "ip.isCanonical(string) -> bool", wrap([](CallContext& c, std::string_view s) {
          return with_ip(c, s,
                         [&](const netip::Address& a) { return Value::boolean(printed(a, c.arena()) == s); });
        }),
        "whether the address is written in the form of RFC 5952",
        "ip.isCanonical('2001:DB8::1')  // => false"),
    row("is_cidr", "isCIDR(string) -> bool", wrap([](std::string_view s) {
          netip::Prefix prefix;
          std::string error;
          return parse_cidr(s, prefix, error);
        }),
        "whether a text is an address range",
        "isCIDR('10.0.0.0/8')  // => true\nisCIDR('10.0.0.0')  // => false"),
    row("ip_is_global_unicast", "net.IP.isGlobalUnicast() -> bool",
        wrap([](const Ip& i) { return i.address.is_global_unicast(); }),
        "whether the address is a global unicast address", "ip('192.168.0.1').isGlobalUnicast()  // => true"),
    row("is_ip", "isIP(string) -> bool", wrap([](std::string_view s) {
          netip::Address address;
          std::string error;
          return netip::parse_cel_address(s, address, error);
        }),
        "whether a text is an address", "isIP('1.2.3.4')  // => true\nisIP('1.2.3')  // => false"),
    row("ip_is_link_local_multicast", "net.IP.isLinkLocalMulticast() -> bool",
        wrap([](const Ip& i) { return i.address.is_link_local_multicast(); }),
        "whether the address is a link-local multicast address",
        "ip('224.0.0.1').isLinkLocalMulticast()  // => true"),
    row("ip_is_link_local_unicast", "net.IP.isLinkLocalUnicast() -> bool",
        wrap([](const Ip& i) { return i.address.is_link_local_unicast(); }),
        "whether the address is a link-local unicast address",
        "ip('169.254.169.254').isLinkLocalUnicast()  // => true"),
    row("ip_is_loopback", "net.IP.isLoopback() -> bool",
        wrap([](const Ip& i) { return i.address.is_loopback(); }),
        "whether the address is a loopback address", "ip('127.0.0.1').isLoopback()  // => true"),
    row("cidr_is_mask", "net.CIDR.isMask() -> bool",
        wrap([](const Cidr& r) { return r.prefix.address == r.prefix.masked().address; }),
        "whether no bit behind the prefix is set",
        "cidr('192.168.1.0/24').isMask()  // => true\ncidr('192.168.1.5/24').isMask()  // => false"),
    row("ip_is_unspecified", "net.IP.isUnspecified() -> bool",
        wrap([](const Ip& i) { return i.address.is_unspecified(); }), "whether all bits of the address are 0",
        "ip('0.0.0.0').isUnspecified()  // => true"),
    row("cidr_masked", "net.CIDR.masked() -> net.CIDR",
        wrap([](CallContext& c, const Cidr& r) { return cidr_value(c, r.prefix.masked()); }),
        "the range with the bits behind the prefix set to zero",
        "cidr('192.168.1.5/24').masked() == cidr('192.168.1.0/24')  // => true"),
    row("cidr_prefix_length", "net.CIDR.prefixLength() -> int",
        wrap([](const Cidr& r) { return int64_t{r.prefix.length}; }), "the number of bits in the prefix",
        "cidr('192.168.1.0/24').prefixLength()  // => 24"),
};

bool is_ip_literal(const Literal& literal, std::string& detail) {
  const auto* text = std::get_if<std::string>(&literal);
  netip::Address address;
  return text == nullptr || netip::parse_cel_address(*text, address, detail);
}
bool is_cidr_literal(const Literal& literal, std::string& detail) {
  const auto* text = std::get_if<std::string>(&literal);
  netip::Prefix prefix;
  return text == nullptr || parse_cidr(*text, prefix, detail);
}

constexpr Validator kValidators[] = {
    {.name = "cel.validator.network.ip", .function = "ip", .valid = is_ip_literal},
    {.name = "cel.validator.network.cidr", .function = "cidr", .valid = is_cidr_literal},
};

}  // namespace

std::span<const Function> network() { return kRows; }
std::span<const Validator> network_validators() { return kValidators; }

}  // namespace portcullis::tables
