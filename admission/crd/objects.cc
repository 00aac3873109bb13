// What the API server does with an object of a definition: reads, completes and validates it.
#include <algorithm>

#include "admission/crd/correlation.h"
#include "admission/crd/defaults.h"
#include "admission/crd/extensions.h"
#include "admission/crd/metadata.h"
#include "admission/crd/structure.h"
#include "admission/crd/version.h"
#include "admission/policies/object_metadata.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/map.h"

namespace portcullis::crd {
namespace {

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

// Whether the object has no uid, so that it counts as newly created.
bool is_new(const Value& object) {
  const Value* metadata = member_of(object, "metadata");
  return metadata == nullptr || text_member(*metadata, "uid").empty();
}

}  // namespace

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
  if (created.schema != nullptr && is_new(old)) {
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
    if (is_new(out.old)) {
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

void Definition::complete(std::string_view version, ObjectOutcome& out, Arena& arena, Written written) const {
  if (!has_version(version)) return;
  const Value* old = out.old.is_null() ? nullptr : &out.old;
  out.object = wipe_metadata(arena, out.object, false, true, out.warnings);
  out.object = with_kept_parts(arena, version, out.object, old, written);
  const bool of_status = written == Written::Status && old != nullptr;
  if (out.object.is(Kind::Map) && !of_status) out.object = complete_metadata(arena, out.object, old);
}

// The checks without those of list types, embedded resources and rules. Mutations may have changed what decoding made
// sure of.
void Definition::check_resource(const Version& version, const ObjectOutcome& out, bool of_status,
                                Arena& arena, FieldErrors& common, FieldErrors& errors) const {
  const Value* old = out.old.is_null() ? nullptr : &out.old;
  const Schema& schema = *version.schema;
  const std::string_view said = text_member(out.object, "kind");
  if (!said.empty() && said != kind) return errors.invalid("kind", said, "must be " + kind);
  const Value* metadata = member_of(out.object, "metadata");
  const std::string misfit = metadata == nullptr ? std::string() : conversion_error(arena, *metadata);
  if (!misfit.empty())
    errors.invalid_data("metadata", *metadata, misfit);
  else
    check_metadata(out.object, old, namespaced, common, errors);
  Correlation correlation;
  if (old != nullptr) correlation = {&out.object, old, &schema, true};
  if (of_status) {
    check_status(out.object, schema, correlation, server_, errors);
  } else {
    check_structure(out.object, schema, correlation, "", errors, server_);
    if (version.scale) check_scale_spec(out.object, *version.scale, errors);
  }
  if (version.scale) check_scale_status(out.object, *version.scale, errors);
}

void Definition::validate(std::string_view version, ObjectOutcome& out, Arena& arena, Context& context,
                          Written written, RuleTrace* trace) const {
  const Version* v = find(version);
  if (v == nullptr || v->schema == nullptr) return;
  const Value* old = out.old.is_null() ? nullptr : &out.old;
  const bool of_status = written == Written::Status && old != nullptr;
  FieldErrors common, errors;
  check_resource(*v, out, of_status, arena, common, errors);
  if (!of_status) check_embedded_resources(out.object, *v->schema, errors);
  FieldErrors before;
  if (old != nullptr) check_list_types(*old, *v->schema, before);
  if (before.list.empty()) check_list_types(out.object, *v->schema, errors);
  if (v->validator != nullptr && blocks_rules(errors)) {
    errors.invalid_json("<nil>", "null", kNotChecked);
  } else if (v->validator != nullptr) {
    auto checked =
        v->validator->validate("", out.object, old, kPolicyCostBudget, context, old != nullptr, trace);
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
  if (!out.decode_error.empty()) return out;
  complete(version, out, arena, written);
  validate(version, out, arena, context, written);
  return out;
}

}  // namespace portcullis::crd
