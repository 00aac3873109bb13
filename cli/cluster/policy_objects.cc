#include "cli/cluster/policy_objects.h"

namespace portcullis {

const std::shared_ptr<const Decoded>& PolicyObjects::decoded(const InputObject& object) {
  auto& slot = decoded_[&object];
  if (slot == nullptr) slot = std::make_shared<Decoded>(decode_object(arena_, object.value));
  return slot;
}

void PolicyObjects::forget() {
  decoded_.clear();
  parses_ = {};
  arena_.reset();
}

}  // namespace portcullis
