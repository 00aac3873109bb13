#include "admission/crd/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "admission/crd/extensions.h"
#include "admission/crd/formats.h"
#include "grammar/quote.h"
#include "grammar/utf8.h"
#include "interpreter/formats/number.h"
#include "interpreter/functions/regex.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"

namespace portcullis::crd {
namespace {

enum class Sort { Invalid, Type, Required, Enum, TooLong, TooMany, Plain };

// One error. `name` is upstream's path, which begins with a dot below additional properties of the root.
struct Issue {
  Sort sort;
  std::string name, text;
  Value value;
  int64_t limit = 0;
  const Schema* schema = nullptr;  // of an enum error
};

// Errors, each text once, and the number of checks that succeeded, which selects the best of several
// alternatives.
struct Findings {
  static constexpr size_t kFew = 64;
  std::vector<Issue> issues;
  std::unordered_set<std::string> texts;  // of all issues, once there are many
  int matches = 0;

  bool valid() const { return issues.empty(); }
  void add(Issue issue) {
    if (issues.size() < kFew) {
      bool known =
          std::any_of(issues.begin(), issues.end(), [&](const Issue& i) { return i.text == issue.text; });
      if (!known) issues.push_back(std::move(issue));
      return;
    }
    if (texts.empty()) {
      for (const Issue& i : issues) texts.insert(i.text);
    }
    if (texts.insert(issue.text).second) issues.push_back(std::move(issue));
  }
  void merge(Findings other) {
    if (issues.empty()) std::swap(issues, other.issues), std::swap(texts, other.texts);
    for (Issue& i : other.issues) add(std::move(i));
    matches += other.matches;
  }
};

std::string_view json_type(const Value& v) {
  switch (v.kind()) {
    case Kind::Bool: return "boolean";
    case Kind::Int: return "integer";
    case Kind::Double: return "number";
    case Kind::String: return "string";
    case Kind::List: return "array";
    case Kind::Map: return "object";
    default: return "null";
  }
}

std::string general(double d) {
  Arena arena;
  TextBuilder text(arena);
  append_general(text, d);
  return std::string(text.view());
}

// Whether JSON would call the number an integer: within 2^53 and almost whole.
bool is_json_integer(double d) {
  constexpr double kMost = 9007199254740991.0, kEpsilon = 1e-9;
  if (std::isnan(d) || d < -kMost || d > kMost) return false;
  const double whole = std::round(d);
  return d == whole || std::fabs(d - whole) < kEpsilon * std::fabs(whole);
}

// The types that `type` of the schema allows: none, one, or both types of int-or-string.
class Types {
 public:
  Types(const Schema& s, std::optional<uint32_t> server) : schema_(s), server_(server) {}
  bool any() const { return schema_.int_or_string || !schema_.type.empty(); }
  bool contains(std::string_view type) const {
    return schema_.int_or_string ? type == "integer" || type == "string" : schema_.type == type;
  }
  std::string print() const { return schema_.int_or_string ? "integer,string" : schema_.type; }
  // The format, if the server has a check for it in this type.
  std::string_view format() const {
    std::string_view f = schema_.format;
    if (f.empty() || !server_) return f;
    if (schema_.int_or_string || schema_.type.empty() || schema_.type == "string")
      return is_known_format(f, *server_) ? f : "";
    return number_format();
  }
  // The format, if it bounds the numbers of this type.
  std::string_view number_format() const {
    std::string_view f = schema_.format;
    if (schema_.int_or_string) return {};
    if (schema_.type == "integer") return f == "int32" || f == "int64" ? f : "";
    if (schema_.type == "number") return f == "float" || f == "double" ? f : "";
    return {};
  }

 private:
  const Schema& schema_;
  std::optional<uint32_t> server_;
};

class Checker {
 public:
  explicit Checker(std::optional<uint32_t> server) : server_(server) {}
  // Drops the errors of a field that has not changed since its correlated value.
  Findings check_field(const Value& v, const Schema& s, const std::string& path, const Correlation& c) {
    Findings found = check(v, s, path, c);
    if (!found.valid() && c && c.unchanged()) found.issues.clear(), found.texts.clear();
    return found;
  }

