#include "admission/matching/selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/objects/field_error.h"
#include "admission/scalars/names.h"
#include "grammar/quote.h"

namespace portcullis {
namespace {

// Reports the errors of one requirement, as labels.NewRequirement words them.
void check_requirement(const std::string& key, bool set_operator, const std::vector<std::string>& values,
                       FieldErrors& errors) {
  auto messages = names::label_key(key);
  if (!messages.empty()) errors.invalid("key", key, fmt::format("{}", fmt::join(messages, "; ")));
  if (set_operator && values.empty()) {
    errors.invalid_json("values", "null", "for 'in', 'notin' operators, values set can't be empty");
  }
  if (!set_operator && !values.empty()) {
    std::string json;
    for (const std::string& v : values) json += (json.empty() ? "[" : ",") + quote(v);
    errors.invalid_json("values", json + "]", "values set must be empty for exists and does not exist");
  }
  for (size_t i = 0; i < values.size(); i++) {
    messages = names::label_value(values[i]);
    if (!messages.empty()) {
      errors.invalid(fmt::format("values[{}][{}]", i, key), values[i],
                     fmt::format("{}", fmt::join(messages, "; ")));
    }
  }
}

// Joins errors as the aggregate error of Kubernetes: each text once.
std::string aggregate(const std::vector<FieldError>& errors) {
  std::vector<std::string> texts;
  for (const FieldError& e : errors) {
    if (std::find(texts.begin(), texts.end(), e.message) == texts.end()) texts.push_back(e.message);
  }
  if (texts.size() == 1) return texts[0];
  return texts.empty() ? std::string() : fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace

LabelSelector::LabelSelector(const Data& selector) {
  for (const auto& [key, value] : selector["matchLabels"].sorted_texts())
    requirements_.push_back({std::string(key), Operator::In, {std::string(value)}});
  const size_t equalities = requirements_.size();
  std::string bad_operator;
  for (const Data& e : selector["matchExpressions"].items) {
    static constexpr std::string_view kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist"};
    auto op = std::find(std::begin(kOperators), std::end(kOperators), e.field_text("operator"));
    if (op == std::end(kOperators)) {
      bad_operator =
          fmt::format("{} is not a valid label selector operator", quote(e.field_text("operator")));
      break;
    }
    Requirement& r = requirements_.emplace_back();
    r.key = e.field_text("key");
    r.op = static_cast<Operator>(op - std::begin(kOperators));
    r.expression = static_cast<int>(requirements_.size() - equalities) - 1;
    for (const Data& v : e["values"].items) r.values.emplace_back(v.text);
  }
  for (size_t i = 0; i < requirements_.size() && error_.empty(); i++) {
    const Requirement& r = requirements_[i];
    FieldErrors errors;
    check_requirement(r.key, i < equalities || r.op == Operator::In || r.op == Operator::NotIn, r.values,
                      errors);
    error_ = aggregate(errors.list);
  }
  if (error_.empty()) error_ = bad_operator;
}

bool LabelSelector::Requirement::holds(const Value& labels) const {
  const Value* value = labels.is(Kind::Map) ? find_key(labels, Value::string(key)) : nullptr;
  std::string_view text = value == nullptr || value->is_null() ? std::string_view() : value->as_text();
  bool listed = value != nullptr && std::find(values.begin(), values.end(), text) != values.end();
  switch (op) {
    case Operator::In: return listed;
    case Operator::NotIn: return !listed;
    case Operator::Exists: return value != nullptr;
    case Operator::DoesNotExist: return value == nullptr;
  }
  return false;
}

std::string LabelSelector::Requirement::text() const {
  switch (op) {
    case Operator::In:
      return values.size() == 1 ? key + "=" + values[0]
                                : fmt::format("{} in ({})", key, fmt::join(values, ","));
    case Operator::NotIn: return fmt::format("{} notin ({})", key, fmt::join(values, ","));
    case Operator::Exists: return key;
    case Operator::DoesNotExist: return "!" + key;
  }
  return {};
}

const LabelSelector::Requirement* LabelSelector::first_unmet(const Value& labels) const {
  auto unmet = std::find_if(requirements_.begin(), requirements_.end(),
                            [&](const Requirement& r) { return !r.holds(labels); });
  return unmet == requirements_.end() ? nullptr : &*unmet;
}

Value labels_of(const Value& object) {
  if (!object.is(Kind::Map)) return {};
  const Value* metadata = find_key(object, Value::string("metadata"));
  if (metadata == nullptr || !metadata->is(Kind::Map)) return {};
  const Value* labels = find_key(*metadata, Value::string("labels"));
  if (labels == nullptr || !labels->is(Kind::Map)) return {};
  for (const MapEntry& e : labels->as_map()) {
    if (!e.value.is(Kind::String) && !e.value.is_null()) return {};
  }
  return *labels;
}

std::string_view metadata_text(const Value& object, std::string_view field) {
  if (!object.is(Kind::Map)) return {};
  const Value* metadata = find_key(object, Value::string("metadata"));
  if (metadata == nullptr || !metadata->is(Kind::Map)) return {};
  const Value* text = find_key(*metadata, Value::string(field));
  return text == nullptr || !text->is(Kind::String) ? std::string_view() : text->as_text();
}

}  // namespace portcullis
