#include "admission/patching/foreseen.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "admission/expressions/expression.h"
#include "admission/patching/outlined_pointer.h"

namespace portcullis::patching {
namespace {

class ForeseenTest : public testing::Test {
 protected:
  // Declares a variable for later expressions.
  void variable(const std::string& name, std::string_view text) {
    auto made = compiler_.variable(name, text, {}, {});
    ASSERT_NE(made.expression, nullptr) << made.error;
    variables_[name] = KnownExpression{made.expression, "variables." + name};
  }
  const KnownExpression& known(std::string_view text) {
    auto made = compiler_.compile(text, {}, {.patch_types = true}, {});
    if (made.expression == nullptr) throw std::runtime_error(made.error);
    return expressions_.emplace_back(KnownExpression{made.expression, "expression"});
  }
  Outliner& outliner() {
    facts_ = {kind_.kind, resource_, kind_.type};
    return outliners_.emplace_back(variables_, facts_);
  }
  // "offset text; hint|...", with a '?' before mistakes that a condition guards.
  std::string shown(const std::vector<Foreseen>& found) {
    std::string out;
    for (const Foreseen& f : found) {
      if (!out.empty()) out += "|";
      out += (f.guarded ? "?" : "") + std::to_string(f.place.offset) + " " + f.text;
      if (!f.hint.empty()) out += "; " + f.hint;
    }
    return out;
  }
  std::string configuration(std::string_view text) {
    return shown(foresee_configuration(outliner(), known(text), kind_));
  }
  std::string patch(std::string_view text) { return shown(foresee_patch(outliner(), known(text), kind_)); }
  std::optional<bool> decides(std::string_view text) { return outliner().decide(known(text)); }

  KindSchema kind_ = builtin_kind("", "v1", "Pod", true);
  std::string_view resource_ = "pods";

