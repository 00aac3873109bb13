// Environment: the functions, variables, types, macros and options that an expression may use.
//
// Idea: an environment is a list of {library, version}, whose rows are parsed once, plus variables, a
// container and options. It is immutable after build(), and threads share it. An extended environment shares
// the overload tables of its base, so a policy that only adds variables costs no more than its variables.
// The overloads of a function are kept in the order of declaration, because results and candidate lists
// depend on it. An overload that is declared again keeps its place and gets the newer row; another signature
// under the same overload id is an error, as in cel-go.
// Limits: build() fails where cel-go fails to make an environment (overload collisions, overlapping
// variables).
// Tested by typecheck/environment_test.cc.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "grammar/macros.h"
#include "grammar/parse.h"
#include "grammar/result.h"
#include "typecheck/cost.h"
#include "typecheck/function.h"
#include "typecheck/type.h"
#include "typecheck/validate.h"

namespace portcullis {

// Overloads that checker or estimator treat specially.
enum class OverloadForm : uint8_t {
  Plain,
  LogicalAnd,
  LogicalOr,
  Conditional,
  IndexList,
  IndexMap,  // not the overloads of optional containers
  Add,       // strings, bytes, lists: the result's entry sizes cover both operands'
};

// One overload of a function in an environment.
struct Overload {
  std::string_view id;
  const Function* row = nullptr;  // null: declared without implementation, by tests
  bool member = false;
  bool cross_numeric = false;  // compares int, uint and double with each other; needs the option
  OverloadForm form = OverloadForm::Plain;
  std::vector<const Type*> args;  // receiver first
  const Type* result = nullptr;
  std::vector<const Type*> type_params;
  // Static cost, from the row; null: {1, 1}.
  StaticCost estimate = nullptr;
};

// All overloads of a name, in the order of declaration.
struct FunctionGroup {
  std::string name;
  std::vector<const Overload*> overloads;
  // Properties of the function, gathered from its rows.
  uint16_t flags = 0;  // FunctionFlags of all rows
  Builtin builtin = Builtin::None;
  Singleton singleton = {};
};

struct EnvironmentOptions {
  bool cross_type_numeric_comparisons = false;
  bool optional_syntax = false;    // set by the optional library
  bool escape_identifiers = true;  // a.`b-c`
  // What releases of cel-go before 0.23 and 0.29 do not: where the type of a range is unknown, the second variable of a
  // macro is dyn (before, of no type that anything takes but dyn); `.x` is no variable of a macro.
  bool types_untyped_values = true;
  bool leading_dot_skips_locals = true;
  bool presence_test_cost = true;  // has() costs 1 in the estimate (Kubernetes: 0)
  // The same at run time (Kubernetes: 0, but 1 in the tests of its libraries).
  bool run_time_presence_test_cost = true;
  bool constant_folding = false;  // cel-go's OptOptimize, for the compiler
  // Costs by function name, see NamedCost; must outlive the environment.
  std::span<const NamedCost> named_costs = {};
};

class Environment {
 public:
  const EnvironmentOptions& options() const { return options_; }
  const std::string& container() const { return container_; }
  // The macros of all libraries.
  const MacroTable& macros() const { return macros_; }
  // The options to parse expressions of this environment with. They refer to macros(), so the environment
  // must live until the parse ends.
  ParseOptions parse_options() const;
  const std::vector<const Validator*>& validators() const { return validators_; }
  // The libraries of the environment with their versions, in order.
  struct Use {
    const Library* library;
    uint8_t version;
  };
  const std::vector<Use>& libraries() const { return libraries_; }

  // The function of exactly this name (no container), or null.
  const FunctionGroup* find_function(std::string_view name) const;
  // The type of the declared variable of exactly this name, or null.
  const Type* find_variable(std::string_view name) const;
  // The type that the identifier names ("int", "net.IP", "google.protobuf.Timestamp", a provider's struct),
  // or null.
  const Type* find_type_name(std::string_view name) const;
  // The same for names at run time. Types of providers are unknown there, as in the API server.
  const Type* find_registered_type(std::string_view name) const;
  // Whether the fields of the struct are known (Kubernetes' opaque types have none).
  bool knows_struct(std::string_view name) const;
  const Type* find_field(std::string_view struct_name, std::string_view field) const;
  // TypeProvider::find_form of the provider that knows the struct.
  const StructForm* find_form(std::string_view struct_name) const;
  const int64_t* find_enum(std::string_view name) const;
  // The cost of `function` by name, or null.
  const NamedCost* find_named_cost(std::string_view function) const;
  // The names to look up for `name`, in order: the name within the container and each of its parents, from the
  // inside out. A leading dot means: only the name as it is.
  std::vector<std::string> candidates(std::string_view name) const;
  // Every variable with its type, sorted by name (for completion and for hints about unset variables).
  std::vector<std::pair<std::string_view, const Type*>> variables() const;

 private:
  friend class EnvironmentBuilder;
  struct StringHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  template <class T>
  using ByName = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;
  // Parsed rows; an environment and its extensions share them.
  struct Table;

  std::shared_ptr<const Environment> base_;  // keeps the types of inherited variables alive
  std::shared_ptr<const Table> table_;       // its own, or the base's
  std::shared_ptr<TypePool> pool_;
  ByName<const Type*> variables_;  // only its own; base_ has the others
  ByName<const Type*> types_;      // type names of libraries, those of the base included
  std::vector<const TypeProvider*> providers_;
  std::vector<std::shared_ptr<const TypeProvider>> owned_providers_;
  MacroTable macros_;
  std::vector<const Validator*> validators_;
  std::vector<Use> libraries_;
  std::string container_;
  EnvironmentOptions options_;
};

class EnvironmentBuilder {
 public:
  // Starts with the names of basic types and nothing else.
  EnvironmentBuilder();
  // Starts with everything in `base`.
  explicit EnvironmentBuilder(std::shared_ptr<const Environment> base);

  // Adds the rows, macros, validators and types of `library` at `version` (default: newest).
  EnvironmentBuilder& library(const Library& library, uint8_t version = 255);
  // Declares a variable; `name` may be dotted. The type is copied.
  EnvironmentBuilder& variable(std::string_view name, const Type* type);
  // Declares an overload without implementation. Types are copied.
  EnvironmentBuilder& function(std::string_view name, std::string_view overload_id, bool member,
                               std::vector<const Type*> args, const Type* result);
  EnvironmentBuilder& container(std::string_view name);
  EnvironmentBuilder& provider(const TypeProvider* provider);  // must outlive the environment
  EnvironmentBuilder& provider(std::shared_ptr<const TypeProvider> provider);
  EnvironmentBuilder& validator(const Validator& validator);  // must outlive the environment
  EnvironmentBuilder& macros(std::span<const Macro> macros);  // must outlive the environment
  // May be changed until build().
  EnvironmentOptions& options() { return options_; }
  // The pool to make types of variables and functions in.
  TypePool& types() { return *pool_; }

  // The environment, or the first error of a call above. The builder must not be used afterwards.
  Result<std::shared_ptr<const Environment>> build();

 private:
  // Keeps the first error.
  void fail(std::string text);
  Environment::Table& own_table();
  void add_overload(std::string_view name, Overload overload);
  void add_types(const Library& library);

  std::shared_ptr<Environment> made_;
  std::shared_ptr<Environment::Table> table_;  // null until something is added to the base's table
  std::shared_ptr<TypePool> pool_;
  EnvironmentOptions options_;
  std::string error_;
};

}  // namespace portcullis
