// Url: see url.h. The table in must_escape says which characters a part may hold unescaped. The parser reads
// the text once.
#include "admission/scalars/url.h"

#include <algorithm>

#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "interpreter/formats/netip.h"

namespace portcullis {
namespace url {
namespace {

enum class UrlPart { Path, Host, Zone, User, Query, Fragment };

constexpr std::string_view kNone = {};

int unhex(char c) { return is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10; }
bool one_of(char c, std::string_view set) { return set.find(c) != set.npos; }

// Whether `c` must be written as %XX in this part. Besides letters, digits and "-_.~" each
// part has its own set.
bool must_escape(char c, UrlPart part) {
  if (is_alphanumeric(c) || one_of(c, "-_.~")) return false;
  switch (part) {
    case UrlPart::Path: return !one_of(c, "$&+,/:;=@");
    case UrlPart::Host:
    case UrlPart::Zone: return !one_of(c, "!$&'()*+,;=:[]<>\"");
    case UrlPart::User: return !one_of(c, "$&+,;=");
    case UrlPart::Query: return true;
    case UrlPart::Fragment: return !one_of(c, "$&+,/:;=?@!()*");
  }
  return true;
}

std::string_view escape_error(Arena& arena, std::string_view escape) {
  return joined(arena, {"invalid URL escape ", quote(escape.substr(0, 3))});
}

// Checks the "%XX" at the start of `s`: "" if it may occur in `part`, else the message.
std::string_view check_escape(Arena& arena, std::string_view s, UrlPart part) {
  if (s.size() < 3 || !is_hex_digit(s[1]) || !is_hex_digit(s[2])) return escape_error(arena, s);
  int byte = unhex(s[1]) * 16 + unhex(s[2]);
  bool percent = s.substr(0, 3) == "%25";
  // A host may only escape bytes beyond ASCII, and '%', which starts a zone.
  if (part == UrlPart::Host && byte < 0x80 && !percent) return escape_error(arena, s);
  // A zone may escape the space and all characters that a host may hold.
  bool plain = byte == ' ' || !must_escape(static_cast<char>(byte), UrlPart::Host);
  if (part == UrlPart::Zone && !percent && !plain) return escape_error(arena, s);
  return kNone;
}

std::string_view check_encoded(Arena& arena, std::string_view s, UrlPart part) {
  bool host = part == UrlPart::Host || part == UrlPart::Zone;
  for (size_t i = 0; i < s.size(); i++) {
    if (s[i] == '%') {
      if (auto error = check_escape(arena, s.substr(i), part); !error.empty()) return error;
      i += 2;
    } else if (host && static_cast<unsigned char>(s[i]) < 0x80 && must_escape(s[i], part)) {
      return joined(arena, {"invalid character ", quote(s.substr(i, 1)), " in host name"});
    }
  }
  return kNone;
}

std::string_view unescape(Arena& arena, std::string_view s, UrlPart part, std::string_view& out) {
  if (auto error = check_encoded(arena, s, part); !error.empty()) return error;
  out = s;
  if (s.find_first_of(part == UrlPart::Query ? "%+" : "%") == s.npos) return kNone;
  TextBuilder text(arena);
  for (size_t i = 0; i < s.size(); i++) {
    if (s[i] == '%') {
      text.append(static_cast<char>(unhex(s[i + 1]) * 16 + unhex(s[i + 2])));
      i += 2;
    } else {
      text.append(s[i] == '+' && part == UrlPart::Query ? ' ' : s[i]);
    }
  }
  out = text.view();
  return kNone;
}

void append_escaped(TextBuilder& out, std::string_view s, UrlPart part) {
  for (char c : s) {
    if (!must_escape(c, part)) {
      out.append(c);
      continue;
    }
    unsigned byte = static_cast<unsigned char>(c);
    out.append('%');
    out.append(kUpperHexDigits[byte >> 4]);
    out.append(kUpperHexDigits[byte & 15]);
  }
}

std::string_view escaped(Arena& arena, std::string_view s, UrlPart part) {
  TextBuilder out(arena);
  append_escaped(out, s, part);
  return out.view();
}

// Takes the scheme from `text`, if it begins with one.
std::string_view split_scheme(std::string_view& text, std::string_view& scheme) {
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    if (is_letter(c) || (i > 0 && (is_digit(c) || one_of(c, "+-.")))) continue;
    if (c != ':') return kNone;
    if (i == 0) return "missing protocol scheme";
    scheme = text.substr(0, i);
    text.remove_prefix(i + 1);
    return kNone;
  }
  return kNone;
}

std::string_view lowered(Arena& arena, std::string_view s) {
  TextBuilder out(arena);
  for (char c : s) out.append(to_lower(c));
  return out.view();
}

bool valid_port(std::string_view colon_port) {
  if (colon_port.empty()) return true;
  return colon_port[0] == ':' && std::all_of(colon_port.begin() + 1, colon_port.end(), is_digit);
}

std::string_view bad_port(Arena& arena, std::string_view colon_port) {
  return joined(arena, {"invalid port ", quote(colon_port), " after host"});
}

// "[fe80::1%25en0]:80": an IPv6 address in brackets, whose zone may be escaped.
std::string_view parse_ip_literal(Arena& arena, std::string_view text, std::string_view& host) {
  size_t close = text.rfind(']');
  if (close == text.npos) return "missing ']' in host";
  std::string_view port = text.substr(close + 1), name = text.substr(1, close - 1), plain_port, address, zone;
  if (!valid_port(port)) return bad_port(arena, port);
  if (auto error = unescape(arena, port, UrlPart::Host, plain_port); !error.empty()) return error;
  size_t percent = std::min(name.find("%25"), name.size());
  if (auto error = unescape(arena, name.substr(0, percent), UrlPart::Host, address); !error.empty())
    return error;
  if (auto error = unescape(arena, name.substr(percent), UrlPart::Zone, zone); !error.empty()) return error;
  TextBuilder out(arena);
  out.append('[');
  out.append(address);
  out.append(zone);
  std::string error;
  netip::Address parsed;
  if (!netip::parse_address(out.view().substr(1), parsed, error)) return arena.copy("invalid host: " + error);
  if (parsed.v4) return "invalid IP-literal";
  out.append(']');
  out.append(plain_port);
  host = out.view();
  return kNone;
}

std::string_view parse_host(Arena& arena, std::string_view scheme, std::string_view text,
                            std::string_view& host) {
  size_t bracket = text.rfind('['), colon = text.find(':');
  if (bracket == 0) return parse_ip_literal(arena, text, host);
  if (bracket != text.npos) return "invalid IP-literal";
  if (colon != text.npos) {
    // "a:1,b:2": only http and https refuse several colons.
    if (scheme != "http" && scheme != "https") colon = text.rfind(':');
    if (!valid_port(text.substr(colon))) return bad_port(arena, text.substr(colon));
  }
  return unescape(arena, text, UrlPart::Host, host);
}

std::string_view parse_authority(Arena& arena, std::string_view text, Url& out) {
  size_t at = text.rfind('@');
  std::string_view host = at == text.npos ? text : text.substr(at + 1);
  if (auto error = parse_host(arena, out.scheme, host, out.host); !error.empty()) return error;
  if (at == text.npos) return kNone;
  std::string_view user = text.substr(0, at);
  bool valid = std::all_of(user.begin(), user.end(),
                           [](char c) { return is_alphanumeric(c) || one_of(c, "-._:~!$&'()*+,;=%@"); });
  if (!valid) return "net/url: invalid userinfo";
  size_t colon = user.find(':');
  out.has_user = true;
  out.has_password = colon != user.npos;
  if (auto error = unescape(arena, user.substr(0, colon), UrlPart::User, out.username); !error.empty())
    return error;
  return out.has_password ? unescape(arena, user.substr(colon + 1), UrlPart::User, out.password) : kNone;
}

// Sets the decoded part, and the raw part if encoding the decoded one would not give the text.
std::string_view set_part(Arena& arena, std::string_view text, UrlPart part, std::string_view& plain,
                          std::string_view& raw) {
  if (auto error = unescape(arena, text, part, plain); !error.empty()) return error;
  raw = escaped(arena, plain, part) == text ? kNone : text;
  return kNone;
}

void split_query(std::string_view& rest, Url& out) {
  size_t mark = rest.find('?');
  if (mark == rest.npos) return;
  out.force_query = mark + 1 == rest.size();
  out.query = rest.substr(mark + 1);
  rest = rest.substr(0, mark);
}

// The rest has no authority and no leading slash: it is opaque after a scheme, else a relative path or an
// error.
std::string_view check_rootless(std::string_view rest, bool request) {
  if (request) return "invalid URI for request";
  if (rest.substr(0, rest.find('/')).find(':') != rest.npos)
    return "first path segment in URL cannot contain colon";
  return kNone;
}

std::string_view parse_plain(Arena& arena, std::string_view text, bool request, Url& out) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; })) {
    return "net/url: invalid control character in URL";
  }
  if (text.empty() && request) return "empty url";
  if (text == "*") {
    out.path = text;
    return kNone;
  }
  std::string_view rest = text;
  if (auto error = split_scheme(rest, out.scheme); !error.empty()) return error;
  out.scheme = lowered(arena, out.scheme);
  split_query(rest, out);
  if (!rest.starts_with('/')) {
    if (!out.scheme.empty()) {
      out.opaque = rest;
      return kNone;
    }
    if (auto error = check_rootless(rest, request); !error.empty()) return error;
  }
  bool authority = !out.scheme.empty() || (!request && !rest.starts_with("///"));
  if (authority && rest.starts_with("//")) {
    rest.remove_prefix(2);
    size_t slash = std::min(rest.find('/'), rest.size());
    if (auto error = parse_authority(arena, rest.substr(0, slash), out); !error.empty()) return error;
    rest.remove_prefix(slash);
  } else if (!out.scheme.empty() && rest.starts_with('/')) {
    out.omit_host = true;
  }
  return set_part(arena, rest, UrlPart::Path, out.path, out.raw_path);
}

