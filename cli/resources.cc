// See resources.h. The table of built-in kinds is resources.inc.
#include "cli/resources.h"

#include <algorithm>

#include "interpreter/member.h"

namespace portcullis {
namespace {

struct BuiltIn {
  std::string_view group, kind, plural;
  bool namespaced;
  std::string_view versions;  // separated by spaces
};
const BuiltIn kBuiltIn[] = {
#include "cli/resources.inc"
};

template <class Do>
void each_version(std::string_view versions, Do visit) {
  while (!versions.empty()) {
    size_t end = std::min(versions.find(' '), versions.size());
    visit(versions.substr(0, end));
    versions.remove_prefix(std::min(end + 1, versions.size()));
  }
}

bool serves(std::string_view versions, std::string_view version) {
  bool found = false;
  each_version(versions, [&](std::string_view v) { found |= v == version; });
  return found;
}

std::string api_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

// As meta.UnsafeGuessKindToResource.
std::string guess_plural(std::string_view kind) {
  std::string s;
  for (char c : kind) s += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  if (s.ends_with("endpoints") || s.empty()) return s;
  if (s.back() == 's') return s + "es";
  if (s.back() == 'y') return s.substr(0, s.size() - 1) + "ies";
  return s + "s";
}

std::string text_of(const Value* v) {
  return v && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
}

// Groups of resources that are stored as one although their groups differ (kube-apiserver's
// cohabitating resources).
bool same_objects(std::string_view group, std::string_view plural, std::string_view other_group,
                  std::string_view other_plural) {
  if (plural != other_plural) return false;
  auto events = [&](std::string_view g) { return plural == "events" && (g.empty() || g == "events.k8s.io"); };
  return group == other_group || (events(group) && events(other_group));
}

void append_versions(std::vector<EquivalentResource>& out, const BuiltIn& row) {
  each_version(row.versions, [&](std::string_view v) {
    std::string g(row.group), version(v);
    out.push_back({g, version, std::string(row.plural), g, version, std::string(row.kind)});
  });
}

}  // namespace

void split_api_version(std::string_view api_version, std::string_view& group, std::string_view& version) {
  size_t slash = api_version.find('/');
  group = slash == api_version.npos ? std::string_view() : api_version.substr(0, slash);
  version = slash == api_version.npos ? api_version : api_version.substr(slash + 1);
}

bool Resources::add_definition(const Value& object) {
  const Value* spec = find_member(object, "spec");
  const Value* names = spec ? find_member(*spec, "names") : nullptr;
  if (!names) return false;
  Definition d;
  d.group = text_of(find_member(*spec, "group"));
  d.kind = text_of(find_member(*names, "kind"));
  d.plural = text_of(find_member(*names, "plural"));
  d.namespaced = text_of(find_member(*spec, "scope")) != "Cluster";
  if (const Value* versions = find_member(*spec, "versions"); versions && versions->is(Kind::List)) {
    for (const Value& v : versions->as_list()) {
      const Value* served = find_member(v, "served");
      if (served && served->is_false()) continue;
      d.versions.push_back(text_of(find_member(v, "name")));
      const Value* subresources = find_member(v, "subresources");
      auto has = [&](std::string_view name) {
        const Value* found = subresources ? find_member(*subresources, name) : nullptr;
        return found && !found->is_null();
      };
      if (has("status")) d.with_status.push_back(d.versions.back());
      if (has("scale")) d.with_scale.push_back(d.versions.back());
    }
  }
  if (d.versions.empty())
    d.versions.push_back(text_of(find_member(*spec, "version")));  // apiextensions v1beta1
  if (d.group.empty() || d.kind.empty() || d.plural.empty()) return false;
  definitions_.push_back(std::move(d));
  return true;
}

Resource Resources::find(std::string_view api_version, std::string_view kind, bool in_namespace) const {
  std::string_view group, version;
  split_api_version(api_version, group, version);
  Resource r{std::string(group), std::string(version), std::string(kind), {}, true};
  for (const Definition& d : definitions_) {
    if (d.group != group || d.kind != kind) continue;
    r.plural = d.plural;
    r.namespaced = d.namespaced;
    r.source = Resource::Source::Definition;
    r.served = std::find(d.versions.begin(), d.versions.end(), version) != d.versions.end();
    return r;
  }
  for (const BuiltIn& row : kBuiltIn) {
    if (row.group != group || row.kind != kind) continue;
    r.plural = row.plural;
    r.namespaced = row.namespaced;
    r.source = Resource::Source::BuiltIn;
    r.served = serves(row.versions, version);
    return r;
  }
  r.plural = guess_plural(kind);
  r.namespaced = in_namespace || api_version != "v1";  // a custom kind without namespace gets the default one
  return r;
}

std::vector<std::vector<EquivalentResource>> Resources::equivalents() const {
  std::vector<std::vector<EquivalentResource>> out;
  std::vector<bool> done(std::size(kBuiltIn));
  for (size_t i = 0; i < std::size(kBuiltIn); i++) {
    std::vector<EquivalentResource> same;
    for (size_t j = i; j < std::size(kBuiltIn); j++) {
      const BuiltIn &a = kBuiltIn[i], &b = kBuiltIn[j];
      if (done[j] || !same_objects(a.group, a.plural, b.group, b.plural)) continue;
      done[j] = true;
      append_versions(same, b);
    }
    if (same.size() > 1) out.push_back(std::move(same));
  }
  for (const Definition& d : definitions_) {
    if (d.versions.size() < 2) continue;
    auto& same = out.emplace_back();
    for (const std::string& v : d.versions) same.push_back({d.group, v, d.plural, d.group, v, d.kind});
  }
  return out;
}

std::vector<ParamKindInfo> Resources::kinds() const {
  std::vector<ParamKindInfo> out;
  for (const BuiltIn& row : kBuiltIn) {
    each_version(row.versions, [&](std::string_view v) {
      out.push_back({api_version(row.group, v), std::string(row.kind), row.namespaced});
    });
  }
  for (const Definition& d : definitions_) {
    for (const std::string& v : d.versions) out.push_back({api_version(d.group, v), d.kind, d.namespaced});
  }
  return out;
}

std::vector<Served> Resources::served() const {
  std::vector<Served> out;
  for (const BuiltIn& row : kBuiltIn) {
    each_version(row.versions, [&](std::string_view v) {
      Served own{row.group, v, row.plural, {}, row.kind, row.group, v, row.kind, row.namespaced};
      size_t at = out.size();
      out.push_back(own);
      for (const ServedRow& r : served_rows()) {
        if (r.group != row.group || r.resource != row.plural || !serves(r.versions, v)) continue;
        Served made = own;
        made.subresource = r.subresource;
        made.body_group = r.body_group;
        made.body_version = r.body_version.empty() ? v : r.body_version;
        made.body_kind = r.body_kind;
        made.operations = r.operations;
        r.subresource.empty() ? void(out[at] = made) : out.push_back(made);
      }
    });
  }
  for (const Definition& d : definitions_) {
    for (const std::string& v : d.versions) {
      Served own{d.group, v, d.plural, {}, d.kind, d.group, v, d.kind, d.namespaced, kWritten, false};
      out.push_back(own);
      auto among = [&](const std::vector<std::string>& list) { return std::ranges::count(list, v) > 0; };
      own.operations = kUpdate;
      own.subresource = "status";
      if (among(d.with_status)) out.push_back(own);
      own.subresource = "scale";
      own.body_group = "autoscaling";
      own.body_version = "v1";
      own.body_kind = "Scale";
      if (among(d.with_scale)) out.push_back(own);
    }
  }
  return out;
}

}  // namespace portcullis
