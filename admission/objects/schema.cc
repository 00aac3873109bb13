// Data of schema.h: made empty, looked into, printed as Go does, compared.
#include "admission/objects/schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/scalars/instant.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using enum FieldKind;

Data zero(const FieldRow& row) {
  if (row.kind == Struct && !(row.flags & kPointer)) return zero_struct(*row.type);
  return {};
}

std::string encode_base64(std::string_view bytes) {
  Arena arena;
  TextBuilder out(arena);
  append_base64(out, bytes);
  return std::string(out.view());
}

bool omitted(const FieldRow& row, const Data& d) {
  if (row.flags & kOmitZero) return !d.set;
  if (!(row.flags & kOmitEmpty)) return false;
  if (row.flags & kPointer) return !d.set;
  switch (row.kind) {
    case String:
    case Bytes: return d.text.empty();
    case Bool: return !d.flag;
    case Int32:
    case Int64: return d.number == 0;
    case StringMap: return d.map.empty();
    case Strings:
    case Structs: return d.items.empty();
    default: return false;
  }
}

void print(std::string& out, const Data& d, bool sorted);

void print_list(std::string& out, const FieldRow& row, const Data& d, bool sorted) {
  out += '[';
  for (const Data& item : d.items) {
    if (&item != d.items.data()) out += ',';
    if (row.kind == Strings) {
      out += quote_json(item.text);
    } else {
      print(out, item, sorted);
    }
  }
  out += ']';
}

void print_map(std::string& out, const Data& d) {
  out += '{';
  for (const auto& [key, value] : d.map) {
    if (out.back() != '{') out += ',';
    out += quote_json(key) + ":" + quote_json(value);
  }
  out += '}';
}

void print_field(std::string& out, const FieldRow& row, const Data& d, bool sorted) {
  bool nil = !d.set && ((row.flags & kPointer) || row.kind == Time || row.kind == Bytes ||
                        row.kind == StringMap || row.kind == Strings || row.kind == Structs);
  if (nil) {
    out += "null";
    return;
  }
  switch (row.kind) {
    case String: out += quote_json(d.text); break;
    case Bool: out += d.flag ? "true" : "false"; break;
    case Int32:
    case Int64: out += fmt::format("{}", d.number); break;
    case Bytes: out += quote_json(encode_base64(d.text)); break;
    case Time: out += quote_json(format_instant({d.number, d.nanos})); break;
    case Raw: out += d.text; break;
    case StringMap: print_map(out, d); break;
    case Struct: print(out, d, sorted); break;
    case Strings:
    case Structs: print_list(out, row, d, sorted); break;
  }
}

void print(std::string& out, const Data& d, bool sorted) {
  std::vector<size_t> order;
  for (size_t i = 0; i < d.items.size(); i++) order.push_back(i);
  if (sorted) {
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return d.type->fields[a].name < d.type->fields[b].name; });
  }
  out += '{';
  for (size_t i : order) {
    const FieldRow& row = d.type->fields[i];
    if (omitted(row, d.items[i])) continue;
    if (out.back() != '{') out += ',';
    out += fmt::format("\"{}\":", row.name);
    print_field(out, row, d.items[i], sorted);
  }
  out += '}';
}

}  // namespace

Data zero_struct(const StructRow& type) {
  Data d;
  d.type = &type;
  d.set = true;
  for (const FieldRow& row : type.fields) d.items.push_back(zero(row));
  return d;
}

const Data& Data::operator[](std::string_view field) const {
  static const Data kNone;
  if (type == nullptr) return kNone;
  for (size_t i = 0; i < type->fields.size(); i++) {
    if (type->fields[i].name == field) return items[i];
  }
  return kNone;
}

Data& Data::at(std::string_view field) { return const_cast<Data&>((*this)[field]); }

void append_json(std::string& out, const Data& data) { print(out, data, true); }

std::string go_json(const Data& data) {
  std::string out;
  print(out, data, false);
  return out;
}

std::string strings_json(const Data& list) {
  std::string out = "[";
  for (const Data& item : list.items) {
    if (out.size() > 1) out += ',';
    out += quote_json(item.text, JsonEscape::Go);
  }
  return out + "]";
}

namespace {
bool equal(const Data& a, const Data& b, bool nil_is_empty) {
  bool list_like = a.items.size() + b.items.size() == 0 || a.type == nullptr;
  if (!(nil_is_empty && list_like && a.items.empty() && b.items.empty() && a.map.empty() && b.map.empty() &&
        a.text.empty() && b.text.empty() && a.type == nullptr && b.type == nullptr) &&
      a.set != b.set) {
    return false;
  }
  if (a.flag != b.flag || a.number != b.number || a.nanos != b.nanos || a.text != b.text || a.map != b.map ||
      a.items.size() != b.items.size()) {
    return false;
  }
  for (size_t i = 0; i < a.items.size(); i++) {
    if (!equal(a.items[i], b.items[i], nil_is_empty)) return false;
  }
  return true;
}
}  // namespace

bool semantic_equal(const Data& a, const Data& b) { return equal(a, b, true); }
bool deep_equal(const Data& a, const Data& b) { return equal(a, b, false); }

}  // namespace portcullis
