// See reads.h.
#include "cli/drafts/reads.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "cli/drafts/trees.h"
#include "grammar/escape.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {

std::string json_of(const Literal& literal) {
  if (const bool* b = std::get_if<bool>(&literal)) return *b ? "true" : "false";
  if (const int64_t* n = std::get_if<int64_t>(&literal)) return std::to_string(*n);
  if (const std::string* s = std::get_if<std::string>(&literal)) return quote_json(*s);
  return std::holds_alternative<std::monostate>(literal) ? "null" : "";
}

bool is_loop(const Expr& e) {
  static constexpr std::string_view kLoops[] = {"all",    "exists", "exists_one", "existsOne",
                                                "filter", "map",    "sortBy"};
  return e.kind == ExprKind::Call && e.target != nullptr && e.args.size() >= 2 &&
         std::ranges::count(kLoops, e.name) > 0 && e.args[0]->kind == ExprKind::Ident;
}

namespace {

constexpr size_t kMostPaths = 16;  // of one expression

// The first steps of paths, while they are followed.
constexpr std::string_view kObject = "object", kParams = "params";

const std::string* text_of(const Expr& e) {
  return e.kind == ExprKind::Literal ? std::get_if<std::string>(&e.literal) : nullptr;
}

// Appends the constant beginning of a JSON pointer. Whether that is all of it.
bool append_pointer(const Expr& e, std::string& out) {
  if (const std::string* text = text_of(e)) return out += *text, true;
  if (e.is_call(operators::kAdd, 2))
    return append_pointer(*e.args[0], out) && append_pointer(*e.args[1], out);
  const bool escapes = e.kind == ExprKind::Call && e.name == "escapeKey" && e.args.size() == 1;
  const std::string* key = escapes ? text_of(*e.args[0]) : nullptr;
  if (key == nullptr) return false;
  for (char c : *key) c == '/' ? out += "~1" : c == '~' ? out += "~0" : out += c;
  return true;
}

class Walk {
 public:
  explicit Walk(Reads& out) : out_(out) {}

  void add_variable(std::string_view name, std::string_view text) {
    variables_[std::string(name)] = trees_.parse(text);
  }
  // Of a rule, in which the names of selected properties are escaped.
  void add_self(const Path& path) {
    escaped_ = true;
    Path self = {std::string(kObject)};
    self.insert(self.end(), path.begin(), path.end());
    scope_["self"] = {self};
  }
  void expression(std::string_view text) {
    if (const Expr* root = trees_.parse(text)) walk(*root);
  }

 private:
  using Paths = std::vector<Path>;

  std::string selected(const std::string& name) const {
    return escaped_ ? unescape_property(name).value_or(name) : name;
  }

  // Whether the value is that of one of several expressions, or contains their elements.
  static bool is_joined(const Expr& e) {
    return e.is_call(operators::kConditional, 3) || e.is_call(operators::kAdd, 2);
  }

  // The paths of what an expression may select from the object or from params; none for anything else.
  Paths paths_of(const Expr& e) {
    if (e.kind == ExprKind::Ident) return of_name(e.name);
    if (e.kind == ExprKind::Select) {
      const bool variable = e.target->kind == ExprKind::Ident && e.target->name == "variables";
      return variable ? of_variable(e.name) : below(*e.target, selected(e.name));
    }
    if (e.kind != ExprKind::Call) return {};
    if ((e.name == operators::kIndex || e.name == operators::kOptIndex || e.name == operators::kOptSelect) &&
        e.args.size() == 2) {
      const std::string* key = text_of(*e.args[1]);
      if (key == nullptr) return below(*e.args[0], std::string(kElement));
      return below(*e.args[0], e.name == operators::kOptSelect ? selected(*key) : *key);
    }
    if (is_joined(e)) {
      Paths out = paths_of(*e.args[e.args.size() - 2]);
      for (Path& path : paths_of(*e.args.back())) {
        if (out.size() < kMostPaths && std::ranges::count(out, path) == 0) out.push_back(std::move(path));
      }
      return out;
    }
    const bool same = e.name == "orValue" || e.name == "or" || e.name == "value" || e.name == "filter" ||
                      e.name == "lowerAscii" || e.name == "upperAscii" || e.name == "trim";
    if (same && e.target != nullptr) return paths_of(*e.target);
    return {};
  }
  Paths of_name(const std::string& name) {
    if (auto found = scope_.find(name); found != scope_.end()) return found->second;
    if (name == "oldSelf" && scope_.contains("self")) {
      out_.old = true;
      return scope_["self"];
    }
    if (name == kObject || name == kParams) return {{name}};
    if (name == "oldObject") {
      out_.old = true;
      return {{std::string(kObject)}};
    }
    if (name == "request" || name == "authorizer" || name == "namespaceObject") out_.others = true;
    return {};
  }
  Paths of_variable(const std::string& name) {
    auto found = variables_.find(name);
    if (found == variables_.end() || found->second == nullptr) return {};
    auto [known, fresh] = paths_of_variables_.try_emplace(name);
    if (!fresh) return known->second;
    const auto before = std::exchange(scope_, {});  // it sees no loop variables
    Paths out = paths_of(*found->second);
    walk(*found->second);
    scope_ = before;
    return paths_of_variables_[name] = std::move(out);
  }
  Paths below(const Expr& target, const std::string& name) {
    Paths out = paths_of(target);
    for (Path& path : out) path.push_back(name);
    return out;
  }

