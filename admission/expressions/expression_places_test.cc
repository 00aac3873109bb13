#include "admission/expressions/expression_places.h"
#include "admission/builtin/registration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using testing::ElementsAre;

// "path name=text", one for each expression.
std::vector<std::string> lines(const std::vector<PlacedExpression>& all) {
  std::vector<std::string> out;
  for (const PlacedExpression& e : all)
    out.push_back(e.path + " " + std::string(e.name) + "=" + std::string(e.text));
  return out;
}

constexpr std::string_view kPolicy =
    R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","spec":{)"
    R"("validations":[{"expression":"a","messageExpression":"b"},{"expression":"c"}],)"
    R"("variables":[{"name":"v","expression":"d"}],)"
    R"("auditAnnotations":[{"key":"k","valueExpression":"e"}],)"
    R"("matchConditions":[{"name":"m","expression":"f"}]}})";

TEST(ExpressionPlaces, EntriesOfAListStandTogether) {
  Arena arena;
  EXPECT_THAT(
      lines(expressions_of(*read_json(kPolicy, arena))),
      ElementsAre("spec.matchConditions[0].expression m=f", "spec.variables[0].expression v=d",
                  "spec.validations[0].expression =a", "spec.validations[0].messageExpression =b",
                  "spec.validations[1].expression =c", "spec.auditAnnotations[0].valueExpression k=e"));
}

TEST(ExpressionPlaces, OfADecodedObjectAbsentTextsAreEmpty) {
  Arena arena;
  Decoded decoded = decode_object(arena, *read_document(kPolicy));
  EXPECT_EQ(lines(expressions_of(decoded.data)).at(5), "spec.validations[1].messageExpression =");
}

TEST(ExpressionPlaces, OfMutationsOnlyStructsThatAreThereCount) {
  Arena arena;
  Decoded decoded = decode_object(
      arena,
      *read_document(
          R"({"apiVersion":"admissionregistration.k8s.io/v1beta1","kind":"MutatingAdmissionPolicy","spec":{)"
          R"("mutations":[{"patchType":"JSONPatch","jsonPatch":{"expression":"a"}},)"
          R"({"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"b"}}]}})"));
  EXPECT_THAT(lines(expressions_of(decoded.data)),
              ElementsAre("spec.mutations[0].jsonPatch.expression =a",
                          "spec.mutations[1].applyConfiguration.expression =b"));
}

TEST(ExpressionPlaces, WebhooksHaveMatchConditionsEach) {
  Arena arena;
  auto all = expressions_of(*read_json(
      R"({"webhooks":[{},{"matchConditions":[{"name":"n","expression":"a"},{"expression":1}]}]})", arena));
  EXPECT_THAT(lines(all), ElementsAre("webhooks[1].matchConditions[0].expression n=a"));
  EXPECT_EQ(all[0].webhook, 1);
}

TEST(ExpressionPlaces, FoundByPath) {
  for (const ExpressionPlace& place : expression_places()) {
    if (!place.list.starts_with("spec")) continue;
    EXPECT_EQ(place_at(expression_path(place.role, 12)), &place);
  }
  EXPECT_EQ(place_at("webhooks[3].matchConditions[0].expression"), &expression_places().back());
  for (std::string_view path : {"spec.validations[0].message", "spec.validations", "spec.validations[0", ""})
    EXPECT_EQ(place_at(path), nullptr) << path;
}

TEST(ExpressionPlaces, StrangeObjectsHaveNone) {
  Arena arena;
  for (std::string_view json : {"1", "[]", R"({"spec":[]})", R"({"spec":{"validations":{"expression":"a"}}})",
                                R"({"spec":{"mutations":[{"jsonPatch":"x"}]},"webhooks":3})"})
    EXPECT_TRUE(expressions_of(*read_json(json, arena)).empty()) << json;
}

}  // namespace
}  // namespace portcullis
