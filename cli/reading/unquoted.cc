// See unquoted.h.
#include "cli/reading/unquoted.h"

#include "manifests/unquoted.h"

namespace portcullis {

std::string unquoted_hint(const InputObject& o, std::string_view path, std::string_view error) {
  const bool is_bool = error.find("cannot unmarshal bool into") != error.npos,
             is_number = error.find("cannot unmarshal number into") != error.npos;
  if (!(is_bool || is_number) || !error.ends_with(" of type string")) return {};
  return unquoted_hint(o.file->text, o.locate(path), is_bool ? kUnquotedBool : kUnquotedNumber);
}

}  // namespace portcullis
