// See source_text.h.
#include "manifests/source_text.h"

#include <lz4.h>

#include <cstdlib>
#include <mutex>
#include <utility>

namespace portcullis {
namespace {

// Smaller texts are not worth the time, and LZ4 takes no larger ones.
constexpr size_t kLeastText = 64 * 1024, kLargestText = LZ4_MAX_INPUT_SIZE;

// Empty if that does not make it much smaller.
std::string packed(const std::string& text) {
  constexpr int kLeastRatio = 4;
  const int size = static_cast<int>(text.size()), most = size / kLeastRatio;
  // Memory that is not written takes none.
  const auto out = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(most));
  return {out.get(), static_cast<size_t>(LZ4_compress_default(text.data(), out.get(), size, most))};
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
  if (packed_ != nullptr || text_.size() < kLeastText || text_.size() > kLargestText) return;
  std::string bytes = packed(text_);
  if (bytes.empty()) return;
  packed_ = std::make_shared<Packed>(std::move(bytes), text_.size());
  std::string().swap(text_);  // an assignment would keep the memory
}

size_t SourceText::memory() const { return packed_ == nullptr ? text_.size() : packed_->bytes.size(); }

std::string_view SourceText::unpacked() const {
  std::call_once(packed_->once, [&] {
    packed_->text.resize(packed_->size);
    const int size = static_cast<int>(packed_->size);
    const int got = LZ4_decompress_safe(packed_->bytes.data(), packed_->text.data(),
                                        static_cast<int>(packed_->bytes.size()), size);
    if (got != size) std::abort();  // these are bytes of packed()
    std::string().swap(packed_->bytes);
  });
  return packed_->text;
}

}  // namespace portcullis
