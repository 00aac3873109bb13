// One page for people: the summary, filters, each item with its findings, the rules, the costs as bars.
//
// Idea: all of it is markup that this file writes, so it is complete without a script and from a file; the frame is
// html_page.h. An item with findings can be opened, and is if it is an error or denied. Limits: only the first
// kMostOpen are open, and passed items beyond kMostPassed are only counted.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "cli/formats/cel_html.h"
#include "cli/formats/formats.h"
#include "cli/formats/html_page.h"
#include "cli/formats/wording.h"
#include "cli/formats/xml.h"

namespace portcullis::formats {
namespace {

using outcomes::Cost;
using outcomes::Finding;
using outcomes::Item;
using outcomes::Region;
using outcomes::Rule;
using outcomes::Run;
using outcomes::Status;

constexpr size_t kMostOpen = 50;
constexpr size_t kMostPassed = 5000;

std::string place_html(const Region& region) {
  return region.file.empty() ? "" : fmt::format("<span class=\"place\">{}</span>", xml(place_of(region)));
}

// The part of a line from a column on, marked.
std::string marked_line(std::string_view line, const Region& region) {
  size_t at = 0;
  for (int column = 1; column < region.start.column && at < line.size(); column++) {
    do at++;
    while (at < line.size() && (line[at] & 0xc0) == 0x80);
  }
  return xml(line.substr(0, at)) + (at < line.size() ? "<mark>" + xml(line.substr(at)) + "</mark>" : "");
}

// The lines around a place, numbered.
std::string excerpt_html(const Region& region) {
  if (region.excerpt.empty()) return {};
  std::string out = fmt::format(
      "<figure><figcaption>manifest {}</figcaption><pre class=\"lines\" tabindex=\"0\">", place_html(region));
  std::string_view rest = region.excerpt;
  for (int number = region.excerpt_line; !rest.empty(); number++) {
    size_t end = std::min(rest.find('\n'), rest.size());
    bool here = number == region.start.line;
    out += fmt::format("<span class=\"row{}\"><i>{}</i>{}</span>", here ? " at" : "", number,
                       here ? marked_line(rest.substr(0, end), region) : xml(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out + "</pre></figure>";
}

std::string values_html(const Finding& f) {
  if (f.values.empty()) return {};
  std::string out = "<table class=\"values\"><tbody>";
  for (const outcomes::Part& p : f.values) {
    out +=
        fmt::format("<tr><td style=\"padding-left:{}rem\">{}</td><td>{}</td></tr>", 0.6 + p.depth * 0.8,
                    xml(p.text), p.value.empty() ? "<span class=\"dim\">not evaluated</span>" : xml(p.value));
  }
  return out + "</tbody></table>";
}

std::string finding_html(const Finding& f, bool shows_place) {
  std::string out =
      fmt::format("<article class=\"finding level-{}\"><h3><span class=\"action\">{}</span> <code>{}</code>",
                  level_word(f.level), xml(f.action), xml(f.rule));
  out += "</h3><p class=\"dim\">";
  if (!f.binding.empty()) out += fmt::format("binding <code>{}</code>", xml(f.binding));
  if (!f.param.empty()) out += fmt::format(", param <code>{}</code>", xml(f.param));
  out += fmt::format("</p><p class=\"message\">{}</p>", xml(f.message));
  if (!f.hint.empty()) out += fmt::format("<p class=\"dim\">{}</p>", xml(f.hint));
  if (!f.expected.empty() || !f.actual.empty())
    out += fmt::format(
        "<table class=\"values\"><tbody><tr><td>expected</td><td>{}</td></tr><tr><td>actual</td><td>{}"
        "</td></tr></tbody></table>",
        xml(f.expected), xml(f.actual));
  if (!f.expression.empty())
    out += fmt::format("<figure><figcaption>expression {}</figcaption><pre>{}</pre></figure>",
                       place_html(f.policy_place), cel_html(f.expression, f.blame));
  else if (!f.policy_place.file.empty())
    out += "<p>" + place_html(f.policy_place) + "</p>";
  out += values_html(f);
  if (f.cost) out += fmt::format("<p class=\"dim\">cost {}</p>", *f.cost);
  return out + (shows_place ? excerpt_html(f.place) : "") + "</article>";
}

class Page {
 public:
  explicit Page(const Run& run) : run_(run), rules_(rules_of(run)) {
    for (size_t i = 0; i < rules_.size(); i++) numbers_.emplace(rules_[i].id, i);
    passed_.resize(rules_.size());
    found_.resize(rules_.size());
  }

  std::string text() {
    std::string list = items();  // counts for the tables
    std::string body = fmt::format("<header><h1>portcullis {}</h1><p>{}</p></header>\n<main>\n",
                                   xml(run_.command), xml(summary_of(run_)));
    body += tiles() + filters() + "<p id=\"shown\" class=\"dim\" aria-live=\"polite\"></p>\n" + list +
            rules() + costs();
    body += fmt::format("</main>\n<footer>portcullis {}, answers as kube-apiserver {}</footer>\n",
                        PORTCULLIS_VERSION, xml(run_.kubernetes));
    return html_page(fmt::format("portcullis {}: {}", run_.command, summary_of(run_)), body);
  }

 private:
  std::string tiles() const {
    std::string out = "<div class=\"tiles\" role=\"group\" aria-label=\"Show only\">\n";
    for (Status s : {Status::Error, Status::Failed, Status::Warned, Status::Passed, Status::Skipped}) {
      size_t count = run_.count(s);
      if (count == 0 && (s == Status::Error || s == Status::Skipped)) continue;
      out += fmt::format(
          "<button type=\"button\" class=\"tile {0}\" data-status=\"{0}\" aria-pressed=\"false\" disabled>"
          "<b>{1}</b>{2}</button>\n",
          status_word(s), count, status_word(run_, s));
    }
    return out + "</div>\n";
  }

  std::string filters() const {
    std::string out =
        "<div class=\"filters\" id=\"filters\" hidden>\n<label>Search<input id=\"text\" type=\"search\" "
        "placeholder=\"name, file, message\"></label>\n<label>Rule<select id=\"rule\"><option value=\"\">all "
        "rules</option>";
    for (size_t i = 0; i < rules_.size(); i++) {
      if (found_[i] > 0) out += fmt::format("<option value=\"{}\">{}</option>", i, xml(rules_[i].id));
    }
    return out + "</select></label>\n</div>\n";
  }

  std::string items() {
    std::string out = fmt::format("<section aria-label=\"{}s\">\n", xml(run_.noun));
    size_t left_out = 0, passed = 0, open = 0;
    for (const Item& item : run_.items) {
      for (uint32_t i : item.passed) passed_[i]++;
      const auto findings = findings_of(item);
      for (const Finding& f : findings) found_[numbers_.at(f.rule)]++;
      if (item.status == Status::Passed && findings.empty() && ++passed > kMostPassed) {
        left_out++;
        continue;
      }
      bool grave = item.status == Status::Error || item.status == Status::Failed;
      out += findings.empty() ? flat(item) : folded(item, findings, grave && open++ < kMostOpen);
    }
    if (left_out > 0) out += fmt::format("<p class=\"dim\">and {} more that passed</p>\n", left_out);
    return out + "</section>\n";
  }

  std::string head(const Item& item) const {
    std::string out =
        fmt::format("<span class=\"head\"><span class=\"badge\">{}</span> <span class=\"name\">{}</span>",
                    status_word(run_, item.status), xml(item.name));
    if (!item.operation.empty() && item.operation != "CREATE")
      out += fmt::format(" <span class=\"dim\">{}</span>", xml(item.operation));
    return out + " " + place_html(item.place) + "</span>";
  }

  std::string flat(const Item& item) const {
    return fmt::format("<div class=\"item flat {0}\" data-status=\"{0}\" data-rules=\"\">{1}</div>\n",
                       status_word(item.status), head(item));
  }

  std::string folded(const Item& item, const std::vector<Finding>& findings, bool open) const {
    std::string numbers, body;
    const Region* last = nullptr;
    for (const Finding& f : findings) {
      numbers += fmt::format("{}{}", numbers.empty() ? "" : " ", numbers_.at(f.rule));
      // Findings at one place show it once.
      bool again = last != nullptr && last->start.line == f.place.start.line && last->file == f.place.file;
      body += finding_html(f, !again);
      last = &f.place;
    }
    return fmt::format(
        "<details class=\"item {0}\" data-status=\"{0}\" data-rules=\"{1}\"{2}><summary>{3}</summary>"
        "<div class=\"body\">{4}</div></details>\n",
        status_word(item.status), numbers, open ? " open" : "", head(item), body);
  }

  std::string rules() const {
    if (rules_.empty()) return {};
    std::string out =
        "<section aria-labelledby=\"rules\"><h2 id=\"rules\">Rules</h2><div class=\"wide\" "
        "tabindex=\"0\" role=\"region\" aria-labelledby=\"rules\"><table><thead><tr><th>rule</th>"
        "<th>place</th><th class=\"number\">passed</th><th class=\"number\">found</th></tr></thead><tbody>\n";
    for (size_t i = 0; i < rules_.size(); i++) {
      out += fmt::format(
          "<tr><td><code>{}</code>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}"
          "</td></tr>\n",
          xml(rules_[i].id),
          rules_[i].summary.empty() ? "" : "<br><span class=\"dim\">" + xml(rules_[i].summary) + "</span>",
          place_html(rules_[i].place), passed_[i], found_[i]);
    }
    return out + "</tbody></table></div></section>\n";
  }

  std::string costs() const {
    if (run_.costs.empty()) return {};
    uint64_t highest = 1;
    for (const Cost& c : run_.costs) highest = std::max(highest, c.cost);
    std::string out =
        "<section aria-labelledby=\"costs\"><h2 id=\"costs\">Costs</h2><p class=\"dim\">The highest cost of "
        "each "
        "expression; a full bar is the highest of all.</p><div class=\"wide\" "
        "tabindex=\"0\" role=\"region\" aria-labelledby=\"costs\"><table><thead><tr><th>expression</th><th "
        "class=\"number\">cost</th><th class=\"number\">of limit</th><th></th></tr></thead><tbody>\n";
    for (const Cost& c : run_.costs) out += cost(c, highest);
    return out + "</tbody></table></div></section>\n";
  }

  static std::string cost(const Cost& c, uint64_t highest) {
    double share = c.limit == 0 ? 0 : 100.0 * static_cast<double>(c.cost) / static_cast<double>(c.limit);
    double width = 100.0 * static_cast<double>(c.cost) / static_cast<double>(highest);
    if (c.unbounded) width = 100;
    std::string percent = c.limit == 0 || c.unbounded ? ""
                          : share > 0 && share < 0.01 ? "<0.01%"
                                                      : fmt::format("{:.2f}%", share);
    return fmt::format(
        "<tr><td><code>{}/{}</code></td><td class=\"number\">{}</td><td class=\"number\">{}</td><td><span "
        "class=\"bar{}\"><span style=\"width:{:.1f}%\"></span></span></td></tr>\n",
        xml(c.policy), xml(c.label),
        c.unbounded ? "unbounded" : fmt::format("{}{}", c.bound ? "at most " : "", c.cost), xml(percent),
        c.unbounded ? " unbounded" : "", width);
  }

  const Run& run_;
  std::vector<Rule> rules_;
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<size_t> passed_, found_;  // of each rule
};

}  // namespace

std::string html(const Run& run) { return Page(run).text(); }

}  // namespace portcullis::formats
