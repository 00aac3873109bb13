// Costs of every overload at four sizes, and the minors that accept an expression: tables recorded from
// Kubernetes.
//
// costs.tsv: id, expression, types of a, b, c; then cost, least and greatest estimate at sizes 0, 1, 10 and
// 1000. versions.tsv: minors that accept the expression as new, whether it is accepted as stored, types of a,
// b, c, expression as JSON. tests/oracle/record_tables.py records both; plain_value() here makes the same
// values.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "admission/expressions/environment.h"
#include "batch/cel.h"
#include "batch/type_notation.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr size_t kSizes[] = {0, 1, 10, 1000};
constexpr size_t kInner = 12;  // the size of texts in lists and maps

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == separator)
      out.emplace_back();
    else
      out.back() += c;
  }
  if (out.size() == 1 && out[0].empty()) out.clear();
  return out;
}

std::vector<std::vector<std::string>> rows(const char* file) {
  std::ifstream in(std::string(SOURCE_DIR "/tests/kubernetes/") + file);
  std::vector<std::vector<std::string>> out;
  for (std::string line; std::getline(in, line);) out.push_back(split(line, '\t'));
  return out;
}

std::string repeat(const std::string& item, size_t n, const char* separator = "") {
  std::string out;
  for (size_t i = 0; i < n; i++) out += (i > 0 ? separator : "") + item;
  return out;
}

std::string plain_value(const std::string& type, size_t n);

std::string inner_value(const std::string& type) {
  return plain_value(type, type == "string" || type == "bytes" || type == "dyn" ? kInner : 1);
}

// The JSON value with this type and size.
std::string plain_value(const std::string& type, size_t n) {
  if (type == "string" || type == "dyn") return '"' + repeat("x", n) + '"';
  if (type == "bytes")
    return '"' + repeat("eHh4", n / 3) + (n % 3 == 0 ? "" : n % 3 == 1 ? "eA==" : "eHg=") + '"';
  size_t open = type.find('(');
  std::string inner = open == type.npos ? "" : type.substr(open + 1, type.size() - open - 2);
  if (type.starts_with("list(")) return '[' + repeat(inner_value(inner), n, ",") + ']';
  if (type.starts_with("optional_type(")) return plain_value(inner, n);
  if (type.starts_with("map(")) {
    std::string value = plain_value(inner.substr(inner.find(',') + 1), kInner), out;
    for (size_t i = 0; i < n; i++) out += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + value;
    return '{' + out + '}';
  }
  constexpr std::pair<const char*, const char*> kConstants[] = {
      {"int", "1"},
      {"uint", "1"},
      {"double", "1.5"},
      {"bool", "true"},
      {"timestamp", "\"2020-01-01T00:00:00Z\""},
      {"duration", "\"1s\""},
      {"quantity", "\"1Gi\""},
      {"ip", "\"10.0.0.1\""},
      {"cidr", "\"10.0.0.0/8\""},
      {"semver", "\"1.2.3\""},
      {"url", "\"https://example.com/x\""},
      {"format", "\"dns1123Label\""},
  };
  for (auto [name, json] : kConstants) {
    if (type == name) return json;
  }
  return "null";
}

std::string request(const std::string& expression, const std::vector<std::string>& types, size_t n) {
  std::string declared, given, hints;
  for (size_t i = 0; i < types.size(); i++) {
    std::string name(1, static_cast<char>('a' + i)), comma = i > 0 ? "," : "";
    declared += comma + '"' + name + "\":\"" + types[i] + '"';
    given += comma + '"' + name +
             "\":" + (expression.starts_with("lists.range") ? std::to_string(n) : plain_value(types[i], n));
    hints += comma + '"' + name + "\":" + std::to_string(n);
    for (const char* part : {"@items", "@keys", "@values"})
      hints += ",\"" + name + '.' + part + "\":" + std::to_string(kInner);
  }
  if (expression.find("authorizer") != expression.npos) {
    declared += (declared.empty() ? "" : ",") + std::string("\"authorizer\":\"authorizer\"");
  }
  std::string patches = expression.find("jsonpatch") == expression.npos ? "" : ",\"patchTypes\":true";
  return "{\"expr\":" + quote_json(expression) + ",\"types\":{" + declared + "},\"vars\":{" + given +
         "},\"sizeHints\":{" + hints + '}' + patches + '}';
}

// "cost min max" of an answer.
std::string costs_of(const std::string& answer) {
  Arena arena;
  Result<Value> read = read_json(answer, arena);
  if (!read.ok()) return answer;
  const Value* cost = find_key(*read, Value::string("cost"));
  const Value* estimate = find_key(*read, Value::string("estimate"));
  if (cost == nullptr || estimate == nullptr) return answer;
  return to_json(*cost) + ' ' + std::string(estimate->as_list()[0].as_text()) + ' ' +
         std::string(estimate->as_list()[1].as_text());
}

TEST(KubernetesTables, CostOfEveryOverloadAtFourSizes) {
  CelBatch batch;
  auto table = rows("costs.tsv");
  ASSERT_GT(table.size(), 300u);
  for (const auto& row : table) {
    ASSERT_EQ(row.size(), 7u) << row[0];
    for (size_t i = 0; i < std::size(kSizes); i++) {
      std::string line = request(row[1], split(row[2], ';'), kSizes[i]);
      EXPECT_EQ(costs_of(batch.answer(line)), row[3 + i])
          << row[0] << ": " << row[1] << " of " << row[2] << " at size " << kSizes[i];
    }
  }
}

// Whether ranges such as "23-27,30-37" include the minor.
bool includes(const std::string& ranges, uint32_t minor) {
  for (const std::string& range : split(ranges, ',')) {
    size_t dash = range.find('-');
    if (dash > 0 && minor >= std::stoul(range.substr(0, dash)) && minor <= std::stoul(range.substr(dash + 1)))
      return true;
  }
  return false;
}

TEST(KubernetesTables, EveryMinorAcceptsWhatItsApiServerDoes) {
  auto table = rows("versions.tsv");
  ASSERT_GT(table.size(), 800u);
  TypePool pool;
  for (const auto& row : table) {
    ASSERT_EQ(row.size(), 4u);
    Arena arena;
    std::string expression(read_json(row[3], arena).value().as_text());
    auto declare = [&](EnvironmentBuilder& builder) {
      std::vector<std::string> types = split(row[2], ';');
      for (size_t i = 0; i < types.size(); i++) {
        builder.variable(std::string(1, static_cast<char>('a' + i)),
                         parse_batch_type(types[i], pool).value());
      }
      if (expression.find("authorizer") != expression.npos) {
        builder.variable("authorizer", parse_batch_type("authorizer", pool).value());
      }
    };
    auto accepts = [&](std::shared_ptr<const Environment> environment) {
      EnvironmentBuilder builder(std::move(environment));
      declare(builder);
      return compile(expression, *builder.build()).ok();
    };
    std::optional<uint32_t> first;
    for (uint32_t minor = KubernetesVersion::kFirst; minor <= KubernetesVersion::kLast; minor++) {
      bool want = includes(row[0], minor);
      if (want && !first) first = minor;
      EXPECT_EQ(accepts(new_environment({1, minor})), want) << expression << " at 1." << minor;
    }
    EXPECT_EQ(accepts(stored_environment()), row[1] == "stored") << expression;
    EXPECT_EQ(minor_of_expression(expression, declare), first) << expression;
  }
}

}  // namespace
}  // namespace portcullis
