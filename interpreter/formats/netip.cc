#include "interpreter/formats/netip.h"

#include <algorithm>

#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "interpreter/formats/number.h"

namespace portcullis::netip {
namespace {

constexpr size_t kV4 = 12;  // index of the first byte of an IPv4 address

// A parse error: Go's words, and the rest of the text from the offending place on.
struct Failure {
  std::string_view what;
  std::string_view at;
};

// Reads four decimal fields into `fields`. netip.parseIPv4Fields defines the order of the checks.
bool parse_fields(std::string_view text, uint8_t* fields, Failure& failure) {
  unsigned value = 0, field = 0, digits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (is_digit(c)) {
      if (digits == 1 && value == 0) return failure = {"IPv4 field has octet with leading zero", {}}, false;
      value = value * 10 + static_cast<unsigned>(c - '0');
      ++digits;
      if (value > 255) return failure = {"IPv4 field has value >255", {}}, false;
    } else if (c == '.') {
      if (i == 0 || i == text.size() - 1 || text[i - 1] == '.') {
        return failure = {"IPv4 field must have at least one digit", text.substr(i)}, false;
      }
      if (field == 3) return failure = {"IPv4 address too long", {}}, false;
      fields[field++] = static_cast<uint8_t>(value);
      value = digits = 0;
    } else {
      return failure = {"unexpected character", text.substr(i)}, false;
    }
  }
  if (field < 3) return failure = {"IPv4 address too short", {}}, false;
  fields[3] = static_cast<uint8_t>(value);
  return true;
}

// Reads a group of hexadecimal digits; `length` is their number.
bool parse_group(std::string_view text, unsigned& value, size_t& length, Failure& failure) {
  value = 0;
  for (length = 0; length < text.size() && hex_value(text[length]) >= 0; ++length) {
    value = value << 4 | static_cast<unsigned>(hex_value(text[length]));
    if (length > 3) return failure = {"each group must have 4 or less digits", text}, false;
  }
  if (length == 0) return failure = {"each colon-separated field must have at least one digit", text}, false;
  return true;
}

// Reads the separator behind a group: ":", or "::", whose place goes to `ellipsis`.
bool parse_colon(std::string_view& text, int filled, int& ellipsis, Failure& failure) {
  if (text[0] != ':') return failure = {"unexpected character, want colon", text}, false;
  if (text.size() == 1) return failure = {"colon must be followed by more characters", text}, false;
  text.remove_prefix(1);
  if (text[0] != ':') return true;
  if (ellipsis >= 0) return failure = {"multiple :: in address", text}, false;
  ellipsis = filled;
  text.remove_prefix(1);
  return true;
}

// Reads the groups of an address without zone; `filled` is the number of bytes read.
bool parse_groups(std::string_view& text, uint8_t* bytes, int& filled, int& ellipsis, Failure& failure) {
  while (filled < 16) {
    unsigned value;
    size_t length;
    if (!parse_group(text, value, length, failure)) return false;
    if (length < text.size() && text[length] == '.') {
      if (ellipsis < 0 && filled != 12) {
        return failure = {"embedded IPv4 address must replace the final 2 fields of the address", text},
               false;
      }
      if (filled + 4 > 16) {
        return failure = {"too many hex fields to fit an embedded IPv4 at the end of the address", text},
               false;
      }
      if (!parse_fields(text, bytes + filled, failure)) return false;
      text = {};
      filled += 4;
      return true;
    }
    bytes[filled++] = static_cast<uint8_t>(value >> 8);
    bytes[filled++] = static_cast<uint8_t>(value);
    text.remove_prefix(length);
    if (text.empty()) return true;
    if (!parse_colon(text, filled, ellipsis, failure)) return false;
    if (text.empty()) return true;
  }
  return true;
}

bool parse_v6(std::string_view text, Address& address, Failure& failure) {
  if (size_t percent = text.find('%'); percent != text.npos) {
    if (percent + 1 == text.size()) return failure = {"zone must be a non-empty string", {}}, false;
    text = text.substr(0, percent);
    address.zoned = true;
  }
  int ellipsis = -1, filled = 0;
  if (text.substr(0, 2) == "::") {
    ellipsis = 0;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  uint8_t* bytes = address.bytes.data();
  if (!parse_groups(text, bytes, filled, ellipsis, failure)) return false;
  if (!text.empty()) return failure = {"trailing garbage after address", text}, false;
  if (filled == 16) {
    if (ellipsis >= 0) return failure = {"the :: must expand to at least one field of zeros", {}}, false;
    return true;
  }
  if (ellipsis < 0) return failure = {"address string too short", {}}, false;
  std::copy_backward(bytes + ellipsis, bytes + filled, bytes + 16);
  std::fill(bytes + ellipsis, bytes + ellipsis + 16 - filled, uint8_t{0});
  return true;
}

bool parse(std::string_view text, Address& address, Failure& failure) {
  size_t i = text.find_first_of(".:%");
  if (i == text.npos) return failure = {"unable to parse IP", {}}, false;
  if (text[i] == '%') return failure = {"missing IPv6 address", {}}, false;
  if (text[i] == ':') return parse_v6(text, address, failure);
  address.v4 = true;
  return parse_fields(text, address.bytes.data() + kV4, failure);
}

unsigned group(const Address& a, size_t i) { return unsigned{a.bytes[2 * i]} << 8 | a.bytes[2 * i + 1]; }

void append_v4(TextBuilder& out, const Address& a) {
  for (size_t i = kV4; i < 16; ++i) {
    if (i != kV4) out.append('.');
    append_uint(out, a.bytes[i]);
  }
}

// The IPv4 address of an IPv4-mapped address; any other address unchanged.
Address unmapped(Address a) {
  if (!a.is_4in6()) return a;
  Address v4;
  std::copy(a.bytes.begin() + kV4, a.bytes.end(), v4.bytes.begin() + kV4);
  v4.v4 = true;
  return v4;
}

bool all_zero(const Address& a, size_t from, size_t to) {
  return std::all_of(a.bytes.begin() + static_cast<long>(from), a.bytes.begin() + static_cast<long>(to),
                     [](uint8_t b) { return b == 0; });
}

}  // namespace

bool Address::is_4in6() const {
  return !v4 && all_zero(*this, 0, 10) && bytes[10] == 0xFF && bytes[11] == 0xFF;
}

bool Address::is_unspecified() const { return !zoned && all_zero(*this, 0, 16); }

bool Address::is_loopback() const {
  Address a = unmapped(*this);
  if (a.v4) return a.bytes[kV4] == 127;
  return all_zero(a, 0, 15) && a.bytes[15] == 1;
}

bool Address::is_multicast() const {
  Address a = unmapped(*this);
  return a.v4 ? (a.bytes[kV4] & 0xF0) == 0xE0 : a.bytes[0] == 0xFF;
}

bool Address::is_link_local_multicast() const {
  Address a = unmapped(*this);
  if (a.v4) return a.bytes[kV4] == 224 && a.bytes[kV4 + 1] == 0 && a.bytes[kV4 + 2] == 0;
  return (group(a, 0) & 0xFF0F) == 0xFF02;
}

bool Address::is_link_local_unicast() const {
  Address a = unmapped(*this);
  return a.v4 ? a.bytes[kV4] == 169 && a.bytes[kV4 + 1] == 254 : (group(a, 0) & 0xFFC0) == 0xFE80;
}

bool Address::is_global_unicast() const {
  Address a = unmapped(*this);
  bool broadcast =
      a.v4 && std::all_of(a.bytes.begin() + kV4, a.bytes.end(), [](uint8_t b) { return b == 255; });
  return !broadcast && !a.is_unspecified() && !a.is_loopback() && !a.is_multicast() &&
         !a.is_link_local_unicast();
}

Address Address::masked(int length) const {
  Address a = *this;
  a.zoned = false;
  int first = v4 ? length + static_cast<int>(kV4) * 8 : length;
  for (int bit = first; bit < 128;) {
    size_t i = static_cast<size_t>(bit / 8);
    a.bytes[i] = static_cast<uint8_t>(a.bytes[i] & ~(0xFF >> bit % 8));
    bit = (bit / 8 + 1) * 8;
  }
  return a;
}

bool Prefix::contains(const Address& a) const {
  return !a.zoned && a.v4 == address.v4 && address.masked(length) == a.masked(length);
}

bool Prefix::overlaps(const Prefix& p) const {
  int shorter = std::min(length, p.length);
  return address.v4 == p.address.v4 && address.masked(shorter) == p.address.masked(shorter);
}

bool parse_address(std::string_view text, Address& address, std::string& error) {
  Failure failure;
  address = {};
  if (parse(text, address, failure)) return true;
  error = "ParseAddr(" + quote(text) + "): ";
  error += failure.what;
  if (!failure.at.empty()) error += " (at " + quote(failure.at) + ")";
  return false;
}

bool parse_prefix(std::string_view text, Prefix& prefix, std::string& error) {
  auto fail = [&](std::string what) {
    error = "netip.ParsePrefix(" + quote(text) + "): " + what;
    return false;
  };
  size_t slash = text.rfind('/');
  if (slash == text.npos) return fail("no '/'");
  std::string inner;
  if (!parse_address(text.substr(0, slash), prefix.address, inner)) return fail(std::move(inner));
  if (prefix.address.zoned) return fail("IPv6 zones cannot be present in a prefix");
  std::string_view bits = text.substr(slash + 1);
  ReadValue<int64_t> length = read_int(bits);
  if (!length || (bits.size() > 1 && (bits[0] < '1' || bits[0] > '9'))) {
    return fail("bad bits after slash: " + quote(bits));
  }
  if (length.value < 0 || length.value > prefix.address.bits()) return fail("prefix length out of range");
  prefix.length = static_cast<int>(length.value);
  return true;
}

void append(TextBuilder& out, const Address& a) {
  if (a.v4) return append_v4(out, a);
  if (a.is_4in6()) {
    out.append("::ffff:");
    return append_v4(out, a);
  }
  // The first of the longest runs of at least two zero groups becomes "::".
  size_t start = 8, length = 1;
  for (size_t i = 0; i < 8; ++i) {
    size_t j = i;
    while (j < 8 && group(a, j) == 0) ++j;
    if (j - i > length) start = i, length = j - i;
  }
  for (size_t i = 0; i < 8; ++i) {
    if (i == start) {
      out.append("::");
      i += length;
      if (i >= 8) break;
    } else if (i > 0) {
      out.append(':');
    }
    append_uint(out, group(a, i), 16);
  }
}

std::string refusal(const Address& address, std::string_view text, std::string_view what) {
  if (address.zoned) return std::string(what) + " " + quote(text) + " with zone value is not allowed";
  if (address.is_4in6()) return "IPv4-mapped IPv6 address " + quote(text) + " is not allowed";
  return {};
}

bool parse_cel_address(std::string_view text, Address& address, std::string& error) {
  std::string reason;
  error = parse_address(text, address, reason)
              ? refusal(address, text, "IP address")
              : "IP Address " + quote(text) + " parse error during conversion from string: " + reason;
  return error.empty();
}

void append(TextBuilder& out, const Prefix& prefix) {
  append(out, prefix.address);
  out.append('/');
  append_uint(out, static_cast<uint64_t>(prefix.length));
}

}  // namespace portcullis::netip
