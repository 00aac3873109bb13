#include "admission/typing/typecheck.h"

#include <gtest/gtest.h>

namespace portcullis {
namespace {

// The report on a policy with `rules` (JSON of resourceRules) and `spec` (JSON members, without braces).
TypeReport report_of(std::string_view rules, std::string_view spec,
                     TypecheckScope scope = TypecheckScope::ApiServer) {
  static const SchemaCatalog catalog;
  std::string text =
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},
    "spec":{"matchConstraints":{"resourceRules":)" +
      std::string(rules) + "}," + std::string(spec) + "}}";
  auto document = read_document(text);
  EXPECT_TRUE(document.ok()) << text;
  Arena arena;
  return typecheck_policy(decode_object(arena, *document), catalog, scope);
}

std::string rule(std::string_view group, std::string_view version, std::string_view resources) {
  return R"([{"apiGroups":[")" + std::string(group) + R"("],"apiVersions":[")" + std::string(version) +
         R"("],"operations":["CREATE"],"resources":[)" + std::string(resources) + "]}]";
}
const std::string kDeployments = rule("apps", "v1", R"("deployments")");

// All warnings about a policy with one validation.
std::string warning_of(std::string_view rules, std::string_view expression, std::string_view more = "") {
  TypeReport r = report_of(
      rules, R"("validations":[{"expression":")" + std::string(expression) + "\"}]" + std::string(more));
  return r.warnings.empty() ? "" : r.warnings[0].warning;
}

TEST(Typecheck, SaysWhatTheStatusSays) {
  TypeReport r = report_of(
      kDeployments,
      R"("validations":[{"expression":"object.spec.replica <= 5"},{"expression":"object.spec.replicas > 1",
    "messageExpression":"object.spec.replicas + 'x'"}])");
  ASSERT_EQ(r.warnings.size(), 2u);
  EXPECT_EQ(r.warnings[0].field, "spec.validations[0].expression");
  EXPECT_EQ(r.warnings[0].warning,
            "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replica'\n | "
            "object.spec.replica <= 5\n | ...........^\n");
  EXPECT_EQ(r.warnings[1].field, "spec.validations[1].messageExpression");
}

TEST(Typecheck, SuggestsNames) {
  TypeReport r =
      report_of(kDeployments,
                R"j("variables":[{"name":"containers","expression":"object.spec.template.spec.containers"}],
    "validations":[{"expression":"object.spec.replica <= 5"},{"expression":"variables.container.size() == 1"},
    {"expression":"request.userinfo.username == ''"},{"expression":"objct.spec == null"},{"expression":"object.?metdata.hasValue()"}])j");
  ASSERT_EQ(r.issues.size(), 5u);
  EXPECT_EQ(r.issues[0].suggestion, "replicas");
  EXPECT_EQ(r.issues[0].message, "undefined field 'replica'");
  EXPECT_EQ(r.issues[0].position.line, 1);
  EXPECT_EQ(r.issues[0].position.column, 12);
  EXPECT_EQ(r.issues[1].suggestion, "containers");
  EXPECT_EQ(r.issues[2].suggestion, "userInfo");
  EXPECT_EQ(r.issues[3].suggestion, "object");
  EXPECT_EQ(r.issues[4].suggestion, "metadata");
}

TEST(Typecheck, ChecksEveryKindOfTheRules) {
  std::string rules = rule("apps", "v1", R"("deployments","daemonsets","deployments/scale","*")");
  EXPECT_EQ(warning_of(rules, "object.spec.replicas > 1"),
            "apps/v1, Kind=DaemonSet: ERROR: <input>:1:12: undefined field 'replicas'\n | "
            "object.spec.replicas > 1\n | ...........^\n");
  // A wildcard in the groups or versions makes the rule unusable.
  EXPECT_EQ(warning_of(rule("*", "v1", R"("pods")"), "object.nope"), "");
  EXPECT_EQ(warning_of(rule("", "*", R"("pods")"), "object.nope"), "");
  EXPECT_EQ(warning_of(rule("example.com", "v1", R"("things")"), "object.nope"), "");
}

