// Reports what is wrong in a CustomResourceDefinition outside its schemas: metadata, names, group, versions, columns,
// scale, conversion.
//
// Idea: the API server validates its internal form, to which it moves what all versions share (subresources, columns)
// up to the spec; so an error has a path of the server and one in the file. Source of behaviour:
// apiextensions-apiserver pkg/apis/apiextensions/{validation/validation.go, v1/conversion.go, v1/defaults.go},
// pkg/apihelpers. The CA of a conversion webhook is not checked, because the API server checks it on updates only.
// Limits: values of errors that are Go structs are left out, but for an empty list of versions. Tested by
// tests/cli/crd.txt, and against Kubernetes' code by tests/oracle/custom_resources.py --specs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "admission/builtin/decode.h"
#include "admission/builtin/normalize.h"
#include "admission/crd/definition.h"
#include "admission/crd/field_path.h"
#include "admission/policies/object_metadata.h"
#include "admission/policies/webhook_client.h"
#include "admission/scalars/names.h"
#include "admission/scalars/url.h"
#include "grammar/ascii.h"
#include "grammar/quote.h"
#include "grammar/utf8.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis::crd {
namespace {

constexpr std::string_view kApproval = "api-approved.kubernetes.io";
constexpr size_t kMaxDeprecationWarning = 256, kMaxSelectableFields = 8;
constexpr int64_t kHttpsPort = 443;  // the default of a Service's port

const Value kNone;

// A member of a map; a null value if it is absent.
const Value& get(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name);
  return found == nullptr ? kNone : *found;
}

std::string_view text_of(const Value& v) { return v.is(Kind::String) ? v.as_text() : std::string_view(); }

std::string joined(const std::vector<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ",")); }

void check_label(std::string_view value, std::string path, FieldErrors& errors,
                 std::string_view before = {}) {
  const std::string checked = before.empty() ? std::string(value) : lower_case(value);
  if (value.empty() && !path.ends_with(']')) return;  // absent; elements of lists may not be empty
  if (const auto messages = names::dns1035_label(checked); !messages.empty())
    errors.invalid(std::move(path), value, std::string(before) + joined(messages));
}

void check_names(const Value& names, FieldErrors& errors) {
  const std::string path = "spec.names";
  const std::string_view kind = text_member(names, "kind");
  const bool singular = !text_member(names, "singular").empty(),
             list_kind = !text_member(names, "listKind").empty();
  // The defaults.
  const std::string one = singular ? std::string(text_member(names, "singular")) : lower_case(kind);
  const std::string list =
      list_kind || kind.empty() ? std::string(text_member(names, "listKind")) : std::string(kind) + "List";
  if (text_member(names, "plural").empty()) errors.required(child(path, "plural"));
  if (one.empty()) errors.required(child(path, "singular"));
  if (kind.empty()) errors.required(child(path, "kind"));
  if (list.empty()) errors.required(child(path, "listKind"));
  constexpr std::string_view kMixed = "may have mixed case, but should otherwise match: ";
  check_label(text_member(names, "plural"), child(path, "plural"), errors);
  check_label(one, child(path, "singular"), errors);
  check_label(kind, child(path, "kind"), errors, kMixed);
  check_label(list, child(path, "listKind"), errors, kMixed);
  auto labels = [&](std::string_view member) {
    size_t i = 0;
    for (const Value& v : list_items(get(names, member))) {
      if (v.is(Kind::String)) check_label(v.as_text(), index(child(path, member), i), errors);
      i++;
    }
  };
  labels("shortNames");
  if (!kind.empty() && kind == list)
    errors.invalid(child(path, "listKind"), list, "kind and listKind may not be the same");
  labels("categories");
}

// A path such as .spec.replicas; true if it is one.
bool check_json_path(std::string_view text, const std::string& path, FieldErrors& errors) {
  if (text.starts_with('.')) return true;
  errors.invalid(path, text, "must be a simple json path starting with .");
  return false;
}

