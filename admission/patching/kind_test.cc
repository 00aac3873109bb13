// Mutations of objects as the API server answers them: merging, errors of typing, decoding of the result. The
// expected answers are those of the oracle.
#include "admission/patching/kind.h"

#include <gtest/gtest.h>

#include "admission/builtin/normalize.h"
#include "admission/builtin/plain.h"
#include "admission/expressions/environment.h"
#include "admission/patching/merge.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "interpreter/values/native.h"
#include "typecheck/environment.h"

namespace portcullis::patching {
namespace {

struct Mutated {
  std::string_view object, expression, answer;
};

KindSchema schema_of(const Value& object, bool typed) {
  std::string_view version = text_member(object, "apiVersion"), group;
  if (size_t slash = version.find('/'); slash != version.npos) {
    group = version.substr(0, slash);
    version.remove_prefix(slash + 1);
  }
  return builtin_kind(group, version, text_member(object, "kind"), typed);
}

// The mutated object, "unchanged", the error of the policy, or the code and message of a Status.
std::string mutated(const KindSchema& kind, const Value& object, std::string_view text, Arena& arena) {
  EnvironmentBuilder builder(stored_environment());
  add_patch_types(builder);
  builder.variable("object", types::kDyn);
  auto expression = compile(text, *builder.build());
  if (!expression.ok()) return expression.error().text;
  auto program = *make_program(*expression);
  Context context;
  Activation activation(program->paths());
  activation.set("object", builtin::plain_data(arena, object));
  Value value = evaluate(*program, activation, context).value;
  std::string before = to_json(object);
  auto made_from = [&](bool complete) {
    return text.starts_with('[') ? mutate_by_json_patch(arena, kind, {object, complete}, value)
                                 : mutate_by_configuration(arena, kind, {object, complete}, value);
  };
  Patched made = made_from(false), quick = made_from(true);
  EXPECT_EQ(to_json(made.object), to_json(quick.object)) << text;
  EXPECT_EQ(made.error, quick.error) << text;
  EXPECT_EQ(to_json(object), before) << "the input changed: " << text;
  if (made.is_status()) return std::to_string(made.code) + " " + std::string(made.error);
  if (!made.ok()) return std::string(made.error);
  const Patched written = written_back(arena, kind, made.object);
  if (!written.ok()) return "written back: " + std::string(written.error);
  std::string after = to_json(written.object);
  return after == before ? "unchanged" : after;
}

void expect_all(std::span<const Mutated> cases, bool typed) {
  for (const Mutated& c : cases) {
    Arena arena;
    Value object = *read_json(c.object, arena);
    if (typed) object = builtin::normalize(arena, object).object;
    EXPECT_EQ(mutated(schema_of(object, typed), object, c.expression, arena), c.answer) << c.expression;
  }
}

// Undecoded objects, so that only the merge changes them.
constexpr Mutated
    kMerged
        [] =
            {
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'c'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'c'}, Object.spec.template.spec.containers{name: 'b', image: 'i'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"c"},{"image":"i","name":"b"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'c', image: 'i'}, Object.spec.template.spec.containers{name: 'a', image: 'j'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"b"},{"image":"i","name":"c"},{"image":"j","name":"a"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'x'}, Object.spec.template.spec.containers{name: 'b'}, Object.spec.template.spec.containers{name: 'y'}, Object.spec.template.spec.containers{name: 'a'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"x"},{"name":"b"},{"name":"c"},{"name":"y"},{"name":"a"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"a"},{"name":"b"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', image: 'i'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"image":"i","name":"a"},{"name":"b"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"a"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'b'}, Object.spec.template.spec.containers{name: 'a', image: 'i'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"b"},{"image":"i","name":"a"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"a"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a'}, Object.spec.template.spec.containers{name: 'z'}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"z"}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: []}}}})_",
                 R"_(unchanged)_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: []}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":null}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: []}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":null}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a"}]}}}})_",
                 R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: optional.none()}}}})_",
                 R"_(unchanged)_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"p"},{"containerPort":80,"protocol":"UDP"}]}]}}}})_", R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', ports: [Object.spec.template.spec.containers.ports{containerPort: 80, name: 'q'}, Object.spec.template.spec.containers.ports{containerPort: 80, protocol: 'SCTP'}]}]}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"q"},{"containerPort":80,"protocol":"UDP"},{"containerPort":80,"protocol":"SCTP"}]}]}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1,"strategy":{"rollingUpdate":{"maxSurge":1}}}})_",
                 R"_(Object{spec: Object.spec{replicas: 2, paused: true, strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxUnavailable: '10%'}}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"paused":true,"replicas":2,"strategy":{"rollingUpdate":{"maxSurge":1,"maxUnavailable":"10%"}}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":{}}})_",
                 R"_(Object{spec: Object.spec{strategy: Object.spec.strategy{}}})_", R"_(unchanged)_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":null}})_",
                 R"_(Object{spec: Object.spec{strategy: Object.spec.strategy{}}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":{}}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":{"type":"a"}}})_",
                 R"_(Object{spec: Object.spec{strategy: optional.none()}})_", R"_(unchanged)_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":{}}})_",
                 R"_(Object{spec: Object.spec{strategy: optional.none()}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"strategy":null}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1}})_",
                 R"_(Object{spec: Object.spec{replicas: optional.none()}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":null}})_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1}})_", R"_(Object{})_",
                 R"_(unchanged)_"},
                {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
                 R"_(Object{spec: {'replicas': 3}})_",
                 R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":3}})_"},
                {R"_({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a","b","c"],"labels":{"x":"1"}}})_",
                 R"_(Object{metadata: Object.metadata{finalizers: ['d', 'c', 'a'], labels: {'y': '2', 'x': '3'}}})_",
                 R"_({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["b","d","c","a"],"labels":{"x":"3","y":"2"}}})_"},
                {R"_({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a","a","b"]}})_",
                 R"_(Object{metadata: Object.metadata{finalizers: ['a']}})_",
                 R"_({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a","b"]}})_"},
                {R"_({"apiVersion":"v1","kind":"ConfigMap"})_",
                 R"_(Object{metadata: Object.metadata{finalizers: []}, kind: 'x'})_",
                 R"_({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":null}})_"},
};
// Errors of typing, atomic parts, and objects that do not fit.
constexpr Mutated kRefused[] = {
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{spec: Object.specx{}})_",
     R"_(type mismatch: unexpected type name "Object.specx", expected "Object.spec", which matches field name path from root Object type)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{a: {1: 2}})_",
     R"_(invalid return type: *dynamic.ObjectVal)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{spec: Object.spec{nope: 1}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.nope: field not declared in schema)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{spec: 1})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec: expected map, got &{1})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{spec: [1]})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec: expected map, got &{[1]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{spec: null})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec: expected map, got &{NULL_VALUE})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: {'template': {'spec': 1}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.template: expected map, got &{map[spec:1]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{replicas: 'x'}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got string)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{replicas: 3u}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got uint64)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{replicas: null}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got structpb.NullValue)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{replicas: {'a': 1}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got map[string]interface {})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{replicas: timestamp('2020-01-01T00:00:00Z')}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got time.Time)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{paused: 1}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.paused: expected boolean, got &{1})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{paused: ['a', 'b']}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.paused: expected boolean, got &{[a b]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: 1}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:1})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: 3u}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:0x3})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: 1.5}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:1.5})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: 1e6}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:1e+06})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: true}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:true})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: null}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:0})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: b'ab'}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:[]uint8{0x61, 0x62}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: duration('1s')}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:1000000000})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: ['a', 'b']}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", "b"}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: []}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}(nil)})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: [[1]]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}{[]ref.Val{1}}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: {'b': 1, 'a': 2}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":2, "b":1}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: Object.metadata.name{x: 'y'}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"x":"y"}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: {'a': {'b': 'c'}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":map[ref.Val]ref.Val{"b":"c"}}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{name: [optional.none()]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.name: expected string, got &value.valueUnstructured{Value:[]interface {}{interface {}(nil)}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: [1]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{[1]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: timestamp('2020-01-01T00:00:00Z')}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{2020-01-01 00:00:00 +0000 UTC})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: duration('90s')}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{1m30s})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: b'a'}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{[97]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_", R"_(Object{metadata: Object.metadata{creationTimestamp: [null]}})_", R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{[NULL_VALUE]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: null}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{NULL_VALUE})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: [optional.none()]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.creationTimestamp: expected any scalar, got &{[<nil>]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxSurge: [1]}}}})_",
     R"_(error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.strategy.rollingUpdate.maxSurge)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxSurge: [[1]]}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.strategy.rollingUpdate.maxSurge[0]: expected map, got &{[1]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: 'a'}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.finalizers: expected list, got &{a})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: ['a', 'b', 'a', 'b']}})_",
     R"_(error applying patch: failed to convert patch object to typed object: errors:
  .metadata.finalizers: duplicate entries for key [="a"]
  .metadata.finalizers: duplicate entries for key [="b"])_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: [1, 2, 1]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: errors:
  .metadata.finalizers[=1]: expected string, got &value.valueUnstructured{Value:1}
  .metadata.finalizers[=2]: expected string, got &value.valueUnstructured{Value:2}
  .metadata.finalizers: duplicate entries for key [=1]
  .metadata.finalizers[=1]: expected string, got &value.valueUnstructured{Value:1})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: [Object.metadata.finalizers{}]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.finalizers: element 0: associative list without keys has an element that's a map type)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: [[1] + [2]]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.finalizers: element 0: not supported: associative list with lists as elements)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: [optional.none()]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.finalizers: element 0: associative list without keys has an element that's an explicit null)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: [null]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.finalizers[={{undefined}}]: expected string, got &value.valueUnstructured{Value:0})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{finalizers: [{'a': 1}]}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.finalizers[={{undefined}}]: expected string, got &value.valueUnstructured{Value:map[ref.Val]ref.Val{"a":1}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{labels: {'a': {'b': 'c'}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.labels.a: expected string, got &value.valueUnstructured{Value:map[ref.Val]ref.Val{"b":"c"}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{labels: {'a': {'b': null}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.labels.a: expected string, got &value.valueUnstructured{Value:map[ref.Val]ref.Val{"b":0}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: {'labels': {'a': 'b'}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .metadata.labels: expected map, got &{map[a:b]})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [1]}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.template.spec.containers: element 0: associative list with keys may not have non-map elements)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [optional.none()]}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.template.spec.containers: element 0: associative list with keys may not have a null element)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a'}, Object.spec.template.spec.containers{name: 'b'}, Object.spec.template.spec.containers{name: 'a'}]}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.template.spec.containers: duplicate entries for key [name="a"])_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', image: 1}]}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.template.spec.containers[name="a"].image: expected string, got &value.valueUnstructured{Value:1})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', ports: [Object.spec.template.spec.containers.ports{name: 'q'}]}]}}}})_", R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{"name":"q"}]}]}}}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', ports: [Object.spec.template.spec.containers.ports{protocol: 'q'},Object.spec.template.spec.containers.ports{protocol: 'q'}]}]}}}})_",
     R"_(error applying patch: failed to convert patch object to typed object: .spec.template.spec.containers[name="a"].ports: duplicate entries for key [containerPort=0,protocol="q"])_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'a': 'b'}}}})_",
     R"_(error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', args: ['x'], command: []}]}}}})_",
     R"_(error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args, .spec.template.spec.containers[0].command)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'a'}]}})_",
     R"_(error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.ownerReferences[0])_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{metadata: Object.metadata{managedFields: []}})_",
     R"_(error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.managedFields)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{topologySpreadConstraints: [Object.spec.template.spec.topologySpreadConstraints{maxSkew: 1}]}}}})_",
     R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"topologySpreadConstraints":[{"maxSkew":1}]}}}})_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[1]}}}})_",
     R"_(Object{})_",
     R"_(error applying patch: failed to convert original object to typed object: .spec.template.spec.containers: element 0: associative list with keys may not have non-map elements)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":"x","foo":1}})_", R"_(Object{})_",
     R"_(error applying patch: failed to convert original object to typed object: errors:
  .spec.replicas: expected numeric (int or float), got string
  .spec.foo: field not declared in schema)_"},
    {R"_({"apiVersion":"v1","kind":"Foo"})_", R"_(Object{})_",
     R"_(error applying patch: failed to convert patch object to typed object: no corresponding type for /v1, Kind=Foo)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[{"name":"a","args":"x"}]}}}})_",
     R"_(Object{})_",
     R"_(error applying patch: failed to convert original object to typed object: .spec.template.spec.containers[name="a"].args: expected list, got &{x})_"},
};
// Decoded and defaulted objects.
constexpr Mutated kTyped[] = {
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{metadata: Object.metadata{labels: {'a': 'b'}}, secrets: [Object.secrets{name: 's'}], automountServiceAccountToken: true})_",
     R"_(error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .secrets[0])_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{metadata: Object.metadata{generation: 1.5}})_",
     R"_(unable to convert unstructured object to /v1, Kind=ServiceAccount: cannot convert float64 to int64)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{metadata: Object.metadata{generation: 2.0}})_",
     R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"generation":2,"name":"x"}})_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: 'x'}})_",
     R"_(unable to convert unstructured object to /v1, Kind=ServiceAccount: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: 1}})_",
     R"_(unable to convert unstructured object to /v1, Kind=ServiceAccount: json: cannot unmarshal number into Go value of type string)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{metadata: Object.metadata{creationTimestamp: '2020-01-01T00:00:00Z'}})_",
     R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"creationTimestamp":"2020-01-01T00:00:00Z","name":"x"}})_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_(Object{kind: 'x', apiVersion: 1})_", R"_(unchanged)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/secrets', value: [{'name': 's'}]}])_",
     R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"},"secrets":[{"name":"s"}]})_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/zz', value: 1}, JSONPatch{op: 'add', path: '/metadata/yy', value: 1}, JSONPatch{op: 'add', path: '/aa', value: {'b': 1}}])_",
     R"_(500 Internal error occurred: strict decoding error: unknown field "aa", unknown field "metadata.yy", unknown field "zz")_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/secrets', value: 1}])_",
     R"_(500 Internal error occurred: json: cannot unmarshal number into Go struct field ServiceAccount.secrets of type []v1.ObjectReference)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'remove', path: '/kind'}, JSONPatch{op: 'add', path: '/metadata/generation', value: 3.0}])_",
     R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"generation":3,"name":"x"}})_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/kind', value: 'Foo'}])_",
     R"_(500 Internal error occurred: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111")_"},
    // Another kind of the same version is refused in the end; of another version or group, it is an error of the
    // policy.
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}])_",
     R"_(written back: converting (v1.Secret) to (core.ServiceAccount): unknown conversion)_"},
    {R"_({"apiVersion":"v1","kind":"ConfigMap","data":{"a":"b"}})_",
     R"_([JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}])_",
     R"_(500 Internal error occurred: illegal base64 data at input byte 0)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/kind', value: 'Deployment'}, JSONPatch{op: 'replace', path: '/apiVersion', value: 'apps/v1'}])_",
     R"_(v1.Deployment is not suitable for converting to "v1" in scheme "pkg/runtime/scheme.go:111")_"},
    {R"_({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/apiVersion', value: 'coordination.k8s.io/v1beta1'}])_",
     R"_(converting (v1beta1.Lease) to (v1.Lease): unknown conversion)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/apiVersion', value: 'apps/v1beta1'}, JSONPatch{op: 'replace', path: '/kind', value: 'Scale'}, JSONPatch{op: 'remove', path: '/spec'}])_",
     R"_(no kind "Scale" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111")_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/apiVersion', value: 'a/b/c'}])_",
     R"_(500 Internal error occurred: unexpected GroupVersion string: a/b/c)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '/kind', value: 1}])_",
     R"_(500 Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string)_"},
    // encoding/json reads the two members in any case, in the order of the text, before the type is known.
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/apiversion', value: []}, JSONPatch{op: 'add', path: '/Kind', value: 5}])_",
     R"_(500 Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/apiVer\u017fion', value: 'v2'}])_",
     R"_(500 Internal error occurred: no kind "ServiceAccount" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111")_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/KIND', value: 'Secret'}])_",
     R"_(500 Internal error occurred: strict decoding error: unknown field "KIND")_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '', value: []}])_",
     R"_(500 Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'replace', path: '', value: null}])_",
     R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{}})_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'test', path: '/kind', value: 'x'}])_", R"_(unchanged)_"},
    {R"_({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"x"}})_",
     R"_([JSONPatch{op: 'add', path: '/metadata/creationTimestamp', value: 'x'}])_",
     R"_(500 Internal error occurred: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{}})_",
     R"_(Object{spec: Object.spec{replicas: 3.5}})_",
     R"_(unable to convert unstructured object to apps/v1, Kind=Deployment: cannot convert float64 to int32)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{}})_",
     R"_(Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxSurge: 1.5}}}})_",
     R"_(unable to convert unstructured object to apps/v1, Kind=Deployment: json: cannot unmarshal number 1.5 into Go value of type int32)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{}})_",
     R"_(Object{spec: Object.spec{strategy: Object.spec.strategy{rollingUpdate: Object.spec.strategy.rollingUpdate{maxSurge: true}}}})_",
     R"_(unable to convert unstructured object to apps/v1, Kind=Deployment: json: cannot unmarshal bool into Go value of type int32)_"},
    {R"_({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{}})_",
     R"_(Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: 'a', resources: Object.spec.template.spec.containers.resources{limits: {'cpu': 'x'}}}]}}}})_",
     R"_(unable to convert unstructured object to apps/v1, Kind=Deployment: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$')_"},
    {R"_({"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}})_", R"_(Object{data: {'a': '!!'}})_",
     R"_(unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0)_"},
    {R"_({"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}})_", R"_(Object{data: {'a': 'YQ=='}})_",
     R"_({"apiVersion":"v1","data":{"a":"YQ=="},"kind":"Secret","metadata":{"name":"x"},"type":"Opaque"})_"},
    {R"_({"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}})_",
     R"_(Object{stringData: {'a': 'b'}})_",
     R"_({"apiVersion":"v1","data":{"a":"Yg=="},"kind":"Secret","metadata":{"name":"x"},"type":"Opaque"})_"},
};

