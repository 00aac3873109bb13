// Library kubernetes.urls: the parts of a URL. See admission/scalars/url.h for the parser.
#include <algorithm>

#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "interpreter/functions/call.h"
#include "interpreter/values/builder.h"

namespace portcullis::kubernetes {
namespace {

const Url& url_of(const Opaque& o) { return static_cast<const UrlValue&>(o).url; }

Value equal(const Opaque& self, const Value& other, Arena& arena) {
  const auto* right = as<UrlValue>(other, kUrlClass);
  if (!right) return no_such_overload(arena);
  return Value::boolean(url::print(arena, url_of(self)) == url::print(arena, right->url));
}

std::string_view print(const Opaque& self, Arena& arena) { return url::print(arena, url_of(self)); }

// `text` must outlive the value.
Value make(Arena& arena, std::string_view text) {
  Url u;
  std::string_view error = url::parse_request_uri(arena, text, u);
  // Parse reads the text again with laxer rules: it splits off the fragment and finds a host in
  // "//host/path".
  if (error.empty()) error = url::parse(arena, text, u);
  if (error.empty()) return Value::opaque(arena.make<UrlValue>(Opaque{&kUrlClass}, u));
  return make_error(arena, joined(arena, {"URL parse error during conversion from string: ", error}));
}

// Maps each name to the list of its values. Names are in byte order (upstream: random order).
Value query(CallContext& context, const Url& u) {
  Arena& arena = context.arena();
  std::span<const url::Parameter> all = url::query_parameters(arena, u);
  size_t* order = arena.array<size_t>(all.size());
  for (size_t i = 0; i < all.size(); i++) order[i] = i;
  std::sort(order, order + all.size(), [&](size_t a, size_t b) {
    int c = all[a].name.compare(all[b].name);
    return c < 0 || (c == 0 && a < b);
  });
  Value* values = arena.array<Value>(all.size());
  MapEntry* entries = alloc_entries(arena, all.size());
  size_t count = 0;
  for (size_t i = 0; i < all.size();) {
    size_t first = i;
    std::string_view name = all[order[i]].name;
    for (; i < all.size() && all[order[i]].name == name; i++) values[i] = Value::string(all[order[i]].value);
    entries[count++] = {Value::string(name), Value::list(values + first, i - first)};
  }
  return make_map(entries, count);
}

using U = const UrlValue&;

constexpr Function kRows[] = {
    {.id = "string_to_url",
     .signature = "url(string) -> kubernetes.URL",
     .call = wrap([](CallContext& c, std::string_view s) { return make(c.arena(), s); }),
     .doc = "the URL in a string: an absolute URI or an absolute path; error if it is neither",
     .examples = "url('https://example.com/a').getHost()  // => 'example.com'"},
    {.id = "is_url_string",
     .signature = "isURL(string) -> bool",
     .call = wrap([](CallContext& c, std::string_view s) {
       Url u;
       return url::parse_request_uri(c.arena(), s, u).empty();
     }),
     .doc = "whether url() accepts the string",
     .examples = "isURL('../relative')  // => false"},
    {.id = "url_get_scheme",
     .signature = "kubernetes.URL.getScheme() -> string",
     .call = wrap([](U u) { return u.url.scheme; }),
     .doc = "the scheme in lower case, or ''",
     .examples = "url('HTTPS://example.com/').getScheme()  // => 'https'"},
    {.id = "url_get_host",
     .signature = "kubernetes.URL.getHost() -> string",
     .call = wrap([](U u) { return u.url.host; }),
     .doc = "host and port; an IPv6 address is in brackets",
     .examples = "url('https://[::1]:80/').getHost()  // => '[::1]:80'"},
    {.id = "url_get_hostname",
     .signature = "kubernetes.URL.getHostname() -> string",
     .call = wrap([](U u) { return u.url.hostname(); }),
     .doc = "the host without port and brackets",
     .examples = "url('https://[::1]:80/').getHostname()  // => '::1'"},
    {.id = "url_get_port",
     .signature = "kubernetes.URL.getPort() -> string",
     .call = wrap([](U u) { return u.url.port(); }),
     .doc = "the port, or ''",
     .examples = "url('https://example.com:80/').getPort()  // => '80'"},
    {.id = "url_get_escaped_path",
     .signature = "kubernetes.URL.getEscapedPath() -> string",
     .call = wrap([](CallContext& c, U u) { return url::escaped_path(c.arena(), u.url); }),
     .doc = "the path, percent-encoded",
     .examples = "url('https://example.com/a b').getEscapedPath()  // => '/a%20b'"},
    {.id = "url_get_query",
     .signature = "kubernetes.URL.getQuery() -> map(string, list(string))",
     .call = wrap([](CallContext& c, U u) { return query(c, u.url); }),
     .doc = "the decoded parameters, without malformed ones",
     .examples = "url('/?k=a&k=b').getQuery()  // => {'k': ['a', 'b']}"},
};

}  // namespace

const OpaqueClass kUrlClass = {
    .type_name = "kubernetes.URL", .equal = equal, .print = print, .go_type = "cel.URL"};
const Library kUrls = {
    .name = "kubernetes.urls", .functions = kRows, .doc = "parts of URLs, as Go's net/url parses them"};

Value url_value(Arena& arena, std::string_view text) { return make(arena, arena.copy(text)); }

}  // namespace portcullis::kubernetes
