#include "admission/engine/memos.h"

#include <algorithm>
#include <deque>

namespace portcullis {
namespace {

// An expression or variable whose outcome may be kept.
struct Use {
  const Program* program;
  uint32_t* memo;
  bool again;  // a request may evaluate it again with the same variables
};

bool reads(const Program& program, uint32_t variable) {
  return std::ranges::find(program.reads(), variable) != program.reads().end();
}

// Not in a vector, which doubles where many policies need the most memory.
std::deque<Use> uses_of_programs(CompiledPolicies& engine) {
  std::deque<Use> out;
  auto add = [&](auto& item, bool often) {
    if (item.program == nullptr || !item.program->depends_on_variables_only()) return;
    const bool changes =
        reads(*item.program, engine.numbers->params) || reads(*item.program, engine.numbers->variables);
    out.push_back({item.program.get(), &item.memo, often && !changes});
  };
  for (auto* list : {&engine.policies, &engine.mutating}) {
    for (LoadedPolicy& p : *list) {
      const bool often = p.has_param_kind || (list == &engine.mutating && p.binding_count > 1);
      for (PolicyVariable& v : p.variables) add(v, often);
      for (auto* expressions : {&p.conditions, &p.checks, &p.messages, &p.annotation_values}) {
        for (PolicyExpression& e : *expressions) add(e, often);
      }
      for (PolicyMutation& m : p.mutations) add(m.expression, often);
    }
  }
  for (auto* list : {&engine.mutating_webhooks, &engine.validating_webhooks}) {
    for (LoadedWebhook& w : *list) {
      for (PolicyExpression& e : w.conditions) add(e, false);
    }
  }
  return out;
}

}  // namespace

bool reads_variables(const LoadedPolicy& p, uint32_t number) {
  auto read_by = [&](const PolicyExpression& e) { return e.program != nullptr && reads(*e.program, number); };
  for (const auto* list : {&p.conditions, &p.checks, &p.messages, &p.annotation_values}) {
    if (std::ranges::any_of(*list, read_by)) return true;
  }
  return std::ranges::any_of(p.mutations, [&](const PolicyMutation& m) { return read_by(m.expression); });
}

void number_memos(CompiledPolicies& engine) {
  std::deque<Use> uses = uses_of_programs(engine);
  std::ranges::sort(uses, {}, &Use::program);
  for (size_t i = 0, end = 0; i < uses.size(); i = end) {
    bool again = false;
    for (end = i; end < uses.size() && uses[end].program == uses[i].program; end++) again |= uses[end].again;
    if (end - i < 2 && !again) continue;
    const uint32_t memo = engine.paths->new_memo();
    for (size_t j = i; j < end; j++) *uses[j].memo = memo;
  }
}

}  // namespace portcullis
