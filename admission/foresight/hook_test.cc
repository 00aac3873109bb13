// Webhooks in the way of namespaces, and timeouts that add up.
#include "admission/foresight/hook.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "admission/builtin/registration.h"
#include "admission/expressions/expression.h"
#include "admission/expressions/expression_places.h"
#include "interpreter/values/json.h"

namespace portcullis::foresight {
namespace {

class Hooks {
 public:
  // Adds a webhook with these fields, written with ' for ", and ~ for '.
  void add(std::string fields, bool mutating = true) {
    std::ranges::replace(fields, '\'', '"');
    std::ranges::replace(fields, '~', '\'');
    std::string text = R"({"apiVersion": "admissionregistration.k8s.io/v1", "kind": ")" +
                       std::string(mutating ? "Mutating" : "Validating") +
                       R"(WebhookConfiguration", "webhooks": [{"name": "h)" + std::to_string(hooks.size()) +
                       R"(", )" + fields + "}]}";
    auto value = read_json(text, arena_);
    ASSERT_TRUE(value.ok()) << text;
    Decoded decoded = decode_object(arena_, *value);
    ASSERT_EQ(decoded.error, "");
    const Data hook = decoded.data["webhooks"].items[0];
    std::vector<Condition> conditions;
    const ExpressionPlace& place = *place_at("webhooks[0].matchConditions[0].expression");
    for (const Data& c : hook["matchConditions"].items) {
      PolicyCompiler compiler(false);
      CompiledExpression made =
          compiler.compile(c.field_text("expression"), place.results, place.declared(false), {});
      if (made.expression != nullptr) conditions.emplace_back(made.expression);
    }
    hooks.emplace_back(hook, mutating, std::move(conditions));
  }

  // What the last webhook does to the pods of a namespace; empty: nothing.
  std::string_view without(std::string_view space, KnownLabels labels = {}) {
    const VitalRequest* found = obstructed(hooks.back(), space, labels, context_);
    return found == nullptr ? "" : found->without;
  }
  int64_t wait() {
    static const ServedResource served[] = {{"", "v1", "pods", "", "", "v1", "Pod", true, true, 7},
                                            {"", "v1", "nodes", "", "", "v1", "Node", false, true, 7}};
    auto found = longest_wait(hooks, {served, [](std::string_view) { return true; }}, context_);
    return found ? found->seconds : 0;
  }

  std::vector<Hook> hooks;

 private:
  Arena arena_;
  Context context_;
};

const std::string kPods =
    "'rules': [{'apiGroups': [''], 'apiVersions': ['v1'], 'resources': ['pods'], 'operations': ['CREATE']}]";
const std::string kAny =
    "'rules': [{'apiGroups': ['*'], 'apiVersions': ['*'], 'resources': ['*'], 'operations': ['*']}]";

std::string selects(std::string_view field, std::string_view key, std::string_view op,
                    std::string_view values = "") {
  std::string out = ", '" + std::string(field) + "': {'matchExpressions': [{'key': '" + std::string(key) +
                    "', 'operator': '" + std::string(op) + "'";
  if (!values.empty()) out += ", 'values': [" + std::string(values) + "]";
  return out + "}]}";
}
std::string when(std::string expression) {
  std::ranges::replace(expression, '\'', '~');
  return ", 'matchConditions': [{'name': 'c', 'expression': \"" + expression + "\"}]";
}

std::string without(const std::string& fields, KnownLabels labels = {}, std::string_view space = "hooks") {
  Hooks hooks;
  hooks.add(fields);
  return std::string(hooks.without(space, std::move(labels)));
}

TEST(Hook, StandsInTheWayOfPods) {
  const std::string kName = "kubernetes.io/metadata.name", kCreated = "cannot be created";
  EXPECT_EQ(without(kPods), kCreated);
  EXPECT_EQ(without(kAny), kCreated);
  EXPECT_EQ(without(kPods + selects("namespaceSelector", kName, "NotIn", "'hooks'")), "");
  EXPECT_EQ(without(kPods + selects("namespaceSelector", kName, "NotIn", "'other'")), kCreated);
  EXPECT_EQ(without(kPods + selects("namespaceSelector", kName, "In", "'hooks'")), kCreated);
  EXPECT_EQ(without(kPods + selects("namespaceSelector", kName, "DoesNotExist")), "");
  EXPECT_EQ(without(kPods + ", 'objectSelector': {'matchLabels': {'a': 'b'}}"), "");
  EXPECT_EQ(without(kPods + selects("objectSelector", "ignore", "DoesNotExist")), "");
  EXPECT_EQ(without("'rules': [{'apiGroups': [''], 'apiVersions': ['v1'], 'resources': ['pods'], "
                    "'operations': ['*'], 'scope': 'Cluster'}]"),
            "");
  EXPECT_EQ(without("'rules': [{'apiGroups': ['apps'], 'apiVersions': ['v1'], 'resources': ['*'], "
                    "'operations': ['*']}]"),
            "");
  EXPECT_EQ(without("'rules': [{'apiGroups': [''], 'apiVersions': ['v1'], 'resources': ['pods'], "
                    "'operations': ['DELETE']}]"),
            "");
}

