#include "admission/patching/json_size.h"

#include "interpreter/values/json.h"

namespace portcullis::patching {
namespace {

// A control character takes six bytes unless it has a short escape; < > & and U+2028, U+2029 also take six.
uint64_t text_size(std::string_view s) {
  uint64_t size = 2 + s.size();
  for (size_t i = 0; i < s.size(); ++i) {
    auto c = static_cast<unsigned char>(s[i]);
    if (c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t') {
      size += 1;
    } else if (c < 0x20 || c == '<' || c == '>' || c == '&') {
      size += 5;
    } else if (c == 0xe2 && (s.substr(i, 3) == "\u2028" || s.substr(i, 3) == "\u2029")) {
      size += 3;
    }
  }
  return size;
}

uint64_t integer_size(int64_t i) {
  uint64_t rest = i < 0 ? 0 - static_cast<uint64_t>(i) : static_cast<uint64_t>(i), size = i < 0 ? 2 : 1;
  for (; rest >= 10; rest /= 10) ++size;
  return size;
}

}  // namespace

uint64_t json_size(const Value& v, uint64_t most) {
  switch (v.kind()) {
    case Kind::Bool: return v.as_bool() ? 4 : 5;
    case Kind::Int: return integer_size(v.as_int());
    case Kind::Double: return to_json(v).size();
    case Kind::String: return text_size(v.as_text());
    case Kind::List: {
      uint64_t size = 1 + (v.size() == 0 ? 1 : v.size());
      for (const Value& item : v.as_list()) {
        if (size > most) break;
        size += json_size(item, most - size);
      }
      return size;
    }
    case Kind::Map: {
      uint64_t size = 1 + (v.size() == 0 ? 1 : v.size());
      for (const MapEntry& e : v.as_map()) {
        if (size > most) break;
        size += text_size(e.key.as_text()) + 1;
        if (size <= most) size += json_size(e.value, most - size);
      }
      return size;
    }
    default: return 4;
  }
}

}  // namespace portcullis::patching
