// Decoding of objects by the rows of schema.h: strict as sigs.k8s.io/json, with defaults, converted to v1.
// Tested by tests/oracle (mutate_policies.py).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "admission/objects/schema.h"
#include "admission/scalars/group_version.h"
#include "admission/scalars/instant.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using enum FieldKind;

constexpr std::string_view kVersionNames[] = {"v1", "v1beta1", "v1alpha1"};

class Decoder {
 public:
  explicit Decoder(ApiVersion version) : package_(kVersionNames[static_cast<int>(version)]) {}

  std::string error;        // the first
  std::string error_place;  // and its field, with indices
  std::vector<std::string> strict_errors;

  void object(const Document& d, const StructRow& type, Data& out) {
    const auto outer = struct_;
    const size_t depth = fields_.size(), place = place_.size();
    uint64_t seen = 0;
    for (const auto& [key, member] : d.members) {
      size_t i = 0;
      while (i < type.fields.size() && type.fields[i].name != key) i++;
      if (i == type.fields.size()) {
        strict("unknown field", key);
        continue;
      }
      const FieldRow& row = type.fields[i];
      if (seen & (uint64_t{1} << i)) strict("duplicate field", key);
      seen |= uint64_t{1} << i;
      if (!row.embedded.empty()) fields_.emplace_back(row.embedded);
      fields_.emplace_back(row.name);
      struct_ = type.go_name;
      step(key);
      field(member, row, out.items[i]);
      fields_.resize(depth);
      struct_ = outer;
      place_.resize(place);
      if (fatal_) return;
    }
  }

