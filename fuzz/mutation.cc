// {"object": ..., "patch": [operations], "configuration": {...}} -> the object as a JSONPatch and an ApplyConfiguration
// leave it, as it stands and as a built-in kind: there is an object or an error, what goes in stays as it is, both
// orders of members give the same data, and the differences that are told make the one object of the other. A built-in
// object is also deleted, and updated to itself, which leaves what is sent and what is stored as they are.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "admission/builtin/normalize.h"
#include "admission/builtin/plain.h"
#include "admission/expressions/environment.h"
#include "admission/objects/difference.h"
#include "admission/patching/json_patch.h"
#include "admission/patching/kind.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"
#include "typecheck/environment.h"

using namespace portcullis;
using namespace portcullis::patching;

namespace {

constexpr std::string_view kOperations =
    "x.map(o, JSONPatch{op: string(o.?op.orValue('')), path: string(o.?path.orValue('')), "
    "from: string(o.?from.orValue('')), ?value: o.?value})";

// What makes values of mutations of JSON.
class Maker {
 public:
  explicit Maker(std::string_view text) {
    EnvironmentBuilder builder(stored_environment());
    add_patch_types(builder);
    builder.variable("x", types::kDyn);
    auto expression = compile(text, *builder.build());
    if (!expression.ok()) abort();
    program_ = *make_program(*expression);
  }
  // Lives until the next one.
  Value make(const Value& x) {
    Activation activation(program_->paths());
    activation.set("x", x);
    return evaluate(*program_, activation, context_).value;
  }

 private:
  std::shared_ptr<const Program> program_;
  Context context_;
};

void must(bool holds) {
  if (!holds) abort();
}

// Does an expression carry it as it is? Integers that a double cannot hold become texts, as in Kubernetes; -0 that is
// written is the integer 0.
bool carries(const Value& v) {
  if (v.is(Kind::List)) return std::ranges::all_of(v.as_list(), carries);
  if (v.is(Kind::Map)) return std::ranges::all_of(v.as_map(), carries, &MapEntry::value);
  if (!v.is(Kind::Int) && !v.is(Kind::Double)) return true;
  double d = v.is(Kind::Int) ? static_cast<double>(v.as_int()) : v.as_double();
  bool negative_zero = d == 0 && std::signbit(d);
  return !negative_zero && (std::abs(d) < 0x1p53 || std::abs(d) >= 1e21);
}
// Go's patches cannot say every path.
bool is_plain(const Difference& d) {
  return std::ranges::all_of(d.pointer, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// `after` is what the differences make of `before`.
void check_differences(Arena& arena, Maker& operations, const Value& before, const Value& after) {
  if (!before.is(Kind::Map) || !after.is(Kind::Map) || !carries(after)) return;
  std::vector<Difference> found = differences(before, after);
  if (!std::ranges::all_of(found, is_plain)) return;
  auto patch = read_json(json_patch_text(found), arena);
  must(patch.ok());
  Value list = operations.make(*patch);
  must(list.is(Kind::List));
  Patched again = apply_json_patch(arena, before, list);
  must(again.ok() && !again.skipped && same_data(again.object, after));
}

void check_same(const Patched& a, const Patched& b) {
  must(a.ok() == b.ok() && a.error == b.error && (!a.ok() || same_data(a.object, b.object)));
}
void check(const Patched& made) { must(made.ok() != made.object.is_null() || made.skipped); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Maker patches(kOperations), told(kOperations);
  static Maker configurations(
      "Object{?metadata: x.?metadata, ?spec: x.?spec, ?data: x.?data, ?roleRef: x.?roleRef, ?rules: "
      "x.?rules}");
  static Arena arena;
  arena.reset();
  auto input = read_json(std::string_view(reinterpret_cast<const char*>(data), size), arena);
  if (!input.ok()) return 0;
  const Value* object = find_member(*input, "object");
  if (object == nullptr || !object->is(Kind::Map)) return 0;
  const std::string before = to_json(*object);

  if (builtin::is_builtin(*object)) {
    const builtin::DecodeOptions options{.phase = builtin::Phase::Validating};
    const builtin::Normalized stored = builtin::stored_object(arena, *object, options);
    must(stored.error.empty() != stored.object.is_null());
    const builtin::NormalizedUpdate updated = builtin::normalize_update(arena, *object, *object, options);
    must(updated.stored.error == stored.error);
    must(to_json(*object) == before);
  }
  if (const Value* patch = find_member(*input, "patch", Kind::List)) {
    Value list = patches.make(*patch);
    if (list.is(Kind::List)) {
      Patched kept = apply_json_patch(arena, *object, list);
      Patched written = apply_json_patch(arena, *object, list, MemberOrder::Written);
      must(kept.ok() == written.ok() && kept.error == written.error && kept.skipped == written.skipped);
      must(!kept.ok() || same_data(kept.object, written.object));
      must(to_json(*object) == before);
      if (kept.ok()) check_differences(arena, told, *object, kept.object);
    }
  }
  for (std::string_view kind : {"Pod", "ConfigMap", "ClusterRole"}) {
    bool role = kind == "ClusterRole";
    KindSchema schema = builtin_kind(role ? "rbac.authorization.k8s.io" : "", "v1", kind, true);
    std::string_view version = role ? "rbac.authorization.k8s.io/v1" : "v1";
    if (text_member(*object, "apiVersion") != version || text_member(*object, "kind") != kind) continue;
    Value typed = builtin::normalize(arena, *object).object;
    if (!typed.is(Kind::Map)) continue;  // it does not decode
    const std::string as_it_was = to_json(typed);
    if (const Value* patch = find_member(*input, "patch", Kind::List)) {
      Value list = patches.make(*patch);
      if (list.is(Kind::List)) {
        Patched whole = mutate_by_json_patch(arena, schema, {typed}, list);
        check(whole);
        check_same(whole, mutate_by_json_patch(arena, schema, {typed, true}, list));
      }
    }
    if (const Value* x = find_member(*input, "configuration", Kind::Map)) {
      Value literal = configurations.make(*x);
      if (!literal.is_error()) {
        MergeTrace trace(arena);
        Patched made = mutate_by_configuration(arena, schema, {typed, true}, literal);
        check_same(mutate_by_configuration(arena, schema, {typed}, literal, &trace), made);
        if (made.ok())
          check_differences(arena, told, builtin::plain_data(arena, typed),
                            builtin::plain_data(arena, made.object));
      }
    }
    must(to_json(typed) == as_it_was);
  }
  return 0;
}
