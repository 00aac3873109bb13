// See scalar.h. The order of attempts, the prefixes and the texts are those of goyaml v2 (resolve.go).
#include "manifests/scalar.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <variant>

#include "grammar/ascii.h"
#include "grammar/literal.h"
#include "grammar/utf8.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kPrefix = "tag:yaml.org,2002:";

// The value of a scalar in goyaml, before its conversion to JSON.
struct Timestamp {};
struct Text {};
using Resolved = std::variant<std::monostate /*null*/, bool, int64_t, uint64_t, double, Timestamp, Text>;

struct Word {
  std::string_view text;
  Resolved value;
};
constexpr Word kWords[] = {
    {"y", true},
    {"Y", true},
    {"yes", true},
    {"Yes", true},
    {"YES", true},
    {"true", true},
    {"True", true},
    {"TRUE", true},
    {"on", true},
    {"On", true},
    {"ON", true},
    {"n", false},
    {"N", false},
    {"no", false},
    {"No", false},
    {"NO", false},
    {"false", false},
    {"False", false},
    {"FALSE", false},
    {"off", false},
    {"Off", false},
    {"OFF", false},
    {"", {}},
    {"~", {}},
    {"null", {}},
    {"Null", {}},
    {"NULL", {}},
    {".nan", NAN},
    {".NaN", NAN},
    {".NAN", NAN},
    {".inf", INFINITY},
    {".Inf", INFINITY},
    {".INF", INFINITY},
    {"+.inf", INFINITY},
    {"+.Inf", INFINITY},
    {"+.INF", INFINITY},
    {"-.inf", -INFINITY},
    {"-.Inf", -INFINITY},
    {"-.INF", -INFINITY},
};

// Go's ParseInt and ParseUint with base 0: optional sign, then 0x, 0o, 0b, 0 (octal) or decimal.
std::optional<Resolved> parse_integer(std::string_view s) {
  bool negative = !s.empty() && s[0] == '-';
  bool sign = negative || (!s.empty() && s[0] == '+');
  if (sign) s.remove_prefix(1);
  int base = 10;
  if (s.size() > 1 && s[0] == '0') {
    char p = s[1] | 0x20;
    base = p == 'x' ? 16 : p == 'b' ? 2 : 8;
    s.remove_prefix(p == 'x' || p == 'b' || p == 'o' ? 2 : 1);
  }
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), magnitude, base);
  if (error != std::errc() || end != s.data() + s.size() || s.empty()) return {};
  constexpr uint64_t kTop = uint64_t{1} << 63;
  if (negative)
    return magnitude <= kTop ? std::optional<Resolved>(static_cast<int64_t>(0 - magnitude)) : std::nullopt;
  if (magnitude < kTop) return static_cast<int64_t>(magnitude);
  return sign ? std::nullopt : std::optional<Resolved>(magnitude);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view s) {
  size_t i = 0;
  auto digits = [&] {
    size_t start = i;
    while (i < s.size() && is_digit(s[i])) i++;
    return i > start;
  };
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) i++;
  bool whole = digits();
  if (i < s.size() && s[i] == '.') {
    i++;
    if (!digits() && !whole) return false;
  } else if (!whole) {
    return false;
  }
  if (i < s.size() && (s[i] | 0x20) == 'e') {
    i++;
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) i++;
    if (!digits()) return false;
  }
  return i == s.size();
}

std::optional<Resolved> parse_float(std::string_view s) {
  if (!looks_like_float(s)) return {};
  const bool negative = s[0] == '-';
  if (const auto d = parse_double(s.substr(negative || s[0] == '+'), negative)) return *d;
  return {};  // out of range: it stays a string in goyaml
}

// The formats of goyaml: 2006-1-2, with T or t, time and zone, or with a space and time.
bool is_timestamp(std::string_view s) {
  auto number = [&](size_t least, size_t most) {
    size_t n = 0;
    while (n < s.size() && n < most && is_digit(s[n])) n++;
    if (n < least) return false;
    s.remove_prefix(n);
    return true;
  };
  auto skip = [&](std::string_view any) {
    if (s.empty() || any.find(s[0]) == s.npos) return false;
    s.remove_prefix(1);
    return true;
  };
  if (!number(4, 4) || !skip("-") || !number(1, 2) || !skip("-") || !number(1, 2)) return false;
  if (s.empty()) return true;
  bool zone = s[0] != ' ';
  if (!skip("Tt ") || !number(1, 2) || !skip(":") || !number(1, 2) || !skip(":") || !number(1, 2))
    return false;
  if (skip(".") && !number(1, 9)) return false;
  if (!zone) return s.empty();
  if (s == "Z") return true;
  return skip("+-") && number(2, 2) && skip(":") && number(2, 2) && s.empty();
}

// Whether the text may be anything but a string, by its first character (goyaml's hint table).
bool may_be_special(std::string_view s) {
  return s.empty() || std::string_view("+-0123456789yYnNtTfFoO~.").find(s[0]) != std::string_view::npos;
}

Resolved resolve_plain(std::string_view s, std::string_view tag) {
  if (!may_be_special(s)) return Text{};
  for (const Word& w : kWords) {
    if (w.text == s) return w.value;
  }
  if (!s.empty() && s[0] == '.') return parse_float(s).value_or(Text{});
  if (s.empty() || (!is_digit(s[0]) && s[0] != '+' && s[0] != '-')) return Text{};
  if ((tag.empty() || tag == "timestamp") && is_timestamp(s)) return Timestamp{};
  std::string digits;
  for (char c : s) {
    if (c != '_') digits += c;
  }
  if (auto integer = parse_integer(digits)) return *integer;
  return parse_float(digits).value_or(Text{});
}