 private:
  std::string go_type(const FieldRow& row) const {
    if (!row.go_type.starts_with('@')) return std::string(row.go_type);
    return std::string(package_).append(row.go_type.substr(1));
  }
  void step(std::string_view key) {
    if (!place_.empty()) place_ += '.';
    place_ += key;
  }
  void strict(std::string_view what, std::string_view key) {
    std::string path = place_.empty() ? std::string(key) : place_ + "." + std::string(key);
    std::string text = fmt::format("{} {}", what, quote(path));
    if (strict_errors.size() < kMaxStrictErrors && seen_.insert(text).second)
      strict_errors.push_back(std::move(text));
  }
  void fail(std::string text) {
    if (!error.empty()) return;
    error = std::move(text);
    error_place = place_;
  }
  // An unmarshaler of its own failed: reading stops at once, but an earlier error is forgotten.
  void abort(std::string text) {
    error = std::move(text);
    error_place = place_;
    fatal_ = true;
  }
  std::string mismatch(std::string_view value, std::string_view type) const {
    return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", value, struct_,
                       fmt::join(fields_, "."), type);
  }
  // Says that what stands in the document cannot be a `type`.
  void wrong(const Document& d, std::string_view type) {
    static constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
    fail(mismatch(kNames[static_cast<int>(d.kind)], type));
  }

  void field(const Document& d, const FieldRow& row, Data& out) {
    if (d.is(Document::Kind::Null)) return null(row, out);
    switch (row.kind) {
      case String: return text(d, go_type(row), out);
      case Bool: return boolean(d, row, out);
      case Int32:
      case Int64: return integer(d, row, out);
      case Bytes: return bytes(d, out);
      case Time: return time(d, out);
      case Raw:
        out.set = true;
        out.text = sorted_json(d);
        return;
      case StringMap: return map(d, row, out);
      case Struct: return structure(d, row, out);
      case Strings:
      case Structs: return list(d, row, out);
    }
  }

  // Pointers, lists and maps become nil; whatever else stays as it was.
  static void null(const FieldRow& row, Data& out) {
    bool nils = (row.flags & kPointer) || row.kind == Strings || row.kind == Structs ||
                row.kind == StringMap || row.kind == Bytes || row.kind == Time;
    if (nils) out = Data{};
  }

  void text(const Document& d, std::string_view type, Data& out) {
    if (!d.is(Document::Kind::String)) return wrong(d, type);
    out.set = true;
    out.text = d.text;
  }
  void boolean(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Bool)) return wrong(d, row.go_type);
    out.set = true;
    out.flag = d.boolean;
  }
  void integer(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Number)) return wrong(d, row.go_type);
    int64_t n = 0;
    if (!parse(d.text, row.kind == Int32 ? INT32_MIN : INT64_MIN, row.kind == Int32 ? INT32_MAX : INT64_MAX,
               n)) {
      return fail(mismatch("number " + d.text, row.go_type));
    }
    out.set = true;
    out.number = n;
  }
  // strconv.ParseInt of a JSON number: no fraction, no exponent.
  static bool parse(const std::string& digits, int64_t low, int64_t high, int64_t& out) {
    if (digits.find_first_of(".eE") != std::string::npos || digits.size() > 20) return false;
    errno = 0;
    out = std::strtoll(digits.c_str(), nullptr, 10);
    return errno == 0 && out >= low && out <= high;
  }
  void bytes(const Document& d, Data& out);
  void time(const Document& d, Data& out) {
    if (!d.is(Document::Kind::String)) {
      static constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
      return abort(mismatch(kNames[static_cast<int>(d.kind)], "string"));
    }
    Instant at;
    std::string problem = parse_instant(d.text, at);
    if (!problem.empty()) return abort(problem);
    out.number = at.seconds;
    out.nanos = at.nanos;
    out.set = true;
  }
  static std::string sorted_json(const Document& d);
  void map(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Object)) return wrong(d, row.go_type);
    out.set = true;
    std::set<std::string_view> keys;
    for (const auto& [key, member] : d.members) {
      if (!keys.insert(key).second) strict("duplicate field", key);
      std::string& slot = out.map[key];
      slot.clear();
      if (member.is(Document::Kind::Null)) continue;
      if (!member.is(Document::Kind::String)) {
        const size_t place = place_.size();
        place_ += fmt::format("[{}]", key);
        wrong(member, "string");
        place_.resize(place);
      } else {
        slot = member.text;
      }
    }
  }
  void structure(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::Object)) return wrong(d, go_type(row));
    if (!out.set) out = zero_struct(*row.type);
    object(d, *row.type, out);
  }
  void list(const Document& d, const FieldRow& row, Data& out) {
    if (!d.is(Document::Kind::List)) return wrong(d, "[]" + go_type(row));
    out.set = true;
    const size_t place = place_.size();
    // A list that is read a second time (a duplicate field) keeps what its elements held, as in Go.
    out.items.resize(d.items.size());
    for (size_t i = 0; i < d.items.size() && !fatal_; i++) {
      place_ += fmt::format("[{}]", i);
      element(d.items[i], row, out.items[i]);
      place_.resize(place);
    }
  }
  void element(const Document& d, const FieldRow& row, Data& out) {
    if (row.kind == Structs && out.type == nullptr) out = zero_struct(*row.type);
    if (d.is(Document::Kind::Null)) return;
    if (row.kind == Strings) return text(d, go_type(row), out);
    if (!d.is(Document::Kind::Object)) return wrong(d, go_type(row));
    object(d, *row.type, out);
  }

  std::string_view package_;
  std::string_view struct_;          // Go's name of the struct whose field is read
  std::vector<std::string> fields_;  // its field path, without indices
  std::string place_;                // the path for errors, with indices
  std::set<std::string> seen_;
  bool fatal_ = false;
};

void Decoder::bytes(const Document& d, Data& out) {
  if (d.is(Document::Kind::String)) {
    out = Data{};
    out.set = true;
    Arena arena;
    TextBuilder bytes(arena);
    if (auto at = decode_base64(bytes, d.text, true))
      fail(fmt::format("illegal base64 data at input byte {}", *at));
    out.text = bytes.view();
    return;
  }
  if (!d.is(Document::Kind::List)) return wrong(d, "[]uint8");
  out = Data{};
  out.set = true;
  for (const Document& item : d.items) {
    int64_t n = 0;
    if (item.is(Document::Kind::Null)) {
    } else if (!item.is(Document::Kind::Number)) {
      wrong(item, "uint8");
    } else if (!parse(item.text, 0, 255, n)) {
      fail(mismatch("number " + item.text, "uint8"));
    }
    out.text += static_cast<char>(n);
  }
}

