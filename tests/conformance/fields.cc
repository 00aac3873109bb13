// The fields of a case that its runner reads: see unknown_field in case.h.
//
// Idea: if a runner ignored unknown fields, a table could state things that nobody checks. So each field is
// listed by its path, with the runners that judge it or with the reason why none does; an unlisted field
// fails. tests/conformance/altered.py shows that listed fields are really judged.
#include <algorithm>
#include <span>

#include "tests/conformance/case.h"
#include "tests/fields.h"

namespace portcullis::tests {
namespace {

using Paths = std::span<const std::string_view>;

// Not judged: names of the case, and remarks of its source.
constexpr std::string_view kAbout[] = {"id",          "section",     "name",
                                       "description", "needs_proto", "proto_reasons"};

constexpr std::string_view kError[] = {"expect.error.phase", "expect.error.match", "expect.error.text",
                                       "expect.error.texts"};

constexpr std::string_view kExpression[] = {
    "expr", "libs", "container", "bindings", "size_hints", "cost_limit", "disable_check", "disable_macros",
    "check_only", "type_env.name", "type_env.type", "type_env.function.overload_id",
    "type_env.function.params", "type_env.function.result", "type_env.function.is_instance", "expect.value",
    "expect.implicit", "expect.type", "expect.errors", "expect.any_errors", "expect.compile_ok",
    "expect.cost.actual", "expect.cost.estimated.min", "expect.cost.estimated.max",
    // Not judged: names of type parameters, which params and result repeat; that the source skips its early
    // check of format() texts, whose errors are the same in any phase; the locale, since there is only one.
    "type_env.function.type_params", "skip_format_validation", "locale"};

constexpr std::string_view kParser[] = {"expr", "expect.value", "expect.parse_ok", "expect.ast_debug",
                                        "expect.unparsed"};

constexpr std::string_view kCosts[] = {"expr",
                                       "cost_limit",
                                       "expect.value",
                                       "expect.type",
                                       "expect.cost.actual",
                                       "expect.cost.estimated.min",
                                       "expect.cost.estimated.max"};

constexpr std::string_view kCompile[] = {"expr",       "env_type",       "compatibility_version",
                                         "has_params", "has_authorizer", "expect.compile_ok",
                                         "expect.type"};

constexpr std::string_view kEnvironment[] = {"expr", "envs.version", "envs.env_type", "expect.compile_ok",
                                             "expect.value"};

// The fields of composition, condition and condition_budget, which are one mode of the protocol.
constexpr std::string_view kCondition[] = {
    "expr", "expressions", "variables", "request", "params", "namespaceObject", "has_params", "env_type",
    "compatibility_version", "budget", "per_call_limit", "authorizer.default.decision",
    "authorizer.default.reason", "authorizer.default.error", "authorizer.allow",
    // A text in place of the answers, if they do not matter to the case.
    "authorizer", "expect.value", "expect.results.value", "expect.results.error.phase",
    "expect.results.error.match", "expect.results.error.text", "expect.results.error.texts",
    "expect.exceeds_budget", "expect.exceeds_per_call_limit", "expect.remaining_budget"};

constexpr std::string_view kRule[] = {"expr", "schema", "self", "oldSelf", "is_root", "cost_limit",
                                      "expect.value", "expect.skipped", "expect.cost.actual",
                                      "expect.cost.estimated_max",
                                      // Not judged: expect.skipped repeats it.
                                      "expect_skipped"};

constexpr std::string_view kMutation[] = {"expr", "resource", "object", "oldObject", "expect.object"};

struct Runner {
  std::string_view suite, table;
  Paths paths;
};
constexpr Runner kRunners[] = {
    {"cel-go-core", "parser", kParser},
    {"cel-go-core", "unparser", kParser},
    {"cel-go-core", "unescape", kParser},
    {"kubernetes", "cost", kCosts},
    {"kubernetes", "cost_lists", kCosts},
    {"kubernetes", "compile", kCompile},
    {"kubernetes", "environment", kEnvironment},
    {"kubernetes", "composition", kCondition},
    {"kubernetes", "condition", kCondition},
    {"kubernetes", "condition_budget", kCondition},
    {"kubernetes", "crd_validation", kRule},
    {"kubernetes", "crd_cost", kRule},
    {"kubernetes", "crd_cost_estimate", kRule},
    {"kubernetes", "jsonpatch", kMutation},
    {"kubernetes", "applyconfiguration", kMutation},
};

Paths paths_of(const Table& table) {
  for (const Runner& runner : kRunners) {
    if (runner.suite == table.suite && runner.table == table.name()) return runner.paths;
  }
  return kExpression;
}

bool known(Paths paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

// Whether fields below `path` are listed.
bool has_fields(Paths paths, const std::string& path) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](std::string_view p) { return p.starts_with(path + "."); });
}

std::string unknown_in(Paths paths, const Value& value, const std::string& path) {
  bool whole = known(paths, path) || known(kError, path) || known(kAbout, path);
  bool parts = path.empty() || has_fields(paths, path) || has_fields(kError, path);
  if (parts && value.is(Kind::List)) {
    for (const Value& element : value.as_list()) {
      if (std::string found = unknown_in(paths, element, path); !found.empty()) return found;
    }
    return "";
  }
  if (!parts || !value.is(Kind::Map)) return whole ? "" : path;
  for (const MapEntry& entry : value.as_map()) {
    std::string name(entry.key.as_text());
    std::string found = unknown_in(paths, entry.value, path.empty() ? name : path + "." + name);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

std::string unknown_field(const Table& table, const Value& test) {
  return unknown_in(paths_of(table), test, "");
}

}  // namespace portcullis::tests
