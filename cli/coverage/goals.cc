// The goals of a policy, and what to say about those that no case reached. See coverage.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/coverage/coverage.h"

namespace portcullis {
namespace {

// Longer parts are cut in messages.
constexpr size_t kMaxText = 100;

std::string quoted(std::string_view text) {
  std::string out(text.substr(0, kMaxText));
  while (text.size() > kMaxText && !out.empty() && (text[out.size()] & 0xc0) == 0x80) out.pop_back();
  for (char& c : out) {
    if (c == '\n') c = ' ';
  }
  return "`" + out + (text.size() > out.size() ? "…`" : "`");
}

// A validation of a policy, or a rule of a definition.
std::string validation_name(const CoverageExpression& e) {
  return e.name.empty() ? fmt::format("validations[{}]", e.index) : e.name;
}

class Goals {
 public:
  explicit Goals(const CoveragePolicy& policy) : policy_(policy) {}

  std::vector<CoverageGoal> list() {
    for (const CoverageBinding& b : policy_.bindings) add_binding(b);
    if (policy_.bindings.empty() && !policy_.defines) {
      CoverageGoal& goal = out_.emplace_back();
      goal.file = policy_.file;
      goal.position = policy_.position;
      goal.missing = "the policy has no binding, so nothing reaches it";
    }
    for (const CoverageExpression& e : policy_.expressions) add_expression(e);
    return std::move(out_);
  }

 private:
  void add_binding(const CoverageBinding& b) {
    auto add = [&](Position position, uint64_t times, std::string missing) {
      CoverageGoal& goal = out_.emplace_back();
      goal.binding = &b;
      goal.file = b.file;
      goal.position = position;
      goal.times = times;
      goal.missing = std::move(missing);
    };
    add(b.position, b.seen.times(), fmt::format("the binding {} never applies", b.name));
    if (!b.has_params) return;
    add(b.param_position, b.seen.yes, fmt::format("the binding {} never has a param", b.name));
    add(b.param_position, b.seen.no,
        fmt::format("the binding {} never lacks its param{}", b.name,
                    b.not_found.empty() ? "" : " (parameterNotFoundAction: " + b.not_found + ")"));
  }

  void add(const CoverageExpression& e, int part, Position position, uint64_t times, std::string missing) {
    CoverageGoal& goal = out_.emplace_back();
    goal.expression = &e;
    goal.part = part;
    goal.file = policy_.file;
    goal.position = position;
    goal.times = times;
    goal.missing = std::move(missing);
  }

  void add_expression(const CoverageExpression& e) {
    auto whole = [&](uint64_t times, std::string missing) {
      add(e, -1, e.position, times, std::move(missing));
    };
    switch (e.role) {
      case ExpressionRole::MatchCondition:
        whole(e.whole.yes, fmt::format("the match condition {} is never true", e.name));
        whole(e.whole.no, fmt::format("the match condition {} is never false", e.name));
        break;
      case ExpressionRole::Validation:
        whole(e.whole.yes, validation_name(e) + " never passes");
        whole(e.whole.no, validation_name(e) + " never denies");
        break;
      case ExpressionRole::Variable: add_variable(e); break;
      case ExpressionRole::Message:
        whole(e.whole.yes, fmt::format("the message of {} is never used", validation_name(e)));
        break;
      case ExpressionRole::Annotation:
        whole(e.whole.yes, fmt::format("the audit annotation {} is never published", e.name));
        break;
      case ExpressionRole::ApplyConfiguration:
      case ExpressionRole::JsonPatch:
        whole(e.whole.yes, fmt::format("mutations[{}] never changes an object", e.index));
        break;
    }
    for (size_t i = 0; i < e.parts.size(); i++) {
      if (e.parts[i].counts) add_part(e, static_cast<int>(i));
    }
  }

  void add_variable(const CoverageExpression& e) {
    const bool test = !e.parts.empty() && e.parts[0].kind == CoveragePart::Kind::Test;
    if (test) {
      add(e, -1, e.position, e.whole.yes, fmt::format("the variable {} is never true", e.name));
      add(e, -1, e.position, e.whole.no, fmt::format("the variable {} is never false", e.name));
    } else {
      add(e, -1, e.position, e.whole.times(), fmt::format("the variable {} is never evaluated", e.name));
    }
  }