// JSON of what stands in a document that was made from a value; there keys are given once.
void write_json(JsonWriter& w, const Document& d) {
  switch (d.kind) {
    case Document::Kind::Null: return w.raw("null");
    case Document::Kind::Bool: return w.raw(d.boolean ? "true" : "false");
    case Document::Kind::Number: return w.raw(d.text);
    case Document::Kind::String: return w.string(d.text);
    case Document::Kind::List:
      w.begin_list();
      for (const Document& item : d.items) write_json(w, item);
      return w.end_list();
    case Document::Kind::Object: break;
  }
  std::map<std::string_view, const Document*> sorted;
  for (const auto& [key, member] : d.members) sorted[key] = &member;
  w.begin_object();
  for (const auto& [key, member] : sorted) {
    w.key(key);
    write_json(w, *member);
  }
  w.end_object();
}

std::string Decoder::sorted_json(const Document& d) {
  if (d.raw.empty()) {
    std::string out;
    JsonWriter writer(out);
    write_json(writer, d);
    return out;
  }
  Arena arena;
  auto value = read_json(d.raw, arena);
  return value.ok() ? to_json(*value) : "{}";
}

// --- defaults ----------------------------------------------------------------------------------------------

void apply_defaults(Data& data, ApiVersion version);

void apply_default(const FieldRow& row, Data& data, ApiVersion version) {
  const FieldDefault& f = row.fallback;
  std::string_view json = version == ApiVersion::V1        ? f.v1
                          : version == ApiVersion::V1beta1 ? f.v1beta1
                                                           : f.v1alpha1;
  if (!json.empty() && !data.set) {
    data.set = true;
    if (row.kind == Struct) data = zero_struct(*row.type);
    if (row.kind == Int32) data.number = std::stoi(std::string(json));
    if (row.kind == String) data.text = json;
  }
  // The one default of a list; also an empty list gets it.
  if (!json.empty() && row.kind == Strings && data.items.empty()) {
    data.set = true;
    data.items.resize(1);
    data.items[0].set = true;
    data.items[0].text = json.substr(1, json.size() - 2);
  }
  if (row.kind == Struct && data.set) apply_defaults(data, version);
  if (row.kind == Structs) {
    for (Data& item : data.items) apply_defaults(item, version);
  }
}

void apply_defaults(Data& data, ApiVersion version) {
  for (size_t i = 0; i < data.items.size(); i++) apply_default(data.type->fields[i], data.items[i], version);
}

// --- which kind --------------------------------------------------------------------------------------------

