// Members of JSON output that several reports share; docs/output.md documents them. Tested by tests/cli.py.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cli/cluster/cluster.h"
#include "cli/reading/input.h"
#include "cli/reports/explain.h"
#include "interpreter/values/json.h"

namespace portcullis {

struct GateFailure;   // cli/reports/report.h
struct ReviewResult;  // cli/reports/report.h

// `values`: the parts of an expression; nothing if there are none.
void write_values(JsonWriter& w, const std::vector<ExplainedPart>& values);
// An expression and its place, into an open object; and a member with a list of named ones.
void write_expression(JsonWriter& w, const ExplainedExpression& expression);
void write_expressions(JsonWriter& w, std::string_view key, const std::vector<ExplainedExpression>& list);

// `error` of a result, if it is refused.
void write_refusal(JsonWriter& w, const ReviewResult& result);
// `file`, `findings`, `kind`, `line`, `name` and `namespace` of a result.
void write_object(JsonWriter& w, const ReviewResult& result);

// `notEvaluated`, `gates` and `leftOut`.
void write_not_evaluated(JsonWriter& w, std::span<const NotEvaluated> objects);
void write_gates(JsonWriter& w, std::span<const GateFailure> failures);
void write_left_out(JsonWriter& w, std::span<const LeftOut> files);

}  // namespace portcullis