void check_subresources(const Value& subresources, const std::string& path, FieldErrors& errors) {
  const Value& scale = get(subresources, "scale");
  if (!scale.is(Kind::Map)) return;
  auto check = [&](std::string_view member, std::string_view prefix) {
    const std::string field = child(path, "scale." + std::string(member));
    const std::string_view text = text_member(scale, member);
    if (text.empty()) return errors.required(field);
    if (check_json_path(text, field, errors) && !text.starts_with(prefix))
      errors.invalid(field, text,
                     fmt::format("should be a json path under {}", prefix.substr(0, prefix.size() - 1)));
  };
  check("specReplicasPath", ".spec.");
  check("statusReplicasPath", ".status.");
  const std::string_view selector = text_member(scale, "labelSelectorPath");
  const std::string field = child(path, "scale.labelSelectorPath");
  if (!selector.empty() && check_json_path(selector, field, errors) && !selector.starts_with(".spec.") &&
      !selector.starts_with(".status."))
    errors.invalid_named(field, selector, "should be a json path under either .spec or .status");
}

void check_column(const Value& column, const std::string& path, FieldErrors& errors) {
  constexpr std::string_view kColumnTypes = "boolean,date,integer,number,string";
  constexpr std::string_view kColumnFormats = "byte,date,date-time,double,float,int32,int64,password";
  auto is_listed = [](std::string_view all, std::string_view one) {
    return ("," + std::string(all) + ",").find("," + std::string(one) + ",") != std::string::npos;
  };
  if (text_member(column, "name").empty()) errors.required(child(path, "name"));
  const std::string_view type = text_member(column, "type"), format = text_member(column, "format");
  const std::string want = fmt::format("must be one of {}", kColumnTypes);
  if (type.empty()) {
    errors.required(child(path, "type"), want);
  } else if (!is_listed(kColumnTypes, type)) {
    errors.invalid(child(path, "type"), type, want);
  }
  if (!format.empty() && !is_listed(kColumnFormats, format))
    errors.invalid(child(path, "format"), format, fmt::format("must be one of {}", kColumnFormats));
  const std::string_view json_path = text_member(column, "jsonPath");
  if (json_path.empty()) return errors.required(child(path, "JSONPath"));
  check_json_path(json_path, child(path, "JSONPath"), errors);
}

void check_columns(const Value& columns, const std::string& path, FieldErrors& errors) {
  size_t i = 0;
  for (const Value& column : list_items(columns)) check_column(column, index(path, i++), errors);
}

// The selectable fields at `path` against the schema beside them.
void check_selectable(const Value& fields, const Value& schema_data, const std::string& path,
                      FieldErrors& errors) {
  SchemaPtr schema;
  if (list_items(fields).empty() || schema_data.is_null() || read_schema(schema_data, schema)) return;
  std::set<std::string> seen;
  size_t i = 0;
  for (const Value& field : list_items(fields)) {
    const std::string field_path = child(index(path, i++), "jsonPath");
    const std::string_view text = text_member(field, "jsonPath");
    if (text.empty()) {
      errors.required(field_path);
      continue;
    }
    const Result<FieldPath> found = valid_field_path(text, *schema, false);
    if (!found.ok()) {
      errors.invalid(field_path, text, "is an invalid path: " + found.error().text);
      continue;
    }
    if (found->text == "metadata" || found->text.starts_with("metadata."))
      errors.invalid(field_path, text, "must not point to fields in metadata");
    const std::string_view type = found->schema == nullptr ? std::string_view() : found->schema->type;
    if (type != "string" && type != "boolean" && type != "integer")
      errors.invalid(
          field_path, text,
          "must point to a field of type string, boolean or integer. Enum string fields and strings "
          "with formats are allowed.");
    if (!seen.insert(found->text).second) errors.duplicate(field_path, text);
  }
  if (seen.size() > kMaxSelectableFields) errors.too_many(path, seen.size(), kMaxSelectableFields);
}

