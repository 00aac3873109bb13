#include "batch/evaluation.h"

#include <algorithm>
#include <unordered_map>

#include "admission/authorization/authorizer.h"
#include "admission/expressions/environment.h"
#include "admission/functions/libraries.h"
#include "batch/plain.h"
#include "batch/rule_authorizer.h"
#include "batch/tagged.h"
#include "batch/type_notation.h"
#include "interpreter/values/json.h"
#include "typecheck/environment.h"
#include "typecheck/estimate.h"

namespace portcullis {
namespace {

// The number of environments to keep. Each takes as much memory as its variables; the requests of a test run
// have a few dozen sets of variables.
constexpr size_t kKeptEnvironments = 1024;

// The size that the cost tests of Kubernetes' libraries assume for texts of unknown size.
constexpr uint64_t kLibraryTestsTextSize = 12;
class LibraryTestSizes final : public SizeEstimator {
 public:
  explicit LibraryTestSizes(const SizeEstimator& hints) : hints_(hints) {}
  std::optional<SizeEstimate> estimate_size(const SizeNode& node) const override {
    if (node.type->is(TypeKind::String) || node.type->is(TypeKind::Bytes))
      return SizeEstimate{0, kLibraryTestsTextSize};
    return hints_.estimate_size(node);
  }

 private:
  const SizeEstimator& hints_;
};

// An environment with the variables of a request, and the types of these.
struct Declared {
  std::shared_ptr<const Environment> environment;
  std::map<std::string, const Type*> variables;
  TypePool pool;
};

std::map<std::string, std::string> type_names(const EvalRequest& request) {
  std::map<std::string, std::string> names;
  for (const auto& [name, value] : request.plain) names[name] = "dyn";
  for (const auto& [name, value] : request.tagged) names[name] = "dyn";
  for (const auto& [name, type] : request.types) names[name] = type;
  return names;
}

std::string key_of(const EvalRequest& request, const std::map<std::string, std::string>& names) {
  std::string key = request.version + ";" + std::to_string(static_cast<int>(request.environment)) + ";" +
                    request.container + ";" + std::to_string(request.patch_types);
  for (const auto& [name, type] : names) key += ";" + name + ":" + type;
  return key;
}

Result<std::shared_ptr<const Environment>> base_of(const EvalRequest& request) {
  KubernetesVersion version;
  if (!request.version.empty()) {
    Result<KubernetesVersion> parsed = parse_kubernetes_version(request.version);
    if (!parsed.ok()) return parsed.error();
    version = *parsed;
  }
  if (request.environment == EvalEnvironment::Libraries) return library_test_environment();
  return request.environment == EvalEnvironment::New ? new_environment(version) : stored_environment();
}

Result<std::shared_ptr<Declared>> declare(const EvalRequest& request,
                                          const std::map<std::string, std::string>& names) {
  Result<std::shared_ptr<const Environment>> base = base_of(request);
  if (!base.ok()) return base.error();
  auto declared = std::make_shared<Declared>();
  EnvironmentBuilder builder(*base);
  if (!request.container.empty()) builder.container(request.container);
  bool libraries = request.environment == EvalEnvironment::Libraries;
  for (const auto& [name, text] : names) {
    Result<const Type*> type = parse_batch_type(text, declared->pool);
    if (!type.ok()) return Error{"variable " + name + ": " + type.error().text};
    declared->variables[name] = *type;
    builder.variable(name, *type);
    // The environment of the cost tests knows the names of these types, but not their fields.
    if (!libraries && text == "request") builder.provider(request_types());
    if (!libraries && text == "namespace") builder.provider(namespace_types());
  }
  if (!libraries && request.patch_types) add_patch_types(builder);
  Result<std::shared_ptr<const Environment>> built = builder.build();
  if (!built.ok()) return built.error();
  declared->environment = *built;
  return declared;
}

std::pair<uint64_t, uint64_t> estimate_of(const EvalRequest& request, const Expression& expression) {
  SizeHints hints(request.size_hints);
  LibraryTestSizes twelve(hints);
  const SizeEstimator* sizes = &hints;
  if (request.environment == EvalEnvironment::Libraries) sizes = &twelve;
  CostEstimate range = estimate(expression.ast(), *expression.environment(), sizes);
  return {range.min, range.max};
}

}  // namespace

struct Evaluator::State {
  std::unordered_map<std::string, std::shared_ptr<Declared>> environments;
  Context context;
  ProgramPtr program;  // of the last answer, whose result may refer to its constants