TEST(Kind, Merging) { expect_all(kMerged, false); }
TEST(Kind, Typing) { expect_all(kRefused, false); }
TEST(Kind, Decoding) { expect_all(kTyped, true); }

TEST(Kind, NobodyKnows) {
  Arena arena;
  Value object = *read_json(R"({"apiVersion":"example.com/v1","kind":"Widget"})", arena);
  EXPECT_EQ(mutated(schema_of(object, false), object, "Object{}", arena),
            "503 Resource kind example.com/v1, Kind=Widget not found. There can be a delay between when "
            "CustomResourceDefinitions are created and when they are available.");
  EXPECT_EQ(mutated(schema_of(object, false), object, "[JSONPatch{}]", arena).substr(0, 4), "503 ");
}

// Custom resources get the defaults of their definition, even from a patch whose test fails, and stay plain
// data to expressions.
TEST(Kind, CustomResources) {
  Arena arena;
  Value crd =
      *read_json(R"({"spec":{"group":"example.com","names":{"kind":"Widget","plural":"widgets"},"versions":[
    {"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",
      "properties":{"a":{"type":"string","default":"d"},"free":{"x-kubernetes-preserve-unknown-fields":true},
      "l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","j"],"items":{
        "type":"object","properties":{"k":{"type":"string"},"j":{"type":"string"},"v":{"type":"integer"}}}}}}}}}},
    {"name":"v2","served":false}]}})",
                 arena);
  auto definition = crd::Definition::read(crd);
  KindSchema kind = custom_kind(*definition, "v1");
  Value object =
      *read_json(R"({"apiVersion":"example.com/v1","kind":"Widget","spec":{"l":[{"k":"x","v":1}]}})", arena);
  constexpr std::string_view kDefaulted =
      R"({"apiVersion":"example.com/v1","kind":"Widget","spec":{"a":"d","l":[{"k":"x","v":1}]}})";
  EXPECT_EQ(mutated(kind, object, "Object{}", arena), kDefaulted);
  EXPECT_EQ(mutated(kind, object, "[JSONPatch{op: 'test', path: '/kind', value: ''}]", arena), kDefaulted);
  EXPECT_EQ(mutated(kind, object, "[JSONPatch{op: 'remove', path: '/apiVersion'}]", arena),
            "written back: /, Kind=Widget is unstructured and is not suitable for converting to "
            "\"example.com/v1\"");
  EXPECT_EQ(mutated(kind, object, "[JSONPatch{op: 'add', path: '/Kind', value: 5}]", arena),
            "500 Internal error occurred: couldn't get version/kind; json parse error: json: cannot "
            "unmarshal number "
            "into Go struct field .kind of type string");
  // The kind itself has the exact name.
  EXPECT_EQ(
      mutated(
          kind, object,
          "[JSONPatch{op: 'remove', path: '/kind'}, JSONPatch{op: 'add', path: '/KIND', value: 'Widget'}]",
          arena),
      "500 Internal error occurred: Object 'Kind' is missing in '{\"KIND\":\"Widget\",\"apiVersion\":"
      "\"example.com/v1\",\"spec\":{\"l\":[{\"k\":\"x\",\"v\":1}]}}'");
  EXPECT_EQ(mutated(kind, object, "Object{spec: Object.spec{l: [Object.spec.l{k: 'x', v: 2}]}}", arena),
            R"({"apiVersion":"example.com/v1","kind":"Widget","spec":{"a":"d","l":[{"k":"x","v":2}]}})");
  EXPECT_EQ(
      mutated(kind, object, "Object{spec: Object.spec{l: [Object.spec.l{v: 2}]}}", arena),
      "error applying patch: failed to convert patch object to typed object: .spec.l: element 0: associative "
      "list with keys has an element that omits all key fields [\"k\" \"j\"] (and doesn't have default "
      "values for "
      "any key fields)");
  EXPECT_EQ(
      mutated(kind, object, "Object{spec: Object.spec{free: {'a': {'b': 1}}}}", arena),
      "error applying patch: failed to convert patch object to typed object: .spec.free.a: expected map, got "
      "&{map[b:1]}");
  Value made = mutate_by_json_patch(arena, kind, {object}, Value::list(nullptr, 0)).object;
  EXPECT_EQ(mutated(kind, made, "[JSONPatch{op: 'add', path: '/x', value: Object{a: [object.spec]}}]", arena),
            R"({"apiVersion":"example.com/v1","kind":"Widget","spec":{"a":"d","l":[{"k":"x","v":1}]},)"
            R"("x":{"a":[{"a":"d","l":[{"k":"x","v":1}]}]}})");
  EXPECT_EQ(custom_kind(*definition, "v2").handling, Handling::Unknown);
}

