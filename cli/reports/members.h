// Members of JSON output that several reports share; docs/output.md documents them. Tested by tests/cli.py.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/reading/input.h"
#include "cli/reports/explain.h"
#include "interpreter/values/json.h"

namespace portcullis {

struct GateFailure;  // cli/reports/report.h

// A member with a text, unless it is empty; one with a line or column, unless it is unknown.
void write_text(JsonWriter& w, std::string_view key, std::string_view value);
void write_place(JsonWriter& w, std::string_view key, int number);

// The members of open objects, in the order of the calls.
class MemberWriter {
 public:
  explicit MemberWriter(std::string& out) : w_(out) {}

 protected:
  void text(std::string_view key, std::string_view value) {
    w_.key(key);
    w_.string(value);
  }
  void number(std::string_view key, int64_t value) {
    w_.key(key);
    w_.integer(value);
  }
  void flag(std::string_view key, bool value) {
    w_.key(key);
    w_.boolean(value);
  }
  // A list of objects, whose members `each` writes.
  template <class List, class Each>
  void list(std::string_view key, const List& items, Each each) {
    w_.key(key);
    w_.begin_list();
    for (const auto& item : items) {
      w_.begin_object();
      each(item);
      w_.end_object();
    }
    w_.end_list();
  }

  JsonWriter w_;
};

// `values`: the parts of an expression; nothing if there are none.
void write_values(JsonWriter& w, const std::vector<ExplainedPart>& values);
// An expression and its place, into an open object; and a member with a list of named ones.
void write_expression(JsonWriter& w, const ExplainedExpression& expression);
void write_expressions(JsonWriter& w, std::string_view key, const std::vector<ExplainedExpression>& list);

// `notEvaluated`, `gates` and `leftOut`.
void write_not_evaluated(JsonWriter& w, std::span<const NotEvaluated> objects);
void write_gates(JsonWriter& w, std::span<const GateFailure> failures);
void write_left_out(JsonWriter& w, std::span<const LeftOut> files);

}  // namespace portcullis
