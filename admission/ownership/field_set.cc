#include "admission/ownership/field_set.h"

#include <algorithm>
#include <charconv>

#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/native.h"

namespace portcullis::ownership {
namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}
int order(std::string_view a, std::string_view b) { return a.compare(b); }

// The order of kinds: numbers (int and double as one), texts, booleans, lists, maps, null.
int rank(const Value& v) {
  switch (v.kind()) {
    case Kind::Int:
    case Kind::Double: return 0;
    case Kind::String: return 1;
    case Kind::Bool: return 2;
    case Kind::List: return 3;
    case Kind::Map: return 4;
    default: return 5;
  }
}
int compare_values(const Value& a, const Value& b);

int compare_lists(std::span<const Value> a, std::span<const Value> b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (int c = compare_values(a[i], b[i])) return c;
  }
  return order(a.size(), b.size());
}

// Both spans are sorted by key.
int compare_maps(std::span<const MapEntry> a, std::span<const MapEntry> b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (int c = order(a[i].key.as_text(), b[i].key.as_text())) return c;
    if (int c = compare_values(a[i].value, b[i].value)) return c;
  }
  return order(a.size(), b.size());
}

int compare_values(const Value& a, const Value& b) {
  if (int c = order(rank(a), rank(b))) return c;
  switch (rank(a)) {
    case 0:
      return a.is(Kind::Int) && b.is(Kind::Int) ? order(a.as_int(), b.as_int())
                                                : order(number_of(a), number_of(b));
    case 1: return order(a.as_text(), b.as_text());
    case 2: return order(a.as_bool(), b.as_bool());
    case 3: return compare_lists(a.as_list(), b.as_list());
    case 4: return compare_maps(a.as_map(), b.as_map());
    default: return 0;
  }
}

// The entries of a set under construction, with room for the largest result.
class FieldEntries {
 public:
  FieldEntries(Arena& arena, size_t room) : entries_(arena.array<FieldEntry>(room)) {}
  void add(const PathElement& element, bool member, const FieldSet& children) {
    if (member || !children.empty()) new (&entries_[count_++]) FieldEntry{element, children, member};
  }
  FieldSet set() const { return {entries_, count_}; }

 private:
  FieldEntry* entries_;
  uint32_t count_ = 0;
};

// The first entry at or after `at` that does not sort before `element`. Galloping search: a small set passes
// a large one quickly, since an object may have many managers with one field each.
uint32_t skip_to(const FieldSet& set, uint32_t at, const PathElement& element) {
  auto before = [&](const FieldEntry& e) { return compare(e.element, element) < 0; };
  uint32_t step = 1, end = at;
  while (end < set.count && before(set.entries[end])) {
    at = end + 1;
    end += step;
    step *= 2;
  }
  const FieldEntry* found =
      std::partition_point(set.entries + at, set.entries + std::min(end, set.count), before);
  return static_cast<uint32_t>(found - set.entries);
}

}  // namespace

int compare(const PathElement& a, const PathElement& b) {
  if (a.kind != b.kind) return order(static_cast<int>(a.kind), static_cast<int>(b.kind));
  return compare_values(a.value, b.value);
}

FieldSet unite(Arena& arena, const FieldSet& a, const FieldSet& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  FieldEntries out(arena, a.count + b.count);
  uint32_t i = 0, j = 0;
  while (i < a.count || j < b.count) {
    int c = i == a.count ? 1 : j == b.count ? -1 : compare(a.entries[i].element, b.entries[j].element);
    const FieldEntry& one = c <= 0 ? a.entries[i] : b.entries[j];
    if (c == 0) {
      const FieldEntry& other = b.entries[j];
      out.add(one.element, one.member || other.member, unite(arena, one.children, other.children));
    } else {
      out.add(one.element, one.member, one.children);
    }
    i += c <= 0;
    j += c >= 0;
  }
  return out.set();
}

FieldSet unite_all(Arena& arena, std::span<FieldSet> sets) {
  if (sets.empty()) return {};
  for (size_t n = sets.size(); n > 1; n = (n + 1) / 2) {
    for (size_t i = 0; i < n; i += 2) sets[i / 2] = i + 1 < n ? unite(arena, sets[i], sets[i + 1]) : sets[i];
  }
  return sets[0];
}

FieldSet subtract(Arena& arena, const FieldSet& a, const FieldSet& b, bool below) {
  if (a.empty() || b.empty()) return a;
  FieldEntries out(arena, a.count);
  uint32_t at = 0;
  for (const FieldEntry& x : a.all()) {
    at = skip_to(b, at, x.element);
    const FieldEntry* y =
        at < b.count && compare(b.entries[at].element, x.element) == 0 ? &b.entries[at] : nullptr;
    if (y == nullptr) {
      out.add(x.element, x.member, x.children);
      continue;
    }
    FieldSet children = below && y->member ? FieldSet() : subtract(arena, x.children, y->children, below);
    out.add(x.element, x.member && !y->member, children);
  }
  return out.set();
}

