// See environment.h.
#include "typecheck/environment.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "typecheck/signature.h"

namespace portcullis {

// Parsed rows. A table that extends another one copies its groups, whose overloads are pointers, and keeps it
// alive.
struct Environment::Table {
  std::shared_ptr<const Table> parent;
  TypePool pool;
  std::deque<Overload> overloads;
  ByName<FunctionGroup> groups;
};

namespace {

// Type names that every environment has as identifiers (cel-go's default type registry).
struct NamedType {
  std::string_view name;
  const Type* type;
};
const Type* builtin_type(std::string_view name) {
  using namespace types;
  static const Type* const empty = new Type(TypeKind::Struct, "google.protobuf.Empty");
  static const Type* const entry = new Type(TypeKind::Struct, "google.protobuf.Struct.FieldsEntry");
  const std::array<NamedType, 4> table = {
      {{"list", kListOfDyn}, {"map", kMapOfDyn}, {empty->name(), empty}, {entry->name(), entry}}};
  if (const Type* basic = basic_type(name)) return basic;
  for (const NamedType& named : table) {
    if (named.name == name) return named.type;
  }
  // NullValue is an enum, not a message.
  return name == "google.protobuf.NullValue" ? nullptr : well_known_type(name);
}

// Fields of the protobuf messages that every environment knows.
struct NamedField {
  std::string_view message;
  std::string_view field;
  const Type* type;
};
const Type* builtin_field(std::string_view message, std::string_view field) {
  using namespace types;
  constexpr std::string_view kPackage = "google.protobuf.";
  if (!message.starts_with(kPackage)) return nullptr;
  message.remove_prefix(kPackage.size());
  const std::array<NamedField, 25> table = {{{"Any", "type_url", kString},
                                             {"Any", "value", kBytes},
                                             {"BoolValue", "value", kBool},
                                             {"BytesValue", "value", kBytes},
                                             {"DoubleValue", "value", kDouble},
                                             {"Duration", "nanos", kInt},
                                             {"Duration", "seconds", kInt},
                                             {"FloatValue", "value", kDouble},
                                             {"Int32Value", "value", kInt},
                                             {"Int64Value", "value", kInt},
                                             {"ListValue", "values", kListOfDyn},
                                             {"StringValue", "value", kString},
                                             {"Struct", "fields", kMapOfStringToDyn},
                                             {"Struct.FieldsEntry", "key", kString},
                                             {"Struct.FieldsEntry", "value", kDyn},
                                             {"Timestamp", "nanos", kInt},
                                             {"Timestamp", "seconds", kInt},
                                             {"UInt32Value", "value", kUint},
                                             {"UInt64Value", "value", kUint},
                                             {"Value", "bool_value", kBool},
                                             {"Value", "list_value", kListOfDyn},
                                             {"Value", "null_value", kInt},
                                             {"Value", "number_value", kDouble},
                                             {"Value", "string_value", kString},
                                             {"Value", "struct_value", kMapOfStringToDyn}}};
  for (const NamedField& named : table) {
    if (named.message == message && named.field == field) return named.type;
  }
  return nullptr;
}

OverloadForm form_of(std::string_view id) {
  struct Form {
    std::string_view id;
    OverloadForm form;
  };
  constexpr std::array<Form, 8> table = {{{"logical_and", OverloadForm::LogicalAnd},
                                          {"logical_or", OverloadForm::LogicalOr},
                                          {"conditional", OverloadForm::Conditional},
                                          {"index_list", OverloadForm::IndexList},
                                          {"index_map", OverloadForm::IndexMap},
                                          {"add_string", OverloadForm::Add},
                                          {"add_bytes", OverloadForm::Add},
                                          {"add_list", OverloadForm::Add}}};
  for (const Form& f : table) {
    if (f.id == id) return f.form;
  }
  return OverloadForm::Plain;
}

bool is_numeric(const Type* t) {
  return t->is(TypeKind::Int) || t->is(TypeKind::Uint) || t->is(TypeKind::Double);
}

// Whether the overload compares different number types (`int < double`), which CrossTypeNumericComparisons
// turns on.
bool is_cross_numeric(std::string_view function, const Overload& overload) {
  bool relation = function == operators::kLess || function == operators::kLessEquals ||
                  function == operators::kGreater || function == operators::kGreaterEquals;
  return relation && overload.args.size() == 2 && is_numeric(overload.args[0]) &&
         is_numeric(overload.args[1]) && overload.args[0] != overload.args[1];
}

bool same_signature(const Overload& a, const Overload& b) {
  if (a.member != b.member || a.args.size() != b.args.size()) return false;
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (!equivalent_types(a.args[i], b.args[i])) return false;
  }
  return equivalent_types(a.result, b.result);
}

bool signatures_overlap(const Overload& a, const Overload& b) {
  if (a.member != b.member || a.args.size() != b.args.size()) return false;
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (!assignable_type(a.args[i], b.args[i]) && !assignable_type(b.args[i], a.args[i])) return false;
  }
  return true;
}

