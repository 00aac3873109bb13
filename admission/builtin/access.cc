#include "admission/builtin/access.h"

#include "interpreter/values/builder.h"

namespace portcullis::builtin {

uint64_t resolve(const StructRow& row, std::string_view path) {
  uint64_t steps = struct_index(row) | ~((uint64_t{1} << kStructBits) - 1);
  const StructRow* at = &row;
  for (unsigned step = 0;; ++step) {
    size_t dot = path.find('.');
    int i = field_index(*at, path.substr(0, dot));
    bool last = dot == std::string_view::npos;
    const FieldRow* f = i < 0 ? nullptr : &kFieldRows[at->first + i];
    bool leads = f != nullptr && (last || (f->shape == kOne && f->scalar == kStruct));
    if (!leads || step == kMaxSteps)
      return struct_index(row) | ~((uint64_t{1} << kStructBits) - 1);  // the path does not exist
    unsigned shift = kStructBits + step * kStepBits;
    steps = (steps & ~(kNoStep << shift)) | (static_cast<uint64_t>(i) << shift);
    if (last) return steps;
    at = &struct_at(f->structure);
    path.remove_prefix(dot + 1);
  }
}

void set_entry(Arena& arena, Object& o, std::string_view path, std::string_view key, std::string_view value) {
  Value* slot = find(o, path);
  if (slot == nullptr) return;
  size_t held = slot->is(Kind::Map) ? slot->size() : 0;
  MapEntry* entries = alloc_entries(arena, held + 1);
  for (size_t i = 0; i < held; ++i) entries[i] = slot->as_map()[i];
  entries[held] = {Value::string(arena.copy(key)),
                   Value::string(arena.copy(value))};  // a later entry with the same key wins
  *slot = make_map(entries, held + 1);
}

bool shares_labels(Object& o) {
  const Value *own = find(o, "metadata.labels"), *labels = find(o, "spec.template.metadata.labels");
  return own != nullptr && labels != nullptr && own->is(Kind::Map) && labels->is(Kind::Map) &&
         own->as_map().data() == labels->as_map().data();
}

void separate_labels(Object& o) {
  if (!shares_labels(o)) return;
  Value* own = find(o, "metadata.labels");
  const std::span<const MapEntry> held = own->as_map();
  MapEntry* entries = alloc_entries(*o.arena, held.size());
  std::ranges::copy(held, entries);
  *own = make_map(entries, held.size());
}

}  // namespace portcullis::builtin
