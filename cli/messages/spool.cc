// See spool.h.
#include "cli/messages/spool.h"

#include <algorithm>
#include <vector>

namespace portcullis {

void Spool::add(std::string_view text) {
  text_ += text;
  if (text_.size() > in_memory_ && write_out()) text_.clear();
}

bool Spool::write_out() {
  if (file_ == nullptr) file_.reset(std::tmpfile());
  if (file_ == nullptr) return false;
  const long end = std::ftell(file_.get());
  const bool good = std::fwrite(text_.data(), 1, text_.size(), file_.get()) == text_.size() &&
                    std::fflush(file_.get()) == 0;
  if (!good) std::fseek(file_.get(), end, SEEK_SET);  // a full disk: the next text is written over it
  return good;
}

bool Spool::each(const std::function<void(std::string_view)>& piece) const {
  bool good = true;
  if (file_ != nullptr) {
    const long end = std::ftell(file_.get());
    std::vector<char> buffer(size_t{1} << 16);
    std::rewind(file_.get());
    for (long at = 0; at < end && good;) {
      const size_t want = std::min(buffer.size(), static_cast<size_t>(end - at));
      good = std::fread(buffer.data(), 1, want, file_.get()) == want;
      if (good) piece({buffer.data(), want});
      at += static_cast<long>(want);
    }
    std::fseek(file_.get(), end, SEEK_SET);
  }
  if (good) piece(text_);
  return good;
}

}  // namespace portcullis