  void add_part(const CoverageExpression& e, int i) {
    const CoveragePart& part = e.parts[static_cast<size_t>(i)];
    const Outcomes seen = e.outcomes(part);
    const bool choice = part.kind == CoveragePart::Kind::Choice;
    const std::string text = quoted(part.text);
    add(e, i, e.place(part), seen.yes, fmt::format("{} is never {}", text, choice ? "present" : "true"));
    add(e, i, e.place(part), seen.no, fmt::format("{} is never {}", text, choice ? "absent" : "false"));
  }

  const CoveragePolicy& policy_;
  std::vector<CoverageGoal> out_;
};

// The outermost part around `part` that was never evaluated, or that part; -1 if it was evaluated.
int outermost_never(const CoverageExpression& e, int part) {
  int out = -1;
  for (; part > 0; part = e.parts[static_cast<size_t>(part)].parent) {
    if (e.outcomes(e.parts[static_cast<size_t>(part)]).times() == 0) out = part;
  }
  return out;
}

// Whether no value of the expression was seen.
bool is_silent(const CoverageExpression& e) {
  return e.whole.times() == 0 && (e.seen.empty() || e.seen[0].times() == 0);
}

std::string never_text(const CoverageExpression& e) {
  switch (e.role) {
    case ExpressionRole::MatchCondition:
      return fmt::format("the match condition {} is never evaluated", e.name);
    case ExpressionRole::Validation: return validation_name(e) + " is never evaluated";
    case ExpressionRole::Variable: return fmt::format("the variable {} is never evaluated", e.name);
    case ExpressionRole::Message: return fmt::format("the message of {} is never used", validation_name(e));
    case ExpressionRole::Annotation: return fmt::format("the audit annotation {} is never evaluated", e.name);
    default: return fmt::format("mutations[{}] is never evaluated", e.index);
  }
}

}  // namespace

Position CoverageExpression::place(const CoveragePart& part) const {
  const size_t at = static_cast<size_t>(part.start);
  return at < places.size() && places[at].line > 0 ? places[at] : position;
}

Outcomes CoverageExpression::outcomes(const CoveragePart& part) const {
  if (part.test < 0) return seen[static_cast<size_t>(&part - parts.data())];
  const Outcomes test = outcomes(parts[static_cast<size_t>(part.test)]);
  return {.other = part.chosen ? test.yes : test.no};
}

std::vector<CoverageGoal> coverage_goals(const CoveragePolicy& policy) { return Goals(policy).list(); }

std::vector<CoverageGoal> missing_goals(const CoveragePolicy& policy) {
  std::vector<CoverageGoal> out;
  std::set<std::pair<const CoverageExpression*, int>> said;  // what was never evaluated
  for (CoverageGoal& goal : coverage_goals(policy)) {
    if (goal.times > 0) continue;
    const CoverageExpression* e = goal.expression;
    const bool silent = e != nullptr && is_silent(*e);
    const int never = e == nullptr || silent ? -1 : outermost_never(*e, goal.part);
    if ((silent || never >= 0) && !said.emplace(e, never).second) continue;
    if (silent) {
      goal.part = -1;
      goal.position = e->position;
      goal.missing = never_text(*e);
    } else if (never >= 0) {
      const CoveragePart& part = e->parts[static_cast<size_t>(never)];
      goal.part = never;
      goal.position = e->place(part);
      goal.missing = quoted(part.text) + " is never evaluated";
    }
    out.push_back(std::move(goal));
  }
  return out;
}

CoverageCount count_goals(const CoveragePolicy& policy) {
  CoverageCount out;
  for (const CoverageGoal& goal : coverage_goals(policy)) {
    out.goals++;
    out.covered += goal.times > 0;
  }
  return out;
}

std::map<int, uint64_t> line_times(const CoverageExpression& e) {
  std::map<int, uint64_t> out;
  const uint64_t whole = e.seen.empty() ? e.whole.times() : std::max(e.whole.times(), e.seen[0].times());
  if (e.position.line > 0) out[e.position.line] = whole;
  for (const CoveragePart& part : e.parts) {  // parents come first
    const int line = e.place(part).line;
    if (line > 0) out.try_emplace(line, e.outcomes(part).times());
  }
  return out;
}

std::string percent_text(CoverageCount count) {
  if (count.goals == 0) return "none";
  const uint64_t tenths = count.covered * 1000 / count.goals;
  return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

}  // namespace portcullis
