// The public face: mutation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <string>

#include "tests/face.h"

namespace portcullis::v1 {
namespace {

using testing::HasSubstr;

TEST(Face, MutationComesBeforeValidation) {
  auto engine = load({policy("pods",
                             "object.spec.containers.size() == 2 && "
                             "object.spec.containers[1].imagePullPolicy == 'IfNotPresent'"),
                      mutating("pods", kSidecar)});
  ASSERT_NE(engine, nullptr);
  EXPECT_TRUE(engine->has_mutations());
  EXPECT_EQ(engine->policy_count(), 2);
  Memory memory;
  Context context;
  ManifestRequest request{.object = *memory.read_yaml(kPod)};
  const Decision& decision = engine->review_manifest(request, context);
  EXPECT_TRUE(decision.allowed) << decision.status.message;
  EXPECT_TRUE(decision.mutated);
  EXPECT_EQ(decision.policies_matched, 2);
  EXPECT_EQ(decision.before.find_path("spec.containers").size(), 1);
  EXPECT_EQ(decision.after.find_path("spec.containers").at(1).find("name")->as_text(), "proxy");
  EXPECT_EQ(patch_json(decision),
            R"([{"op":"add","path":"/spec/containers/-","value":{"image":"envoy:1","imagePullPolicy":)"
            R"("IfNotPresent","name":"proxy","resources":{},"terminationMessagePath":"/dev/termination-log",)"
            R"("terminationMessagePolicy":"File"}}])");
  EXPECT_TRUE(decision.mutations.empty());
  request.operation = Operation::Delete;
  const Decision& gone = engine->review_manifest(request, context);
  EXPECT_FALSE(gone.mutated);
  EXPECT_TRUE(gone.after.is_null());
  EXPECT_EQ(patch_json(gone), "");
}

TEST(Face, MutationAlone) {
  auto engine = load({policy("pods", "false"), mutating("pods", kSidecar)});
  Memory memory;
  Context context;
  context.want_results(Results::All);
  ManifestRequest manifest{.object = *memory.read_yaml(kPod)};
  const Decision& decision = engine->mutate_manifest(manifest, context);
  EXPECT_TRUE(decision.allowed);
  EXPECT_TRUE(decision.mutated);
  ASSERT_EQ(decision.mutations.size(), 2);
  const MutationResult& result = decision.mutations[0];
  EXPECT_EQ(result.kind, MutationResult::Kind::Applied);
  EXPECT_EQ(std::string(result.policy) + "/" + std::string(result.binding), "p/p");
  EXPECT_EQ(result.mutation, 0);
  EXPECT_TRUE(result.changed);
  EXPECT_GT(result.cost, 0);
  EXPECT_EQ(result.after.find_path("spec.containers").size(), 2);
  EXPECT_EQ(decision.mutations[1].kind, MutationResult::Kind::NotAgain);
  EXPECT_EQ(decision.mutations[1].pass, 2);
  EXPECT_FALSE(engine->review_manifest(manifest, context).allowed);
  Request request{.kind = {"", "v1", "Pod"},
                  .resource = {"", "v1", "pods"},
                  .name = "a",
                  .namespace_name = "default",
                  .object = manifest.object,
                  .normalized = true};
  EXPECT_THAT(patch_json(engine->mutate(request, context)), HasSubstr("envoy:1"));
  auto without = load({policy("pods", "false")});
  EXPECT_FALSE(without->has_mutations());
  EXPECT_TRUE(without->mutate(request, context).allowed);
  EXPECT_FALSE(without->mutate_manifest(manifest, context).mutated);
}

TEST(Face, MutationRefuses) {
  auto engine =
      load({policy("pods", "true"), mutating("pods", json_patch("[JSONPatch{op: 'remove', path: '/no'}]"))});
  Memory memory;
  Context context;
  const Decision& decision = engine->review_manifest({.object = *memory.read_yaml(kPod)}, context);
  EXPECT_FALSE(decision.allowed);
  EXPECT_FALSE(decision.refused);
  EXPECT_FALSE(decision.mutated);
  EXPECT_THAT(status_json(decision), HasSubstr("policy 'p' with binding 'p' denied request: "));
  EXPECT_EQ(patch_json(decision), "");
}

TEST(Face, NormalizeMutatesNothing) {
  auto engine =
      load({mutating("pods", json_patch("[JSONPatch{op: 'replace', path: '/metadata/name', value: 'b'}]"))});
  Memory memory;
  Context context;
  EXPECT_TRUE(engine->review_manifest({.object = *memory.read_yaml(kPod)}, context).mutated);
  Result<Value> made = engine->normalize(*memory.read_yaml(kPod), memory);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->find_path("metadata.name").as_text(), "a");
  // Not the whole: the metadata tell the second of the creation.
  const Value unmutated = *load({policy("pods", "true")})->normalize(*memory.read_yaml(kPod), memory);
  EXPECT_EQ(to_json(made->find_path("spec")), to_json(unmutated.find_path("spec")));
}

TEST(Face, CustomResourcesAreMutated) {
  auto patch = [](std::string_view most) {
    return mutating(
        "limits",
        json_patch("[JSONPatch{op: 'replace', path: '/spec/most', value: " + std::string(most) + "}]"));
  };
  Memory memory;
  Context context;
  ManifestRequest request{
      .object = *memory.read_yaml(
          "{apiVersion: example.com/v1, kind: Limit, metadata: {name: a}, spec: {more: 1}}")};
  auto engine = load({kDefinition, policy("limits", "object.spec.most == 5"), patch("5")});
  const Decision& decision = engine->review_manifest(request, context);
  EXPECT_TRUE(decision.allowed) << decision.status.message;
  EXPECT_EQ(patch_json(decision), R"([{"op":"replace","path":"/spec/most","value":5}])");
  EXPECT_EQ(decision.unknown_fields.size(), 1);
  const Decision& refused = load({kDefinition, patch("9")})->review_manifest(request, context);
  EXPECT_TRUE(refused.refused);
  EXPECT_EQ(refused.status.code, 422);
  EXPECT_TRUE(refused.mutated);
  // No schema is known.
  const Decision& unknown = load({patch("5")})->review_manifest(request, context);
  EXPECT_FALSE(unknown.allowed);
  EXPECT_TRUE(unknown.refused);
  EXPECT_EQ(unknown.status.code, 503);
}

}  // namespace
}  // namespace portcullis::v1
