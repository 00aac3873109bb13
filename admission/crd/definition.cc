#include "admission/crd/definition.h"
#include "admission/crd/extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "admission/builtin/decode.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/normalize.h"
#include "admission/crd/correlation.h"
#include "admission/crd/defaults.h"
#include "admission/crd/metadata.h"
#include "admission/crd/structure.h"
#include "admission/policies/object_metadata.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/map.h"
#include "interpreter/values/member.h"

namespace portcullis::crd {
namespace {

const Value* member_of(const Value& object, std::string_view name) {
  const Value* found = find_member(object, name);
  return found == nullptr || found->is_null() ? nullptr : found;
}
std::string member_text(const Value* object, std::string_view name) {
  const Value* v = object == nullptr ? nullptr : member_of(*object, name);
  return v != nullptr && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
}

// Whether these errors prevent the evaluation of rules.
bool blocks_rules(const FieldErrors& errors) {
  for (const FieldError& e : errors.list) {
    for (std::string_view type : {"FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong",
                                  "FieldValueTooMany", "FieldValueTypeInvalid"}) {
      if (e.type == type) return true;
    }
  }
  return false;
}

// `object` with the status of `old` (null: without status), for definitions with a status subresource.
Value with_status_of(Arena& arena, const Value& object, const Value* old) {
  if (!object.is(Kind::Map)) return object;
  const Value* kept = old == nullptr ? nullptr : find_key(*old, Value::string("status"));
  const Value bare = without_member(arena, object, "status");
  return kept == nullptr ? bare : with_member(arena, bare, "status", *kept);
}

// The metadata.managedFields of `object`; null if there are none.
Value managed_fields_of(const Value& object) {
  const Value* metadata = member_of(object, "metadata");
  const Value* found = metadata == nullptr ? nullptr : member_of(*metadata, "managedFields");
  return found == nullptr ? Value::null() : *found;
}
// `object`, whose metadata is a map if there is any, with these; null: with none.
Value with_managed_fields(Arena& arena, const Value& object, const Value& list) {
  const Value* metadata = member_of(object, "metadata");
  if (metadata == nullptr || !metadata->is(Kind::Map)) return object;
  Value made = without_member(arena, *metadata, "managedFields");
  if (!list.is_null()) made = insert_entry(arena, made, Value::string("managedFields"), list);
  return with_member(arena, object, "metadata", made);
}

// What is checked of an update of the subresource status: only the status, if there is one.
void check_status(const Value& object, const Schema& schema, const Correlation& correlation, uint32_t server,
                  FieldErrors& errors) {
  const Value* status = find_member(object, "status");
  const Schema* of_status = schema.property("status");
  if (status != nullptr && of_status != nullptr)
    check_structure(*status, *of_status, correlation.field("status"), "status", errors, server);
}

// A definition without lists and maps that have no content.
Value decoded_plainly(Arena& arena, const Value& definition) {
  const builtin::StructRow* row = builtin::struct_of(definition);
  return row == nullptr ? definition
                        : builtin::encode(arena, *builtin::decode(arena, *row, definition, {}).object);
}

bool has_default(const Schema& s) {
  auto has = [](const SchemaPtr& part) { return part != nullptr && has_default(*part); };
  return s.fallback || has(s.items) || has(s.additional) || has(s.negated) ||
         std::ranges::any_of(s.all_of, has) || std::ranges::any_of(s.any_of, has) ||
         std::ranges::any_of(s.one_of, has) ||
         std::ranges::any_of(s.properties, [&](const auto& property) { return has(property.second); });
}

}  // namespace

struct Definition::Version {
  std::string name, path, schema_error;
  bool served = false, storage = false, deprecated = false;
  std::optional<std::string> deprecation;        // the warning, if the definition has one
  bool status = false;                           // whether status is a subresource
  std::optional<Scale> scale;                    // the subresource scale
  const Value* data = nullptr;                   // the schema
  SchemaPtr schema;                              // null: none, or not structural
  SchemaPtr refused;                             // the schema, if it is not structural
  std::shared_ptr<const RuleChecker> validator;  // null: the schema has no rules
  std::shared_ptr<const MergeTypes> merging;     // of `schema`
};

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
  for (size_t i = 0; i < versions->size(); ++i) {
    const Value& given = versions->as_list()[i];
    Version& v = made->versions_.emplace_back();
    v.name = member_text(&given, "name");
    v.path = fmt::format("spec.versions[{}].schema.openAPIV3Schema", i);
    const Value* served = member_of(given, "served");
    v.served = served != nullptr && served->is_true();
    const Value* storage = member_of(given, "storage");
    v.storage = storage != nullptr && storage->is_true();
    const Value *deprecated = member_of(given, "deprecated"),
                *warning = member_of(given, "deprecationWarning");
    v.deprecated = deprecated != nullptr && deprecated->is_true();
    if (warning != nullptr && warning->is(Kind::String)) v.deprecation = std::string(warning->as_text());
    const Value* schema = member_of(given, "schema");
    v.data = schema == nullptr ? nullptr : member_of(*schema, "openAPIV3Schema");
    if (v.data == nullptr) continue;
    const Value* subresources = member_of(given, "subresources");
    v.status = subresources != nullptr && member_of(*subresources, "status") != nullptr;
    const Value* scale = subresources == nullptr ? nullptr : member_of(*subresources, "scale");
    if (scale != nullptr) v.scale = read_scale(*scale);
    if (auto error = read_schema(*v.data, v.schema)) {
      v.schema_error = error->text;
      if (!error->unreadable) v.refused = v.schema;
      v.schema = nullptr;
    } else {
      v.validator = RuleChecker::make(v.schema, true, environment, v.path);
      v.merging = std::make_shared<MergeTypes>(*v.schema);
    }
  }
  return made;
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

Value Definition::with_defaults(Arena& arena, std::string_view version, const Value& object) const {
  const Version* v = find(version);
  return v != nullptr && v->schema != nullptr ? fill_defaults(arena, object, v->schema.get()) : object;
}

Value Definition::read_back(Arena& arena, std::string_view version, const Value& object) const {
  const Version* v = find(version);
  if (v == nullptr || v->schema == nullptr) return object;
  std::vector<std::string> ignored;
  MetadataError none;  // validation made sure of it
  const Value pruned = prune(arena, from_storage(arena, *v, object), *v->schema, ignored);
  return coerce_metadata(arena, drop_nulls(arena, pruned, v->schema.get()), *v->schema, ignored, none);
}

// What a server reads of `object`, which is sent at the version `own`, before it is pruned for `own`: it stores the
// object at the storage version, and fills in defaults when it reads that, so those of another version come with
// creation alone.
Value Definition::from_storage(Arena& arena, const Version& own, const Value& object) const {
  const auto found = std::ranges::find_if(versions_, [](const Version& v) { return v.storage; });
  const Version& storage = found == versions_.end() ? own : *found;
  if (&storage == &own) return fill_defaults(arena, object, own.schema.get());
  if (by_webhook || storage.schema == nullptr) return object;
  std::vector<std::string> ignored;
  const Value stored = prune(arena, object, *storage.schema, ignored);
  return drop_nulls(arena, fill_defaults(arena, stored, storage.schema.get()), storage.schema.get());
}

// `old`, which may have another version than `own`, as a server reads it at `own`, before it is pruned.
Value Definition::stored_old(Arena& arena, const Version& own, const Value& old) const {
  const Version* given = find(split_api_version(text_member(old, "apiVersion")).version);
  Value at = old;
  if (given != nullptr && given != &own)
    at = with_member(arena, at, "apiVersion", Value::string(arena.copy(group + "/" + own.name)));
  const Version& created = given == nullptr ? own : *given;
  if (created.schema != nullptr && member_text(member_of(old, "metadata"), "uid").empty()) {
    std::vector<std::string> ignored;
    at = prune(arena, fill_defaults(arena, at, created.schema.get()), *created.schema, ignored);
  }
  return from_storage(arena, own, at);
}

// All versions of a resource have the same data except apiVersion (conversion strategy None).
class Definition::Versions final : public ownership::Versions {
 public:
  Versions(const Definition& definition, const Version& own, Written written)
      : definition_(definition), own_(own), written_(written) {}

