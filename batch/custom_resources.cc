// Mode `crdrule` of the batch protocol: rules of custom resources.

#include <fmt/format.h>

#include "admission/crd/rules.h"
#include "batch/response.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

std::string quoted_number(uint64_t n) { return fmt::format("\"{}\"", n); }

// The answer about one compiled rule: {"rule name": "..."}, keys in byte order.
std::string rule_answer(const crd::CompiledRule& rule) {
  std::string out = "{";
  auto add = [&](std::string_view key, const std::string& json) {
    out += fmt::format("{}\"{}\":{}", out.size() > 1 ? "," : "", key, json);
  };
  if (!rule.error.empty()) {
    add("error", quote_json(rule.error));
    if (!rule.message_error.empty()) add("messageExpressionError", quote_json(rule.message_error));
    return out + "}";
  }
  add("maxCardinality", quoted_number(rule.max_cardinality));
  add("maxCost", quoted_number(rule.max_cost));
  if (!rule.message_error.empty()) {
    add("messageExpressionError", quote_json(rule.message_error));
  } else if (rule.message != nullptr) {
    add("messageExpressionMaxCost", quoted_number(rule.message_max_cost));
  }
  add("usesOldSelf", rule.uses_old_self ? "true" : "false");
  return out + "}";
}

// The values of the request, alive while it is answered.
struct Inputs {
  Arena arena;
  std::vector<std::unique_ptr<JsonReader>> readers;

  Result<Value> read(const Document& part) {
    readers.push_back(std::make_unique<JsonReader>());
    return readers.back()->read(part.raw, arena);
  }
};

// The schema, with the rules of the request added at its root; or an error text.
struct SchemaInput {
  crd::SchemaPtr schema;
  std::string input_error, schema_error;
};
SchemaInput read_input(const Document& request, Inputs& inputs) {
  const Document* given = member(request, "schema");
  if (given == nullptr) return {nullptr, "schema: unexpected end of JSON input", {}};
  Result<Value> data = inputs.read(*given);
  if (!data.ok()) return {nullptr, "schema: " + data.error().text, {}};
  crd::SchemaPtr schema;
  if (auto error = crd::read_schema(*data, schema)) {
    return error->unreadable ? SchemaInput{nullptr, "schema: " + error->text, {}}
                             : SchemaInput{nullptr, {}, error->text};
  }
  auto made = std::make_shared<crd::Schema>(*schema);
  if (const Document* rules = member(request, "rules")) {
    Result<Value> list = inputs.read(*rules);
    if (!list.ok() || !list->is(Kind::List)) return {nullptr, "rules must be a list", {}};
    for (const Value& r : list->as_list()) {
      Result<crd::RuleText> rule = crd::read_rule(r);
      if (!rule.ok()) return {nullptr, rule.error().text, {}};
      made->rules.push_back(*std::move(rule));
    }
  }
  return {made, {}, {}};
}

bool flag_member(const Document& request, std::string_view name) {
  const Document* v = member(request, name);
  return v != nullptr && v->is(Document::Kind::Bool) && v->boolean;
}
std::string_view string_in(const Document& request, std::string_view name) {
  const Document* v = member(request, name);
  return v != nullptr && v->is(Document::Kind::String) ? std::string_view(v->text) : std::string_view();
}

void validate(const Document& request, const crd::SchemaPtr& schema, Inputs& inputs, Response& response) {
  const Document* given = request.find("self");
  if (given == nullptr) return;
  Result<Value> self = inputs.read(*given);
  if (!self.ok()) return response.input_error("self: " + self.error().text);
  Value old_self;
  if (const Document* old = request.find("oldSelf")) {
    Result<Value> read = inputs.read(*old);
    if (!read.ok()) return response.input_error("oldSelf: " + read.error().text);
    old_self = *read;
  }
  int64_t budget = kPolicyCostBudget;
  if (const Document* b = member(request, "budget")) budget = std::strtoll(b->text.c_str(), nullptr, 10);
  crd::RuleChecker::Outcome outcome{{}, {}, budget};
  Context context;
  if (auto validator = crd::RuleChecker::make(schema, flag_member(request, "isRoot"))) {
    outcome = validator->validate("", *self, old_self.is_null() ? nullptr : &old_self, budget, context);
  }
  response.set("errors", field_errors_json(outcome.errors));
  if (outcome.remaining < 0) {
    response.set("outOfBudget", "true");
  } else {
    response.set("cost", fmt::format("\"{}\"", budget - outcome.remaining));
  }
}

}  // namespace

void answer_crdrule(const Document& request, Response& response) {
  Inputs inputs;
  SchemaInput input = read_input(request, inputs);
  if (!input.input_error.empty()) return response.input_error(input.input_error);
  if (!input.schema_error.empty()) return response.set_text("schemaError", input.schema_error);
  KubernetesVersion version;
  if (std::string_view given = string_in(request, "version"); !given.empty()) {
    Result<KubernetesVersion> parsed = parse_kubernetes_version(given);
    if (!parsed.ok()) return response.input_error(parsed.error().text);
    version = *parsed;
  }
  crd::DeclTypes types(input.schema, flag_member(request, "isRoot"), "");
  crd::RuleEnvironment environment =
      string_in(request, "env") == "new" ? crd::new_rules(version) : crd::stored_rules();
  crd::CompiledRules compiled =
      crd::compile_rules(input.schema, types.root(), input.schema->rules, environment);
  if (!compiled.error.empty()) response.set_text("compileError", compiled.error);
  std::string rules = "[";
  for (const crd::CompiledRule& rule : compiled.rules)
    rules += (rules.size() > 1 ? "," : "") + rule_answer(rule);
  response.set("rules", rules + "]");
  validate(request, input.schema, inputs, response);
}

}  // namespace portcullis
