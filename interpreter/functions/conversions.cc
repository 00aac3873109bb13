// Conversions between types: int('1'), string(2.5), timestamp(0), dyn(x), type(x).
// Source of behaviour: the ConvertToType of each type in cel-go common/types; Go's strconv and time.
// Tested by tests/language/conversions.cel, tests/examples.cc.

#include "grammar/powers.h"
#include "grammar/utf8.h"
#include "interpreter/formats/duration.h"
#include "interpreter/formats/number.h"
#include "interpreter/formats/timestamp.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"
#include "interpreter/functions/tables.h"

namespace portcullis::tables {
namespace {

// The error for a string that cannot become the type `to`.
Value bad_text(CallContext& context, std::string_view to) {
  TextBuilder out(context.arena());
  out.append("type conversion error from 'string' to '");
  out.append(to);
  out.append('\'');
  return context.error(out.view());
}

Value int_of(CallContext& context, double d) {
  // As in Go, -2^63 itself is refused as well.
  if (!(d > -kTwoTo63 && d < kTwoTo63)) return context.error("integer overflow");
  return Value::integer(static_cast<int64_t>(d));
}

Value uint_of(CallContext& context, double d) {
  if (!(d >= 0 && d < kTwoTo64)) return context.error("unsigned integer overflow");
  return Value::uinteger(static_cast<uint64_t>(d));
}

Value timestamp_of(CallContext& context, const Timestamp& t) {
  if (t.seconds < kMinUnixSeconds || t.seconds > kMaxUnixSeconds) return context.error("timestamp overflow");
  return Value::timestamp(t.seconds, t.nanos, t.offset_minutes);
}

// The output of `print` as the text of a string value.
template <class F>
std::string_view printed(CallContext& context, F print) {
  TextBuilder out(context.arena());
  print(out);
  return out.view();
}

constexpr Call kIdentity = wrap([](Value v) { return v; });

constexpr Function kRows[] = {
    {.id = "type",
     .signature = "type(A) -> type(A)",
     .doc = "the type of a value, itself a value",
     .examples = "type(1)  // => int\ntype('hello')  // => string\ntype(type)  // => type",
     .builtin = Builtin::Type,
     .singleton = {kEveryKind}},

    {.id = "bool_to_bool",
     .signature = "bool(bool) -> bool",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "bool(true)  // => true"},
    {.id = "string_to_bool",
     .signature = "bool(string) -> bool",
     .call = wrap([](CallContext& c, std::string_view s) {
       ReadValue<bool> b = read_bool(s);
       return b ? Value::boolean(b.value) : bad_text(c, "bool");
     }),
     .doc = "true for 1 t T true TRUE True, false for 0 f F false FALSE False, else an error",
     .examples = "bool('true')  // => true\nbool('F')  // => false"},

    {.id = "bytes_to_bytes",
     .signature = "bytes(bytes) -> bytes",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "bytes(b'abc')  // => b'abc'"},
    {.id = "string_to_bytes",
     .signature = "bytes(string) -> bytes",
     .call = wrap([](std::string_view s) { return Bytes{s}; }),
     .cost = {actual_by<shapes::kScan0>, estimate_string_to_bytes, "size0 / 10"},
     .doc = "the string in UTF-8",
     .examples = "bytes('hello')  // => b'hello'"},

    {.id = "double_to_double",
     .signature = "double(double) -> double",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "double(1.23)  // => 1.23"},
    {.id = "int64_to_double",
     .signature = "double(int) -> double",
     .call = wrap([](int64_t i) { return static_cast<double>(i); }),
     .doc = "the nearest double",
     .examples = "double(123)  // => 123.0"},
    {.id = "string_to_double",
     .signature = "double(string) -> double",
     .call = wrap([](CallContext& c, std::string_view s) {
       ReadValue<double> d = read_float(s);
       return d ? Value::real(d.value) : bad_text(c, "double");
     }),
     .doc = "reads a decimal or hexadecimal number, inf or nan",
     .examples = "double('1.23')  // => 1.23\ndouble('1e3')  // => 1000.0"},
    {.id = "uint64_to_double",
     .signature = "double(uint) -> double",
     .call = wrap([](uint64_t u) { return static_cast<double>(u); }),
     .doc = "the nearest double",
     .examples = "double(123u)  // => 123.0"},

    {.id = "duration_to_duration",
     .signature = "duration(duration) -> duration",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "duration(duration('1s'))  // => duration('1s')"},
    {.id = "string_to_duration",
     .signature = "duration(string) -> duration",
     .call = wrap([](CallContext& c, std::string_view s) {
       auto nanos = parse_duration(s);
       return nanos ? Value::duration(*nanos) : bad_text(c, "google.protobuf.Duration");
     }),
     .doc = "reads numbers with the units h m s ms us ns",
     .examples = "duration('1h2m3s')  // => duration('3723s')\nduration('-1.5h')  // => duration('-5400s')"},

    {.id = "to_dyn",
     .signature = "dyn(A) -> dyn",
     .doc = "the same value, whose type the type checker ignores",
     .examples = "dyn(1)  // => 1",
     .builtin = Builtin::Dyn,
     .singleton = {kEveryKind}},

    {.id = "int64_to_int64",
     .signature = "int(int) -> int",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "int(123)  // => 123"},
    {.id = "double_to_int64",
     .signature = "int(double) -> int",
     .call = wrap([](CallContext& c, double d) { return int_of(c, d); }),
     .doc = "drops the fraction; error if the number does not fit",
     .examples = "int(123.45)  // => 123\nint(-1.9)  // => -1"},
    {.id = "duration_to_int64",
     .signature = "int(duration) -> int",
     .call = wrap([](Duration d) { return d.nanos; }),
     .doc = "the number of nanoseconds",
     .examples = "int(duration('1s'))  // => 1000000000"},
    {.id = "string_to_int64",
     .signature = "int(string) -> int",
     .call = wrap([](CallContext& c, std::string_view s) {
       ReadValue<int64_t> i = read_int(s);
       return i ? Value::integer(i.value) : bad_text(c, "int");
     }),
     .doc = "reads a decimal number with an optional sign",
     .examples = "int('123')  // => 123\nint('-456')  // => -456"},
    {.id = "timestamp_to_int64",
     .signature = "int(timestamp) -> int",
     .call = wrap([](Timestamp t) { return t.seconds; }),
     .doc = "the seconds since 1970-01-01T00:00:00Z",
     .examples = "int(timestamp('1970-01-01T00:00:01Z'))  // => 1"},
    {.id = "uint64_to_int64",
     .signature = "int(uint) -> int",
     .call = wrap([](CallContext& c, uint64_t u) {
       return u >> 63 != 0 ? c.error("integer overflow") : Value::integer(static_cast<int64_t>(u));
     }),
     .doc = "the same number; error if it does not fit",
     .examples = "int(123u)  // => 123"},

    {.id = "string_to_string",
     .signature = "string(string) -> string",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "string('hello')  // => 'hello'"},
    {.id = "bool_to_string",
     .signature = "string(bool) -> string",
     .call = wrap([](bool b) { return std::string_view(b ? "true" : "false"); }),
     .doc = "'true' or 'false'",
     .examples = "string(true)  // => 'true'"},
    {.id = "bytes_to_string",
     .signature = "string(bytes) -> string",
     .call = wrap([](CallContext& c, Bytes b) {
       return utf8::valid(b.data) ? Value::string(b.data)
                                  : c.error("invalid UTF-8 in bytes, cannot convert to string");
     }),
     .cost = {actual_by<shapes::kScan0>, estimate_bytes_to_string, "size0 / 10"},
     .doc = "the string whose UTF-8 the bytes are; error if they are not valid UTF-8",
     .examples = "string(b'hello')  // => 'hello'"},
    {.id = "double_to_string",
     .signature = "string(double) -> string",
     .call = wrap([](CallContext& c, double d) {
       return printed(c, [d](TextBuilder& out) { append_general(out, d); });
     }),
     .doc = "the shortest digits that read back as the same double",
     .examples = "string(-1.23e4)  // => '-12300'\nstring(1000000.0)  // => '1e+06'"},
    {.id = "duration_to_string",
     .signature = "string(duration) -> string",
     .call = wrap([](CallContext& c, Duration d) {
       return printed(c, [d](TextBuilder& out) { append_duration_seconds(out, d.nanos); });
     }),
     .doc = "the seconds, with a fraction if there is one",
     .examples = "string(duration('1h30m'))  // => '5400s'"},
    {.id = "int64_to_string",
     .signature = "string(int) -> string",
     .call = wrap(
         [](CallContext& c, int64_t i) { return printed(c, [i](TextBuilder& out) { append_int(out, i); }); }),
     .doc = "decimal digits",
     .examples = "string(-123)  // => '-123'"},
    {.id = "timestamp_to_string",
     .signature = "string(timestamp) -> string",
     .call = wrap([](CallContext& c, Timestamp t) {
       return printed(c, [t](TextBuilder& out) { append_rfc3339(out, t); });
     }),
     .doc = "RFC 3339, with the UTC offset that the timestamp was written with",
     .examples = "string(timestamp('1970-01-01T00:00:00Z'))  // => '1970-01-01T00:00:00Z'"},
    {.id = "uint64_to_string",
     .signature = "string(uint) -> string",
     .call = wrap([](CallContext& c, uint64_t u) {
       return printed(c, [u](TextBuilder& out) { append_uint(out, u); });
     }),
     .doc = "decimal digits",
     .examples = "string(123u)  // => '123'"},

    {.id = "timestamp_to_timestamp",
     .signature = "timestamp(timestamp) -> timestamp",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "timestamp(timestamp('2023-01-01T00:00:00Z'))  // => timestamp('2023-01-01T00:00:00Z')"},
    {.id = "int64_to_timestamp",
     .signature = "timestamp(int) -> timestamp",
     .call = wrap([](CallContext& c, int64_t seconds) { return timestamp_of(c, {seconds, 0, 0}); }),
     .doc = "the seconds since 1970-01-01T00:00:00Z",
     .examples = "timestamp(1)  // => timestamp('1970-01-01T00:00:01Z')"},
    {.id = "string_to_timestamp",
     .signature = "timestamp(string) -> timestamp",
     .call = wrap([](CallContext& c, std::string_view s) {
       auto t = parse_rfc3339(s);
       return t ? timestamp_of(c, *t) : bad_text(c, "google.protobuf.Timestamp");
     }),
     .doc = "reads RFC 3339, years 1 to 9999",
     .examples = "timestamp('2025-01-01T12:34:56Z')  // => timestamp('2025-01-01T12:34:56Z')"},

    {.id = "uint64_to_uint64",
     .signature = "uint(uint) -> uint",
     .call = kIdentity,
     .doc = "the value itself",
     .examples = "uint(123u)  // => 123u"},
    {.id = "double_to_uint64",
     .signature = "uint(double) -> uint",
     .call = wrap([](CallContext& c, double d) { return uint_of(c, d); }),
     .doc = "drops the fraction; error if the number does not fit",
     .examples = "uint(123.45)  // => 123u"},
    {.id = "int64_to_uint64",
     .signature = "uint(int) -> uint",
     .call = wrap([](CallContext& c, int64_t i) {
       return i < 0 ? c.error("unsigned integer overflow") : Value::uinteger(static_cast<uint64_t>(i));
     }),
     .doc = "the same number; error if it is negative",
     .examples = "uint(123)  // => 123u"},
    {.id = "string_to_uint64",
     .signature = "uint(string) -> uint",
     .call = wrap([](CallContext& c, std::string_view s) {
       ReadValue<uint64_t> u = read_uint(s);
       return u ? Value::uinteger(u.value) : bad_text(c, "uint");
     }),
     .doc = "reads a decimal number without sign",
     .examples = "uint('123')  // => 123u"},
};

}  // namespace

std::span<const Function> conversions() { return kRows; }

}  // namespace portcullis::tables
