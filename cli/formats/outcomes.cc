#include "cli/formats/outcomes.h"

#include <algorithm>

namespace portcullis::outcomes {

size_t Run::count(Status status) const {
  return static_cast<size_t>(std::ranges::count(items, status, &Item::status));
}

Status Run::status() const {
  auto gravest = std::ranges::min_element(items, {}, &Item::status);
  return gravest == items.end() ? Status::Passed : gravest->status;
}

}  // namespace portcullis::outcomes
