#include "interpreter/compile/wellknown.h"

#include <algorithm>
#include <string>

#include "grammar/ascii.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/text.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/map.h"
#include "interpreter/values/print.h"

namespace portcullis {
namespace {

constexpr std::string_view kPackage = "google.protobuf.";

class Maker;

// How the literals of a message become values.
struct Message {
  std::string_view name;
  Value (Maker::*make)(const Message&);
  Kind kind = Kind::Null;    // of a wrapper or container: the kind of its content
  std::string_view go = {};  // of a wrapper: the Go type of its field
};

std::string go_name(const Value& v) {
  std::string_view name = v.as_opaque().cls->conversion_name();
  return std::string(name.substr(name.rfind('.') + 1));
}

// Go's error text for a value that cannot become `go`.
std::string refusal(const Value& v, std::string_view go) {
  std::string to(go);
  switch (v.kind()) {
    case Kind::String: return "unsupported native conversion from string to '" + to + "'";
    case Kind::Int: return "unsupported type conversion from 'int' to " + to;
    case Kind::Uint: return "unsupported type conversion from 'uint' to " + to;
    case Kind::Double: return "type conversion error from Double to '" + to + "'";
    case Kind::Bytes: return "type conversion error from Bytes to '" + to + "'";
    case Kind::Null: return "type conversion error from 'null_type' to '" + to + "'";
    case Kind::Timestamp: return "type conversion error from 'Timestamp' to '" + to + "'";
    case Kind::Duration: return "type conversion error from 'Duration' to '" + to + "'";
    case Kind::Type: return std::string(kTypeNotConverted);
    case Kind::Opaque: return "type conversion error from '" + go_name(v) + "' to '" + to + "'";
    case Kind::Struct: return "type conversion error from '*dynamicpb.Message' to '" + to + "'";
    default: return "type conversion error from " + std::string(type_name(v)) + " to '" + to + "'";
  }
}

// The run-time type of a value as Go prints it, with parameters.
std::string type_text(const Value& v) {
  if (v.is(Kind::List)) return "list(dyn)";
  if (v.is(Kind::Map)) return "map(dyn, dyn)";
  return v.is(Kind::Optional) ? "optional_type(dyn)" : std::string(type_name(v));
}

constexpr const char* kNoValue = "optional.none() dereference";

class Maker {
 public:
  Maker(std::string_view type, std::span<const MapEntry> fields, Arena& arena)
      : type_(type), fields_(fields), arena_(arena) {}

  Value wrapped(const Message& w) {
    Value failure;
    const Value* v = scalar("value", failure, w.kind == Kind::String);
    if (failure.is_error()) return failure;
    if (v == nullptr) return zero(w.kind);
    if (w.kind == Kind::Bytes && v->is(Kind::List)) return bytes_of(*v);
    if (!v->is(w.kind)) return fail("value", refusal(*v, w.go));
    if (w.go == "int32" && v->as_int() != static_cast<int32_t>(v->as_int()))
      return fail("value", "integer overflow");
    if (w.go == "uint32" && v->as_uint() > UINT32_MAX) return fail("value", "unsigned integer overflow");
    return w.go == "float32" ? Value::real(static_cast<float>(v->as_double())) : *v;
  }

  Value container(const Message& m) {
    std::string_view name = m.kind == Kind::Map ? "fields" : "values";
    const Value* v = field(name);
    if (v == nullptr) return m.kind == Kind::Map ? make_map(nullptr, 0) : Value::list(nullptr, 0);
    if (!v->is(m.kind)) {
      return make_error(arena_, "unsupported field type for " + std::string(type_) + "." + std::string(name) +
                                    ": " + type_text(*v));
    }
    return converted(name, *v);
  }

  Value duration(const Message&) {
    int64_t seconds = 0, nanos = 0, all;
    Value failure;
    if (!parts(seconds, nanos, failure)) return failure;
    if (__builtin_mul_overflow(seconds, kNanosPerSecond, &all) || __builtin_add_overflow(all, nanos, &all)) {
      all = seconds < 0 ? INT64_MIN : INT64_MAX;
    }
    return Value::duration(all);
  }

  Value timestamp(const Message&) {
    int64_t seconds = 0, nanos = 0;
    Value failure;
    if (!parts(seconds, nanos, failure)) return failure;
    int64_t carry = nanos / kNanosPerSecond - (nanos % kNanosPerSecond < 0 ? 1 : 0);
    uint64_t sum = static_cast<uint64_t>(seconds) + static_cast<uint64_t>(carry);
    return Value::timestamp(static_cast<int64_t>(sum),
                            static_cast<uint32_t>(nanos - carry * kNanosPerSecond));
  }

  // The fields of a Value are alternatives: all are converted, the last one counts.
  Value any_value(const Message&) {
    Value last;
    for (const MapEntry& e : fields_) {
      last = one_of_value(e.key.as_text());
      if (last.is_error()) break;
    }
    return last;
  }

