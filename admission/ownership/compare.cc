#include "admission/ownership/compare.h"

#include <algorithm>

namespace portcullis::ownership {
namespace {

// Equality of data; an int and a double are equal as numbers.
bool same(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) {
    bool numbers = (a.is(Kind::Int) && b.is(Kind::Double)) || (a.is(Kind::Double) && b.is(Kind::Int));
    return numbers && number_of(a) == number_of(b);
  }
  switch (a.kind()) {
    case Kind::String: return a.as_text() == b.as_text();
    case Kind::Bool: return a.as_bool() == b.as_bool();
    case Kind::Int: return a.as_int() == b.as_int();
    case Kind::Double: return a.as_double() == b.as_double();
    case Kind::List: return std::ranges::equal(a.as_list(), b.as_list(), same);
    case Kind::Map:
      return a.size() == b.size() && std::ranges::all_of(a.as_map(), [&](const MapEntry& e) {
               const Value* other = find_key(b, e.key);
               return other != nullptr && same(e.value, *other);
             });
    default: return a.is_null();
  }
}

// The form in which `v` is compared, where null counts as an absent map.
Form form_of(const MergeType& type, const Value& v) {
  if (type.form != Form::Any) return type.form;
  return v.is(Kind::List) ? Form::List : is_scalar(v) ? Form::Scalar : Form::Map;
}

bool scalar_conforms(ScalarForm form, const Value& v) {
  switch (form) {
    case ScalarForm::Text: return v.is(Kind::String);
    case ScalarForm::Boolean: return v.is(Kind::Bool);
    case ScalarForm::Number: return is_scalar(v) && !v.is(Kind::String) && !v.is(Kind::Bool);
    case ScalarForm::Any: return is_scalar(v);
  }
  return false;
}

// An item of the list before or (if `after`) after the change.
struct Item {
  PathElement element;
  const Value* value;
  bool after;
};

class Comparer {
 public:
  explicit Comparer(Arena& arena) : arena_(arena) {}

  Comparison run(const Value& before, const Value& after, const MergeType& type) {
    Node root;
    visit(&before, &after, type, root);
    return {root.added.below, root.modified.below, root.removed.below};
  }

 private:
  // The state of one path in one of the three sets: whether the set holds it, and the set below it.
  struct Change {
    bool self = false;
    FieldSet below;
    uint32_t room = 0;

    void put(Arena& arena, const PathElement& element, const Change& child, size_t most) {
      if (!child.self && child.below.empty()) return;
      if (room == 0) {
        room = static_cast<uint32_t>(most);
        below.entries = arena.array<FieldEntry>(most);
      }
      new (const_cast<FieldEntry*>(&below.entries[below.count++]))
          FieldEntry{element, child.below, child.self};
    }
    void sort() {
      auto less = [](const FieldEntry& a, const FieldEntry& b) { return compare(a.element, b.element) < 0; };
      auto* first = const_cast<FieldEntry*>(below.entries);
      if (!std::is_sorted(first, first + below.count, less)) std::sort(first, first + below.count, less);
    }
  };
  struct Node {
    Change added, modified, removed;
    Node* next = nullptr;  // of those that are free
  };

  // A node for the entries or items of one value, one after the other. It is not on the stack: an object may nest
  // 10,000 deep, so the frames of the walk have to be small.
  Node& take() {
    if (spare_ == nullptr) return *arena_.make<Node>();
    Node& node = *spare_;
    spare_ = node.next;
    return node;
  }
  void give(Node& node) {
    node.next = spare_;
    spare_ = &node;
  }

  void put(Node& out, const PathElement& element, const Node& child, size_t most) {
    out.added.put(arena_, element, child.added, most);
    out.modified.put(arena_, element, child.modified, most);
    out.removed.put(arena_, element, child.removed, most);
  }

