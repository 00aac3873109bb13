#include "cli/cluster/policy_objects.h"

namespace portcullis {

const Decoded& PolicyObjects::decoded(const InputObject& object) {
  if (&object != last_) {
    arena_.reset();
    decoded_ = decode_object(arena_, object.value);
    last_ = &object;
  }
  return decoded_;
}

void PolicyObjects::forget() {
  last_ = nullptr;
  parses_ = {};
  valid_ = {};
  prepared_ = nullptr;
}

}  // namespace portcullis
