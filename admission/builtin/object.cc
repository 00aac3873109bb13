#include "admission/builtin/object.h"

#include <array>
#include <cstring>
#include <vector>

namespace portcullis::builtin {
namespace {

// For each struct, the fields that are plain structs; computed once.
class Plain {
 public:
  Plain() {
    std::span<const StructRow> rows = all_structs();
    starts_.reserve(rows.size() + 1);
    for (const StructRow& row : rows) {
      starts_.push_back(fields_.size());
      std::span<const FieldRow> fields = fields_of(row);
      for (size_t i = 0; i < fields.size(); ++i) {
        const FieldRow& f = fields[i];
        if (f.shape == kOne && f.scalar == kStruct && !(f.flags & kPointer))
          fields_.push_back(static_cast<uint16_t>(i));
      }
    }
    starts_.push_back(fields_.size());
  }
  std::span<const uint16_t> of(const StructRow& row) const {
    size_t i = struct_index(row);
    return {fields_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }

 private:
  std::vector<size_t> starts_;
  std::vector<uint16_t> fields_;
};
const Plain& plain() {
  static const Plain all;
  return all;
}

// As many absent values as the largest struct has fields.
const std::array<Value, kMaxFields>& nothing() {
  static const std::array<Value, kMaxFields> all = [] {
    std::array<Value, kMaxFields> made;
    made.fill(absent());
    return made;
  }();
  return all;
}

Value never_equal(const Opaque&, const Value&, Arena&) { return Value::boolean(false); }
std::string_view print_name(const Opaque& self, Arena&) {
  return text_at(static_cast<const Object&>(self).row->name);
}

}  // namespace

const OpaqueClass kObjectClass = {"builtin.Object", never_equal, print_name, nullptr};

Object* make_object(Arena& arena, const StructRow& row) {
  auto* made = static_cast<Object*>(arena.allocate(sizeof(Object) + row.count * sizeof(Value)));
  made->cls = &kObjectClass;
  made->row = &row;
  made->arena = &arena;
  made->slots = reinterpret_cast<Value*>(made + 1);
  std::memcpy(static_cast<void*>(made->slots), nothing().data(), row.count * sizeof(Value));
  const FieldRow* fields = kFieldRows + row.first;
  for (uint16_t i : plain().of(row))
    made->slots[i] = Value::opaque(make_object(arena, struct_at(fields[i].structure)));
  return made;
}

}  // namespace portcullis::builtin