  void walk(const Expr& e) {
    if (e.kind == ExprKind::Literal) {
      if (std::string json = json_of(e.literal); !json.empty() && json != "null")
        out_.constants.insert(std::move(json));
    }
    if (is_loop(e)) return walk_loop(e);
    if (const Paths paths = is_joined(e) ? Paths() : paths_of(e); !paths.empty()) {
      add(paths);
      const bool with_constant = e.kind == ExprKind::Call && (e.name == "orValue" || e.name == "or");
      if (with_constant && !e.args.empty()) walk(*e.args[0]);
      return;
    }
    if (e.kind == ExprKind::Struct) add_written(e);
    if (e.target != nullptr) walk(*e.target);
    for (const Expr* argument : e.args) walk(*argument);
    for (const Entry& entry : e.entries) {
      if (entry.key != nullptr) walk(*entry.key);
      if (entry.value != nullptr && !(e.kind == ExprKind::Struct && is_pointer(e, entry))) walk(*entry.value);
    }
    if (e.is_call(operators::kIn, 2)) walk_in(e);
  }
  // 'x' in object.y: a member or an element.
  void walk_in(const Expr& e) {
    const std::string* key = text_of(*e.args[0]);
    if (key != nullptr) add(below(*e.args[1], *key));
  }
  void walk_loop(const Expr& e) {
    const std::string& name = e.args[0]->name;
    const Paths range = below(*e.target, std::string(kElement));
    add(range);
    if (range.empty() || is_joined(*e.target)) walk(*e.target);
    auto before = scope_;
    if (!range.empty()) scope_[name] = range;
    for (size_t i = 1; i < e.args.size(); i++) walk(*e.args[i]);
    scope_ = std::move(before);
  }
  // What a mutation writes counts as read: whether it changes an object depends on what is there, and an operation on a
  // member needs its parents.
  void add_written(const Expr& e) {
    for (const Entry& entry : e.entries) {
      if (entry.value == nullptr) continue;
      if (is_pointer(e, entry)) add(pointed_at(*entry.value));
      if (e.name != "Object" && !e.name.starts_with("Object.")) continue;
      Path path = {std::string(kObject)};
      std::stringstream steps(e.name.substr(std::min(e.name.size(), std::size("Object.") - 1)));
      for (std::string step; std::getline(steps, step, '.');) path.push_back(step);
      path.push_back(entry.field);
      if (entry.value->kind != ExprKind::Struct && entry.value->kind != ExprKind::Map) add(path);
      for (const Entry& member : entry.value->entries) {
        const std::string* key = member.key == nullptr ? nullptr : text_of(*member.key);
        if (key == nullptr) continue;
        path.push_back(*key);
        add(path);
        path.pop_back();
      }
    }
  }
  static bool is_pointer(const Expr& e, const Entry& entry) {
    return e.name == "JSONPatch" && (entry.field == "path" || entry.field == "from");
  }
  void add(const Paths& paths) {
    for (const Path& path : paths) add(path);
  }
  void add(const Path& path) {
    if (path.size() < 2) return;
    (path[0] == kParams ? out_.param_paths : out_.paths).insert(Path(path.begin() + 1, path.end()));
  }

  Reads& out_;
  bool escaped_ = false;
  Trees trees_;
  std::map<std::string, const Expr*> variables_;
  std::map<std::string, Paths> scope_, paths_of_variables_;
};

// The paths that do not lead to others.
std::set<Path> ends_of(const std::set<Path>& all) {
  std::set<Path> out;
  for (const Path& path : all) {
    const bool leads_on = std::ranges::any_of(all, [&](const Path& other) {
      return other.size() > path.size() && std::equal(path.begin(), path.end(), other.begin());
    });
    if (!leads_on) out.insert(path);
  }
  return out;
}

}  // namespace

Path pointed_at(const Expr& pointer) {
  Path out = {std::string(kObject)};
  std::string text;
  const bool known = append_pointer(pointer, text);
  size_t at = text.find('/');
  while (at != text.npos) {
    const size_t end = std::min(text.find('/', at + 1), text.size());
    std::string step = text.substr(at + 1, end - at - 1);
    const bool index = step == "-" || (!step.empty() && step.find_first_not_of("0123456789") == step.npos);
    const bool cut = !known && end == text.size();
    for (const auto& [escaped, plain] : {std::pair("~1", "/"), {"~0", "~"}}) {
      for (size_t i = 0; (i = step.find(escaped, i)) != step.npos; i++) step.replace(i, 2, plain);
    }
    out.push_back(index || cut ? std::string(kElement) : step);
    at = end == text.size() ? text.npos : end;
  }
  return out;
}

Reads reads_of(const InputObject& policy) {
  Reads out;
  Walk walk(out);
  for (const Value& v : list_at(policy.value, "spec.variables"))
    walk.add_variable(text_member(v, "name"), text_member(v, "expression"));
  for (std::string_view list : {"spec.validations", "spec.matchConditions"}) {
    for (const Value& v : list_at(policy.value, list)) walk.expression(text_member(v, "expression"));
  }
  for (const Value& v : list_at(policy.value, "spec.mutations")) {
    for (std::string_view kind : {"applyConfiguration", "jsonPatch"}) {
      if (const Value* patch = find_member(v, kind)) walk.expression(text_member(*patch, "expression"));
    }
  }
  for (const Value& v : list_at(policy.value, "spec.auditAnnotations"))
    walk.expression(text_member(v, "valueExpression"));
  out.paths = ends_of(out.paths);
  out.param_paths = ends_of(out.param_paths);
  return out;
}

Reads reads_of_rule(std::string_view rule, const Path& self) {
  Reads out;
  Walk walk(out);
  walk.add_self(self);
  walk.expression(rule);
  out.paths = ends_of(out.paths);
  return out;
}

}  // namespace portcullis::drafts
