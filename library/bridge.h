// The bridge between the public face and the rooms: both have a Value, with the same bits.
//
// Idea: the public headers (include/portcullis) use the namespace portcullis::v1 and do not depend on the
// rooms. Within v1, an unqualified name is one of the face, and portcullis::NAME is one of the rooms. Reading
// order: value, make (values that embedders make), authorizer (users, and who may do what), cel, manifests (text ->
// objects), problems (errors of objects), cluster (objects -> the contents of an Engine), context (memory of
// a thread, decisions), engine (requests -> answers). Tested by library/engine_test.cc, tests/client.
#pragma once

#include <portcullis/value.h>

#include <bit>
#include <span>

#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis {

static_assert(sizeof(v1::Value) == sizeof(Value) && std::is_trivially_copyable_v<v1::Value>);
static_assert(static_cast<int>(v1::Kind::Error) == static_cast<int>(Kind::Error) && kKindCount == 17);

inline v1::Value outer(const Value& v) { return std::bit_cast<v1::Value>(v); }
inline Value inner(const v1::Value& v) { return std::bit_cast<Value>(v); }
inline v1::Error outer(const Error& e) { return {e.text, e.position.line, e.position.column}; }

}  // namespace portcullis
