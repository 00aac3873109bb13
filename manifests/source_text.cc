// See source_text.h.
#include "manifests/source_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

#include "manifests/varint.h"

namespace portcullis {
namespace {

// Smaller texts are not worth the time.
constexpr size_t kLeastText = 64 * 1024;
// The bytes that a copy has at least: less would take as much as is told of it.
constexpr size_t kLeastCopy = 8;
constexpr int kHashBits = 14;

uint64_t bytes_at(std::string_view text, size_t at) {
  uint64_t out;
  static_assert(sizeof out == kLeastCopy);
  std::memcpy(&out, text.data() + at, sizeof out);
  return out;
}

// Again and again: the size of new bytes, these, and, unless the text ends, the size and the distance of a copy.
std::string packed(std::string_view text) {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15;
  std::string out;
  std::vector<uint32_t> seen(size_t{1} << kHashBits);  // the last place of these bytes, plus one
  size_t written = 0;
  auto add_new = [&](size_t end) {
    add_varint(out, end - written);
    out += text.substr(written, end - written);
  };
  for (size_t at = 0; at + kLeastCopy <= text.size();) {
    const uint64_t bytes = bytes_at(text, at);
    uint32_t& last = seen[bytes * kFactor >> (64 - kHashBits)];
    const size_t before = std::exchange(last, static_cast<uint32_t>(at + 1));
    if (before == 0 || bytes_at(text, before - 1) != bytes) {
      at++;
      continue;
    }
    const size_t from = before - 1;
    size_t length = kLeastCopy;
    while (at + length + kLeastCopy <= text.size() && bytes_at(text, from + length) == bytes_at(text, at + length))
      length += kLeastCopy;
    while (at + length < text.size() && text[from + length] == text[at + length]) length++;
    add_new(at);
    add_varint(out, length);
    add_varint(out, at - from);
    written = at += length;
  }
  add_new(text.size());
  return out;
}

std::string unpacked(std::string_view rest, size_t size) {
  std::string out;
  out.reserve(size);
  for (;;) {
    const size_t fresh = take_varint(rest);
    out += rest.substr(0, fresh);
    rest.remove_prefix(fresh);
    if (rest.empty()) return out;
    size_t length = take_varint(rest);
    const size_t from = out.size() - take_varint(rest);
    while (length > 0) {  // it may reach into itself
      const size_t part = std::min(length, out.size() - from);
      out.append(out.data() + from, part);
      length -= part;
    }
  }
}

}  // namespace

struct SourceText::Packed {
  Packed(std::string packed, size_t whole) : bytes(std::move(packed)), size(whole) {}

  std::string bytes;
  size_t size;
  std::once_flag once;
  std::string text;
};

void SourceText::pack() {
  if (packed_ != nullptr || text_.size() < kLeastText) return;
  std::string bytes = packed(text_);
  bytes.shrink_to_fit();
  packed_ = std::make_shared<Packed>(std::move(bytes), text_.size());
  std::string().swap(text_);  // an assignment would keep the memory
}

size_t SourceText::memory() const { return packed_ == nullptr ? text_.size() : packed_->bytes.size(); }

std::string_view SourceText::unpacked() const {
  std::call_once(packed_->once, [&] {
    packed_->text = portcullis::unpacked(packed_->bytes, packed_->size);
    std::string().swap(packed_->bytes);
  });
  return packed_->text;
}

}  // namespace portcullis
