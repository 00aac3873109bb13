// The public face: authorizers.
#include <gtest/gtest.h>
#include <portcullis/admission.h>

#include <string>

#include "tests/face.h"

namespace portcullis::v1 {
namespace {

TEST(Face, AuthorizersSeeTheWholeUser) {
  struct Seeing final : Authorizer {
    AuthorizationAnswer authorize(const AuthorizationCheck& check) const override {
      for (const UserInfo::Extra& e : check.extra)
        seen += std::string(e.key) + "=" + std::string(e.values[0]) + " ";
      seen += std::string(check.username) + " " + std::string(check.uid) + " " + std::string(check.groups[0]);
      return {};
    }
    mutable std::string seen;
  } seeing;
  auto engine = load({policy("configmaps", "authorizer.path('/a').check('get').allowed()")});
  Memory memory;
  Context context;
  context.set_authorizer(&seeing);
  constexpr std::string_view kGroups[] = {"devs"}, kScopes[] = {"read"};
  const UserInfo::Extra extra[] = {{"scopes", kScopes}};
  engine->review_manifest(
      {.object = *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"),
       .user = {.username = "eve", .uid = "7", .groups = kGroups, .extra = extra}},
      context);
  EXPECT_EQ(seeing.seen, "scopes=read eve 7 devs");
}

class Mine final : public Authorizer {
 public:
  AuthorizationAnswer authorize(const AuthorizationCheck& check) const override {
    bool mine = check.username == "jane" && check.verb == "use" && check.resource == "things";
    return {mine ? AuthorizationAnswer::Decision::Allow : AuthorizationAnswer::Decision::Deny, "because", {}};
  }
};

TEST(Face, AuthorizerOfTheRolesOrOnesOwn) {
  auto engine =
      load({policy("configmaps", "authorizer.group('g').resource('things').check('use').allowed()"), R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: user}
rules: [{apiGroups: [g], resources: [things], verbs: [use]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: user}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: user}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
)"});
  Memory memory;
  Context context;
  Mine mine;
  ManifestRequest request{.object =
                              *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")};
  auto allows = [&](std::string_view user) {
    request.user.username = user;
    return engine->review_manifest(request, context).allowed;
  };
  EXPECT_TRUE(allows("eve"));
  EXPECT_FALSE(allows("jane"));
  EXPECT_FALSE(allows(""));  // nobody in particular
  request.user = UserInfo::administrator();
  EXPECT_TRUE(engine->review_manifest(request, context).allowed);
  request.user = {};
  context.set_authorizer(&mine);
  EXPECT_FALSE(allows("eve"));
  EXPECT_TRUE(allows("jane"));
}

TEST(Face, PermissionsAreAskedDirectly) {
  auto engine = load({R"(apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules: [{apiGroups: [""], resources: [pods/log], verbs: [get], resourceNames: [web]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: shop}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: devs}]
)"});
  ASSERT_NE(engine, nullptr);
  constexpr std::string_view kGroups[] = {"devs"}, kMasters[] = {"system:masters"};
  AuthorizationCheck check{.username = "eve",
                           .groups = kGroups,
                           .verb = "get",
                           .resource_request = true,
                           .version = "v1",
                           .resource = "pods",
                           .subresource = "log",
                           .namespace_name = "shop",
                           .name = "web"};
  using Said = AuthorizationAnswer::Decision;
  AuthorizationAnswer answer = engine->authorize(check);
  EXPECT_EQ(answer.decision, Said::Allow);
  EXPECT_EQ(answer.reason,
            "RBAC: allowed by RoleBinding \"readers/shop\" of Role \"reader\" to Group \"devs\"");
  check.name = "db";
  EXPECT_EQ(engine->authorize(check).decision, Said::NoOpinion);
  check.groups = kMasters;
  EXPECT_EQ(engine->authorize(check).decision, Said::Allow);
  check.username = "";
  EXPECT_EQ(engine->authorize(check).error, "the user has groups, uid or extra, but no username");
  EXPECT_EQ(engine->authorize({.verb = "get", .path = "/healthz"}).decision,
            Said::Allow);  // system:anonymous
  EXPECT_EQ(engine->authorize({.verb = "get", .path = "/metrics"}).decision, Said::NoOpinion);
}

// Whether eve may create a ConfigMap.
bool allows_eve(std::string_view text, const LoadOptions& options) {
  Memory memory;
  Context context;
  ManifestRequest request{.object =
                              *memory.read_yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")};
  request.user.username = "eve";
  return load({text}, options)->review_manifest(request, context).allowed;
}

TEST(Face, RolesOfANewClusterCountUnlessToldOtherwise) {
  const std::string text = policy("configmaps", "authorizer.path('/healthz').check('get').allowed()") + R"(---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: eve}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:public-info-viewer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
)";
  EXPECT_TRUE(allows_eve(text, {}));
  LoadOptions options;
  options.default_roles = false;
  EXPECT_FALSE(allows_eve(text, options));
}

TEST(Face, RolesOfAClusterHaveTheRulesThatTheyHold) {
  const std::string text = policy("configmaps", "authorizer.path('/part').check('get').allowed()") + R"(---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: whole}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {part: "yes"}}]}
rules: []
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: part, labels: {part: "yes"}}
rules: [{nonResourceURLs: [/part], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: eve}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: whole}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: eve}]
)";
  EXPECT_TRUE(allows_eve(text, {}));
  LoadOptions options;
  options.roles_as_stored = true;
  EXPECT_FALSE(allows_eve(text, options));
}

}  // namespace
}  // namespace portcullis::v1
