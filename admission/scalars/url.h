// Url: URLs as Go's net/url reads and writes them.
//
// Idea: each part is a view of the text or, if decoding changed it, of the arena. Kubernetes accepts what
// ParseRequestURI accepts (an absolute URI or an absolute path) and then reads the parts with Parse; both are
// here.
// Source of behaviour: Go 1.26 net/url url.go. Limits: at most kMaxQueryParameters in a query, as in Go.
// Tested by admission/scalars/url_test.cc and against the oracle.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "interpreter/values/arena.h"

namespace portcullis {

struct Url {
  std::string_view scheme;  // lower case
  std::string_view opaque;  // the "x" of "mailto:x", which is not parsed further
  std::string_view username, password;
  std::string_view host;      // with port and brackets
  std::string_view path;      // decoded
  std::string_view raw_path;  // as written, if encoding `path` would not give it
  std::string_view query;     // encoded
  std::string_view fragment, raw_fragment;
  bool has_user = false, has_password = false, force_query = false, omit_host = false;

  std::string_view hostname() const;  // without port and brackets
  std::string_view port() const;
};

namespace url {

inline constexpr size_t kMaxQueryParameters = 10000;  // as in Go, a query with more has no parameters at all

// url.ParseRequestURI and url.Parse. Return "" or Go's message ("parse \"x\": invalid URI for
// request"), in the arena.
std::string_view parse_request_uri(Arena& arena, std::string_view text, Url& out);
std::string_view parse(Arena& arena, std::string_view text, Url& out);

// URL.EscapedPath: the path as written if that is a valid encoding of it, else encoded again.
std::string_view escaped_path(Arena& arena, const Url& u);
// URL.ResolveReference: the URL that `reference` names in a document at `base`. Its texts are views of those of
// both, or live in the arena.
Url resolve(Arena& arena, const Url& base, const Url& reference);
// URL.String, which the equality of URLs compares.
std::string_view print(Arena& arena, const Url& u);

// The decoded pairs in their order; malformed pairs are omitted.
struct Parameter {
  std::string_view name, value;
};
std::span<const Parameter> query_parameters(Arena& arena, const Url& u);

}  // namespace url
}  // namespace portcullis
