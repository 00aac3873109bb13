#include "admission/patching/typing.h"

#include <algorithm>

#include "admission/expressions/native_form.h"
#include "admission/ownership/compare.h"
#include "admission/patching/go_print.h"
#include "interpreter/formats/number.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

using ownership::ElementKind;
using ownership::Form;
using ownership::MergeType;
using ownership::PathElement;
using ownership::ScalarForm;

// The type of items in a list or map without a schema: leaves.
constexpr MergeType kUntyped{.form = Form::Any, .atomic = true};

// A value without a schema, as the key of an item.
Value undefined() { return Value::unknown(nullptr); }

// The path to a value; steps live on the stack of the walk.
struct Place {
  const Place* outer = nullptr;
  PathElement element;
  size_t index = 0;  // of an item

  std::vector<Value> way() const {
    if (outer == nullptr) return {};
    std::vector<Value> out = outer->way();
    out.push_back(element.kind == ElementKind::Field ? element.value
                                                     : Value::integer(static_cast<int64_t>(index)));
    return out;
  }
  void append(TextBuilder& out) const {
    if (outer == nullptr) return;
    outer->append(out);
    switch (element.kind) {
      case ElementKind::Field: out.append('.'); return out.append(element.value.as_text());
      case ElementKind::Index:
        out.append('[');
        append_int(out, element.value.as_int());
        break;
      case ElementKind::Item:
        out.append("[=");
        append_key_value(out, element.value);
        break;
      case ElementKind::Key:
        out.append('[');
        for (const MapEntry& e : element.value.as_map()) {
          if (&e != element.value.as_map().data()) out.append(',');
          out.append(e.key.as_text());
          out.append('=');
          append_key_value(out, e.value);
        }
        break;
    }
    out.append(']');
  }
};

class Typing {
 public:
  // `native`: the data is a native form, and no element may occur twice. `all`: receives every error; may be
  // null.
  Typing(Arena& arena, bool native, std::vector<Misfit>* all = nullptr)
      : arena_(arena), native_(native), all_(all) {}

  void check(const Value& v, const MergeType& type, const Place& here) {
    arena_.step();
    switch (type.form) {
      case Form::Scalar: return scalar(v, type.scalar, here);
      case Form::List: return list(v, type, here);
      case Form::Map: return map(v, type, here);
      case Form::Any: break;
    }
    if (ownership::is_scalar(v)) return;
    is_list(v) ? items(v, type, here) : map(v, type, here);
  }

  // All errors as Go's ValidationErrors prints them.
  std::string_view errors() const {
    if (count_ <= 1) return first_;
    TextBuilder text(arena_);
    text.append("errors:");
    for (const Told* told = last_; told != nullptr; told = told->before) order_[told->number] = told;
    for (size_t i = 0; i < count_; ++i) {
      text.append("\n  ");
      text.append(order_[i]->text);
    }
    return text.view();
  }

 private:
  struct Told {
    std::string_view text;
    const Told* before;
    size_t number;
  };

  bool is_list(const Value& v) const { return v.is(Kind::List) && (!native_ || (v.flags() & kNativeList)); }
  bool is_map(const Value& v) const { return v.is(Kind::Map) && (!native_ || (v.flags() & kNativeMap)); }
  // Whether the value has no JSON form.
  bool is_undefined(const Value& v) const {
    return !v.is_null() && !ownership::is_scalar(v) && !is_list(v) && !is_map(v);
  }

  TextBuilder error(const Place& here) const {
    TextBuilder text(arena_);
    here.append(text);
    if (text.size() != 0) text.append(": ");
    return text;
  }
  void tell(const TextBuilder& text, const Place& here) {
    if (all_ != nullptr) all_->push_back({here.way(), text.view()});
    if (count_ == kMostErrors) return;
    if (count_ == 0) first_ = text.view();
    last_ = arena_.make<Told>(Told{text.view(), last_, count_++});
    if (count_ == 2) order_ = arena_.array<const Told*>(kMostErrors);
  }

  // "expected list, got &{...}".
  void expected(std::string_view what, const Value& v, const Place& here) {
    TextBuilder text = error(here);
    text.append("expected ");
    text.append(what);
    text.append(", got &{");
    append_go_value(text, v);
    text.append('}');
    tell(text, here);
  }

