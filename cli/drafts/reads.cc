// See reads.h.
#include "cli/drafts/reads.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "grammar/parse.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::drafts {
namespace {

constexpr std::string_view kLoops[] = {"all", "exists", "exists_one", "existsOne", "filter", "map", "sortBy"};

// The first steps of paths, while they are followed.
constexpr std::string_view kObject = "object", kParams = "params";

// The constant in JSON; empty for one that JSON has not.
std::string json_of(const Literal& literal) {
  if (const bool* b = std::get_if<bool>(&literal)) return *b ? "true" : "false";
  if (const int64_t* n = std::get_if<int64_t>(&literal)) return std::to_string(*n);
  if (const std::string* s = std::get_if<std::string>(&literal)) return quote_json(*s);
  return {};
}

class Walk {
 public:
  explicit Walk(Reads& out) : out_(out) {}

  void add_variable(std::string_view name, std::string_view text) {
    variables_[std::string(name)] = parsed(text);
  }
  void add_self(const Path& path) {
    Path& self = scope_["self"] = {std::string(kObject)};
    self.insert(self.end(), path.begin(), path.end());
  }
  void expression(std::string_view text) {
    if (const Expr* root = parsed(text)) walk(*root);
  }

 private:
  const Expr* parsed(std::string_view text) {
    const Source source{text};
    ParseOptions options;
    options.optional_syntax = true;
    Parsed& made = *asts_.emplace_back(std::make_unique<Parsed>(parse(source, options)));
    return made.ok() ? made.ast.root : nullptr;
  }

  static const std::string* text_of(const Expr& e) {
    return e.kind == ExprKind::Literal ? std::get_if<std::string>(&e.literal) : nullptr;
  }

  // The path of what an expression selects from the object or from params; nothing for anything else.
  std::optional<Path> path_of(const Expr& e) {
    if (e.kind == ExprKind::Ident) return of_name(e.name);
    if (e.kind == ExprKind::Select) {
      const bool variable = e.target->kind == ExprKind::Ident && e.target->name == "variables";
      return variable ? of_variable(e.name) : below(*e.target, e.name);
    }
    if (e.kind != ExprKind::Call) return std::nullopt;
    if ((e.name == operators::kIndex || e.name == operators::kOptIndex || e.name == operators::kOptSelect) &&
        e.args.size() == 2) {
      const std::string* key = text_of(*e.args[1]);
      return below(*e.args[0], key == nullptr ? std::string(kElement) : *key);
    }
    const bool same = e.name == "orValue" || e.name == "or" || e.name == "value" || e.name == "filter" ||
                      e.name == "lowerAscii" || e.name == "upperAscii" || e.name == "trim";
    if (same && e.target != nullptr) return path_of(*e.target);
    return std::nullopt;
  }
  std::optional<Path> of_name(const std::string& name) {
    if (auto found = scope_.find(name); found != scope_.end()) return found->second;
    if (name == "oldSelf" && scope_.contains("self")) {
      out_.old = true;
      return scope_["self"];
    }
    if (name == kObject || name == kParams) return Path{name};
    if (name == "oldObject") {
      out_.old = true;
      return Path{std::string(kObject)};
    }
    if (name == "request" || name == "authorizer" || name == "namespaceObject") out_.others = true;
    return std::nullopt;
  }
  std::optional<Path> of_variable(const std::string& name) {
    auto found = variables_.find(name);
    if (found == variables_.end() || found->second == nullptr || depth_ > 20) return std::nullopt;
    depth_++;
    std::optional<Path> out = path_of(*found->second);
    if (!out) walk(*found->second);
    depth_--;
    return out;
  }
  std::optional<Path> below(const Expr& target, const std::string& name) {
    std::optional<Path> out = path_of(target);
    if (out) out->push_back(name);
    return out;
  }

  void walk(const Expr& e) {
    if (e.kind == ExprKind::Literal) {
      if (std::string json = json_of(e.literal); !json.empty()) out_.constants.insert(std::move(json));
    }
    const bool loop = e.kind == ExprKind::Call && e.target != nullptr && e.args.size() >= 2 &&
                      std::ranges::count(kLoops, e.name) > 0 && e.args[0]->kind == ExprKind::Ident;
    if (loop) return walk_loop(e);
    if (std::optional<Path> path = path_of(e)) {
      add(*path);
      const bool with_constant = e.kind == ExprKind::Call && (e.name == "orValue" || e.name == "or");
      if (with_constant && !e.args.empty()) walk(*e.args[0]);
      return;
    }
    if (e.target != nullptr) walk(*e.target);
    for (const Expr* argument : e.args) walk(*argument);
    for (const Entry& entry : e.entries) {
      if (entry.key != nullptr) walk(*entry.key);
      if (entry.value != nullptr) walk(*entry.value);
    }
    if (e.is_call(operators::kIn, 2)) walk_in(e);
  }
  // 'x' in object.y: a member or an element.
  void walk_in(const Expr& e) {
    const std::string* key = text_of(*e.args[0]);
    std::optional<Path> path = path_of(*e.args[1]);
    if (key == nullptr || !path) return;
    path->push_back(*key);
    add(*path);
  }
  void walk_loop(const Expr& e) {
    const std::string& name = e.args[0]->name;
    std::optional<Path> range = path_of(*e.target);
    if (range) {
      range->push_back(std::string(kElement));
      add(*range);
    } else {
      walk(*e.target);
    }
    auto before = scope_;
    if (range) scope_[name] = *range;
    for (size_t i = 1; i < e.args.size(); i++) walk(*e.args[i]);
    scope_ = std::move(before);
  }
  void add(const Path& path) {
    if (path.size() < 2) return;
    (path[0] == kParams ? out_.param_paths : out_.paths).insert(Path(path.begin() + 1, path.end()));
  }

  Reads& out_;
  std::vector<std::unique_ptr<Parsed>> asts_;
  std::map<std::string, const Expr*> variables_;
  std::map<std::string, Path> scope_;
  int depth_ = 0;
};

template <typename Each>
void each_of(const InputObject& policy, std::string_view list, Each each) {
  const Value* items = find_path(policy.value, "spec." + std::string(list));
  if (items == nullptr || !items->is(Kind::List)) return;
  for (const Value& item : items->as_list()) each(item);
}

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

Reads reads_of(const InputObject& policy) {
  Reads out;
  Walk walk(out);
  each_of(policy, "variables",
          [&](const Value& v) { walk.add_variable(text_member(v, "name"), text_member(v, "expression")); });
  for (std::string_view list : {"validations", "matchConditions"})
    each_of(policy, list, [&](const Value& v) { walk.expression(text_member(v, "expression")); });
  each_of(policy, "mutations", [&](const Value& v) {
    for (std::string_view kind : {"applyConfiguration", "jsonPatch"}) {
      if (const Value* patch = find_member(v, kind)) walk.expression(text_member(*patch, "expression"));
    }
  });
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