void check_deprecation(const Value& version, const std::string& path, FieldErrors& errors) {
  const Value& warning = get(version, "deprecationWarning");
  if (!warning.is(Kind::String)) return;
  const std::string_view text = warning.as_text();
  auto add = [&](std::string_view detail) {
    errors.invalid_named(child(path, "deprecationWarning"), text, detail);
  };
  if (!get(version, "deprecated").is_true()) return add("can only be set for deprecated versions");
  if (text.size() > kMaxDeprecationWarning) add("must be <= 256 characters long");
  if (text.empty()) add("must not be an empty string");
  for (size_t i = 0; i < text.size();) {
    const utf8::Rune rune = utf8::decode(text.substr(i));
    if (!is_printable(rune.value))
      return add(fmt::format(
          "must only contain printable UTF-8 characters; non-printable character found at index {}", i));
    i += rune.size;
  }
}

// What a schema may have at its root; `status`: the status is a subresource.
void check_root(const Value& schema, bool status, const std::string& path, FieldErrors& errors) {
  constexpr std::array kAllowed = {"description",
                                   "type",
                                   "format",
                                   "title",
                                   "maximum",
                                   "exclusiveMaximum",
                                   "minimum",
                                   "exclusiveMinimum",
                                   "maxLength",
                                   "minLength",
                                   "pattern",
                                   "maxItems",
                                   "minItems",
                                   "uniqueItems",
                                   "multipleOf",
                                   "required",
                                   "items",
                                   "properties",
                                   "externalDocs",
                                   "example",
                                   "x-kubernetes-preserve-unknown-fields",
                                   "x-kubernetes-validations"};
  if (get(schema, "nullable").is_true())
    errors.forbidden(child(path, "nullable"), "nullable cannot be true at the root");
  if (!status || !schema.is(Kind::Map)) return;
  if (const std::string_view type = text_member(schema, "type"); !type.empty() && type != "object")
    return errors.invalid(
        child(path, "type"), type,
        "only \"object\" is allowed as the type at the root of the schema if the status subresource is "
        "enabled");
  for (const MapEntry& e : schema.as_map()) {
    if (e.value.is_null() || std::ranges::find(kAllowed, e.key.as_text()) != kAllowed.end()) continue;
    return errors.invalid_hidden(
        path,
        "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
        "MinLength Pattern "
        "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example "
        "XPreserveUnknownFields "
        "XValidations] fields are allowed at the root of the schema if the status subresource is enabled");
  }
}

void check_review_versions(const Value& versions, const std::string& path, FieldErrors& errors) {
  if (list_items(versions).empty()) return errors.required(path);
  std::vector<std::string_view> texts;
  for (const Value& v : list_items(versions)) texts.push_back(text_of(v));
  validate_review_versions(texts, path, errors);
  if (std::ranges::find_first_of(texts, std::initializer_list<std::string_view>{"v1", "v1beta1"}) ==
      texts.end())
    errors.invalid_data(path, versions, kNoKnownVersion);
}

void check_conversion_client(const Value& client, const std::string& path, FieldErrors& errors) {
  const Value &url = get(client, "url"), &service = get(client, "service");
  if (client.is_null()) return errors.required(path, "required when strategy is set to Webhook");
  if (url.is_null() == service.is_null())
    return errors.required(path, "exactly one of url or service is required");
  if (!url.is_null()) return validate_webhook_url(text_of(url), child(path, "url"), errors);
  const Value &place = get(service, "path"), &port = get(service, "port");
  WebhookService called{text_member(service, "name"), text_member(service, "namespace"), {}, kHttpsPort};
  if (!place.is_null()) called.path = text_of(place);
  if (port.is(Kind::Int)) called.port = port.as_int();
  validate_webhook_service(called, child(path, "service"), errors);
}

void check_strategy(std::string_view strategy, bool preserves, FieldErrors& errors) {
  const std::string path = "spec.conversion.strategy";
  if (strategy != "None" && preserves)
    errors.invalid(path, strategy, "must be None if spec.preserveUnknownFields is true");
  if (strategy.empty()) {
    errors.required(path);
  } else if (strategy != "None" && strategy != "Webhook") {
    errors.not_among(path, Value::string(strategy), {"None", "Webhook"});
  }
}

