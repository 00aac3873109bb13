#include "cli/functions/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/expressions/costs.h"
#include "admission/expressions/environment.h"
#include "admission/functions/libraries.h"
#include "interpreter/functions/libraries.h"
#include "typecheck/environment.h"
#include "typecheck/signature.h"

namespace portcullis {
namespace {

// The release that introduced MutatingAdmissionPolicy, the only user of the JSON patch library.
constexpr uint32_t kFirstMutatingMinor = 32;

std::string versions(unsigned since, unsigned until) {
  std::string out;
  if (since > 0) out += fmt::format("since version {}", since);
  if (until < 255) out += fmt::format("{}until version {}", out.empty() ? "" : ", ", until - 1);
  return out;
}

void append_examples(std::string& out, std::string_view examples) {
  if (examples.empty()) return;
  out += "\n```cel\n";
  out += examples;
  out += examples.ends_with('\n') ? "```\n" : "\n```\n";
}

std::string macro_shape(const Macro& macro) {
  std::string args;
  for (int i = 0; i < macro.arity; ++i) args += i == 0 ? "_" : ", _";
  return fmt::format("{}{}({})", macro.receiver ? "_." : "", macro.name,
                     macro.arity == kVarArgs ? "..." : args);
}

void append_macro(std::string& out, const Macro& macro) {
  out += fmt::format("\n### `{}`\n\n{}. A macro", macro_shape(macro), macro.doc);
  std::string when = versions(macro.since, 255);
  out += when.empty() ? ".\n" : fmt::format(" ({}).\n", when);
  append_examples(out, macro.examples);
}

void append_function(std::string& out, const Library& library, const Function& row) {
  out += fmt::format("\n### `{}`\n\n{}.\n\n", row.signature, row.doc);
  out += fmt::format("Overload `{}`; cost {}", row.id, cost_of(library, row));
  std::string when = versions(row.since, row.until);
  out += when.empty() ? ".\n" : fmt::format("; {}.\n", when);
  append_examples(out, row.examples);
}

// The anchor of a heading, as GitHub and GitLab make it: lower case without dots.
std::string anchor(std::string_view heading) {
  std::string out;
  for (char c : heading) {
    if (c != '.') out += 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool takes(const RowFilter& wanted, const Library& library, const Macro& macro) {
  return !wanted || wanted(library, std::string(macro.name), macro.since, 255);
}
bool takes(const RowFilter& wanted, const Library& library, const Function& row) {
  return !wanted || wanted(library, name_of(row), row.since, row.until);
}
bool takes_any(const RowFilter& wanted, const Library& library) {
  auto takes_row = [&](const auto& row) { return takes(wanted, library, row); };
  return !wanted || std::ranges::any_of(library.macros, takes_row) ||
         std::ranges::any_of(library.functions, takes_row);
}

void append_library(std::string& out, const Library& library, const RowFilter& wanted) {
  out += fmt::format("\n## {}\n\n{}.", library.name, library.doc);
  std::string since = kubernetes_since(library, 0);
  out +=
      since.empty() ? " Not in Kubernetes' environment.\n" : fmt::format(" In Kubernetes since {}.\n", since);
  for (const Macro& macro : library.macros) {
    if (takes(wanted, library, macro)) append_macro(out, macro);
  }
  for (const Function& row : library.functions) {
    if (takes(wanted, library, row)) append_function(out, library, row);
  }
}

}  // namespace

std::vector<const Library*> all_libraries() {
  std::vector<const Library*> libraries;
  for (const Library& library : standard_libraries()) libraries.push_back(&library);
  for (const Library* library : kubernetes::libraries()) libraries.push_back(library);
  return libraries;
}

std::vector<const Library*> libraries_by_use() {
  std::vector<const Library*> libraries = all_libraries();
  auto rank = [](const Library* library) {
    if (library->name.starts_with("kubernetes.")) return 0;
    return kubernetes_since(*library, 0).empty() ? 2 : 1;
  };
  std::ranges::stable_sort(libraries, {}, rank);
  return libraries;
}

bool kubernetes_has(const Library& library, uint8_t since, uint8_t until, uint32_t minor) {
  // Libraries of mutating policies exist as soon as these do.
  if (library.name == kubernetes::kJsonPatch.name) return minor >= kFirstMutatingMinor;
  return std::ranges::any_of(
      new_environment(stored_on(minor))->libraries(), [&](const Environment::Use& use) {
        return use.library->name == library.name && use.version >= since && use.version < until;
      });
}

std::string kubernetes_since(const Library& library, uint8_t since, uint8_t until) {
  for (uint32_t minor = KubernetesVersion::kFirst; minor <= KubernetesVersion::kLast; ++minor) {
    if (kubernetes_has(library, since, until, minor)) return fmt::format("1.{}", minor);
  }
  return "";
}

std::string name_of(const Function& row) {
  TypePool pool;
  Result<Signature> signature = parse_signature(row.signature, pool);
  return signature.ok() ? std::string(signature->name) : std::string(row.id);
}

std::string_view cost_of(const Library& library, const Function& row) {
  if (kubernetes_since(library, row.since, row.until).empty()) return row.cost.text;
  const std::string_view named = kubernetes::cost_text(name_of(row), row.id);
  return named.empty() ? row.cost.text : named;
}

std::string functions_markdown(const RowFilter& wanted) {
  std::string out = "# Functions and macros\n\n";
  if (!wanted) out += "Made from the tables by `./dev docs`; do not edit. Every example is run as a test.\n";
  out +=
      "Costs are those of policies and of rules of definitions, without the costs of the arguments.\n"
      "`size0` is the size of the receiver or first argument, of an IP or CIDR its bytes. Each division\n"
      "is rounded up, unless the text says how all is rounded. `portcullis eval` prints the cost of a "
      "call.\n\n"
      "| library | versions | in Kubernetes since |\n| --- | --- | --- |\n";
  for (const Library* library : all_libraries()) {
    if (!takes_any(wanted, *library)) continue;
    std::string since = kubernetes_since(*library, 0);
    out += fmt::format("| [{}](#{}) | 0..{} | {} |\n", library->name, anchor(library->name), library->latest,
                       since.empty() ? "-" : since);
  }
  for (const Library* library : all_libraries()) {
    if (takes_any(wanted, *library)) append_library(out, *library, wanted);
  }
  return out;
}

}  // namespace portcullis
