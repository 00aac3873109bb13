// Expressions of policies: compilation as Kubernetes' policy plugins do it, with their error texts.
//
// Idea: each policy has one compiler, to whose `variables` each variable adds a field. Environments are built
// once for each combination of declared variables and shared by all policies. If several policies contain the
// same expression and it does not mention `variables`, they share one program.
// Source of behaviour: apiserver pkg/admission/plugin/cel/{compile,composition}.go. Tested by
// admission/engine/engine_test.cc, tests/oracle/.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "admission/expressions/environment.h"
#include "admission/expressions/variable_fields.h"
#include "interpreter/cel.h"

namespace portcullis {

class SharedParses;  // grammar/shared_parses.h

// The libraries to compile with: those of stored expressions, or those of new ones at a compatibility
// version.
struct ExpressionVersion {
  bool stored = true;
  KubernetesVersion version = {};
};

struct CompiledExpression {
  ProgramPtr program;     // null if compilation failed
  std::string error;      // Kubernetes' text ("compilation failed: ...", "must evaluate to bool but got int")
  bool internal = false;  // the error is Kubernetes' ErrorTypeInternal
  ExpressionPtr expression;      // null if it does not check, and if it belongs to a ProgramStore
  const Type* output = nullptr;  // lives as long as the expression or the store
};

// Programs that are evaluated together: they share paths, and equal ones are one. Paths, texts and programs outlive the
// store, which is only needed to compile.
class ProgramStore {
 public:
  const std::shared_ptr<PathTable>& paths() const { return paths_; }
  const std::shared_ptr<Arena>& texts() const { return texts_; }
  // A copy of `text` among the texts; equal ones have the same.
  std::string_view keep(std::string_view text);
  // Drops what finds equal ones, which is more than they are: from now on they are there anew.
  void forget();

 private:
  friend class PolicyCompiler;
  // Without program and error if nothing was added.
  CompiledExpression find(const Environment& environment, std::string_view text) const;
  void add(const Environment& environment, std::string_view text, const CompiledExpression& made);

  std::shared_ptr<PathTable> paths_ = std::make_shared<PathTable>();
  std::shared_ptr<Arena> texts_ = std::make_shared<Arena>();
  std::unordered_set<std::string_view> kept_;
  TypePool types_;  // of results
  // By environment and text; types of results are checked anew. There are many programs, and few that do not compile.
  struct Made {
    ProgramPtr program;
    const Type* output;
  };
  std::map<const Environment*, std::unordered_map<std::string_view, Made>> programs_;
  std::map<std::pair<const Environment*, std::string_view>, CompiledExpression> failures_;
};

class PolicyCompiler {
 public:
  // `composed`: `variables` is declared, without fields at first. `store`: owns the programs that will run;
  // null: programs are only made to find errors. `parses`: the shared parses of the policy's expressions; may
  // be null. Both must outlive the compiler.
  explicit PolicyCompiler(bool composed, ProgramStore* store = nullptr, SharedParses* parses = nullptr);
  ~PolicyCompiler();

  // `results`: the allowed types of the result; empty: any type.
  CompiledExpression compile(std::string_view text, std::initializer_list<const Type*> results,
                             PolicyVariables declared, ExpressionVersion version) {
    return compile(text, std::span(results.begin(), results.size()), declared, version);
  }
  CompiledExpression compile(std::string_view text, std::span<const Type* const> results,
                             PolicyVariables declared, ExpressionVersion version);
  // Compiles a variable and declares `variables.name` for later expressions. If it does not compile, it is
  // declared as dyn.
  CompiledExpression variable(std::string_view name, std::string_view text, PolicyVariables declared,
                              ExpressionVersion version);

 private:
  std::shared_ptr<const Environment> environment(bool own, PolicyVariables declared,
                                                 ExpressionVersion version);
  CompiledExpression build(std::string_view text, std::shared_ptr<const Environment> environment);

  bool composed_;
  ProgramStore* store_;
  SharedParses* parses_;
  std::shared_ptr<VariableFields> fields_;  // of `variables`; null if not declared
  using Key =
      std::tuple<bool, bool, bool, std::shared_ptr<const Environment>>;  // what it extends, and by what
  std::map<Key, std::shared_ptr<const Environment>> environments_;       // of this policy only
};

// The required result types of mutations.
const Type* apply_configuration_type();  // Object
const Type* json_patch_list_type();      // list(JSONPatch)

}  // namespace portcullis
