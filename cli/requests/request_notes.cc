// Notes about kinds and subresources that may not exist. See request.h.
#include <utility>

#include "admission/expressions/environment.h"
#include "admission/scalars/group_version.h"
#include "cli/messages/messages.h"
#include "cli/requests/request.h"
#include "interpreter/values/json.h"
#include "manifests/admission_review.h"
#include "manifests/kind_words.h"

namespace portcullis {
namespace {

// A note about a field of the first object that shows `thing`.
void note_once(const InputObject& o, std::string_view field, std::string thing, std::string text) {
  say({.severity = Severity::Note,
       .file = o.file->name,
       .position = o.locate(field),
       .text = std::move(text),
       .hint = {},
       .source = {},
       .once = std::move(thing),
       .excerpt = {}});
}

// Whether it is the scale of a defined resource, whose definition decides what becomes of the resource.
bool is_defined_scale(const Route& route) {
  return !route.assumed && !route.served.built_in && route.served.subresource == "scale";
}

}  // namespace

// Prints a note once for each kind that is not certain to exist.
void RequestMaker::note_kind(const InputObject& o, const Resource& r) {
  if (r.availability == Availability::Served || !noted_.insert(kind_name(r)).second) return;
  std::string text, hint = kind_hint(r, resources_);
  if (!r.exists()) {
    text = no_match(r) + "; decided unchanged";
  } else if (r.availability == Availability::OffByDefault) {
    text = kind_name(r) + " is off by default; this cluster is assumed to serve it";
  } else {
    text = kind_name(r) + " is not a built-in kind and no CustomResourceDefinition is given; taken as " +
           (r.namespaced ? "namespaced" : "cluster-scoped") + " resource " + quote_json(r.plural);
  }
  if (!hint.empty() && r.availability != Availability::OffByDefault) text += "; " + hint;
  note_once(o, "kind", kind_name(r), text);
}

// Prints a note about a subresource that is only assumed to exist.
void RequestMaker::note_route(const InputObject& o, const Route& route) {
  std::string name = name_of(route.served, true);
  if (!route.assumed || !noted_.insert(name).second) return;
  note_once(o, "kind", name,
            "no definition has the subresources of " + name.substr(0, name.find('/')) + "; " + name +
                " is assumed to exist and to accept " + std::string(o.kind));
}

// Says of the scale of a custom resource that what becomes of the resource is not looked at.
void RequestMaker::note_scale(const InputObject& o, const Route& route) {
  if (!is_defined_scale(route)) return;
  const std::string name = name_of(route.served, true), resource = name.substr(0, name.find('/'));
  note_once(
      o, "kind", "definition of " + name,
      "the definition of " + resource +
          " is not asked whether this number of replicas fits; it is if --old gives the resource itself");
}

// The server that sent the request serves its kind, even if this release does not.
void RequestMaker::look_at_recorded(const InputObject& o, Request& request) {
  const AdmissionRequest& a = request.attributes;
  const std::string release = "Kubernetes 1." + std::to_string(KubernetesVersion::kLast);
  auto note = [&](std::string_view field, const std::string& what, const std::string& text,
                  const std::string& hint) {
    if (noted_.insert(what).second) note_once(o, field, what, text + (hint.empty() ? "" : "; " + hint));
  };
  auto not_served = [&](const std::string& what) {
    return what + " is not served by " + release + "; the server of this request did";
  };
  const Resource r = resources_.find(join_api_version(a.kind.group, a.kind.version), a.kind.kind);
  if (auto unknown = unknown_kind(a, resources_)) {
    const std::string_view field =
        unknown->version == a.kind_of_objects().version ? "request.kind" : "request.requestKind";
    const std::string name = kind_name(*unknown);
    const std::string text =
        "neither " + release + " nor a definition has " + name +
        "; it is assumed that the server of this request does, and decided as a custom resource";
    request.remarks.push_back({Remark::About::Assumed, o.locate(field), text});
    note(field, name, text, kind_hint(*unknown, resources_));
  } else if (r.availability == Availability::Gone && a.subresource.empty()) {
    note(a.sent ? "request.requestKind" : "request.kind", kind_name(r), not_served(kind_name(r)),
         kind_hint(r, resources_));
  }
  const std::string name_of_subresource = std::string(a.resource.resource) + "/" + std::string(a.subresource);
  if (!a.subresource.empty() && routes().lacks(a.resource, a.subresource))
    note("request.subResource", name_of_subresource, not_served(name_of_subresource), {});
}

}  // namespace portcullis