TEST(Typecheck, SeveralKindsAreApartByAnEmptyLine) {
  EXPECT_EQ(
      warning_of(rule("", "v1", R"("events")"), "object.zzz"),
      "/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'zzz'\n | object.zzz\n | ......^\n\n"
      "events.k8s.io/v1, Kind=Event: ERROR: <input>:1:7: undefined field 'zzz'\n | object.zzz\n | ......^\n");
}

TEST(Typecheck, StopsAtTenKinds) {
  std::string many =
      rule("apps", "v1",
           R"("controllerrevisions","controllerrevisionlists","daemonsets","daemonsetlists","deployments",
    "deploymentlists","replicasets","replicasetlists","statefulsets","statefulsetlists","watchevents")");
  many.back() = ',';
  many += rule("", "v1", R"("pods")").substr(1);
  TypeReport r = report_of(many, R"("validations":[{"expression":"true"}])");
  EXPECT_EQ(r.kinds.size(), 10u);
  EXPECT_EQ(r.kinds[0].text(),
            "apps/v1, Kind=ControllerRevision");  // no Pod: later rules are ignored
}

TEST(Typecheck, NamesOfTypesCannotBeWritten) {
  EXPECT_EQ(
      warning_of(kDeployments, "Deployment == object"),
      "apps/v1, Kind=Deployment: ERROR: <input>:1:1: undeclared reference to 'Deployment' (in container '')\n"
      " | Deployment == object\n | ^\n");
  EXPECT_NE(warning_of(kDeployments, "object == params",
                       R"(,"paramKind":{"apiVersion":"apps/v1","kind":"Deployment"})")
                .find("no matching overload for '_==_' applied to '(Deployment, Deployment)'"),
            std::string::npos);
}

TEST(Typecheck, WarningsKeepControlCharacters) {
  EXPECT_EQ(
      warning_of(kDeployments, R"(object.a == '\u0001\u0002')"),
      "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'a'\n | object.a == '\x01\x02'\n | "
      "......^\n");
}

TEST(Typecheck, Params) {
  constexpr std::string_view kMap = R"(,"paramKind":{"apiVersion":"v1","kind":"ConfigMap"})";
  EXPECT_EQ(warning_of(kDeployments, "params.data.x == 'a'", kMap), "");
  EXPECT_NE(warning_of(kDeployments, "params.dta.x == 'a'", kMap).find("undefined field 'dta'"),
            std::string::npos);
  EXPECT_NE(warning_of(kDeployments, "params.data.x == 'a'").find("undeclared reference to 'params'"),
            std::string::npos);
  EXPECT_EQ(warning_of(kDeployments, "params.any.x == 'a'",
                       R"(,"paramKind":{"apiVersion":"example.com/v1","kind":"Thing"})"),
            "");
}

TEST(Typecheck, VariablesKeepScalarsListsAndMapsOnly) {
  auto with = [](std::string_view variable) {
    return R"(,"variables":[{"name":"v","expression":")" + std::string(variable) + "\"}]";
  };
  EXPECT_NE(
      warning_of(kDeployments, "variables.v == 'a'", with("object.spec.replicas")).find("(int, string)"),
      std::string::npos);
  EXPECT_EQ(warning_of(kDeployments, "variables.v.nope == 'a'", with("object.spec")), "");
  // Errors of variables are not reported; such variables are dyn.
  EXPECT_EQ(warning_of(kDeployments, "variables.v == 'a'", with("object.nope")), "");
  EXPECT_NE(warning_of(kDeployments, "variables.w == 'a'", with("1")).find("undefined field 'w'"),
            std::string::npos);
}

TEST(Typecheck, DoesNotKnowTheRequestResource) {
  EXPECT_NE(warning_of(kDeployments, "authorizer.requestResource.check('get').allowed()")
                .find("unexpected failed resolution of 'kubernetes.authorization.Authorizer'"),
            std::string::npos);
}