FieldSet path_set(Arena& arena, std::string_view path) {
  size_t dot = path.find('.');
  auto* entry = arena.make<FieldEntry>();
  entry->element = {ElementKind::Field, Value::string(path.substr(0, dot))};
  entry->member = dot == std::string_view::npos;
  if (!entry->member) entry->children = path_set(arena, path.substr(dot + 1));
  return {entry, 1};
}

namespace {

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
  });
}

// Writes a scalar as JSON and escapes `<`, `>` and `&`, as upstream does here.
void append_json(TextBuilder& out, const Value& v) {
  if (v.is(Kind::String) && is_plain(v.as_text())) {
    out.append('"');
    out.append(v.as_text());
    return out.append('"');
  }
  out.append(to_json(v, JsonEscape::Go));
}

void append_key(TextBuilder& out, const Value& key) {
  char separator = '{';
  for (const MapEntry& e : key.as_map()) {
    out.append(separator);
    append_json(out, e.key);
    out.append(':');
    append_json(out, e.value);
    separator = ',';
  }
  out.append('}');
}

Value name_of(Arena& arena, const PathElement& element) {
  TextBuilder out(arena);
  constexpr std::string_view kPrefixes[] = {"f:", "k:", "v:", "i:"};
  out.append(kPrefixes[static_cast<size_t>(element.kind)]);
  switch (element.kind) {
    case ElementKind::Field: out.append(element.value.as_text()); break;
    case ElementKind::Key: append_key(out, element.value); break;
    case ElementKind::Item:
    case ElementKind::Index: append_json(out, element.value); break;
  }
  return Value::string(out.view());
}

Value fields_map(Arena& arena, const FieldSet& set, bool self) {
  const Value nothing = make_native_map(nullptr, 0);
  if (set.empty()) return nothing;
  MapEntry* entries = alloc_entries(arena, set.count + 1);
  size_t n = 0;
  if (self) entries[n++] = {Value::string("."), nothing};
  for (const FieldEntry& e : set.all())
    entries[n++] = {name_of(arena, e.element), fields_map(arena, e.children, e.member)};
  return make_native_map(entries, n);
}

enum class Read : uint8_t { Element, Unknown, Wrong };

Read read_element(Arena& arena, std::string_view name, PathElement& out) {
  if (name.size() < 2 || name[1] != ':') return Read::Wrong;
  std::string_view rest = name.substr(2);
  if (name[0] == 'f') {
    out = {ElementKind::Field, Value::string(rest)};
    return Read::Element;
  }
  if (name[0] == 'i') {
    int64_t index = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
    if (error != std::errc() || end != rest.data() + rest.size()) return Read::Wrong;
    out = {ElementKind::Index, Value::integer(index)};
    return Read::Element;
  }
  if (name[0] != 'k' && name[0] != 'v') return Read::Unknown;
  Result<Value> value = read_json(rest, arena);
  if (!value.ok()) return Read::Wrong;
  out = {name[0] == 'k' ? ElementKind::Key : ElementKind::Item, *value};
  if (name[0] == 'v') return Read::Element;
  if (!value->is(Kind::Map)) return Read::Wrong;
  MapEntry* keys = alloc_entries(arena, value->size());
  std::ranges::copy(value->as_map(), keys);
  std::sort(keys, keys + value->size(),
            [](const MapEntry& a, const MapEntry& b) { return a.key.as_text() < b.key.as_text(); });
  out.value = make_map(keys, value->size());
  return Read::Element;
}

// `self`: whether the set also holds the path of `fields` itself.
bool read_set(Arena& arena, const Value& fields, FieldSet& out, bool& self) {
  self = fields.is_null() || fields.size() == 0;
  if (fields.is_null()) return true;
  if (!fields.is(Kind::Map)) return false;
  auto* entries = arena.array<FieldEntry>(fields.size());
  uint32_t n = 0;
  for (const MapEntry& e : fields.as_map()) {
    if (e.key.as_text() == ".") {
      self = true;
      continue;
    }
    FieldEntry entry;
    Read read = read_element(arena, e.key.as_text(), entry.element);
    if (read == Read::Wrong) return false;
    if (read == Read::Unknown) continue;
    if (!read_set(arena, e.value, entry.children, entry.member)) return false;
    new (&entries[n++]) FieldEntry(entry);
  }
  self = self || n == 0;  // no known element is below
  std::sort(entries, entries + n,
            [](const FieldEntry& a, const FieldEntry& b) { return compare(a.element, b.element) < 0; });
  out = {entries, n};
  return true;
}

}  // namespace

Value to_fields(Arena& arena, const FieldSet& set) { return fields_map(arena, set, false); }

bool read_fields(Arena& arena, const Value& fields, FieldSet& out) {
  bool self = false;
  return read_set(arena, fields, out, self);
}

}  // namespace portcullis::ownership
