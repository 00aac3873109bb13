#include "admission/builtin/merging.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

using ownership::Form;
using ownership::MergeFields;
using ownership::MergeKey;
using ownership::MergeType;
using ownership::ScalarForm;

class StructFields final : public MergeFields {
 public:
  StructFields(const StructRow& row, const std::vector<MergeType>& fields) : row_(&row), fields_(&fields) {}
  const MergeType* find(const Value& name, int& near) const override {
    int i = field_index_near(*row_, name, near);
    if (i < 0) return nullptr;
    near = i + 1;
    return &(*fields_)[row_->first + static_cast<size_t>(i)];
  }
  std::vector<std::string_view> names() const override {
    std::vector<std::string_view> out;
    for (const FieldRow& f : fields_of(*row_)) out.push_back(text_at(f.name));
    return out;
  }

 private:
  const StructRow* row_;
  const std::vector<MergeType>* fields_;
};

// One node for each struct, for each field and for the items of each field, in the order of the table.
class Merging {
 public:
  Merging() {
    for (const StructRow& row : all_structs()) {
      fields_.resize(std::max<size_t>(fields_.size(), row.first + row.count));
      struct_fields_.emplace_back(row, fields_);
    }
    for (const StructRow& row : all_structs()) {
      // A schema without properties allows any fields.
      const MergeType* free = row.count == 0 ? &free_ : nullptr;
      structs_.push_back({.form = Form::Map, .item = free, .fields = &struct_fields_[struct_index(row)]});
    }
    items_.resize(fields_.size());
    auto merge = all_merges().begin();
    for (size_t i = 0; i < fields_.size(); ++i) {
      bool told = merge != all_merges().end() && merge->field == i;
      make(i, told ? &*merge : nullptr);
      merge += told;
    }
    while (spread_fallible()) {
    }
  }

  const MergeType& of(const StructRow& row) const { return structs_[struct_index(row)]; }

 private:
  // The type of the field or, for a list or map, of its items.
  MergeType one(const FieldRow& f) const {
    switch (f.scalar) {
      case kStruct: return structs_[f.structure];
      case kRaw:
        if (text_at(f.go_item).ends_with("FieldsV1")) return {.form = Form::Map, .item = &free_};
        return {.form = Form::Any, .atomic = true};
      case kAny:
      case kIntOrString:  // its schema has no type, only oneOf
      case kJson:
      case kSchemaOr: return {.form = Form::Any};
      case kText:
      case kBase64: return {.scalar = ScalarForm::Text};
      case kBoolean: return {.scalar = ScalarForm::Boolean};
      case kInt32:
      case kInt64:
      case kDouble: return {.scalar = ScalarForm::Number};
      default: return {};
    }
  }

  void make(size_t i, const MergeRow* told) {
    const FieldRow& f = kFieldRows[i];
    uint8_t flags = told == nullptr ? 0 : told->flags;
    MergeType& type = fields_[i];
    MergeType& item = items_[i] = one(f);
    if (f.shape == kOne) {
      type = item;
      type.atomic |= (flags & kAtomic) != 0;
    } else if (f.shape == kList) {
      item.atomic |= (flags & kAtomicItems) != 0;
      type = {.form = Form::List, .atomic = (flags & (kSet | kKeyed)) == 0, .item = &item};
      type.fallible = !type.atomic;
      if (flags & kKeyed) {
        type.keys = keys(text_at(told->keys));
        type.key_names = key_names(text_at(told->keys));
      }
    } else {
      if (f.shape == kMapOfLists) item = {.form = Form::List, .atomic = true, .item = &text_};
      type = {.form = Form::Map, .atomic = (flags & kAtomic) != 0, .item = &item};
    }
  }

  // Parses "port=0,protocol=\"TCP\""; sorted by name.
  std::span<const MergeKey> keys(std::string_view spelt) {
    std::vector<MergeKey> made;
    while (!spelt.empty()) {
      std::string_view key = spelt.substr(0, spelt.find(','));
      spelt.remove_prefix(std::min(spelt.size(), key.size() + 1));
      size_t equals = key.find('=');
      bool has = equals != std::string_view::npos;
      Value fallback = has ? *read_json(key.substr(equals + 1), arena_) : Value::null();
      made.push_back({Value::string(key.substr(0, equals)), fallback, has});
    }
    std::ranges::sort(made, {}, [](const MergeKey& k) { return k.name.as_text(); });
    MergeKey* kept = arena_.array<MergeKey>(made.size());
    std::ranges::copy(made, kept);
    return {kept, made.size()};
  }

  // ["port" "protocol"], in the order of the schema.
  std::string_view key_names(std::string_view spelt) {
    std::string made = "[";
    while (!spelt.empty()) {
      std::string_view key = spelt.substr(0, spelt.find(','));
      spelt.remove_prefix(std::min(spelt.size(), key.size() + 1));
      made += (made.size() > 1 ? " \"" : "\"") + std::string(key.substr(0, key.find('='))) + "\"";
    }
    return arena_.copy(made + "]");
  }

  bool spread_fallible() {
    bool changed = false;
    auto raise = [&](MergeType& type) { changed |= !std::exchange(type.fallible, true); };
    for (size_t i = 0; i < fields_.size(); ++i) {
      const FieldRow& f = kFieldRows[i];
      if (f.scalar != kStruct || f.shape == kMapOfLists || !structs_[f.structure].fallible) continue;
      raise(items_[i]);
      raise(fields_[i]);
    }
    for (const StructRow& row : all_structs()) {
      auto first = fields_.begin() + row.first;
      if (std::any_of(first, first + row.count, [](const MergeType& t) { return t.fallible; }))
        raise(structs_[struct_index(row)]);
    }
    return changed;
  }

  Arena arena_;
  MergeType free_{.form = Form::Any};
  MergeType text_{.scalar = ScalarForm::Text};
  std::vector<MergeType> structs_, fields_, items_;
  std::vector<StructFields> struct_fields_;
};

}  // namespace

const MergeType& merge_type(const StructRow& row) {
  static const Merging all;
  return all.of(row);
}

}  // namespace portcullis::builtin
