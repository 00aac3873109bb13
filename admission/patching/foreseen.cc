#include "admission/patching/foreseen.h"

#include <algorithm>
#include <tuple>

namespace portcullis::patching {

std::string question(const std::string& meant) {
  return meant.empty() ? std::string() : "did you mean " + meant + "?";
}

void sort_foreseen(std::vector<Foreseen>& all) {
  std::ranges::stable_sort(all, [](const Foreseen& a, const Foreseen& b) {
    return std::tie(a.place.source->path, a.place.offset, a.text, a.guarded) <
           std::tie(b.place.source->path, b.place.offset, b.text, b.guarded);
  });
  auto same = [](const Foreseen& a, const Foreseen& b) { return a.place == b.place && a.text == b.text; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.size() > kMostForeseen) all.resize(kMostForeseen);
}

}  // namespace portcullis::patching
