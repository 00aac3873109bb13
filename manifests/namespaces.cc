// See namespaces.h.
#include "manifests/namespaces.h"

#include <algorithm>

#include "admission/builtin/normalize.h"
#include "admission/builtin/time.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/roles.h"

namespace portcullis {
namespace {

// Whether `of`, which may be null, selects namespaces by their labels.
bool has_selector(const Value* of) {
  const Value* selector = of == nullptr ? nullptr : find_member(*of, "namespaceSelector");
  if (selector == nullptr) return false;
  const Value* labels = find_member(*selector, "matchLabels", Kind::Map);
  const Value* expressions = find_member(*selector, "matchExpressions", Kind::List);
  return (labels != nullptr && labels->size() > 0) || (expressions != nullptr && expressions->size() > 0);
}

}  // namespace

bool sees_namespaces(const Value& object) {
  if (split_api_version(text_member(object, "apiVersion")).group != kRegistrationGroup) return false;
  if (const Value* webhooks = find_member(object, "webhooks", Kind::List)) {
    return std::ranges::any_of(webhooks->as_list(),
                               [](const Value& w) { return w.is(Kind::Map) && has_selector(&w); });
  }
  const Value* spec = find_member(object, "spec");
  if (spec == nullptr) return false;
  return has_selector(find_member(*spec, "matchConstraints")) ||
         has_selector(find_member(*spec, "matchResources")) ||
         to_json(*spec).find("namespaceObject") != std::string::npos;
}

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
  Value made = namespaced ? with_member(arena, *metadata, "namespace", Value::string(name))
                          : without_member(arena, *metadata, "namespace");
  o.value = with_member(arena, o.value, "metadata", made);
}

void settle(std::vector<InputObject>& objects, const Resources& resources, std::string_view namespace_name,
            Arena& arena) {
  for (InputObject& o : objects) {
    if (role_of(o) == Role::Review) continue;
    Resource r = resources.find(o.api_version, o.kind);
    settle(o, r.namespaced, namespace_name, arena);
  }
}

std::string_view keep_namespace(AdmissionRequest& request, Arena& arena) {
  const bool written = request.operation == Operation::Create || request.operation == Operation::Update;
  const bool whole = request.subresource.empty() || request.subresource == "status";
  if (!written || !whole || !request.object.is(Kind::Map)) return {};
  const bool is_namespace = request.resource.group.empty() && request.resource.resource == "namespaces";
  const std::string_view wanted = is_namespace ? std::string_view() : request.namespace_name;
  const Value* metadata = find_member(request.object, "metadata");
  if (metadata != nullptr && !metadata->is(Kind::Map) && !metadata->is_null())
    return {};  // refused in any case
  const std::string_view said =
      metadata == nullptr ? std::string_view() : text_member(*metadata, "namespace");
  if (said == wanted) return {};
  if (!said.empty() && !wanted.empty())
    return "the namespace of the provided object does not match the namespace sent on the request";
  const Value empty = Value::map(nullptr, 0, kNativeMap);
  const Value& before = metadata == nullptr || metadata->is_null() ? empty : *metadata;
  const Value made = wanted.empty() ? without_member(arena, before, "namespace")
                                    : with_member(arena, before, "namespace", Value::string(wanted));
  request.object = with_member(arena, request.object, "metadata", made);
  return {};
}

Value complete_namespace(const InputObject& object, Arena& arena) {
  const Value* metadata = find_member(object.value, "metadata");
  if (!metadata || !metadata->is(Kind::Map)) return object.value;
  const Value* labels = find_member(*metadata, "labels");
  Value all = with_member(arena, labels && labels->is(Kind::Map) ? *labels : no_members(),
                          kNamespaceNameLabel, Value::string(object.name));
  const Value made =
      with_member(arena, object.value, "metadata", with_member(arena, *metadata, "labels", all));
  const Value held = builtin::held_by_informer(arena, made, builtin::time_now(arena));
  return without_member(arena, without_member(arena, held, "apiVersion"), "kind");
}

}  // namespace portcullis
