// See scene.h.
#include "admission/engine/scene.h"

#include <algorithm>

#include "admission/engine/request_values.h"
#include "admission/scalars/group_version.h"
#include "grammar/quote.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"

namespace portcullis {

std::string_view missing_namespace(const AdmissionRequest& request, Arena& arena) {
  return joined(arena, {"namespaces ", quote(request.namespace_name), " not found"});
}

bool needs_namespace(const AdmissionRequest& request) {
  const GroupVersionKind& k = request.kind;
  bool is_namespace = k.kind == "Namespace" && k.version == "v1" && k.group.empty();
  return !is_namespace && !request.namespace_name.empty();
}

void refuse_missing_namespace(const AdmissionRequest& request, Arena& arena, Status& status) {
  status.code = 404;
  status.reason = "NotFound";
  status.message = status.missing_namespace = missing_namespace(request, arena);
  status.has_details = true;
  status.name = request.namespace_name;
  status.group = {};
  status.kind = "namespaces";
}

std::string_view missing_namespace_of(const MatchOutcome* match) {
  return match != nullptr && match->lacks_namespace ? match->error : std::string_view();
}

std::string_view shown_name(const AdmissionRequest& request, const MatchScene& scene) {
  if (!request.name.empty()) return request.name;
  // Go structs without metadata (PodExecOptions) have no name.
  if (!scene.has_object) return request.object.is_null() ? "Unknown" : "Unknown/errorGettingName";
  for (std::string_view field : {"name", "generateName"}) {
    std::string_view name = metadata_text(request.object, field);
    if (!name.empty()) return name;
  }
  return "Unknown";
}

std::string_view forbidden(const GroupVersionResource& resource, std::string_view name, std::string_view why,
                           Arena& arena) {
  if (resource.resource.empty() && resource.group.empty()) return joined(arena, {"forbidden: ", why});
  return joined(arena, {resource.resource, resource.group.empty() ? "" : ".", resource.group, " ",
                        name.empty() ? "" : quote(name) + " ", "is forbidden: ", why});
}

std::string_view not_configured(const PolicyBinding* binding, std::string_view why, Arena& arena) {
  return joined(arena, {"failed to configure ", binding == nullptr ? "policy: " : "binding: ", why});
}

std::string_view field_within(std::string_view field, const MatchOutcome* match, Arena& arena) {
  return match == nullptr || match->field.empty() ? field : joined(arena, {field, ".", match->field});
}

const NamespaceValues* namespace_of(const Engine::Loaded& loaded, std::string_view name,
                                    NamespaceValues& room, Arena& arena) {
  if (const LoadedNamespace* found = loaded.namespaces.find({{}, name})) return &found->values;
  if (!loaded.assume_namespaces || name.empty()) return nullptr;
  std::string ignored;
  Result<NamespaceValues> made = namespace_values(named_namespace(arena.copy(name), arena), ignored, arena);
  if (!made.ok()) return nullptr;
  room = *made;
  return &room;
}

namespace {

// Whether the request's subresource takes objects of a kind of its own (widgets/scale an autoscaling/v1 Scale, not a
// Widget), which stays the same whatever version of the resource a rule names. Also at a version that nothing that is
// given has.
bool takes_own_kind(const AdmissionRequest& request, std::span<const Equivalent> known) {
  if (request.subresource.empty() || known.empty()) return false;
  const auto resource = std::ranges::find(known, request.resource, &Equivalent::resource);
  if (resource != known.end()) return resource->kind != request.kind;
  return std::ranges::none_of(known, [&](const Equivalent& e) {
    return e.kind.group == request.kind.group && e.kind.kind == request.kind.kind;
  });
}

// Whether the versions of the request have its subresource here. If not, the definition is older than the request, so
// other versions may have the subresource by now, too.
bool knows_subresource(const AdmissionRequest& request, std::span<const Equivalent> known) {
  const auto has = [&](const GroupVersionResource& resource) {
    const auto found = std::ranges::find(known, resource, &Equivalent::resource);
    return found != known.end() && !found->lacks.contains(request.subresource);
  };
  return has(request.resource) && (!request.sent || has(request.sent->resource));
}

// Whether an API server sent a custom resource, or an object of its subresource, at a version that nothing that is
// given has.
bool is_of_newer_version(const AdmissionRequest& request, std::span<const Equivalent> known, bool own_kind) {
  return request.served && (own_kind || !request.typed) &&
         std::ranges::find(known, request.resource, &Equivalent::resource) == known.end();
}

// Sets the equivalents of the request's resource, and how its objects are converted. A server that sent it converted
// knows the two as versions of one resource, even if nothing that is given has them.
void set_equivalents(const Engine::Loaded& loaded, const AdmissionRequest& request, Arena& arena,
                     MatchScene& scene) {
  const std::span<const Equivalent> known = loaded.equivalents_of(request.resource);
  const bool own_kind = takes_own_kind(request, known);
  const bool up_to_date = knows_subresource(request, known);
  const auto is_none = [&](const Equivalent& e) {
    return up_to_date && e.lacks.contains(request.subresource);
  };
  scene.equivalents = known;
  const bool newer = is_of_newer_version(request, known, own_kind);
  if (newer && !known.empty()) {
    const Conversion conversion = own_kind ? Conversion::Known : Conversion::Unknown;
    scene.any_version =
        arena.make<Equivalent>(Equivalent{request.resource, request.kind, {}, conversion, {}});
  }
  if (!request.sent && !own_kind && !newer && std::ranges::none_of(known, is_none)) return;
  const GroupVersionKind& from = request.kind_of_objects();
  const auto conversion_to = [&](const GroupVersionKind& to) {
    if (to == from) return Conversion::Known;
    const auto source = std::ranges::find(known, from, &Equivalent::kind),
               target = std::ranges::find(known, to, &Equivalent::kind);
    return source == known.end() || target == known.end() ? Conversion::Unknown : target->conversion;
  };
  Equivalent* list = arena.array<Equivalent>(known.size() + 1);
  std::ranges::copy(known, list);
  size_t count = known.size();
  bool listed = !request.sent;
  for (Equivalent& e : std::span(list, count)) {
    if (own_kind) e.kind = request.kind;
    if (request.sent && e.resource == request.sent->resource) {
      e.kind = from;
      listed = true;
    }
    e.conversion = conversion_to(e.kind);
  }
  if (!listed) list[count++] = {.resource = request.sent->resource, .kind = from, .error = {}};
  scene.equivalents = {list, std::remove_if(list, list + count, is_none)};
  scene.conversion = conversion_to(request.kind);
}

}  // namespace

MatchScene scene_of(const Engine::Loaded& loaded, const AdmissionRequest& request, Arena& arena) {
  MatchScene scene;
  scene.request = &request;
  // Selectors cannot match Go structs without metadata (PodExecOptions); they can match all plain data.
  auto selectable = [&](const Value& o) {
    return o.is(Kind::Map) && (!request.typed || find_key(o, Value::string("metadata")) != nullptr);
  };
  scene.has_object = selectable(request.object);
  scene.has_old_object = selectable(request.old_object);
  scene.object_labels = labels_of(request.object);
  scene.old_object_labels = labels_of(request.old_object);
  set_equivalents(loaded, request, arena, scene);
  bool of_object = request.resource.resource == "namespaces" && request.subresource.empty() &&
                   (request.operation == Operation::Create || request.operation == Operation::Update);
  if (of_object) {
    // The stored namespace is not yet updated, so the labels of the request's object count.
    scene.namespace_labels = scene.object_labels;
    if (!scene.has_object) {
      scene.namespace_error = "Internal error occurred: object does not implement the Object interfaces";
    }
    return scene;
  }
  NamespaceValues room;
  if (const NamespaceValues* known = namespace_of(loaded, request.namespace_name, room, arena)) {
    scene.namespace_labels = known->labels;
  } else if (!request.namespace_name.empty() || request.resource.resource == "namespaces") {
    scene.namespace_error = missing_namespace(request, arena);
    scene.lacks_namespace = true;
  }
  return scene;
}

std::string_view param_namespace(const LoadedPolicy& policy, const PolicyBinding& binding,
                                 const AdmissionRequest& request) {
  if (!policy.params->namespaced) return {};
  return binding.param->name_space.empty() ? request.namespace_name
                                           : std::string_view(binding.param->name_space);
}

bool Param::created_by(const AdmissionRequest& request) const {
  if (!under_review || request.operation != Operation::Create || !request.subresource.empty()) return false;
  const Value* version = find_key(value, Value::string("apiVersion"));
  const Value* kind = find_key(value, Value::string("kind"));
  return name == request.name && (name_space.empty() || name_space == request.namespace_name) &&
         kind != nullptr && kind->is(Kind::String) && kind->as_text() == request.kind.kind &&
         version != nullptr && version->is(Kind::String) &&
         split_api_version(version->as_text()).group == request.kind.group;
}

ParamProblem find_params(const LoadedPolicy& policy, const PolicyBinding& binding,
                         const AdmissionRequest& request, std::vector<const Param*>& out) {
  if (!policy.has_param_kind || binding.param == nullptr) {
    out.push_back(nullptr);
    return {};
  }
  if (binding.named != nullptr) {
    out.push_back(binding.named);
    return {};
  }
  const ParamReference& ref = *binding.param;
  std::string_view space = param_namespace(policy, binding, request);
  if (policy.params->namespaced && space.empty())
    return {"cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
            "spec.paramRef"};
  if (!policy.params->namespaced && !ref.name_space.empty())
    return {"paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
            "spec.paramRef.namespace"};
  size_t before = out.size();
  if (!ref.name.empty()) {
    if (ref.has_selector)
      return {"paramRef.name and paramRef.selector are mutually exclusive", "spec.paramRef.selector"};
    if (const Param* p = policy.params->params.find({space, ref.name});
        p != nullptr && !p->created_by(request))
      out.push_back(p);
  } else if (ref.has_selector) {
    if (!ref.selector.error().empty()) return {ref.selector.error(), "spec.paramRef.selector"};
    policy.params->params.each(space, [&](const Param& p) {
      if (ref.selector.matches(p.labels) && !p.created_by(request)) out.push_back(&p);
    });
  } else {
    return {"one of name or selector must be provided", "spec.paramRef"};
  }
  if (out.size() == before && ref.deny_missing)
    return {"no params found for policy binding with `Deny` parameterNotFoundAction",
            ref.name.empty() ? "spec.paramRef.selector" : "spec.paramRef.name"};
  return {};
}

}  // namespace portcullis
