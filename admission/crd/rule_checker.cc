// Evaluates the rules of a definition on a value: see rules.h. The walk follows value, old value and schema
// together. The whole object has one budget. Source of behaviour: apiextensions-apiserver
// pkg/apiserver/schema/cel/validation.go.
#include <fmt/format.h>

#include <map>

#include "admission/crd/correlation.h"
#include "admission/crd/rules.h"
#include "admission/crd/typed.h"
#include "admission/expressions/environment.h"
#include "admission/expressions/message_value.h"
#include "admission/objects/field_error.h"
#include "grammar/escape.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"

namespace portcullis::crd {
namespace {

// The rule in error texts: its message, else its expression.
std::string_view rule_words(const RuleText& rule) {
  return trim_space(rule.message.empty() ? rule.rule : rule.message);
}

std::string message_or_default(const RuleText& rule) {
  if (rule.message.empty()) return fmt::format("failed rule: {}", rule_words(rule));
  return std::string(trim_space(rule.message));
}

bool has_rules(const Schema& s) {
  if (!s.rules.empty() || (s.items != nullptr && has_rules(*s.items)) ||
      (s.additional != nullptr && has_rules(*s.additional)))
    return true;
  for (const auto& [name, property] : s.properties) {
    if (has_rules(*property)) return true;
  }
  return false;
}

// A path as the API server prints it: the root is "<nil>".
std::string print_path(const std::string& path) { return path.empty() ? "<nil>" : path; }

// Decides which errors are only warnings because nothing changed: by the correlation of the place itself or,
// if it has none, of the nearest place above.
struct Ratchet {
  Correlation current, parent;

  Ratchet field(std::string_view name) const {
    if (!current) return *this;
    if (!parent && (name == "apiVersion" || name == "kind")) return {};
    return {current.field(name), current};
  }
  Ratchet item(size_t i, const OldItems& old_items) const {
    return current ? Ratchet{current.item(i, old_items), current} : *this;
  }
  // Parts of allOf have no correlation of their own.
  Ratchet part() const { return {{}, parent}; }
  bool unchanged() const { return current ? current.unchanged() : parent.unchanged(); }
};

}  // namespace

// The rules of one place in the schema, and the places below it that have rules.
struct RuleChecker::Node {
  std::string path;  // of the rules' schema
  SchemaPtr schema;  // of the values here
  std::vector<RuleText> texts;
  CompiledRules compiled;
  bool resource_root = false;
  bool uses_old_self = false;
  std::unique_ptr<const Node> items, additional;
  std::map<std::string, std::unique_ptr<const Node>, std::less<>> properties;
  std::vector<std::unique_ptr<const Node>> all_of;
  std::shared_ptr<const DeclTypes> types;  // the programs refer to them

  // What all nodes have in common.
  struct Compilation {
    const RuleEnvironment& environment;
    std::string_view place;  // of the schema in its definition
  };

  // `rules_from`: the schema that has the rules (`schema` or a part of its allOf). `type` is one of `types`. Null if
  // there are no rules here or below.
  static std::unique_ptr<const Node> make(std::string path, const SchemaPtr& rules_from,
                                          const SchemaPtr& schema, bool resource_root, const DeclType* type,
                                          std::shared_ptr<const DeclTypes> types, const Compilation& in) {
    auto node = std::make_unique<Node>();
    node->path = std::move(path);
    node->types = std::move(types);
    node->schema = schema;
    node->resource_root = resource_root;
    node->texts = rules_from->rules;
    node->compiled = compile_rules({schema, type, node->types, fmt::format("{}.{}", in.place, node->path)},
                                   node->texts, in.environment);
    for (const CompiledRule& rule : node->compiled.rules) node->uses_old_self |= rule.uses_old_self;
    const DeclType* element = type == nullptr ? nullptr : type->element;
    if (rules_from->items != nullptr && schema->items != nullptr) {
      node->items = make(child(node->path, "items"), rules_from->items, schema->items,
                         schema->items->embedded_resource, element, node->types, in);
    }
    if (rules_from->additional != nullptr && schema->additional != nullptr) {
      node->additional =
          make(child(node->path, "additionalProperties"), rules_from->additional, schema->additional,
               schema->additional->embedded_resource, element, node->types, in);
    }
    node->add_properties(*rules_from, type, in);
    for (size_t i = 0; i < rules_from->all_of.size(); i++) {
      const SchemaPtr& part = rules_from->all_of[i];
      if (auto made =
              make(index(child(node->path, "allOf"), i), part, schema, resource_root, type, node->types, in))
        node->all_of.push_back(std::move(made));
    }
    bool any = !node->compiled.rules.empty() || !node->compiled.error.empty() || node->items ||
               node->additional || !node->properties.empty() || !node->all_of.empty();
    return any ? std::move(node) : nullptr;
  }

