#include "admission/patching/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "admission/builtin/types.h"
#include "admission/expressions/native_form.h"
#include "admission/expressions/patches.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/text.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

constexpr double kTwoTo53 = 9007199254740992.0;
constexpr double kLongest = 1e21;  // from here on, numbers have an exponent
constexpr std::string_view kTarget = "*structpb.Value";

// `v` with every item converted; shares the items of `v` if none changes. Stops when `failed`.
template <class Convert>
Value convert_items(Arena& arena, const Value& v, Convert convert) {
  auto items = v.as_list();
  Value* made = nullptr;
  for (size_t i = 0; i < items.size(); ++i) {
    Value converted = convert(items[i]);
    if (made == nullptr && converted.is_identical(items[i])) continue;
    if (made == nullptr) {
      made = arena.array<Value>(items.size());
      std::copy_n(items.begin(), i, made);
    }
    new (&made[i]) Value(converted);
  }
  if (items.empty()) return Value::list(nullptr, 0, kNativeList);  // no nil list any more
  return Value::list(made == nullptr ? items.data() : made, items.size(), kNativeList);
}

template <class Convert>
Value convert_entries(Arena& arena, const Value& v, Convert convert) {
  auto all = v.as_map();
  MapEntry* made = nullptr;
  for (size_t i = 0; i < all.size(); ++i) {
    Value converted = convert(all[i].value);
    if (made == nullptr && converted.is_identical(all[i].value)) continue;
    if (made == nullptr) {
      made = alloc_entries(arena, all.size());
      std::copy_n(all.begin(), i, made);
    }
    new (&made[i]) MapEntry{all[i].key, converted};
  }
  if (made == nullptr) return Value::map(all.data(), all.size(), (v.flags() & kIndexed) | kNativeMap);
  return make_native_map(made, all.size());
}

class ReadBack {
 public:
  explicit ReadBack(Arena& arena) : arena_(arena) {}

  Value value(const Value& v) {
    arena_.step();
    auto convert = [this](const Value& part) { return value(part); };
    if (v.is(Kind::Double)) return number_read_back(v.as_double() == 0 ? 0.0 : v.as_double());  // -0 is 0
    if (v.is(Kind::List)) return convert_items(arena_, v, convert);
    return v.is(Kind::Map) ? convert_entries(arena_, v, convert) : v;
  }

 private:
  Arena& arena_;
};

class Converter {
 public:
  explicit Converter(Arena& arena) : arena_(arena) {}

  // ConvertToNative to *structpb.Value.
  Value convert(const Value& v) {
    arena_.step();
    switch (v.kind()) {
      case Kind::Null:
      case Kind::Bool:
      case Kind::String: return v;
      case Kind::Int: return is_exact_in_double(v.as_int()) ? v : digits(v);
      case Kind::Uint:
        return is_exact_in_double(v.as_uint()) ? Value::integer(static_cast<int64_t>(v.as_uint()))
                                               : digits(v);
      case Kind::Double: return real(v.as_double());
      case Kind::Bytes: return base64(v);
      case Kind::Timestamp: return timestamp(v);
      case Kind::Duration: {
        TextBuilder text(arena_);
        append_duration_seconds(text, v.as_duration());
        return Value::string(text.view());
      }
      case Kind::Optional:
        return v.as_optional() != nullptr ? convert(*v.as_optional()) : fail({"optional.none() dereference"});
      case Kind::List:
        if (is_go_list(v)) return fail({"type conversion error from 'list(dyn)' to '", kTarget, "'"});
        return convert_items(arena_, v, [this](const Value& item) { return convert(item); });
      case Kind::Map: return map(v);
      case Kind::Type: return fail({kTypeNotConverted});
      case Kind::Opaque: return opaque(v);
      default: return fail({"unsupported conversion to JSON"});
    }
  }

  std::string_view error() const { return !error_.empty() ? error_ : number_error_; }

 private:
  Value fail(std::initializer_list<std::string_view> parts) {
    if (error_.empty()) error_ = joined(arena_, parts);
    return {};
  }

  Value digits(const Value& v) {
    TextBuilder text(arena_);
    v.is(Kind::Int) ? append_int(text, v.as_int()) : append_uint(text, v.as_uint());
    return Value::string(text.view());
  }

  // NaN and infinities can be converted but not marshalled: any other error comes first.
  Value real(double d) {
    if (!std::isfinite(d) && number_error_.empty()) {
      TextBuilder text(arena_);
      text.append(
          "json: error calling MarshalJSON for type *structpb.Value: proto: "
          "google.protobuf.Value.number_value: invalid ");
      append_general(text, d);
      text.append(" value");
      number_error_ = text.view();
    }
    return number_read_back(d);
  }

  Value base64(const Value& v) {
    TextBuilder text(arena_);
    append_base64(text, v.as_text());
    return Value::string(text.view());
  }

  Value timestamp(const Value& v) {
    TextBuilder text(arena_);
    append_rfc3339(text, {v.seconds(), v.nanos(), v.offset_minutes()});
    return Value::string(text.view());
  }

