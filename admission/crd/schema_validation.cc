#include "admission/crd/schema_validation.h"
#include "admission/crd/extensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "admission/crd/defaults.h"
#include "admission/crd/field_path.h"
#include "admission/crd/metadata.h"
#include "admission/crd/rules.h"
#include "admission/crd/structure.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/json.h"

namespace portcullis::crd {
namespace {

enum class Level { Root, Field, Item };

constexpr std::string_view kTypes[] = {"array", "boolean", "integer", "number", "object", "string"};
constexpr std::string_view kTypeList =
    "\"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"";
constexpr std::string_view kReasons[] = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                         "FieldValueRequired"};

template <class List>
bool among(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::string property_path(const std::string& path, std::string_view name) {
  return fmt::format("{}.properties[{}]", path, name);
}

class Structure {
 public:
  explicit Structure(FieldErrors& errors) : errors_(errors) {}

  void invariants(const Schema& s, Level level, const std::string& path) {
    if (s.type == "array" && s.items == nullptr) errors_.required(path + ".items", "must be specified");
    if (s.items != nullptr) invariants(*s.items, Level::Item, path + ".items");
    for (const auto& [name, property] : s.properties)
      invariants(*property, Level::Field, property_path(path, name));
    if ((s.additional != nullptr || s.additional_allowed) && level == Level::Root)
      errors_.forbidden(path + ".additionalProperties", "must not be used at the root");
    if (s.additional != nullptr) invariants(*s.additional, Level::Field, path + ".additionalProperties");
    if (s.int_or_string && s.preserve_unknown_fields) {
      errors_.invalid_json(path + ".x-kubernetes-preserve-unknown-fields", "true",
                           "must be false if x-kubernetes-int-or-string is true");
    }
    if (s.int_or_string && s.embedded_resource) {
      errors_.invalid_json(path + ".x-kubernetes-embedded-resource", "true",
                           "must be false if x-kubernetes-int-or-string is true");
    }
    value_validations(s, path, is_int_or_string(s));
    type(s, level, path);
    metadata(s, level, path);
    if (s.embedded_resource && (s.additional != nullptr || s.additional_allowed))
      errors_.forbidden(path + ".additionalProperties",
                        "must not be used if x-kubernetes-embedded-resource is set");
    if (s.embedded_resource && !s.preserve_unknown_fields && s.properties.empty()) {
      errors_.required(path + ".properties",
                       "must not be empty if x-kubernetes-embedded-resource is true without "
                       "x-kubernetes-preserve-unknown-fields");
    }
  }

  // A value validation may only mention fields that the structure has.
  void completeness(const Schema& validations, const Schema& s, const std::string& at,
                    const std::string& path) {
    auto parts = [&](const std::vector<SchemaPtr>& list, const char* word) {
      for (size_t i = 0; i < list.size(); ++i)
        nested_completeness(*list[i], &s, at, fmt::format("{}.{}[{}]", path, word, i));
    };
    parts(validations.all_of, "allOf");
    parts(validations.any_of, "anyOf");
    parts(validations.one_of, "oneOf");
    if (validations.negated != nullptr) nested_completeness(*validations.negated, &s, at, path + ".not");
  }

  void complete(const Schema& s, const std::string& path) { completeness(s, s, path, path); }

 private:
  // The only value validations that may have a type.
  static bool is_int_or_string(const Schema& s) {
    auto only = [](const Schema& part, std::string_view type) {
      return part.type == type && part.has_type_only;
    };
    return s.any_of.size() == 2 && only(*s.any_of[0], "integer") && only(*s.any_of[1], "string");
  }

  void value_validations(const Schema& s, const std::string& path, bool skip_any_of) {
    auto parts = [&](const std::vector<SchemaPtr>& list, const char* word) {
      for (size_t i = 0; i < list.size(); ++i) {
        bool first = i == 0 && std::string_view(word) == "allOf";
        nested(*list[i], fmt::format("{}.{}[{}]", path, word, i), first && is_int_or_string(*list[i]));
      }
    };
    if (!skip_any_of) parts(s.any_of, "anyOf");
    parts(s.all_of, "allOf");
    parts(s.one_of, "oneOf");
    if (s.negated != nullptr) nested(*s.negated, path + ".not", false);
    if (s.pattern.empty()) return;
    const Regex regex(s.pattern);
    if (!regex.ok()) {
      errors_.invalid(path + ".pattern", s.pattern,
                      fmt::format("must be a valid regular expression, but isn't: {}", regex.error()));
    }
  }

  void nested(const Schema& v, const std::string& path, bool skip_any_of) {
    value_validations(v, path, skip_any_of);
    if (v.items != nullptr) nested(*v.items, path + ".items", false);
    for (const auto& [name, property] : v.properties) nested(*property, property_path(path, name), false);
    const std::pair<std::string_view, bool> empty[] = {
        {"type", !v.type.empty()},
        {"title", v.has_title},
        {"description", v.has_description},
        {"x-kubernetes-list-map-keys", !v.list_map_keys.empty()},
        {"x-kubernetes-validations", !v.rules.empty()}};
    const std::pair<std::string_view, bool> undefined[] = {
        {"additionalProperties", v.additional != nullptr || v.additional_allowed.value_or(false)},
        {"default", v.fallback.has_value()},
        {"x-kubernetes-list-type", v.has_list_type},
        {"x-kubernetes-map-type", v.map_type.has_value()}};
    const std::pair<std::string_view, bool> absent[] = {
        {"nullable", v.nullable},
        {"x-kubernetes-preserve-unknown-fields", v.preserve_unknown_fields},
        {"x-kubernetes-embedded-resource", v.embedded_resource},
        {"x-kubernetes-int-or-string", v.int_or_string}};
    forbid(empty, path, "must be empty to be structural");
    forbid(undefined, path, "must be undefined to be structural");
    forbid(absent, path, "must be false to be structural");
    if (v.property("metadata") != nullptr)
      errors_.forbidden(property_path(path, "metadata"), "must not be specified in a nested context");
  }
  template <size_t N>
  void forbid(const std::pair<std::string_view, bool> (&words)[N], const std::string& path,
              std::string_view text) {
    for (const auto& [word, there] : words) {
      if (there) errors_.forbidden(child(path, word), text);
    }
  }

  void type(const Schema& s, Level level, const std::string& path) {
    constexpr std::string_view kEmpty[] = {"must not be empty at the root",
                                           "must not be empty for specified object fields",
                                           "must not be empty for specified array items"};
    std::string at = path + ".type";
    constexpr std::string_view kEmbedded = "must be object if x-kubernetes-embedded-resource is true";
    if (s.embedded_resource && s.type != "object") {
      s.type.empty() ? errors_.required(at, kEmbedded) : errors_.invalid(at, s.type, kEmbedded);
    } else if (s.type.empty() && !s.int_or_string && !s.preserve_unknown_fields) {
      errors_.required(at, kEmpty[static_cast<int>(level)]);
    }
    if (level == Level::Root && !s.type.empty() && s.type != "object")
      errors_.invalid(at, s.type, "must be object at the root");
  }

  void metadata(const Schema& s, Level level, const std::string& path) {
    bool resource = level == Level::Root || s.embedded_resource;
    for (std::string_view name : {"kind", "apiVersion"}) {
      const Schema* p = s.property(name);
      if (resource && p != nullptr && p->type != "string")
        errors_.invalid(property_path(path, name) + ".type", p->type, "must be string");
    }
    const Schema* meta = s.property("metadata");
    if (meta == nullptr) return;
    if (resource && meta->type != "object")
      errors_.invalid(property_path(path, "metadata") + ".type", meta->type, "must be object");
    if (level != Level::Root) return;
    if (!is_plain(*meta)) {
      errors_.forbidden(
          property_path(path, "metadata"),
          "must not specify anything other than name and generateName, but metadata is implicitly specified");
    }
  }

  // Whether the schema has nothing but a type, a default and the properties name and generateName.
  static bool is_plain(const Schema& s) {
    const size_t names = (s.property("name") != nullptr) + (s.property("generateName") != nullptr);
    return s.is_bare && names == s.properties.size();
  }

  void nested_completeness(const Schema& v, const Schema* s, const std::string& at, const std::string& path) {
    if (s == nullptr) return errors_.required(at, "because it is defined in " + path);
    completeness(v, *s, at, path);
    if (v.items != nullptr) nested_completeness(*v.items, s->items.get(), at + ".items", path + ".items");
    for (const auto& [name, property] : v.properties) {
      nested_completeness(*property, s->property(name), property_path(at, name), property_path(path, name));
    }
  }

  FieldErrors& errors_;
};

// Defaults must be valid in an object: without unknown fields, of the right structure, and within the rules,
// both for a new object and for an update that leaves them unchanged. All defaults share one budget.
class Defaults {
 public:
  Defaults(FieldErrors& errors, RuleMemo* memo) : errors_(errors) { environment_.memo = memo; }

  void check(const SchemaPtr& root, const std::string& path) {
    auto resource = std::make_shared<Schema>(*root);
    resource->embedded_resource = true;
    check(resource, path, nullptr);
  }

 private:
  // A place within the metadata of an embedded resource: the schema of that resource, and the path from
  // there.
  struct Meta {
    const Schema* resource;
    std::vector<std::string_view> way;  // names of fields; "" for items of a list
  };

  void check(const SchemaPtr& s, const std::string& path, const Meta* meta) {
    if (s->embedded_resource) meta = nullptr;
    if (s->fallback) meta == nullptr ? one(s, path + ".default") : one_of_meta(s, path + ".default", *meta);
    auto below = [&](const SchemaPtr& child, const std::string& at, std::string_view step, bool enters) {
      if (meta == nullptr && !enters) return check(child, at, nullptr);
      Meta inside = meta != nullptr ? *meta : Meta{s.get(), {}};
      inside.way.push_back(step);
      check(child, at, &inside);
    };
    if (s->items != nullptr) below(s->items, path + ".items", "", false);
    for (const auto& [name, property] : s->properties)
      below(property, property_path(path, name), name, s->embedded_resource && is_meta(name));
  }

  void one(const SchemaPtr& s, const std::string& at) {
    const Value& value = *s->fallback;
    std::vector<std::string> unknown;
    prune(arena_, value, *s, unknown, s->embedded_resource);
    MetadataError error;
    std::vector<std::string> dropped;
    Value coerced = coerce_metadata(arena_, value, *s, dropped, error, at, s->embedded_resource);
    // Upstream prints it late, after unknown fields have been dropped from metadata.
    if (!unknown.empty()) errors_.invalid_data(at, coerced, "must not have unknown fields");
    if (!error.empty()) {
      size_t end = error.text.find(": ");
      errors_.list.push_back(
          {.type = "FieldValueInvalid", .field = error.text.substr(0, end), .message = error.text});
      return;
    }
    FieldErrors found;
    check_embedded_resources(coerced, *s, found);
    if (found.list.empty())
      contents(s, coerced, at);
    else
      add(found, at, true);
  }

  // To validate the default of a metadata field, it validates a whole resource.
  void one_of_meta(const SchemaPtr& s, const std::string& at, const Meta& meta) {
    const Value& value = *s->fallback;
    Value resource = surrounding(value, meta.way);
    std::vector<std::string> unknown;
    MetadataError undecoded;
    Value coerced = coerce_metadata(arena_, resource, *meta.resource, unknown, undecoded);
    std::string error;
    if (!undecoded.empty()) {
      FieldErrors whole;
      whole.invalid_data("metadata", *find_key(resource, Value::string("metadata")), undecoded.text);
      error = whole.list[0].message;
    } else {
      FieldErrors found;
      check_embedded_resources(coerced, *meta.resource, found);
      for (const FieldError& e : found.list) error += (error.empty() ? "" : ", ") + e.message;
      if (found.list.size() > 1) error = "[" + error + "]";
    }
    if (error.empty()) return contents(s, value, at);
    errors_.invalid_data(at, value, "must result in valid metadata: " + error);
  }

  // A resource with nothing but its type and, at the end of the path, `value`.
  Value surrounding(Value value, const std::vector<std::string_view>& way) {
    for (size_t i = way.size(); i-- > 1;) {
      if (way[i].empty()) {
        value = Value::list(arena_.make<Value>(value), 1);
      } else {
        MapEntry* entry = alloc_entries(arena_, 1);
        new (entry) MapEntry{Value::string(way[i]), value};
        value = make_map(entry, 1);
      }
    }
    MapEntry* entries = alloc_entries(arena_, 3);
    size_t n = 0;
    if (way[0] != "apiVersion")
      new (&entries[n++]) MapEntry{Value::string("apiVersion"), Value::string("validation/v1")};
    if (way[0] != "kind") new (&entries[n++]) MapEntry{Value::string("kind"), Value::string("Validation")};
    new (&entries[n++]) MapEntry{Value::string(way[0]), value};
    return make_map(entries, n);
  }

  void contents(const SchemaPtr& s, const Value& value, const std::string& at) {
    FieldErrors found;
    check_structure(value, *without_int_or_string(*s), {}, "", found, std::nullopt);
    add(found, at);
    if (found.list.empty() && budget_ >= 0) rules(s, value, at);
  }

  // Upstream validates defaults with a form of the schema that has lost x-kubernetes-int-or-string.
  static SchemaPtr without_int_or_string(const Schema& s) {
    auto made = std::make_shared<Schema>(s);
    made->int_or_string = false;
    auto replace = [](SchemaPtr& part) {
      if (part != nullptr) part = without_int_or_string(*part);
    };
    for (auto& [name, property] : made->properties) replace(property);
    for (SchemaPtr* part : {&made->items, &made->additional, &made->negated}) replace(*part);
    for (auto* parts : {&made->all_of, &made->any_of, &made->one_of}) {
      for (SchemaPtr& part : *parts) replace(part);
    }
    return made;
  }

  // Adds the errors of the default at `at`. Upstream joins the paths of structural errors as texts, others as
  // paths.
  void add(FieldErrors& found, const std::string& at, bool as_paths = false) {
    for (FieldError e : found.list) {
      bool joined = e.field == "<nil>" || (as_paths && e.field.starts_with('['));
      std::string place = at + (e.field == "<nil>" ? "" : joined ? e.field : "." + e.field);
      e.message = place + e.message.substr(e.field.size());
      e.field = place;
      errors_.list.push_back(std::move(e));
    }
  }

  void rules(const SchemaPtr& s, const Value& value, const std::string& at) {
    auto validator = RuleChecker::make(s, false, environment_, at);
    if (validator == nullptr) return;
    RuleChecker::Outcome outcome = validator->validate(at, value, &value, budget_, context_);
    if (outcome.errors.empty()) {
      int64_t remaining = outcome.remaining;
      outcome = validator->validate(at, value, nullptr, budget_, context_);
      outcome.remaining = std::min(outcome.remaining, remaining);
    }
    budget_ = outcome.remaining;
    for (FieldError& e : outcome.errors) errors_.list.push_back(std::move(e));
  }

  FieldErrors& errors_;
  RuleEnvironment environment_ = stored_rules();
  int64_t budget_ = kPolicyCostBudget;
  Arena arena_;
  Context context_;
};

class Extensions {
 public:
  explicit Extensions(FieldErrors& errors) : errors_(errors) {}

  void check(const Schema& root, const std::string& path) { check(root, path, {.root = true}); }

 private:
  // The position of a node in the schema. `no_default`: why it must not have a default.
  struct Place {
    bool root = false;
    bool in_meta = false;  // within metadata of the resource or of an embedded one
    std::string no_default;
  };

  void check(const Schema& s, const std::string& path, const Place& place) {
    std::string type = path + ".type";
    if (!s.type.empty() && !among(kTypes, s.type)) {
      if (s.type == "null")
        errors_.forbidden(type, "type cannot be set to null, use nullable as an alternative");
      errors_.list.push_back({.type = "FieldValueNotSupported",
                              .field = type,
                              .message = fmt::format("{}: Unsupported value: {}: supported values: {}", type,
                                                     quote(s.type), kTypeList)});
    }
    if (s.unique_items)
      errors_.forbidden(path + ".uniqueItems",
                        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    if ((s.additional != nullptr || (s.additional_allowed && !*s.additional_allowed)) &&
        !s.properties.empty()) {
      errors_.forbidden(path + ".additionalProperties",
                        "additionalProperties and properties are mutual exclusive");
    }
    for (const std::string& keyword : s.refused) refused(keyword, path + "." + keyword);
    map_type(s, path);
    list_type(s, path);
    for (size_t i = 0; i < s.rules.size(); ++i)
      rule(s, s.rules[i], fmt::format("{}.x-kubernetes-validations[{}]", path, i));
    if (s.fallback && !place.no_default.empty())
      errors_.forbidden(path + ".default", fmt::format("must not be set {}", place.no_default));
    if (place.in_meta && s.embedded_resource)
      errors_.forbidden(path + ".x-kubernetes-embedded-resource", "must not be used inside of resource meta");
    below(s, path, place);
  }

  void below(const Schema& s, const std::string& path, const Place& place) {
    Place inside = place;
    inside.root = false;
    if (s.items != nullptr) check(*s.items, path + ".items", inside);
    for (const auto& [name, property] : s.properties) {
      Place at = inside;
      if ((place.root || s.embedded_resource) && is_meta(name)) {
        at.in_meta = true;
        if (place.root) at.no_default = fmt::format("in top-level {}", name);
      }
      check(*property, property_path(path, name), at);
    }
    auto parts = [&](const std::vector<SchemaPtr>& list, const char* word) {
      for (size_t i = 0; i < list.size(); ++i)
        check(*list[i], fmt::format("{}.{}[{}]", path, word, i), inside);
    };
    parts(s.all_of, "allOf");
    parts(s.any_of, "anyOf");
    parts(s.one_of, "oneOf");
    if (s.negated != nullptr) check(*s.negated, path + ".not", inside);
    if (s.additional == nullptr) return;
    if (place.in_meta) inside.no_default = "inside additionalProperties applying to object metadata";
    check(*s.additional, path + ".additionalProperties", inside);
  }

  void refused(std::string_view keyword, const std::string& at) {
    if (keyword == "x-kubernetes-preserve-unknown-fields")
      errors_.invalid_json(at, "false", "must be true or undefined");
    else if (keyword == "items")
      errors_.forbidden(at, "items must be a schema object and not an array");
    else if (keyword != "$schema")  // only reported for the root
      errors_.forbidden(at, fmt::format("{} is not supported", keyword));
  }
  void must_be(const Schema& s, const std::string& at, std::string_view detail) {
    s.type.empty() ? errors_.required(at, detail) : errors_.invalid(at, s.type, detail);
  }
  void map_type(const Schema& s, const std::string& path) {
    if (!s.map_type) return;
    if (s.type != "object")
      must_be(s, path + ".type", "must be object if x-kubernetes-map-type is specified");
    if (*s.map_type != "atomic" && *s.map_type != "granular")
      errors_.not_among(path + ".x-kubernetes-map-type", Value::string(*s.map_type), {"atomic", "granular"});
  }

  void list_type(const Schema& s, const std::string& path) {
    std::string at = path + ".x-kubernetes-list-type", keys = path + ".x-kubernetes-list-map-keys";
    bool map = s.list_type == "map";
    if (s.has_list_type && s.type != "array")
      must_be(s, path + ".type", "must be array if x-kubernetes-list-type is specified");
    if (s.has_list_type && !map && s.list_type != "atomic" && s.list_type != "set")
      errors_.not_among(at, Value::string(s.list_type), {"atomic", "set", "map"});
    if (!s.list_map_keys.empty() && !map) {
      constexpr std::string_view kMap = "must be map if x-kubernetes-list-map-keys is non-empty";
      s.has_list_type ? errors_.invalid(at, s.list_type, kMap) : errors_.required(at, kMap);
    }
    if (s.list_type == "set" && s.items != nullptr) set_items(*s.items, path + ".items");
    if (map) map_items(s, path, keys);
    if ((map || s.list_type == "set") && s.items != nullptr && s.items->nullable) {
      errors_.forbidden(path + ".items.nullable",
                        "cannot be nullable when x-kubernetes-list-type is " + s.list_type);
    }
  }
  void set_items(const Schema& items, const std::string& path) {
    constexpr std::string_view kAtomic = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const std::string shown = items.has_list_type ? quote(items.list_type) : "null";
    if (items.type == "array" && items.has_list_type && items.list_type != "atomic")
      errors_.invalid_json(path + ".x-kubernetes-list-type", shown, kAtomic);
    if (items.type == "object" && items.map_type.value_or("") != "atomic")
      errors_.invalid_json(path + ".x-kubernetes-map-type", shown, kAtomic);
  }
  void map_items(const Schema& s, const std::string& path, const std::string& keys) {
    if (s.list_map_keys.empty()) errors_.required(keys, "must not be empty if x-kubernetes-list-type is map");
    if (s.items == nullptr)
      return errors_.required(path + ".items", "must have a schema if x-kubernetes-list-type is map");
    if (s.items->type != "object")
      return errors_.invalid(path + ".items.type", s.items->type,
                             "must be object if parent array's x-kubernetes-list-type is map");
    std::set<std::string> seen;
    std::string all;
    for (const std::string& key : s.list_map_keys)
      all += (all.empty() ? "[" : ",") + quote_json(key, JsonEscape::Go);
    all += "]";
    for (const std::string& key : s.list_map_keys) {
      const Schema* p = s.items->property(key);
      if (p == nullptr)
        errors_.invalid_json(keys, all, "entries must all be names of item properties");
      else if (p->type == "array" || p->type == "object") {
        errors_.invalid(property_path(path + ".items", key) + ".type", "object",
                        "must be a scalar type if parent array's x-kubernetes-list-type is map");
      }
      if (!seen.insert(key).second) errors_.invalid_json(keys, all, "must not contain duplicate entries");
      if (p != nullptr) map_key(*s.items, *p, key, property_path(path + ".items", key));
    }
  }
  void map_key(const Schema& items, const Schema& p, const std::string& key, const std::string& path) {
    constexpr std::string_view kStart = "this property is in x-kubernetes-list-map-keys, so it ";
    if (!among(items.required, key) && !p.fallback)
      errors_.required(path + ".default",
                       fmt::format("{}must have a default or be a required property", kStart));
    if (p.nullable) errors_.forbidden(path + ".nullable", fmt::format("{}cannot be nullable", kStart));
  }

  void rule(const Schema& s, const RuleText& rule, const std::string& path) {
    auto blank = [](const std::string& text) { return trim_space(text).empty(); };
    auto lines = [](std::string_view text) { return text.find('\n') != text.npos; };
    if (blank(rule.rule))
      errors_.required(path + ".rule", "rule is not specified");
    else if (!rule.message.empty() && blank(rule.message))
      errors_.invalid(path + ".message", rule.message, "must be non-empty if specified");
    else if (lines(trim_space(rule.message)))
      errors_.invalid(path + ".message", rule.message, "must not contain line breaks");
    else if (lines(trim_space(rule.rule)) && blank(rule.message))
      errors_.required(path + ".message", "message must be specified if rule contains line breaks");
    if (!rule.message_expression.empty() && blank(rule.message_expression))
      errors_.required(path + ".messageExpression", "messageExpression must be non-empty if specified");
    if (rule.reason && !among(kReasons, *rule.reason)) {
      errors_.not_supported(path + ".reason", *rule.reason,
                            {kReasons[0], kReasons[1], kReasons[2], kReasons[3]});
    }
    if (rule.field_path.empty()) return;
    if (blank(rule.field_path))
      errors_.invalid(path + ".fieldPath", rule.field_path, "must be non-empty if specified");
    if (lines(rule.field_path))
      errors_.invalid(path + ".fieldPath", rule.field_path, "must not contain line breaks");
    if (s.structural && !valid_field_path(rule.field_path, s).ok())
      errors_.invalid(path + ".fieldPath", rule.field_path, "must be a valid path");
  }

  FieldErrors& errors_;
};

}  // namespace

void check_structural(const SchemaPtr& root, const std::string& path, FieldErrors& errors, RuleMemo* memo) {
  Structure structure(errors);
  structure.invariants(*root, Level::Root, path);
  structure.complete(*root, path);
  std::ranges::stable_sort(errors.list, {}, &FieldError::message);  // as the server does
  if (errors.list.empty()) Defaults(errors, memo).check(root, path);
}

void check_extensions(const Schema& root, const std::string& path, FieldErrors& errors) {
  Extensions(errors).check(root, path);
}

}  // namespace portcullis::crd