  // The path of a rule in the schema.
  std::string path_of(size_t rule) const { return index(child(path, "x-kubernetes-validations"), rule); }

  // Appends the rules here and below.
  void list(std::vector<PlacedRule>& out) const {
    for (size_t i = 0; i < compiled.rules.size(); i++)
      out.push_back({path_of(i), i, &texts[i], &compiled.rules[i]});
    for (const auto& part : all_of) part->list(out);
    if (items != nullptr) items->list(out);
    if (additional != nullptr) additional->list(out);
    for (const auto& [name, property] : properties) property->list(out);
  }

 private:
  void add_properties(const Schema& rules_from, const DeclType* type, const Compilation& in) {
    for (const auto& [name, rules] : rules_from.properties) {
      const auto found = schema->properties.find(name);
      if (found == schema->properties.end()) continue;
      const SchemaPtr& property = found->second;
      if (std::optional<std::string> escaped = escape_property(name)) {
        // Validation skips fields that CEL cannot see.
        if (type == nullptr) continue;
        auto field = type->fields.find(*escaped);
        if (field == type->fields.end()) continue;
        add_property(name, rules, property, field->second, types, in);
      } else {
        // CEL cannot reach the field by its name, but its own rules see its value.
        auto own = std::make_shared<const DeclTypes>(property, property->embedded_resource, "");
        if (own->root() != nullptr) add_property(name, rules, property, own->root(), own, in);
      }
    }
  }
  void add_property(const std::string& name, const SchemaPtr& rules, const SchemaPtr& property,
                    const DeclType* type, std::shared_ptr<const DeclTypes> its_types, const Compilation& in) {
    if (auto made = make(child(path, "properties") + "[" + name + "]", rules, property,
                         property->embedded_resource, type, std::move(its_types), in))
      properties.emplace(name, std::move(made));
  }
};

namespace {

// The validation of one object.
class Run {
 public:
  Run(Context& context, int64_t budget, RuleTrace* trace)
      : context_(context), remaining_(budget), trace_(trace) {}
  FieldErrors errors, warnings;
  std::vector<FailedRule> failed_rules;  // of the first errors
  int64_t remaining() const { return remaining_; }

  template <class Node>
  void visit(const Node& node, const std::string& path, const Value& self, const Value* old_self,
             const Ratchet& ratchet) {
    if (self.is_null()) return;
    rules(node, path, self, old_self, ratchet);
    if (remaining_ < 0) return;
    for (const auto& part : node.all_of) {
      visit(*part, path, self, old_self, ratchet.part());
      if (remaining_ < 0) return;
    }
    if (self.is(Kind::List)) list(node, path, self, old_self, ratchet);
    if (self.is(Kind::Map)) map(node, path, self, old_self, ratchet);
  }

 private:
  void stop(const std::string& path, std::string_view type, std::string_view detail) {
    errors.invalid(print_path(path), type, detail);
    remaining_ = -1;
  }

  template <class Node>
  void list(const Node& node, const std::string& path, const Value& self, const Value* old_self,
            const Ratchet& ratchet) {
    if (node.items == nullptr) return;
    OldItems old(*node.schema, old_self != nullptr && old_self->is(Kind::List) ? old_self : nullptr);
    for (size_t i = 0; i < self.size() && remaining_ >= 0; ++i) {
      const Value& item = self.as_list()[i];
      visit(*node.items, fmt::format("{}[{}]", path, i), item, old.find(item), ratchet.item(i, old));
    }
  }

  template <class Node>
  void map(const Node& node, const std::string& path, const Value& self, const Value* old_self,
           const Ratchet& ratchet) {
    const std::optional<std::string>& type = node.schema->map_type;
    bool correlated =
        (!type || *type == "granular" || *type == "atomic") && old_self != nullptr && old_self->is(Kind::Map);
    auto old_of = [&](const Value& key) { return correlated ? find_key(*old_self, key) : nullptr; };
    if (node.additional != nullptr) {
      for (const MapEntry& e : self.as_map()) {
        visit(*node.additional, fmt::format("{}[{}]", path, e.key.as_text()), e.value, old_of(e.key),
              ratchet.field(e.key.as_text()));
        if (remaining_ < 0) return;
      }
    }
    for (const MapEntry& e : self.as_map()) {
      auto property = node.properties.find(e.key.as_text());
      if (property == node.properties.end()) continue;
      visit(*property->second, child(path, e.key.as_text()), e.value, old_of(e.key),
            ratchet.field(e.key.as_text()));
      if (remaining_ < 0) return;
    }
  }

