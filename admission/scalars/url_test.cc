// URLs: what Go's net/url accepts, how it words errors and prints.
#include "admission/scalars/url.h"

#include <gtest/gtest.h>

namespace portcullis::url {
namespace {

class UrlTest : public testing::Test {
 protected:
  Url of(std::string_view text) {
    Url u;
    EXPECT_EQ(parse(arena, text, u), "") << text;
    return u;
  }
  std::string error(std::string_view text) {
    Url u;
    return std::string(parse_request_uri(arena, text, u));
  }
  Arena arena;
};

TEST_F(UrlTest, Parts) {
  Url u = of("HTTPS://us%20er:p%40ss@[FE80::1%25en0]:8080/a%2fb c?x=1&y#fr ag");
  EXPECT_EQ(u.scheme, "https");
  EXPECT_EQ(u.username, "us er");
  EXPECT_EQ(u.password, "p@ss");
  EXPECT_EQ(u.host, "[FE80::1%en0]:8080");
  EXPECT_EQ(u.hostname(), "FE80::1%en0");
  EXPECT_EQ(u.port(), "8080");
  EXPECT_EQ(u.path, "/a/b c");
  EXPECT_EQ(escaped_path(arena, u), "/a/b%20c");  // the raw path is invalid, so the path is encoded
  EXPECT_EQ(u.query, "x=1&y");
  EXPECT_EQ(u.fragment, "fr ag");
}

TEST_F(UrlTest, PrintsWhatItRead) {
  for (const char* text : {"http://a/", "mailto:x@y", "//host/path", "/a%2Fb", "http://u:p@h:1/p?q#f", "/?",
                           "http://h", "*", "/a:b", "file:///etc"}) {
    EXPECT_EQ(print(arena, of(text)), text);
  }
  EXPECT_EQ(print(arena, of("HTTP://A/b c")), "http://A/b%20c");
}

TEST_F(UrlTest, ResolvesReferences) {
  struct {
    const char *base, *reference, *want;
  } cases[] = {
      // RFC 3986, 5.4
      {"http://a/b/c/d;p?q", "g:h", "g:h"},
      {"http://a/b/c/d;p?q", "g", "http://a/b/c/g"},
      {"http://a/b/c/d;p?q", "g/", "http://a/b/c/g/"},
      {"http://a/b/c/d;p?q", "/g", "http://a/g"},
      {"http://a/b/c/d;p?q", "//g", "http://g"},
      {"http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"},
      {"http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"},
      {"http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"},
      {"http://a/b/c/d;p?q", "./", "http://a/b/c/"},
      {"http://a/b/c/d;p?q", "../../../g", "http://a/g"},
      {"http://a/b/c/d;p?q", "./g/.", "http://a/b/c/g/"},
      {"http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y"},
      {"http://a/b/c/d;p?q", "g?y/../x", "http://a/b/c/g?y/../x"},
      {"http://u:p@a", "b", "http://u:p@a/b"},
      {"http://a/b", "/c//d/%2e%2E/e%2ff", "http://a/c//d/%2e%2E/e%2ff"},
      {"http://a/b", "?", "http://a/b?"},
      {"http://a/b", "mailto:x", "mailto:x"},
  };
  for (auto& c : cases)
    EXPECT_EQ(print(arena, resolve(arena, of(c.base), of(c.reference))), c.want) << c.reference;
}

TEST_F(UrlTest, Errors) {
  struct {
    const char *text, *want;
  } cases[] = {
      {"http://a/", ""},
      {"/path", ""},
      {"https:://kubernetes.io/", ""},
      {"", "parse \"\": empty url"},
      {"../x", "parse \"../x\": invalid URI for request"},
      {":a", "parse \":a\": missing protocol scheme"},
      {"http://a b/", "parse \"http://a b/\": invalid character \" \" in host name"},
      {"/%zz", "parse \"/%zz\": invalid URL escape \"%zz\""},
      {"http://%41/", "parse \"http://%41/\": invalid URL escape \"%41\""},
      {"http://[::1", "parse \"http://[::1\": missing ']' in host"},
      {"http://[1.2.3.4]/", "parse \"http://[1.2.3.4]/\": invalid IP-literal"},
      {"http://a:b/", "parse \"http://a:b/\": invalid port \":b\" after host"},
      {"/\n", "parse \"/\\n\": net/url: invalid control character in URL"},
      {"http://us er@h/", "parse \"http://us er@h/\": net/url: invalid userinfo"},
  };
  for (auto& c : cases) EXPECT_EQ(error(c.text), c.want) << c.text;
}

TEST_F(UrlTest, Queries) {
  auto found = query_parameters(arena, of("/?a=1;b=2&c=%zz&d=+%20&=3&e&&d=2"));
  std::string all;
  for (const Parameter& p : found) all += std::string(p.name) + ":" + std::string(p.value) + "|";
  EXPECT_EQ(all, "d:  |:3|e:|d:2|");
  EXPECT_TRUE(query_parameters(arena, of("/?" + std::string(kMaxQueryParameters, '&'))).empty());
}

}  // namespace
}  // namespace portcullis::url
