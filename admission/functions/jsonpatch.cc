// Library kubernetes.jsonpatch: keys in JSON pointers (RFC 6901). Only mutating policies have it.
#include "admission/functions/libraries.h"
#include "interpreter/functions/call.h"
#include "interpreter/values/builder.h"

namespace portcullis::kubernetes {
namespace {

std::string_view escape_key(Arena& arena, std::string_view key) {
  if (key.find_first_of("~/") == key.npos) return key;
  TextBuilder out(arena);
  for (char c : key) {
    if (c == '~') {
      out.append("~0");
    } else if (c == '/') {
      out.append("~1");
    } else {
      out.append(c);
    }
  }
  return out.view();
}

constexpr Function kRows[] = {
    {.id = "string_jsonpatch_escapeKey_string",
     .signature = "jsonpatch.escapeKey(string) -> string",
     .call = wrap([](CallContext& c, std::string_view s) { return escape_key(c.arena(), s); }),
     .doc = "the key with '~' as '~0' and '/' as '~1', for use in the path of a JSON patch",
     .examples = "jsonpatch.escapeKey('example.com/a~b')  // => 'example.com~1a~0b'"},
};

}  // namespace

const Library kJsonPatch = {
    .name = "kubernetes.jsonpatch", .functions = kRows, .doc = "keys in paths of JSON patches"};

}  // namespace portcullis::kubernetes
