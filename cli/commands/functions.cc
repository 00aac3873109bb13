// `portcullis functions [NAME]`: the reference of functions and macros, made from their rows.
//
// Idea: functions that a policy can use come first; with --kubernetes-version, only those of that release are
// printed. Tested by tests/cli/functions.txt.
#include <fmt/format.h>

#include <algorithm>

#include "admission/expressions/environment.h"
#include "admission/scalars/spelling.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/functions/reference.h"
#include "cli/messages/output.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// Operators are named _==_ and @in; people write == and in.
std::string sign_of(std::string_view name) {
  std::string out(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '@'; });
  return out;
}

bool wanted(std::string_view wish, std::string_view name, std::string_view library) {
  return wish.empty() || name == wish || sign_of(name) == wish || library == wish ||
         name.ends_with("." + std::string(wish)) || wish == std::string(library) + "." + std::string(name);
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

class Printer {
 public:
  explicit Printer(const FunctionsOptions& options) : options_(options) {
    if (auto version = parse_kubernetes_version(options.kubernetes_version); version.ok())
      minor_ = version->minor;
  }

  // Whether a row is wanted. Names of other rows, and rows that the release lacks, are remembered for hints.
  bool takes(const Library& library, const std::string& name, uint8_t since, uint8_t until) {
    if (minor_ != 0 && !kubernetes_has(library, since, until, minor_)) {
      bool first = missing_.empty() && !options_.name.empty() && wanted(options_.name, name, library.name);
      if (first) missing_ = kubernetes_since(library, since, until);
      if (first && missing_.empty()) missing_ = "none";
      return false;
    }
    if (wanted(options_.name, name, library.name)) return any_ = true;
    names_.push_back(name);
    return false;
  }

  // The text to print; empty if no row matches.
  std::string all() {
    if (options_.output == "markdown") {
      std::string out = functions_markdown([&](const Library& library, const std::string& name, uint8_t since,
                                               uint8_t until) { return takes(library, name, since, until); });
      return any_ ? out : "";
    }
    std::vector<const Library*> libraries = libraries_by_use();
    for (bool in_kubernetes : {true, false}) {
      for (const Library* library : libraries) add(*library, in_kubernetes);
    }
    return options_.output == "json" && any_ ? "[" + out_ + "]\n" : out_;
  }

  // Why no row matches.
  std::string failure() const {
    if (!missing_.empty()) {
      std::string needs = missing_ == "none" ? "no release has it" : "it needs Kubernetes " + missing_;
      return fmt::format("{} is not in Kubernetes 1.{}; {}", quote_json(options_.name), minor_, needs);
    }
    std::string_view meant = nearest(options_.name, names_);
    return fmt::format("no function, macro or library is called {}{}", quote_json(options_.name),
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  }

 private:
  // Adds the rows of a library that Kubernetes has, or those that it lacks.
  void add(const Library& library, bool in_kubernetes) {
    for (const Macro& row : library.macros) {
      std::string since = kubernetes_since(library, row.since);
      if (since.empty() != in_kubernetes && takes(library, std::string(row.name), row.since, 255))
        macro(library, row, since);
    }
    for (const Function& row : library.functions) {
      std::string since = kubernetes_since(library, row.since, row.until);
      if (since.empty() != in_kubernetes && takes(library, name_of(row), row.since, row.until))
        function(library, row, since);
    }
  }

  // [strings], [math; not in Kubernetes], or [strings version 3; not in Kubernetes] for a later version than
  // the one that Kubernetes has.
  static std::string mark(const Library& library, uint8_t version, const std::string& since) {
    if (!since.empty()) return fmt::format("[{}]", library.name);
    return fmt::format("[{}{}; not in Kubernetes]", library.name,
                       version > 0 ? fmt::format(" version {}", version) : "");
  }

  void function(const Library& library, const Function& row, const std::string& since) {
    if (options_.output == "json") {
      out_ += fmt::format(
          "{}{{\"cost\":{},\"doc\":{},\"examples\":{},\"id\":{},\"kubernetesSince\":{},\"library\":{},"
          "\"signature\":{},\"since\":{}}}",
          out_.empty() ? "" : ",\n ", quote_json(cost_of(library, row)), quote_json(row.doc),
          quote_json(row.examples), quote_json(row.id), quote_json(since), quote_json(library.name),
          quote_json(row.signature), row.since);
      return;
    }
    out_ += fmt::format("{}\n    {} {}\n", row.signature, row.doc, mark(library, row.since, since));
    if (options_.name.empty()) return;
    out_ += fmt::format("    cost {}; {}\n", cost_of(library, row),
                        since.empty() ? "not in Kubernetes" : "Kubernetes " + since + " and later");
    out_ += indented(row.examples, "      ");
  }

  void macro(const Library& library, const Macro& row, const std::string& since) {
    if (options_.output == "json") {
      out_ += fmt::format(
          "{}{{\"arity\":{},\"doc\":{},\"examples\":{},\"kubernetesSince\":{},\"library\":{},\"macro\":{},"
          "\"receiver\":{},\"since\":{}}}",
          out_.empty() ? "" : ",\n ", row.arity, quote_json(row.doc), quote_json(row.examples),
          quote_json(since), quote_json(library.name), quote_json(row.name), row.receiver, row.since);
      return;
    }
    out_ += fmt::format("{}{} (macro, {} arguments)\n    {} {}\n", row.receiver ? "_." : "", row.name,
                        row.arity == kVarArgs ? "any number of" : std::to_string(row.arity), row.doc,
                        mark(library, row.since, since));
    if (!options_.name.empty()) out_ += indented(row.examples, "      ");
  }

  const FunctionsOptions& options_;
  uint32_t minor_ = 0;  // of --kubernetes-version; 0: all rows
  std::string out_;
  bool any_ = false;
  std::string missing_;             // the release that has the first wanted row; "none": no release
  std::vector<std::string> names_;  // all names that could have been given
};

}  // namespace

int functions(const FunctionsOptions& options) {
  Printer printer(options);
  std::string out = printer.all();
  if (out.empty()) return no_verdict(printer.failure());
  put(out);
  return kAdmitted;
}

}  // namespace portcullis