  std::optional<ownership::Versioned> at(Arena&, const Value& object,
                                         std::string_view api_version) const override {
    const auto [group, version, well_formed] = split_api_version(api_version);
    if (group != definition_.group) return {};
    const Version* v = definition_.find(version);
    if (v == nullptr || v->merging == nullptr) return {};
    return ownership::Versioned{object, &v->merging->root()};
  }
  ownership::FieldSet without_reset(Arena& arena, const ownership::FieldSet& set,
                                    std::string_view api_version) const override {
    if (!own_.status || !api_version.ends_with("/" + own_.name)) return set;
    const auto without = [&](const ownership::FieldSet& from, std::string_view member) {
      return subtract(arena, from, ownership::path_set(arena, member), true);
    };
    if (written_ == Written::Resource) return without(set, "status");
    return without(without(set, "metadata"), "spec");
  }

 private:
  const Definition& definition_;
  const Version& own_;
  const Written written_;
};

// The decoded `object` with the managedFields that it gets when it replaces `old` (null: it is created).
Value Definition::manage(const Version& version, const Value& object, const Value* old, Arena& arena,
                         const FieldManagers& managers, Written written) const {
  ownership::Change change;
  change.creates = old == nullptr;
  change.before = old == nullptr ? Value::map(nullptr, 0) : *old;
  change.before_list = managed_fields_of(change.before);
  change.after = object;
  change.after_list = managed_fields_of(object);
  const std::string_view api_version = arena.copy(group + "/" + version.name);
  const std::string_view subresource = written == Written::Status ? "status" : "";
  const Value made = manage_fields(arena, {managers.name, api_version, subresource, managers.now}, change,
                                   Versions(*this, version, written));
  return with_managed_fields(arena, object, made);
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

ObjectOutcome Definition::decode(std::string_view version, const Value& object, const Value* old,
                                 Arena& arena, const FieldManagers* managers, Written written) const {
  ObjectOutcome out;
  out.object = object;
  if (old != nullptr) out.old = *old;
  const Version* v = find(version);
  if (v == nullptr || v->schema == nullptr) return out;
  const Schema& schema = *v->schema;
  auto prepare = [&](const Value& given, std::vector<std::string>& unknown) {
    Value pruned = drop_nulls(arena, prune(arena, given, schema, unknown), &schema);
    MetadataError error;
    Value made = coerce_metadata(arena, pruned, schema, unknown, error);
    out.decode_error = std::move(error.text);
    out.decode_error_path = std::move(error.path);
    return made;
  };
  std::vector<std::string> ignored;
  out.object = prepare(fill_defaults(arena, object, &schema), out.unknown);
  if (!out.decode_error.empty()) return out;
  if (old != nullptr) {
    out.old = prepare(stored_old(arena, *v, *old), ignored);
    if (!out.decode_error.empty()) {
      out.decode_error_path.clear();
      return out;
    }
    if (member_text(member_of(out.old, "metadata"), "uid").empty()) {
      std::vector<std::string> unsaid;
      out.old = wipe_metadata(arena, out.old, true, true, unsaid);
      if (managers != nullptr)
        out.old =
            manage(*v, out.old, nullptr, arena, {managers->creator, {}, managers->now}, Written::Resource);
      out.old = complete_metadata(arena, out.old, nullptr);
    }
  }
  out.object = wipe_metadata(arena, out.object, old == nullptr, false, out.warnings);
  if (managers != nullptr)
    out.object = manage(*v, out.object, old == nullptr ? nullptr : &out.old, arena, *managers, written);
  return out;
}

Value Definition::with_kept_parts(Arena& arena, std::string_view version, const Value& object,
                                  const Value* old, Written written) const {
  const Version* v = find(version);
  if (written == Written::Status && old != nullptr)
    return with_managed_fields(arena, with_status_of(arena, *old, &object), managed_fields_of(object));
  return v != nullptr && v->status ? with_status_of(arena, object, old) : object;
}

void Definition::complete(std::string_view version, ObjectOutcome& out, Arena& arena, Context& context,
                          Written written, RuleTrace* trace) const {
  const Version* v = find(version);
  if (v == nullptr || v->schema == nullptr) return;
  const Schema& schema = *v->schema;
  const bool update = !out.old.is_null();
  const Value* old = update ? &out.old : nullptr;
  const bool of_status = written == Written::Status && update;
  out.object = wipe_metadata(arena, out.object, false, true, out.warnings);
  out.object = with_kept_parts(arena, version, out.object, old, written);
  Correlation correlation;
  if (update) correlation = {&out.object, &out.old, &schema, true};
  FieldErrors errors;
  FieldErrors common;
  if (out.object.is(Kind::Map) && !of_status) out.object = complete_metadata(arena, out.object, old);
  // Mutations may have changed what decoding made sure of.
  const std::string said = member_text(&out.object, "kind");
  const bool is_other_kind = !said.empty() && said != kind;
  const Value* metadata = member_of(out.object, "metadata");
  const std::string misfit = metadata == nullptr ? std::string() : conversion_error(arena, *metadata);
  if (is_other_kind) {  // then the server looks neither at metadata nor at the structure
    errors.invalid("kind", said, "must be " + kind);
  } else if (!misfit.empty()) {
    errors.invalid_data("metadata", *metadata, misfit);
  } else {
    check_metadata(out.object, old, namespaced, common, errors);
  }
  if (!is_other_kind && of_status) {
    check_status(out.object, schema, correlation, server_, errors);
  } else if (!is_other_kind) {
    check_structure(out.object, schema, correlation, "", errors, server_);
    if (v->scale) check_scale_spec(out.object, *v->scale, errors);
  }
  if (!is_other_kind && v->scale) check_scale_status(out.object, *v->scale, errors);
  if (!of_status) check_embedded_resources(out.object, schema, errors);
  FieldErrors before;
  if (update) check_list_types(out.old, schema, before);
  if (before.list.empty()) check_list_types(out.object, schema, errors);
  if (v->validator != nullptr && blocks_rules(errors)) {
    errors.invalid_json("<nil>", "null", kNotChecked);
  } else if (v->validator != nullptr) {
    auto checked = v->validator->validate("", out.object, old, kPolicyCostBudget, context, update, trace);
    errors.list.insert(errors.list.end(), checked.errors.begin(), checked.errors.end());
    out.rules = std::move(checked.rules);
    for (const FieldError& w : checked.warnings) out.warnings.push_back(w.message);
  }
  out.errors = std::move(common.list);
  out.errors.insert(out.errors.end(), errors.list.begin(), errors.list.end());
  if (out.errors.empty() && !of_status) warn_of_finalizers(out.object, old, out.warnings);
}

ObjectOutcome Definition::review(std::string_view version, const Value& object, const Value* old,
                                 Arena& arena, Context& context, const FieldManagers* managers,
                                 Written written) const {
  ObjectOutcome out = decode(version, object, old, arena, managers, written);
  if (out.decode_error.empty()) complete(version, out, arena, context, written);
  return out;
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

// Whether all versions have the same schema. Source of behaviour: apiextensions/v1/conversion.go, which moves such a
// schema to spec.validation.
bool Definition::is_shared() const {
  return std::ranges::all_of(versions_, [&](const Version& v) {
    return v.data != nullptr && versions_[0].data != nullptr && same_data(*v.data, *versions_[0].data);
  });
}

std::vector<RuleReport> Definition::report(const Definition* old) const {
  const std::string kInvalid = "Invalid value: \"\": ";
  constexpr std::string_view kShared = "spec.validation.openAPIV3Schema";
  std::vector<RuleReport> out;
  if (decode_error_) return {*decode_error_};
  report_spec(data_, old == nullptr ? nullptr : &old->data_, out);
  const Value* spec = member_of(data_, "spec");
  const Value* preserves = spec == nullptr ? nullptr : member_of(*spec, "preserveUnknownFields");
  const bool defaults = std::ranges::any_of(versions_, [](const Version& v) {
    const SchemaPtr& schema = v.schema != nullptr ? v.schema : v.refused;
    return schema != nullptr && has_default(*schema);
  });
  if (preserves != nullptr && preserves->is_true() && defaults) {
    out.push_back({.path = "spec.preserveUnknownFields",
                   .error = "Invalid value: true: must be false in order to use defaults in the schema"});
    out.back().server_path = out.back().path;
  }
  const bool shared = is_shared();
  for (const Version& v : versions_) {
    const size_t before = out.size();
    if (v.refused != nullptr) report_refused(*v.refused, v.path, out);
    if (!v.schema_error.empty() && out.size() == before)
      out.push_back(
          {.path = v.path, .error = v.refused == nullptr ? v.schema_error : kInvalid + v.schema_error});
    if (v.schema != nullptr) {
      report_schema(v.schema, v.path, out, memo_);
      report_warnings(v.schema, v.path, out);
    }
    for (size_t i = before; i < out.size(); i++) {
      out[i].server_path = shared ? std::string(kShared) + out[i].path.substr(v.path.size()) : out[i].path;
      std::string& error = out[i].error;  // may name other places
      for (size_t at = 0; shared && (at = error.find(v.path, at)) != error.npos; at += kShared.size())
        error.replace(at, v.path.size(), kShared);
    }
    if (shared) break;
  }
  return out;
}

std::vector<RuleReport> Definition::check_update(const Definition& old) const {
  std::vector<RuleReport> out = report(&old);
  if (decodes_) {
    Arena arena;  // what is not given and what has no content are the same here
    report_update(decoded_plainly(arena, data_), decoded_plainly(arena, old.data_), old.check(), out);
  }
  return out;
}

}  // namespace portcullis::crd