  template <class Node>
  void rules(const Node& node, const std::string& path, const Value& self, const Value* old_self,
             const Ratchet& ratchet) {
    const std::string& type = node.schema->type;
    if (old_self != nullptr && old_self->is_null()) old_self = nullptr;
    if (!node.compiled.error.empty()) {
      errors.invalid(print_path(path), type, "rule compiler initialization error: " + node.compiled.error);
      return;
    }
    if (node.compiled.rules.empty()) return;
    if (remaining_ <= 0) return stop(path, type, kOutOfBudget);
    SchemaPtr schema = node.resource_root ? with_object_meta(node.schema) : node.schema;
    Arena& arena = context_.arena();
    Value typed = typed_value(arena, self, *schema);
    Value typed_old =
        node.uses_old_self && old_self != nullptr ? typed_value(arena, *old_self, *schema) : Value::null();
    bool has_old = node.uses_old_self && old_self != nullptr;
    for (size_t i = 0; i < node.compiled.rules.size() && remaining_ >= 0; ++i) {
      const CompiledRule& compiled = node.compiled.rules[i];
      const RuleText& text = node.texts[i];
      if (!compiled.error.empty()) {
        errors.invalid(print_path(path), type, "rule compile error: " + compiled.error);
        continue;
      }
      // A transition rule needs an old value, unless it has optionalOldSelf.
      if (compiled.program == nullptr ||
          (compiled.uses_old_self && old_self == nullptr && !text.optional_old_self.value_or(false)))
        continue;
      Scope scope{typed, has_old ? &typed_old : nullptr, node.uses_old_self,
                  compiled.uses_old_self ? nullptr : &ratchet};
      const size_t before = errors.list.size();
      const bool is_error = rule(compiled, text, path, type, self, scope);
      if (errors.list.size() == before) continue;
      failed_rules.resize(before);
      const FailedRule failed{node.path_of(i), text.rule, is_error};
      failed_rules.resize(errors.list.size(), failed);
      if (trace_ == nullptr) continue;
      Again again(context_, text.rule, *compiled.program, scope, text.optional_old_self.value_or(false));
      trace_->failed(before, again);
    }
  }

  struct Scope {
    Value self;
    const Value* old_self;   // null: none
    bool declares_old;       // whether some rule of the node uses oldSelf
    const Ratchet* ratchet;  // null: the rule itself compares with the old value, so its errors always count
  };

  static void fill(Activation& activation, const Scope& scope, bool optional_old_self) {
    activation.set("self", scope.self);
    if (optional_old_self && scope.declares_old) {
      activation.set("oldSelf", Value::optional(scope.old_self));
    } else if (scope.old_self != nullptr) {
      activation.set("oldSelf", *scope.old_self);
    }
  }
  ::portcullis::Outcome run(const Program& program, const Scope& scope, bool optional_old_self) {
    Activation activation(program.paths());
    fill(activation, scope, optional_old_self);
    return evaluate(program, activation, context_, {.cost_limit = kPerCallCostLimit});
  }

  // Evaluates again what is told.
  struct Again final : RuleReplay {
    Again(Context& context, const std::string& text, const Program& program, const Scope& scope,
          bool optional)
        : context(context), text(text), program(program), scope(scope), optional(optional) {}
    void run(const Program& watched, Watch& watch) override {
      Activation activation(watched.paths());
      fill(activation, scope, optional);
      evaluate_watched(watched, activation, context, watch, {.cost_limit = kPerCallCostLimit});
    }
    ExpressionPtr explain(Watch& watch) override {
      const Result<ExpressionPtr> expression = compile(text, program.environment());
      if (!expression.ok()) return nullptr;
      Activation activation(program.paths());
      fill(activation, scope, optional);
      ::portcullis::explain(**expression, activation, context, watch, {.cost_limit = kPerCallCostLimit});
      return *expression;
    }
    Context& context;
    const std::string& text;
    const Program& program;
    const Scope& scope;
    const bool optional;
  };
  // Subtracts the cost from the budget; false if the budget does not suffice.
  bool pay(uint64_t cost) {
    if (cost > static_cast<uint64_t>(remaining_)) return false;
    remaining_ -= static_cast<int64_t>(cost);
    return true;
  }

  // True if the evaluation ends in an error.
  bool rule(const CompiledRule& compiled, const RuleText& text, const std::string& path,
            const std::string& type, const Value& self, const Scope& scope) {
    const bool optional = text.optional_old_self.value_or(false);
    auto outcome = run(*compiled.program, scope, optional);
    if (trace_ != nullptr) {
      Again again(context_, text.rule, *compiled.program, scope, optional);
      trace_->evaluated({compiled, false, outcome.value}, again);
    }
    if (!pay(outcome.cost)) return stop(path, type, kOutOfBudget), false;
    if (outcome.value.is_error()) return failed(outcome.value.as_error().message, text, path, type), true;
    if (outcome.value.is_true()) return false;
    std::string at = compiled.field_path.empty() ? path : child(path, compiled.field_path);
    std::string detail;
    if (compiled.message != nullptr && !message(compiled, text, at, type, scope, detail)) return false;
    if (detail.empty()) detail = message_or_default(text);
    // The type in the schema decides, not the value: objects and lists are not shown.
    bool shown = type != "object" && type != "array";
    refuse(text, print_path(at), shown ? &self : nullptr, detail, scope);
    return false;
  }