 private:
  PolicyCompiler compiler_{true};
  KnownVariables variables_;
  std::deque<KnownExpression> expressions_;
  ObjectFacts facts_;
  std::deque<Outliner> outliners_;
};

TEST_F(ForeseenTest, ConditionsThatAKindDecides) {
  variable("pod", "object.kind == 'Pod'");
  EXPECT_EQ(decides("variables.pod"), true);
  EXPECT_EQ(decides("!(object.kind in ['Deployment', 'Job'])"), true);
  EXPECT_EQ(decides("request.kind.kind == 'Job' && object.metadata.name == 'a'"), false);
  EXPECT_EQ(decides("request.resource.resource == 'pods' || object.metadata.name == 'a'"), true);
  EXPECT_EQ(decides("has(object.spec.template)"), false);
  EXPECT_EQ(decides("object.spec.?template.hasValue()"), false);
  EXPECT_EQ(decides("has(object.spec.nodeName)"), std::nullopt);
  EXPECT_EQ(decides("object.metadata.name == 'Pod'"), std::nullopt);
  EXPECT_EQ(decides("object.kind in [dyn('Job'), object.metadata.name]"), std::nullopt);
}

TEST_F(ForeseenTest, FieldsOfConfigurations) {
  EXPECT_EQ(configuration("Object{spec: Object.spec{hostNetwork: true}}"), "");
  EXPECT_EQ(configuration("Object{spec: Object.spec{hostNetwrk: true, nope: 1}}"),
            "25 .spec.hostNetwrk: field not declared in schema; did you mean spec.hostNetwork?|"
            "43 .spec.nope: field not declared in schema");
  EXPECT_EQ(configuration("Object{image: 'a'}"), "7 .image: field not declared in schema");
  EXPECT_EQ(configuration("Object{labels: {'a': 'b'}}"),
            "7 .labels: field not declared in schema; did you mean metadata.labels?");
}

TEST_F(ForeseenTest, ValuesOfConfigurations) {
  EXPECT_EQ(configuration("Object{spec: Object.spec{priority: '1'}}"),
            "35 .spec.priority: expected numeric (int or float), got string");
  EXPECT_EQ(configuration("Object{spec: Object.spec{priority: string(object.spec.x)}}"),
            "35 .spec.priority: expected numeric (int or float), got string");
  EXPECT_EQ(configuration("Object{spec: Object.spec{priority: object.spec.x}}"), "");
  EXPECT_EQ(configuration("Object{spec: Object.spec{overhead: {'cpu': object.spec.x}}}"), "");
  EXPECT_EQ(configuration("Object{spec: Object.spec{overhead: {'cpu': 'x'}}}").substr(0, 61),
            "43 unable to convert unstructured object to /v1, Kind=Pod: qu");
  // A text may be a quantity, whatever its type is.
  EXPECT_EQ(configuration("Object{spec: Object.spec{overhead: {'cpu': string(object.spec.x)}}}"), "");
}

TEST_F(ForeseenTest, NamesOfTypes) {
  EXPECT_EQ(
      configuration("Object{spec: Object.metadata{hostNetwork: true}}"),
      "13 unexpected type name \"Object.metadata\", expected \"Object.spec\", which matches field name path "
      "from root Object type; did you mean Object.spec?");
}

TEST_F(ForeseenTest, AtomicParts) {
  EXPECT_EQ(configuration("Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}"),
            "25 may not mutate atomic arrays, maps or structs: .spec.nodeSelector; a JSONPatch can set it as "
            "a whole");
}

TEST_F(ForeseenTest, ChoicesAreWalkedBothWays) {
  EXPECT_EQ(configuration("object.spec.x ? Object{a: 1} : Object{b: 1}"),
            "?23 .a: field not declared in schema|?38 .b: field not declared in schema");
  EXPECT_EQ(configuration("object.kind == 'Pod' ? Object{} : Object{b: 1}"), "");
  EXPECT_EQ(configuration("Object{?spec: optional.of(Object.spec{nope: 1})}"),
            "38 .spec.nope: field not declared in schema");
}

TEST_F(ForeseenTest, ItemsOfListsThatAreMade) {
  EXPECT_EQ(configuration("Object{spec: Object.spec{containers: object.spec.containers.map(c, "
                          "Object.spec.containers{name: c.name, imge: 'a'})}}"),
            "104 .spec.containers[name=...].imge: field not declared in schema; did you mean "
            "spec.containers.image?");
  // Two unknown names may differ.
  EXPECT_EQ(configuration("Object{spec: Object.spec{containers: [Object.spec.containers{name: object.a}, "
                          "Object.spec.containers{name: object.b}]}}"),
            "");
}

TEST_F(ForeseenTest, PathsOfPatches) {
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/nodeName', value: 'a'}]"), "");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/nodeName', ?value: optional.none()}]"), "");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/nodeName', ?value: optional.of('a')}]"), "");
  EXPECT_TRUE(patch("[JSONPatch{op: 'add', path: '/spec/nodeName', value: optional.none()}]")
                  .ends_with("optional.none() dereference"));
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/nodename', value: 'a'}]"),
            "35 strict decoding error: unknown field \"spec.nodename\"; did you mean /spec/nodeName?");
  EXPECT_EQ(patch("[JSONPatch{op: 'remove', path: '/spec/containers/first'}]"),
            "49 JSON Patch: error in remove for path: '/spec/containers/first': strconv.Atoi: parsing "
            "\"first\": invalid "
            "syntax; items of a list are named by their index, or - for the end");
  EXPECT_EQ(
      patch("[JSONPatch{op: 'add', path: '/spec/nope/' + object.spec.x, value: 1}]"),
      "35 JSON Patch: add operation does not apply: doc is missing path: \"/spec/nope/...\": missing value");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/' + object.spec.x, value: 1}]"), "");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/containers/' + string(object.spec.x.size()) + '/nope', "
                  "value: 1}]"),
            "83 strict decoding error: unknown field \"spec.containers[0].nope\"");
}

// Operations are checked together: one may remove or read what another adds.
TEST_F(ForeseenTest, OperationsOfOnePatch) {
  EXPECT_EQ(
      patch("[JSONPatch{op: 'add', path: '/x', value: {}}, JSONPatch{op: 'add', path: '/x/y', value: 1}, "
            "JSONPatch{op: 'remove', path: '/x'}]"),
      "");
  EXPECT_EQ(patch("[JSONPatch{op: 'remove', path: '/metadata/labels'}, "
                  "JSONPatch{op: 'add', path: '/metadata/labels/a', value: 'b'}]"),
            "79 JSON Patch: add operation does not apply: doc is missing path: \"/metadata/labels/a\": "
            "missing value");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/x', value: {}}] + object.spec.x"), "");
  EXPECT_EQ(
      patch(
          "[JSONPatch{op: 'add', path: '/x', value: {}}, JSONPatch{op: 'test', path: '/kind', value: 'a'}]"),
      "?30 strict decoding error: unknown field \"x\"");
}