  // At least one of `before` and `after` is present.
  void visit(const Value* before, const Value* after, const MergeType& type, Node& out) {
    Form form = form_of(type, after != nullptr ? *after : *before);
    if (before != nullptr && after != nullptr && form_of(type, *before) != form)
      visit_as(form_of(type, *before), before, after, type, out);
    if (bool is_leaf = visit_as(form, before, after, type, out); is_leaf) return;
    out.added.self = out.added.self || before == nullptr;
    out.removed.self = out.removed.self || after == nullptr;
  }

  // Returns whether the value is a leaf.
  bool visit_as(Form form, const Value* before, const Value* after, const MergeType& type, Node& out) {
    Kind kind = form == Form::List ? Kind::List : Kind::Map;
    const Value* b = before != nullptr && before->is(kind) ? before : nullptr;
    const Value* a = after != nullptr && after->is(kind) ? after : nullptr;
    bool atomic = type.form == Form::Any && form == Form::List ? true : type.atomic;
    bool nothing = (b == nullptr || b->size() == 0) && (a == nullptr || a->size() == 0);
    if (form == Form::Scalar || atomic || nothing) return leaf(before, after, out), true;
    form == Form::List ? items(b, a, type, out) : entries(b, a, type, out);
    return false;
  }

  void leaf(const Value* before, const Value* after, Node& out) {
    if (before == nullptr) {
      out.added.self = true;
    } else if (after == nullptr) {
      out.removed.self = true;
    } else if (!same(*before, *after)) {
      out.modified.self = true;
    }
  }

  void entries(const Value* before, const Value* after, const MergeType& type, Node& out) {
    const size_t mine = after != nullptr ? after->size() : 0;
    const size_t most = mine + (before != nullptr ? before->size() : 0);
    Node& child = take();
    for (size_t i = 0; i < most; ++i) {  // the entries of `after`, then those that only `before` has
      const bool gone = i >= mine;
      const MapEntry& e = gone ? before->as_map()[i - mine] : after->as_map()[i];
      const Value* other = gone ? after : before;
      if (other != nullptr) other = find_key(*other, e.key);
      if (gone && other != nullptr) continue;
      child = {};
      visit(gone ? &e.value : other, gone ? nullptr : &e.value, *entry_type(type, e.key), child);
      put(out, {ElementKind::Field, e.key}, child, most);
    }
    give(child);
    out.added.sort();
    out.modified.sort();
    out.removed.sort();
  }

  size_t collect(const Value* list, const MergeType& type, bool after, Item* out) {
    size_t n = 0;
    for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const Value& item = list->as_list()[i];
      PathElement element;
      if (element_of(arena_, type, item, element)) new (&out[n++]) Item{element, &item, after};
    }
    return n;
  }

  // Sorts the items of both lists by their elements, so that items of one element are neighbours. Not inlined, since
  // its frame is larger than that of entries().
  [[gnu::noinline]] void items(const Value* before, const Value* after, const MergeType& type, Node& out) {
    size_t most = (before != nullptr ? before->size() : 0) + (after != nullptr ? after->size() : 0);
    Item* all = arena_.array<Item>(most);
    size_t n = collect(before, type, false, all);
    n += collect(after, type, true, all + n);
    std::sort(all, all + n, [](const Item& a, const Item& b) {
      int c = compare(a.element, b.element);
      return c != 0 ? c < 0 : a.after != b.after ? b.after : a.value < b.value;
    });
    Node& child = take();
    for (size_t i = 0; i < n;) {
      size_t middle = i, end = i;
      while (end < n && compare(all[end].element, all[i].element) == 0) ++end;
      while (middle < end && !all[middle].after) ++middle;
      child = {};
      group({all + i, middle - i}, {all + middle, end - middle}, *type.item, child);
      put(out, all[i].element, child, most);
      i = end;
    }
    give(child);
  }

  // Compares the items of one element. If it occurs more than once in a list, they are one leaf.
  void group(std::span<const Item> before, std::span<const Item> after, const MergeType& type, Node& out) {
    if (before.size() <= 1 && after.size() <= 1)
      return visit(before.empty() ? nullptr : before[0].value, after.empty() ? nullptr : after[0].value, type,
                   out);
    if (before.size() >= 2 && after.size() >= 2) {
      out.modified.self = !std::ranges::equal(
          before, after, [&](const Item& b, const Item& a) { return same(*b.value, *a.value); });
    } else if (before.size() >= 2) {
      if (!after.empty()) visit(nullptr, after[0].value, type, out);
      out.removed.self = true;
    } else {
      if (!before.empty()) visit(before[0].value, nullptr, type, out);
      out.added.self = true;
    }
  }

