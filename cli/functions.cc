// `portcullis functions [NAME]`: the reference of functions and macros, from their rows.
#include <fmt/format.h>

#include <algorithm>

#include "admission/typing/spelling.h"
#include "cli/commands.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/reference.h"
#include "interpreter/json.h"
#include "typecheck/signature.h"

namespace portcullis {
namespace {

// The name that users call: "startsWith", "sets.contains".
std::string name_of(const Function& row) {
  TypePool pool;
  Result<Signature> signature = parse_signature(row.signature, pool);
  return signature.ok() ? std::string(signature->name) : std::string(row.id);
}

bool wanted(std::string_view wish, std::string_view name, std::string_view library) {
  return wish.empty() || name == wish || library == wish || name.ends_with("." + std::string(wish));
}

std::string indented(std::string_view text, std::string_view by) {
  std::string out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("{}{}\n", by, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

struct Printer {
  const FunctionsOptions& options;
  std::string out = {};
  bool any = false;
  std::vector<std::string> names = {};  // all that could have been asked for

  void row(const Library& library, const Function& row) {
    if (!takes(name_of(row), library)) return;
    if (options.output == "json") return json_row(library, row);
    out += fmt::format("{}\n    {} [{}]\n", row.signature, row.doc, library.name);
    any = true;
    if (options.name.empty()) return;
    std::string since = kubernetes_since(library, row.since);
    out += fmt::format("    cost {}; {}\n", row.cost.text,
                       since.empty() ? "not in Kubernetes" : "Kubernetes " + since + " and later");
    out += indented(row.examples, "      ");
  }

  bool takes(const std::string& name, const Library& library) {
    if (wanted(options.name, name, library.name)) return true;
    names.push_back(name);
    return false;
  }

  void macro(const Library& library, const Macro& macro) {
    if (!takes(std::string(macro.name), library)) return;
    if (options.output == "json") return json_macro(library, macro);
    out += fmt::format("{}{} (macro, {} arguments)\n    {} [{}]\n", macro.receiver ? "_." : "", macro.name,
                       macro.arity == kVarArgs ? "any number of" : std::to_string(macro.arity), macro.doc,
                       library.name);
    any = true;
    if (!options.name.empty()) out += indented(macro.examples, "      ");
  }

  void json_row(const Library& library, const Function& row) {
    out += fmt::format(
        "{}{{\"cost\":{},\"doc\":{},\"examples\":{},\"id\":{},\"kubernetesSince\":{},\"library\":{},"
        "\"signature\":{},\"since\":{}}}",
        any ? ",\n " : "[", quote_json(row.cost.text), quote_json(row.doc), quote_json(row.examples),
        quote_json(row.id), quote_json(kubernetes_since(library, row.since)), quote_json(library.name),
        quote_json(row.signature), row.since);
    any = true;
  }

  void json_macro(const Library& library, const Macro& macro) {
    out += fmt::format(
        "{}{{\"arity\":{},\"doc\":{},\"examples\":{},\"library\":{},\"macro\":{},\"receiver\":{},\"since\":{}"
        "}}",
        any ? ",\n " : "[", macro.arity, quote_json(macro.doc), quote_json(macro.examples),
        quote_json(library.name), quote_json(macro.name), macro.receiver, macro.since);
    any = true;
  }
};

}  // namespace

int functions(const FunctionsOptions& options) {
  if (options.output == "markdown" && options.name.empty()) {
    put(functions_markdown());
    return kAdmitted;
  }
  Printer printer{options};
  for (const Library* library : all_libraries()) {
    for (const Macro& macro : library->macros) printer.macro(*library, macro);
    for (const Function& row : library->functions) printer.row(*library, row);
  }
  if (!printer.any) {
    std::string_view meant = nearest(options.name, printer.names);
    say(Severity::Error, {}, {},
        fmt::format("no function, macro or library is called {}{}", quote_json(options.name),
                    meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
    return kNoVerdict;
  }
  if (options.output == "json") printer.out += "]\n";
  put(printer.out);
  return kAdmitted;
}

}  // namespace portcullis
