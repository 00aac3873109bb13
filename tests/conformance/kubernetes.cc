// Cases of the Kubernetes tables that run in its environments. They become requests of the batch protocol, so
// that the tables check what users call.
#include <cstdlib>
#include <string>

#include "batch/batch.h"
#include "batch/cel.h"
#include "batch/tagged.h"
#include "interpreter/values/json.h"
#include "tests/conformance/case.h"
#include "tests/fields.h"

namespace portcullis::tests {
namespace {

// Sends a line to the batch protocol; the answer lives in `arena`.
Value ask(const std::string& line, Arena& arena) {
  static thread_local CelBatch cel;
  std::string answer = line.find("\"mode\":") == std::string::npos ? cel.answer(line) : answer_batch(line);
  Result<Value> read = read_json(answer, arena);
  return read.ok() ? *read : Value::null();
}

std::string member(std::string_view name, const std::string& json) {
  return ",\"" + std::string(name) + "\":" + json;
}

std::string member_of(const Value& test, std::string_view name, std::string_view as) {
  const Value* v = field(test, name);
  return v == nullptr || v->is_null() ? "" : member(as, to_json(*v));
}

std::string environment_of(const Value& test) {
  std::string out;
  if (std::string version = text_field(test, "compatibility_version"); !version.empty()) {
    out += member("version", quote_json(version));
  }
  out += member("env", text_field(test, "env_type") == "StoredExpressions" ? "\"stored\"" : "\"new\"");
  return out;
}

// The answers of the authorizer as rules of the protocol: the one allowed check, then the default.
std::string rules_of(const Value& authorizer) {
  std::string rules = "[";
  if (const Value* allow = field(authorizer, "allow")) {
    rules += "{\"decision\":\"allow\"";
    const char* names[] = {"verb", "group", "version", "resource", "subresource", "namespace", "name"};
    bool resource = flag(*allow, "resourceRequest");
    for (const char* name : names) {
      if (resource || std::string_view(name) == "verb")
        rules += member(name, quote_json(text_field(*allow, name)));
    }
    if (!resource) rules += member("path", quote_json(text_field(*allow, "path")));
    for (const char* name : {"fieldSelector", "labelSelector"}) {
      std::string selector;
      for (const Value& term : list_field(*allow, name)) {
        std::string key = text_field(term, std::string_view(name) == "fieldSelector" ? "field" : "key");
        std::string value = text_field(term, "value");
        for (const Value& v : list_field(term, "values")) value += v.as_text();
        selector += (selector.empty() ? "" : ",") + key + text_field(term, "operator") + value;
      }
      if (!selector.empty()) rules += member(name, quote_json(selector));
    }
    rules += "},";
  }
  Value none = Value::null();
  const Value* other = field(authorizer, "default");
  if (other == nullptr) other = &none;
  rules += "{\"decision\":" + quote_json(text_field(*other, "decision")) +
           member("reason", quote_json(text_field(*other, "reason"))) +
           member("error", quote_json(text_field(*other, "error"))) + "}]";
  return rules;
}

// A request of mode `condition`.
std::string condition_line(const Value& test, bool check_only) {
  std::string line = "{\"mode\":\"condition\"" + environment_of(test);
  const Value* expressions = field(test, "expressions");
  line += member("expressions", expressions != nullptr ? to_json(*expressions)
                                                       : "[" + quote_json(text_field(test, "expr")) + "]");
  line += member_of(test, "variables", "variables") + member_of(test, "request", "request");
  line += member_of(test, "params", "params") + member_of(test, "namespaceObject", "namespaceObject");
  if (flag(test, "has_params")) line += member("hasParams", "true");
  if (check_only)
    return line + (flag(test, "has_authorizer") ? member("hasAuthorizer", "true") : "") +
           member("checkOnly", "true") + "}";
  if (std::string budget = text_field(test, "budget"); !budget.empty()) line += member("budget", budget);
  if (std::string limit = text_field(test, "per_call_limit"); !limit.empty())
    line += member("perCallLimit", limit);
  const Value* authorizer = field(test, "authorizer");
  line += member("hasAuthorizer", "true");
  if (authorizer != nullptr && authorizer->is(Kind::Map)) line += member("authz", rules_of(*authorizer));
  return line + "}";
}

// An answer of mode `cel`, or one result of mode `condition`, as an Answer.
Answer to_answer(const Value& reply, Arena& arena) {
  Answer answer;
  for (const char* name : {"compileError", "evalError", "error", "inputError"}) {
    if (field(reply, name) == nullptr) continue;
    answer.error = text_field(reply, name);
    if (answer.error->find("compilation failed: ") != std::string::npos ||
        std::string_view(name) == "compileError" || std::string_view(name) == "inputError") {
      answer.phase = Answer::Phase::Compile;
    }
  }
  if (const Value* value = field(reply, "value")) {
    Result<Value> read = read_tagged(*value, arena);
    if (read.ok()) answer.value = *read;
  }
  answer.type = text_field(reply, "outputType");
  if (const Value* cost = field(reply, "cost"); cost != nullptr && cost->is(Kind::Int)) {
    answer.cost = static_cast<uint64_t>(cost->as_int());
  }
  if (auto estimate = list_field(reply, "estimate"); estimate.size() == 2) {
    answer.estimate = {std::strtoull(std::string(estimate[0].as_text()).c_str(), nullptr, 10),
                       std::strtoull(std::string(estimate[1].as_text()).c_str(), nullptr, 10)};
  }
  return answer;
}

void run_costs(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  std::string line = "{\"env\":\"libraries\",\"expr\":" + quote_json(text_field(test, "expr")) +
                     ",\"types\":{\"authorizer\":\"authorizer\"},\"authz\":[{\"decision\":\"allow\"}]";
  if (std::string limit = text_field(test, "cost_limit"); !limit.empty()) line += member("costLimit", limit);
  line += "}";
  judge(table, test, to_answer(ask(line, arena), arena), tally);
}

void run_compile(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  std::string line = condition_line(test, true);
  line.insert(line.size() - 1, ",\"returnTypes\":[\"bool\"]");
  Value reply = ask(line, arena);
  auto results = list_field(reply, "results");
  judge(table, test, to_answer(results.empty() ? reply : results[0], arena), tally);
}

void run_environment(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  for (const Value& env : list_field(test, "envs")) {
    std::string line =
        "{\"expr\":" + quote_json(text_field(test, "expr")) +
        member("version", quote_json(text_field(env, "version"))) +
        member("env", text_field(env, "env_type") == "StoredExpressions" ? "\"stored\"" : "\"new\"") + "}";
    Answer answer = to_answer(ask(line, arena), arena);
    if (&env == &list_field(test, "envs").back() || answer.error) return judge(table, test, answer, tally);
  }
}

void run_composition(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  Value reply = ask(condition_line(test, false), arena);
  auto results = list_field(reply, "results");
  judge(table, test, to_answer(results.empty() ? reply : results[0], arena), tally);
}

// The protocol's answers have no phases, so only errors of any phase can be judged.
bool error_fits(const Value& expected, const std::string& text) {
  return text_field(expected, "phase") == "any" && matches_error(expected, text);
}

std::string result_mismatch(const Value& expected, const Value& actual) {
  if (const Value* value = field(expected, "value")) {
    const Value* got = field(actual, "value");
    return got != nullptr && to_json(*got) == to_json(*value) ? "" : to_json(*value);
  }
  const Value* error = field(expected, "error");
  if (error == nullptr) return "a known statement, not " + to_json(expected);
  return field(actual, "error") != nullptr && error_fits(*error, text_field(actual, "error"))
             ? ""
             : to_json(*error);
}

void run_condition(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  Value reply = ask(condition_line(test, false), arena);
  const Value& expect = *field(test, "expect");
  auto expected = list_field(expect, "results"), actual = list_field(reply, "results");
  std::string failed = expected.size() == actual.size() ? "" : to_json(expect);
  for (size_t i = 0; i < expected.size() && failed.empty(); ++i)
    failed = result_mismatch(expected[i], actual[i]);
  failed.empty() ? tally.pass(test_id(table, test))
                 : tally.fail(test_id(table, test), failed, to_json(reply));
}

void run_budget(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  Value reply = ask(condition_line(test, false), arena);
  const Value& expect = *field(test, "expect");
  bool exceeded = flag(reply, "outOfBudget"), cancelled = false;
  for (const Value& result : list_field(reply, "results")) {
    cancelled |= text_field(result, "error").find("operation cancelled: actual cost limit exceeded") !=
                 std::string::npos;
  }
  bool fits = exceeded == flag(expect, "exceeds_budget") &&
              cancelled == flag(expect, "exceeds_per_call_limit") && field(reply, "inputError") == nullptr;
  if (const Value* remaining = field(expect, "remaining_budget")) {
    fits = fits && text_field(reply, "remainingBudget") == remaining->as_text();
  }
  fits ? tally.pass(test_id(table, test)) : tally.fail(test_id(table, test), to_json(expect), to_json(reply));
}

// All errors of a rule of a custom resource: of its compilation and of its evaluation.
std::string rule_text(const Value& reply) {
  std::string text;
  for (const Value& rule : list_field(reply, "rules")) text += text_field(rule, "error");
  for (const Value& error : list_field(reply, "errors")) text += "\n" + text_field(error, "message");
  return text + text_field(reply, "compileError") + text_field(reply, "schemaError");
}

// Whether the rule gave `expected`, true or false. A false rule without a message has a standard text; a rule
// that could not be evaluated has another one.
bool rule_gave(const Value& expected, const Value& reply) {
  const Value* wanted = field(expected, "bool");
  if (wanted == nullptr) return false;
  if (wanted->is_true()) return rule_text(reply).empty();
  auto errors = list_field(reply, "errors");
  return errors.size() == 1 && rule_text(reply).find("failed rule: ") != std::string::npos;
}

// Whether a transition rule without an old value compiled and was skipped.
bool rule_skipped(const Value& reply) {
  auto rules = list_field(reply, "rules");
  return rule_text(reply).empty() && rules.size() == 1 && flag(rules[0], "usesOldSelf") &&
         text_field(reply, "cost") == "0";
}

bool rule_cost(std::string_view what, const Value& expected, const Value& reply) {
  auto rules = list_field(reply, "rules");
  std::string cost = what == "actual"    ? text_field(reply, "cost")
                     : rules.size() == 1 ? text_field(rules[0], "maxCost")
                                         : "";
  return expected.is(Kind::String) && cost == expected.as_text();
}

// Whether one statement of `expect` holds for a rule.
bool rule_holds(std::string_view what, const Value& expected, const Value& reply) {
  if (what == "error") return !rule_text(reply).empty() && error_fits(expected, rule_text(reply));
  if (what == "value") return rule_gave(expected, reply);
  if (what == "skipped") return expected.is_true() == rule_skipped(reply);
  if (what != "cost") return false;
  for (const MapEntry& cost : expected.as_map()) {
    if (!rule_cost(cost.key.as_text(), cost.value, reply)) return false;
  }
  return true;
}

void run_crd(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  std::string id = test_id(table, test);
  bool root = flag(test, "is_root") || id.find("typemeta and objectmeta") != std::string::npos;
  std::string line = "{\"mode\":\"crdrule\",\"rules\":[{\"rule\":" + quote_json(text_field(test, "expr")) +
                     "}]" + member_of(test, "schema", "schema") + member("isRoot", root ? "true" : "false");
  if (const Value* self = field(test, "self")) line += member("self", to_json(*self));
  if (const Value* old = field(test, "oldSelf")) line += member("oldSelf", to_json(*old));
  if (std::string limit = text_field(test, "cost_limit"); !limit.empty()) line += member("budget", limit);
  Value reply = ask(line + "}", arena);
  const Value* expect = field(test, "expect");
  bool fits = field(reply, "inputError") == nullptr && expect != nullptr && expect->size() > 0;
  for (const MapEntry& statement : map_field(test, "expect")) {
    fits = fits && rule_holds(statement.key.as_text(), statement.value, reply);
  }
  fits
      ? tally.pass(id)
      : tally.fail(id, text_field(test, "expr") + " => " + (expect ? to_json(*expect) : "?"), to_json(reply));
}

// `object` of the table as a Deployment.
std::string deployment(const Value& object) {
  std::string json = to_json(object);
  return R"({"apiVersion":"apps/v1","kind":"Deployment")" + (json == "{}" ? "}" : "," + json.substr(1));
}

// The same with the defaults that the table omits.
Value defaulted(const Value& object, Arena& arena) {
  Value reply = ask(R"({"mode":"decode","object":)" + deployment(object) + "}", arena);
  const Value* made = field(reply, "object");
  return made == nullptr ? reply : *made;
}

// Data without nulls and empty values, which the tables omit where Go's structs have them.
Value without_empty(const Value& data, Arena& arena) {
  auto is_empty = [](const Value& v) {
    return v.is_null() || ((v.is(Kind::Map) || v.is(Kind::List)) && v.size() == 0);
  };
  if (data.is(Kind::List)) {
    Value* items = arena.array<Value>(data.size());
    for (size_t i = 0; i < data.size(); ++i) new (&items[i]) Value(without_empty(data.as_list()[i], arena));
    return Value::list(items, data.size());
  }
  if (!data.is(Kind::Map)) return data;
  MapEntry* entries = alloc_entries(arena, data.size());
  size_t n = 0;
  for (const MapEntry& e : data.as_map()) {
    Value value = without_empty(e.value, arena);
    if (!is_empty(value)) new (&entries[n++]) MapEntry{e.key, value};
  }
  return make_map(entries, n);
}

// A review with one mutating policy.
std::string mutation_line(const Table& table, const Value& test) {
  bool json_patch = table.name() == "jsonpatch";
  std::string expression = "{" + member("expression", quote_json(text_field(test, "expr"))).substr(1) + "}";
  std::string mutation = std::string("{\"patchType\":") +
                         (json_patch ? "\"JSONPatch\"" : "\"ApplyConfiguration\"") +
                         member(json_patch ? "jsonPatch" : "applyConfiguration", expression) + "}";
  std::string line =
      R"({"mode":"review","typed":true,"policies":[{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicy",)"
      R"("metadata":{"name":"p"},"spec":{"reinvocationPolicy":"Never","matchConstraints":{"resourceRules":[)"
      R"({"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}]},"mutations":[)" +
      mutation +
      R"(]}}],"bindings":[{"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingAdmissionPolicyBinding",)"
      R"("metadata":{"name":"b"},"spec":{"policyName":"p"}}],"namespaces":[{"metadata":{"name":"default"}}],)"
      R"("request":{"operation":"CREATE","name":"x","namespace":"default",)"
      R"("kind":{"group":"apps","version":"v1","kind":"Deployment"},)"
      R"("resource":{"group":"apps","version":"v1","resource":"deployments"})" +
      member("object", deployment(*field(test, "object")));
  if (const Value* old = field(test, "oldObject")) line += member("oldObject", deployment(*old));
  return line + "}}";
}