std::string_view wrapped(Arena& arena, std::string_view text, std::string_view error) {
  return error.empty() ? error : joined(arena, {"parse ", quote(text), ": ", error});
}

// Whether a raw part holds only valid characters (Go accepts more here than where it encodes).
bool valid_encoded(std::string_view s, UrlPart part) {
  return std::all_of(s.begin(), s.end(),
                     [part](char c) { return one_of(c, "!$&'()*+,;=:@[]%") || !must_escape(c, part); });
}

std::string_view escaped_part(Arena& arena, std::string_view plain, std::string_view raw, UrlPart part) {
  std::string_view decoded;
  bool usable = !raw.empty() && valid_encoded(raw, part) && unescape(arena, raw, part, decoded).empty();
  return usable && decoded == plain ? raw : escaped(arena, plain, part);
}

void append_authority(TextBuilder& out, const Url& u) {
  if (u.scheme.empty() && u.host.empty() && !u.has_user) return;
  if (u.omit_host && u.host.empty() && !u.has_user) return;
  if (!u.host.empty() || !u.path.empty() || u.has_user) out.append("//");
  if (u.has_user) {
    append_escaped(out, u.username, UrlPart::User);
    if (u.has_password) {
      out.append(':');
      append_escaped(out, u.password, UrlPart::User);
    }
    out.append('@');
  }
  append_escaped(out, u.host, UrlPart::Host);
}

}  // namespace