void check_approval(const Value& metadata, std::string_view group, FieldErrors& errors) {
  auto within = [&](std::string_view domain) {
    return group == domain || (group.ends_with(domain) && group[group.size() - domain.size() - 1] == '.');
  };
  if (!within("k8s.io") && !within("kubernetes.io")) return;
  const std::string path = fmt::format("metadata.annotations[{}]", kApproval);
  const std::string_view given = text_member(get(metadata, "annotations"), kApproval);
  constexpr std::string_view kSee = "see https://github.com/kubernetes/enhancements/pull/1111";
  const std::string want = fmt::format("protected groups must have approval annotation {}", quote(kApproval));
  if (given.empty()) return errors.required(path, want + ", " + std::string(kSee));
  Arena arena;
  Url parts;
  if (given.starts_with("unapproved") ||
      (url::parse(arena, given, parts).empty() && !parts.host.empty() && !parts.scheme.empty()))
    return;
  errors.invalid(path, given,
                 want + " with either a URL or a reason starting with \"unapproved\", " + std::string(kSee));
}

// The first version that is marked as such; null if none is.
const Value* storage_version(std::span<const Value> versions) {
  const auto found =
      std::ranges::find_if(versions, [](const Value& v) { return get(v, "storage").is_true(); });
  return found == versions.end() ? nullptr : &*found;
}

// The versions of which objects may be stored, by the status of a definition; without that, its storage version.
std::vector<std::string_view> stored_by(const Value& definition) {
  std::vector<std::string_view> out;
  for (const Value& v : list_items(get(get(definition, "status"), "storedVersions")))
    out.push_back(text_of(v));
  const Value* first = storage_version(list_items(get(get(definition, "spec"), "versions")));
  if (out.empty() && first != nullptr) out.push_back(text_member(*first, "name"));
  return out;
}

class SpecReport {
 public:
  SpecReport(const Value& definition, const Value* old, std::vector<RuleReport>& out)
      : definition_(definition),
        old_(old),
        spec_(get(definition, "spec")),
        versions_(list_items(get(spec_, "versions"))),
        out_(out) {}

