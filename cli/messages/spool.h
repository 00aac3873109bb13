// Text that is collected before it is printed, of any length: what exceeds some memory waits in a file without a name.
//
// Limits: without room for temporary files it stays in memory. Tested by cli/messages/spool_test.cc.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace portcullis {

class Spool {
 public:
  static constexpr size_t kInMemory = size_t{1} << 20;

  explicit Spool(size_t in_memory = kInMemory) : in_memory_(in_memory) {}

  void add(std::string_view text);
  bool empty() const { return text_.empty() && file_ == nullptr; }
  // Gives the whole text, piece by piece; false if the file cannot be read.
  bool each(const std::function<void(std::string_view)>& piece) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  bool write_out();

  size_t in_memory_;
  std::string text_;  // behind what is in the file
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace portcullis