  Arena& arena_;
  Node* spare_ = nullptr;
};

FieldSet reconcile_entries(Arena& arena, const FieldSet& set, const MergeType& type) {
  auto* entries = arena.array<FieldEntry>(set.count);
  uint32_t n = 0;
  for (const FieldEntry& e : set.all()) {
    bool in_list = type.form == Form::List;
    bool is_field = e.element.kind == ElementKind::Field;
    const MergeType* below = in_list ? type.item : is_field ? entry_type(type, e.element.value) : type.item;
    FieldEntry made = e;
    if (below != nullptr && !e.children.empty()) {
      bool leaf = below->atomic && below->form != Form::Scalar;
      made.member = made.member || leaf;
      made.children = leaf ? FieldSet() : reconcile(arena, e.children, *below);
    }
    new (&entries[n++]) FieldEntry(made);
  }
  return {entries, n};
}

}  // namespace

const MergeType* entry_type(const MergeType& type, const Value& name, int& near) {
  const MergeType* field = type.fields == nullptr ? nullptr : type.fields->find(name, near);
  if (field != nullptr) return field;
  return type.form == Form::Any && type.item == nullptr ? &type : type.item;
}

bool element_of(Arena& arena, const MergeType& list, const Value& item, PathElement& out) {
  if (list.keys.empty()) {
    out = {ElementKind::Item, item};
    return is_scalar(item);
  }
  if (!item.is(Kind::Map)) return false;
  MapEntry* keys = alloc_entries(arena, list.keys.size());
  size_t n = 0;
  for (const MergeKey& key : list.keys) {
    const Value* found = find_key(item, key.name);
    if (found == nullptr && key.has_fallback) found = &key.fallback;
    if (found != nullptr) keys[n++] = {key.name, *found};
  }
  out = {ElementKind::Key, Value::map(keys, n)};
  return n != 0;
}

namespace {

bool has_element(const MergeType& list, const Value& item) {
  if (list.keys.empty()) return is_scalar(item);
  auto has = [&](const MergeKey& key) { return key.has_fallback || find_key(item, key.name) != nullptr; };
  return item.is(Kind::Map) && std::ranges::any_of(list.keys, has);
}

bool entries_conform(const Value& map, const MergeType& type, Source source) {
  int near = 0;
  return std::ranges::all_of(map.as_map(), [&](const MapEntry& e) {
    const MergeType* entry = entry_type(type, e.key, near);
    return entry != nullptr && conforms(e.value, *entry, source);
  });
}

}  // namespace

bool conforms(const Value& value, const MergeType& type, Source source) {
  if ((!type.fallible && source == Source::Decoded) || value.is_null()) return true;
  switch (type.form) {
    case Form::Any:
      return type.fields == nullptr || !value.is(Kind::Map) || entries_conform(value, type, source);
    case Form::Scalar: return scalar_conforms(type.scalar, value);
    case Form::List:
      return value.is(Kind::List) && std::ranges::all_of(value.as_list(), [&](const Value& item) {
               return (type.atomic || has_element(type, item)) &&
                      (type.item == nullptr || conforms(item, *type.item, source));
             });
    case Form::Map: break;
  }
  return value.is(Kind::Map) && entries_conform(value, type, source);
}

Comparison compare_objects(Arena& arena, const Value& before, const Value& after, const MergeType& type) {
  return Comparer(arena).run(before, after, type);
}

FieldSet reconcile(Arena& arena, const FieldSet& set, const MergeType& type) {
  if (type.form == Form::Any || type.form == Form::Scalar) return set;
  return reconcile_entries(arena, set, type);
}

}  // namespace portcullis::ownership
