#include "interpreter/values/activation.h"

namespace portcullis {
namespace {

struct FieldsOpaque : Opaque {
  LazyFields* fields;
};

// Source of behaviour: apiserver pkg/cel/lazy.
bool find_field(const Opaque& self, const Value& key, Ask ask, Arena& arena, Value* out) {
  if (!key.is(Kind::String)) return *out = make_error(arena, "no such overload"), true;
  LazyFields* fields = static_cast<const FieldsOpaque&>(self).fields;
  if (!fields->has(key.as_text())) return false;
  // has() computes the field as well, and fails if the field does.
  Value got = fields->get(key.as_text());
  *out = ask == Ask::Presence && !got.is_error() ? Value::boolean(true) : got;
  return true;
}

Value equal_fields(const Opaque& self, const Value& other, Arena& arena) {
  if (self.cls != (other.is(Kind::Opaque) ? other.as_opaque().cls : nullptr))
    return make_error(arena, "no such overload");
  return Value::boolean(&other.as_opaque() == &self);
}

std::span<const std::string_view> field_names(const Opaque& self) {
  return static_cast<const FieldsOpaque&>(self).fields->names();
}

uint64_t count_fields(const Opaque& self) { return field_names(self).size(); }

std::string_view print_fields(const Opaque& self, Arena&) { return self.cls->type_name; }

}  // namespace

// A class per variable, because each may have another type name.
struct Activation::LazyOpaque {
  FieldsOpaque value;
  OpaqueClass cls;
};

Activation::Activation(std::shared_ptr<const PathTable> paths) : paths_(std::move(paths)) { fit(); }
Activation::~Activation() = default;

void Activation::grow() {
  if (variables_.size() < paths_->variable_count()) variables_.resize(paths_->variable_count());
  if (slots_.size() < paths_->node_count()) slots_.resize(paths_->node_count());
  if (memos_.size() < paths_->memo_count()) memos_.resize(paths_->memo_count());
  memo_count_ = memos_.size();
  fitted_ = paths_->growth();
}

void Activation::set_fields(uint32_t variable, LazyFields* fields, std::string_view type_name) {
  if (variable == PathTable::kNone) return;
  if (wrappers_.size() <= variable) wrappers_.resize(variable + 1);
  if (wrappers_[variable] == nullptr) wrappers_[variable] = std::make_unique<LazyOpaque>();
  LazyOpaque& wrapper = *wrappers_[variable];
  wrapper.cls = {.type_name = type_name,
                 .equal = equal_fields,
                 .print = print_fields,
                 .size = count_fields,
                 .find = find_field,
                 .names = field_names,
                 .go_type = "*lazy.MapValue"};
  wrapper.value.cls = &wrapper.cls;
  wrapper.value.fields = fields;
  set(variable, Value::opaque(&wrapper.value));
}

void Activation::unset(uint32_t variable) {
  ++next_stamp_;
  if (variable < variables_.size()) variables_[variable] = {};
}

void Activation::clear() {
  ++next_stamp_;
  for (Variable& v : variables_) v = {};
}

}  // namespace portcullis
