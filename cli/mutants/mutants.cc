// See mutants.h.
#include "cli/mutants/mutants.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "admission/expressions/expression_places.h"
#include "cli/cluster/cluster.h"
#include "cli/messages/lists.h"
#include "cli/mutants/expressions.h"
#include "cli/mutants/failing.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

std::string in_ticks(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string_view last_step(std::string_view path) { return path.substr(path.rfind('.') + 1); }

// The steps of a path that has no names in brackets, as those of policies and bindings.
FieldSteps steps_of(std::string_view path) {
  FieldSteps out;
  while (!path.empty()) {
    const bool indexed = path[0] == '[';
    if (indexed || path[0] == '.') path.remove_prefix(1);
    const std::string_view step = path.substr(0, path.find_first_of(indexed ? "]" : ".["));
    size_t number = 0;
    if (indexed)
      std::from_chars(step.data(), step.data() + step.size(), number), out.emplace_back(number);
    else
      out.emplace_back(std::string(step));
    path.remove_prefix(std::min(step.size() + (indexed ? 1 : 0), path.size()));
  }
  return out;
}

// The elements of a list, or entries of a map, but one.
std::string without(const Value& value, size_t left_out) {
  std::string out;
  JsonWriter w(out);
  if (value.is(Kind::List)) {
    w.begin_list();
    for (size_t i = 0; i < value.size(); i++) {
      if (i != left_out) w.value(value.as_list()[i]);
    }
    w.end_list();
  } else {
    w.begin_object();
    for (size_t i = 0; i < value.size(); i++) {
      if (i == left_out) continue;
      w.member(value.as_map()[i].key.as_text(), value.as_map()[i].value);
    }
    w.end_object();
  }
  return out;
}

class Lister {
 public:
  Lister(const InputObject& object, bool versions) : object_(object), versions_(versions) {}

  std::vector<Mutant> list() {
    const Role role = role_of(object_);
    if (role == Role::Policy) change_policy();
    if (role == Role::Binding) change_binding();
    if (const Value* versions = is_definition(object_) ? at("spec.versions") : nullptr) {
      FieldSteps steps = {"spec", "versions"};
      change_rules(*versions, steps);
    }
    std::ranges::stable_sort(out_, {},
                             [](const Mutant& m) { return std::pair(m.position.line, m.position.column); });
    return std::move(out_);
  }

 private:
  const Value* at(const std::string& path) const { return find_path(object_.value, path); }
  std::string_view text_at(const std::string& path) const {
    const Value* v = at(path);
    return v != nullptr && v->is(Kind::String) ? v->as_text() : std::string_view();
  }
  std::span<const Value> list_at(const std::string& path) const {
    return portcullis::list_at(object_.value, path);
  }

  // --- fields ---

  void add(const std::string& sort, std::string path, std::string json, std::string hint,
           Position position = {}) {
    Mutant& m = out_.emplace_back();
    m.object = &object_;
    m.sort = sort;
    m.position = position.line > 0 ? position : object_.locate(path, true);
    m.hint = std::move(hint);
    const std::string name(last_step(path));
    if (const Value* old = at(path)) m.old_text = name + ": " + to_json(*old);
    if (!json.empty()) m.new_text = name + ": " + json;
    m.widens = sort == "selector" || sort == "matchPolicy" || json.empty() || path.ends_with(".scope") ||
               path.find("excludeResourceRules") != path.npos;
    m.edit = {steps_of(path), std::move(json)};
  }

  // Each element of a list with several is left out once. `hint` gets the element.
  void drop_each(const std::string& sort, const std::string& path, const std::string& hint) {
    const std::span<const Value> list = list_at(path);
    for (size_t i = 0; list.size() > 1 && i < list.size(); i++) {
      const std::string element =
          list[i].is(Kind::String) ? std::string(list[i].as_text()) : to_json(list[i]);
      add(sort, path, without(*at(path), i),
          fmt::format(fmt::runtime(hint), in_ticks(element.empty() ? "\"\"" : element)),
          object_.locate(fmt::format("{}[{}]", path, i)));
    }
  }

  // The rules and selectors of matchConstraints or matchResources.
  void change_match(const std::string& path) {
    const std::span<const Value> rules = list_at(path + ".resourceRules"),
                                 excluded = list_at(path + ".excludeResourceRules");
    for (size_t i = 0; i < rules.size(); i++) {
      const std::string rule = fmt::format("{}.resourceRules[{}]", path, i);
      if (rules.size() > 1)
        add("rule", path + ".resourceRules", without(*at(path + ".resourceRules"), i),
            fmt::format("no case is matched by resourceRules[{}] alone", i), object_.locate(rule));
      change_rule(rule);
    }
    for (size_t i = 0; i < excluded.size(); i++) {
      const std::string rule = fmt::format("{}.excludeResourceRules[{}]", path, i);
      add("rule", path + ".excludeResourceRules", without(*at(path + ".excludeResourceRules"), i),
          fmt::format("no case is left out by excludeResourceRules[{}] alone", i), object_.locate(rule));
      change_rule(rule);
    }
    for (const char* selector : {"namespaceSelector", "objectSelector"}) change_selector(path, selector);
    const std::string_view policy = text_at(path + ".matchPolicy");
    if (versions_ && at(path) != nullptr)
      add("matchPolicy", path + ".matchPolicy", policy == "Exact" ? "\"Equivalent\"" : "\"Exact\"",
          "no case has an object of another version of its kind", object_.locate(path, true));
  }

  void change_rule(const std::string& rule) {
    drop_each("operation", rule + ".operations", "no case depends on the operation {}");
    drop_each("resource", rule + ".apiGroups", "no case depends on the API group {}");
    drop_each("resource", rule + ".apiVersions", "no case depends on the API version {}");
    drop_each("resource", rule + ".resources", "no case depends on the resource {}");
    drop_each("resource", rule + ".resourceNames", "no case depends on the name {}");
    if (list_at(rule + ".resourceNames").size() == 1)
      add("resource", rule + ".resourceNames", "", "no case has an object with another name");
    if (const std::string_view scope = text_at(rule + ".scope"); !scope.empty() && scope != "*")
      add("resource", rule + ".scope", "\"*\"", "no case has an object of another scope");
  }

  void change_selector(const std::string& match, const std::string& name) {
    const std::string path = match + "." + name, labels = path + ".matchLabels",
                      terms = path + ".matchExpressions";
    const Value* map = at(labels);
    const size_t count = map != nullptr && map->is(Kind::Map) ? map->size() : 0, more = list_at(terms).size();
    if (count + more == 0) return;
    add("selector", path, "{}", "no case is left out by the " + name);
    if (count + more == 1) return;
    for (size_t i = 0; i < count; i++)
      add("selector", labels, without(*map, i),
          "no case is left out by the label " + in_ticks(map->as_map()[i].key.as_text()) + " of the " + name +
              " alone");
    for (size_t i = 0; i < more; i++)
      add("selector", terms, without(*at(terms), i),
          fmt::format("no case is left out by matchExpressions[{}] of the {} alone", i, name),
          object_.locate(fmt::format("{}[{}]", terms, i)));
  }

  // --- policies ---

  void change_policy() {
    change_match("spec.matchConstraints");
    const std::vector<PlacedExpression> all = expressions_of(object_.value);
    if (can_fail(all)) change_failure_policy();
    FieldsRead fields;
    for (const PlacedExpression& e : all) note_fields(e.text, fields);
    for (const PlacedExpression& e : all) {
      if (e.place->role == ExpressionRole::Message || e.text.empty()) continue;
      const std::string left_out = leave_out(e);
      const bool annotation = e.place->role == ExpressionRole::Annotation;
      for (ExpressionChange& change : expression_changes(e.text, fields, !annotation)) {
        if (change.text != left_out) add_change(e, change, steps_of(e.path));
      }
    }
  }

  // JSON patches fail where the object lacks their paths.
  bool can_fail(const std::vector<PlacedExpression>& all) const {
    if (at("spec.paramKind") != nullptr) return true;
    const bool object = always_has_object();
    return std::ranges::any_of(all, [&](const PlacedExpression& e) {
      if (e.place->role == ExpressionRole::JsonPatch) return true;
      return e.place->role != ExpressionRole::Message && may_fail(e.text, object);
    });
  }
  bool always_has_object() const {
    const std::string rules = "spec.matchConstraints.resourceRules";
    for (size_t i = 0; i < list_at(rules).size(); i++) {
      for (const Value& o : list_at(fmt::format("{}[{}].operations", rules, i))) {
        const bool has = o.is(Kind::String) && (o.as_text() == "CREATE" || o.as_text() == "UPDATE");
        if (!has) return false;
      }
    }
    return true;
  }

  void change_failure_policy() {
    const std::string path = "spec.failurePolicy";
    add("failurePolicy", path, text_at(path) == "Ignore" ? "\"Fail\"" : "\"Ignore\"",
        "no case makes an expression of the policy fail",
        object_.locate(at(path) != nullptr ? path : "spec", true));
  }

  Mutant& add_change(const PlacedExpression& e, ExpressionChange& change, FieldSteps steps) {
    Mutant& m = out_.emplace_back();
    m.object = &object_;
    m.sort = std::move(change.sort);
    m.position = object_.locate_in(e.path, e.text, change.start);
    m.old_text = e.text;
    m.new_text = change.text;
    m.hint = std::move(change.hint);
    m.edit = {std::move(steps), quote_json(change.text)};
    return m;
  }

  // The expression has no effect; returns what stands in its place.
  std::string leave_out(const PlacedExpression& e) {
    using enum ExpressionRole;
    switch (e.place->role) {
      case MatchCondition:
        return silence(e, "matchCondition", "true",
                       fmt::format("no case is left out by the match condition {}", e.name));
      case Validation:
        return silence(e, "validation", "true",
                       fmt::format("no case depends on validations[{}] alone", e.index));
      case Annotation:
        return silence(e, "auditAnnotation", "null",
                       fmt::format("no case expects the audit annotation {}", e.name));
      case ApplyConfiguration:
        return silence(e, "mutation", "Object{}", fmt::format("no case depends on mutations[{}]", e.index));
      case JsonPatch:
        return silence(e, "mutation", "[JSONPatch{op: 'test', path: '/kind', value: ''}]",
                       fmt::format("no case depends on mutations[{}]", e.index));
      default: return {};
    }
  }
  std::string silence(const PlacedExpression& e, std::string sort, std::string_view by, std::string hint) {
    ExpressionChange change;
    change.sort = std::move(sort);
    change.text = by;
    change.hint = std::move(hint);
    if (e.text != by) add_change(e, change, steps_of(e.path)).whole = true;
    return std::string(by);
  }

  // --- definitions ---

  // The rules of all schemas below a value, which is at `steps`.
  void change_rules(const Value& v, FieldSteps& steps) {
    for (size_t i = 0; v.is(Kind::List) && i < v.size(); i++) {
      steps.emplace_back(i);
      change_rules(v.as_list()[i], steps);
      steps.pop_back();
    }
    if (!v.is(Kind::Map)) return;
    for (const MapEntry& e : v.as_map()) {
      steps.emplace_back(std::string(e.key.as_text()));
      const bool rules = e.key.as_text() == "x-kubernetes-validations" && e.value.is(Kind::List);
      rules ? change_list(e.value.as_list(), steps) : change_rules(e.value, steps);
      steps.pop_back();
    }
  }
  // The rules of one place in a schema.
  void change_list(std::span<const Value> rules, const FieldSteps& steps) {
    FieldsRead fields;
    for (const Value& r : rules) note_fields(text_member(r, "rule"), fields);
    for (size_t i = 0; i < rules.size(); i++) {
      FieldSteps at = steps;
      at.emplace_back(i);
      at.emplace_back("rule");
      PlacedExpression e{};
      e.path = path_of(at);
      e.text = text_member(rules[i], "rule");
      if (e.text.empty()) continue;
      ExpressionChange left_out;
      left_out.sort = "validation";
      left_out.text = "true";
      left_out.hint = "no case depends on this rule alone";
      if (e.text != left_out.text) add_change(e, left_out, at).whole = true;
      for (ExpressionChange& change : expression_changes(e.text, fields)) {
        if (change.text != left_out.text) add_change(e, change, at);
      }
    }
  }

  // --- bindings ---

  void change_binding() {
    const std::string actions = "spec.validationActions";
    drop_each("validationActions", actions, "no case expects what the action {} does");
    if (const std::span<const Value> list = list_at(actions); list.size() == 1 && list[0].is(Kind::String)) {
      const std::string_view only = list[0].as_text();
      add("validationActions", actions, only == "Audit" ? "[\"Warn\"]" : "[\"Audit\"]",
          "no case expects what the action " + in_ticks(only) + " does");
    }
    const std::string missing = "spec.paramRef.parameterNotFoundAction";
    if (const std::string_view action = text_at(missing); !action.empty())
      add("parameterNotFoundAction", missing, action == "Deny" ? "\"Allow\"" : "\"Deny\"",
          "no case lacks the param of the binding");
    change_match("spec.matchResources");
  }

  const InputObject& object_;
  const bool versions_;
  std::vector<Mutant> out_;
};

// --- editing ---

// `value` null: removes what is at the end of the steps.
Value changed(const Value& at, std::span<const FieldSteps::value_type> steps, const Value* value,
              Arena& arena) {
  if (steps.empty()) return value == nullptr ? Value() : *value;
  const auto rest = steps.subspan(1);
  if (const size_t* number = std::get_if<size_t>(&steps[0])) {
    if (!at.is(Kind::List) || *number >= at.size()) return at;
    Value* items = arena.array<Value>(at.size());
    std::ranges::copy(at.as_list(), items);
    items[*number] = changed(items[*number], rest, value, arena);
    return Value::list(items, at.size());
  }
  const std::string& name = std::get<std::string>(steps[0]);
  if (rest.empty() && value == nullptr) return without_member(arena, at, name);
  const Value* below = find_member(at, name);
  const Value made = changed(below == nullptr ? Value() : *below, rest, value, arena);
  return with_member(arena, at, arena.copy(name), made);
}

}  // namespace