std::string_view parse_request_uri(Arena& arena, std::string_view text, Url& out) {
  out = Url{};
  return wrapped(arena, text, parse_plain(arena, text, true, out));
}

namespace {

// `reference` in the folder of `base`, without "." and "..", both escaped (resolvePath).
std::string_view resolved_path(Arena& arena, std::string_view base, std::string_view reference) {
  std::string full(reference);
  if (reference.empty()) {
    full = base;
  } else if (reference[0] != '/') {
    full.insert(0, base.substr(0, base.rfind('/') + 1));
  }
  if (full.empty()) return {};
  std::string out = "/";
  bool first = true, dots = false;
  for (size_t at = 0, end = 0; end < full.size(); at = end + 1) {
    end = std::min(full.find('/', at), full.size());
    const std::string_view part = std::string_view(full).substr(at, end - at);
    dots = part == "." || part == "..";
    if (part == ".") {
      first = false;
    } else if (part == "..") {
      const size_t slash = out.rfind('/');
      out.resize(std::max<size_t>(slash, 1));
      first = out.size() == 1;
    } else {
      if (!first) out += '/';
      out += part;
      first = false;
    }
  }
  if (dots) out += '/';
  return arena.copy(out.size() > 1 && out[1] == '/' ? std::string_view(out).substr(1) : out);
}

}  // namespace

