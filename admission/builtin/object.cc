#include "admission/builtin/object.h"

#include <new>

namespace portcullis::builtin {
namespace {

Value never_equal(const Opaque&, const Value&, Arena&) { return Value::boolean(false); }
std::string_view print_name(const Opaque& self, Arena&) { return text_at(static_cast<const Object&>(self).row->name); }

}  // namespace

const OpaqueClass kObjectClass = {"builtin.Object", never_equal, print_name, nullptr};

Object* make_object(Arena& arena, const StructRow& row) {
  auto* made = static_cast<Object*>(arena.allocate(sizeof(Object) + row.count * sizeof(Value)));
  made->cls = &kObjectClass;
  made->row = &row;
  made->slots = reinterpret_cast<Value*>(made + 1);
  const FieldRow* fields = kFieldRows + row.first;
  for (size_t i = 0; i < row.count; ++i) {
    const FieldRow& f = fields[i];
    bool plain_struct = f.shape == kOne && f.scalar == kStruct && !(f.flags & kPointer);
    new (&made->slots[i]) Value(plain_struct ? Value::opaque(make_object(arena, struct_at(f.structure))) : absent());
  }
  return made;
}

}  // namespace portcullis::builtin
