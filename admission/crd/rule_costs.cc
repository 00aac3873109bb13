// See rule_costs.h.
#include "admission/crd/rule_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "admission/crd/decl_type.h"
#include "grammar/escape.h"
#include "typecheck/cost.h"

namespace portcullis::crd {
namespace {

// How many values a place can have; nothing below a list or map without a bound.
using Cardinality = std::optional<uint64_t>;

// Compiles the rules of a schema, place by place.
class CostWalk {
 public:
  CostWalk(const SchemaPtr& root, const RuleEnvironment& environment, const RuleExpressionTold& told)
      : environment_(environment), told_(told), types_(std::make_shared<const DeclTypes>(root, true, "")) {}

  RuleCosts run(const SchemaPtr& root, const std::string& path) {
    visit(root, types_->root(), types_, path, 1, {});
    return std::move(out_);
  }

 private:
  static Cardinality step(Cardinality cardinality, const std::optional<int64_t>& factor) {
    if (!cardinality || !factor) return std::nullopt;
    return saturating_multiply(*cardinality, static_cast<uint64_t>(std::max<int64_t>(0, *factor)));
  }

  // How many values a value of the schema has below it in one place.
  static std::optional<int64_t> elements(const Schema& s) {
    if (s.type == "array") return s.max_items;
    const bool is_map = s.type == "object" && (s.additional != nullptr || s.additional_allowed);
    return is_map ? s.max_properties : 1;
  }

  CompiledRules compile(const RulePlace& place) {
    RuleEnvironment here = environment_;
    if (told_) {
      here.told = [&](size_t rule, bool message, const ExpressionPtr& expression,
                      const SizeEstimator& sizes) {
        told_(path_of(place.path, rule), message, expression, sizes);
      };
    }
    return compile_rules(place, place.schema->rules, here);
  }

  // `type` is one of `types`.
  void visit(const SchemaPtr& s, const DeclType* type, const std::shared_ptr<const DeclTypes>& types,
             const std::string& path, Cardinality cardinality, const std::string& uncorrelated) {
    CompiledRules compiled = compile({s, type, types, path});
    if (!compiled.error.empty()) {
      out_.failures.emplace_back(path + ".x-kubernetes-validations",
                                 "Internal error: internal error: failed to construct type information for "
                                 "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                                 "declarations");
    }
    for (size_t i = 0; i < compiled.rules.size(); ++i) {
      CompiledRule& rule = compiled.rules[i];
      uint64_t count = cardinality.value_or(rule.max_cardinality);
      uint64_t whole = saturating_multiply(rule.max_cost, count);
      out_.rules.push_back({&s->rules[i], path_of(path, i), std::move(rule), count, whole, uncorrelated});
    }
    const Cardinality below = step(cardinality, elements(*s));
    const DeclType* element = type == nullptr ? nullptr : type->element;
    if (s->items != nullptr) {
      std::string list = uncorrelated.empty() && s->list_type != "map" ? path : uncorrelated;
      visit(s->items, element, types, path + ".items", below, list);
    }
    if (s->additional != nullptr)
      visit(s->additional, element, types, path + ".additionalProperties", below, uncorrelated);
    for (const auto& [name, property] : s->properties) {
      const DeclType* field = nullptr;
      std::shared_ptr<const DeclTypes> of_field = types;
      if (auto escaped = escape_property(name); escaped && type != nullptr) {
        auto found = type->fields.find(*escaped);
        if (found != type->fields.end()) field = found->second;
      }
      if (field == nullptr) {  // CEL cannot reach the field by its name
        of_field = std::make_shared<const DeclTypes>(property, property->embedded_resource, "");
        field = of_field->root();
      }
      visit(property, field, of_field, fmt::format("{}.properties[{}]", path, name), below, uncorrelated);
    }
  }

  static std::string path_of(const std::string& node, size_t rule) {
    return fmt::format("{}.x-kubernetes-validations[{}]", node, rule);
  }

  const RuleEnvironment& environment_;
  const RuleExpressionTold& told_;
  const std::shared_ptr<const DeclTypes> types_;
  RuleCosts out_;
};

}  // namespace

RuleCosts rule_costs(const SchemaPtr& root, const std::string& path, const RuleEnvironment& environment,
                     const RuleExpressionTold& told) {
  return CostWalk(root, environment, told).run(root, path);
}

}  // namespace portcullis::crd
