// Library kubernetes.net.cidr: network prefixes. See interpreter/formats/netip.h for the grammar.
#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "interpreter/functions/call.h"

namespace portcullis::kubernetes {
namespace {

constexpr std::string_view kContext = "network address parse error during conversion from string: ";

const netip::Prefix& prefix_of(const Opaque& o) { return static_cast<const CidrValue&>(o).prefix; }

Value equal(const Opaque& self, const Value& other, Arena& arena) {
  const auto* right = as<CidrValue>(other, kCidrClass);
  return right ? Value::boolean(prefix_of(self) == right->prefix) : no_such_overload(arena);
}

std::string_view print(Arena& arena, const netip::Prefix& prefix) {
  TextBuilder out(arena);
  netip::append(out, prefix);
  return out.view();
}

// Parses the text; returns "" or the error of Kubernetes. A syntax error gets its prefix twice: here and from
// the caller.
std::string_view parse(Arena& arena, std::string_view text, netip::Prefix& out) {
  std::string error;
  if (!netip::parse_prefix(text, out, error)) return joined(arena, {kContext, kContext, error});
  error = netip::refusal(out.address, text, "CIDR");
  return error.empty() ? std::string_view() : joined(arena, {kContext, error});
}

Value from(Arena& arena, const netip::Prefix& prefix) {
  return Value::opaque(arena.make<CidrValue>(Opaque{&kCidrClass}, prefix));
}

Value make(Arena& arena, std::string_view text) {
  netip::Prefix prefix;
  std::string_view error = parse(arena, text, prefix);
  return error.empty() ? from(arena, prefix) : make_error(arena, error);
}

using Cidr = const CidrValue&;

constexpr Function kRows[] = {
    {.id = "string_to_cidr",
     .signature = "cidr(string) -> net.CIDR",
     .call = wrap([](CallContext& c, std::string_view s) { return make(c.arena(), s); }),
     .doc = "the prefix in a string; error if it is none; bits behind the prefix are kept",
     .examples = "cidr('192.168.0.1/24').prefixLength()  // => 24"},
    {.id = "cidr_contains_ip_string",
     .signature = "net.CIDR.containsIP(string) -> bool",
     .call = wrap([](CallContext& c, Cidr cidr, std::string_view s) {
       // Upstream checks whether the result of parsing is an address, so an invalid text is a wrong type.
       Value ip = ip_value(c.arena(), s);
       if (ip.is_error()) return c.no_such_overload();
       return Value::boolean(cidr.prefix.contains(as<IpValue>(ip, kIpClass)->address));
     }),
     .doc = "whether the prefix contains the address; false if their families differ",
     .examples = "cidr('192.168.0.0/24').containsIP('192.168.0.1')  // => true"},
    {.id = "cidr_contains_ip_ip",
     .signature = "net.CIDR.containsIP(net.IP) -> bool",
     .call = wrap([](Cidr cidr, const IpValue& ip) { return cidr.prefix.contains(ip.address); }),
     .doc = "whether the prefix contains the address; false if their families differ",
     .examples = "cidr('192.168.0.0/24').containsIP(ip('10.0.0.1'))  // => false"},
    {.id = "cidr_contains_cidr_string",
     .signature = "net.CIDR.containsCIDR(string) -> bool",
     .call = wrap([](CallContext& c, Cidr cidr, std::string_view s) {
       netip::Prefix inner;
       std::string_view error = parse(c.arena(), s, inner);
       return error.empty() ? Value::boolean(cidr.prefix.contains(inner)) : c.error(error);
     }),
     .doc = "whether the prefix contains all of the other one",
     .examples = "cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')  // => true"},
    {.id = "cidr_contains_cidr",
     .signature = "net.CIDR.containsCIDR(net.CIDR) -> bool",
     .call = wrap([](Cidr outer, Cidr inner) { return outer.prefix.contains(inner.prefix); }),
     .doc = "whether the prefix contains all of the other one",
     .examples = "cidr('192.168.0.0/16').containsCIDR(cidr('192.0.0.0/8'))  // => false"},
    {.id = "cidr_ip",
     .signature = "net.CIDR.ip() -> net.IP",
     .call = wrap([](CallContext& c, Cidr cidr) {
       return Value::opaque(c.arena().make<IpValue>(Opaque{&kIpClass}, cidr.prefix.address));
     }),
     .doc = "the address, with the bits behind the prefix",
     .examples = "cidr('192.168.0.1/24').ip() == ip('192.168.0.1')  // => true"},
    {.id = "cidr_prefix_length",
     .signature = "net.CIDR.prefixLength() -> int",
     .call = wrap([](Cidr cidr) { return int64_t{cidr.prefix.length}; }),
     .doc = "the number of bits in the prefix",
     .examples = "cidr('::1/128').prefixLength()  // => 128"},
    {.id = "cidr_masked",
     .signature = "net.CIDR.masked() -> net.CIDR",
     .call = wrap([](CallContext& c, Cidr cidr) { return from(c.arena(), cidr.prefix.masked()); }),
     .doc = "the prefix with all bits behind it set to zero",
     .examples = "cidr('192.168.0.1/24').masked() == cidr('192.168.0.0/24')  // => true"},
    {.id = "is_cidr",
     .signature = "isCIDR(string) -> bool",
     .call = wrap([](CallContext& c, std::string_view s) {
       netip::Prefix prefix;
       return parse(c.arena(), s, prefix).empty();
     }),
     .doc = "whether cidr() accepts the string",
     .examples = "isCIDR('192.168.0.0/024')  // => false"},
    {.id = "cidr_to_string",
     .signature = "string(net.CIDR) -> string",
     .call = wrap([](CallContext& c, Cidr cidr) { return print(c.arena(), cidr.prefix); }),
     .doc = "address and prefix length",
     .examples = "string(cidr('192.168.0.1/24'))  // => '192.168.0.1/24'"},
};

constexpr std::string_view kTypes[] = {"net.CIDR"};

}  // namespace

const OpaqueClass kCidrClass = {
    .type_name = "net.CIDR",
    .equal = equal,
    .print = [](const Opaque& self, Arena& arena) { return print(arena, prefix_of(self)); },
    .size = [](const Opaque& self) { return static_cast<uint64_t>((prefix_of(self).length + 7) / 8); },
    .go_type = "cel.CIDR"};
const Library kCidr = {.name = "kubernetes.net.cidr",
                       .functions = kRows,
                       .doc = "network prefixes of both families",
                       .types = kTypes};

Value cidr_value(Arena& arena, std::string_view text) { return make(arena, text); }

}  // namespace portcullis::kubernetes