// Errors of decoding have the order in which upstream writes the patched object.
TEST(Kind, OrderOfErrors) {
  Arena arena;
  Value object = builtin::normalize(arena, *read_json(R"({"apiVersion":"v1","kind":"Pod"})", arena)).object;
  EXPECT_EQ(mutated(schema_of(object, true), object,
                    "[JSONPatch{op: 'add', path: '/status', value: {'z': {'y': 1}, 'b': {'x': 1}}}, "
                    "JSONPatch{op: 'add', path: '/spec/q', value: 1}]",
                    arena),
            "500 Internal error occurred: strict decoding error: unknown field \"spec.q\", unknown field "
            "\"status.b\", unknown field \"status.z\"");
}

// Tens of thousands of items are matched by sorting, not pairwise.
TEST(Kind, LargeSets) {
  std::string json = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["f0")";
  for (int i = 1; i < 20'000; ++i) json += ",\"f" + std::to_string(i) + "\"";
  Arena arena;
  Value object = *read_json(json + "]}}", arena);
  std::string made =
      mutated(schema_of(object, false), object,
              "Object{metadata: Object.metadata{finalizers: object.metadata.finalizers + ['x']}}", arena);
  EXPECT_TRUE(made.ends_with(R"("f19999","x"]}})")) << made.substr(made.size() - 100);
}

// A trace records the first steps and counts the others.
TEST(Kind, TracesAreBounded) {
  Arena arena;
  Value object =
      *read_json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["f1"]}})", arena);
  size_t items = kMostMergeSteps + 50;
  auto* list = arena.array<Value>(items);
  for (size_t i = 0; i < items; ++i) new (&list[i]) Value(Value::string(arena.copy("f" + std::to_string(i))));
  MapEntry* metadata = alloc_entries(arena, 1);
  new (metadata) MapEntry{Value::string("finalizers"), Value::list(list, items, kNativeList)};
  MapEntry* root = alloc_entries(arena, 1);
  new (root) MapEntry{Value::string("metadata"), make_native_map(metadata, 1)};
  MergeTrace trace(arena);
  const ownership::MergeType& type = *schema_of(object, false).type;
  Value merged = *merge(arena, object, make_native_map(root, 1), type, &trace);
  EXPECT_EQ(trace.steps().size(), kMostMergeSteps);
  EXPECT_EQ(trace.untold(), 50u);
  EXPECT_EQ(trace.steps()[0].kind, MergeStep::Kind::New);
  EXPECT_EQ(trace.steps()[0].path, R"(metadata.finalizers[="f0"])");
  EXPECT_EQ(trace.steps()[1].kind, MergeStep::Kind::Meets);
  EXPECT_EQ(to_json(merged), to_json(*merge(arena, object, make_native_map(root, 1), type)));
}

// A value that shares parts repeatedly would be endless; a deep one is an error, as upstream.
TEST(Kind, ValuesWithoutEnd) {
  Arena arena;
  Value object = *read_json(R"({"apiVersion":"v1","kind":"ConfigMap"})", arena);
  std::string doubled = "[1]";
  for (int i = 0; i < 40; ++i) doubled = "[" + doubled + "].map(x, [x, x])";
  std::string_view kBounds = "mutation exceeds its bounds of memory or steps";
  KindSchema kind = schema_of(object, false);
  EXPECT_EQ(mutated(kind, object, "[JSONPatch{op: 'add', path: '/x', value: " + doubled + "}]", arena),
            kBounds);
  EXPECT_EQ(mutated(kind, object, "Object{data: Object.data{x: " + doubled + "}}", arena), kBounds);
}

}  // namespace
}  // namespace portcullis::patching