void collect_params(const Type* t, std::vector<const Type*>& params) {
  if (t->is(TypeKind::Param)) {
    bool known =
        std::any_of(params.begin(), params.end(), [&](const Type* p) { return p->name() == t->name(); });
    if (!known) params.push_back(t);
  }
  for (const Type* p : t->params()) collect_params(p, params);
}

}  // namespace

const FunctionGroup* Environment::find_function(std::string_view name) const {
  auto it = table_->groups.find(name);
  return it == table_->groups.end() ? nullptr : &it->second;
}

const Type* Environment::find_variable(std::string_view name) const {
  for (const Environment* e = this; e; e = e->base_.get()) {
    auto it = e->variables_.find(name);
    if (it != e->variables_.end()) return it->second;
  }
  return nullptr;
}

const Type* Environment::find_registered_type(std::string_view name) const {
  if (const Type* t = builtin_type(name)) return t;
  auto it = types_.find(name);
  return it != types_.end() ? it->second : nullptr;
}

const Type* Environment::find_type_name(std::string_view name) const {
  if (const Type* t = find_registered_type(name)) return t;
  for (auto provider = providers_.rbegin(); provider != providers_.rend(); ++provider) {
    if (const Type* t = (*provider)->find_type_name(name)) return t;
  }
  return nullptr;
}

bool Environment::knows_struct(std::string_view name) const {
  if (name.starts_with("google.protobuf.") && builtin_type(name)) return true;
  return std::any_of(providers_.begin(), providers_.end(), [&](auto* p) { return p->find_struct(name); });
}

const Type* Environment::find_field(std::string_view struct_name, std::string_view field) const {
  for (auto provider = providers_.rbegin(); provider != providers_.rend(); ++provider) {
    if ((*provider)->find_struct(struct_name)) return (*provider)->find_field(struct_name, field);
  }
  return builtin_field(struct_name, field);
}

const StructForm* Environment::find_form(std::string_view struct_name) const {
  for (auto provider = providers_.rbegin(); provider != providers_.rend(); ++provider) {
    if ((*provider)->find_struct(struct_name)) return (*provider)->find_form(struct_name);
  }
  return nullptr;
}

const int64_t* Environment::find_enum(std::string_view name) const {
  static constexpr int64_t kNullValue = 0;
  if (name == "google.protobuf.NullValue.NULL_VALUE") return &kNullValue;
  for (auto provider = providers_.rbegin(); provider != providers_.rend(); ++provider) {
    if (const int64_t* value = (*provider)->find_enum(name)) return value;
  }
  return nullptr;
}

const NamedCost* Environment::find_named_cost(std::string_view function) const {
  for (const NamedCost& cost : options_.named_costs) {
    if (cost.function == function) return &cost;
  }
  return nullptr;
}

ParseOptions Environment::parse_options() const {
  ParseOptions parse;
  parse.macros = &macros_;
  parse.optional_syntax = options_.optional_syntax;
  parse.escape_idents = options_.escape_identifiers;
  return parse;
}

std::vector<std::string> Environment::candidates(std::string_view name) const {
  bool absolute = name.starts_with('.');
  if (absolute) name.remove_prefix(1);
  std::vector<std::string> found;
  std::string_view scope = absolute ? std::string_view{} : std::string_view(container_);
  while (!scope.empty()) {
    found.push_back(std::string(scope) + "." + std::string(name));
    size_t last = scope.rfind('.');
    scope = last == std::string_view::npos ? std::string_view{} : scope.substr(0, last);
  }
  found.emplace_back(name);
  return found;
}

