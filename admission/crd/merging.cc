#include "admission/crd/merging.h"

#include <algorithm>

#include "admission/builtin/merging.h"
#include "grammar/quote.h"

namespace portcullis::crd {

using ownership::Form;
using ownership::MergeKey;
using ownership::MergeType;
using ownership::ScalarForm;

namespace {

constexpr MergeType kFree{.form = Form::Any};
constexpr MergeType kText{.scalar = ScalarForm::Text, .fallible = true};

ScalarForm scalar_form(const Schema& s) {
  if (s.type == "boolean") return ScalarForm::Boolean;
  if (s.type == "integer" || s.type == "number") return ScalarForm::Number;
  bool plain = s.type == "string" && (s.format.empty() || s.format == "byte");
  return plain ? ScalarForm::Text : ScalarForm::Any;
}

constexpr MergeType kFreeObject{.form = Form::Map, .fallible = true, .item = &kFree};

}  // namespace

const MergeType& free_object() { return kFreeObject; }

void MergeTypes::Fields::add(std::string_view name, const MergeType* type) { types_[name] = type; }

const MergeType* MergeTypes::Fields::find(const Value& name, int&) const {
  auto found = types_.find(name.as_text());
  return found == types_.end() ? nullptr : found->second;
}

std::vector<std::string_view> MergeTypes::Fields::names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, type] : types_) out.push_back(name);
  std::ranges::sort(out);
  return out;
}

MergeTypes::MergeTypes(const Schema& schema) {
  MergeType& root = types_.emplace_back();
  make_map(schema, schema.preserve_unknown_fields, root);
  root.form = Form::Map;
  root.fallible = true;
  add_meta(fields_.front());
  root.fields = &fields_.front();
  root_ = &root;
}

// The fields of every resource, regardless of its schema.
void MergeTypes::add_meta(Fields& fields) {
  fields.add("apiVersion", &kText);
  fields.add("kind", &kText);
  fields.add("metadata",
             &builtin::merge_type(*builtin::find_struct("apimachinery/pkg/apis/meta/v1.ObjectMeta")));
}

// `preserving`: this schema or an outer one preserves unknown fields, which merge as free data.
const MergeType* MergeTypes::make(const Schema& schema, bool preserving) {
  preserving |= schema.preserve_unknown_fields;
  MergeType& out = types_.emplace_back();
  out.fallible = true;
  if (schema.type == "array") {
    make_list(schema, preserving, out);
  } else if (schema.type == "object") {
    out.form = Form::Map;
    make_map(schema, preserving, out);
  } else if (schema.type.empty()) {
    out.form = Form::Any;
    out.fallible = false;
    make_map(schema, true, out);
  } else {
    out.scalar = scalar_form(schema);
  }
  return &out;
}

void MergeTypes::make_map(const Schema& schema, bool preserving, MergeType& out) {
  Fields& fields = fields_.emplace_back();
  out.atomic = schema.map_type == "atomic";
  for (const auto& [name, property] : schema.properties) fields.add(name, make(*property, preserving));
  bool free = schema.additional_allowed.value_or(preserving || schema.properties.empty());
  out.item = schema.additional != nullptr ? make(*schema.additional, preserving) : free ? &kFree : nullptr;
  if (schema.embedded_resource) add_meta(fields);
  out.fields = fields.empty() ? nullptr : &fields;
}

void MergeTypes::make_list(const Schema& schema, bool preserving, MergeType& out) {
  out.form = Form::List;
  out.atomic = schema.list_type != "set" && schema.list_type != "map";
  out.item = schema.items == nullptr ? &kFree : make(*schema.items, preserving);
  if (schema.list_type != "map" || schema.items == nullptr) return;
  std::vector<MergeKey>& keys = keys_.emplace_back();
  for (const std::string& name : schema.list_map_keys) {
    const Schema* property = schema.items->property(name);
    bool has = property != nullptr && property->fallback.has_value() && !property->fallback->is_null();
    keys.push_back({Value::string(name), has ? *property->fallback : Value::null(), has});
  }
  std::string& names = names_.emplace_back("[");
  for (const std::string& name : schema.list_map_keys) names += (names.size() > 1 ? " " : "") + quote(name);
  out.key_names = names += "]";
  std::ranges::sort(keys, {}, [](const MergeKey& k) { return k.name.as_text(); });
  out.keys = keys;
}

}  // namespace portcullis::crd