  void scalar(const Value& v, ScalarForm form, const Place& here) {
    if (v.is_null()) return;
    switch (form) {
      case ScalarForm::Number: {
        if (v.is(Kind::Int) || v.is(Kind::Double)) return;
        TextBuilder text = error(here);
        text.append("expected numeric (int or float), got ");
        text.append(v.is(Kind::Error) ? "*types.Err" : native_ ? native_type(v) : plain_type(v));
        return tell(text, here);
      }
      case ScalarForm::Text: {
        if (v.is(Kind::String)) return;
        TextBuilder text = error(here);
        text.append("expected string, got &value.valueUnstructured{Value:");
        append_go_syntax(text, v);
        text.append('}');
        return tell(text, here);
      }
      case ScalarForm::Boolean:
        if (!v.is(Kind::Bool)) expected("boolean", v, here);
        return;
      case ScalarForm::Any:
        if (!ownership::is_scalar(v)) expected("any scalar", v, here);
        return;
    }
  }

  static std::string_view plain_type(const Value& v) {
    if (v.is(Kind::List)) return "[]interface {}";
    return v.is(Kind::Map) ? "map[string]interface {}" : native_type(v);
  }

  void list(const Value& v, const MergeType& type, const Place& here) {
    if (v.is_null()) return;
    if (!is_list(v)) return expected("list", v, here);
    items(v, type, here);
  }

  void items(const Value& v, const MergeType& type, const Place& here) {
    const MergeType& item = type.form == Form::Any || type.item == nullptr ? kUntyped : *type.item;
    if (type.atomic || type.form == Form::Any) {
      for (size_t i = 0; i < v.size(); ++i) {
        Place place{&here, {ElementKind::Index, Value::integer(static_cast<int64_t>(i))}, i};
        check(v.as_list()[i], item, place);
      }
      return;
    }
    associative(v, type, item, here);
  }

  void associative(const Value& v, const MergeType& type, const MergeType& item, const Place& here) {
    auto* elements = arena_.array<PathElement>(v.size());
    size_t n = 0;
    std::string_view wrong;
    for (; n < v.size(); ++n) {
      wrong = element(v.as_list()[n], type, *new (&elements[n]) PathElement);
      if (!wrong.empty()) break;
    }
    const bool* repeated = native_ ? find_repeated({elements, n}) : nullptr;
    for (size_t i = 0; i < n; ++i) {
      Place place{&here, elements[i], i};
      if (repeated != nullptr && repeated[i]) {
        TextBuilder text = error(here);
        text.append("duplicate entries for key ");
        Place alone{&root_, elements[i]};
        alone.append(text);
        tell(text, place);
      }
      check(v.as_list()[i], item, place);
    }
    if (wrong.empty()) return;
    TextBuilder text = error(here);
    text.append("element ");
    append_uint(text, n);
    text.append(": ");
    text.append(wrong);
    tell(text, Place{&here, {ElementKind::Index, Value::null()}, n});
  }

  // Which elements repeat an earlier one; null if none does.
  const bool* find_repeated(std::span<const PathElement> elements) {
    if (elements.size() < 2) return nullptr;
    auto* order = arena_.array<uint32_t>(elements.size());
    for (uint32_t i = 0; i < elements.size(); ++i) order[i] = i;
    std::sort(order, order + elements.size(), [&](uint32_t a, uint32_t b) {
      int c = ownership::compare(elements[a], elements[b]);
      return c != 0 ? c < 0 : a < b;
    });
    bool* repeated = arena_.array<bool>(elements.size());
    repeated[order[0]] = false;
    bool any = false;
    for (size_t i = 1; i < elements.size(); ++i) {
      bool again = ownership::compare(elements[order[i - 1]], elements[order[i]]) == 0;
      repeated[order[i]] = again;
      any |= again;
    }
    return any ? repeated : nullptr;
  }