  // Nobody writes messages in protobuf's wire format into a policy, so an Any is an error whatever it holds.
  Value any(const Message&) {
    std::string_view url;
    Value failure;
    if (const Value* v = scalar("type_url", failure, true)) {
      if (!v->is(Kind::String)) return fail("type_url", refusal(*v, "string"));
      url = v->as_text();
    }
    if (const Value* v = scalar("value", failure, false); v != nullptr && !v->is(Kind::Bytes))
      return fail("value", refusal(*v, "[]uint8"));
    if (failure.is_error()) return failure;
    return make_error(arena_, "cannot read google.protobuf.Any of '" + std::string(url) + "'");
  }

 private:
  // The value of the last field with this name, or null.
  const Value* field(std::string_view name) const {
    const Value* found = nullptr;
    for (const MapEntry& e : fields_) {
      if (e.key.as_text() == name) found = &e.value;
    }
    return found;
  }

  Value fail(std::string_view name, const std::string& why) {
    return make_error(arena_, "field type conversion error for " + std::string(type_) + "." +
                                  std::string(name) + " value type: " + why);
  }

  // A field that is no container. An optional counts as its value; with `text`, a library's value counts as
  // its text. Null if the field is not set, or if `failure` tells why it has no value.
  const Value* scalar(std::string_view name, Value& failure, bool text) {
    const Value* v = field(name);
    while (v != nullptr && v->is(Kind::Optional)) {
      v = v->as_optional();
      if (v == nullptr) failure = fail(name, kNoValue);
    }
    if (!text || v == nullptr || !v->is(Kind::Opaque) || !v->as_opaque().cls->has_text) return v;
    return arena_.make<Value>(Value::string(v->as_opaque().cls->print(v->as_opaque(), arena_)));
  }

  // A list of unsigned numbers as bytes.
  Value bytes_of(const Value& list) {
    std::string out;
    for (const Value& v : list.as_list()) {
      if (!v.is(Kind::Uint)) return fail("value", refusal(v, "uint8"));
      if (v.as_uint() > UINT8_MAX) return fail("value", "unsigned integer overflow");
      out += static_cast<char>(v.as_uint());
    }
    return Value::bytes(arena_.copy(out));
  }

  static Value zero(Kind kind) {
    switch (kind) {
      case Kind::Bool: return Value::boolean(false);
      case Kind::Int: return Value::integer(0);
      case Kind::Uint: return Value::uinteger(0);
      case Kind::Double: return Value::real(0);
      case Kind::Bytes: return Value::bytes("");
      default: return Value::string("");
    }
  }

  // Reads the fields `seconds` and `nanos` of a time.
  bool parts(int64_t& seconds, int64_t& nanos, Value& failure) {
    for (auto [name, out] : {std::pair<std::string_view, int64_t*>("seconds", &seconds), {"nanos", &nanos}}) {
      const Value* v = scalar(name, failure, false);
      if (failure.is_error()) return false;
      if (v == nullptr) continue;
      if (!v->is(Kind::Int))
        return failure = fail(name, refusal(*v, name == "nanos" ? "int32" : "int64")), false;
      *out = v->as_int();
      if (name == "nanos" && *out != static_cast<int32_t>(*out))
        return failure = fail(name, "integer overflow"), false;
    }
    return true;
  }

  Value converted(std::string_view name, const Value& v) {
    std::string why;
    Value out = json(v, why);
    return why.empty() ? out : fail(name, why);
  }

  Value one_of_value(std::string_view name) {
    Value failure;
    const Value* set = scalar(name, failure, name == "string_value");
    if (set == nullptr) return failure;
    const Value& v = *set;
    auto want = [&](Kind kind, std::string_view go) {
      return v.is(kind) ? converted(name, v) : fail(name, refusal(v, go));
    };
    if (name == "bool_value") return want(Kind::Bool, "bool");
    if (name == "number_value") return want(Kind::Double, "float64");
    if (name == "string_value") return want(Kind::String, "string");
    if (name == "struct_value") return want(Kind::Map, "*structpb.Struct");
    if (name == "list_value" && v.is(Kind::Map)) return list_of(v);
    if (name == "list_value") return want(Kind::List, "*structpb.ListValue");
    if (!v.is(Kind::Int)) return fail(name, refusal(v, "protoreflect.EnumNumber"));
    return v.as_int() == static_cast<int32_t>(v.as_int()) ? Value::null() : fail(name, "integer overflow");
  }

  // Go matches the keys with the fields of its struct ListValue; CEL can reach only one of them, Values.
  Value list_of(const Value& map) {
    Value out = Value::list(nullptr, 0);
    for (const MapEntry& e : map.as_map()) {
      std::string key = e.key.is(Kind::String) ? std::string(e.key.as_text()) : format_go(e.key);
      if (!key.empty()) key[0] = to_upper(key[0]);
      if (key != "Values")
        return fail("list_value",
                    "type conversion error, no such field '" + key + "' in type 'structpb.ListValue'");
      if (!e.value.is(Kind::List)) return fail("list_value", refusal(e.value, "[]*structpb.Value"));
      out = converted("list_value", e.value);
    }
    return out;
  }

