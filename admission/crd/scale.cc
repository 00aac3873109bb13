#include "admission/crd/scale.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "admission/crd/typed.h"
#include "interpreter/values/changed.h"
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

namespace {

// The value at `path` if it has this type, else null.
Value typed_at(const Value& object, std::string_view path, Kind kind) {
  std::string ignored;
  const Value* found = value_at(object, without_dot(path), ignored);
  return found != nullptr && found->is(kind) ? *found : Value::null();
}

// `map` with the member, if there is a value.
Value with_known(Arena& arena, const Value& map, std::string_view name, const Value& value) {
  return value.is_null() ? map : with_member(arena, map, name, value);
}

Value with_value_at(Arena& arena, const Value& object, std::string_view path, const Value& value) {
  const size_t dot = path.find('.');
  const std::string_view name = arena.copy(path.substr(0, dot));
  if (dot == path.npos) return with_member(arena, object, name, value);
  const Value* inner = find_member(object, name);
  const bool has = inner != nullptr && inner->is(Kind::Map);
  return with_member(
      arena, object, name,
      with_value_at(arena, has ? *inner : Value::map(nullptr, 0), path.substr(dot + 1), value));
}

}  // namespace

Value scale_of(Arena& arena, const Value& object, const Scale& scale) {
  Value metadata = Value::map(nullptr, 0), spec = metadata, status = metadata, out = metadata;
  if (const Value* given = find_member(object, "metadata")) {
    for (std::string_view name : {"creationTimestamp", "name", "namespace", "resourceVersion", "uid"}) {
      const Value* v = find_member(*given, name);
      if (v != nullptr) metadata = with_known(arena, metadata, name, *v);
    }
  }
  const Value wanted = typed_at(object, scale.spec_replicas, Kind::Int),
              present = typed_at(object, scale.status_replicas, Kind::Int);
  if (wanted.is(Kind::Int) && wanted.as_int() != 0) spec = with_known(arena, spec, "replicas", wanted);
  status = with_known(arena, status, "replicas", present.is_null() ? Value::integer(0) : present);
  const Value selector = typed_at(object, scale.label_selector, Kind::String);
  if (selector.is(Kind::String) && !selector.as_text().empty())
    status = with_known(arena, status, "selector", selector);
  out = with_member(arena, out, "apiVersion", Value::string("autoscaling/v1"));
  out = with_member(arena, out, "kind", Value::string("Scale"));
  out = with_member(arena, out, "metadata", metadata);
  out = with_member(arena, out, "spec", spec);
  return with_member(arena, out, "status", status);
}

Value with_replicas(Arena& arena, const Value& object, const Scale& scale, int64_t replicas) {
  return with_value_at(arena, object, without_dot(scale.spec_replicas), Value::integer(replicas));
}

}  // namespace portcullis::crd