 private:
  Findings check(const Value& v, const Schema& s, const std::string& path, const Correlation& c) {
    Findings out;
    if (v.is_null()) {
      if (types_of(s).any() && !s.nullable)
        out.add(type_issue(path, types_of(s).print(), "null"));
      else
        out.matches++;
      enums(v, s, path, out);
      return out;
    }
    if (types_of(s).any() || !types_of(s).format().empty()) out.merge(type(v, s, path)), out.matches++;
    out.merge(combined(v, s, path)), out.matches++;
    if (v.is(Kind::String)) out.merge(text(v, s, path)), out.matches++;
    if (v.is(Kind::String) && is_known_format(types_of(s).format(), KubernetesVersion::kLast))
      format(v, s, path, out), out.matches++;
    if (v.is(Kind::Int) || v.is(Kind::Double)) out.merge(number(v, s, path)), out.matches++;
    if (v.is(Kind::List)) out.merge(list(v, s, path, c)), out.matches++;
    enums(v, s, path, out), out.matches++;
    if (v.is(Kind::Map)) out.merge(object(v, s, path, c)), out.matches++;
    out.matches++;
    return out;
  }

  static Issue issue(const std::string& path, const Value& v, std::string_view what) {
    return {Sort::Invalid, path, fmt::format("{} in body {}", path, what), v};
  }
  Issue type_issue(const std::string& path, std::string_view want, std::string_view got) {
    std::string text = fmt::format("{} in body must be of type {}: {}", path, want, quote(got));
    return {Sort::Type, path, std::move(text), Value::string(arena_.copy(got))};
  }

  Types types_of(const Schema& s) const { return {s, server_}; }

  Findings type(const Value& v, const Schema& s, const std::string& path) {
    Types types = types_of(s);
    Findings out;
    std::string_view is = json_type(v), format = types.format();
    std::string_view own = v.is(Kind::Int) ? "int64" : v.is(Kind::Double) ? "float64" : "";
    bool numbers = types.contains("number") || types.contains("integer");
    bool whole = v.is(Kind::Double) && is_json_integer(v.as_double()) && types.contains("integer");
    bool widened = v.is(Kind::Int) && types.contains("number");
    bool sequence = v.is(Kind::String) || v.is(Kind::List);
    if (!sequence && !format.empty() && !types.contains(is) && own != format && !whole && !widened) {
      out.add(type_issue(path, format, own));
    } else if (!numbers && !format.empty() && sequence) {
      out.matches++;
    } else if (!types.contains(is) && !whole && !widened) {
      out.add(type_issue(path, types.print(), is));
    } else {
      out.matches++;
    }
    return out;
  }

  Findings text(const Value& v, const Schema& s, const std::string& path) {
    Findings out;
    int64_t length = static_cast<int64_t>(utf8::length(v.as_text()));
    if (s.max_length && length > *s.max_length) {
      Issue i = issue(path, v, fmt::format("should be at most {} chars long", *s.max_length));
      i.sort = Sort::TooLong;
      i.limit = *s.max_length;
      out.add(std::move(i));
    } else if (s.min_length && length < *s.min_length) {
      out.add(issue(path, v, fmt::format("should be at least {} chars long", *s.min_length)));
    } else if (!s.pattern.empty()) {
      const Regex& regex = regexes_.get(s.pattern);
      if (!regex.ok()) {
        out.add(issue(
            path, v, fmt::format("should match '{}, but pattern is invalid: {}'", s.pattern, regex.error())));
      } else if (!regex.search(v.as_text())) {
        out.add(issue(path, v, fmt::format("should match '{}'", s.pattern)));
      }
    }
    return out;
  }

  void format(const Value& v, const Schema& s, const std::string& path, Findings& out) {
    if (!has_format(s.format, v.as_text())) out.add(type_issue(path, s.format, v.as_text()));
  }