  template <class Append>
  Value text(Append append) {
    TextBuilder out(arena_);
    append(out);
    return Value::string(out.view());
  }

  // The value as in JSON; `why` tells why there is none.
  Value json(const Value& v, std::string& why) {
    switch (v.kind()) {
      case Kind::Null:
      case Kind::Bool:
      case Kind::Double:
      case Kind::String: return v;
      case Kind::Int:
        if (is_exact_in_double(v.as_int())) return Value::real(static_cast<double>(v.as_int()));
        return Value::string(arena_.copy(std::to_string(v.as_int())));
      case Kind::Uint:
        if (is_exact_in_double(v.as_uint())) return Value::real(static_cast<double>(v.as_uint()));
        return Value::string(arena_.copy(std::to_string(v.as_uint())));
      case Kind::Bytes: return text([&](TextBuilder& out) { append_base64(out, v.as_text()); });
      case Kind::Timestamp:
        return text([&](TextBuilder& out) { append_rfc3339(out, {v.seconds(), v.nanos(), 0}); });
      case Kind::Duration:
        return text([&](TextBuilder& out) { append_duration_seconds(out, v.as_duration()); });
      case Kind::List: return json_list(v, why);
      case Kind::Map: return json_map(v, why);
      case Kind::Struct:
        if (type_name(v) == "google.protobuf.Empty") return make_map(nullptr, 0);
        return why = refusal(v, "*structpb.Value"), Value();
      case Kind::Optional:
        if (v.as_optional() != nullptr) return json(*v.as_optional(), why);
        return why = kNoValue, Value();
      default: why = refusal(v, "*structpb.Value"); return {};
    }
  }

  Value json_list(const Value& v, std::string& why) {
    Value* items = arena_.array<Value>(v.size());
    size_t n = 0;
    for (const Value& item : v.as_list()) {
      if (why.empty()) items[n++] = json(item, why);
    }
    return Value::list(items, n);
  }

  Value json_map(const Value& v, std::string& why) {
    MapEntry* entries = alloc_entries(arena_, v.size());
    size_t n = 0;
    for (const MapEntry& e : v.as_map()) {
      if (!e.key.is(Kind::String)) why = refusal(e.key, "string");
      if (!why.empty()) return {};
      entries[n++] = {e.key, json(e.value, why)};
    }
    return why.empty() ? make_map(entries, n) : Value();
  }

  std::string_view type_;
  std::span<const MapEntry> fields_;
  Arena& arena_;
};

constexpr Message kMessages[] = {
    {"BoolValue", &Maker::wrapped, Kind::Bool, "bool"},
    {"BytesValue", &Maker::wrapped, Kind::Bytes, "[]uint8"},
    {"DoubleValue", &Maker::wrapped, Kind::Double, "float64"},
    {"FloatValue", &Maker::wrapped, Kind::Double, "float32"},
    {"Int32Value", &Maker::wrapped, Kind::Int, "int32"},
    {"Int64Value", &Maker::wrapped, Kind::Int, "int64"},
    {"StringValue", &Maker::wrapped, Kind::String, "string"},
    {"UInt32Value", &Maker::wrapped, Kind::Uint, "uint32"},
    {"UInt64Value", &Maker::wrapped, Kind::Uint, "uint64"},
    {"Struct", &Maker::container, Kind::Map},
    {"ListValue", &Maker::container, Kind::List},
    {"Value", &Maker::any_value},
    {"Duration", &Maker::duration},
    {"Timestamp", &Maker::timestamp},
    {"Any", &Maker::any},
};

struct MessageForm : StructForm {
  const Message* message;
};

Value make_message(const StructForm& form, std::span<const MapEntry> fields, Arena& arena) {
  const Message& message = *static_cast<const MessageForm&>(form).message;
  Maker maker(form.type_name, fields, arena);
  return (maker.*message.make)(message);
}

Value make_plain(const StructForm& form, std::span<const MapEntry> fields, Arena& arena) {
  MapEntry* entries = alloc_entries(arena, fields.size());
  std::copy(fields.begin(), fields.end(), entries);
  Value map = make_computed_map(entries, fields.size());
  return Value::structure(arena.make<StructValue>(form.type_name, map.as_map()));
}

Value make_unknown(const StructForm& form, std::span<const MapEntry>, Arena& arena) {
  return make_error(arena, "unknown type '" + std::string(form.type_name) + "'");
}

}  // namespace

const StructForm* literal_form(std::string_view type, Arena& arena) {
  MessageForm* form = arena.make<MessageForm>();
  form->cls = &kStructFormClass;
  form->type_name = type;
  form->make = make_unknown;
  if (!type.starts_with(kPackage)) return form;
  form->make = make_plain;
  std::string_view name = type.substr(kPackage.size());
  for (const Message& m : kMessages) {
    if (m.name == name) form->message = &m, form->make = make_message;
  }
  return form;
}

}  // namespace portcullis
