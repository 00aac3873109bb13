#include "admission/crd/scale.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "admission/crd/typed.h"
#include "interpreter/values/member.h"
#include "interpreter/values/print.h"

namespace portcullis::crd {
namespace {

constexpr int64_t kMostReplicas = std::numeric_limits<int32_t>::max();

// The text of an error of Go's helpers: `path` up to the value, which should have another type.
std::string not_of_type(std::string_view path, const Value& v, std::string_view expected) {
  return fmt::format(".{} accessor error: {} is of the type {}, expected {}", path, format_native(v),
                     go_type_of(v), expected);
}

// The value at `path`; null if it is absent. `error`: what is in the way.
const Value* value_at(const Value& object, std::string_view path, std::string& error) {
  const Value* at = &object;
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('.', start), path.size());
    if (at->is_null()) return nullptr;
    if (!at->is(Kind::Map)) {
      error = not_of_type(path.substr(0, end), *at, "map[string]interface{}");
      return nullptr;
    }
    at = find_member(*at, path.substr(start, end - start));
    if (at == nullptr) return nullptr;
    start = end + 1;
  }
  return at;
}

std::string_view without_dot(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

void check_replicas(const Value& object, const std::string& path, FieldErrors& errors) {
  std::string error;
  const Value* found = value_at(object, without_dot(path), error);
  if (found != nullptr && !found->is(Kind::Int)) error = not_of_type(without_dot(path), *found, "int64");
  const int64_t replicas = found != nullptr && error.empty() ? found->as_int() : 0;
  if (replicas < 0) error = "should be a non-negative integer";
  if (replicas > kMostReplicas) error = fmt::format("should be less than or equal to {}", kMostReplicas);
  if (!error.empty()) errors.invalid_number(path, replicas, error);
}

}  // namespace

Scale read_scale(const Value& scale) {
  return {std::string(text_member(scale, "specReplicasPath")),
          std::string(text_member(scale, "statusReplicasPath")),
          std::string(text_member(scale, "labelSelectorPath"))};
}

void check_scale_spec(const Value& object, const Scale& scale, FieldErrors& errors) {
  check_replicas(object, scale.spec_replicas, errors);
}

void check_scale_status(const Value& object, const Scale& scale, FieldErrors& errors) {
  check_replicas(object, scale.status_replicas, errors);
  if (scale.label_selector.empty()) return;
  std::string error;
  const Value* found = value_at(object, without_dot(scale.label_selector), error);
  if (found != nullptr && !found->is(Kind::String))
    error = not_of_type(without_dot(scale.label_selector), *found, "string");
  if (!error.empty()) errors.invalid(scale.label_selector, "", error);
}

}  // namespace portcullis::crd
