// See kind_words.h.
#include "manifests/kind_words.h"

#include "admission/scalars/group_version.h"
#include "admission/scalars/spelling.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// Kinds of resources (not of subresources' bodies) at the versions that are served by default.
std::vector<Served> kinds_of(const Resources& resources) {
  std::vector<Served> all = resources.served();
  std::erase_if(all, [](const Served& s) {
    return !s.subresource.empty() || (s.built_in && off_by_default(s.version));
  });
  return all;
}

std::string api_version_of(const Served& s) { return join_api_version(s.group, s.version); }

// The kind at that of several versions that clients prefer.
const Served* find_kind(const std::vector<Served>& all, std::string_view kind, const std::string* group) {
  const Served* last = nullptr;
  for (const Served& s : all) {
    if (s.kind == kind && (group == nullptr || s.group == *group) &&
        (last == nullptr || (last->group == s.group && !version_before(s.version, last->version))))
      last = &s;
  }
  return last;
}

// The kind with the most similar name, in one group or in all.
const Served* nearest_kind(const std::vector<Served>& all, std::string_view kind, const std::string* group) {
  std::vector<std::string> names;
  for (const Served& s : all) {
    if (group == nullptr || s.group == *group) names.emplace_back(s.kind);
  }
  std::string_view name = nearest(kind, names);
  return name.empty() ? nullptr : find_kind(all, name, group);
}

// The same kind in a group with a name similar to the given one.
const Served* near_group(const std::vector<Served>& all, const Resource& r) {
  std::vector<std::string> groups;
  for (const Served& s : all) {
    if (s.kind == r.kind) groups.emplace_back(s.group);
  }
  std::string group(nearest(r.group, groups));
  return group.empty() ? nullptr : find_kind(all, r.kind, &group);
}

const Served* meant_kind(const std::vector<Served>& all, const Resource& r) {
  if (r.availability == Availability::Guessed) {
    const Served* same = near_group(all, r);
    return same != nullptr ? same : nearest_kind(all, r.kind, &r.group);
  }
  for (auto find : {find_kind, nearest_kind}) {
    for (const std::string* group : {&r.group, static_cast<const std::string*>(nullptr)}) {
      if (const Served* found = find(all, r.kind, group)) return found;
    }
  }
  return nullptr;
}

std::string where_now(const std::vector<Served>& all, const Resource& r) {
  std::string text = gone_since(r.gone);
  const Served* now = find_kind(all, r.kind, &r.group);
  if (now == nullptr) now = find_kind(all, r.kind, nullptr);
  if (now != nullptr) return text + "; " + r.kind + " is served in " + api_version_of(*now);
  return r.kind == "PodSecurityPolicy" ? text + "; Pod Security admission took its place" : text;
}

}  // namespace

std::string gone_since(uint32_t minor) { return "gone since Kubernetes 1." + std::to_string(minor); }

std::string kind_name(const Resource& r) { return join_api_version(r.group, r.version) + " " + r.kind; }

std::string no_match(const Resource& r) {
  return "no matches for kind " + quote_json(r.kind) + " in version " +
         quote_json(join_api_version(r.group, r.version));
}

std::string subresource_taking(const Resource& r, const Resources& resources) {
  std::string found;
  for (const Served& s : resources.served()) {
    bool takes = !s.subresource.empty() && s.body_kind == r.kind && s.body_group == r.group &&
                 s.body_version == r.version && s.body_kind != s.kind;
    if (!takes) continue;
    if (!found.empty() && found != name_of(s)) return std::string(s.subresource);
    found = name_of(s);
  }
  return found;
}

std::string kind_hint(const Resource& r, const Resources& resources) {
  std::vector<Served> all = kinds_of(resources);
  if (r.availability == Availability::Gone) return where_now(all, r);
  std::string subresource =
      r.availability == Availability::Absent ? subresource_taking(r, resources) : std::string();
  if (!subresource.empty()) return "it is what the subresource " + subresource + " takes";
  const Served* meant = meant_kind(all, r);
  return meant == nullptr ? "" : did_you_mean(std::string(meant->kind) + " in " + api_version_of(*meant));
}

}  // namespace portcullis