  // Makes the path element of an item; returns the reason if it has none.
  std::string_view element(const Value& v, const MergeType& list, PathElement& out) {
    if (list.keys.empty()) {
      out = {ElementKind::Item, is_undefined(v) ? undefined() : v};
      if (is_map(v)) return "associative list without keys has an element that's a map type";
      if (is_list(v)) return "not supported: associative list with lists as elements";
      return v.is_null() ? "associative list without keys has an element that's an explicit null" : "";
    }
    if (v.is_null()) return "associative list with keys may not have a null element";
    if (!is_map(v)) return "associative list with keys may not have non-map elements";
    if (!ownership::element_of(arena_, list, v, out)) return no_keys(list);
    for (const MapEntry& e : out.value.as_map()) {
      if (is_undefined(e.value)) const_cast<MapEntry&>(e).value = undefined();
    }
    return {};
  }

  std::string_view no_keys(const MergeType& list) {
    return joined(arena_, {"associative list with keys has an element that omits all key fields ",
                           list.key_names, " (and doesn't have default values for any key fields)"});
  }

  void map(const Value& v, const MergeType& type, const Place& here) {
    if (v.is_null()) return;
    if (!is_map(v)) return expected("map", v, here);
    int near = 0;
    for (const MapEntry& e : v.as_map()) {
      const MergeType* entry = ownership::entry_type(type, e.key, near);
      Place place{&here, {ElementKind::Field, e.key}};
      if (entry == nullptr) {
        TextBuilder text = error(place);
        text.append("field not declared in schema");
        tell(text, place);
        if (all_ == nullptr) return;
        continue;
      }
      check(e.value, *entry, place);
    }
  }

  Arena& arena_;
  bool native_;
  std::vector<Misfit>* all_;
  Place root_;
  size_t count_ = 0;
  std::string_view first_;
  const Told* last_ = nullptr;
  const Told** order_ = nullptr;
};

class Atomics {
 public:
  explicit Atomics(Arena& arena, std::vector<Misfit>* all = nullptr) : out_(arena), all_(all) {}

  void find(const Value& v, const MergeType& type, const Place& here) {
    out_.arena().step();
    if (v.is(Kind::Map) && (type.form == Form::Map || type.form == Form::Any)) {
      if (type.atomic) add(here);
      if (type.fields == nullptr) return;
      int near = 0;
      for (const MapEntry& e : v.as_map()) {
        const MergeType* field = type.fields->find(e.key, near);
        if (field == nullptr) continue;
        Place place{&here, {ElementKind::Field, e.key}};
        find(e.value, *field, place);
      }
    } else if (v.is(Kind::List) && (type.form == Form::List || type.form == Form::Any)) {
      bool any = type.form == Form::Any;
      if (type.atomic || any) add(here);
      const MergeType& item = any || type.item == nullptr ? kUntyped : *type.item;
      for (size_t i = 0; i < v.size(); ++i) {
        Place place{&here, {ElementKind::Index, Value::integer(static_cast<int64_t>(i))}, i};
        find(v.as_list()[i], item, place);
      }
    }
  }

  std::string_view found() const { return out_.view(); }

 private:
  void add(const Place& here) {
    if (out_.size() != 0) out_.append(", ");
    size_t start = out_.size();
    here.append(out_);
    if (all_ != nullptr) all_->push_back({here.way(), out_.arena().copy(out_.view().substr(start))});
  }

  TextBuilder out_;
  std::vector<Misfit>* all_;
};

}  // namespace

std::string_view check_configuration(Arena& arena, const Value& native, const MergeType& type) {
  Typing typing(arena, true);
  typing.check(native, type, {});
  return typing.errors();
}

std::string_view check_object(Arena& arena, const Value& object, const MergeType& type) {
  Typing typing(arena, false);
  typing.check(object, type, {});
  return typing.errors();
}

std::string_view find_atomics(Arena& arena, const Value& native, const MergeType& type) {
  Atomics atomics(arena);
  atomics.find(native, type, {});
  return atomics.found();
}

std::vector<Misfit> misfits(Arena& arena, const Value& native, const MergeType& type) {
  std::vector<Misfit> out;
  Typing(arena, true, &out).check(native, type, {});
  return out;
}

std::vector<Misfit> atomic_parts(Arena& arena, const Value& native, const MergeType& type) {
  std::vector<Misfit> out;
  Atomics(arena, &out).find(native, type, {});
  return out;
}

}  // namespace portcullis::patching
