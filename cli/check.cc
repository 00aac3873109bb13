// `portcullis check`: what the API server would say to policies and bindings, with the place in the file.
//
// Idea: the checks are those of `review` (cluster.h); here all of them are the result and go to standard output.
// Tested by tests/cli.py.
#include <cstdio>

#include "cli/cluster.h"
#include "cli/commands.h"

namespace portcullis {
namespace {

std::string_view name_of(Severity severity) {
  return severity == Severity::Error ? "error" : severity == Severity::Warning ? "warning" : "note";
}

// One problem as people read it: place, severity, text, the line with a caret.
std::string as_text(const PolicyProblem& p, const Position& at) {
  const Paint& paint = portcullis::paint(colour_out());
  std::string out(paint.bold);
  out += p.object->file->name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
  out.append(paint.reset).append(p.severity == Severity::Error ? paint.red : paint.yellow);
  out.append(name_of(p.severity)).append(paint.reset).append(": ");
  out.append(p.object->kind).append(" ").append(p.object->name).append(": ").append(p.text).append("\n");
  return out + point_at(p.object->file->text, at, "  | ");
}

void write_problem(JsonWriter& w, const PolicyProblem& p, const Position& at) {
  w.begin_object();
  w.key("column");
  w.integer(at.column);
  w.key("field");
  w.string(p.path);
  w.key("file");
  w.string(p.object->file->name);
  w.key("kind");
  w.string(p.object->kind);
  w.key("line");
  w.integer(at.line);
  w.key("name");
  w.string(p.object->name);
  w.key("severity");
  w.string(name_of(p.severity));
  w.key("text");
  w.string(p.text);
  w.end_object();
}

std::string as_data(const std::vector<PolicyProblem>& problems, size_t policies, bool yaml) {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  w.key("policies");
  w.integer(static_cast<int64_t>(policies));
  w.key("problems");
  w.begin_list();
  for (const PolicyProblem& p : problems) write_problem(w, p, p.object->locate(p.path, true));
  w.end_list();
  w.end_object();
  Arena arena;
  if (!yaml) return out + "\n";
  auto value = read_json(out, arena);
  return value.ok() ? to_yaml(*value) : out;
}

}  // namespace

int check(const CheckOptions& options) {
  if (options.policies.empty()) {
    say(Severity::Error, {}, {}, "no policies given");
    return kNoVerdict;
  }
  Inputs inputs;
  auto objects = inputs.read(options.policies, options.recursive);
  ReviewCluster cluster;
  cluster.add(objects, true);
  if (inputs.errors() > 0) return kNoVerdict;
  auto problems = cluster.problems();
  size_t errors = 0;
  for (const PolicyProblem& p : problems) errors += p.severity == Severity::Error;
  std::string out;
  if (options.output == "text") {
    for (const PolicyProblem& p : problems) out += as_text(p, p.object->locate(p.path, true));
    out += std::to_string(cluster.policy_count()) + " policies, " + std::to_string(errors) + " errors, " +
           std::to_string(problems.size() - errors) + " warnings\n";
  } else {
    out = as_data(problems, cluster.policy_count(), options.output == "yaml");
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return errors > 0 ? kNoVerdict : kAdmitted;
}

}  // namespace portcullis
