// Mode `crdrule` of the batch protocol: rules of custom resources.
#include "admission/crd/rules.h"
#include "batch/response.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// The answer about one compiled rule, keys in byte order.
void write_rule(JsonWriter& w, const crd::CompiledRule& rule) {
  w.optional("error", rule.error);
  if (rule.error.empty()) {
    w.member("maxCardinality", std::to_string(rule.max_cardinality));
    w.member("maxCost", std::to_string(rule.max_cost));
  }
  w.optional("messageExpressionError", rule.message_error);
  if (!rule.error.empty()) return;
  if (rule.message_error.empty() && rule.message != nullptr)
    w.member("messageExpressionMaxCost", std::to_string(rule.message_max_cost));
  w.member("usesOldSelf", rule.uses_old_self);
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

Result<void> validate(const Document& request, const crd::SchemaPtr& schema, Inputs& inputs,
                      Response& response) {
  const Document* given = request.find("self");
  if (given == nullptr) return {};
  Result<Value> self = inputs.read(*given);
  if (!self.ok()) return Error{"self: " + self.error().text};
  Value old_self;
  if (const Document* old = request.find("oldSelf")) {
    Result<Value> read = inputs.read(*old);
    if (!read.ok()) return Error{"oldSelf: " + read.error().text};
    old_self = *read;
  }
  int64_t budget = kPolicyCostBudget;
  if (const Document* b = member(request, "budget")) budget = std::strtoll(b->text.c_str(), nullptr, 10);
  crd::RuleChecker::Outcome outcome{.remaining = budget};
  Context context;
  if (auto validator = crd::RuleChecker::make(schema, flag_member(request, "isRoot"))) {
    outcome = validator->validate("", *self, old_self.is_null() ? nullptr : &old_self, budget, context);
  }
  set_errors(response, outcome.errors);
  if (outcome.remaining < 0) {
    response.member("outOfBudget", true);
  } else {
    response.member("cost", std::to_string(budget - outcome.remaining));
  }
  return {};
}

}  // namespace

Result<void> answer_crdrule(const Document& request, Response& response) {
  Inputs inputs;
  SchemaInput input = read_input(request, inputs);
  if (!input.input_error.empty()) return Error{input.input_error};
  if (!input.schema_error.empty()) return response.member("schemaError", input.schema_error), Result<void>();
  KubernetesVersion version;
  if (std::string_view given = string_in(request, "version"); !given.empty()) {
    Result<KubernetesVersion> parsed = parse_kubernetes_version(given);
    if (!parsed.ok()) return parsed.error();
    version = *parsed;
  }
  const auto types = std::make_shared<const crd::DeclTypes>(input.schema, flag_member(request, "isRoot"), "");
  crd::RuleEnvironment environment =
      string_in(request, "env") == "new" ? crd::new_rules(version) : crd::stored_rules();
  crd::CompiledRules compiled =
      crd::compile_rules({input.schema, types->root(), types, {}}, input.schema->rules, environment);
  if (!compiled.error.empty()) response.member("compileError", compiled.error);
  response.list("rules", compiled.rules, write_rule);
  return validate(request, input.schema, inputs, response);
}

}  // namespace portcullis
