#include "admission/patching/apply_configuration.h"

#include "admission/builtin/plain.h"
#include "admission/expressions/native_form.h"
#include "admission/expressions/patches.h"
#include "admission/ownership/compare.h"
#include "admission/patching/json_value.h"
#include "admission/patching/merge.h"
#include "admission/patching/type_names.h"
#include "admission/patching/typing.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/member.h"
#include "interpreter/values/native.h"

namespace portcullis::patching {
namespace {

constexpr std::string_view kApplying = "error applying patch: ";

// The native form with the apiVersion and kind of `current`, which replace its own.
Value of_kind(Arena& arena, const Value& native, const Value& current) {
  MapEntry* entries = alloc_entries(arena, native.size() + 2);
  size_t n = 0;
  for (const MapEntry& e : native.as_map()) new (&entries[n++]) MapEntry{e.key, e.value};
  for (std::string_view name : {"apiVersion", "kind"})
    new (&entries[n++]) MapEntry{Value::string(name), Value::string(text_member(current, name))};
  return make_native_map(entries, n);  // the later of two entries counts
}

}  // namespace

Patched apply_configuration(Arena& arena, const Value& current, const Value& literal,
                            const ownership::MergeType* type, bool fits, MergeTrace* trace) {
  if (!is_patch_object(literal))
    return refused(arena, {"unsupported return type from ApplyConfiguration expression"});
  if (std::string_view names = check_type_names(arena, literal); !names.empty())
    return refused(arena, {"type mismatch: ", names});
  Value native = native_object(object_fields(literal), arena);
  if (native.is_error()) return refused(arena, {"invalid return type: *dynamic.ObjectVal"});
  if (type == nullptr) {
    return refused(arena,
                   {kApplying, "failed to convert patch object to typed object: no corresponding type for ",
                    kind_text(text_member(current, "apiVersion"), text_member(current, "kind"))});
  }
  native = of_kind(arena, native, current);
  if (std::string_view error = check_configuration(arena, native, *type); !error.empty())
    return refused(arena, {kApplying, "failed to convert patch object to typed object: ", error});
  if (std::string_view atomics = find_atomics(arena, native, *type); !atomics.empty()) {
    return refused(
        arena,
        {kApplying, "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ", atomics});
  }
  ownership::Source source = fits ? ownership::Source::Decoded : ownership::Source::Anywhere;
  if (!ownership::conforms(current, *type, source)) {
    if (std::string_view error = check_object(arena, current, *type); !error.empty())
      return refused(arena, {kApplying, "failed to convert original object to typed object: ", error});
  }
  native = builtin::plain_throughout(arena, native);
  if (fits) native = with_written_lists(arena, native);
  const std::optional<Value> merged = merge(arena, current, native, *type, trace);
  if (!merged) return refused(arena, {kApplying, "no definition that is known says how to merge it"});
  return {.object = *merged};
}

}  // namespace portcullis::patching
