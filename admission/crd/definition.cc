#include "admission/crd/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/normalize.h"
#include "admission/crd/version.h"
#include "admission/scalars/group_version.h"

namespace portcullis::crd {
namespace {

std::string member_text(const Value* object, std::string_view name) {
  const Value* v = object == nullptr ? nullptr : member_of(*object, name);
  return v != nullptr && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
}
bool is_true(const Value& object, std::string_view name) {
  const Value* v = member_of(object, name);
  return v != nullptr && v->is_true();
}

}  // namespace

Definition::Definition() = default;
Definition::~Definition() = default;

std::shared_ptr<const Definition> Definition::read(const Value& object, const RuleEnvironment& environment) {
  std::shared_ptr<Definition> made(new Definition());
  made->read_data(object);
  made->server_ = environment.server;
  made->memo_ = environment.memo;
  const Value* spec = member_of(made->data_, "spec");
  if (spec == nullptr) return made;
  const Value *names = member_of(*spec, "names"), *versions = member_of(*spec, "versions");
  made->group = member_text(spec, "group");
  made->kind = member_text(names, "kind");
  made->plural = member_text(names, "plural");
  made->namespaced = member_text(spec, "scope") != "Cluster";
  made->by_webhook = member_text(member_of(*spec, "conversion"), "strategy") == "Webhook";
  if (versions == nullptr || !versions->is(Kind::List)) return made;
  for (const Value& version : versions->as_list()) made->read_version(version, environment);
  return made;
}

void Definition::read_version(const Value& given, const RuleEnvironment& environment) {
  Version& v = versions_.emplace_back();
  v.name = member_text(&given, "name");
  v.path = fmt::format("spec.versions[{}].schema.openAPIV3Schema", versions_.size() - 1);
  v.served = is_true(given, "served");
  v.storage = is_true(given, "storage");
  v.deprecated = is_true(given, "deprecated");
  const Value* warning = member_of(given, "deprecationWarning");
  if (warning != nullptr && warning->is(Kind::String)) v.deprecation = std::string(warning->as_text());
  const Value* schema = member_of(given, "schema");
  v.data = schema == nullptr ? nullptr : member_of(*schema, "openAPIV3Schema");
  if (v.data == nullptr) return;
  if (const Value* subresources = member_of(given, "subresources")) {
    v.status = member_of(*subresources, "status") != nullptr;
    if (const Value* scale = member_of(*subresources, "scale")) v.scale = read_scale(*scale);
  }
  if (auto error = read_schema(*v.data, v.schema)) {
    v.schema_error = error->text;
    if (!error->unreadable) v.refused = v.schema;
    v.schema = nullptr;
  } else {
    v.validator = RuleChecker::make(v.schema, true, environment, v.path);
    v.merging = std::make_shared<MergeTypes>(*v.schema);
  }
}

// What the server reads: null is a schema, text or rule without content, and fields that it does not know are dropped.
void Definition::read_data(const Value& object) {
  data_ = object;
  const builtin::StructRow* row = builtin::struct_of(object);
  if (row == nullptr) return;
  const builtin::Decoded decoded = builtin::decode(arena_, *row, object, {});
  decodes_ = decoded.error.empty();
  if (decodes_)
    data_ = builtin::encode_present(arena_, *decoded.object);
  else
    decode_error_ = RuleReport{.path = decoded.error_path, .error = decoded.error};
}

const Definition::Version* Definition::find(std::string_view version) const {
  for (const Version& v : versions_) {
    if (v.name == version) return &v;
  }
  return nullptr;
}

std::string Definition::deprecation(std::string_view version) const {
  const Version* v = find(version);
  if (v == nullptr || !v->deprecated) return {};
  if (v->deprecation) return *v->deprecation;
  const Version* better = nullptr;
  for (const Version& other : versions_) {
    if (other.served && !other.deprecated &&
        version_before(better == nullptr ? version : better->name, other.name))
      better = &other;
  }
  std::string text = fmt::format("{}/{} {} is deprecated", group, version, kind);
  return better == nullptr ? text : fmt::format("{}; use {}/{} {}", text, group, better->name, kind);
}

const Scale* Definition::scale(std::string_view version) const {
  const Version* v = find(version);
  return v != nullptr && v->scale ? &*v->scale : nullptr;
}

bool Definition::serves(std::string_view version) const {
  const Version* v = find(version);
  return v != nullptr && v->served;
}

const ownership::MergeType* Definition::merge_type(std::string_view version) const {
  const Version* v = find(version);
  if (v == nullptr) return nullptr;
  return v->merging != nullptr ? &v->merging->root() : &free_object();
}

std::string Definition::schema_error() const {
  for (const Version& v : versions_) {
    if (!v.schema_error.empty()) return v.schema_error;
  }
  return {};
}

bool Definition::has_version(std::string_view version) const {
  const Version* v = find(version);
  return v != nullptr && v->schema != nullptr;
}

bool Definition::has_schemas() const {
  return std::ranges::all_of(versions_, [](const Version& v) { return v.schema != nullptr; });
}

std::vector<std::pair<std::string, SchemaPtr>> Definition::schemas() const {
  std::vector<std::pair<std::string, SchemaPtr>> out;
  for (const Version& v : versions_) {
    if (v.schema != nullptr) out.emplace_back(v.path, v.schema);
  }
  return out;
}

std::vector<PlacedRule> Definition::rules() const {
  std::vector<PlacedRule> out;
  for (const Version& v : versions_) {
    const size_t before = out.size();
    if (v.validator != nullptr) std::ranges::move(v.validator->rules(), std::back_inserter(out));
    for (size_t i = before; i < out.size(); i++) out[i].path.insert(0, v.path + ".");
  }
  return out;
}

}  // namespace portcullis::crd
