#include "admission/builtin/decode.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "admission/builtin/literal.h"
#include "admission/builtin/time.h"
#include "admission/builtin/unchanged.h"
#include "admission/scalars/quantity.h"
#include "admission/scalars/spelling.h"
#include "grammar/powers.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

// One step of the path from the root to the present value. Steps live on the stack of the walk.
struct DecodeStep {
  const DecodeStep* parent = nullptr;
  Value key;                         // name (String) or index (Int)
  const StructRow* owner = nullptr;  // the struct that has the field; null for items of lists and maps
  const FieldRow* field = nullptr;
};

// The conversion of a ResourceList rounds amounts up to thousandths.
constexpr int32_t kMilliScale = -3;
constexpr size_t kMostSuggested = 100;  // unknown fields with a suggestion; a hostile object has many

// The field name most similar to `name`; empty if none is similar.
std::string closest(const StructRow& row, std::string_view name) {
  std::vector<std::string> names;
  for (const FieldRow& f : fields_of(row)) names.emplace_back(text_at(f.name));
  return std::string(nearest(name, names));
}

// Free JSON without duplicate keys: the last one wins.
Value without_repeated(Arena& arena, const Value& data) {
  if (data.is(Kind::List)) {
    Value* items = arena.array<Value>(data.size());
    for (size_t i = 0; i < data.size(); ++i)
      new (&items[i]) Value(without_repeated(arena, data.as_list()[i]));
    return Value::list(items, data.size());
  }
  if (!data.is(Kind::Map)) return data;
  MapEntry* entries = alloc_entries(arena, data.size());
  size_t n = 0;
  for (const MapEntry& e : data.as_map())
    new (&entries[n++]) MapEntry{e.key, without_repeated(arena, e.value)};
  return make_map(entries, n);
}

// Free JSON after a conversion to float64 and back: 1.0 becomes 1.
Value with_whole_numbers(Arena& arena, const Value& data) {
  constexpr double kLargest = 9007199254740992.0;
  if (data.is(Kind::Double)) {
    double d = data.as_double();
    return d == std::floor(d) && std::abs(d) <= kLargest ? Value::integer(static_cast<int64_t>(d)) : data;
  }
  if (data.is(Kind::List)) {
    Value* items = arena.array<Value>(data.size());
    for (size_t i = 0; i < data.size(); ++i)
      new (&items[i]) Value(with_whole_numbers(arena, data.as_list()[i]));
    return Value::list(items, data.size());
  }
  if (!data.is(Kind::Map)) return data;
  MapEntry* entries = alloc_entries(arena, data.size());
  size_t n = 0;
  for (const MapEntry& e : data.as_map())
    new (&entries[n++]) MapEntry{e.key, with_whole_numbers(arena, e.value)};
  return make_map(entries, n);
}

class Decoder {
 public:
  Decoder(Arena& arena, const DecodeOptions& options, Decoded& out)
      : arena_(arena), options_(options), out_(out), unknown_(options.unknown) {}

  void structure(Object& object, const Value& data, const DecodeStep& here) {
    int expected = 0;  // manifests mostly order members as the struct does
    std::span<const FieldRow> fields = fields_of(*object.row);
    std::bitset<kMaxFields> seen;
    for (const MapEntry& entry : data.as_map()) {
      if (stopped_) return;
      int i = field_index_near(*object.row, entry.key, expected);
      if (i < 0) {
        unknown(*object.row, entry.key, here);
        continue;
      }
      expected = i + 1;
      if (options_.repeated) {
        if (seen.test(static_cast<size_t>(i))) repeated(entry.key, here);
        seen.set(static_cast<size_t>(i));
      }
      const FieldRow& f = fields[static_cast<size_t>(i)];
      if (f.shape == kOne && f.scalar == kText && entry.value.is(Kind::String)) {  // the most frequent case
        object[i] = entry.value;
        continue;
      }
      DecodeStep step{&here, entry.key, object.row, &f};
      field(object[i], f, entry.value, step);
    }
  }

 private:
  void field(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    if (f.shape == kOne) {
      item(slot, f, data, here, (f.flags & kPointer) != 0);
    } else if (data.is_null()) {
      slot = absent();
    } else if (f.shape == kList) {
      list(slot, f, data, here);
    } else {
      map(slot, f, data, here);
    }
  }

