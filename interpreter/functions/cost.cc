#include "interpreter/functions/cost.h"

#include <algorithm>

namespace portcullis {

// Values hold valid UTF-8, so it counts the bytes that continue no sequence.
uint64_t count_code_points(std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101u;
  const char* p = text.data();
  size_t n = text.size();
  uint64_t count = 0;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t x;
    std::memcpy(&x, p, 8);
    count += ((~x >> 7 | x >> 6) & kOnes) * kOnes >> 56;
  }
  for (; n > 0; ++p, --n) count += (*p & 0xC0) != 0x80;
  return count;
}

uint64_t outer_size_of(const Value& v) {
  switch (v.kind()) {
    case Kind::String: return count_code_points(v.as_text());
    case Kind::Bytes:
    case Kind::List:
    case Kind::Map: return v.size();
    case Kind::Opaque: {
      const Opaque& o = v.as_opaque();
      return o.cls->size != nullptr ? o.cls->size(o) : 1;
    }
    default: return 1;
  }
}

uint64_t size_of(const Value& v) {
  const Value* inner = &v;
  while (inner->is(Kind::Optional) && inner->as_optional() != nullptr) inner = inner->as_optional();
  return outer_size_of(*inner);
}

uint64_t actual_comparison(const Value* args, size_t, const Value&) {
  const Value &a = args[0], &b = args[1];
  // Texts of at most ten bytes have at most ten code points, so the cost is 1 without counting.
  if (a.is(Kind::String) && b.is(Kind::String)) {
    size_t shorter = std::min(a.size(), b.size());
    if (shorter == 0 || std::max(a.size(), b.size()) <= 10) return shorter != 0;
  }
  return scale_up(std::min(size_of(a), size_of(b)), kStringTraversal);
}

}  // namespace portcullis
