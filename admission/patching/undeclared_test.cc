// Apply configurations on objects of a definition that is newer than the one that is known.
#include "admission/patching/undeclared.h"

#include <gtest/gtest.h>

#include "admission/expressions/environment.h"
#include "admission/patching/kind.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"

namespace portcullis::patching {
namespace {

// The mutated object, or the error.
std::string configured(const KindSchema& kind, const Value& object, std::string_view text, Arena& arena) {
  EnvironmentBuilder builder(stored_environment());
  add_patch_types(builder);
  auto expression = compile(text, *builder.build());
  if (!expression.ok()) return expression.error().text;
  auto program = *make_program(*expression);
  Context context;
  Activation activation(program->paths());
  const Patched made =
      mutate_by_configuration(arena, kind, {object}, evaluate(*program, activation, context).value);
  return made.ok() ? to_json(made.object) : std::string(made.error);
}

// Fields of a newer definition merge by the form of their values, at any depth. What the definition declares keeps
// its types.
TEST(Undeclared, FieldsMergeByTheirForm) {
  Arena arena;
  Value crd = *read_json(R"({"spec":{"group":"g.io","names":{"kind":"W","plural":"ws"},"versions":[
    {"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
      "spec":{"type":"object","properties":{"a":{"type":"string"}}},
      "free":{"x-kubernetes-preserve-unknown-fields":true},"names":{"type":"object","additionalProperties":{"type":"string"}},
      "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{
        "type":"object","properties":{"k":{"type":"string"}}}}}}}}]}})",
                         arena);
  auto definition = crd::Definition::read(crd);
  const KindSchema kind = custom_kind(*definition, "v1");
  KindSchema older = kind;
  older.is_older = true;
  auto object = [&](std::string_view fields) {
    return *read_json(arena.copy(R"({"apiVersion":"g.io/v1","kind":"W",)" + std::string(fields) + "}"),
                      arena);
  };
  for (std::string_view known :
       {R"("spec":{"a":"x"},"free":{"x":[{"y":1}]},"names":{"n":"m"})", R"("l":[{"k":"x"}],"spec":null)",
        R"("metadata":{"labels":{"x":"y"}},"spec":[{"b":1}])"})
    EXPECT_TRUE(declares_all(kind, object(known))) << known;
  for (std::string_view unknown :
       {R"("b":1)", R"("spec":{"b":null})", R"("l":[{"k":"x"},{"b":1}])", R"("metadata":{"b":1})"})
    EXPECT_FALSE(declares_all(kind, object(unknown))) << unknown;
  struct Case {
    std::string_view fields, expression, answer;
  };
  constexpr std::string_view kAtomic =
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ";
  constexpr std::string_view kUnknown =
      "error applying patch: no definition that is known says how to merge it";
  const std::string in_list = std::string(kAtomic) + ".l[0].b.c", in_spec = std::string(kAtomic) + ".spec.b";
  for (const auto& [fields, expression, answer] : std::initializer_list<Case>{
           {R"("spec":{"b":{"c":1,"d":[1]}})", "Object{spec: Object.spec{a: 'x'}}",
            R"("spec":{"b":{"c":1,"d":[1]},"a":"x"})"},
           {R"("spec":{"b":{"c":1,"d":[1]}})", "Object{spec: Object.spec{b: Object.spec.b{c: 2, e: 'f'}}}",
            R"("spec":{"b":{"c":2,"d":[1],"e":"f"}})"},
           {R"("l":[{"k":"x","b":{"c":1}}])",
            "Object{l: [Object.l{k: 'x', b: Object.l.b{d: 1}}, Object.l{k: 'y', b: 1}]}",
            R"("l":[{"k":"x","b":{"c":1,"d":1}},{"k":"y","b":1}])"},
           {R"("free":{"x":[1]},"b":1)", "Object{free: Object.free{x: [2]}}", R"("free":{"x":[2]},"b":1)"},
           {R"("spec":{"b":[1]})", "Object{spec: Object.spec{b: [2]}}", in_spec},
           {R"("spec":{"b":[1]})", "Object{spec: Object.spec{b: Object.spec.b{c: 1}}}", kUnknown},
           {R"("spec":{"b":{"c":1}})", "Object{spec: Object.spec{b: 'x'}}", kUnknown},
           {R"("l":[{"k":"x","b":1},{"k":"x","b":2}])", "Object{l: [Object.l{k: 'x', c: 1}]}", kUnknown},
           {R"("spec":{"b":[1]})", "Object{spec: Object.spec{b: []}}", in_spec},
           {R"("spec":{"b":1})", "Object{spec: Object.spec{b: 2.5}}", R"("spec":{"b":2.5})"},
           {R"("l":[{"k":"a","b":1},{"k":"b"},{"k":"c"}])",
            "Object{l: [Object.l{k: 'c'}, Object.l{k: 'a', b: 2}]}",
            R"("l":[{"k":"b"},{"k":"c"},{"k":"a","b":2}])"},
           {R"("l":[{"k":"x","b":1},{"k":"x","b":2}])", "Object{spec: Object.spec{a: 'x'}}",
            R"("l":[{"k":"x","b":1},{"k":"x","b":2}],"spec":{"a":"x"})"},
           {R"("l":[{"k":"x","b":{"c":[1]}}])", "Object{l: [Object.l{k: 'x', b: Object.l.b{c: [2]}}]}",
            in_list},
           {R"("b":1)", "Object{spec: Object.spec{a: 2}}",
            "error applying patch: failed to convert patch object to typed object: .spec.a: expected string, "
            "got "
            "&value.valueUnstructured{Value:2}"}}) {
    const bool fails = answer.starts_with("error");
    EXPECT_EQ(configured(older, object(fields), expression, arena),
              fails ? std::string(answer) : to_json(object(answer)))
        << fields;
  }
}

}  // namespace
}  // namespace portcullis::patching