void run_mutation(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  Value reply = ask(mutation_line(table, test), arena);
  const Value& expect = *field(test, "expect");
  std::string wanted, got = to_json(reply);
  bool fits = false;
  if (const Value* error = field(expect, "error")) {
    const Value* status = field(reply, "status");
    wanted = to_json(*error);
    fits = status != nullptr && error_fits(*error, text_field(*status, "message"));
  } else if (const Value* object = field(expect, "object")) {
    const Value* patched = field(reply, "patchedObject");
    wanted = to_json(without_empty(defaulted(*object, arena), arena));
    if (flag(reply, "allowed") && patched != nullptr) {
      Value made = patched->is_null() ? defaulted(*field(test, "object"), arena) : *patched;
      got = to_json(without_empty(made, arena));
      fits = got == wanted;
    }
  }
  fits ? tally.pass(test_id(table, test)) : tally.fail(test_id(table, test), wanted, got);
}

struct Runner {
  std::string_view name;
  void (*run)(const Table&, const Value&, Arena&, Tally&);
};
constexpr Runner kRunners[] = {
    {"cost", run_costs},
    {"cost_lists", run_costs},
    {"compile", run_compile},
    {"environment", run_environment},
    {"composition", run_composition},
    {"condition", run_condition},
    {"condition_budget", run_budget},
    {"crd_validation", run_crd},
    {"crd_cost", run_crd},
    {"crd_cost_estimate", run_crd},
    {"jsonpatch", run_mutation},
    {"applyconfiguration", run_mutation},
};

const Runner* find_runner(const Table& table) {
  for (const Runner& runner : kRunners) {
    if (table.suite == "kubernetes" && runner.name == table.name()) return &runner;
  }
  return nullptr;
}

}  // namespace

bool is_kubernetes_table(const Table& table) { return find_runner(table) != nullptr; }

void run_kubernetes(const Table& table, const Value& test, Arena& arena, Tally& tally) {
  find_runner(table)->run(table, test, arena, tally);
}

}  // namespace portcullis::tests