TEST(Typecheck, MoreOnRequest) {
  constexpr std::string_view kSpec = R"j("variables":[{"name":"v","expression":"object.nope"}],
    "matchConditions":[{"name":"c","expression":"object.spec.replica > 1 && authorizer.requestResource.check('x').allowed()"}],
    "validations":[{"expression":"object.spec.replicas"}],"auditAnnotations":[{"key":"k","valueExpression":"object.spec.replicas"}])j";
  EXPECT_TRUE(report_of(kDeployments, kSpec).issues.empty());
  TypeReport r = report_of(kDeployments, kSpec, TypecheckScope::Everything);
  ASSERT_EQ(r.issues.size(), 4u);
  EXPECT_EQ(r.issues[0].field, "spec.variables[0].expression");
  EXPECT_FALSE(r.issues[0].server);
  EXPECT_EQ(r.issues[1].message, "must evaluate to bool but got int");
  EXPECT_EQ(r.issues[2].field, "spec.matchConditions[0].expression");
  EXPECT_EQ(r.issues[2].suggestion, "replicas");
  EXPECT_EQ(r.issues[3].message, "must evaluate to string or null_type but got int");
}

TEST(Typecheck, ArgumentsOfUnknownTypeAreLookedAt) {
  TypeReport r = report_of(kDeployments, R"j("validations":[{"expression":"object.spec % optional.none()"},
    {"expression":"object.spec % {}"},{"expression":"object.spec % [[]]"}])j");
  EXPECT_EQ(r.issues.size(), 3u);
}

TEST(Typecheck, RefusesOtherObjects) {
  static const SchemaCatalog catalog;
  for (std::string_view text :
       {"1", "{}", R"({"apiVersion":"v1","kind":"Pod"})", R"({"apiVersion":"admissionregistration.k8s.io/v1",
       "kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"b"},"spec":{"policyName":"p"}})"}) {
    auto document = read_document(text);
    ASSERT_TRUE(document.ok());
    Arena arena;
    EXPECT_NE(typecheck_policy(decode_object(arena, *document), catalog, TypecheckScope::ApiServer).error, "")
        << text;
  }
}

// The API server treats variables that hold objects as dyn; on request the check keeps their types.
TEST(Typecheck, SeesThroughVariablesThatHoldObjects) {
  constexpr std::string_view kSpec =
      R"j("variables":[{"name":"spec","expression":"object.spec"},{"name":"pod","expression":"variables.spec.template.spec"},
    {"name":"first","expression":"variables.pod.containers[0]"},{"name":"all","expression":"{'a': variables.spec}"}],
    "validations":[{"expression":"variables.spec.replica <= 5"},{"expression":"variables.first.imag == 'a'"},
    {"expression":"variables.pod.containers.all(c, c.nam != '')"},{"expression":"variables.spec.replicas == 'a'"},
    {"expression":"variables.all.a.replica == 1"},{"expression":"variables.spec.replicas"},{"expression":"objct == null"}])j";
  TypeReport server = report_of(kDeployments, kSpec);
  ASSERT_EQ(server.issues.size(), 1u);
  TypeReport r = report_of(kDeployments, kSpec, TypecheckScope::Everything);
  ASSERT_EQ(r.issues.size(), 7u);
  EXPECT_EQ(r.issues[0].message, "undefined field 'replica'");
  EXPECT_EQ(r.issues[0].suggestion, "replicas");
  EXPECT_EQ(r.issues[1].suggestion, "image");
  EXPECT_EQ(r.issues[2].suggestion, "name");
  EXPECT_EQ(r.issues[3].message, "found no matching overload for '_==_' applied to '(int, string)'");
  EXPECT_EQ(r.issues[4].suggestion, "replicas");
  EXPECT_EQ(r.issues[5].message, "must evaluate to bool but got int");
  for (int i = 0; i < 6; i++) EXPECT_FALSE(r.issues[i].server) << i;
  EXPECT_TRUE(r.issues[6].server);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0].field, "spec.validations[6].expression");
}

}  // namespace
}  // namespace portcullis