TEST(Hook, LabelsOfANamespaceAreKnownIfItIs) {
  const std::string ignored = kPods + selects("namespaceSelector", "ignore", "DoesNotExist");
  EXPECT_EQ(without(ignored), "");  // it may have the label
  EXPECT_EQ(without(ignored, {{}, true}), "cannot be created");
  EXPECT_EQ(without(ignored, {{{"ignore", ""}}, true}), "");
  EXPECT_EQ(without(kPods + selects("namespaceSelector", "inject", "In", "'on'"), {{{"inject", "on"}}, true}),
            "cannot be created");
}

TEST(Hook, ConditionsKeepRequestsAway) {
  EXPECT_EQ(without(kPods + when("request.namespace != 'hooks'")), "");
  EXPECT_EQ(without(kPods + when("!(object.metadata.namespace in ['hooks', 'a'])")), "");
  EXPECT_EQ(without(kPods + when("request.namespace != 'kube-system'")), "cannot be created");
  EXPECT_EQ(
      without(kPods + when("!request.userInfo.username.startsWith('system:serviceaccount:kube-system:')")),
      "");
  EXPECT_EQ(without(kPods + when("!('system:nodes' in request.userInfo.groups)")), "cannot be created");
  EXPECT_EQ(without(kPods + when("object.metadata.name != 'a'")), "");  // not known
  EXPECT_EQ(without(kPods + when("does not compile")), "");
}

TEST(Hook, OtherRequestsThatPodsNeed) {
  auto rule = [](std::string_view group, std::string_view resource) {
    return "'rules': [{'apiGroups': ['" + std::string(group) + "'], 'apiVersions': ['v1'], 'resources': ['" +
           std::string(resource) + "'], 'operations': ['*']}]";
  };
  EXPECT_EQ(without(rule("", "pods/binding")), "cannot be scheduled");
  EXPECT_EQ(without(rule("", "pods/status")), "cannot become ready");
  EXPECT_EQ(without(rule("", "serviceaccounts/token")), "get no token, so they cannot start");
  EXPECT_EQ(without(rule("discovery.k8s.io", "endpointslices")), "get no requests from services");
  EXPECT_EQ(without(rule("coordination.k8s.io", "leases")), "");
  EXPECT_NE(without(rule("coordination.k8s.io", "leases"), {}, "kube-system"), "");
}

TEST(Hook, TimeoutsAddUp) {
  Hooks serial;
  for (int i = 0; i < 3; i++) serial.add(kPods);
  EXPECT_EQ(serial.wait(), 0);  // 30 s
  serial.add(kAny + ", 'timeoutSeconds': 4");
  EXPECT_EQ(serial.wait(), 0);  // 34 s
  serial.add(kPods + ", 'timeoutSeconds': 7", false);
  serial.add(kPods + ", 'timeoutSeconds': 5", false);
  EXPECT_EQ(serial.wait(), 41);

  Hooks parallel;
  for (int i = 0; i < 5; i++) parallel.add(kPods + ", 'timeoutSeconds': 30", false);
  EXPECT_EQ(parallel.wait(), 0);
}

TEST(Hook, TimeoutsOfOneRequestOnly) {
  Hooks kinds;
  kinds.add(kPods + ", 'timeoutSeconds': 30");
  kinds.add(
      "'rules': [{'apiGroups': [''], 'apiVersions': ['v1'], 'resources': ['nodes'], 'operations': ['*']}], "
      "'timeoutSeconds': 30");
  EXPECT_EQ(kinds.wait(), 0);
  kinds.add(kPods + ", 'timeoutSeconds': 20" + when("object.metadata.name == 'a'"));
  EXPECT_EQ(kinds.wait(), 0);

  Hooks labels;
  labels.add(kPods + ", 'timeoutSeconds': 30" + selects("namespaceSelector", "inject", "In", "'on'"));
  labels.add(kPods + ", 'timeoutSeconds': 30" + selects("namespaceSelector", "inject", "DoesNotExist"));
  EXPECT_EQ(labels.wait(), 0);
  labels.add(kPods + ", 'timeoutSeconds': 20" + selects("objectSelector", "skip", "NotIn", "'yes'"));
  EXPECT_EQ(labels.wait(), 50);
}

}  // namespace
}  // namespace portcullis::foresight
