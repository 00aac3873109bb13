#include "tests/tally.h"

#include <cstdio>
#include <fstream>

namespace portcullis::tests {

bool Tally::read_exceptions(const std::string& path) {
  std::ifstream in(path);
  if (!in) return false;
  std::string line, reason;
  bool fresh = true;
  while (std::getline(in, line)) {
    if (line.starts_with("#")) {
      if (fresh) reason.clear();
      fresh = false;
      reason += line.substr(1);
    } else if (!line.empty()) {
      exceptions_[line] = reason;
      fresh = true;
    }
  }
  return true;
}

void Tally::pass(std::string_view id) {
  ++passed_;
  if (exceptions_.contains(id)) {
    std::printf("NOTE %.*s passes and needs no exception\n", static_cast<int>(id.size()), id.data());
  }
}

void Tally::fail(std::string_view id, std::string_view expected, std::string_view actual) {
  if (exceptions_.contains(id)) {
    excused_.emplace(id);
    return;
  }
  ++failed_;
  std::printf("FAIL %.*s\n  expected %.*s\n  actual   %.*s\n", static_cast<int>(id.size()), id.data(),
              static_cast<int>(expected.size()), expected.data(), static_cast<int>(actual.size()),
              actual.data());
}

int Tally::finish() const {
  for (const std::string& id : excused_) {
    std::printf("EXCEPTION %s:%s\n", id.c_str(), exceptions_.find(id)->second.c_str());
  }
  for (const auto& [what, count] : left_out_) std::printf("LEFT OUT %d of %s\n", count, what.c_str());
  std::printf("%d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
  return failed_ == 0 ? 0 : 1;
}

}  // namespace portcullis::tests
