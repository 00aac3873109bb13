// Judges whether an answer satisfies a case of the conformance tables: see case.h.
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "batch/tagged.h"
#include "batch/type_notation.h"
#include "interpreter/values/json.h"
#include "tests/conformance/case.h"
#include "tests/fields.h"
#include "typecheck/type.h"

namespace portcullis::tests {
namespace {

std::string without_space(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
  }
  return out;
}

// The errors in the display of a compile error, one text each.
std::vector<std::string> split_errors(const std::string& text) {
  std::vector<std::string> errors;
  size_t start = 0;
  while (start < text.size()) {
    size_t next = text.find("\nERROR: ", start + 1);
    if (next == std::string::npos) next = text.size();
    errors.push_back(text.substr(start, next - start));
    start = next + 1;
  }
  return errors;
}

bool found(const std::string& text, std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  return re2::RE2::PartialMatch(text, re2::RE2(pattern, options));
}

bool each_matches(const Value& expected, const std::string& text) {
  std::vector<std::string> errors = split_errors(text);
  std::vector<bool> used(errors.size());
  for (const Value& pattern : list_field(expected, "texts")) {
    bool any = false;
    for (size_t i = 0; i < errors.size(); ++i) {
      if (found(errors[i], pattern.as_text())) used[i] = any = true;
    }
    if (!any) return false;
  }
  return std::find(used.begin(), used.end(), false) == used.end();
}

bool phase_fits(std::string_view phase, Answer::Phase actual) {
  if (phase == "parse") return actual == Answer::Phase::Parse;
  if (phase == "compile") return actual != Answer::Phase::Runtime;
  if (phase == "runtime") return actual == Answer::Phase::Runtime;
  return phase == "any";
}

std::string describe(const Answer& answer) {
  std::string out;
  if (answer.error) out += "error: " + *answer.error;
  if (answer.value) out += tagged(*answer.value);
  if (!answer.type.empty()) out += " type " + answer.type;
  if (answer.cost) out += " cost " + std::to_string(*answer.cost);
  if (answer.estimate) {
    out += " estimate " + std::to_string(answer.estimate->first) + ".." +
           std::to_string(answer.estimate->second);
  }
  return out;
}

bool cost_fits(const Value& expected, const Answer& answer) {
  if (const Value* actual = field(expected, "actual")) {
    if (!answer.cost || std::to_string(*answer.cost) != actual->as_text()) return false;
  }
  if (const Value* estimated = field(expected, "estimated")) {
    if (!answer.estimate || std::to_string(answer.estimate->first) != text_field(*estimated, "min") ||
        std::to_string(answer.estimate->second) != text_field(*estimated, "max")) {
      return false;
    }
  }
  return true;
}

bool type_fits(const Value& expected, const Answer& answer) {
  TypePool pool;
  Result<const Type*> type = read_table_type(expected, pool);
  return type.ok() && format_type(*type) == answer.type;
}

// Whether one statement of `expect` holds.
bool holds(std::string_view what, const Value& expected, const Answer& answer) {
  if (what == "value") return !answer.error && answer.value && same_value(expected, *answer.value);
  if (what == "type") return type_fits(expected, answer);
  if (what == "errors" || what == "any_errors") return answer.error.has_value();
  if (what == "error") {
    return answer.error && phase_fits(text_field(expected, "phase"), answer.phase) &&
           matches_error(expected, *answer.error);
  }
  if (what == "cost") return cost_fits(expected, answer);
  if (what == "compile_ok" || what == "parse_ok") {
    return expected.is_true() == !(answer.error && answer.phase != Answer::Phase::Runtime);
  }
  if (what == "unparsed") return answer.unparsed == expected.as_text();
  if (what == "ast_debug") return without_space(answer.ast_debug) == without_space(expected.as_text());
  return what == "implicit";
}

// Whether the evaluation fails although the case states a cost and no error.
bool fails_unsaid(const Value& expect, const Answer& answer) {
  const Value* cost = field(expect, "cost");
  if (!answer.error || cost == nullptr || field(*cost, "actual") == nullptr) return false;
  return field(expect, "error") == nullptr && field(expect, "errors") == nullptr &&
         field(expect, "any_errors") == nullptr;
}

}  // namespace

std::string test_id(const Table& table, const Value& test) {
  return table.suite + "/" + table.file + " " + text_field(test, "id");
}

bool matches_error(const Value& expected, const std::string& text) {
  std::string match = text_field(expected, "match"), wanted = text_field(expected, "text");
  if (match == "contains") return text.find(wanted) != std::string::npos;
  if (match == "equals") return text == wanted;
  if (match == "equals-modulo-whitespace") return without_space(text) == without_space(wanted);
  if (match == "regex") return found(text, wanted);
  if (match == "regex-each") return each_matches(expected, text);
  return match == "any";
}

bool same_value(const Value& expected, const Value& actual) {
  // Library values compare by text if both came from a text. A quantity has several spellings, so both are
  // parsed first.
  Arena arena;
  Result<Value> wanted = read_tagged(expected, arena);
  return wanted.ok() && tagged(*wanted) == tagged(actual);
}

std::string unmet(const Value& test, const Answer& answer) {
  const Value* expect = field(test, "expect");
  if (expect == nullptr || expect->size() == 0) return "an `expect` in the table";
  std::string failed = fails_unsaid(*expect, answer) ? "no error" : "";
  for (const MapEntry& statement : expect->as_map()) {
    if (holds(statement.key.as_text(), statement.value, answer)) continue;
    failed +=
        (failed.empty() ? "" : "; ") + std::string(statement.key.as_text()) + " " + to_json(statement.value);
  }
  return failed;
}

void judge(const Table& table, const Value& test, const Answer& answer, Tally& tally) {
  std::string id = test_id(table, test), failed = unmet(test, answer);
  if (failed.empty()) return tally.pass(id);
  std::string actual = describe(answer);
  if (failed.find("unparsed") == 0) actual = answer.unparsed;
  if (failed.find("ast_debug") != std::string::npos) actual += " " + answer.ast_debug;
  tally.fail(id, text_field(test, "expr") + "  =>  " + failed, actual);
}

}  // namespace portcullis::tests