std::string_view parse(Arena& arena, std::string_view text, Url& out) {
  out = Url{};
  size_t hash = std::min(text.find('#'), text.size());
  std::string_view before = text.substr(0, hash), fragment = text.substr(std::min(hash + 1, text.size()));
  if (auto error = wrapped(arena, before, parse_plain(arena, before, false, out)); !error.empty())
    return error;
  if (fragment.empty()) return kNone;
  return wrapped(arena, text, set_part(arena, fragment, UrlPart::Fragment, out.fragment, out.raw_fragment));
}

std::string_view escaped_path(Arena& arena, const Url& u) {
  if (u.path == "*" && u.raw_path.empty()) return u.path;
  std::string_view out = escaped_part(arena, u.path, u.raw_path, UrlPart::Path);
  return u.path == "*" && out == "%2A" ? u.path : out;
}

Url resolve(Arena& arena, const Url& base, const Url& reference) {
  Url out = reference;
  auto set_path = [&](std::string_view path) {
    (void)set_part(arena, path, UrlPart::Path, out.path, out.raw_path);
  };
  if (reference.scheme.empty()) out.scheme = base.scheme;
  if (!reference.scheme.empty() || !reference.host.empty() || reference.has_user) {
    set_path(resolved_path(arena, escaped_path(arena, reference), {}));
    return out;
  }
  if (reference.path.empty() && !reference.force_query && reference.query.empty()) {
    out.query = base.query;
    if (reference.fragment.empty()) {
      out.fragment = base.fragment;
      out.raw_fragment = base.raw_fragment;
    }
  }
  if (reference.path.empty()) out.opaque = base.opaque;
  if (!out.opaque.empty()) return out;
  out.host = base.host;
  out.username = base.username;
  out.password = base.password;
  out.has_user = base.has_user;
  out.has_password = base.has_password;
  set_path(resolved_path(arena, escaped_path(arena, base), escaped_path(arena, reference)));
  return out;
}

std::string_view print(Arena& arena, const Url& u) {
  TextBuilder out(arena);
  out.append(u.scheme);
  if (!u.scheme.empty()) out.append(':');
  if (!u.opaque.empty()) {
    out.append(u.opaque);
  } else {
    append_authority(out, u);
    std::string_view path = escaped_path(arena, u);
    if (!path.empty() && path[0] != '/' && !u.host.empty()) out.append('/');
    if (out.size() == 0 && path.substr(0, path.find('/')).find(':') != path.npos) out.append("./");
    out.append(path);
  }
  if (u.force_query || !u.query.empty()) out.append('?');
  out.append(u.query);
  if (!u.fragment.empty()) {
    out.append('#');
    out.append(escaped_part(arena, u.fragment, u.raw_fragment, UrlPart::Fragment));
  }
  return out.view();
}

std::span<const Parameter> query_parameters(Arena& arena, const Url& u) {
  std::string_view rest = u.query;
  size_t most = static_cast<size_t>(std::count(rest.begin(), rest.end(), '&')) + 1, n = 0;
  if (most > kMaxQueryParameters) return {};
  Parameter* list = arena.array<Parameter>(most);
  while (!rest.empty()) {
    size_t end = std::min(rest.find('&'), rest.size());
    std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty() || pair.find(';') != pair.npos) continue;
    size_t sign = std::min(pair.find('='), pair.size());
    std::string_view value = pair.substr(std::min(sign + 1, pair.size()));
    Parameter& p = list[n];
    if (!unescape(arena, pair.substr(0, sign), UrlPart::Query, p.name).empty()) continue;
    if (!unescape(arena, value, UrlPart::Query, p.value).empty()) continue;
    n++;
  }
  return {list, n};
}

}  // namespace url

namespace {
// The position of the colon before the port in "host:port", or npos. It is the last colon, if only digits
// follow it.
size_t port_colon(std::string_view host) {
  size_t colon = host.rfind(':');
  if (colon == host.npos) return colon;
  std::string_view port = host.substr(colon + 1);
  return std::all_of(port.begin(), port.end(), [](char c) { return is_digit(c); }) ? colon : host.npos;
}
}  // namespace

std::string_view Url::hostname() const {
  std::string_view name = host.substr(0, port_colon(host));
  if (name.size() >= 2 && name.front() == '[' && name.back() == ']') return name.substr(1, name.size() - 2);
  return name;
}

std::string_view Url::port() const {
  size_t colon = port_colon(host);
  return colon == host.npos ? std::string_view{} : host.substr(colon + 1);
}

}  // namespace portcullis
