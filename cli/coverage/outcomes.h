// Outcomes: how often a value was true, false, empty and so on.
//
// Idea: one classification for all values, so that a collector need not know what a part of an expression is for.
// Tested by cli/coverage/coverage_test.cc.
#pragma once

#include <cstdint>

#include "interpreter/values/value.h"

namespace portcullis {

struct Outcomes {
  uint64_t yes = 0;    // true; an optional with a value
  uint64_t no = 0;     // false; an optional without one
  uint64_t empty = 0;  // a list or map without elements
  uint64_t other = 0;  // any other value
  uint64_t error = 0;

  void add(const Value& value) {
    if (value.is(Kind::Bool) || value.is(Kind::Optional)) {
      const bool present = value.is(Kind::Bool) ? value.as_bool() : value.as_optional() != nullptr;
      present ? yes++ : no++;
    } else if (value.is_error()) {
      error++;
    } else if ((value.is(Kind::List) || value.is(Kind::Map)) && value.size() == 0) {
      empty++;
    } else {
      other++;
    }
  }
  uint64_t times() const { return yes + no + empty + other + error; }
  Outcomes& operator+=(const Outcomes& o) {
    yes += o.yes;
    no += o.no;
    empty += o.empty;
    other += o.other;
    error += o.error;
    return *this;
  }
};

}  // namespace portcullis
