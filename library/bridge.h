// What the public face and the rooms behind it have in common: a Value of theirs is one of ours, bit by bit.
//
// Idea: public headers (include/portcullis) stand in the namespace portcullis::v1 and know nothing of the rooms; within
// v1, names without qualification are those of the face, and portcullis::NAME is that of the rooms. Here the two meet.
// Reading order: value, cel, manifests (text -> objects), problems (what is wrong with them), cluster (objects -> what
// an Engine has), context (the memory of a thread, decisions), engine (what is asked -> the answers).
// Tested by library/engine_test.cc, tests/client.
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