  // Whether the number fits the type and format. Plain issues have no field.
  void range(bool integral, double d, const Schema& s, const char* what, const std::string& path,
             Findings& out) {
    std::string_view format = types_of(s).number_format();
    bool integer = s.type == "integer" && !s.int_or_string, bad = false;
    if (integer) {
      constexpr double kTwo63 = 9223372036854775808.0;
      // Quirk of upstream: -2^63 does not fit, because its digits are written as those of a float64.
      bad = !integral && (d != std::trunc(d) || d <= -kTwo63 || d >= kTwo63);
      if (format == "int32")
        bad = bad || d < std::numeric_limits<int32_t>::min() || d > std::numeric_limits<int32_t>::max();
    } else if (format == "float") {
      bad = std::fabs(d) > std::numeric_limits<float>::max();
    }
    if (!bad) return;
    std::string_view name = integer ? "integer" : s.type == "number" && !s.int_or_string ? "number" : "";
    std::string kind = format.empty() ? "(default format)" : fmt::format("with format {}", format);
    out.add(
        {Sort::Plain, {}, fmt::format("{} value must be of type {} {} in {}", what, name, kind, path), {}});
  }

  Findings number(const Value& v, const Schema& s, const std::string& path) {
    Findings out;
    bool integral = v.is(Kind::Int);
    double d = integral ? static_cast<double>(v.as_int()) : v.as_double();
    range(integral, d, s, "Checked", path, out);
    multiple(v, d, s, path, out);
    bound(v, d, s, path, s.minimum, s.exclusive_minimum, "Minimum boundary", true, out);
    bound(v, d, s, path, s.maximum, s.exclusive_maximum, "Maximum boundary", false, out);
    out.matches++;
    return out;
  }

  void bound(const Value& v, double d, const Schema& s, const std::string& path,
             const std::optional<double>& limit, bool exclusive, const char* what, bool lower,
             Findings& out) {
    if (!limit) return;
    Findings fits;
    range(false, *limit, s, what, path, fits);
    bool native = fits.valid() && v.is(Kind::Int);
    out.merge(std::move(fits));
    int order;  // the order of the value and the limit
    if (native) {
      int64_t n = saturated(*limit);
      order = v.as_int() < n ? -1 : v.as_int() > n;
    } else {
      order = d < *limit ? -1 : d > *limit;
    }
    bool beyond = lower ? order < 0 : order > 0;
    if (!beyond && !(exclusive && order == 0)) return;
    std::string_view words = lower       ? exclusive ? "greater than" : "greater than or equal to"
                             : exclusive ? "less than"
                                         : "less than or equal to";
    out.add(issue(
        path, native ? v : Value::real(d),
        fmt::format("should be {} {}", words, native ? std::to_string(saturated(*limit)) : general(*limit))));
  }

  static int64_t saturated(double d) {
    constexpr double kTwo63 = 9223372036854775808.0;
    if (d >= kTwo63 || d < -kTwo63) return std::numeric_limits<int64_t>::min();  // as Go converts
    return static_cast<int64_t>(d);
  }

  void multiple(const Value& v, double d, const Schema& s, const std::string& path, Findings& out) {
    if (!s.multiple_of) return;
    Findings fits;
    range(false, *s.multiple_of, s, "MultipleOf", path, fits);
    bool native = fits.valid() && v.is(Kind::Int);
    out.merge(std::move(fits));
    double factor = *s.multiple_of;
    int64_t whole = saturated(factor);
    if (native ? whole <= 0 : factor <= 0) {
      std::string text = native ? std::to_string(whole) : general(factor);
      out.add({Sort::Invalid, path,
               fmt::format("factor MultipleOf declared for {} must be positive: {}", path, text),
               native ? Value::integer(whole) : Value::real(factor)});
      return;
    }
    bool is = native ? v.as_int() % whole == 0 : is_json_integer(factor < 1 ? 1 / factor * d : d / factor);
    if (!is)
      out.add(
          issue(path, native ? v : Value::real(d),
                fmt::format("should be a multiple of {}", native ? std::to_string(whole) : general(factor))));
  }

