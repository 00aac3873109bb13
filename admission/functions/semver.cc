// Library kubernetes.Semver: semantic versions. See admission/scalars/semver.h for parsing and order.
#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "interpreter/functions/call.h"

namespace portcullis::kubernetes {
namespace {

const Semver& version_of(const Opaque& o) { return static_cast<const SemverValue&>(o).version; }

Value equal(const Opaque& self, const Value& other, Arena& arena) {
  const auto* right = as<SemverValue>(other, kSemverClass);
  if (!right) return no_such_overload(arena);
  return Value::boolean(semver::compare(version_of(self), right->version) == 0);
}

std::string_view print(const Opaque& self, Arena& arena) { return semver::print(arena, version_of(self)); }

std::string_view parse(Arena& arena, std::string_view text, bool normalize, Semver& out) {
  return normalize ? semver::parse_normalized(arena, text, out) : semver::parse(arena, text, out);
}

// `text` must outlive the value.
Value make(Arena& arena, std::string_view text, bool normalize) {
  Semver v;
  if (std::string_view error = parse(arena, text, normalize, v); !error.empty())
    return make_error(arena, error);
  return Value::opaque(arena.make<SemverValue>(Opaque{&kSemverClass}, v));
}

using V = const SemverValue&;

constexpr Function kRows[] = {
    {.id = "string_to_semver",
     .signature = "semver(string) -> kubernetes.Semver",
     .call = wrap([](CallContext& c, std::string_view s) { return make(c.arena(), s, false); }),
     .doc = "the version in a string, by the rules of SemVer 2.0; error if it is none",
     .examples = "semver('1.2.3-rc.1').major()  // => 1"},
    {.id = "string_bool_to_semver",
     .signature = "semver(string, bool) -> kubernetes.Semver",
     .call = wrap(
         [](CallContext& c, std::string_view s, bool normalize) { return make(c.arena(), s, normalize); }),
     .since = 1,
     .doc = "the version in a string; with true, a leading 'v' and leading zeros are dropped first and "
            "missing numbers are 0",
     .examples = "semver('v01.01', true) == semver('1.1.0')  // => true"},
    {.id = "is_semver_string",
     .signature = "isSemver(string) -> bool",
     .call = wrap([](CallContext& c, std::string_view s) {
       Semver v;
       return parse(c.arena(), s, false, v).empty();
     }),
     .doc = "whether semver() accepts the string",
     .examples = "isSemver('v1.0')  // => false"},
    {.id = "is_semver_string_bool",
     .signature = "isSemver(string, bool) -> bool",
     .call = wrap([](CallContext& c, std::string_view s, bool normalize) {
       Semver v;
       return parse(c.arena(), s, normalize, v).empty();
     }),
     .since = 1,
     .doc = "whether semver() accepts the string with the same flag",
     .examples = "isSemver('v1.0', true)  // => true"},
    {.id = "semver_is_greater_than",
     .signature = "kubernetes.Semver.isGreaterThan(kubernetes.Semver) -> bool",
     .call = wrap([](V a, V b) { return semver::compare(a.version, b.version) > 0; }),
     .doc = "whether the receiver is a later version than the argument",
     .examples = "semver('1.2.3').isGreaterThan(semver('1.2.3-rc.1'))  // => true"},
    {.id = "semver_is_less_than",
     .signature = "kubernetes.Semver.isLessThan(kubernetes.Semver) -> bool",
     .call = wrap([](V a, V b) { return semver::compare(a.version, b.version) < 0; }),
     .doc = "whether the receiver is an earlier version than the argument",
     .examples = "semver('1.2.3').isLessThan(semver('1.10.0'))  // => true"},
    {.id = "semver_compare_to",
     .signature = "kubernetes.Semver.compareTo(kubernetes.Semver) -> int",
     .call = wrap([](V a, V b) { return int64_t{semver::compare(a.version, b.version)}; }),
     .doc = "-1, 0 or 1 if the receiver is earlier than the argument, equal or later; build metadata does "
            "not count",
     .examples = "semver('1.2.3+a').compareTo(semver('1.2.3+b'))  // => 0"},
    {.id = "semver_major",
     .signature = "kubernetes.Semver.major() -> int",
     .call = wrap([](V v) { return static_cast<int64_t>(v.version.major); }),
     .doc = "the first number",
     .examples = "semver('1.2.3').major()  // => 1"},
    {.id = "semver_minor",
     .signature = "kubernetes.Semver.minor() -> int",
     .call = wrap([](V v) { return static_cast<int64_t>(v.version.minor); }),
     .doc = "the second number",
     .examples = "semver('1.2.3').minor()  // => 2"},
    {.id = "semver_patch",
     .signature = "kubernetes.Semver.patch() -> int",
     .call = wrap([](V v) { return static_cast<int64_t>(v.version.patch); }),
     .doc = "the third number",
     .examples = "semver('1.2.3').patch()  // => 3"},
};

}  // namespace

const OpaqueClass kSemverClass = {
    .type_name = "kubernetes.Semver", .equal = equal, .print = print, .go_type = "cel.Semver"};
const Library kSemver = {
    .name = "kubernetes.Semver", .latest = 1, .functions = kRows, .doc = "semantic versions and their order"};

Value semver_value(Arena& arena, std::string_view text) { return make(arena, arena.copy(text), false); }

}  // namespace portcullis::kubernetes