  void list(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    if (!data.is(Kind::List)) {
      constexpr std::string_view kMapPrefix = "map[string]";
      return mismatch_text(data, text_at(f.go_type).substr(f.shape == kMapOfLists ? kMapPrefix.size() : 0),
                           here);
    }
    std::span<const Value> items = data.as_list();
    if (options_.may_stand && f.scalar == kText &&
        std::ranges::all_of(items, [](const Value& v) { return v.is(Kind::String); })) {
      slot = Value::list(items.data(), items.size());
      return;
    }
    // The value of an earlier member with the same name.
    std::span<const Value> held = slot.is(Kind::List) ? slot.as_list() : std::span<const Value>();
    Value* made = arena_.array<Value>(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      if (passes(made[i], f, items[i])) continue;
      new (&made[i]) Value(i < held.size() ? held[i] : zero_item(f));
      if (stopped_) continue;
      DecodeStep step{&here, Value::integer(static_cast<int64_t>(i)), nullptr, &f};
      item(made[i], f, items[i], step, false);
    }
    slot = Value::list(made, items.size());
  }

  void map(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    if (!data.is(Kind::Map)) return mismatch(data, f.go_type, here);
    std::span<const MapEntry> entries = data.as_map();
    if (options_.may_stand && f.shape == kMap && f.scalar == kText &&
        std::ranges::all_of(entries, [](const MapEntry& e) { return e.value.is(Kind::String); })) {
      slot = Value::map(entries.data(), entries.size(), data.flags() & kIndexed);
      return;
    }
    // The value of an earlier member with the same name.
    std::span<const MapEntry> held = slot.is(Kind::Map) ? slot.as_map() : std::span<const MapEntry>();
    MapEntry* all = alloc_entries(arena_, held.size() + entries.size());
    std::copy(held.begin(), held.end(), all);
    MapEntry* made = all + held.size();
    std::set<std::string_view> keys;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (options_.repeated && !keys.insert(entries[i].key.as_text()).second) repeated(entries[i].key, here);
      DecodeStep step{&here, entries[i].key, nullptr, &f};
      new (&made[i]) MapEntry{entries[i].key, f.shape == kMapOfLists ? absent() : zero_item(f)};
      if (stopped_) continue;
      if (f.shape == kMapOfLists) {
        if (!entries[i].value.is_null()) list(made[i].value, f, entries[i].value, step);
      } else {
        item(made[i].value, f, entries[i].value, step, false);
      }
    }
    slot = make_map(all, held.size() + entries.size());
  }

  // Puts an unchanged struct into its slot. The struct gets the mark of a Go struct
  // (interpreter/values/go_values.h) if it holds no lists and maps, which encode() would have to mark.
  // Repeated members never pass, since they merge.
  bool passes(Value& slot, const FieldRow& f, const Value& data) const {
    if (!options_.may_stand || f.scalar != kStruct || !data.is(Kind::Map)) return false;
    if (options_.marked_stand && (data.flags() & kGoStruct)) return new (&slot) Value(data), true;
    const StructRow& row = struct_at(f.structure);
    Unchanged unchanged = unchanged_by_decoding(row, data);
    if (unchanged == Unchanged::No) return false;
    Value bare = Value::map(data.as_map().data(), data.size(), data.flags() & kIndexed);
    new (&slot) Value(unchanged == Unchanged::Flat ? as_struct(bare, row) : bare);
    return true;
  }

  // Go's zero value of an item of a list or map.
  Value zero_item(const FieldRow& f) {
    switch (f.scalar) {
      case kStruct: return Value::opaque(make_object(arena_, struct_at(f.structure)));
      case kText: return Value::string("");
      case kBoolean: return Value::boolean(false);
      case kInt32:
      case kInt64:
      case kIntOrString: return Value::integer(0);
      case kQuantity: return Value::string("0");
      default: return absent();
    }
  }

  void item(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here, bool pointer) {
    if (data.is_null()) {
      bool resets = f.scalar == kBase64 || f.scalar == kTime || f.scalar == kMicroTime || f.scalar == kRaw ||
                    f.scalar == kQuantity;
      if (pointer || (f.shape == kOne && resets)) slot = absent();
      if (f.shape != kOne && resets) slot = zero_item(f);
      if (f.scalar == kIntOrString && slot.is(Kind::String)) slot = Value::integer(0);
      return;
    }
    switch (f.scalar) {
      case kStruct:
        if (!data.is(Kind::Map)) return mismatch(data, f.go_item, here);
        if (here.parent->parent != nullptr && passes(slot, f, data))
          return;  // rules nearly always read metadata, spec and status
        if (is_absent(slot)) slot = Value::opaque(make_object(arena_, struct_at(f.structure)));
        return structure(as_object(slot), data, here);
      case kText:
        if (!data.is(Kind::String)) return mismatch(data, f.go_item, here);
        slot = data;
        return;
      case kBoolean:
        if (!data.is(Kind::Bool)) return mismatch(data, f.go_item, here);
        slot = data;
        return;
      case kInt32:
      case kInt64: return integer(slot, f, data, here);
      case kBase64: return base64(slot, f, data, here);
      case kQuantity: return quantity(slot, f, data, here);
      case kTime: return time(slot, kRfc3339, data, here);
      case kMicroTime: return time(slot, kRfc3339Micro, data, here);
      case kIntOrString: return int_or_string(slot, data, here);
      case kDouble:
        if (!data.is(Kind::Int) && !data.is(Kind::Double)) return mismatch(data, f.go_item, here);
        slot = data.is(Kind::Int) ? Value::real(static_cast<double>(data.as_int())) : data;
        return;
      case kJson: slot = with_whole_numbers(arena_, data); return;
      case kSchemaOr: return schema_or(slot, f, data, here);
      case kRaw:
      case kAny: slot = options_.repeated ? without_repeated(arena_, data) : data; return;
    }
  }

  // JSONSchemaPropsOrBool, OrArray, OrStringArray: the JSON value determines the variant. They decode themselves, so an
  // error in them ends all decoding and replaces an earlier one, and strict decoding does not see their fields. Source
  // of behaviour: apiextensions/v1 marshal.go, which passes over what is none of them.
  void schema_or(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    std::string error = std::exchange(out_.error, {}), path = std::exchange(out_.error_path, {});
    const auto seen = std::exchange(unknown_, options_.unseen);
    variant(slot, f, data, here);
    unknown_ = seen;
    if (!out_.error.empty()) {
      stopped_ = true;
      return;
    }
    out_.error = std::move(error);
    out_.error_path = std::move(path);
  }

  void variant(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    if (data.is(Kind::Map)) return schema_props(slot, f, data, here);
    const std::string_view type = text_at(f.shape == kOne ? f.go_type : f.go_item);
    if (type.ends_with("OrBool") && !data.is(Kind::Bool))
      return fail("boolean or JSON schema expected", here);
    if (!data.is(Kind::List)) {
      slot = data;
      return;
    }
    const bool texts = type.ends_with("OrStringArray");
    Value* items = arena_.array<Value>(data.size());
    for (size_t i = 0; i < data.size(); ++i) {
      const Value& item = data.as_list()[i];
      new (&items[i]) Value(texts ? Value::string("") : absent());
      DecodeStep step{&here, Value::integer(static_cast<int64_t>(i)), nullptr, &f};
      if (!texts && (item.is(Kind::Map) || item.is_null()))
        schema_props(items[i], f, item.is_null() ? make_map(nullptr, 0) : item, step);
      else if (texts && item.is(Kind::String))
        items[i] = item;
      else if (!item.is_null())
        mismatch_text(item, texts ? "string" : "v1.JSONSchemaProps", step);
    }
    slot = Value::list(items, data.size());
  }

  void schema_props(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    Object* schema = make_object(arena_, struct_at(f.structure));
    slot = Value::opaque(schema);
    structure(*schema, data, here);
  }

  // A whole number of type float64 is sent as an integer, as kubectl sends 3.0.
  Value as_sent(const Value& data) const {
    if (!data.is(Kind::Double) || !options_.json.empty()) return data;
    double d = data.as_double();
    return d == std::floor(d) && d >= -kTwoTo63 && d < kTwoTo63 ? Value::integer(static_cast<int64_t>(d))
                                                                : data;
  }

  void integer(Value& slot, const FieldRow& f, const Value& given, const DecodeStep& here) {
    const Value data = as_sent(given);
    bool fits =
        data.is(Kind::Int) && (f.scalar == kInt64 || (data.as_int() >= std::numeric_limits<int32_t>::min() &&
                                                      data.as_int() <= std::numeric_limits<int32_t>::max()));
    if (!fits) return mismatch(data, f.go_item, here, true);
    slot = data;
  }

  void int_or_string(Value& slot, const Value& given, const DecodeStep& here) {
    const Value data = as_sent(given);
    if (data.is(Kind::String)) {
      slot = data;
    } else if (data.is(Kind::Int) && data.as_int() == static_cast<int32_t>(data.as_int())) {
      slot = data;
    } else {
      refuse_type(data, "int32", here);
    }
  }

  void base64(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    if (data.is(Kind::List)) return byte_list(slot, data, here);
    if (!data.is(Kind::String))
      return mismatch_text(data, f.shape == kOne ? text_at(f.go_type) : text_at(f.go_item), here);
    TextBuilder bytes(arena_);
    if (auto bad = decode_base64(bytes, data.as_text(), true)) {
      return fail("illegal base64 data at input byte " + std::to_string(*bad), here);
    }
    // Go encodes the bytes anew: without line breaks, and without bits of the last character that mean nothing.
    const bool same = data.as_text().find_first_of("\r\n=") == std::string_view::npos;
    slot = same ? data : encoded(bytes.view());
  }
  Value encoded(std::string_view bytes) {
    TextBuilder text(arena_);
    append_base64(text, bytes);
    return Value::string(text.view());
  }

  // Go decodes a JSON array of small numbers as []byte.
  void byte_list(Value& slot, const Value& data, const DecodeStep& here) {
    std::string bytes;
    for (size_t i = 0; i < data.size(); ++i) {
      const Value& v = data.as_list()[i];
      DecodeStep step{&here, Value::integer(static_cast<int64_t>(i)), nullptr, here.field};
      if (v.is_null()) {
        bytes += '\0';
      } else if (v.is(Kind::Int) && v.as_int() >= 0 && v.as_int() <= 255) {
        bytes += static_cast<char>(v.as_int());
      } else {
        mismatch_text(v, "uint8", step, true);
        bytes += '\0';
      }
    }
    slot = encoded(bytes);
  }

  // Decodes the characters of a string, or the number as it was spelt.
  void quantity(Value& slot, const FieldRow& f, const Value& data, const DecodeStep& here) {
    if (data.is(Kind::String) &&
        is_plain_quantity(data.as_text())) {  // not finer than thousandths, so never rounded
      slot = data;
      return;
    }
    std::string text;
    if (data.is(Kind::String)) {
      text = std::string(data.as_text());
    } else if (data.is(Kind::Int) || data.is(Kind::Double)) {
      text = number_text(as_sent(data), here);
    } else {
      text =
          data.is(Kind::Bool) ? (data.as_bool() ? "true" : "false") : "{}";  // any other JSON is no quantity
    }
    // Go trims what stands between the quotes, where a control character is an escape that no quantity has.
    const bool escaped = std::ranges::any_of(text, [](unsigned char c) { return c < ' '; });
    const std::string_view trimmed = escaped ? std::string_view(text) : trim_space(text);
    Quantity parsed;
    if (std::string_view error = quantity::parse(arena_, arena_.copy(trimmed), parsed); !error.empty()) {
      return refuse(std::string(error), here);
    }
    if (is_rounded(f, here)) quantity::round_up(arena_, parsed, kMilliScale);
    slot = Value::string(arena_.copy(quantity::print(arena_, parsed)));
  }

  // Only the defaults of the core group round amounts.
  static bool is_rounded(const FieldRow& f, const DecodeStep& here) {
    if (text_at(f.go_type) != "v1.ResourceList") return false;
    const DecodeStep* step = &here;
    while (step->owner == nullptr) step = step->parent;
    return text_at(step->owner->path).starts_with("api/core/");
  }

  void time(Value& slot, std::string_view layout, const Value& data, const DecodeStep& here) {
    if (!data.is(Kind::String)) return refuse_type(data, "string", here, false);
    ParsedTime parsed = parse_time(arena_, layout, data.as_text());
    if (!parsed.error.empty()) return refuse(parsed.error, here);
    slot = parsed.text.empty() ? Value::null() : Value::string(parsed.text);
  }

  void mismatch(const Value& data, uint16_t go_type, const DecodeStep& here, bool literal = false) {
    mismatch_text(data, text_at(go_type), here, literal);
  }

  // `literal`: the message shows the number, as Go's does where it expects an integer.
  void mismatch_text(const Value& data, std::string_view go_type, const DecodeStep& here,
                     bool literal = false) {
    if (out_.error.empty()) fail(mismatch_message(data, go_type, here, literal), here);
  }

  std::string mismatch_message(const Value& data, std::string_view go_type, const DecodeStep& here,
                               bool literal) {
    std::string what(json_word(data));
    if (literal && what == "number") what += " " + number_text(data, here);
    const DecodeStep* field = &here;
    while (field->owner == nullptr && field->parent != nullptr) field = field->parent;
    std::string path = go_path(field);
    // Of a type that decodes itself, Go names the struct around the outermost one.
    const DecodeStep* named = field;
    for (const DecodeStep* s = field; s != nullptr; s = s->parent) {
      if (s->owner != nullptr && s->field->scalar == kSchemaOr) named = s;
    }
    std::string owner(text_at(named->owner->name));
    return "json: cannot unmarshal " + what + " into Go struct field " + owner + "." + path + " of type " +
           std::string(go_type);
  }

  // The error of a type with its own decoder ends all decoding and replaces an earlier error.
  void refuse(std::string text, const DecodeStep& here) {
    out_.error.clear();
    fail(std::move(text), here);
    stopped_ = true;
  }
  void refuse_type(const Value& data, std::string_view go_type, const DecodeStep& here, bool literal = true) {
    refuse(mismatch_message(data, go_type, here, literal), here);
  }

  void fail(std::string text, const DecodeStep& here) {
    if (!out_.error.empty()) return;
    out_.error = std::move(text);
    out_.error_path = plain_path(&here, true);
  }

  // The names of fields only, with those of embedded structs, as Go's errors show them.
  static std::string go_path(const DecodeStep* step) {
    std::string path;
    for (; step != nullptr; step = step->parent) {
      if (step->owner == nullptr) continue;
      std::string_view embedding = text_at(step->field->embedding);
      std::string name =
          (embedding.empty() ? "" : std::string(embedding) + ".") + std::string(text_at(step->field->name));
      path = path.empty() ? name : name + "." + path;
    }
    return path;
  }

  // With `brackets`, keys with dots are in brackets: metadata.labels[a.b/c].
  static std::string plain_path(const DecodeStep* step, bool brackets = false) {
    std::string path;
    for (; step != nullptr && step->parent != nullptr; step = step->parent) {
      const bool index = step->key.is(Kind::Int);
      const std::string key = index ? std::to_string(step->key.as_int()) : std::string(step->key.as_text());
      const bool inside = index || (brackets && key.find('.') != key.npos);
      path = (inside ? "[" + key + "]" : "." + key) + path;
    }
    return !path.empty() && path[0] == '.' ? path.substr(1) : path;
  }

  std::string number_text(const Value& v, const DecodeStep& here) {
    if (v.is(Kind::Int)) return std::to_string(v.as_int());
    if (!options_.json.empty()) {
      std::vector<Value> path;
      for (const DecodeStep* s = &here; s != nullptr && s->parent != nullptr; s = s->parent)
        path.push_back(s->key);
      std::reverse(path.begin(), path.end());
      if (std::string_view literal = literal_at(options_.json, path); !literal.empty())
        return std::string(literal);
    }
    return to_json(v);
  }

  void unknown(const StructRow& row, const Value& key, const DecodeStep& here) {
    if (unknown_ == nullptr) return;
    DecodeStep step{&here, key, nullptr, nullptr};
    const bool few = unknown_->size() < kMostSuggested;
    unknown_->push_back({plain_path(&step), few ? closest(row, key.as_text()) : std::string()});
  }
  void repeated(const Value& key, const DecodeStep& here) {
    if (unknown_ == nullptr) return;
    DecodeStep step{&here, key, nullptr, nullptr};
    unknown_->push_back({plain_path(&step), {}, true});
  }

  Arena& arena_;
  const DecodeOptions& options_;
  Decoded& out_;
  std::vector<UnknownField>* unknown_;  // collects those of the present place if not null
  bool stopped_ = false;
};

}  // namespace

std::string_view json_word(const Value& v) {
  switch (v.kind()) {
    case Kind::Bool: return "bool";
    case Kind::String: return "string";
    case Kind::List: return "array";
    case Kind::Map: return "object";
    default: return "number";
  }
}

std::string UnknownField::text() const {
  return (repeated ? "duplicate field " : "unknown field ") + quote(path);
}

Object& thaw(Arena& arena, Value& slot, const FieldRow& field) {
  DecodeOptions options;
  options.may_stand = true;  // for the structs within
  Object* made = decode(arena, struct_at(field.structure), slot, options).object;
  slot = Value::opaque(made);
  return *made;
}

Decoded decode(Arena& arena, const StructRow& row, const Value& data, const DecodeOptions& options) {
  Decoded out;
  out.object = make_object(arena, row);
  if (!data.is(Kind::Map)) {
    std::string_view path = text_at(row.path);
    if (!data.is_null())
      out.error = "json: cannot unmarshal " + std::string(json_word(data)) + " into Go value of type " +
                  std::string(path.substr(path.rfind('/') + 1));
    return out;
  }
  DecodeStep root;
  Decoder(arena, options, out).structure(*out.object, data, root);
  return out;
}

}  // namespace portcullis::builtin