  Findings list(const Value& v, const Schema& s, const std::string& path, const Correlation& c) {
    Findings out;
    if (s.items != nullptr) {
      OldItems old_items(c.schema == nullptr ? s : *c.schema, c.old);
      for (size_t i = 0; i < v.size(); ++i)
        out.merge(check_field(v.as_list()[i], *s.items, index(path, i), c.item(i, old_items)));
    }
    int64_t size = static_cast<int64_t>(v.size());
    if (s.min_items && size < *s.min_items) {
      out.add(issue(path, Value::integer(size), fmt::format("should have at least {} items", *s.min_items)));
    }
    if (s.max_items && size > *s.max_items) out.add(too_many(path, size, *s.max_items, "items"));
    if (s.unique_items && has_duplicates(v))
      out.add(issue(path, Value::string(""), "shouldn't contain duplicates"));
    out.matches++;
    return out;
  }
  static Issue too_many(const std::string& path, int64_t size, int64_t limit, std::string_view what) {
    Issue i = issue(path, Value::integer(size), fmt::format("should have at most {} {}", limit, what));
    i.sort = Sort::TooMany;
    i.limit = limit;
    return i;
  }
  static bool has_duplicates(const Value& list) {
    std::unordered_set<std::string> seen;
    for (const Value& item : list.as_list()) {
      std::string text;
      append_identity(item, text);
      if (!seen.insert(std::move(text)).second) return true;
    }
    return false;
  }

  // Enums convert the value to the type of the allowed value and compare numbers, as Go does.
  static bool is_same(const Value& v, const Value& allowed) {
    if (v.is(Kind::Int) && allowed.is(Kind::Double))
      return static_cast<double>(v.as_int()) == allowed.as_double();
    if (v.is(Kind::Double) && allowed.is(Kind::Int))
      return std::fabs(v.as_double()) < 9e18 && static_cast<int64_t>(v.as_double()) == allowed.as_int();
    return same_data(v, allowed);
  }
  static void enums(const Value& v, const Schema& s, const std::string& path, Findings& out) {
    if (s.enums.empty() || (!v.is_null() && std::any_of(s.enums.begin(), s.enums.end(),
                                                        [&](const Value& e) { return is_same(v, e); })))
      return;
    std::string what = "should be one of";  // distinguishes issues
    for (const Value& e : s.enums) what += " " + to_json(e);
    Issue i = issue(path, v, what);
    i.sort = Sort::Enum;
    i.schema = &s;
    out.add(std::move(i));
  }

  Findings object(const Value& v, const Schema& s, const std::string& path, const Correlation& c) {
    Findings out;
    int64_t size = static_cast<int64_t>(v.size());
    if (s.min_properties && size < *s.min_properties) {
      out.add(issue(path, Value::integer(size),
                    fmt::format("should have at least {} properties", *s.min_properties)));
    }
    if (s.max_properties && size > *s.max_properties)
      out.add(too_many(path, size, *s.max_properties, "properties"));
    bool closed = s.additional_allowed && !*s.additional_allowed;
    for (const MapEntry& e : v.as_map()) {
      if (s.property(e.key.as_text()) != nullptr) continue;
      std::string at = fmt::format("{}.{}", path, e.key.as_text());
      if (closed)
        out.add({Sort::Invalid, path, fmt::format("{} in body is a forbidden property", at), e.key});
      if (s.additional != nullptr)
        out.merge(check_field(e.value, *s.additional, at, child_correlation(c, e.key.as_text(), path)));
    }
    for (const auto& [name, property] : s.properties) {
      const Value* found = find_key(v, Value::string(name));
      if (found != nullptr)
        out.merge(check_field(*found, *property, child(path, name), child_correlation(c, name, path)));
    }
    for (const std::string& name : s.required) {
      if (find_key(v, Value::string(name)) != nullptr) continue;
      out.add({Sort::Required, path + "." + name, fmt::format("{}.{} in body is required", path, name), {}});
    }
    return out;
  }
  // apiVersion and kind of the root are always validated.
  static Correlation child_correlation(const Correlation& c, std::string_view name, const std::string& path) {
    if (path.empty() && (name == "apiVersion" || name == "kind")) return {};
    return c.field(name);
  }