// What one operation leaves open says nothing of others.
TEST_F(ForeseenTest, OperationsThatOthersCure) {
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/containers/0/image', value: dyn(1)}, "
                  "JSONPatch{op: 'add', path: '/spec/containers', value: dyn([])}, "
                  "JSONPatch{op: 'add', path: '/spec/nodename', value: dyn('a')}]"),
            "170 strict decoding error: unknown field \"spec.nodename\"; did you mean /spec/nodeName?");
}

TEST_F(ForeseenTest, ValuesOfPatches) {
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/priority', value: 'a'}]"),
            "53 json: cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/priority', value: object.spec.x}]"), "");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/nodeName', value: quantity('1')}]").substr(0, 65),
            "53 JSONPath valueExpression evaluated to a type that could not ma");
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/spec/containers/-', value: {'name': 'a', 'imge': 'b'}}]"),
            "71 strict decoding error: unknown field \"spec.containers[0].imge\"; did you mean "
            "spec.containers.image?");
}

TEST_F(ForeseenTest, ObjectsOfAnotherKind) {
  EXPECT_EQ(patch("[JSONPatch{op: 'replace', path: '/kind', value: 'Pod'}]"), "");
  EXPECT_EQ(patch("[JSONPatch{op: 'replace', path: '/kind', value: 'Nope'}]"),
            "48 no kind \"Nope\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"");
  EXPECT_EQ(patch("[JSONPatch{op: 'replace', path: '/kind', value: object.spec.x}]"), "");
}

TEST_F(ForeseenTest, Operations) {
  EXPECT_EQ(patch("[JSONPatch{op: 'Add', path: '/spec/nodeName', value: 'a'}]"),
            "15 JSON Patch: Unexpected kind: Add; did you mean add?");
  EXPECT_EQ(
      patch("[JSONPatch{op: 'move', path: '/spec/nodeName'}]"),
      "1 JSON Patch: move operation failed to decode from: operation, missing from field: missing value");
  EXPECT_EQ(
      patch("object.spec.x.map(c, c == 1 ? JSONPatch{op: 'test', path: '/'} : null).filter(p, p != null)"),
      "");
}

// Variables that double at every step are bounded.
TEST_F(ForeseenTest, LargeExpressionsAreBounded) {
  variable("v0", "[dyn('a'), object.spec.x]");
  for (int i = 1; i < 40; ++i) {
    std::string before = "variables.v" + std::to_string(i - 1);
    variable("v" + std::to_string(i), "[" + before + ", " + before + "]");
  }
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '/metadata/annotations', value: variables.v39}]"),
            "60 json: cannot unmarshal array into Go struct field ObjectMeta.metadata.annotations of type "
            "map[string]string");
  variable("c0", "object.a == 'b'");
  for (int i = 1; i < 60; ++i) {
    std::string before = "variables.c" + std::to_string(i - 1);
    variable("c" + std::to_string(i), before + " && " + before + " || " + before);
  }
  EXPECT_EQ(decides("variables.c59"), std::nullopt);
  std::string path;
  for (int i = 0; i < 40'000; ++i) path += "/a";
  EXPECT_EQ(patch("[JSONPatch{op: 'add', path: '" + path + "', value: 1}]").substr(0, 79),
            "30 JSON Patch: add operation does not apply: doc is missing path: \"/a/a/a/a/a/a");
}

// Kinds without a published schema: nothing can be applied, and operations that are none stay what they are.
TEST_F(ForeseenTest, KindsWithoutASchema) {
  kind_ = builtin_kind("", "v1", "PodExecOptions", true);
  EXPECT_EQ(configuration("Object{}"),
            "0 error applying patch: failed to convert patch object to typed object: no corresponding type "
            "for /v1, "
            "Kind=PodExecOptions");
  EXPECT_EQ(patch("[JSONPatch{op: 'ad', path: '/a'}]"),
            "15 JSON Patch: Unexpected kind: ad; operations are add, remove, replace, move, copy, test");
}

}  // namespace
}  // namespace portcullis::patching