bool same_fold(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

constexpr std::string_view kScheme =
    "pkg/runtime/scheme.go:111";  // what Kubernetes calls its scheme in errors

// Reads apiVersion and kind as Kubernetes' meta factory does: names of fields in any case,
// the last one counts.
std::string read_type_meta(const Document& d, std::string& api_version, std::string& kind) {
  constexpr std::string_view kInto =
      R"(struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";
  static constexpr std::string_view kNames[] = {"null", "bool", "number", "string", "array", "object"};
  constexpr std::string_view kPrefix = "couldn't get version/kind; json parse error: ";
  if (d.is(Document::Kind::Null)) return {};
  auto name = [&](const Document& x) { return kNames[static_cast<int>(x.kind)]; };
  if (!d.is(Document::Kind::Object)) {
    return fmt::format("{}json: cannot unmarshal {} into Go value of type {}", kPrefix, name(d), kInto);
  }
  std::string error;
  for (const auto& [key, value] : d.members) {
    bool version = same_fold(key, "apiVersion");
    if (!version && !same_fold(key, "kind")) continue;
    if (value.is(Document::Kind::Null)) continue;
    if (value.is(Document::Kind::String)) {
      (version ? api_version : kind) = value.text;
    } else if (error.empty()) {
      error = fmt::format("{}json: cannot unmarshal {} into Go struct field .{} of type string", kPrefix,
                          name(value), version ? "apiVersion" : "kind");
    }
  }
  return error;
}

Decoded failed(std::string error) {
  Decoded out;
  out.error = std::move(error);
  return out;
}

// Kinds that every group has beside its own.
constexpr std::string_view kMetaKinds[] = {"WatchEvent",    "ListOptions",   "GetOptions",  "DeleteOptions",
                                           "CreateOptions", "UpdateOptions", "PatchOptions"};

// What is said about an object that is of none of the six kinds.
Decoded unknown_kind(std::string_view kind, std::string_view api_version, bool our_version) {
  if (our_version && kind.ends_with("List")) {
    for (const ApiKind& k : api_kinds) {
      if (kind.substr(0, kind.size() - 4) != k.kind) continue;
      Decoded out;
      out.unsupported = fmt::format("{}, Kind={} is not a kind that can be validated", api_version, kind);
      return out;
    }
  }
  if (our_version && std::find(std::begin(kMetaKinds), std::end(kMetaKinds), kind) != std::end(kMetaKinds)) {
    return failed(
        fmt::format("no kind \"{}\" is registered for the internal version of group \"{}\" in scheme \"{}\"",
                    kind, kRegistrationGroup, kScheme));
  }
  return failed(fmt::format("no kind {} is registered for version {} in scheme \"{}\"", quote(kind),
                            quote(api_version), kScheme));
}

}  // namespace

namespace {

// `text`: the object as JSON.
Decoded decode(const Document& object, const std::function<std::string()>& text) {
  std::string api_version, kind;
  std::string error = read_type_meta(object, api_version, kind);
  if (!error.empty()) return failed(error);
  const auto [group, version, well_formed] = split_api_version(api_version);
  if (!well_formed) return failed("unexpected GroupVersion string: " + api_version);
  if (kind.empty()) return failed(fmt::format("Object 'Kind' is missing in '{}'", text()));
  if (version.empty()) return failed(fmt::format("Object 'apiVersion' is missing in '{}'", text()));

  const ApiKind* found = nullptr;
  for (const ApiKind& k : api_kinds) {
    if (k.kind == kind) found = &k;
  }
  int v = 0;
  while (v < 3 && kVersionNames[v] != version) v++;
  const bool ours = group == kRegistrationGroup && v < 3;
  if (!ours || found == nullptr || (v == 2 && !found->at_v1alpha1)) {
    return unknown_kind(kind, group.empty() ? version : std::string_view(api_version), ours);
  }
  Decoded out;
  out.kind = found;
  out.version = static_cast<ApiVersion>(v);
  out.data = zero_struct(*found->type);
  Decoder decoder(out.version);
  decoder.object(object, *found->type, out.data);
  out.error = std::move(decoder.error);
  out.error_place = std::move(decoder.error_place);
  out.strict_errors = std::move(decoder.strict_errors);
  apply_defaults(out.data, out.version);
  out.data.at("apiVersion").text = fmt::format("{}/v1", kRegistrationGroup);
  out.data.at("kind").text = kind;
  return out;
}

}  // namespace

Decoded decode_object(const Document& object) {
  return decode(object, [&] { return std::string(object.raw); });
}

Decoded decode_object(const Value& object) {
  return decode(document_of(object), [&] { return to_json(object); });
}

Data decode_struct(const Document& object, const StructRow& type, std::string& error,
                   std::vector<std::string>* strict) {
  Data data = zero_struct(type);
  Decoder decoder(ApiVersion::V1);
  if (object.is(Document::Kind::Object)) {
    decoder.object(object, type, data);
  } else if (!object.is(Document::Kind::Null)) {
    decoder.error = fmt::format("json: cannot unmarshal into Go value of type v1.{}", type.go_name);
  }
  error = std::move(decoder.error);
  if (strict != nullptr) *strict = std::move(decoder.strict_errors);
  return data;
}

}  // namespace portcullis
