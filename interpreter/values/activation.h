// Activation: the values of an evaluation's variables, and the values already read from them.
//
// Idea: the PathTable numbers the variables, so setting or reading one is an array access. Each `set` gives
// the variable a new stamp; a path slot or memo is valid while it has the stamp of its variables. So nothing
// is cleared between evaluations or requests, and setting `params` for the next binding keeps what was read
// from `object`. Not thread-safe; each thread reuses one.
// Tested by interpreter/run/cel_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "interpreter/values/paths.h"
#include "interpreter/values/value.h"

namespace portcullis {

// A variable with fields that are computed when they are first read, like `variables` of a policy. A field is
// computed at most once per `set_fields`, however many programs read it as `variables.x`; a computed index
// asks every time.
class LazyFields {
 public:
  virtual ~LazyFields() = default;
  // Whether the field exists.
  virtual bool has(std::string_view field) = 0;
  // The value of a field that exists; may be an error.
  virtual Value get(std::string_view field) = 0;
  // The names of all fields, each once; valid until the variable is set again.
  virtual std::span<const std::string_view> names() = 0;
};

class Activation {
 public:
  explicit Activation(std::shared_ptr<const PathTable> paths);
  ~Activation();
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

  // Sets a variable. What the value refers to must outlive the value's use. A name that no program reads is
  // ignored.
  void set(std::string_view name, const Value& value) { set(paths_->find_variable(name), value); }
  void set(uint32_t variable, const Value& value) {
    if (variable == PathTable::kNone) return;
    if (variable >= variables_.size()) [[unlikely]]
      fit();
    variables_[variable] = {value, ++next_stamp_};
  }
  void set_fields(std::string_view name, LazyFields* fields, std::string_view type_name = "map") {
    set_fields(paths_->find_variable(name), fields, type_name);
  }
  void set_fields(uint32_t variable, LazyFields* fields, std::string_view type_name = "map");
  // Makes the variable one that was never set ("no such attribute(s): x").
  void unset(uint32_t variable);
  // Unsets all variables.
  void clear();

  const PathTable& paths() const { return *paths_; }

  // For the evaluator.
  struct Variable {
    Value value;
    uint64_t stamp = 0;  // 0: not set
  };
  struct Slot {
    uint64_t stamp = 0;     // the variable's stamp when the slot was filled
    Value value;            // may be an error
    uint32_t applied = 0;   // the number of qualifiers applied, for the cost
    uint32_t variable = 0;  // the variable of the path; known once the slot has been filled
  };
  struct Memo {
    uint64_t stamp = 0;       // the newest stamp among the variables read
    uint64_t generation = 0;  // of the activation when the memo was last known to hold
    Value value;
    uint64_t cost = 0;
  };
  // The variable's value, or null if it is not set.
  const Value* get(uint32_t variable) const {
    const Variable& v = variables_[variable];
    return v.stamp != 0 ? &v.value : nullptr;
  }
  uint64_t stamp(uint32_t variable) const { return variables_[variable].stamp; }
  // Changes whenever a variable is set or unset; never 0 once one has been set.
  uint64_t generation() const { return next_stamp_; }
  Slot& slot(uint32_t node) { return slots_[node]; }
  // Whether the slot has been filled since its variable was last set.
  bool filled(const Slot& slot) const {
    return slot.stamp != 0 && slot.stamp == variables_[slot.variable].stamp;
  }
  Memo& memo(uint32_t number) { return memos_[number]; }
  // The memo if it holds and no variable has been set since that was found out; else null, or if there is no such
  // memo.
  const Memo* remembered(uint32_t number) const {
    if (number >= memo_count_) return nullptr;
    const Memo& memo = memos_[number];
    return memo.generation == next_stamp_ && next_stamp_ != 0 ? &memo : nullptr;
  }
  // Makes room for all variables, nodes and memos that the table has now.
  void fit() {
    if (fitted_ != paths_->growth()) [[unlikely]]
      grow();
  }

 private:
  void grow();
  struct LazyOpaque;
  std::shared_ptr<const PathTable> paths_;
  std::vector<Variable> variables_;
  std::vector<Slot> slots_;
  std::vector<Memo> memos_;
  size_t memo_count_ = 0;                              // theirs, which takes a division to find out
  std::vector<std::unique_ptr<LazyOpaque>> wrappers_;  // by variable, if set_fields was called for it
  uint64_t next_stamp_ = 0;                            // the newest stamp
  uint64_t fitted_ = 0;                                // the table's growth() at the last fit()
};

}  // namespace portcullis