std::vector<std::pair<std::string_view, const Type*>> Environment::variables() const {
  std::vector<std::pair<std::string_view, const Type*>> found;
  for (const Environment* e = this; e; e = e->base_.get()) {
    for (const auto& [name, type] : e->variables_) found.emplace_back(name, type);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return found;
}

EnvironmentBuilder::EnvironmentBuilder() : made_(new Environment), pool_(std::make_shared<TypePool>()) {
  own_table();
}

EnvironmentBuilder::EnvironmentBuilder(std::shared_ptr<const Environment> base)
    : made_(new Environment(*base)), pool_(std::make_shared<TypePool>()), options_(base->options_) {
  made_->variables_.clear();
  made_->base_ = std::move(base);
}

void EnvironmentBuilder::fail(std::string text) {
  if (error_.empty()) error_ = std::move(text);
}

Environment::Table& EnvironmentBuilder::own_table() {
  if (!table_) {
    table_ = std::make_shared<Environment::Table>();
    table_->parent = made_->table_;
    if (table_->parent) table_->groups = table_->parent->groups;
  }
  return *table_;
}

void EnvironmentBuilder::add_overload(std::string_view name, Overload overload) {
  Environment::Table& table = own_table();
  auto it = table.groups.find(name);
  if (it == table.groups.end()) {
    it = table.groups.emplace(std::string(name), FunctionGroup{.name = std::string(name)}).first;
  }
  if (const Function* row = overload.row) {
    FunctionGroup& group = it->second;
    group.flags |= row->flags;
    if (row->builtin != Builtin::None) group.builtin = row->builtin;
    if (row->singleton.kinds != 0) group.singleton = row->singleton;
  }
  overload.cross_numeric = is_cross_numeric(name, overload);
  overload.form = form_of(overload.id);
  for (const Overload*& other : it->second.overloads) {
    if (other->id == overload.id) {
      if (!same_signature(*other, overload)) {
        return fail("overload redefinition in function. " + std::string(name) + ": " +
                    std::string(overload.id) + " has multiple definitions");
      }
      // A second declaration replaces the row but keeps the place.
      if (overload.row) other = &table.overloads.emplace_back(std::move(overload));
      return;
    }
    if (signatures_overlap(*other, overload)) {
      return fail("overload signature collision in function " + std::string(name) + ": " +
                  std::string(other->id) + " collides with " + std::string(overload.id));
    }
  }
  it->second.overloads.push_back(&table.overloads.emplace_back(std::move(overload)));
}

void EnvironmentBuilder::add_types(const Library& library) {
  for (std::string_view text : library.types) {
    Result<const Type*> t = parse_type(text, *pool_);
    if (!t) return fail(t.error().text);
    made_->types_[(*t)->name()] = *t;
  }
}

EnvironmentBuilder& EnvironmentBuilder::library(const Library& library, uint8_t version) {
  version = std::min(version, library.latest);
  for (const Function& row : library.functions) {
    if (row.since > version || row.until <= version) continue;
    Result<Signature> signature = parse_signature(row.signature, own_table().pool);
    if (!signature) {
      fail(signature.error().text);
      continue;
    }
    Overload overload;
    overload.id = row.id;
    overload.row = &row;
    overload.member = signature->member;
    overload.args = std::move(signature->args);
    overload.result = signature->result;
    overload.type_params = std::move(signature->type_params);
    overload.estimate = row.cost.estimate;
    add_overload(signature->name, std::move(overload));
  }
  add_types(library);
  for (const Validator& v : library.validators) {
    if (v.since <= version && version < v.until) validator(v);
  }
  made_->macros_.add(library.macros, version);
  if (library.flags & kOptionalSyntax) options_.optional_syntax = true;
  made_->libraries_.push_back({&library, version});
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::variable(std::string_view name, const Type* type) {
  if (name.starts_with('.')) name.remove_prefix(1);
  const Type* declared = made_->find_variable(name);
  if (declared) {
    if (!same_type(declared, type)) fail("overlapping identifier for name '" + std::string(name) + "'");
    return *this;
  }
  made_->variables_.emplace(name, pool_->copy(type));
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::function(std::string_view name, std::string_view overload_id,
                                                 bool member, std::vector<const Type*> args,
                                                 const Type* result) {
  Environment::Table& table = own_table();
  // A type that is never used keeps the id at a stable address, as its name.
  Overload overload;
  overload.id = table.pool.param(overload_id)->name();
  overload.member = member;
  for (const Type* arg : args) overload.args.push_back(table.pool.copy(arg));
  overload.result = table.pool.copy(result);
  collect_params(overload.result, overload.type_params);
  for (const Type* arg : overload.args) collect_params(arg, overload.type_params);
  add_overload(name, std::move(overload));
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::container(std::string_view name) {
  if (name.starts_with('.')) fail("container name must not contain a leading '.': " + std::string(name));
  made_->container_ = name;
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::provider(const TypeProvider* provider) {
  made_->providers_.push_back(provider);
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::provider(std::shared_ptr<const TypeProvider> provider) {
  made_->providers_.push_back(provider.get());
  made_->owned_providers_.push_back(std::move(provider));
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::validator(const Validator& validator) {
  auto& known = made_->validators_;
  bool has = std::any_of(known.begin(), known.end(), [&](auto* v) { return v->name == validator.name; });
  if (!has) known.push_back(&validator);
  return *this;
}

EnvironmentBuilder& EnvironmentBuilder::macros(std::span<const Macro> macros) {
  made_->macros_.add(macros);
  return *this;
}

Result<std::shared_ptr<const Environment>> EnvironmentBuilder::build() {
  if (!error_.empty()) return Error{error_};
  if (table_) made_->table_ = std::move(table_);
  made_->pool_ = std::move(pool_);
  made_->options_ = options_;
  return std::shared_ptr<const Environment>(std::move(made_));
}

}  // namespace portcullis
