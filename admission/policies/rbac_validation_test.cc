// Validation of RBAC objects: error texts as Kubernetes 1.37.1 gave them.
#include "admission/policies/rbac_validation.h"

#include <gtest/gtest.h>

#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// The messages, one per line.
std::string refused(std::string_view kind, std::string_view rest) {
  Arena arena;
  std::string space = kind.starts_with("Cluster") ? "" : R"("namespace":"shop",)";
  std::string object = R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":")" + std::string(kind) +
                       R"(","metadata":{)" + space + R"("name":"x"},)" + std::string(rest) + "}";
  std::string out;
  for (const FieldError& e : rbac::validate(*read_json(object, arena))) out += e.message + "\n";
  return out;
}

TEST(RbacValidation, Rules) {
  EXPECT_EQ(refused("Role", R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])"), "");
  EXPECT_EQ(refused("Role", R"("rules":[{"resources":["pods"]}])"),
            "rules[0].verbs: Required value\n"
            "rules[0].apiGroups: Required value: resource rules must supply at least one api group\n");
  EXPECT_EQ(refused("ClusterRole", R"("rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}])"), "");
  EXPECT_EQ(refused("Role", R"("rules":[{"verbs":["get"],"nonResourceURLs":["/x"]}])"),
            "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: namespaced rules cannot apply to "
            "non-resource URLs\n");
  EXPECT_EQ(
      refused("ClusterRole", R"("rules":[{"verbs":["get"],"nonResourceURLs":["/x"],"resources":["a"]}])"),
      "rules[0].nonResourceURLs: Invalid value: [\"/x\"]: rules cannot apply to both regular resources "
      "and non-resource URLs\n");
}

TEST(RbacValidation, WordsAreQuotedAsTexts) {
  EXPECT_EQ(
      refused("RoleBinding", R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"<&>","name":"r"})"),
      "roleRef.kind: Unsupported value: \"<&>\": supported values: \"Role\", \"ClusterRole\"\n");
}

TEST(RbacValidation, Aggregation) {
  EXPECT_EQ(
      refused("ClusterRole", R"("aggregationRule":{"clusterRoleSelectors":[]})"),
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if "
      "aggregationRule is non-nil\n");
  EXPECT_EQ(refused("ClusterRole", R"("aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[
              {"key":"a","operator":"In"}]}]})"),
            "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be "
            "specified when `operator` is 'In' or 'NotIn'\n"
            "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.\n");
}

TEST(RbacValidation, Bindings) {
  constexpr std::string_view kRef =
      R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"})";
  EXPECT_EQ(refused("RoleBinding", kRef), "");
  EXPECT_EQ(refused("ClusterRoleBinding",
                    R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":""})"),
            "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"\n"
            "roleRef.name: Required value\n");
  EXPECT_EQ(refused("RoleBinding", R"("roleRef":{"apiGroup":"rbac","kind":"Roll","name":"a/b"})"),
            "roleRef.apiGroup: Unsupported value: \"rbac\": supported values: \"rbac.authorization.k8s.io\"\n"
            "roleRef.kind: Unsupported value: \"Roll\": supported values: \"Role\", \"ClusterRole\"\n"
            "roleRef.name: Invalid value: \"a/b\": may not contain '/'\n");
}

TEST(RbacValidation, Subjects) {
  std::string ref =
      R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},)";
  auto subject = [&](std::string_view kind, std::string_view text) {
    return refused(kind, ref + R"("subjects":[)" + std::string(text) + "]");
  };
  EXPECT_EQ(subject("RoleBinding", R"({"kind":"ServiceAccount","name":"bot"})"), "");
  EXPECT_EQ(subject("ClusterRoleBinding", R"({"kind":"ServiceAccount","name":"bot"})"),
            "subjects[0].namespace: Required value\n");
  EXPECT_EQ(
      subject("RoleBinding", R"({"kind":"User","name":"eve"})"),
      "subjects[0].apiGroup: Unsupported value: \"\": supported values: \"rbac.authorization.k8s.io\"\n");
  EXPECT_EQ(subject("RoleBinding", R"({"kind":"user","name":"","apiGroup":"rbac.authorization.k8s.io"})"),
            "subjects[0].name: Required value\n"
            "subjects[0].kind: Unsupported value: \"user\": supported values: \"ServiceAccount\", \"User\", "
            "\"Group\"\n");
}

}  // namespace
}  // namespace portcullis
