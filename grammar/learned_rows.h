// LearnedRows: the transitions of an automaton, learned while a slower one runs.
//
// Idea: ANTLR finds the states of its lexer and of its predictions as texts need them, and looks each step up in
// hash maps behind locks. What it has found is copied into rows of numbers, which any thread reads without a
// lock; the next text that goes the same way does not meet ANTLR's automata.
// Limits: the room is fixed; what no longer fits stays with ANTLR. Writers exclude each other by a lock of theirs.
// Tested by grammar/parse_test.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace portcullis {

// `kStarts` rows are there from the beginning, the others are given out by fresh(). Row 0 is never used.
template <size_t kStarts, size_t kRows, size_t kColumns>
class LearnedRows {
 public:
  using Entry = int16_t;  // 0: not known. What other values mean is the user's; positive ones are rows

  Entry at(Entry row, size_t column) const {
    return rows_[static_cast<size_t>(row)][column].load(std::memory_order_acquire);
  }
  // Whoever sees the entry also sees what was set before.
  void set(Entry row, size_t column, Entry entry) {
    rows_[static_cast<size_t>(row)][column].store(entry, std::memory_order_release);
  }
  // A new row, or 0 when there is no room.
  Entry fresh() { return used_ < kRows ? static_cast<Entry>(used_++) : Entry{0}; }

 private:
  static_assert(kStarts < kRows && kRows <= INT16_MAX);
  std::array<std::array<std::atomic<Entry>, kColumns>, kRows> rows_ = {};
  size_t used_ = 1 + kStarts;
};

}  // namespace portcullis
