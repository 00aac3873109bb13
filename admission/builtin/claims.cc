#include "admission/builtin/claims.h"

#include <string_view>

#include "admission/builtin/access.h"

namespace portcullis::builtin {
namespace {

constexpr std::string_view kSource = "spec.dataSource", kReference = "spec.dataSourceRef";

// Drops dataSource if nothing else is given and it is no claim or snapshot.
void drop_unknown_source(Object& claim) {
  Object* source = child(claim, kSource);
  if (source == nullptr || has(claim, kReference)) return;
  const std::string_view kind = text(*source, "kind"), group = text(*source, "apiGroup");
  const bool known = (kind == "PersistentVolumeClaim" && group.empty()) ||
                     (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
  if (!known) set(claim, kSource, absent());
}

// A reference to another namespace needs the feature CrossNamespaceVolumeDataSource, which is off by default.
void drop_foreign_reference(Object& claim) {
  Object* reference = child(claim, kReference);
  if (reference != nullptr && !text(*reference, "namespace").empty()) set(claim, kReference, absent());
}

void share_source(Arena& arena, Object& claim) {
  Object *source = child(claim, kSource), *reference = child(claim, kReference);
  const auto copy = [&](Object& from, std::string_view path, std::string_view struct_path) {
    Object* made = make_object(arena, *find_struct(struct_path));
    for (std::string_view field : {"kind", "name", "apiGroup"}) set(*made, field, *find(from, field));
    set(claim, path, Value::opaque(made));
  };
  if (source != nullptr && reference == nullptr)
    copy(*source, kReference, "api/core/v1.TypedObjectReference");
  if (source == nullptr && reference != nullptr && text(*reference, "namespace").empty())
    copy(*reference, kSource, "api/core/v1.TypedLocalObjectReference");
}

}  // namespace

void fill_claim(const Filling& with, Object& claim) {
  reset(with.arena, claim, "status");
  drop_foreign_reference(claim);
  drop_unknown_source(claim);
  share_source(with.arena, claim);
}

void keep_claim(const Filling& with, Object& claim, Object& stored) {
  if (!has(stored, kReference)) drop_foreign_reference(claim);
  if (!has(stored, kSource) && !has(stored, kReference)) drop_unknown_source(claim);
  share_source(with.arena, claim);
}

}  // namespace portcullis::builtin