  Result<std::shared_ptr<Declared>> environment_for(const EvalRequest& request) {
    std::map<std::string, std::string> names = type_names(request);
    std::string key = key_of(request, names);
    if (auto it = environments.find(key); it != environments.end()) return it->second;
    Result<std::shared_ptr<Declared>> made = declare(request, names);
    if (!made.ok()) return made;
    if (environments.size() >= kKeptEnvironments) environments.clear();
    environments[key] = *made;
    return made;
  }
};

Evaluator::Evaluator() : state_(std::make_unique<State>()) {}
Evaluator::~Evaluator() = default;

namespace {

using Variables = std::vector<std::pair<std::string, Value>>;

// Whether the value may occur where the checker expects the type.
bool matches(const Value& value, const Type* type) {
  switch (type->kind()) {
    case TypeKind::Bool: return value.is(Kind::Bool);
    case TypeKind::Int: return value.is(Kind::Int);
    case TypeKind::Double: return value.is(Kind::Double);
    case TypeKind::String: return value.is(Kind::String);
    case TypeKind::List:
      return value.is(Kind::List) &&
             std::ranges::all_of(value.as_list(), [&](const Value& v) { return matches(v, type->param(0)); });
    case TypeKind::Map:
      return value.is(Kind::Map) && std::ranges::all_of(value.as_map(), [&](const MapEntry& e) {
               return matches(e.value, type->param(1));
             });
    default: return true;  // dyn, or a type that the conversion guarantees
  }
}

Result<Variables> variables_of(const EvalRequest& request, const Declared& declared, Arena& arena) {
  Variables variables;
  for (const auto& [name, json] : request.plain) {
    const Type* type = declared.variables.at(name);
    Result<Value> value = convert_plain(json, type, arena);
    if (!value.ok()) return Error{"variable " + name + ": " + value.error().text};
    if (request.match_types && !matches(*value, type)) {
      return Error{"variable " + name + ": " + to_json(json) + " is not of type " + type_string(type)};
    }
    variables.emplace_back(name, *value);
  }
  for (const auto& [name, json] : request.tagged) {
    Result<Value> value = read_tagged(json, arena);
    if (!value.ok()) return Error{"variable " + name + ": " + value.error().text};
    variables.emplace_back(name, *value);
  }
  return variables;
}

}  // namespace

Result<EvalAnswer> Evaluator::run(const EvalRequest& request, Arena& arena, Watch* watch,
                                  ExpressionPtr* compiled) {
  Result<std::shared_ptr<Declared>> declared = state_->environment_for(request);
  if (!declared.ok()) return declared.error();
  Result<Variables> variables = variables_of(request, **declared, arena);
  if (!variables.ok()) return variables.error();

  EvalAnswer answer;
  Result<ExpressionPtr> expression = compile(request.expression, (*declared)->environment);
  if (!expression.ok()) {
    answer.compile_error = expression.error().text;
    return answer;
  }
  if (compiled != nullptr) *compiled = *expression;
  answer.output_type = type_string((*expression)->output_type());
  answer.estimate = estimate_of(request, **expression);
  if (request.check_only) return answer;
  Result<ProgramPtr> program = make_program(*expression);
  if (!program.ok()) {
    answer.compile_error = "program instantiation failed: " + program.error().text;
    return answer;
  }
  state_->program = *program;
  state_->context.reset();
  Activation activation((*program)->paths());
  for (const auto& [name, value] : *variables) activation.set(name, value);
  RuleAuthorizer rules(request.authz);
  const Authorizer& authorizer = request.authorizer != nullptr ? *request.authorizer : rules;
  UserInfo user = request.authorizer != nullptr ? request.user : read_user_info(request.user_info, arena);
  for (const auto& [name, type] : (*declared)->variables) {
    if (type->name() == kAuthorizerType) activation.set(name, authorizer_value(arena, &authorizer, user));
    if (type->name() == kResourceCheckType)
      activation.set(name, resource_check_value(arena, &authorizer, user, {}));
  }
  Limits limits;
  limits.cost_limit = request.cost_limit.value_or(
      request.environment == EvalEnvironment::Libraries ? Limits::kNoCostLimit : kPerCallCostLimit);
  Outcome outcome = watch == nullptr
                        ? evaluate(**program, activation, state_->context, limits)
                        : portcullis::explain(**expression, activation, state_->context, *watch, limits);
  answer.cost = outcome.cost;
  answer.failed = outcome.value.is_error();
  if (answer.failed) {
    answer.eval_error = std::string(outcome.value.as_error().message);
  } else {
    answer.value = outcome.value;
  }
  return answer;
}

Result<EvalAnswer> Evaluator::answer(const EvalRequest& request, Arena& arena) {
  return run(request, arena, nullptr, nullptr);
}

Result<EvalAnswer> Evaluator::explain(const EvalRequest& request, Arena& arena, Watch& watch,
                                      ExpressionPtr* expression) {
  return run(request, arena, &watch, expression);
}

}  // namespace portcullis
