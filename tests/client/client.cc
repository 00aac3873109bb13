// A program that knows nothing of Portcullis but what `meson install` installs: it evaluates an expression
// and decides a request, and prints both. Built and run by tests/client/build.
#include <portcullis/admission.h>
#include <portcullis/cel.h>

#include <cstdio>

#include "admission/expressions/environment.h"
#include "interpreter/values/json.h"

using namespace portcullis;

static constexpr const char* kPolicy =
    R"json({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
  "metadata": {"name": "few"}, "spec": {"matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"],
  "operations": ["CREATE"], "resources": ["deployments"]}]}, "validations": [{"expression": "object.spec.replicas <= 5",
  "messageExpression": "'%d replicas are too many'.format([object.spec.replicas])"}]}})json";
static constexpr const char* kBinding = R"json({"apiVersion": "admissionregistration.k8s.io/v1",
  "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "few"}, "spec": {"policyName": "few", "validationActions": ["Deny"]}})json";

// The value and the cost of an expression.
static int print_value(const Value& object) {
  EnvironmentBuilder builder(stored_environment());
  add_policy_variables(builder, {});
  const Result<ExpressionPtr> expression = compile("object.spec.replicas * 2", builder.build().value());
  const Result<ProgramPtr> program =
      expression.ok() ? make_program(*expression) : Result<ProgramPtr>(expression.error());
  if (!program.ok()) return std::fprintf(stderr, "%s\n", program.error().text.c_str()), 1;
  Context context;
  Activation activation((*program)->paths());
  activation.set("object", object);
  const Outcome outcome = evaluate(**program, activation, context);
  std::printf("value %s, cost %llu\n", to_json(outcome.value).c_str(),
              static_cast<unsigned long long>(outcome.cost));
  return 0;
}

// The decision on a request that creates `object`.
static int print_decision(const Value& object, Arena& arena) {
  Cluster cluster;
  cluster.policies = {read_json(kPolicy, arena).value()};
  cluster.bindings = {read_json(kBinding, arena).value()};
  cluster.namespaces = {
      read_json(R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})", arena).value()};
  const Result<std::shared_ptr<const Engine>> engine = Engine::load(cluster);
  if (!engine.ok()) return std::fprintf(stderr, "%s\n", engine.error().text.c_str()), 1;
  AdmissionRequest request;
  request.kind = {"apps", "v1", "Deployment"};
  request.resource = {"apps", "v1", "deployments"};
  request.name = "web";
  request.namespace_name = "shop";
  request.object = object;
  ReviewContext context;
  Decision decision;
  (*engine)->review(request, context, decision);
  std::printf("allowed %s: %.*s\n", decision.allowed ? "yes" : "no",
              static_cast<int>(decision.status.message.size()), decision.status.message.data());
  return 0;
}

int main() {
  Arena arena;
  const Result<Value> object = read_json(R"({"metadata": {"name": "web"}, "spec": {"replicas": 8}})", arena);
  if (!object.ok()) return 1;
  return print_value(*object) | print_decision(*object, arena);
}
