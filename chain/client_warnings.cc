#include "chain/client_warnings.h"

#include <string_view>
#include <unordered_set>

#include "grammar/utf8.h"

namespace portcullis::chain {
namespace {

constexpr size_t kMostCharacters = 4096;  // of all warnings together
constexpr size_t kMostOfOne = 256;        // if all have more

// unicode.IsControl.
bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7f && c < 0xa0); }

bool is_sendable(std::string_view text) {
  if (!utf8::valid(text)) return false;
  while (!text.empty()) {
    const utf8::Rune rune = utf8::decode(text);
    if (is_control(rune.value)) return false;
    text.remove_prefix(rune.size);
  }
  return true;
}

// At most `most` code points of the text, and in `count` how many these are.
std::string_view beginning(std::string_view text, size_t most, size_t& count) {
  size_t end = 0;
  for (count = 0; count < most && end < text.size(); count++) end += utf8::decode(text.substr(end)).size;
  return text.substr(0, end);
}

}  // namespace

ClientWarnings client_warnings(std::span<const std::string> warnings) {
  ClientWarnings out;
  std::unordered_set<std::string_view> seen;
  std::vector<std::string_view> ordered;  // each text once, as far as it counts
  size_t written = 0;
  const auto send = [&](std::string_view text) {
    size_t count = 0;
    const std::string_view shown = beginning(text, out.cut ? kMostOfOne : std::string_view::npos, count);
    if (!is_sendable(shown)) return void(out.unsendable.emplace_back(text));
    written += count;
    out.sent.emplace_back(shown);
  };
  for (std::string_view text : warnings) {
    if (seen.contains(text)) continue;
    seen.insert(text);
    if (text.empty()) {
      out.unsendable.emplace_back();
      continue;
    }
    if (out.cut && written >= kMostCharacters) {
      out.beyond++;
      continue;
    }
    ordered.push_back(text);
    send(text);
    if (out.cut || written <= kMostCharacters) continue;
    // All are sent anew, shorter: where an unsendable character was may be cut off.
    out.cut = true;
    written = 0;
    out.sent.clear();
    std::erase_if(out.unsendable, [](const std::string& u) { return !u.empty(); });
    for (std::string_view again : ordered) send(again);
  }
  return out;
}

}  // namespace portcullis::chain
