#include "admission/builtin/unchanged.h"

#include <algorithm>
#include <vector>

#include "admission/builtin/defaults.h"
#include "admission/builtin/encode.h"
#include "grammar/ascii.h"

namespace portcullis::builtin {
namespace {

// The check of one value. A zero value of Some... would be omitted.
enum class Check : uint8_t {
  Never,
  Text,
  SomeText,
  Bool,
  SomeBool,
  Int32,
  SomeInt32,
  Int64,
  SomeInt64,
  IntOrString,
  Quantity,
  Struct,
};

struct FieldCheck {
  Check item = Check::Never;
  Shape shape = kOne;
  bool some = false;      // an empty list or map is omitted
  bool required = false;  // written even if absent
};

struct StructCheck {
  bool possible = false;
  uint8_t required = 0;  // the number of required fields
};

Check check_of(const FieldRow& f) {
  bool some = f.shape == kOne && (f.flags & kOmitEmpty) && !(f.flags & kPointer);
  switch (f.scalar) {
    case kText: return some ? Check::SomeText : Check::Text;
    case kBoolean: return some ? Check::SomeBool : Check::Bool;
    case kInt32: return some ? Check::SomeInt32 : Check::Int32;
    case kInt64: return some ? Check::SomeInt64 : Check::Int64;
    case kIntOrString: return Check::IntOrString;
    case kQuantity: return Check::Quantity;
    case kStruct: return Check::Struct;
    default: return Check::Never;
  }
}

// Computed once from the rows, then immutable.
class Checks {
 public:
  Checks() {
    for (const StructRow& row : all_structs()) {
      fields_.resize(std::max<size_t>(fields_.size(), row.first + row.count));
      StructCheck check{!has_defaults(row), 0};
      for (size_t i = row.first; i < row.first + row.count; ++i) {
        const FieldRow& f = kFieldRows[i];
        bool shaped = f.shape != kMapOfLists && !(f.flags & kOmitZero);
        bool plain_struct = f.shape == kOne && f.scalar == kStruct && !(f.flags & kPointer);
        fields_[i] = {shaped ? check_of(f) : Check::Never, f.shape, (f.flags & kOmitEmpty) != 0,
                      plain_struct || !is_left_out_absent(f)};
        check.required += fields_[i].required;
      }
      structs_.push_back(check);
    }
  }

  Unchanged unchanged_by_decoding(const StructRow& row, const Value& data) const {
    const StructCheck& check = structs_[struct_index(row)];
    if (!check.possible) return Unchanged::No;
    bool deep = false;
    int expected = 0;
    uint32_t required = 0;
    for (const MapEntry& e : data.as_map()) {
      int i = field_index_near(row, e.key, expected);
      if (i < 0) return Unchanged::No;
      expected = i + 1;
      const FieldRow* f = kFieldRows + row.first + i;
      const FieldCheck& field = fields_[row.first + static_cast<size_t>(i)];
      required += field.required;
      if (field.item == Check::SomeText && e.value.is(Kind::String) && e.value.size() != 0)
        continue;  // the most frequent case
      if (!value_unchanged(field, *f, e.value)) return Unchanged::No;
      deep |= field.shape != kOne || field.item == Check::Struct;
    }
    return required != check.required ? Unchanged::No : deep ? Unchanged::Deep : Unchanged::Flat;
  }

 private:
  bool value_unchanged(const FieldCheck& check, const FieldRow& f, const Value& v) const {
    if (check.shape == kOne) return item_unchanged(check.item, f, v);
    if (check.some && v.size() == 0) return false;  // also for a type without its own case
    if (check.shape == kList) {
      return v.is(Kind::List) && std::ranges::all_of(v.as_list(), [&](const Value& item) {
               return item_unchanged(check.item, f, item);
             });
    }
    return v.is(Kind::Map) && std::ranges::all_of(v.as_map(), [&](const MapEntry& e) {
             return item_unchanged(check.item, f, e.value);
           });
  }

  bool item_unchanged(Check check, const FieldRow& f, const Value& v) const {
    auto is_int32 = [&] { return v.is(Kind::Int) && v.as_int() == static_cast<int32_t>(v.as_int()); };
    switch (check) {
      case Check::Never: return false;
      case Check::Text: return v.is(Kind::String);
      case Check::SomeText: return v.is(Kind::String) && v.size() != 0;
      case Check::Bool: return v.is(Kind::Bool);
      case Check::SomeBool: return v.is_true();
      case Check::Int32: return is_int32();
      case Check::SomeInt32: return is_int32() && v.as_int() != 0;
      case Check::Int64: return v.is(Kind::Int);
      case Check::SomeInt64: return v.is(Kind::Int) && v.as_int() != 0;
      case Check::IntOrString: return v.is(Kind::String) || is_int32();
      case Check::Quantity: return v.is(Kind::String) && is_plain_quantity(v.as_text());
      case Check::Struct:
        return v.is(Kind::Map) && unchanged_by_decoding(struct_at(f.structure), v) != Unchanged::No;
    }
    return false;
  }

  std::vector<FieldCheck> fields_;
  std::vector<StructCheck> structs_;
};

const Checks& checks() {
  static const Checks all;
  return all;
}

}  // namespace

Unchanged unchanged_by_decoding(const StructRow& row, const Value& data) {
  return checks().unchanged_by_decoding(row, data);
}

bool is_plain_quantity(std::string_view text) {
  constexpr size_t kMaxDigits = 9, kMaxBinaryDigits = 4;
  size_t digits = 0;
  int64_t value = 0;
  while (digits < text.size() && digits <= kMaxDigits && is_digit(text[digits]))
    value = value * 10 + (text[digits++] - '0');
  if (digits == 0 || digits > kMaxDigits || text[0] == '0') return false;
  auto is_size = [](char c) { return c == 'M' || c == 'G' || c == 'T'; };
  switch (text.size() - digits) {
    case 0: return value % 1000 != 0;
    case 1: return value % 1000 != 0 && (text[digits] == 'm' || text[digits] == 'k' || is_size(text[digits]));
    case 2:
      return value % 1024 != 0 && digits <= kMaxBinaryDigits && text[digits + 1] == 'i' &&
             (text[digits] == 'K' || is_size(text[digits]));
    default: return false;
  }
}

}  // namespace portcullis::builtin
