#include "admission/typing/suggest.h"

#include <algorithm>

namespace portcullis {
namespace {

// Longer names are not compared: nobody misspells so much, and the work grows with the square.
constexpr size_t kMaxName = 128;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  if (name.empty() || name.size() > kMaxName) return {};
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kMaxName || candidate == name) continue;
    size_t distance = same_but_case(name, candidate) ? 0 : edit_distance(name, candidate);
    if (distance >= candidate.size()) continue;  // nothing in common
    if (distance < best || (distance == best && !found.empty() && candidate < found)) {
      best = distance;
      found = candidate;
    }
  }
  return std::string(found);
}

}  // namespace portcullis
