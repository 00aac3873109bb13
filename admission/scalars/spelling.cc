// See spelling.h. Distances count halves: a change of case costs one, any other edit two.
#include "admission/scalars/spelling.h"

#include <algorithm>
#include <vector>

#include "grammar/ascii.h"

namespace portcullis {
namespace {

// Longer words are not compared: people do not misspell them by hand.
constexpr size_t kMaxWord = 100;
// Shorter words resemble too many others.
constexpr size_t kMinWord = 3;
constexpr size_t kEdit = 2, kCase = 1;

size_t replacement(char a, char b) { return a == b ? 0 : to_lower(a) == to_lower(b) ? kCase : kEdit; }

size_t half_edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) above[j] = j * kEdit;
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i * kEdit;
    for (size_t j = 1; j <= b.size(); j++) {
      row[j] =
          std::min({above[j] + kEdit, row[j - 1] + kEdit, above[j - 1] + replacement(a[i - 1], b[j - 1])});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + kEdit);
    }
    before = above;
    std::swap(above, row);
  }
  return above[b.size()];
}

bool same_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return to_lower(x) == to_lower(y); });
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() < kMinWord || word.size() > kMaxWord) return {};
  // Accepts one edit in a short word, a third of the letters in a long one.
  size_t best = kEdit * std::max<size_t>(1, word.size() / 3) + 1;
  std::string_view found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kMaxWord) continue;
    size_t distance = same_but_case(word, candidate) ? kCase : half_edits(word, candidate);
    if (distance >= kEdit * std::max(word.size(), candidate.size())) continue;  // nothing in common
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view meant) {
  return meant.empty() ? "" : "did you mean " + std::string(meant) + "?";
}

}  // namespace portcullis
