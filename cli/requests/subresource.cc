// See subresource.h.
#include "cli/requests/subresource.h"

#include <algorithm>

#include "admission/scalars/group_version.h"
#include "admission/scalars/spelling.h"
#include "cli/messages/lists.h"
#include "interpreter/values/json.h"
#include "manifests/kind_words.h"

namespace portcullis {
namespace {

std::string kind_of(std::string_view group, std::string_view version, std::string_view kind) {
  return join_api_version(group, version) + " " + std::string(kind);
}

// Built-in resources by their names alone, which are unambiguous.
std::string short_name(const Served& s) { return name_of(s, !s.built_in); }

bool is_of(const Served& s, const Resource& kind) {
  return s.group == kind.group && s.version == kind.version && s.kind == kind.kind;
}
bool takes(const Served& s, const Resource& kind) {
  return s.body_group == kind.group && s.body_version == kind.version && s.body_kind == kind.kind;
}
bool is_resource(const Served& s, const Served& other) {
  return s.group == other.group && s.resource == other.resource;
}

// "a, b or c", without duplicates.
std::string or_list(const std::vector<std::string>& words) {
  std::vector<std::string> once;
  for (const std::string& w : words) {
    if (std::ranges::find(once, w) == once.end()) once.push_back(w);
  }
  return listed(once, " or ");
}

// Whether a word names the resource: deployments, deployments.apps or deployments.v1.apps.
bool is_called(const Served& s, std::string_view word) {
  if (word == s.resource) return true;
  std::string group = "." + std::string(s.group);
  return word == std::string(s.resource) + group ||
         word == std::string(s.resource) + "." + std::string(s.version) + (s.group.empty() ? "" : group);
}

// Refuses a body that the subresource does not take, and names what it takes.
Route refuse_body(const std::vector<const Served*>& rows, const Resource& kind) {
  std::vector<std::string> kinds;
  for (const Served* s : rows) kinds.push_back(kind_of(s->body_group, s->body_version, s->body_kind));
  return {.served = *rows[0],
          .error = short_name(*rows[0]) + " takes " + or_list(kinds) + ", not " + kind_name(kind)};
}

// Custom resources only have the subresources status and scale. An aggregated API server may have others,
// which are unknown.
void refuse_unknown(Route& route) {
  route.error =
      "no definition has " + name_of(route.served, true) + ": custom resources only have status and scale";
  route.hint = "the AdmissionReview of such a request can be reviewed";
}

}  // namespace

Routes::Routes(const Resources& resources, std::string_view word) : resources_(resources) {
  size_t slash = word.find('/');
  parent_ = slash == word.npos ? std::string_view() : word.substr(0, slash);
  name_ = slash == word.npos ? word : word.substr(slash + 1);
  all_ = resources.served();
}

std::string Routes::misuse(std::string_view word) {
  bool sound = !word.starts_with('/') && !word.ends_with('/') && std::ranges::count(word, '/') < 2;
  return sound ? "" : "--subresource " + quote_json(word) + " is neither NAME nor RESOURCE/NAME";
}

Route Routes::find(const Resource& kind) const {
  if (name_.empty()) return plain(kind);
  return parent_.empty() ? of_kind(kind) : of_parent(kind);
}

Route Routes::plain(const Resource& kind) const {
  for (const Served& s : all_) {
    if (s.subresource.empty() && s.resource == kind.plural && is_of(s, kind)) return {.served = s};
  }
  return {.served = {.group = kind.group,
                     .version = kind.version,
                     .resource = kind.plural,
                     .subresource = {},
                     .kind = kind.kind,
                     .body_group = kind.group,
                     .body_version = kind.version,
                     .body_kind = kind.kind,
                     .namespaced = kind.namespaced,
                     .built_in = false}};
}

// For a name alone: the resources whose subresource of that name takes the kind.
Route Routes::of_kind(const Resource& kind) const {
  Rows fitting, named, own;
  const Served* resource = nullptr;
  for (const Served& s : all_) {
    if (s.subresource.empty() && is_of(s, kind)) resource = &s;
    if (s.subresource != name_) continue;
    named.push_back(&s);
    if (takes(s, kind)) fitting.push_back(&s);
    if (is_of(s, kind)) own.push_back(&s);
  }
  if (!fitting.empty()) return choose(fitting, kind);
  if (!own.empty()) return refuse_body(own, kind);
  if (resource != nullptr) return refuse_name(*resource);
  if (kind.availability == Availability::Guessed || kind.availability == Availability::Gone)
    return guessed(kind);
  Route none;
  if (!named.empty()) {
    none.error = "no subresource " + quote_json(name_) + " takes " + kind_name(kind);
    none.hint = kind_hint(kind, resources_);
    return none;
  }
  std::vector<std::string> names;
  for (const Served& s : all_) {
    if (!s.subresource.empty()) names.emplace_back(s.subresource);
  }
  none.error = "no resource has a subresource " + quote_json(name_);
  std::string_view meant = nearest(name_, names);
  none.hint = meant.empty() ? kind_hint(kind, resources_) : did_you_mean(meant);
  return none;
}

// For RESOURCE/NAME.
Route Routes::of_parent(const Resource& kind) const {
  Rows fitting, named, resources;
  for (const Served& s : all_) {
    if (!is_called(s, parent_)) continue;
    if (s.subresource.empty()) resources.push_back(&s);
    if (s.subresource == name_) named.push_back(&s);
    if (s.subresource == name_ && takes(s, kind)) fitting.push_back(&s);
  }
  if (!fitting.empty()) return choose(fitting, kind);
  if (!named.empty()) return refuse_body(named, kind);
  if (!resources.empty()) return refuse_name(*resources[0]);
  Route own = plain(kind);
  bool guess = kind.availability == Availability::Guessed || kind.availability == Availability::Gone;
  return guess && is_called(own.served, parent_) ? guessed(kind) : of_stranger(kind);
}

// For a subresource of an undefined kind.
Route Routes::guessed(const Resource& kind) const {
  Route made = plain(kind);
  made.served.subresource = name_;
  made.served.operations = kUpdate;
  made.assumed = true;
  if (name_ == "scale")
    made.error = name_of(made.served, true) + " takes autoscaling/v1 Scale, not " + kind_name(kind);
  else if (name_ != "status")
    refuse_unknown(made);
  return made;
}

// For RESOURCE/NAME of an unknown resource, which must include version and group.
Route Routes::of_stranger(const Resource& kind) const {
  size_t dot = parent_.find('.'), next = dot == parent_.npos ? dot : parent_.find('.', dot + 1);
  if (next != parent_.npos) {
    std::string_view version = parent_.substr(dot + 1, next - dot - 1), group = parent_.substr(next + 1);
    // The answer for any kind shows whether the group may have others.
    bool foreign =
        resources_.find(join_api_version(group, version), "Any").availability == Availability::Guessed;
    if (foreign && name_ == "scale" && kind_name(kind) != "autoscaling/v1 Scale") {
      return {.error = std::string(parent_) + "/scale takes autoscaling/v1 Scale, not " + kind_name(kind)};
    }
    Route made = plain(kind);
    made.served.group = group;
    made.served.version = version;
    made.served.resource = parent_.substr(0, dot);
    made.served.subresource = name_;
    made.served.operations = kUpdate;
    made.assumed = true;
    if (foreign && name_ != "scale" && name_ != "status") refuse_unknown(made);
    if (foreign && name_ != "status") return made;
  }
  Route none;
  none.error = "no resource " + quote_json(parent_) + " is known";
  std::vector<std::string> names;
  for (const Served& s : all_) names.push_back(std::string(s.resource));
  std::string_view meant = nearest(parent_.substr(0, dot), names);
  none.hint = meant.empty()
                  ? "of a resource without a CustomResourceDefinition among the files, say version and "
                    "group: widgets.v1.example.com/" +
                        std::string(name_)
                  : did_you_mean(std::string(meant) + "/" + std::string(name_));
  return none;
}

// Of several versions, chooses the one that clients prefer; of several resources, none.
Route Routes::choose(const Rows& fitting, const Resource& kind) {
  const Served* best = fitting[0];
  std::vector<std::string> names;
  for (const Served* s : fitting) {
    names.push_back(short_name(*s));
    if (is_resource(*s, *best) && version_before(best->version, s->version)) best = s;
  }
  if (std::ranges::all_of(fitting, [&](const Served* s) { return is_resource(*s, *best); }))
    return {.served = *best};
  return {.error = "several resources have a subresource " + quote_json(best->subresource) + " that takes " +
                   kind_name(kind),
          .hint = "say which: --subresource " + or_list(names)};
}

// Refuses a subresource that the resource lacks, and names those that it has.
Route Routes::refuse_name(const Served& resource) const {
  std::vector<std::string> names;
  for (const Served& s : all_) {
    if (is_resource(s, resource) && s.version == resource.version && !s.subresource.empty())
      names.emplace_back(s.subresource);
  }
  Route none{.served = resource,
             .error = name_of(resource, !resource.built_in) + " has no subresource " + quote_json(name_)};
  std::string_view meant = nearest(name_, names);
  none.hint = names.empty()    ? "it has no subresources"
              : !meant.empty() ? did_you_mean(meant)
                               : "it has " + listed(names);
  return none;
}

std::string Routes::others_taking(Operation operation, const Served& resource) const {
  std::vector<std::string> names;
  for (const Served& s : all_) {
    bool other = is_resource(s, resource) && s.version == resource.version && !s.subresource.empty();
    if (other && (s.operations & operation_bit(operation)) != 0) names.push_back(short_name(s));
  }
  if (names.empty()) return {};
  return "that is for --subresource " + or_list(names);
}

bool Routes::lacks(const GroupVersionResource& resource, std::string_view subresource) const {
  bool known = false;
  for (const Served& s : all_) {
    if (s.group != resource.group || s.resource != resource.resource) continue;
    if (s.subresource == subresource) return false;
    known = true;
  }
  return known;
}

}  // namespace portcullis
