#include "admission/typing/catalog.h"

#include <algorithm>
#include <set>

#include "admission/scalars/group_version.h"
#include "admission/typing/builtin.h"
#include "grammar/ascii.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// A group that the checker does not know, since it has the schemes of client-go and of custom resources; only
// discovery has it.
constexpr std::string_view kAggregated = "apiregistration.k8s.io";

// Kinds without resource.
constexpr std::string_view kNoResources[] = {
    "DeleteOptions", "ListOptions",           "NodeProxyOptions", "PodAttachOptions",    "PodExecOptions",
    "PodLogOptions", "PodPortForwardOptions", "PodProxyOptions",  "ServiceProxyOptions", "Status"};

const builtin::StructRow* find_structure(const KindId& id) {
  const builtin::StructRow* row = builtin::find_kind(join_api_version(id.group, id.version), id.kind);
  const bool everywhere = std::ranges::find(kKindsOfAllGroups, id.kind) != std::end(kKindsOfAllGroups);
  return row == nullptr && everywhere ? builtin::find_kind("v1", id.kind)
                                      : row;  // their structs are in the core group
}

// The published schema of a custom resource: resources and embedded resources have apiVersion, kind and
// complete metadata.
crd::SchemaPtr published(const crd::SchemaPtr& schema, bool resource, const crd::SchemaPtr& metadata) {
  if (schema == nullptr) return nullptr;
  auto made = std::make_shared<crd::Schema>(*schema);
  made->items = published(made->items, made->items && made->items->embedded_resource, metadata);
  made->additional =
      published(made->additional, made->additional && made->additional->embedded_resource, metadata);
  for (auto& [name, property] : made->properties)
    property = published(property, property->embedded_resource, metadata);
  if (!resource) return made;
  auto string = std::make_shared<crd::Schema>();
  string->type = "string";
  std::erase_if(made->properties, [](const auto& p) {
    return p.first == "apiVersion" || p.first == "kind" || p.first == "metadata";
  });
  made->properties.emplace("apiVersion", string);
  made->properties.emplace("kind", string);
  made->properties.emplace("metadata", metadata);
  return made;
}

// The resources that the paths of an OpenAPI document have, as /apis/example.com/v1/namespaces/{namespace}/widgets, by
// kind.
std::map<KindId, std::string_view> resources_of(const Value& document) {
  std::map<KindId, std::string_view> out;
  const Value* paths = find_member(document, "paths", Kind::Map);
  if (paths == nullptr) return out;
  for (const MapEntry& path : paths->as_map()) {
    if (!path.key.is(Kind::String) || !path.value.is(Kind::Map)) continue;
    const std::string_view text = path.key.as_text(), name = text.substr(text.rfind('/') + 1);
    if (name.find('{') != name.npos || text.find("/{name}/") != text.npos) continue;
    for (const MapEntry& action : path.value.as_map()) {
      const std::string_view what = text_member(action.value, "x-kubernetes-action");
      const Value* kind = find_member(action.value, "x-kubernetes-group-version-kind", Kind::Map);
      if (kind == nullptr || (what != "list" && what != "post")) continue;
      out[{std::string(text_member(*kind, "group")), std::string(text_member(*kind, "version")),
           std::string(text_member(*kind, "kind"))}] = name;
    }
  }
  return out;
}

}  // namespace

std::string KindId::text() const { return kind_text(group, version, kind); }

std::string guess_plural(std::string_view kind) {
  std::string name = lower_case(kind);
  if (name.ends_with("endpoints")) return name;
  if (name.ends_with('s')) return name + "es";
  if (name.ends_with('y')) return name.substr(0, name.size() - 1) + "ies";
  return name + "s";
}

SchemaCatalog::SchemaCatalog() {
  std::map<std::pair<std::string_view, std::string_view>, bool> versions;  // the value is `more`
  for (const builtin::KindRow& row : builtin::all_kinds()) {
    std::string_view api = row.kind.substr(0, row.kind.find(' '));
    const auto [group, version, well_formed] = split_api_version(api);
    add_row(group, version, row.kind.substr(api.size() + 1), row.more ? Origin::More : Origin::BuiltIn);
    if (group != kAggregated) versions.emplace(std::pair(group, version), row.more);
  }
  for (const auto& [at, more] : versions) {
    for (std::string_view kind : kKindsOfAllGroups) {
      if (builtin::find_kind(join_api_version(at.first, at.second), kind) != nullptr) continue;
      add_row(at.first, at.second, kind, more ? Origin::More : Origin::BuiltIn);
    }
  }
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
}
SchemaCatalog::~SchemaCatalog() = default;

void SchemaCatalog::add_row(std::string_view group, std::string_view version, std::string_view kind,
                            Origin origin, std::string_view schema) {
  Row& row = rows_.emplace_back();
  row.id = {std::string(group), std::string(version), std::string(kind)};
  row.plural = guess_plural(kind);
  row.singular = lower_case(kind);
  row.origin = origin;
  row.schema = schema;
  row.resource = std::find(std::begin(kNoResources), std::end(kNoResources), kind) == std::end(kNoResources);
}

