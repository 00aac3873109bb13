// JSON patches: every operation, its errors, the kinds of values. The expected answers are those of the
// oracle.
#include "admission/patching/json_patch.h"

#include <gtest/gtest.h>

#include "admission/expressions/environment.h"
#include "admission/patching/json_value.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"
#include "tests/stack.h"

namespace portcullis::patching {
namespace {

constexpr std::string_view kObject =
    R"({"data":{"a":"1","n":null},"e":{},"f":1.0,"big":1e21,"l":[1,2,null],"m":{"k":{"x":[true]}}})";

struct Evaluated {
  std::shared_ptr<const Program> program;
  Context context;
  Value value;
};

// The value of an expression, with `object` as a variable.
Value evaluated(std::string_view text, const Value& object, Evaluated& out) {
  EnvironmentBuilder builder(stored_environment());
  add_patch_types(builder);
  builder.variable("object", types::kDyn);
  auto expression = compile(text, *builder.build());
  if (!expression.ok()) return ADD_FAILURE() << expression.error().text, Value::null();
  out.program = *make_program(*expression);
  Activation activation(out.program->paths());
  activation.set("object", object);
  return out.value = evaluate(*out.program, activation, out.context).value;
}

// The patched object as JSON, "skipped", or the error.
std::string patched(std::string_view operations, std::string_view object = kObject) {
  Arena arena;
  Value current = *read_json(object, arena);
  std::string before = to_json(current);
  Evaluated evaluation;
  Value value = evaluated(operations, current, evaluation);
  Patched made = apply_json_patch(arena, current, value);
  EXPECT_EQ(to_json(current), before) << "the input changed: " << operations;
  if (!made.ok()) return std::string(made.error);
  return made.skipped ? "skipped" : to_json(read_back(arena, made.object));
}

// The result of adding the value `v` at /x of an empty object.
std::string added(std::string_view v) {
  std::string answer = patched("[JSONPatch{op:'add',path:'/x',value:" + std::string(v) + "}]", "{}");
  constexpr std::string_view kError =
      "JSONPath valueExpression evaluated to a type that could not marshal to JSON: ";
  if (answer.starts_with(kError)) return answer.substr(kError.size());
  return answer.starts_with("{\"x\":") ? answer.substr(5, answer.size() - 6) : answer;
}

struct Case {
  std::string_view text, answer;
};

TEST(JsonPatch, ValuesOfEveryKind) {
  constexpr Case kCases[] = {
      {"9007199254740991", "9007199254740991"},
      {"9007199254740992", R"("9007199254740992")"},
      {"-9007199254740992", R"("-9007199254740992")"},
      {"9007199254740992u", R"("9007199254740992")"},
      {"3.0", "3"},
      {"1.5e300", "1.5e+300"},
      {"1e20", "100000000000000000000"},
      {"1e18", "1000000000000000000"},
      {"-0.0", "0"},
      {"b'ab'", R"("YWI=")"},
      {"timestamp('2020-01-01T00:00:00.5Z')", R"("2020-01-01T00:00:00.5Z")"},
      {"duration('90s')", R"("90s")"},
      {"duration('1ns')", R"("0.000000001s")"},
      {"optional.of(1)", "1"},
      {"{'a': null}", R"({"a":null})"},
      {"null", "null"},
      {"object", "{}"},
      {"[object]", "[{}]"},
      {"[Object.spec{a: Object.spec.b{}}]", R"([{"a":{}}])"},
      {"{'k': Object.spec{a: 1}}", R"({"k":{"a":1}})"},
      {"Object{a: 9007199254740993}", R"({"a":9007199254740992})"},
      {"Object{a: 4611686018427387905}", R"({"a":4611686018427388000})"},
      {"Object{a: b'a', b: optional.of(1), c: type(1), d: 1u}", R"({"a":"YQ==","b":1,"c":"int","d":1})"},
      {"Object{a: optional.none()}", R"({"a":null})"},
      {"Object{a: [[1] + [2]]}", R"({"a":[[1,2]]})"},
  };
  for (const Case& c : kCases) EXPECT_EQ(added(c.text), c.answer) << c.text;
}

TEST(JsonPatch, ValuesThatAreNoJson) {
  constexpr Case kCases[] = {
      {"double('NaN')",
       "json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: "
       "invalid NaN value"},
      {"[double('-Infinity')]",
       "json: error calling MarshalJSON for type *structpb.Value: proto: google.protobuf.Value.number_value: "
       "invalid -Inf value"},
      {"type(1)", "type conversion not supported for 'type'"},
      {"quantity('1')", "type conversion error from 'Quantity' to '*structpb.Value'"},
      {"[ip('1.2.3.4')]", "type conversion error from 'IP' to '*structpb.Value'"},
      {"cidr('1.2.3.0/24')", "type conversion error from 'CIDR' to '*structpb.Value'"},
      {"url('http://a/b')", "type conversion error from 'URL' to '*structpb.Value'"},
      {"semver('1.2.3')", "type conversion error from 'Semver' to '*structpb.Value'"},
      {"format.named('dns1123Label')", "type conversion error from 'Format' to '*structpb.Value'"},
      {"optional.none()", "optional.none() dereference"},
      {"{1: 2}", "unsupported type conversion from 'int' to string"},
      {"{1u: 2}", "unsupported type conversion from 'uint' to string"},
      {"{true: 2}", "type conversion error from bool to 'string'"},
      {"JSONPatch{}", "cannot convert to native type: *structpb.Value"},
      {"Object{a: null}", "proto: invalid type: structpb.NullValue"},
      {"Object{a: [[1]]}", "proto: invalid type: []ref.Val"},
      {"Object{a: {'b': {'c': 1}}}", "proto: invalid type: map[ref.Val]ref.Val"},
      {"Object{a: timestamp('2020-01-01T00:00:00Z')}", "proto: invalid type: time.Time"},
      {"Object{a: duration('1s')}", "proto: invalid type: time.Duration"},
      {"Object{a: quantity('1')}", "proto: invalid type: *resource.Quantity"},
      {"Object{a: [ip('1.2.3.4')]}", "proto: invalid type: netip.Addr"},
      {"Object{a: [Object.a{x: {1: 2}}]}", "proto: invalid type: *types.Err"},
      {"Object{a: {1: 2}}", R"(fail to convert field "a": map key '\x01' is of type types.Int, not string)"},
      {"Object.spec{a: Object.spec.b{}}",
       R"(type mismatch: unexpected type name "Object.spec.b", expected "Object.spec.a", which matches field )"
       "name path from root Object type"},
  };
  for (const Case& c : kCases) EXPECT_EQ(added(c.text), c.answer) << c.text;
}

// One operation each, written without `[JSONPatch{` and `}]`; the answer is the object or the error.
TEST(JsonPatch, ErrorsOfOperations) {
  constexpr Case kCases[] = {
      {"op:'add',path:'',value:{}", "add operation does not apply: doc is missing path: \"\": missing value"},
      {"op:'add',path:'x',value:1",
       "add operation does not apply: doc is missing path: \"x\": missing value"},
      {"op:'add',path:'//a',value:1",
       "add operation does not apply: doc is missing path: \"//a\": missing value"},
      {"op:'add',path:'/data/a/b',value:1",
       "add operation does not apply: doc is missing path: \"/data/a/b\": missing value"},
      {"op:'add',path:'/l/-5',value:9",
       "error in add for path: '/l/-5': Unable to access invalid index: -5: invalid index referenced"},
      {"op:'add',path:'/l/4',value:9",
       "error in add for path: '/l/4': Unable to access invalid index: 4: invalid index referenced"},
      {"op:'add',path:'/l/1_0',value:9",
       "error in add for path: '/l/1_0': value was not a proper array index: '1_0': strconv.Atoi: parsing "
       "\"1_0\": invalid syntax"},
      {"op:'add',path:'/l/',value:9",
       "error in add for path: '/l/': value was not a proper array index: '': strconv.Atoi: parsing \"\": "
       "invalid syntax"},
      {"op:'add',path:'/l/99999999999999999999',value:9",
       "error in add for path: '/l/99999999999999999999': value was not a proper array index: "
       "'99999999999999999999': strconv.Atoi: parsing \"99999999999999999999\": value out of range"},
      {"op:'replace',path:'/l/-',value:1",
       "replace operation does not apply: doc is missing key: /l/-: missing value"},
      {"op:'replace',path:'/l/3',value:9",
       "replace operation does not apply: doc is missing key: /l/3: missing value"},
      {"op:'replace',path:'/q/r',value:9",
       "replace operation does not apply: doc is missing path: /q/r: missing value"},
      {"op:'replace',path:'',value:1", "replace operation value must be object or array: %!w(<nil>)"},
      {"op:'remove',path:''", "remove operation does not apply: doc is missing path: \"\": missing value"},
      {"op:'remove',path:'/l/-'",
       "error in remove for path: '/l/-': strconv.Atoi: parsing \"-\": invalid syntax"},
      {"op:'remove',path:'/l/-4'",
       "error in remove for path: '/l/-4': Unable to access invalid index: -4: invalid index referenced"},
      {"op:'remove',path:'/data/q'",
       "error in remove for path: '/data/q': Unable to remove nonexistent key: q: missing value"},
      {"op:'remove',path:'/data/q/r'",
       "remove operation does not apply: doc is missing path: \"/data/q/r\": missing value"},
      {"op:'remove',path:'/a~1b~0c'",
       "error in remove for path: '/a~1b~0c': Unable to remove nonexistent key: a/b~c: missing value"},
      {"op:'move',path:'/x'",
       "move operation failed to decode from: operation, missing from field: missing value"},
      {"op:'move',from:'/data',path:''",
       "move operation does not apply: doc is missing destination path: : missing value"},
      {"op:'move',from:'/data',path:'/data/x'",
       "move operation does not apply: doc is missing destination path: /data/x: missing value"},
      {"op:'move',from:'/q',path:'/x'",
       "error in move for path: 'q': Unable to remove nonexistent key: q: missing value"},
      {"op:'move',from:'/q/r',path:'/x'",
       "move operation does not apply: doc is missing from path: /q/r: missing value"},
      {"op:'move',from:'/l/0',path:'/l/9'",
       "error in move for path: '/l/9': Unable to access invalid index: 9: invalid index referenced"},
      {"op:'move',from:'/l/9',path:'/l/9'",
       "error in move for path: '9': Unable to access invalid index: 9: invalid index referenced"},
      {"op:'copy',from:'',path:'/x'",
       "copy operation failed to decode from: operation, missing from field: missing value"},
      {"op:'copy',from:'/q/r',path:'/x'",
       "copy operation does not apply: doc is missing from path: /q/r: missing value"},
      {"op:'copy',from:'/l/9',path:'/l/9'",
       "error in copy for from: '/l/9': Unable to access invalid index: 9: invalid index referenced"},
      {"op:'copy',from:'/l/0',path:'/l/9'",
       "error while adding value during copy: Unable to access invalid index: 9: invalid index referenced"},
      {"op:'copy',from:'/data',path:'/r/q'",
       "copy operation does not apply: doc is missing destination path: /r/q: missing value"},
      {"op:'test',path:'/data/zz/y'",
       "test operation does not apply: is missing path: /data/zz/y: missing value"},
      {"op:'test',path:'/l/3'",
       "error in test for path: '/l/3': Unable to access invalid index: 3: invalid index referenced"},
      {"op:'test',path:'/l/x'",
       "error in test for path: '/l/x': strconv.Atoi: parsing \"x\": invalid syntax"},
      {"path:'/x'", "Unexpected kind: "},
      {"op:'nope',path:'/x'", "Unexpected kind: nope"},
      {"op:'a\\u0001',path:'/x'", "Unexpected kind: unknown"},
      {"op:'add',path:'/\\u0001',value:1", "add operation failed to decode path: missing value"},
      {"op:'replace',path:'/\\u007f',value:1",
       "replace operation failed to decode path: invalid character 'x' in string escape code"},
      {"op:'replace',path:'/\\U000E0001',value:1",
       "replace operation failed to decode path: invalid character 'U' in string escape code"},
      {"op:'move',from:'/\\v',path:'/x'",
       "move operation failed to decode from: invalid character 'v' in string escape code"},
      {"op:'copy',from:'/data',path:'/\\v'", "copy operation failed to decode path: missing value"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(patched("[JSONPatch{" + std::string(c.text) + "}]"), "JSON Patch: " + std::string(c.answer))
        << c.text;
  }
}

TEST(JsonPatch, WhatOperationsDo) {
  constexpr std::string_view kList = R"({"l":[1,2,3],"m":{"a/b~c":1,"k":{"x":1}}})";
  constexpr Case kCases[] = {
      {"op:'add',path:'/l/-',value:9", R"({"l":[1,2,3,9],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'/l/-1',value:9", R"({"l":[1,2,3,9],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'/l/-4',value:9", R"({"l":[9,1,2,3],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'/l/+1',value:9", R"({"l":[1,9,2,3],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'/l/01',value:9", R"({"l":[1,9,2,3],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'x/l/0',value:9", R"({"l":[9,1,2,3],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'/m/k/',value:9", R"({"l":[1,2,3],"m":{"a/b~c":1,"k":{"":9,"x":1}}})"},
      {"op:'add',path:'/m/k/x'", R"({"l":[1,2,3],"m":{"a/b~c":1,"k":{"x":null}}})"},
      {"op:'replace',path:'/l/-1',value:9", R"({"l":[1,2,9],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'replace',path:'/m/q',value:9", R"({"l":[1,2,3],"m":{"a/b~c":1,"k":{"x":1},"q":9}})"},
      {"op:'replace',path:'',value:{'a':1}", R"({"a":1})"},
      {"op:'replace',path:'',value:[1]", "[1]"},
      {"op:'replace',path:'',value:null", "null"},
      {"op:'remove',path:'/l/-2'", R"({"l":[1,3],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'remove',path:'/m/a~1b~0c'", R"({"l":[1,2,3],"m":{"k":{"x":1}}})"},
      {"op:'move',from:'/l/0',path:'/l/-'", R"({"l":[2,3,1],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'move',from:'/m/k',path:'/l'", R"({"l":{"x":1},"m":{"a/b~c":1}})"},
      {"op:'copy',from:'/m',path:'/m/k/y'",
       R"({"l":[1,2,3],"m":{"a/b~c":1,"k":{"x":1,"y":{"a/b~c":1,"k":{"x":1}}}}})"},
      {"op:'copy',from:'/q',path:'/l/0'", R"({"l":[null,1,2,3],"m":{"a/b~c":1,"k":{"x":1}}})"},
      {"op:'add',path:'/\\u00ad\\n\\\"',value:1",
       "{\"l\":[1,2,3],\"m\":{\"a/b~c\":1,\"k\":{\"x\":1}},\"\u00ad\\n\\\"\":1}"},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(patched("[JSONPatch{" + std::string(c.text) + "}]", kList), c.answer) << c.text;
}

// Errors name fields in this order. Walking to the destination opens what is copied.
TEST(JsonPatch, ACopyIntoItselfHasSortedKeys) {
  Arena arena;
  const Value object = *read_json(R"({"s":{"z":1,"a":{}}})", arena);
  Evaluated evaluation;
  const Value value = evaluated("[JSONPatch{op:'copy',from:'/s',path:'/s/a/c'}]", object, evaluation);
  const Patched made = apply_json_patch(arena, object, value, MemberOrder::Written);
  ASSERT_TRUE(made.ok()) << made.error;
  std::string text;
  JsonWriter(text, JsonEscape::Plain, JsonOrder::Document).value(read_back(arena, made.object));
  EXPECT_EQ(text, R"({"s":{"a":{"c":{"a":{},"z":1}},"z":1}})");
}

// A copy is independent of its source.
TEST(JsonPatch, CopiesStandApart) {
  EXPECT_EQ(patched("[JSONPatch{op:'add',path:'/a/x',value:1},JSONPatch{op:'copy',from:'/a',path:'/b'},"
                    "JSONPatch{op:'add',path:'/a/y',value:2},JSONPatch{op:'add',path:'/b/z',value:3},"
                    "JSONPatch{op:'remove',path:'/b/x'}]",
                    R"({"a":{"l":[]}})"),
            R"({"a":{"l":[],"x":1,"y":2},"b":{"l":[],"z":3}})");
}

TEST(JsonPatch, Tests) {
  // `add` of /y follows: was the test passed?
  constexpr std::pair<std::string_view, bool> kCases[] = {
      {"path:'/data/n',value:null", false},
      {"path:'/data/n'", true},
      {"path:'/data/zz'", true},
      {"path:'/data/zz',value:null", false},
      {"path:'/l',value:[1,2]", false},
      {"path:'/e',value:null", true},
      {"path:'/e',value:{}", true},
      {"path:'/e',value:[]", false},
      {"path:'/f',value:1", true},
      {"path:'/f',value:'1'", false},
      {"path:'/big',value:1e21", true},
      {"path:'',value:{}", false},
      {"path:'/data/a',value:'1'", true},
      {"path:'/data/a',value:1", false},
      {"path:'/data/a'", false},
      {"path:'/m',value:{'k': {'x': [true]}}", true},
      {"path:'/m',value:{'k': {'x': [false]}}", false},
      {"path:'/m',value:{'j': {'x': [true]}}", false},
  };
  for (const auto& [test, passed] : kCases) {
    std::string answer =
        patched("[JSONPatch{op:'test'," + std::string(test) + "}, JSONPatch{op:'add',path:'/y',value:1}]");
    EXPECT_EQ(answer != "skipped", passed) << test << ": " << answer;
  }
}

// A null that an operation inserted differs from one of the object: it equals an empty value, and nothing can
// be below it.
TEST(JsonPatch, NullsThatWerePutIn) {
  auto after = [](std::string_view operations) {
    return patched("[JSONPatch{op:'add',path:'/x',value:null}," + std::string(operations) + "]", "{}");
  };
  EXPECT_EQ(after("JSONPatch{op:'test',path:'/x',value:null}"), R"({"x":null})");
  EXPECT_EQ(after("JSONPatch{op:'test',path:'/x',value:{}}"), R"({"x":null})");
  EXPECT_EQ(after("JSONPatch{op:'test',path:'/x',value:[]}"), "skipped");
  EXPECT_EQ(after("JSONPatch{op:'test',path:'/x'}"), "skipped");
  EXPECT_EQ(after("JSONPatch{op:'test',path:'/x/y'}"), R"({"x":null})");
  EXPECT_EQ(after("JSONPatch{op:'add',path:'/x/y',value:1}"),
            "JSON Patch: add operation does not apply: doc is missing path: \"/x/y\": missing value");
  EXPECT_EQ(
      after("JSONPatch{op:'remove',path:'/x/y'}"),
      "JSON Patch: error in remove for path: '/x/y': Unable to remove nonexistent key: y: missing value");
  EXPECT_EQ(after("JSONPatch{op:'copy',from:'/x',path:'/z'}"), R"({"x":null,"z":null})");
  EXPECT_EQ(patched("[JSONPatch{op:'add',path:'/x'},JSONPatch{op:'test',path:'/x'}]", "{}"), R"({"x":null})");
}

// Ten thousand operations on one list and one map make one copy of each.
TEST(JsonPatch, ManyOperations) {
  std::string object = R"({"l":[],"m":{"k1":0,"k9":0},"n":[0)";
  for (int i = 1; i < 5000; ++i) object += "," + std::to_string(i);
  Arena arena;
  Value current = *read_json(object + "]}", arena);
  Evaluated evaluation;
  Value operations = evaluated(
      "object.n.map(i, JSONPatch{op: 'add', path: '/l/0', value: i}) + "
      "object.n.map(i, JSONPatch{op: 'add', path: '/m/k' + string(i), value: 1})",
      current, evaluation);
  ASSERT_TRUE(operations.is(Kind::List));
  Patched made = apply_json_patch(arena, current, operations);
  ASSERT_TRUE(made.ok()) << made.error;
  EXPECT_EQ(find_key(made.object, Value::string("l"))->size(), 5000);
  EXPECT_EQ(find_key(made.object, Value::string("m"))->size(), 5000);
  EXPECT_LT(arena.reserved(), size_t{16} << 20);
}

TEST(JsonPatch, LongPaths) {
  std::string deep = "/l", word(100'000, 'x');
  for (int i = 0; i < 50'000; ++i) deep += "/0";
  auto at = [](std::string_view path, std::string_view operation) {
    return patched("[JSONPatch{op: '" + std::string(operation) + "', path: object.p, value: 1}]",
                   R"({"l":[[0]],"p":")" + std::string(path) + "\"}");
  };
  EXPECT_EQ(at(deep, "add").find("JSON Patch: add operation does not apply: doc is missing path: \"/l/0/0"),
            0);
  EXPECT_NE(at("/" + word, "remove").find("nonexistent key: xxx"), std::string::npos);
}

// Copies of copies double; the server allows 3 MiB in total.
TEST(JsonPatch, CopiesAreBounded) {
  std::string operations = "[";
  for (int i = 0; i < 40; ++i) {
    if (i != 0) operations += ',';
    operations += "JSONPatch{op:'copy',from:'/a',path:'/a/k" + std::to_string(i) + "'}";
  }
  EXPECT_EQ(patched(operations + "]", R"({"a":{"t":"0123456789"}})")
                .find("JSON Patch: Unable to complete the copy, the accumulated size increase of copy is "),
            0);
}

// `text` as often as `times` says.
std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Every copy goes to the end of what it copies, so that the depth doubles, or grows by `value` with each addition.
void apply_deep_patches() {
  constexpr std::string_view kTooDeep =
      "json: error calling MarshalJSON for type *jsonpatch.lazyNode: exceeded max depth";
  Arena arena;
  auto applied = [&](const std::vector<JsonOperation>& operations) {
    return std::string(apply_operations(arena, *read_json("{}", arena), operations).error);
  };
  const std::string deep = repeated("/a", 100);
  std::vector<std::string> paths = {"/d" + deep};
  while (paths.size() < 20) paths.push_back(paths.back() + paths.back().substr(2));
  const Value value = *read_json(repeated("{\"a\":", 99) + "{}" + repeated("}", 99), arena);
  std::vector<JsonOperation> copies = {{.op = "add", .path = "/d", .has_value = true, .value = value}};
  auto copy_until = [&](size_t n) {
    copies.resize(1);
    for (size_t i = 0; i < n; ++i) copies.push_back({.op = "copy", .path = paths[i], .from = "/d"});
    return applied(copies);
  };
  EXPECT_EQ(copy_until(6), "");  // 6,400 levels
  EXPECT_EQ(copy_until(7), kTooDeep);
  for (size_t n : {8, 9, 14})
    EXPECT_EQ(copy_until(n), "error while performing deep copy: " + std::string(kTooDeep)) << n;
  // A patch that takes away again what was too deep applies.
  copy_until(7);
  copies.push_back({.op = "remove", .path = "/d"});
  EXPECT_EQ(applied(copies), "");

  for (std::string_view op : {"add", "replace", "move"}) {
    std::vector<JsonOperation> additions = {copies[0]};
    std::vector<std::string> places = {"/d"};
    for (int i = 0; i < 1000; ++i) places.push_back(places.back() + deep.substr(2));
    for (size_t i = 1; i < places.size(); ++i) {
      const bool moves = op == "move";
      if (moves) additions.push_back({.op = "add", .path = "/m", .has_value = true, .value = value});
      additions.push_back({.op = op, .path = places[i], .from = "/m", .has_value = !moves, .value = value});
    }
    EXPECT_EQ(applied(additions), kTooDeep) << op;
  }
}

TEST(JsonPatch, DepthIsBounded) { in_stack(kLargeStack, apply_deep_patches); }

TEST(JsonPatch, NumbersAreReadBack) {
  Arena arena;
  EXPECT_EQ(number_read_back(9007199254740993.0).as_int(), 9007199254740992);
  EXPECT_EQ(number_read_back(-1e18).as_int(), -1000000000000000000);
  EXPECT_TRUE(number_read_back(1e19).is(Kind::Double));
  EXPECT_TRUE(number_read_back(1e22).is(Kind::Double));
  EXPECT_TRUE(number_read_back(0.5).is(Kind::Double));
  Value whole = *read_json("[1.5,{\"a\":[1]}]", arena);
  EXPECT_EQ(read_back(arena, whole).raw_payload(), whole.raw_payload()) << "nothing to change: shared";
}

}  // namespace
}  // namespace portcullis::patching
