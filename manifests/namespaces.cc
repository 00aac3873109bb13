// See namespaces.h.
#include "manifests/namespaces.h"

#include "admission/builtin/conversion.h"

namespace portcullis {

void settle(InputObject& o, bool namespaced, std::string_view name, Arena& arena) {
  if (o.namespace_name.empty() && namespaced) o.namespace_name = name;
  if (!namespaced) o.namespace_name = {};
  const Value* metadata = find_member(o.value, "metadata");
  if (metadata == nullptr || !metadata->is(Kind::Map)) return;
  const Value* own = find_member(*metadata, "namespace");
  bool none = own == nullptr || own->is_null() || (own->is(Kind::String) && own->as_text().empty());
  // A namespace that is no string is left to the decoder of the object.
  bool stays = namespaced ? !none : own == nullptr || (!none && !own->is(Kind::String));
  if (stays) return;
  Value made = namespaced ? with_member(*metadata, "namespace", Value::string(name), arena)
                          : builtin::without_member(arena, *metadata, "namespace");
  o.value = with_member(o.value, "metadata", made, arena);
}

void settle(std::vector<InputObject>& objects, const Resources& resources, std::string_view namespace_name,
            Arena& arena) {
  for (InputObject& o : objects) {
    if (o.kind == "AdmissionReview" && o.group() == "admission.k8s.io") continue;
    Resource r = resources.find(o.api_version, o.kind);
    settle(o, r.namespaced, namespace_name, arena);
  }
}

Value complete_namespace(const InputObject& object, Arena& arena) {
  const Value* metadata = find_member(object.value, "metadata");
  if (!metadata || !metadata->is(Kind::Map)) return object.value;
  const Value* labels = find_member(*metadata, "labels");
  Value all = with_member(labels ? *labels : Value(), "kubernetes.io/metadata.name",
                          Value::string(object.name), arena);
  return with_member(object.value, "metadata", with_member(*metadata, "labels", all, arena), arena);
}

}  // namespace portcullis
