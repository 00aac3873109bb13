// See cost_report.h.
#include "cli/reports/cost_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/visible.h"

namespace portcullis {
namespace {

constexpr size_t kMostParts = 12;  // of an expression, for people
constexpr size_t kMostText = 87;   // bytes of a part

std::optional<uint64_t> measured_cost(const PolicyCosts* costs, const std::string& path) {
  if (costs == nullptr) return std::nullopt;
  auto found = std::ranges::find(costs->expressions, path, &ExpressionCost::path);
  return found == costs->expressions.end() ? std::nullopt : found->measured;
}

double share_of(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view words_of(SizeTaken::From from) {
  switch (from) {
    case SizeTaken::From::User: return "assumed";
    case SizeTaken::From::Schema: return "by the schema";
    case SizeTaken::From::Request: return "the largest in a request";
  }
  return {};
}

class CostText {
 public:
  std::string run(const CostReport& report) {
    for (const WorstCosts& o : report.objects) object(o, report.measured_of(*o.object));
    return std::move(out_);
  }

 private:
  void object(const WorstCosts& o, const PolicyCosts* measured) {
    out_ += fmt::format("{}{} {}{}  {}{}{}\n", paint_.bold, visible(o.object->kind), visible(o.object->name),
                        paint_.reset, paint_.dim, visible(o.object->file->name), paint_.reset);
    size_t label = 10;
    for (const WorstCost& c : o.expressions) label = std::max(label, visible(c.label).size());
    out_ +=
        fmt::format("  {}line  {:<{}}  {:>12}  {:>12}  {:>9}{}{}\n", paint_.dim, "expression", label,
                    "at least", "at most", "of limit", measured == nullptr ? "" : "  measured", paint_.reset);
    for (const WorstCost& c : o.expressions) expression(c, label, measured);
    for (const CostBudget& b : o.budgets) {
      std::string_view colour = b.worst > b.limit ? paint_.red : std::string_view();
      out_ += fmt::format("  {}: at most {}{} of {} ({}){}{}\n", b.label, colour, cost_text(b.worst), b.limit,
                          share_text(b.worst, b.limit), colour.empty() ? "" : paint_.reset,
                          b.known ? "" : ", with sizes that are only bounded by the request");
    }
    for (const CostAdvice& a : o.advice) advice(a, "  ");
    if (measured != nullptr && measured->evaluations == 0)
      out_ += "  not evaluated: no manifest of --object reaches it, or the API server refuses it\n";
  }

  void expression(const WorstCost& c, size_t label, const PolicyCosts* measured) {
    out_ += fmt::format("  {:>4}  {:<{}}", c.position.line, visible(c.label), label);
    if (!c.error.empty()) {
      out_ += "  does not compile\n";
      return;
    }
    std::string_view colour = c.exceeds() ? paint_.red : std::string_view();
    out_ += fmt::format("  {:>12}  {}{:>12}  {:>9}{}", c.min, colour, cost_text(c.whole),
                        share_text(c.whole, c.limit), colour.empty() ? "" : paint_.reset);
    if (auto cost = measured_cost(measured, c.path)) out_ += fmt::format("  {:>8}", *cost);
    out_ += "\n";
    if (c.count > 1)
      out_ += fmt::format("          {} each, for at most {} values\n", cost_text(c.max), c.count);
    parts(c);
    for (const SizeTaken& s : c.sizes)
      out_ += fmt::format("          {}{} has at most {} ({}){}\n", paint_.dim, visible(s.path), s.size,
                          words_of(s.from), paint_.reset);
    for (const CostAdvice& a : c.advice) advice(a, "          ");
  }

  // The parts with the largest shares; of an expression that costs next to nothing, none.
  void parts(const WorstCost& c) {
    if (c.whole < c.limit / 100 || c.parts.size() < 2) return;
    size_t shown = 0;
    for (const CostPart& p : c.parts) {
      double share = share_of(p.cost, c.parts[0].cost);
      if (share < 1 || shown++ == kMostParts) continue;
      std::string text = visible(cut(p.text, kMostText));
      out_ += fmt::format("          {:>5.1f}%  {:{}}{}", share, "", p.depth * 2, text);
      if (p.rounds > 0) out_ += fmt::format("  {}x {}{}", paint_.dim, cost_text(p.rounds), paint_.reset);
      out_ += "\n";
    }
  }

  void advice(const CostAdvice& a, std::string_view indent) {
    out_ += fmt::format("{}{}advice{}: {}: {} {} instead of {}\n", indent, paint_.green, paint_.reset,
                        visible(a.text), a.what, cost_text(a.after), cost_text(a.before));
  }

  const Paint& paint_ = paint(colour_out());
  std::string out_;
};

class CostMembers {
 public:
  explicit CostMembers(std::string& out) : w_(out) {}

  void run(const CostReport& report) {
    w_.begin_object();
    write_errors(w_, said_errors());
    w_.list("objects", report.objects,
            [&](const WorstCosts& o) { object(o, report.measured_of(*o.object)); });
    w_.end_object();
  }

 private:
  // Costs may be as large as 2^64-1, so they are texts.
  void cost(std::string_view key, uint64_t value) { w_.member(key, std::to_string(value)); }

  void advice(const std::vector<CostAdvice>& given) {
    w_.list("advice", given, [&](const CostAdvice& a) {
      cost("after", a.after);
      cost("before", a.before);
      w_.member("text", a.text);
      w_.member("what", a.what);
    });
  }

  void object(const WorstCosts& o, const PolicyCosts* measured) {
    advice(o.advice);
    w_.list("budgets", o.budgets, [&](const CostBudget& b) {
      w_.member("known", b.known);
      w_.member("label", b.label);
      cost("limit", b.limit);
      cost("max", b.worst);
    });
    if (measured != nullptr) w_.member("evaluations", measured->evaluations);
    w_.list("expressions", o.expressions, [&](const WorstCost& c) { expression(c, measured); });
    w_.member("file", o.object->file->name);
    w_.member("kind", o.object->kind);
    w_.member("name", o.object->name);
  }

  void expression(const WorstCost& c, const PolicyCosts* measured) {
    advice(c.advice);
    w_.member("column", c.position.column);
    w_.optional("error", c.error);
    cost("evaluations", c.count);
    w_.member("field", c.path);
    cost("limit", c.limit);
    w_.member("line", c.position.line);
    cost("max", c.max);
    if (auto found = measured_cost(measured, c.path)) cost("measured", *found);
    cost("min", c.min);
    w_.list("parts", c.parts, [&](const CostPart& p) {
      cost("cost", p.cost);
      w_.member("depth", p.depth);
      if (p.rounds > 0) cost("rounds", p.rounds);
      w_.member("text", p.text);
    });
    w_.list("sizes", c.sizes, [&](const SizeTaken& s) {
      w_.member("from", s.from == SizeTaken::From::User     ? "assumed"
                        : s.from == SizeTaken::From::Schema ? "schema"
                                                            : "request");
      w_.member("path", s.path);
      cost("size", s.size);
    });
    cost("total", c.whole);
  }

  JsonWriter w_;
};

}  // namespace

const PolicyCosts* CostReport::measured_of(const InputObject& object) const {
  auto found = std::ranges::find(measured, &object, &PolicyCosts::object);
  return found == measured.end() ? nullptr : &*found;
}

std::string cost_report_text(const CostReport& report) { return CostText().run(report); }

std::string cost_report_json(const CostReport& report) {
  std::string out;
  CostMembers(out).run(report);
  return out + "\n";
}

}  // namespace portcullis