  void run() {
    const bool shares_schema = shares("schema"), shares_subresources = shares("subresources"),
               shares_columns = shares("additionalPrinterColumns"),
               shares_selectable = shares("selectableFields");
    const bool preserves = get(spec_, "preserveUnknownFields").is_true();
    metadata();
    group();
    scope();
    add_all();
    for (size_t i = 0; i < versions_.size(); i++) {
      if (get(get(versions_[i], "schema"), "openAPIV3Schema").is_null())
        errors_.required(child(index("spec.versions", i), "schema.openAPIV3Schema"));
    }
    add_all();
    for (size_t i = 0; i < versions_.size(); i++) {
      const std::string path = index("spec.versions", i);
      version(versions_[i], path);
      add_all();
      if (!shares_schema)
        check_schema(versions_[i], has_status(versions_[i]), path + ".schema", path + ".schema");
      if (!shares_subresources)
        check_subresources(get(versions_[i], "subresources"), path + ".subresources", errors_);
      if (!shares_columns)
        check_columns(get(versions_[i], "additionalPrinterColumns"), path + ".additionalPrinterColumns",
                      errors_);
      if (!shares_selectable)
        selectable(versions_[i], !shares_schema,
                   "may only be set when `version.schema.openAPIV3Schema` is not included",
                   path + ".selectableFields");
      add_all();
    }
    counts();
    check_names(get(spec_, "names"), errors_);
    add_all();
    if (!versions_.empty())
      shared_parts(shares_schema, shares_subresources, shares_columns, shares_selectable);
    conversion(get(spec_, "conversion"), preserves);
    check_stored();
    check_approval(get(definition_, "metadata"), text_member(spec_, "group"), errors_);
    if (preserves)
      errors_.invalid_json("spec.preserveUnknownFields", "true",
                           "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                           "spec.versions[*].schema instead");
    add_all();
  }

 private:
  // Of versions of one name, the first one counts.
  bool has_status(const Value& version) const {
    const auto same = [&](const Value& v) { return text_member(v, "name") == text_member(version, "name"); };
    return !get(get(*std::ranges::find_if(versions_, same), "subresources"), "status").is_null();
  }

  // Whether all versions have this member alike, or none has it.
  bool shares(std::string_view member) const {
    auto value = [&](const Value& version) {
      const Value& v = get(version, member);
      return v.is(Kind::List) && v.size() == 0 ? kNone : v;
    };
    return std::ranges::all_of(versions_,
                               [&](const Value& v) { return same_data(value(v), value(versions_[0])); });
  }

  void metadata() {
    check_metadata(definition_, nullptr, false, errors_, errors_);
    const std::string_view name = text_member(get(definition_, "metadata"), "name");
    const Value& names = get(spec_, "names");
    if (name != fmt::format("{}.{}", text_member(names, "plural"), text_member(spec_, "group")) &&
        !name.empty())
      errors_.invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
  }

  void group() {
    const std::string_view given = text_member(spec_, "group");
    if (given.empty()) return errors_.required("spec.group");
    if (const auto messages = names::dns1123_subdomain(given); !messages.empty()) {
      errors_.invalid("spec.group", given, joined(messages));
    } else if (given.find('.') == given.npos) {
      errors_.invalid("spec.group", given, "should be a domain with at least one dot");
    }
  }

  void scope() {
    const std::string_view given = text_member(spec_, "scope");
    if (given.empty()) return errors_.required("spec.scope");
    if (given != "Cluster" && given != "Namespaced")
      errors_.not_among("spec.scope", Value::string(given), {"Cluster", "Namespaced"});
  }

  void version(const Value& version, const std::string& path) {
    const std::string_view given = text_member(version, "name");
    if (const auto messages = names::dns1035_label(given); !messages.empty())
      errors_.invalid(child(path, "name"), given, joined(messages));
    check_deprecation(version, path, errors_);
  }

  // `schema`: whether the server finds the schema beside the fields; `missing`: what it says otherwise.
  void selectable(const Value& version, bool schema, std::string_view missing, const std::string& path) {
    const Value &fields = get(version, "selectableFields"),
                &data = get(get(version, "schema"), "openAPIV3Schema");
    if (schema && !data.is_null()) return check_selectable(fields, data, path, errors_);
    if (!list_items(fields).empty()) errors_.invalid(path, "", missing);
  }

  // What the server moves up from all versions to the spec.
  void shared_parts(bool schema, bool subresources, bool columns, bool selectable_fields) {
    const std::string first = "spec.versions[0].";
    if (schema)
      check_schema(versions_[0],
                   std::ranges::any_of(versions_, [&](const Value& v) { return has_status(v); }),
                   "spec.validation", first + "schema");
    if (subresources) check_subresources(get(versions_[0], "subresources"), "spec.subresources", errors_);
    if (columns)
      check_columns(get(versions_[0], "additionalPrinterColumns"), "spec.additionalPrinterColumns", errors_);
    if (selectable_fields)
      selectable(versions_[0], schema, "may only be set when validations.schema is included",
                 "spec.selectableFields");
    add_all("spec.", first);
  }

  void conversion(const Value& given, bool preserves) {
    if (!given.is(Kind::Map)) return;
    const std::string_view strategy = text_member(given, "strategy");
    check_strategy(strategy, preserves, errors_);
    add_all();
    const Value& webhook = get(given, "webhook");
    const Value &client = get(webhook, "clientConfig"), &versions = get(webhook, "conversionReviewVersions");
    const std::string path = "spec.conversion", client_path = child(path, "webhookClientConfig"),
                      versions_path = child(path, "conversionReviewVersions");
    constexpr std::string_view kNotSet = "should not be set when strategy is not set to Webhook";
    const bool asks = strategy == "Webhook";
    if (asks) {
      check_conversion_client(client, client_path, errors_);
    } else if (!client.is_null()) {
      errors_.forbidden(client_path, kNotSet);
    }
    add_all(client_path, child(path, "webhook.clientConfig"));
    if (asks) {
      check_review_versions(versions, versions_path, errors_);
    } else if (!list_items(versions).empty()) {
      errors_.forbidden(versions_path, kNotSet);
    }
    add_all(path, child(path, "webhook"));
  }

  // The names of the versions, and which one is stored.
  void counts() {
    std::set<std::string_view> seen;
    size_t stored = 0;
    for (const Value& v : versions_)
      seen.insert(text_member(v, "name")), stored += get(v, "storage").is_true();
    if (seen.size() != versions_.size())
      errors_.invalid_hidden("spec.versions", "must contain unique version names");
    constexpr std::string_view kOneStored = "must have exactly one version marked as storage version";
    if (versions_.empty()) {
      errors_.invalid_json("spec.versions", get(spec_, "versions").is_null() ? "null" : "[]", kOneStored);
    } else if (stored != 1) {
      errors_.invalid_hidden("spec.versions", kOneStored);
    }
    add_all();
    if (versions_.empty()) return;
    const std::string_view first = text_member(versions_[0], "name");
    if (const auto messages = names::dns1035_label(first); !first.empty() && !messages.empty())
      errors_.invalid("spec.version", first, joined(messages));
    add_all("spec.version", "spec.versions[0].name");
  }

  // The list of stored versions: that of the former definition, which must keep them, and the storage version.
  void check_stored() {
    const std::string path = "status.storedVersions";
    std::vector<std::string_view> stored =
        old_ == nullptr ? std::vector<std::string_view>() : stored_by(*old_);
    if (const Value* first = storage_version(versions_);
        first != nullptr && std::ranges::find(stored, text_member(*first, "name")) == stored.end())
      stored.push_back(text_member(*first, "name"));
    if (stored.empty()) return errors_.invalid_json(path, "null", "must have at least one stored version");
    std::map<std::string_view, size_t> missing;
    std::string all;
    for (size_t i = 0; i < stored.size(); i++) {
      missing[stored[i]] = i;
      all += (i == 0 ? "[" : ",") + quote_json(stored[i], JsonEscape::Go);
    }
    for (const Value& v : versions_) {
      const std::string_view name = text_member(v, "name");
      if (missing.erase(name) == 0 && get(v, "storage").is_true())  // each name is found once
        errors_.invalid_json(path, all + "]", "must have the storage version " + std::string(name));
    }
    for (const auto& [name, i] : missing)
      errors_.invalid(
          index(path, i), name,
          fmt::format("missing from spec.versions; {0} was previously a storage version, and must remain in "
                      "spec.versions until a storage migration ensures no data remains persisted in {0} and "
                      "removes {0} from status.storedVersions",
                      name));
  }

  void check_schema(const Value& version, bool status, const std::string& server, const std::string& file) {
    check_root(get(get(version, "schema"), "openAPIV3Schema"), status, child(server, "openAPIV3Schema"),
               errors_);
    add_all(server, file);
  }

  // Adds the errors to the reports; `server` is the beginning of their paths that is `file` in the file.
  void add_all(std::string_view server = {}, std::string_view file = {}) {
    for (const FieldError& e : errors_.list) {
      RuleReport made{.path = std::string(file) + e.field.substr(server.size()),
                      .error = e.message.substr(e.field.size() + 2),
                      .server_path = e.field,
                      .type = e.type};
      out_.push_back(std::move(made));
    }
    errors_.list.clear();
  }

  const Value& definition_;
  const Value* old_;
  const Value& spec_;
  std::span<const Value> versions_;
  FieldErrors errors_;
  std::vector<RuleReport>& out_;
};

}  // namespace

void report_spec(const Value& definition, const Value* old, std::vector<RuleReport>& out) {
  SpecReport(definition, old, out).run();
}

}  // namespace portcullis::crd
