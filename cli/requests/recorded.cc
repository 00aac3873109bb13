// See recorded.h.
#include "cli/requests/recorded.h"

#include <algorithm>

#include "cli/cluster/cluster.h"
#include "cli/messages/lists.h"
#include "cli/messages/messages.h"

namespace portcullis {

void RequestCounts::add(const InputObject& o) {
  const bool review = role_of(o) == Role::Review;
  recorded += review;
  others += !review && is_request(o);
}

bool heeds_flags(const std::vector<std::string>& flags, std::span<const InputObject> manifests,
                 const RequestCounts& counts, bool named) {
  const auto [reviews, others] = counts;
  auto first = std::ranges::find(manifests, Role::Review, role_of);
  const InputObject* recorded = first == manifests.end() ? nullptr : &*first;
  std::vector<std::string> unheeded;
  for (const std::string& flag : flags) {
    if (others > 0 || flag != "--namespace" || !named) unheeded.push_back(flag);
  }
  if (recorded == nullptr || unheeded.empty()) return true;
  Position at = recorded->locate("request", true);
  std::string does = listed(unheeded) + (unheeded.size() > 1 ? " do" : " does");
  if (others == 0) {
    say(Severity::Error, recorded->file->name, at,
        does + " not apply to a recorded request, which says for itself what it asks, and no other is given",
        recorded->file->text, unheeded.size() > 1 ? "leave them out" : "leave it out");
    return false;
  }
  say(Severity::Note, recorded->file->name, at,
      does + " not apply to " + std::to_string(reviews) + " of " + std::to_string(reviews + others) +
          " requests, which " + (reviews > 1 ? "are" : "is") + " recorded");
  return true;
}

}  // namespace portcullis