  void failed(std::string_view error, const RuleText& text, const std::string& path,
              const std::string& type) {
    if (error.starts_with("no such overload")) {
      errors.invalid(print_path(path), type,
                     fmt::format("'{}': call arguments did not match a supported operator, function or macro "
                                 "signature for rule: {}",
                                 error, rule_words(text)));
    } else if (error.starts_with(Limits::kCostLimitText)) {
      stop(path, type,
           fmt::format(
               "'{}': no further validation rules will be run due to call cost exceeds limit for rule: {}",
               error, rule_words(text)));
    } else {
      errors.invalid(print_path(path), type, fmt::format("{} evaluating rule: {}", error, rule_words(text)));
    }
  }

  // Evaluates messageExpression into `detail`, which stays empty if the result is unusable. Returns false if
  // validation must stop.
  bool message(const CompiledRule& compiled, const RuleText& text, const std::string& path,
               const std::string& type, const Scope& scope, std::string& detail) {
    auto outcome = run(*compiled.message, scope, false);
    if (trace_ != nullptr) {
      Again again(context_, text.message_expression, *compiled.message, scope, false);
      trace_->evaluated({compiled, true, outcome.value}, again);
    }
    if (!pay(outcome.cost)) {
      stop(path, type,
           "messageExpression evaluation failed due to running out of cost budget, no further validation "
           "rules will be run");
      return false;
    }
    if (outcome.value.is_error()) {
      if (!outcome.value.as_error().message.starts_with(Limits::kCostLimitText)) return true;
      stop(path, type,
           fmt::format("no further validation rules will be run due to call cost exceeds limit for "
                       "messageExpression: {}",
                       quote(text.message_expression)));
      return false;
    }
    if (unusable_message(outcome.value).empty()) detail = trim_space(outcome.value.as_text());
    return true;
  }

  // `self` null: the error shows no value.
  void refuse(const RuleText& text, std::string path, const Value* self, const std::string& detail,
              const Scope& scope) {
    FieldErrors& to = scope.ratchet != nullptr && scope.ratchet->unchanged() ? warnings : errors;
    if (text.reason == "FieldValueForbidden") return to.forbidden(std::move(path), detail);
    if (text.reason == "FieldValueRequired") return to.required(std::move(path), detail);
    bool duplicate = text.reason == "FieldValueDuplicate";
    if (self == nullptr)
      return duplicate ? to.duplicate_hidden(std::move(path)) : to.invalid_hidden(std::move(path), detail);
    duplicate ? to.duplicate_data(std::move(path), *self) : to.invalid_data(std::move(path), *self, detail);
  }

  Context& context_;
  int64_t remaining_;
  RuleTrace* trace_;  // may be null
};

}  // namespace

RuleChecker::RuleChecker(std::unique_ptr<const Node> root) : root_(std::move(root)) {}
RuleChecker::~RuleChecker() = default;

std::unique_ptr<const RuleChecker> RuleChecker::make(const SchemaPtr& schema, bool resource_root,
                                                     const RuleEnvironment& environment,
                                                     std::string_view place) {
  if (!has_rules(*schema)) return nullptr;
  auto types = std::make_shared<const DeclTypes>(schema, resource_root, "");
  auto root = Node::make("", schema, schema, resource_root, types->root(), types, {environment, place});
  return std::unique_ptr<const RuleChecker>(new RuleChecker(std::move(root)));
}

RuleChecker::Outcome RuleChecker::validate(std::string_view path, const Value& self, const Value* old_self,
                                           int64_t budget, Context& context, bool ratcheting,
                                           RuleTrace* trace) const {
  if (root_ == nullptr) return {.remaining = budget};
  Run run(context, budget, trace);
  Ratchet ratchet;
  if (ratcheting && old_self != nullptr)
    ratchet.current = {&self, old_self, root_->schema.get(), root_->resource_root};
  run.visit(*root_, std::string(path), self, old_self, ratchet);
  run.failed_rules.resize(run.errors.list.size());
  return {std::move(run.errors.list), std::move(run.failed_rules), std::move(run.warnings.list),
          run.remaining()};
}

std::vector<PlacedRule> RuleChecker::rules() const {
  std::vector<PlacedRule> out;
  if (root_ != nullptr) root_->list(out);
  return out;
}

}  // namespace portcullis::crd
