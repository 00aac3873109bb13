#include "interpreter/values/paths.h"

namespace portcullis {

uint32_t PathTable::variable(std::string_view name) {
  auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  uint32_t number = static_cast<uint32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(name, number);
  ++growth_;
  return number;
}

uint32_t PathTable::find_variable(std::string_view name) const {
  auto found = numbers_.find(name);
  return found == numbers_.end() ? kNone : found->second;
}

uint32_t PathTable::child(uint32_t variable, uint32_t parent, std::string_view key) {
  // The high bit distinguishes variables from nodes.
  uint64_t place = parent == kNone ? (uint64_t{1} << 63 | variable) : parent;
  auto [at, is_new] = children_.try_emplace({place, std::string(key)}, static_cast<uint32_t>(nodes_.size()));
  if (is_new) {
    const uint32_t depth = parent == kNone ? 1 : nodes_[parent].depth + 1;
    nodes_.emplace_back(parent, variable, depth, Value::string(keys_.emplace_back(key)));
    ++growth_;
  }
  return at->second;
}

}  // namespace portcullis
