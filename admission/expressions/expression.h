// Expressions of policies: what Kubernetes' policy plugins compile, and what they say when they cannot.
//
// Idea: one compiler a policy (it grows the fields of `variables` as they are declared), over environments
// that are built once per combination of declared variables and shared by all policies. Expressions that do
// not mention `variables` and are written alike in several policies become one program, so that they are
// evaluated once a request. Source of behaviour: apiserver pkg/admission/plugin/cel/{compile,composition}.go.
// Tested by admission/engine/engine_test.cc, tests/oracle/.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "admission/expressions/environment.h"
#include "admission/expressions/variable_fields.h"
#include "interpreter/cel.h"

namespace portcullis {

class SharedParses;  // grammar/shared_parses.h

// Which libraries: those of stored expressions, or those of new ones at a compatibility version.
struct ExpressionVersion {
  bool stored = true;
  KubernetesVersion version = {};
};

struct CompiledExpression {
  ProgramPtr program;     // null if it failed
  std::string error;      // Kubernetes' text ("compilation failed: ...", "must evaluate to bool but got int")
  bool internal = false;  // the error is Kubernetes' ErrorTypeInternal
  ExpressionPtr expression;      // null if it does not check, and if it belongs to a ProgramStore
  const Type* output = nullptr;  // lives as long as the expression or the store
};

// Programs that are evaluated together: they share paths, and equal ones are one. Paths and programs outlive the store,
// which is only needed to compile.
class ProgramStore {
 public:
  const std::shared_ptr<PathTable>& paths() const { return paths_; }

 private:
  friend class PolicyCompiler;
  std::shared_ptr<PathTable> paths_ = std::make_shared<PathTable>();
  TypePool types_;  // of results
  // By environment and text; types of results are checked anew.
  std::map<std::pair<const Environment*, std::string>, CompiledExpression> programs_;
};

class PolicyCompiler {
 public:
  // `composed`: `variables` is declared (with no fields yet). `store`: where programs that will run belong;
  // null: they are made only to see whether they can be. `parses`: of all who look at the policy's texts; may be null.
  // Both must outlive the compiler.
  explicit PolicyCompiler(bool composed, ProgramStore* store = nullptr, SharedParses* parses = nullptr);
  ~PolicyCompiler();

  // `results`: the types allowed; empty: any.
  CompiledExpression compile(std::string_view text, std::initializer_list<const Type*> results,
                             PolicyVariables declared, ExpressionVersion version) {
    return compile(text, std::span(results.begin(), results.size()), declared, version);
  }
  CompiledExpression compile(std::string_view text, std::span<const Type* const> results,
                             PolicyVariables declared, ExpressionVersion version);
  // Compiles and declares `variables.name` for the expressions that follow (also if it does not
  // compile: then dyn).
  CompiledExpression variable(std::string_view name, std::string_view text, PolicyVariables declared,
                              ExpressionVersion version);

 private:
  std::shared_ptr<const Environment> environment(bool own, PolicyVariables declared,
                                                 ExpressionVersion version);
  CompiledExpression build(std::string_view text, std::shared_ptr<const Environment> environment,
                           bool shared);

  bool composed_;
  ProgramStore* store_;
  SharedParses* parses_;
  std::shared_ptr<VariableFields> fields_;  // of `variables`; null while there are none
  std::map<std::tuple<bool, bool, bool, bool, uint32_t>, std::shared_ptr<const Environment>>
      environments_;  // own ones
};

// The types that results of mutations must have.
const Type* apply_configuration_type();  // Object
const Type* json_patch_list_type();      // list(JSONPatch)

}  // namespace portcullis
