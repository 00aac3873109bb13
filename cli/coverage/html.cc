// Coverage as one page. See report.h.
//
// Idea: each code point of an expression belongs to the innermost part there that has something to say; runs of one
// part become elements, whose tooltips list the outcomes; those of what is missing also show where a keyboard goes there.
// Colour is never the only sign: what no case reached is also underlined. All text passes through `escaped`.
#include <fmt/format.h>

#include <map>

#include "cli/coverage/report.h"
#include "cli/formats/xml.h"
#include "cli/messages/visible.h"

namespace portcullis {
namespace {

// Light and dark follow the reader's system.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Policy coverage</title>
<style>
:root{--bg:#fff;--fg:#1f2328;--dim:#59636e;--line:#d1d9e0;--panel:#f6f8fa;--link:#0969da;
--full:#d8f5dd;--half:#fff1b8;--never:#ffd7d5;--halfline:#9a6700;--neverline:#cf222e;--bar:#1a7f37}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;--panel:#151b23;
--link:#4493f8;--full:#12351d;--half:#4a3a05;--never:#5c1a1b;--halfline:#d29922;--neverline:#f85149;--bar:#3fb950}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:0}
table{border-collapse:collapse;width:100%;margin:1rem 0}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--dim);font-weight:600}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
td.w{width:9rem}
.bar{display:block;height:.55rem;margin-top:.45rem;border-radius:.3rem;background:var(--never);overflow:hidden}
.bar i{display:block;height:100%;background:var(--bar)}
.dim{color:var(--dim)}
.legend span{margin-right:1rem;padding:.1rem .4rem;border-radius:.2rem}
details{border:1px solid var(--line);border-radius:.4rem;margin:1rem 0;overflow:hidden}
summary{display:flex;gap:1rem;align-items:baseline;cursor:pointer;padding:.6rem 1rem;background:var(--panel)}
summary::before{content:"\25b8"}details[open]>summary::before{content:"\25be"}
summary .n{margin-left:auto;font-variant-numeric:tabular-nums}
ul.missing{margin:.6rem 1rem;padding-left:1.2rem}
code,pre{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{margin:0;padding:.5rem 0;overflow-x:auto;border-top:1px solid var(--line);tab-size:4}
pre b{font-weight:400;color:var(--dim);display:inline-block;width:7.5rem;padding-right:1rem;text-align:right;user-select:none}
pre b a{color:inherit}
pre span:target,pre div:target{outline:2px solid var(--link)}
pre div{min-width:max-content;padding-right:1rem}
pre span[tabindex]:focus-visible::after{content:" \2190  " attr(title);color:var(--fg);background:var(--bg)}
.full{background:var(--full)}
.half{background:var(--half);text-decoration:underline dotted var(--halfline)}
.never{background:var(--never);text-decoration:underline wavy var(--neverline)}
</style>
</head>
<body>
)";

// Text that stays on its line.
std::string escaped(std::string_view text) { return formats::xml(visible(text)); }

enum class Mark : uint8_t { None, Full, Half, Never };

std::string_view class_of(Mark mark) {
  switch (mark) {
    case Mark::Full: return "full";
    case Mark::Half: return "half";
    case Mark::Never: return "never";
    default: return "";
  }
}

Mark mark_of(const Outcomes& seen, bool two_goals) {
  if (seen.times() == 0) return Mark::Never;
  return two_goals && (seen.yes == 0 || seen.no == 0) ? Mark::Half : Mark::Full;
}

// Whether the whole expression has the goals true and false.
bool is_test(const CoverageExpression& e) {
  using enum ExpressionRole;
  const bool variable = e.role == Variable && !e.parts.empty() && e.parts[0].kind == CoveragePart::Kind::Test;
  return e.role == MatchCondition || e.role == Validation || variable;
}

// How the whole was used: "passes 3, denies 1".
std::string whole_text(const CoverageExpression& e) {
  const Outcomes& o = e.whole;
  std::string out;
  auto add = [&](uint64_t times, std::string_view what) {
    if (times > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", what, times);
  };
  using enum ExpressionRole;
  const bool test = is_test(e);
  add(o.yes, e.role == Validation   ? "passes"
             : test                 ? "true"
             : e.role == Message    ? "used"
             : e.role == Annotation ? "published"
                                    : "changes the object");
  add(o.no, e.role == Validation   ? "denies"
            : test                 ? "false"
            : e.role == Message    ? "not usable"
            : e.role == Annotation ? "nothing to publish"
                                   : "changes nothing");
  add(o.empty, "empty");
  add(o.other, "evaluated");
  add(o.error, "error");
  return out.empty() ? "never evaluated" : out;
}

// The marks of a file: by line, then by column (from 1).
class Marks {
 public:
  struct Cell {
    Mark mark = Mark::None;
    uint32_t tip = 0;  // index in `tips`
  };
  std::map<int, std::map<int, Cell>> lines;
  std::map<int, uint64_t> times;  // by line: how often what begins there was evaluated
  std::vector<std::string> tips = {""};

  void add(const CoverageExpression& e) {
    for (size_t i = 0; i < e.parts.size(); i++) add_part(e, i);
    if (e.parts.empty()) paint(e, 0, static_cast<int>(e.places.size()), Mark::Never, "never evaluated");
    for (const auto& [line, evaluated] : line_times(e)) note(line, evaluated);
  }
  void note(int line, uint64_t evaluated) {
    if (line <= 0) return;
    uint64_t& slot = times.try_emplace(line, 0).first->second;
    slot = std::max(slot, evaluated);
  }

 private:
  void add_part(const CoverageExpression& e, size_t i) {
    const CoveragePart& part = e.parts[i];
    const Outcomes seen = e.outcomes(part);
    if (i == 0) {
      const Mark mark = e.whole.times() == 0 ? Mark::Never : mark_of(e.whole, is_test(e));
      return paint(e, part.start, part.stop, mark, whole_text(e));
    }
    const bool never = seen.times() == 0;
    const bool said = never && e.outcomes(e.parts[static_cast<size_t>(part.parent)]).times() == 0;
    if (said || (!part.counts && !never)) return;
    paint(e, part.start, part.stop, mark_of(seen, part.counts),
          part.text + ": " + outcomes_text(seen, part.kind));
  }

  void paint(const CoverageExpression& e, int start, int stop, Mark mark, std::string tip) {
    tips.push_back(std::move(tip));
    for (int i = start; i < stop && static_cast<size_t>(i) < e.places.size(); i++) {
      const Position at = e.places[static_cast<size_t>(i)];
      if (at.line > 0) lines[at.line][at.column] = {mark, static_cast<uint32_t>(tips.size() - 1)};
    }
  }
};

class Page {
 public:
  explicit Page(const Coverage& coverage) : coverage_(coverage) {
    for (const CoveragePolicy* p : coverage.policies()) {
      files_[p->file].policies.push_back(p);
      for (const CoverageExpression& e : p->expressions) files_[p->file].marks.add(e);
      for (const CoverageBinding& b : p->bindings) files_[b.file].marks.note(b.position.line, b.seen.times());
    }
  }

  std::string write() {
    out_ = kHead;
    add_summary();
    for (auto& [name, file] : files_) add_file(name, file);
    return out_ + "</body>\n</html>\n";
  }

 private:
  struct File {
    std::vector<const CoveragePolicy*> policies;
    Marks marks;
  };

  std::string number(const std::string& file) const {
    return "f" + std::to_string(std::distance(files_.begin(), files_.find(file)) + 1);
  }
  std::string anchor(const std::string& file, int line) const {
    return fmt::format("{}-{}", number(file), line);
  }

  static std::string bar(CoverageCount count) {
    return fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>", count.percent());
  }

  void add_summary() {
    const CoverageCount total = coverage_.total();
    out_ += fmt::format("<h1>Policy coverage: {}</h1>\n<p class=\"dim\">{} of {} outcomes</p>\n{}\n",
                        percent_text(total), total.covered, total.goals, bar(total));
    out_ +=
        "<p class=\"legend\"><span class=\"full\">every outcome seen</span><span class=\"half\">one of two "
        "outcomes "
        "seen</span><span class=\"never\">never evaluated</span></p>\n"
        "<table><tr><th>policy</th><th>file</th><th class=\"n\">outcomes</th><th "
        "class=\"n\">coverage</th><th></th></tr>\n";
    for (const CoveragePolicy* p : coverage_.policies()) {
      const CoverageCount count = count_goals(*p);
      out_ += fmt::format(
          "<tr><td><a href=\"#{}\">{}</a></td><td>{}</td><td class=\"n\">{} of {}</td><td "
          "class=\"n\">{}</td><td "
          "class=\"w\">{}</td></tr>\n",
          anchor(p->file, p->position.line), escaped(p->name), escaped(p->file), count.covered, count.goals,
          percent_text(count), bar(count));
    }
    out_ += "</table>\n";
  }

  void add_file(const std::string& name, const File& file) {
    CoverageCount count;
    for (const CoveragePolicy* p : file.policies) count += count_goals(*p);
    const bool whole = count.covered == count.goals;
    out_ += fmt::format("<details{}><summary><h2>{}</h2><span class=\"n\">{}</span></summary>\n",
                        whole ? "" : " open", escaped(name),
                        file.policies.empty() ? "bindings" : percent_text(count));
    add_missing(file);
    add_source(name, file.marks);
    out_ += "</details>\n";
  }

  // Escaped, with the expression that stands between backquotes as code.
  static std::string with_code(std::string_view text) {
    const size_t open = text.find('`'), close = text.rfind('`');
    if (open == text.npos || open == close) return escaped(text);
    return fmt::format("{}<code>{}</code>{}", escaped(text.substr(0, open)),
                       escaped(text.substr(open + 1, close - open - 1)), escaped(text.substr(close + 1)));
  }

  void add_missing(const File& file) {
    std::string items;
    for (const CoveragePolicy* p : file.policies) {
      for (const CoverageGoal& goal : missing_goals(*p)) {
        const std::string where(goal.file);
        items += fmt::format("<li><a href=\"#{}\">{}</a> {}</li>\n", anchor(where, goal.position.line),
                             escaped(place_text(where, goal.position)), with_code(goal.missing));
      }
      if (p->failures.times() > 0)
        items += fmt::format("<li class=\"dim\">{}: failurePolicy {}, {} {}</li>\n", escaped(p->name),
                             escaped(p->failure_policy), p->failures.times(),
                             p->failures.times() == 1 ? "error" : "errors");
    }
    if (!items.empty()) out_ += "<ul class=\"missing\">\n" + items + "</ul>\n";
  }

  void add_source(const std::string& name, const Marks& marks) {
    out_ += "<pre tabindex=\"0\">";
    std::string_view text = coverage_.text(name);
    for (int line = 1; !text.empty(); line++) {
      const size_t end = std::min(text.find('\n'), text.size());
      add_line(name, line, text.substr(0, end), marks);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    out_ += "</pre>\n";
  }

  void add_line(const std::string& name, int line, std::string_view text, const Marks& marks) {
    const std::string id = anchor(name, line);
    auto times = marks.times.find(line);
    out_ += fmt::format("<div id=\"{}\"><b>{}<a href=\"#{}\">{:>6}</a></b>", id,
                        times == marks.times.end() ? "" : fmt::format("{}× ", times->second), id, line);
    auto found = marks.lines.find(line);
    if (found == marks.lines.end()) {
      out_ += escaped(text);
    } else {
      add_marked(text, found->second, marks.tips);
    }
    out_ += "</div>";
  }

  void add_marked(std::string_view text, const std::map<int, Marks::Cell>& cells,
                  const std::vector<std::string>& tips) {
    int column = 1;
    size_t begun = 0;
    Marks::Cell open;
    auto close = [&](size_t end) {
      const std::string piece = escaped(text.substr(begun, end - begun));
      begun = end;
      if (piece.empty()) return;
      if (open.mark == Mark::None) {
        out_ += piece;
        return;
      }
      // A keyboard reaches what is missing; its outcomes then stand behind it.
      out_ += fmt::format("<span class=\"{}\" title=\"{}\"{}>{}</span>", class_of(open.mark),
                          escaped(tips[open.tip]), open.mark == Mark::Full ? "" : " tabindex=\"0\"", piece);
    };
    for (size_t i = 0; i < text.size(); column++) {
      const Marks::Cell here = cell_at(cells, column, text[i]);
      if (here.mark != open.mark || here.tip != open.tip) {
        close(i);
        open = here;
      }
      do i++;
      while (i < text.size() && (text[i] & 0xc0) == 0x80);
    }
    close(text.size());
  }

  // White space belongs to what is around it.
  static Marks::Cell cell_at(const std::map<int, Marks::Cell>& cells, int column, char c) {
    auto found = cells.find(column);
    if (found != cells.end()) return found->second;
    if (c != ' ' && c != '\t') return {};
    auto after = cells.lower_bound(column);
    if (after == cells.begin() || after == cells.end()) return {};
    const Marks::Cell before = std::prev(after)->second;
    return before.tip == after->second.tip ? before : Marks::Cell{};
  }

  const Coverage& coverage_;
  std::map<std::string, File> files_;
  std::string out_;
};

}  // namespace

std::string coverage_html(const Coverage& coverage) { return Page(coverage).write(); }

}  // namespace portcullis