std::string path_of(const FieldSteps& steps) {
  std::string out;
  for (const auto& step : steps) {
    if (const size_t* number = std::get_if<size_t>(&step)) {
      out += fmt::format("[{}]", *number);
      continue;
    }
    const std::string& name = std::get<std::string>(step);
    const bool plain = !name.empty() && name.find_first_of(".[]") == name.npos;
    out += plain ? (out.empty() ? "" : ".") + name : "[" + name + "]";
  }
  return out;
}

bool is_definition(const InputObject& object) { return role_of(object) == Role::Definition; }

std::vector<Mutant> mutants_of(const InputObject& object, bool versions) {
  return Lister(object, versions).list();
}

Value edited(const Value& object, const FieldEdit& edit, Arena& arena) {
  if (edit.json.empty()) return changed(object, edit.at, nullptr, arena);
  Result<Value> value = read_json(arena.copy(edit.json), arena);
  return value.ok() ? changed(object, edit.at, &*value, arena) : object;
}

std::string difference(const Mutant& mutant, std::string_view indent) {
  std::vector<std::string_view> before = lines_of(mutant.old_text), after = lines_of(mutant.new_text);
  while (!before.empty() && !after.empty() && before.back() == after.back())
    before.pop_back(), after.pop_back();
  size_t same = 0;
  while (same < before.size() && same < after.size() && before[same] == after[same]) same++;
  std::string out;
  for (size_t i = same; i < before.size(); i++) out += fmt::format("{}- {}\n", indent, before[i]);
  for (size_t i = same; i < after.size(); i++) out += fmt::format("{}+ {}\n", indent, after[i]);
  return out;
}

}  // namespace portcullis