std::string_view tag_name(const Resolved& r) {
  static constexpr std::string_view kNames[] = {"null", "bool", "int", "int", "float", "timestamp", "str"};
  return kNames[r.index()];
}

Result<Value> decode_base64(std::string_view text, Arena& arena) {
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  size_t padding = 0, digits = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r') continue;
    int value = is_upper(c)   ? c - 'A'
                : is_lower(c) ? c - 'a' + 26
                : is_digit(c) ? c - '0' + 52
                : c == '+'    ? 62
                : c == '/'    ? 63
                              : -1;
    padding += c == '=';
    if ((value < 0 && c != '=') || (value >= 0 && padding > 0)) padding = 9;
    digits++;
    if (value < 0) continue;
    bits = bits << 6 | static_cast<uint32_t>(value);
    have += 6;
    if (have >= 8) out += static_cast<char>(bits >> (have -= 8) & 0xff);
  }
  if (digits % 4 != 0 || padding > 2) return Error{"!!binary value contains invalid base64 data"};
  return Value::string(
      arena.copy(utf8::repair(out)));  // upstream converts it to JSON, which has no invalid UTF-8
}

// The short name of a tag of the standard set ("int"), or empty.
std::string_view short_name(std::string_view tag) {
  return tag.starts_with(kPrefix) ? tag.substr(kPrefix.size()) : std::string_view();
}

bool resolvable(std::string_view name) {
  for (std::string_view known : {"str", "bool", "int", "float", "null", "timestamp"}) {
    if (name == known) return true;
  }
  return false;
}

Result<Resolved> resolve(std::string_view text, std::string_view tag, bool plain) {
  if (tag.empty() && !plain) return Resolved(Text{});
  std::string_view name = short_name(tag);
  if (!tag.empty() && !resolvable(name)) return Resolved(Text{});
  if (name == "str") return Resolved(Text{});
  Resolved r = resolve_plain(text, name);
  if (tag.empty() || tag_name(r) == name) return r;
  if (name == "float" && std::holds_alternative<int64_t>(r)) {
    return Resolved(static_cast<double>(std::get<int64_t>(r)));
  }
  return Error{"cannot decode !!" + std::string(tag_name(r)) + " `" + std::string(text) + "` as a !!" +
               std::string(name)};
}

// A double key as sigs.k8s.io/yaml prints it: Go's %g of a float32.
std::string float_key(double d) {
  if (std::isnan(d)) return ".nan";
  auto f = static_cast<float>(d);
  if (std::isinf(f)) return f < 0 ? "-.inf" : ".inf";
  char buffer[64];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, f, std::chars_format::scientific).ptr;
  const std::string_view scientific(buffer, static_cast<size_t>(end - buffer));
  int exponent = 0;
  const char* const power = buffer + scientific.find('e') + 1;
  std::from_chars(power + (*power == '+'), end, exponent);
  // Go's %g without a precision turns to an exponent outside -4..5.
  if (exponent < -4 || exponent >= 6) return std::string(scientific);
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, f, std::chars_format::fixed).ptr);
}

}  // namespace

Value from_double(double d) {
  std::string json = to_json(Value::real(d));
  int64_t integer = 0;
  auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), integer);
  if (error == std::errc() && end == json.data() + json.size()) return Value::integer(integer);
  return Value::real(d);
}

Result<Value> resolve_scalar(std::string_view text, std::string_view tag, bool plain, Arena& arena) {
  if (short_name(tag) == "binary") return decode_base64(text, arena);
  auto resolved = resolve(text, tag, plain);
  if (!resolved.ok()) return resolved.error();
  const Resolved& r = *resolved;
  if (std::holds_alternative<std::monostate>(r)) return Value::null();
  if (const bool* b = std::get_if<bool>(&r)) return Value::boolean(*b);
  if (const int64_t* i = std::get_if<int64_t>(&r)) return Value::integer(*i);
  if (const uint64_t* u = std::get_if<uint64_t>(&r)) return Value::real(static_cast<double>(*u));
  if (const double* d = std::get_if<double>(&r)) {
    if (std::isfinite(*d)) return from_double(*d);
    return Error{std::string("json: unsupported value: ") + (std::isnan(*d) ? "NaN"
                                                             : *d < 0       ? "-Inf"
                                                                            : "+Inf")};
  }
  return Value::string(arena.copy(text));
}

Result<Value> resolve_key(std::string_view text, std::string_view tag, bool plain, Arena& arena) {
  if (short_name(tag) == "binary") return decode_base64(text, arena);
  auto resolved = resolve(text, tag, plain);
  if (!resolved.ok()) return resolved.error();
  const Resolved& r = *resolved;
  if (std::holds_alternative<std::monostate>(r)) return Error{"unsupported map key of type: %!s(<nil>)"};
  if (std::holds_alternative<uint64_t>(r)) return Error{"unsupported map key of type: uint64"};
  if (const bool* b = std::get_if<bool>(&r)) return Value::string(*b ? "true" : "false");
  if (const int64_t* i = std::get_if<int64_t>(&r)) return Value::string(arena.copy(std::to_string(*i)));
  if (const double* d = std::get_if<double>(&r)) return Value::string(arena.copy(float_key(*d)));
  return Value::string(arena.copy(text));
}

}  // namespace portcullis
