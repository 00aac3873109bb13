#include "admission/builtin/managed.h"

#include "admission/builtin/access.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/merging.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/updates.h"
#include "admission/ownership/managers.h"
#include "admission/scalars/group_version.h"

namespace portcullis::builtin {
namespace {

using ownership::FieldSet;

// The members of `set` below the path.
FieldSet below_path(Arena& arena, const FieldSet& set, std::string_view path) {
  std::string_view name = path.substr(0, path.find('.')),
                   rest = path.substr(std::min(path.size(), name.size() + 1));
  auto* kept = arena.array<ownership::FieldEntry>(set.count);
  uint32_t n = 0;
  for (const ownership::FieldEntry& e : set.all()) {
    bool named = e.element.kind == ownership::ElementKind::Field && e.element.value.as_text() == name;
    if (!named && name != "*") continue;
    ownership::FieldEntry made = e;
    if (!rest.empty()) made = {e.element, below_path(arena, e.children, rest), e.member};
    if (made.member || !made.children.empty()) new (&kept[n++]) ownership::FieldEntry(made);
  }
  return {kept, n};
}

class KindVersions final : public ownership::Versions {
 public:
  KindVersions(const StructRow& row, std::string_view api_version, std::string_view subresource)
      : row_(row), api_version_(api_version), ownership_(ownership_of(row, subresource)) {}

  std::optional<ownership::Versioned> at(Arena& arena, const Value& object,
                                         std::string_view api_version) const override {
    if (api_version == api_version_) return ownership::Versioned{object, &merge_type(row_)};
    std::string_view kind = text_at(row_.name);
    const StructRow* other = find_kind(api_version, kind);
    if (other == nullptr) return {};
    GroupVersion to = split_api_version(api_version);
    return ownership::Versioned{convert_to(arena, object, to.group, to.version, kind), &merge_type(*other)};
  }

  FieldSet without_reset(Arena& arena, const FieldSet& set, std::string_view) const override {
    FieldSet left = set, owned;
    for (std::string_view rest = ownership_.owned; !rest.empty();)
      owned = unite(arena, owned, below_path(arena, set, next_word(rest)));
    for (std::string_view rest = ownership_.disowned; !rest.empty() && !left.empty();)
      left = subtract(arena, left, ownership::path_set(arena, next_word(rest)), true);
    return unite(arena, left, owned);
  }

 private:
  const StructRow& row_;
  std::string_view api_version_;
  Ownership ownership_;
};

// The apiVersion of the struct; the object may lack it.
std::string_view api_version_of(Object& o) {
  std::string_view said = text<"apiVersion">(o);
  if (!said.empty()) return said;
  for (const KindRow& kind : all_kinds()) {
    if (kind.structure == struct_index(*o.row)) return kind.kind.substr(0, kind.kind.find(' '));
  }
  return {};
}

// The present metadata.managedFields; null if absent.
Value managed_list(Object& metadata) {
  const Value& slot = *find<"managedFields">(metadata);
  if (!slot.is(Kind::List)) return Value::null();
  return slot.size() == 0 ? slot : member(encode_plain(*metadata.arena, metadata), "managedFields");
}

void manage(const Filling& with, Object& o, ownership::Change& change) {
  Object& metadata = *child<"metadata">(o);
  change.after = encode_plain(with.arena, o);
  change.after_list = managed_list(metadata);
  ownership::Manager manager{with.manager, api_version_of(o), with.subresource, with.now};
  KindVersions versions(*o.row, manager.api_version, with.subresource);
  Value list = manage_fields(with.arena, manager, change, versions);
  set<"managedFields">(metadata, list.is_null() ? absent() : list);
}

}  // namespace

void manage_new(const Filling& with, Object& o) {
  ownership::Change change;
  change.creates = true;
  change.before = encode_plain(with.arena, *make_object(with.arena, *o.row));
  manage(with, o, change);
}

void manage_update(const Filling& with, Object& o, Object& stored) {
  ownership::Change change;
  change.before = encode_plain(with.arena, stored);
  Object* metadata = child<"metadata">(stored);
  change.before_list = managed_list(*metadata);
  change.creates = text<"uid">(*metadata).empty();
  manage(with, o, change);
}

}  // namespace portcullis::builtin