Result<void> SchemaCatalog::add_openapi(std::string_view json) {
  auto document = read_json(json, arena_);
  if (!document.ok()) return document.error();
  Value* kept = arena_.make<Value>(*document);
  size_t before = openapi_.kinds().size();
  if (auto added = openapi_.add(*kept); !added.ok()) return added;
  const std::map<KindId, std::string_view> resources = resources_of(*kept);
  std::set<std::pair<std::string_view, std::string_view>> described;
  for (size_t i = before; i < openapi_.kinds().size(); i++) {
    const auto& k = openapi_.kinds()[i];
    described.emplace(k.group, k.version);
  }
  std::erase_if(rows_, [&](const Row& r) { return described.contains({r.id.group, r.id.version}); });
  for (size_t i = before; i < openapi_.kinds().size(); i++) {
    const auto& k = openapi_.kinds()[i];
    add_row(k.group, k.version, k.kind, Origin::OpenApi, k.schema);
    Row& row = rows_.back();
    if (const auto found = resources.find(row.id); found != resources.end()) row.plural = found->second;
  }
  return {};
}

bool SchemaCatalog::add_definition(const Value& definition) {
  const Value* spec = find_member(definition, "spec", Kind::Map);
  const Value* names = spec ? find_member(*spec, "names", Kind::Map) : nullptr;
  const Value* versions = spec ? find_member(*spec, "versions", Kind::List) : nullptr;
  if (names == nullptr || versions == nullptr || text_member(*names, "kind").empty()) return false;
  for (const Value& version : versions->as_list()) {
    const Value* served = find_member(version, "served", Kind::Bool);
    if (served == nullptr || served->as_bool()) add_version(version, *spec);
  }
  return true;
}

void SchemaCatalog::add_version(const Value& version, const Value& spec) {
  const Value& names = *find_member(spec, "names", Kind::Map);
  std::string_view group = text_member(spec, "group"), kind = text_member(names, "kind");
  crd::SchemaPtr schema;
  const Value* holder = find_member(version, "schema", Kind::Map);
  const Value* data = holder ? find_member(*holder, "openAPIV3Schema", Kind::Map) : nullptr;
  if (data == nullptr || crd::read_schema(*data, schema)) schema = nullptr;
  if (schema == nullptr) {
    auto empty = std::make_shared<crd::Schema>();
    empty->type = "object";
    schema = empty;
  } else {
    schema = published(schema, true,
                       builtin_schema(*builtin::find_struct("apimachinery/pkg/apis/meta/v1.ObjectMeta")));
  }
  KindId id{std::string(group), std::string(text_member(version, "name")), std::string(kind)};
  std::erase_if(rows_, [&](const Row& r) { return r.id == id; });
  add_row(group, id.version, kind, Origin::Definition);
  Row& row = rows_.back();
  row.definition = schema;
  if (std::string_view plural = text_member(names, "plural"); !plural.empty()) row.plural = plural;
  if (std::string_view singular = text_member(names, "singular"); !singular.empty()) row.singular = singular;
}

std::vector<KindId> SchemaCatalog::kinds_for(std::string_view group, std::string_view version,
                                             std::string_view resource, bool all) const {
  std::vector<KindId> out;
  std::string name = lower_case(resource);
  if (version == "__internal") version = {};
  for (const Row& row : rows_) {
    if (!row.resource || (row.plural != name && row.singular != name)) continue;
    if (row.origin == Origin::More && !all) continue;
    // Without a version, the group may be a prefix.
    bool same_group =
        group.empty() || (version.empty() ? row.id.group.starts_with(group) : row.id.group == group);
    if (same_group && (version.empty() || row.id.version == version)) out.push_back(row.id);
  }
  return out;
}

const SchemaCatalog::Row* SchemaCatalog::find(const KindId& kind) const {
  auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.id == kind; });
  return row == rows_.end() ? nullptr : &*row;
}

crd::SchemaPtr SchemaCatalog::schema_of(const KindId& kind) const {
  const Row* row = find(kind);
  if (row == nullptr) return nullptr;
  switch (row->origin) {
    case Origin::Definition: return row->definition;
    case Origin::OpenApi: return openapi_.find(row->schema);
    case Origin::BuiltIn:
    case Origin::More: break;
  }
  const builtin::StructRow* structure = find_structure(kind);
  return structure == nullptr ? nullptr : builtin_schema(*structure);
}

std::shared_ptr<const crd::DeclTypes> SchemaCatalog::types_of(const KindId& kind, std::string_view name,
                                                              bool all) const {
  if (!all && kind.group == kAggregated) return nullptr;
  auto key = std::pair(kind, std::string(name));
  {
    std::lock_guard lock(mutex_);
    if (auto known = types_.find(key); known != types_.end()) return known->second;
  }
  crd::SchemaPtr schema = schema_of(kind);
  std::shared_ptr<const crd::DeclTypes> made;
  if (schema != nullptr) made = std::make_shared<const crd::DeclTypes>(schema, true, name);
  std::lock_guard lock(mutex_);
  return types_.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace portcullis
