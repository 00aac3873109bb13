// Lowering: translates a plan into bytecode.
//
// Idea: the code of each plan node leaves its value in a given register and uses only registers behind it, so
// the arguments of a call are consecutive without copies. Comprehensions of the standard macros become fused
// loops, which charge what the parts of the macro would; all others are lowered as cel-go evaluates them. The
// members of Lowering are grouped by kind of node: lower.cc, lower_attribute.cc,
// lower_kept.cc, lower_fold.cc, lower_chain.cc and lower_fused.cc.
// Tested by interpreter/run/cel_test.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "interpreter/compile/bytecode.h"
#include "interpreter/compile/plan.h"

namespace portcullis {

struct LowerOptions {
  bool watch = false;  // report values to a Watch; then no loops are fused
};

// Fills `code` with the program of `tree`. `code.paths` must be set.
void lower(const PlanTree& tree, const Environment& environment, LowerOptions options, Code& code);

class Lowering {
 public:
  Lowering(const PlanTree& tree, const Environment& environment, LowerOptions options, Code& code);
  void run();

 private:
  // A jump target that may still be unknown; the jumps to it are patched when it is bound.
  struct Label {
    struct Use {
      size_t instruction;
      char operand;  // 'b' or 'c'
    };
    std::vector<Use> uses;
    int64_t target = -1;     // -1 until bound
    size_t kept = SIZE_MAX;  // the least size of available_ where a jump to it was emitted
  };
  // A beginning of paths of a loop's variable, c.a or c.a.b. If several paths begin so, it has a register.
  struct Beginning {
    uint32_t uses = 0;
    uint32_t reg = 0;
    size_t position = 0;  // in available_, if it is there
    bool is_shared() const { return uses > 1; }
  };
  // The variable, the beginning without the last key, the last key.
  using BeginningKey = std::tuple<uint32_t, const Beginning*, std::string_view>;
  // The register of a local variable. A lazy variable takes two.
  struct ScopeRegister {
    uint32_t reg = 0;
    bool lazy = false;
    bool accumulator = false;
    Plan* init = nullptr;
    Label entry;
    bool queued = false;
    uint32_t self_error = 0;
  };

  // lower.cc
  size_t put(Instruction i);
  size_t jump(Instruction i, Label& b);
  size_t jump(Instruction i, Label& b, Label& c);
  void patch(size_t instruction, char operand, uint32_t target);
  void bind(Label& label);
  uint32_t constant(const Value& v);
  uint32_t error_constant(const std::string& text);
  uint32_t key(const Qualifier& q);
  uint32_t call_site(const Plan& p);
  uint32_t equality_site(bool negated);
  void charge(int units);
  void emit(Plan& p, uint32_t dst);
  void emit_node(Plan& p, uint32_t dst);
  void emit_call(Plan& p, uint32_t dst);
  void emit_arguments(Plan& p, uint32_t dst, Label& skip);
  void emit_equal(Plan& p, uint32_t dst);
  void emit_logic(Plan& p, uint32_t dst);
  void add_terms(Plan& p, PlanKind kind, std::vector<Plan*>& terms);
  void emit_optional_check(const Plan& p, size_t i, uint32_t reg);
  void emit_aggregate(Plan& p, uint32_t dst);
  uint32_t aggregate_description(const Plan& p);
  void emit_or_optional(Plan& p, uint32_t dst);
  void emit_initializers();

  // lower_attribute.cc
  void emit_attribute(Plan& p, uint32_t dst);
  void emit_native_field(Plan& p, uint32_t dst);
  void resolve(Attribute& a, uint32_t dst, int units, uint8_t observed);
  void resolve_local(Attribute& a, uint32_t dst, int units, uint8_t observed);
  void resolve_variable(Attribute& a, std::string_view name, size_t from, uint32_t dst, int units,
                        uint8_t observed);
  void resolve_undeclared(Attribute& a, uint32_t dst, int units, uint8_t observed);
  void resolve_conditional(Attribute& a, uint32_t dst);
  void apply(const Attribute& a, size_t from, uint32_t src, uint32_t dst, int units, uint8_t observed);
  void apply_computed(const Attribute& a, size_t from, uint32_t dst, int units, uint8_t observed);
  void read(uint32_t variable);

  // lower_kept.cc
  uint32_t keep_beginnings(const Fold& f, std::initializer_list<const Plan*> body, uint32_t reg);
  void count_beginnings(const Plan& p, const Fold& f);
  void count_beginnings(const Attribute& a, const Fold& f);
  void read_kept(const Attribute& a, uint32_t variable_reg, uint32_t dst, int units);

  // lower_fold.cc
  void emit_fold(Plan& p, uint32_t dst);
  bool emit_fused(Plan& p, uint32_t dst);
  void emit_quantifier(const Fold& f, Loop loop, Plan& predicate, uint32_t dst);
  void emit_map_loop(const Fold& f, Plan* predicate, Plan& append, uint32_t dst);
  void emit_general(const Fold& f, uint32_t dst);
  void emit_block(Plan& p, uint32_t dst);
  void bind_accumulator(const Fold& f, uint32_t reg);

  // lower_chain.cc
  void add_chains();

  // lower_fused.cc
  void fuse_tests();

  const PlanTree& tree_;
  const Environment& environment_;
  LowerOptions options_;
  Code& code_;
  std::vector<ScopeRegister> scope_;
  std::map<BeginningKey, Beginning> beginnings_;
  // Those whose registers are filled wherever the instruction that is emitted next is reached.
  std::vector<const Beginning*> available_;
  std::optional<uint32_t> equality_sites_[2];  // of == and !=
  std::vector<uint32_t> queue_;                // scope variables whose initializers must still be emitted
};

}  // namespace portcullis
