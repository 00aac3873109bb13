#include "interpreter/values/structs.h"

namespace portcullis {
namespace {

Value never_equal(const Opaque&, const Value&, Arena&) { return Value::boolean(false); }
std::string_view print(const Opaque& self, Arena&) { return static_cast<const StructForm&>(self).type_name; }

}  // namespace

constinit const OpaqueClass kStructFormClass = {"form", never_equal, print};

}  // namespace portcullis
