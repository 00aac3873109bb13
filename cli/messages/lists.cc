// See lists.h.
#include "cli/messages/lists.h"

namespace portcullis {

std::string listed(const std::vector<std::string>& words, std::string_view last) {
  std::string out;
  for (size_t i = 0; i < words.size(); i++)
    out.append(i == 0 ? "" : i + 1 == words.size() ? last : ", ").append(words[i]);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace portcullis