  static Issue plain(std::string text) { return {Sort::Plain, {}, std::move(text), {}}; }

  // Nothing inside of allOf, anyOf, oneOf and not is compared with the value before.
  Findings combined(const Value& v, const Schema& s, const std::string& path) {
    Findings out;
    if (!s.any_of.empty()) any_of(v, s, path, out);
    if (!s.one_of.empty()) one_of(v, s, path, out);
    if (!s.all_of.empty()) all_of(v, s, path, out);
    if (s.negated != nullptr && check(v, *s.negated, path, {}).valid()) {
      out.add(plain(fmt::format("{} must not validate the schema (not)", quote(path))));
    }
    out.matches++;
    return out;
  }

  void any_of(const Value& v, const Schema& s, const std::string& path, Findings& out) {
    std::optional<Findings> best;
    for (const SchemaPtr& part : s.any_of) {
      Findings found = check(v, *part, path, {});
      if (found.valid()) return out.merge(std::move(found));
      if (!best || found.matches > best->matches) best = std::move(found);
    }
    out.add(plain(fmt::format("{} must validate at least one schema (anyOf)", quote(path))));
    out.merge(std::move(*best));
  }

  void one_of(const Value& v, const Schema& s, const std::string& path, Findings& out) {
    std::optional<Findings> best, first;
    int valid = 0;
    for (const SchemaPtr& part : s.one_of) {
      Findings found = check(v, *part, path, {});
      if (found.valid()) {
        ++valid;
        best.reset();
        if (!first) first = std::move(found);
      } else if (valid == 0 && (!best || found.matches > best->matches)) {
        best = std::move(found);
      }
    }
    if (valid == 1) return out.merge(std::move(*first));
    std::string more = valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
    out.add(plain(fmt::format("{} must validate one and only one schema (oneOf). {}", quote(path), more)));
    if (best) out.merge(std::move(*best));
  }

  void all_of(const Value& v, const Schema& s, const std::string& path, Findings& out) {
    size_t valid = 0;
    for (const SchemaPtr& part : s.all_of) {
      Findings found = check(v, *part, path, {});
      valid += found.valid();
      out.merge(std::move(found));
    }
    if (valid == s.all_of.size()) return;
    out.add(plain(fmt::format("{} must validate all the schemas (allOf){}", quote(path),
                              valid == 0 ? ". None validated" : "")));
  }

  std::optional<uint32_t> server_;
  Arena arena_;
  RegexCache regexes_{Regex::kWritten};
};

// `root`: the path of the value that was checked.
void report_issue(const Issue& i, const std::string& root, FieldErrors& errors) {
  const std::string name = i.name.starts_with('.') ? i.name.substr(1) : i.name;
  std::string path = name.empty() ? root : child(root, name);
  if (path.empty()) path = "<nil>";
  switch (i.sort) {
    case Sort::Invalid: return errors.invalid_data(path, i.value, i.text);
    case Sort::Type: return errors.type_invalid(path, i.value, i.text);
    case Sort::Required: return errors.required(path);
    case Sort::TooLong: return errors.too_long(path, static_cast<int>(i.limit));
    case Sort::TooMany: return errors.too_many(path, static_cast<size_t>(i.value.as_int()), i.limit);
    case Sort::Plain: return errors.invalid(path, "", i.text);
    case Sort::Enum: break;
  }
  std::vector<std::string> supported;
  for (const Value& v : i.schema->enums)
    supported.push_back(v.is(Kind::String) ? std::string(v.as_text()) : to_json(v, JsonEscape::Go));
  errors.not_among(path, i.value, supported);
}

}  // namespace

void check_structure(const Value& value, const Schema& schema, const Correlation& correlation,
                     const std::string& path, FieldErrors& errors, std::optional<uint32_t> server) {
  Checker checker(server);  // owns the values of the findings
  Findings found = checker.check_field(value, schema, "", correlation);
  for (const Issue& i : found.issues) report_issue(i, path, errors);
}

}  // namespace portcullis::crd
