// Engine::mutate beyond its answer: outcomes, lifetimes, Engine::admit, threads.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "admission/mutation.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

using Happened = MutationOutcome::Kind;
using Why = MutationOutcome::Why;

constexpr std::string_view kAdd =
    R"({"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'add', path: '/metadata/labels', value: {'n': string(int(object.metadata.?labels.n.orValue('0')) + 1)}}]"}})";
constexpr std::string_view kTest =
    R"({"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'test', path: '/kind', value: 'X'}]"}})";
constexpr std::string_view kFail =
    R"({"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'bad', path: '/kind'}]"}})";

// A cluster of mutating policies, each with a binding of the same name, and the pods to mutate.
class Mutations : public testing::Test {
 protected:
  Value parse(const std::string& text) {
    auto value = read_json(text, arena_);
    EXPECT_TRUE(value.ok()) << text;
    return value.ok() ? *value : Value();
  }

  void policy(const std::string& kind, const std::string& name, const std::string& spec) {
    const std::string head = R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":")" + kind;
    cluster_.policies.push_back(
        parse(head + R"(","metadata":{"name":")" + name +
              R"("},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],)"
              R"("operations":["*"],"resources":["*"]}]},)" +
              spec + "}}"));
    cluster_.bindings.push_back(parse(head + R"(Binding","metadata":{"name":")" + name +
                                      R"("},"spec":{"validationActions":["Deny"],)" + R"("policyName":")" +
                                      name + R"("}})"));
  }
  void mutating(const std::string& name, std::string_view mutation, const std::string& more = "") {
    policy("MutatingAdmissionPolicy", name, R"("mutations":[)" + std::string(mutation) + "]" + more);
  }
  void load() {
    cluster_.namespaces = {parse(R"({"metadata":{"name":"default"}})")};
    auto loaded = Engine::load(cluster_);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text;
    engine_ = *loaded;
  }
  AdmissionRequest request() {
    AdmissionRequest r;
    r.operation = Operation::Create;
    r.kind = {"", "v1", "Pod"};
    r.resource = {"", "v1", "pods"};
    r.name = "web";
    r.namespace_name = "default";
    r.object = parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}})");
    return r;
  }
  void mutate() {
    context_.want_outcomes = true;
    engine_->mutate(request(), context_, mutation_);
  }

  Arena arena_;
  Cluster cluster_;
  std::shared_ptr<const Engine> engine_;
  ReviewContext context_;
  Mutation mutation_;
};

TEST_F(Mutations, TellWhatHappenedInOrder) {
  mutating("a", std::string(kAdd) + "," + std::string(kTest), R"(,"reinvocationPolicy":"IfNeeded")");
  mutating("b", kAdd, R"(,"reinvocationPolicy":"Never")");
  mutating("c", kAdd,
           R"(,"reinvocationPolicy":"IfNeeded","matchConditions":[{"name":"no","expression":"false"}])");
  mutating("d", kFail, R"(,"reinvocationPolicy":"IfNeeded","failurePolicy":"Ignore")");
  load();
  mutate();
  ASSERT_TRUE(mutation_.allowed);
  EXPECT_EQ(mutation_.passes, 2);
  EXPECT_EQ(mutation_.policies_matched, 4);
  EXPECT_TRUE(mutation_.changed);
  EXPECT_EQ(to_json(mutation_.object),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"n":"3"},"name":"web"}})");

  struct Want {
    int pass;
    std::string_view policy;
    int mutation;
    Happened kind;
    Why why;
    bool changed;
  };
  const Want wanted[] = {
      {1, "a", 0, Happened::Applied, Why::FirstPass, true},
      {1, "a", 1, Happened::TestFailed, Why::FirstPass, false},
      {1, "b", 0, Happened::Applied, Why::FirstPass, true},
      {1, "c", -1, Happened::ConditionsFalse, Why::FirstPass, false},
      {1, "d", 0, Happened::Error, Why::FirstPass, false},
      {2, "a", 0, Happened::Applied, Why::LaterChange, true},
      {2, "a", 1, Happened::TestFailed, Why::LaterChange, false},
      {2, "b", -1, Happened::NotAgain, Why::PolicyIsNever, false},
      {2, "c", -1, Happened::ConditionsFalse, Why::FirstPass, false},
  };
  ASSERT_GE(mutation_.outcomes.size(), std::size(wanted));
  for (size_t i = 0; i < std::size(wanted); ++i) {
    const MutationOutcome& o = mutation_.outcomes[i];
    EXPECT_EQ(o.pass, wanted[i].pass) << i;
    EXPECT_EQ(o.policy, wanted[i].policy) << i;
    EXPECT_EQ(o.mutation, wanted[i].mutation) << i;
    EXPECT_EQ(o.kind, wanted[i].kind) << i;
    EXPECT_EQ(o.why, wanted[i].why) << i;
    EXPECT_EQ(o.changed, wanted[i].changed) << i;
  }
  const MutationOutcome &first = mutation_.outcomes[0], &failed = mutation_.outcomes[4],
                        &again = mutation_.outcomes[5];
  EXPECT_EQ(to_json(first.before), R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}})");
  EXPECT_EQ(to_json(first.after),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"n":"1"},"name":"web"}})");
  EXPECT_TRUE(first.value.is(Kind::List));
  EXPECT_TRUE(first.json_patch);
  EXPECT_GT(first.cost, 0u);
  EXPECT_EQ(failed.message, "JSON Patch: Unexpected kind: bad");
  EXPECT_TRUE(failed.ignored);
  EXPECT_EQ(again.by_policy, "b");
  EXPECT_EQ(again.by_binding, "b");
}

