// CallContext and wrap(): the interface between the machine and the callable of a function row.
//
// Idea: a row's callable is a plain lambda over C++ types; wrap(lambda) makes the `Call` of
// typecheck/function.h from it. The dispatcher has already checked the kinds of the arguments against the
// row's signature, so unpacking one is a load. A lambda may take CallContext& first (arena, errors,
// regexes). It returns bool, int64_t, uint64_t, double, std::string_view, Bytes, Timestamp, Duration, or a
// Value if it can fail (`return context.error("...")`). A returned text must live in the arena, in an
// argument or in a constant.
//
//   {"starts_with_string", "string.startsWith(string) -> bool",
//    wrap([](std::string_view s, std::string_view prefix) { return s.starts_with(prefix); })}
//
// Parameter types: bool, int64_t, uint64_t, double, std::string_view (string, bytes and type alike), Bytes,
// Timestamp, Duration, List, Map, Value (anything: dyn, optional, struct), `const T&` for a T derived from
// Opaque. A row with a variable number of arguments takes Arguments as its only parameter after the context.
// Tested by tests/language.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "interpreter/values/scalars.h"
#include "interpreter/values/value.h"

namespace portcullis {

// Kinds as bits, for the first operand of a singleton.
constexpr uint32_t kind_bit(Kind k) { return 1u << static_cast<int>(k); }
inline constexpr uint32_t kNumberKinds = kind_bit(Kind::Int) | kind_bit(Kind::Uint) | kind_bit(Kind::Double),
                          kTextKinds = kind_bit(Kind::String) | kind_bit(Kind::Bytes),
                          kTimeKinds = kind_bit(Kind::Timestamp) | kind_bit(Kind::Duration), kEveryKind = ~0u;

struct Function;   // typecheck/function.h
class Regex;       // interpreter/functions/regex.h
class RegexCache;  // interpreter/functions/regex.h

struct Arguments : std::span<const Value> {
  using std::span<const Value>::span;
};

// What a call may use beyond its arguments. There is one per evaluation, on the evaluator's stack.
class CallContext {
 public:
  CallContext(Arena& arena, RegexCache& regexes) : arena_(arena), regexes_(regexes) {}

  // Memory that lives as long as the results of the evaluation.
  Arena& arena() { return arena_; }

  // A CEL error with a copy of `message`.
  Value error(std::string_view message) { return make_error(arena_, message); }
  // cel-go's error for arguments that a function has no case for.
  Value no_such_overload() { return make_error(arena_, "no such overload"); }
  // A string or list with a copy of the given content.
  Value text(std::string_view s) { return Value::string(arena_.copy(s)); }
  Value list(std::span<const Value> items) {
    Value* copy = arena_.array<Value>(items.size());
    if (!items.empty()) std::memcpy(static_cast<void*>(copy), items.data(), items.size_bytes());
    return Value::list(copy, items.size());
  }

  // The compiled pattern; or null, with `*failure` set to an error with Go's text ("error parsing regexp:
  // ..."). Constant patterns were compiled with the program; others are kept in a bounded cache of the
  // thread.
  const Regex* regex(std::string_view pattern, Value* failure);

  // The evaluator sets this around a call whose pattern is a constant.
  const Regex* constant_regex = nullptr;
  // The row being called, if it is late-bound: one callable may serve several rows, as those of embedders do.
  const Function* called = nullptr;

 private:
  Arena& arena_;
  RegexCache& regexes_;
};

namespace call {

template <class T>
decltype(auto) unpack(const Value& v) {
  using U = std::remove_cvref_t<T>;
  if constexpr (std::is_same_v<U, bool>)
    return v.as_bool();
  else if constexpr (std::is_same_v<U, int64_t>)
    return v.as_int();
  else if constexpr (std::is_same_v<U, uint64_t>)
    return v.as_uint();
  else if constexpr (std::is_same_v<U, double>)
    return v.as_double();
  else if constexpr (std::is_same_v<U, std::string_view>)
    return v.as_text();
  else if constexpr (std::is_same_v<U, Bytes>)
    return Bytes{v.as_text()};
  else if constexpr (std::is_same_v<U, Timestamp>)
    return Timestamp{v.seconds(), v.nanos(), v.offset_minutes()};
  else if constexpr (std::is_same_v<U, Duration>)
    return Duration{v.as_duration()};
  else if constexpr (std::is_same_v<U, List>)
    return v.as_list();
  else if constexpr (std::is_same_v<U, Map>)
    return v.as_map();
  else if constexpr (std::is_base_of_v<Opaque, U>)
    return static_cast<const U&>(v.as_opaque());
  else {
    static_assert(std::is_same_v<U, Value>, "no such parameter type, see the head of call.h");
    return Value(v);
  }
}

inline Value pack(const Value& v) { return v; }
inline Value pack(std::same_as<bool> auto b) { return Value::boolean(b); }
inline Value pack(int64_t i) { return Value::integer(i); }
inline Value pack(uint64_t u) { return Value::uinteger(u); }
inline Value pack(double d) { return Value::real(d); }
inline Value pack(std::string_view s) { return Value::string(s); }
inline Value pack(Bytes b) { return Value::bytes(b.data); }
inline Value pack(Timestamp t) { return Value::timestamp(t.seconds, t.nanos, t.offset_minutes); }
inline Value pack(Duration d) { return Value::duration(d.nanos); }

template <class F>
struct Shape;  // of the lambda's operator()
template <class L, class R, class... P>
struct Shape<R (L::*)(P...) const> {
  template <auto F, size_t... I>
  static Value run(CallContext&, const Value* args, std::index_sequence<I...>) {
    (void)args;
    return pack(F(unpack<P>(args[I])...));
  }
  template <auto F>
  static Value run(CallContext& context, const Value* args, size_t) {
    return run<F>(context, args, std::index_sequence_for<P...>());
  }
};
template <class L, class R, class... P>
struct Shape<R (L::*)(CallContext&, P...) const> {
  template <auto F, size_t... I>
  static Value run(CallContext& context, const Value* args, std::index_sequence<I...>) {
    (void)args;
    return pack(F(context, unpack<P>(args[I])...));
  }
  template <auto F>
  static Value run(CallContext& context, const Value* args, size_t) {
    return run<F>(context, args, std::index_sequence_for<P...>());
  }
};
template <class L, class R>
struct Shape<R (L::*)(CallContext&, Arguments) const> {
  template <auto F>
  static Value run(CallContext& context, const Value* args, size_t count) {
    return pack(F(context, Arguments(args, count)));
  }
};

}  // namespace call

// Makes the `Call` (typecheck/function.h) that unpacks the arguments for a lambda without captures.
template <class L>
constexpr auto wrap(L) -> Value (*)(CallContext&, const Value*, size_t) {
  return [](CallContext& context, const Value* args, size_t count) -> Value {
    return call::Shape<decltype(&L::operator())>::template run<L{}>(context, args, count);
  };
}

}  // namespace portcullis
