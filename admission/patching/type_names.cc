#include "admission/patching/type_names.h"

#include "admission/expressions/patches.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/go_values.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

// The path to a literal: names of fields below the root's name, innermost first.
struct NamePlace {
  const NamePlace* outer;
  std::string_view name;
};

class Names {
 public:
  explicit Names(Arena& arena) : errors_(arena) {}

  void check(const Value& v, const NamePlace& here) {
    errors_.arena().step();
    if (is_patch_object(v)) {
      std::string_view name = v.as_opaque().cls->type_name;
      if (!ends_with(name, here)) mismatch(name, here);
      for (const MapEntry& f : object_fields(v)) {
        NamePlace place{&here, f.key.as_text()};
        check(f.value, place);
      }
    } else if (v.is(Kind::Optional)) {
      // Value() of an optional is its content; of that, only lists and maps of Go are visited.
      const Value* inner = v.as_optional();
      if (inner != nullptr && !is_patch_object(*inner)) items(*inner, here);
    } else {
      items(v, here);
    }
  }

  std::string_view errors() const { return errors_.view(); }

 private:
  // Visits the items of lists and maps that an expression wrote; those that were read need no check.
  void items(const Value& v, const NamePlace& here) {
    if (v.is(Kind::List) && !(v.flags() & (kNativeList | kConcatList | kGoList))) {
      for (const Value& item : v.as_list()) check(item, here);
    } else if (v.is(Kind::Map) && !(v.flags() & kNativeMap) && !is_go_map(v)) {
      for (const MapEntry& e : v.as_map()) check(e.value, here);
    }
  }

  // Whether `name` is the path of `place`. Compares from the end, so that no text is made.
  static bool ends_with(std::string_view name, const NamePlace& place) {
    const NamePlace* at = &place;
    for (; at->outer != nullptr; at = at->outer) {
      if (!name.ends_with(at->name)) return false;
      name.remove_suffix(at->name.size());
      if (!name.ends_with('.')) return false;
      name.remove_suffix(1);
    }
    return name == at->name;
  }

  static void append_path(TextBuilder& out, const NamePlace& place) {
    if (place.outer != nullptr) {
      append_path(out, *place.outer);
      out.append('.');
    }
    out.append(place.name);
  }

  void mismatch(std::string_view name, const NamePlace& place) {
    if (errors_.size() != 0) errors_.append('\n');
    TextBuilder path(errors_.arena());
    append_path(path, place);
    append_type_name_error(errors_, name, path.view());
  }

  TextBuilder errors_;
};

}  // namespace

void append_type_name_error(TextBuilder& out, std::string_view name, std::string_view expected) {
  out.append("unexpected type name ");
  append_quoted(out, name);
  out.append(", expected ");
  append_quoted(out, expected);
  out.append(", which matches field name path from root Object type");
}

std::string_view check_type_names(Arena& arena, const Value& object) {
  Names names(arena);
  names.check(object, {nullptr, object.as_opaque().cls->type_name});
  return names.errors();
}

}  // namespace portcullis::patching