TEST_F(Mutations, AloneRunAgainBecauseSomethingRan) {
  mutating("a", kTest, R"(,"reinvocationPolicy":"IfNeeded")");
  load();
  mutate();
  ASSERT_EQ(mutation_.outcomes.size(), 2u);
  EXPECT_EQ(mutation_.outcomes[1].why, Why::SomethingRan);
  EXPECT_FALSE(mutation_.changed);
}

// Policies in another order behave as if they had other names.
TEST_F(Mutations, RunInAnotherOrder) {
  auto appends = [](const std::string& letter) {
    return R"({"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'replace', path: '/metadata/name', value: object.metadata.name + ')" +
           letter + R"('}]"}})";
  };
  mutating("a", appends("a"), R"(,"reinvocationPolicy":"IfNeeded")");
  mutating("b", appends("b"));
  mutating("c", appends("c"), R"(,"reinvocationPolicy":"IfNeeded")");
  load();
  auto name = [&](MutationOrder order) {
    context_.order = order;
    mutate();
    return to_json(*find_member(*find_member(mutation_.object, "metadata"), "name"));
  };
  EXPECT_EQ(name({}), R"("webabcac")");
  EXPECT_EQ(name({.one = "a", .other = "c"}), R"("webcbaca")");
  EXPECT_EQ(name({.one = "b", .other = "a"}), R"("webbacac")");
  EXPECT_EQ(name({.reversed = true}), R"("webcbaca")");
  EXPECT_EQ(name({.one = "a", .other = "nobody"}), R"("webabcac")");
}

TEST_F(Mutations, LiveThroughAReview) {
  mutating("a", kAdd, R"(,"reinvocationPolicy":"Never")");
  policy("ValidatingAdmissionPolicy", "v",
         R"("validations":[{"expression":"object.metadata.labels.n == '1'"}])");
  load();
  Decision decision;
  engine_->admit(request(), context_, mutation_, decision);
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(to_json(mutation_.object),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"n":"1"},"name":"web"}})");
}

TEST_F(Mutations, RefuseForBoth) {
  mutating("a", kFail, R"(,"reinvocationPolicy":"Never")");
  policy("ValidatingAdmissionPolicy", "v", R"("validations":[{"expression":"true"}])");
  load();
  Decision decision;
  engine_->admit(request(), context_, mutation_, decision);
  EXPECT_FALSE(mutation_.allowed);
  EXPECT_TRUE(mutation_.object.is_null());
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.status.code, 403);
  EXPECT_EQ(decision.status.message,
            "policy 'a' with binding 'a' denied request: JSON Patch: Unexpected kind: bad");
  EXPECT_EQ(decision.policies_matched, 0);
}

TEST_F(Mutations, AreMadeByManyThreads) {
  mutating("a", kAdd, R"(,"reinvocationPolicy":"IfNeeded")");
  load();
  const AdmissionRequest asked = request();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      ReviewContext context;
      Mutation mutation;
      for (int i = 0; i < 200; ++i) {
        engine_->mutate(asked, context, mutation);
        wrong += to_json(mutation.object) !=
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"n":"2"},"name":"web"}})";
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace portcullis
