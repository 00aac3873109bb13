#include "admission/patching/undeclared.h"

#include <algorithm>

#include "admission/ownership/compare.h"

namespace portcullis::patching {
namespace {

using ownership::Declared;
using ownership::Form;
using ownership::MergeFields;
using ownership::MergeType;

// The type of an undeclared field: its own fields are undeclared, too.
class UndeclaredFields final : public MergeFields {
 public:
  const MergeType* find(const Value&, int&) const override;
  std::vector<std::string_view> names() const override { return {}; }
};
constexpr UndeclaredFields kUndeclaredFields;
constexpr MergeType kUndeclared{
    .form = Form::Any, .fallible = true, .declared = Declared::Not, .fields = &kUndeclaredFields};

const MergeType* UndeclaredFields::find(const Value&, int&) const { return &kUndeclared; }

// The fields of a map, and any other. Those of free data stay what they are: they are declared.
class AllFields final : public MergeFields {
 public:
  AllFields(Arena& arena, const MergeType& map) : arena_(arena), map_(map) {}

  const MergeType* find(const Value& name, int& near) const override {
    const MergeType* field = map_.fields == nullptr ? nullptr : map_.fields->find(name, near);
    if (field != nullptr) return &with_undeclared(arena_, *field);
    return map_.item == nullptr ? &kUndeclared : nullptr;
  }
  std::vector<std::string_view> names() const override {
    return map_.fields == nullptr ? std::vector<std::string_view>() : map_.fields->names();
  }

 private:
  Arena& arena_;
  const MergeType& map_;
};

// Whether values of this type are data without declarations.
bool is_free(const MergeType& type) {
  return type.form == Form::Any && type.fields == nullptr && type.item == nullptr;
}

}  // namespace

bool has_undeclared(const Value& object, const MergeType& type) {
  if (object.is(Kind::List)) {
    return type.form == Form::List && type.item != nullptr &&
           std::ranges::any_of(object.as_list(),
                               [&](const Value& item) { return has_undeclared(item, *type.item); });
  }
  if (!object.is(Kind::Map) || (type.form != Form::Map && type.form != Form::Any) || is_free(type))
    return false;
  int near = 0;
  return std::ranges::any_of(object.as_map(), [&](const MapEntry& e) {
    const MergeType* entry = ownership::entry_type(type, e.key, near);
    return entry == nullptr || has_undeclared(e.value, *entry);
  });
}

const MergeType& with_undeclared(Arena& arena, const MergeType& type) {
  if (type.form == Form::Scalar || is_free(type)) return type;
  MergeType& made = *arena.make<MergeType>(type);
  made.declared = Declared::Partly;
  if (type.item != nullptr) made.item = &with_undeclared(arena, *type.item);
  if (type.form != Form::List) made.fields = arena.make<AllFields>(arena, type);
  return made;
}

}  // namespace portcullis::patching
