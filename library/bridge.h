// The bridge between the public face and the rooms: both have a Value, with the same bits.
//
// Idea: the public headers (include/portcullis) use the namespace portcullis::v1 and do not depend on the
// rooms. Within v1, an unqualified name is one of the face, and portcullis::NAME is one of the rooms. Reading
// order: value, make (values that embedders make), authorizer (users, and who may do what), cel, manifests (text ->
// objects), problems (errors of objects), cluster (objects -> the contents of an Engine), context (memory of
// a thread, decisions), context_review (a request -> a decision), engine (requests -> answers). Tested by
// library/engine_test.cc, tests/client.
#pragma once

#include <portcullis/value.h>

#include <bit>

#include "grammar/result.h"
#include "interpreter/values/value.h"

namespace portcullis {

static_assert(sizeof(v1::Value) == sizeof(Value) && std::is_trivially_copyable_v<v1::Value>);
#define SAME_KIND(NAME) static_assert(static_cast<int>(v1::Kind::NAME) == static_cast<int>(Kind::NAME))
SAME_KIND(Null);
SAME_KIND(Bool);
SAME_KIND(Int);
SAME_KIND(Uint);
SAME_KIND(Double);
SAME_KIND(String);
SAME_KIND(Bytes);
SAME_KIND(Timestamp);
SAME_KIND(Duration);
SAME_KIND(List);
SAME_KIND(Map);
SAME_KIND(Type);
SAME_KIND(Optional);
SAME_KIND(Struct);
SAME_KIND(Opaque);
SAME_KIND(Unknown);
SAME_KIND(Error);
static_assert(kKindCount == 17);  // these are all
#undef SAME_KIND

inline v1::Value outer(const Value& v) { return std::bit_cast<v1::Value>(v); }
inline Value inner(const v1::Value& v) { return std::bit_cast<Value>(v); }
inline v1::Error outer(const Error& e) { return {e.text, e.position.line, e.position.column}; }

}  // namespace portcullis