  Value map(const Value& v) {
    if (v.flags() & kGoStruct)
      return fail({"type conversion error from struct type ", struct_name(v), " to ", kTarget});
    if (v.flags() & kGoMap) return fail({"type conversion error from 'map(dyn, dyn)' to '", kTarget, "'"});
    for (const MapEntry& e : v.as_map()) {
      if (!e.key.is(Kind::String)) return fail({go_string_error(e.key)});
    }
    return convert_entries(arena_, v, [this](const Value& value) { return convert(value); });
  }

  static std::string_view struct_name(const Value& v) {
    return builtin::go_name(builtin::struct_at(v.go_struct()));
  }

  Value opaque(const Value& v) {
    if (is_json_patch(v)) return fail({"cannot convert to native type: ", kTarget});
    if (is_patch_object(v)) return object(v);
    const OpaqueClass& cls = *v.as_opaque().cls;
    if (cls.type_name == "kubernetes.variables")
      return fail({"disallowed conversion from \"kubernetes.variables\" to \"\""});
    return fail({"type conversion error from '", cls.conversion_name(), "' to '", kTarget, "'"});
  }

  // structpb.NewValue of the native form: 64-bit integers become doubles, and values without JSON in Go are
  // errors.
  Value object(const Value& v) {
    Value native = native_object(object_fields(v), arena_);
    return native.is_error() ? fail({native.as_error().message}) : from_native(native);
  }

  Value from_native(const Value& v) {
    arena_.step();
    switch (v.kind()) {
      case Kind::Null:
      case Kind::Bool:
      case Kind::String: return v;
      case Kind::Int: return number_read_back(static_cast<double>(v.as_int()));
      case Kind::Uint: return number_read_back(static_cast<double>(v.as_uint()));
      case Kind::Double: return real(v.as_double());
      case Kind::Bytes: return base64(v);
      case Kind::List:
        if (v.flags() & kNativeList)
          return convert_items(arena_, v, [this](const Value& item) { return from_native(item); });
        break;
      case Kind::Map:
        if (v.flags() & kNativeMap)
          return convert_entries(arena_, v, [this](const Value& value) { return from_native(value); });
        if (v.flags() & kGoStruct) return fail({"proto: invalid type: ", struct_name(v)});
        break;
      case Kind::Error: return fail({"proto: invalid type: *types.Err"});
      default: break;
    }
    return fail({"proto: invalid type: ", native_type(v)});
  }

  Arena& arena_;
  std::string_view error_, number_error_;
};

}  // namespace

Value number_read_back(double d) {
  if (d == 0 && std::signbit(d)) return Value::real(d);
  if (d == std::trunc(d) && std::abs(d) < kTwoTo53) return Value::integer(static_cast<int64_t>(d));
  if (std::abs(d) >= kLongest || d != std::trunc(d)) return Value::real(d);
  // Writes the shortest digits, then zeros: not always the exact number.
  char buffer[40];
  char* end = std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
  char* mark = std::find(buffer, end, 'e');
  int exponent = 0;
  std::from_chars(mark + 2, end, exponent);
  char digits[48];
  size_t n = 0;
  for (char* c = buffer; c != mark; ++c) {
    if (*c != '.') digits[n++] = *c;
  }
  size_t wanted = static_cast<size_t>(exponent) + 1 + (d < 0 ? 1 : 0);
  while (n < wanted) digits[n++] = '0';
  ReadValue<int64_t> whole = read_int({digits, n});
  return whole ? Value::integer(whole.value) : Value::real(d);
}

JsonValue json_value(Arena& arena, const Value& value) {
  Converter converter(arena);
  Value made = converter.convert(value);
  return converter.error().empty() ? JsonValue{made, {}} : JsonValue{Value::null(), converter.error()};
}

Value read_back(Arena& arena, const Value& data) { return ReadBack(arena).value(data); }

namespace {

// Hardly any object holds one, so finding out must be quick.
bool holds_nil_list(Arena& arena, const Value& data) {
  arena.step();
  auto below = [&](const Value& part) {
    return (part.is(Kind::List) || part.is(Kind::Map)) && holds_nil_list(arena, part);
  };
  if (data.is(Kind::List)) return is_nil_list(data) || std::ranges::any_of(data.as_list(), below);
  return data.is(Kind::Map) && std::ranges::any_of(data.as_map(), below, &MapEntry::value);
}

Value write_nil_lists(Arena& arena, const Value& data) {
  arena.step();
  auto convert = [&](const Value& part) { return write_nil_lists(arena, part); };
  if (is_nil_list(data)) return Value::null();
  if (data.is(Kind::List)) return convert_items(arena, data, convert);
  return data.is(Kind::Map) ? convert_entries(arena, data, convert) : data;
}

}  // namespace

Value with_written_lists(Arena& arena, const Value& data) {
  return holds_nil_list(arena, data) ? write_nil_lists(arena, data) : data;
}

}  // namespace portcullis::patching
