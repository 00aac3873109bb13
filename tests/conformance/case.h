// One case of a conformance table: the question, our answer, and whether the answer is the stated one.
//
// Idea: an expression of any table gives an Answer (through the library or the batch protocol), and one
// function compares an Answer with `expect`. A field of `expect` that the comparison does not know is a
// failure, so no statement of a table is ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"
#include "tests/tally.h"

namespace portcullis::tests {

struct Answer {
  enum class Phase { Parse, Compile, Runtime } phase = Phase::Runtime;  // where `error` occurred
  std::optional<std::string> error;
  std::optional<Value> value;
  std::string type;  // of the result, as cel-go's checker prints it
  std::optional<uint64_t> cost;
  std::optional<std::pair<uint64_t, uint64_t>> estimate;
  std::string unparsed, ast_debug;
};

// A table: its place and its header.
struct Table {
  std::string suite, file;  // "cel-go-ext", "strings.json"
  std::string name() const { return file.substr(0, file.find('.')); }
};

// The path of a field of `test` that its runner does not know, "expect.cost.most"; empty if it knows all
// (fields.cc).
std::string unknown_field(const Table& table, const Value& test);

// The statements of `test` that the answer violates; empty if there are none.
std::string unmet(const Value& test, const Answer& answer);
// Reports whether the answer to `test` is the stated one, as "suite/file id".
void judge(const Table& table, const Value& test, const Answer& answer, Tally& tally);

// The id of a test in reports and exceptions.
std::string test_id(const Table& table, const Value& test);

// Runs a case of cel-spec, cel-go-core, cel-go-ext or of a Kubernetes table of single libraries.
Answer run_expression(const Table& table, const Value& test, Arena& arena);

// Runs a case of the other Kubernetes tables through the batch protocol and reports it.
void run_kubernetes(const Table& table, const Value& test, Arena& arena, Tally& tally);
bool is_kubernetes_table(const Table& table);

// Whether an error text satisfies an `expect.error` {"match", "text" or "texts"}.
bool matches_error(const Value& expected, const std::string& text);

// Equality in the tables: same kind, NaN equals NaN, maps without order, library values by text.
bool same_value(const Value& expected_tagged, const Value& actual);

}  // namespace portcullis::tests
