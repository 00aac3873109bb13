// See policy_types.h.
#include "cli/checks/policy_types.h"

#include <algorithm>
#include <map>

#include "admission/scalars/spelling.h"
#include "cli/messages/lists.h"

namespace portcullis {
namespace {

// Kinds that a message lists; it counts the others.
constexpr size_t kMaxListedKinds = 3;

// The same mistake at the same position, for some of the kinds.
struct TypeMistake {
  const TypeIssue* issue;
  std::vector<const KindId*> kinds;
  std::string_view meant;  // suggestion of the first kind that has one
  bool ours = true;        // the API server reports it for none of them
};

std::vector<TypeMistake> mistakes_of(const std::vector<TypeIssue>& issues, std::string_view field) {
  std::vector<TypeMistake> out;
  for (const TypeIssue& i : issues) {
    if (i.field != field) continue;
    auto same = std::find_if(out.begin(), out.end(), [&](const TypeMistake& m) {
      return m.issue->message == i.message && m.issue->why_false == i.why_false &&
             m.issue->has_field == i.has_field && m.issue->position.line == i.position.line &&
             m.issue->position.column == i.position.column;
    });
    if (same == out.end()) same = out.insert(out.end(), TypeMistake{&i, {}, {}});
    same->kinds.push_back(&i.kind);
    same->ours = same->ours && !i.server;
    if (same->meant.empty()) same->meant = i.suggestion;
  }
  return out;
}

std::string mistake_text(const TypeMistake& m) {
  return m.issue->message + " (" + first_few(m.kinds, kMaxListedKinds, &KindId::kind) + ")";
}

Position issue_position(const InputObject& policy, const TypeIssue& issue) {
  Position field = policy.locate(issue.field, true);
  const Value* node = find_path(policy.value, issue.field);
  if (node == nullptr || !node->is(Kind::String) || issue.position.line == 0) return field;
  return policy.place_in(issue.field, node->as_text(), issue.position).value_or(field);
}

}  // namespace

bool add_schemas(SchemaCatalog& catalog, std::span<const std::string> files,
                 std::span<const InputObject> objects) {
  for (const std::string& name : files) {
    Result<std::string> text = read_file(name);
    if (!text.ok()) return say(Severity::Error, file_name(name), {}, text.error().text), false;
    if (auto added = catalog.add_openapi(*text); !added.ok()) {
      return say(Severity::Error, file_name(name), added.error().position, added.error().text, *text), false;
    }
  }
  for (const InputObject& o : objects) {
    if (role_of(o) == Role::Definition) catalog.add_definition(o.value);
  }
  return true;
}

WrongFields::WrongFields(std::span<const PolicyProblem> problems) {
  for (const PolicyProblem& p : problems) {
    if (p.severity == Severity::Error) fields_.emplace(p.object, p.path);
  }
}

void add_type_problems(const InputObject& policy, const TypeReport& report, const WrongFields& wrong,
                       std::vector<PolicyProblem>& problems) {
  std::map<std::string_view, std::string_view> warnings;
  for (const ExpressionWarning& w : report.warnings) warnings.emplace(w.field, w.warning);
  std::vector<std::string_view> fields;
  for (const TypeIssue& i : report.issues) {
    if (std::find(fields.begin(), fields.end(), i.field) == fields.end()) fields.push_back(i.field);
  }
  for (std::string_view field : fields) {
    if (wrong.has(policy, field)) continue;
    PolicyProblem problem{&policy, Severity::Warning, std::string(field), {}};
    for (const TypeMistake& m : mistakes_of(report.issues, field)) {
      bool known_false = !m.issue->why_false.empty();
      std::string hint =
          known_false ? "a false alarm: " + m.issue->why_false
          : !m.issue->has_field.empty()
              ? m.issue->has_field + " has it: right where object.kind or has() is tested first"
              : did_you_mean(m.meant);
      problem.findings.push_back(
          {issue_position(policy, *m.issue), mistake_text(m), std::move(hint), known_false, m.ours});
    }
    problem.ours = std::ranges::all_of(problem.findings, &PolicyProblem::Finding::ours);
    auto warning = warnings.find(field);
    problem.text = warning != warnings.end() ? std::string(warning->second) : problem.findings[0].text;
    problem.position = problem.findings[0].position;
    problems.push_back(std::move(problem));
  }
}

}  // namespace portcullis
