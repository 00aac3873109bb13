// See skew_report.h.
#include "cli/reports/skew_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/checks/costs.h"
#include "cli/messages/errors.h"
#include "cli/messages/messages.h"
#include "cli/messages/visible.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

constexpr size_t kCell = 6;  // the width of a cell: "stored"

std::string minor_text(uint32_t minor) { return "1." + std::to_string(minor); }

// "1.30", "1.31 to 1.37".
std::string servers_text(ServerRange range, size_t first, size_t last) {
  std::string from = minor_text(range.from + static_cast<uint32_t>(first));
  return first == last ? from : from + " to " + minor_text(range.from + static_cast<uint32_t>(last));
}

// Calls `each` with every run of servers with the same text.
void for_runs(const std::vector<std::string>& on,
              const std::function<void(size_t first, size_t last)>& each) {
  for (size_t first = 0; first < on.size();) {
    size_t last = first;
    while (last + 1 < on.size() && on[last + 1] == on[first]) last++;
    each(first, last);
    first = last + 1;
  }
}

// "3 to 5 on 1.30 to 1.36, 3 on 1.37"; empty if it is the same on all servers.
std::string changes(ServerRange range, const std::vector<std::string>& on) {
  std::string out;
  size_t runs = 0;
  for_runs(on, [&](size_t first, size_t last) {
    out += (out.empty() ? "" : "; ") + visible(on[first]) + " on " + servers_text(range, first, last);
    runs++;
  });
  return runs > 1 ? out : std::string();
}

// The servers for which `holds`, as "1.30, 1.32 to 1.37"; empty if there are none.
std::string servers_where(ServerRange range, const std::function<bool(size_t)>& holds) {
  std::vector<std::string> on;
  for (size_t s = 0; s < range.count(); s++) on.push_back(holds(s) ? "yes" : "");
  std::string out;
  for_runs(on, [&](size_t first, size_t last) {
    if (!on[first].empty()) out += (out.empty() ? "" : ", ") + servers_text(range, first, last);
  });
  return out;
}

template <class Text>
std::vector<std::string> by_server(ServerRange range, Text text) {
  std::vector<std::string> out;
  for (size_t s = 0; s < range.count(); s++) out.push_back(text(s));
  return out;
}

std::string_view cell_of(const ExpressionSkew& e, size_t server) {
  if (e.accepts(server)) return e.runs(server) ? "yes" : "new";
  return e.runs(server) ? "stored" : "no";
}

bool has_kind(const ObjectSkew& o, ServerRange range, size_t server) {
  return o.served[server] || (o.kind_since > 0 && range.from + server >= o.kind_since);
}

std::string range_text(const ExpressionState& state) {
  if (!state.compiles()) return "none";
  return state.min == state.max ? cost_text(state.max) : cost_text(state.min) + " to " + cost_text(state.max);
}

// The first issue of a compile error, without cel-go's display.
std::string short_error(std::string_view error) {
  auto issues = cel_issues(error);
  return std::string(issues.empty() ? error.substr(0, error.find('\n')) : issues[0].text);
}
// A message that may contain a compile error, with only its first issue.
std::string short_message(std::string_view message) {
  auto issues = cel_issues(message);
  if (issues.empty()) return std::string(message);
  return std::string(message.substr(0, message.find("ERROR: <input>"))).append(issues[0].text);
}

std::string skewed_result(const std::optional<ExpressionResult>& r) {
  if (!r) return "not evaluated";
  std::string value = r->failed ? "error: " + short_message(r->value) : r->value;
  return value + " (cost " + std::to_string(r->cost) + ")";
}

// What people need to know about an expression, line by line.
class Remarks {
 public:
  Remarks(const ExpressionSkew& e, ServerRange range) : e_(e), range_(range) {}

  std::vector<std::string> lines() {
    needs();
    errors();
    types_and_costs();
    for (const ManifestResults& r : e_.results) result(r);
    return std::move(out_);
  }

 private:
  static bool came_together(const Need& a, const Need& b) {
    return a.minor == b.minor && a.library == b.library && a.at_once == b.at_once;
  }
  // Whether a server does not accept it as new.
  static bool lacks(uint32_t server, const Need& n) { return n.minor > server - (n.at_once ? 0 : 1); }
  bool matters(const Need& n) const { return lacks(range_.from, n); }

  // What came together stands on one line.
  void needs() {
    for (size_t i = 0; i < e_.needs.size();) {
      const Need& first = e_.needs[i];
      std::string what;
      for (; i < e_.needs.size() && came_together(e_.needs[i], first); i++)
        what += (what.empty() ? "" : ", ") + e_.needs[i].what;
      if (!matters(first)) continue;
      std::string line =
          fmt::format("{}{} came with {}", what, first.library.empty() ? "" : " of " + first.library,
                      minor_text(first.minor));
      if (!first.at_once) line += ", and is accepted in new expressions since " + minor_text(first.minor + 1);
      out_.push_back(std::move(line));
    }
  }

  // Of servers that refuse it, if no need explains that.
  void errors() {
    auto on = by_server(range_, [&](size_t s) {
      const auto minor = range_.from + static_cast<uint32_t>(s);
      const bool explained = std::ranges::any_of(e_.needs, [&](const Need& n) { return lacks(minor, n); });
      return explained ? std::string() : short_error(e_.refusal(s));
    });
    for_runs(on, [&](size_t first, size_t last) {
      if (!on[first].empty())
        out_.push_back("refused on " + servers_text(range_, first, last) + ": " + visible(on[first]));
    });
  }

  void types_and_costs() {
    add("type", [&](size_t s) { return e_.stored(s).type; });
    add("static cost", [&](size_t s) { return range_text(e_.stored(s)); });
  }
  // Between servers that run the expression.
  template <class Text>
  void add(std::string_view what, Text text) {
    size_t first = 0;
    while (first < range_.count() && !e_.runs(first)) first++;
    auto on = by_server(
        range_, [&](size_t s) { return e_.runs(s) || first == range_.count() ? text(s) : text(first); });
    if (std::string change = changes(range_, on); !change.empty())
      out_.push_back(std::string(what) + " " + change);
  }

  void result(const ManifestResults& r) {
    std::string change = changes(range_, by_server(range_, [&](size_t s) { return skewed_result(r.on[s]); }));
    if (change.empty()) return;
    std::string with = r.param.empty() ? "" : " with " + visible(r.param);
    out_.push_back(fmt::format("on {} {} ({}){}: {}", visible(r.manifest->kind), visible(r.manifest->name),
                               visible(r.manifest->file->name), with, change));
  }

  const ExpressionSkew& e_;
  ServerRange range_;
  std::vector<std::string> out_;
};

class Table {
 public:
  explicit Table(const SkewReport& report) : report_(report), range_(report.range) {
    for (const ObjectSkew& o : report.objects) {
      label_ = std::max(label_, o.object->api_version.size() + 2);
      for (const ExpressionSkew& e : o.expressions) label_ = std::max(label_, e.label.size());
    }
  }

  std::string text() {
    for (const ObjectSkew& o : report_.objects) object(o);
    for (const ManifestVerdicts& v : report_.verdicts) verdict(v);
    summary("accept everything as new", [&](size_t s) { return !report_.refuses(s); });
    summary("run everything once it is stored", [&](size_t s) { return !report_.stops(s); });
    return std::move(out_);
  }

 private:
  template <class Cell>
  void row(int line, std::string_view label, Cell cell) {
    out_ += fmt::format("  {:>4}  {:<{}}", line, visible(label), label_);
    for (size_t s = 0; s < range_.count(); s++) {
      std::string_view text = cell(s);
      std::string_view colour = text == "yes" ? paint_.green : text == "no" ? paint_.red : paint_.yellow;
      out_ += fmt::format("  {}{}{}", colour, text, paint_.reset);
      if (s + 1 < range_.count()) out_.append(kCell - text.size(), ' ');
    }
    out_ += "\n";
  }
  void remark(std::string_view text) { out_ += fmt::format("        {}\n", text); }

  void heading(const ObjectSkew& o) {
    out_ += fmt::format("{}{} {}{}  {}{}{}\n", paint_.bold, visible(o.object->kind), visible(o.object->name),
                        paint_.reset, paint_.dim, visible(o.object->file->name), paint_.reset);
    out_ += fmt::format("  {}line  {:<{}}", paint_.dim, "expression", label_);
    for (size_t s = 0; s < range_.count(); s++) {
      std::string text = servers_text(range_, s, s);
      out_ += "  " + text;
      if (s + 1 < range_.count()) out_.append(kCell - text.size(), ' ');
    }
    out_ += fmt::format("{}\n", paint_.reset);
  }

  void object(const ObjectSkew& o) {
    heading(o);
    row(o.object->locate("apiVersion").line, "(" + std::string(o.object->api_version) + ")", [&](size_t s) {
      return o.served[s] ? "yes" : has_kind(o, range_, s) ? "stored" : "no";
    });
    if (o.since > range_.from) remark("this version came with " + minor_text(o.since));
    if (o.gone > 0 && o.gone <= range_.to) remark("this version was removed with " + minor_text(o.gone));
    if (o.off_by_default) remark("a cluster serves this version only with --runtime-config");
    if (o.enabled_since > range_.from) {
      remark(fmt::format("servers before {} run this kind only if a feature gate says so",
                         minor_text(o.enabled_since)));
    }
    for (const LateField& f : o.late)
      remark(fmt::format("servers before {} {} {}", minor_text(f.since), f.ignored ? "ignore" : "drop",
                         visible(f.path)));
    for (const ExpressionSkew& e : o.expressions) {
      row(e.position.line, e.label, [&](size_t s) { return cell_of(e, s); });
      for (const std::string& line : Remarks(e, range_).lines()) remark(line);
    }
  }

  void verdict(const ManifestVerdicts& v) {
    if (changes(range_, v.on).empty()) return;
    out_ +=
        fmt::format("{}{} {}{}  {}{}{}\n", paint_.bold, visible(v.manifest->kind), visible(v.manifest->name),
                    paint_.reset, paint_.dim, visible(v.manifest->file->name), paint_.reset);
    for_runs(v.on, [&](size_t first, size_t last) {
      out_ +=
          fmt::format("  {}: {}\n", servers_text(range_, first, last), visible(short_message(v.on[first])));
    });
  }

  void summary(std::string_view what, const std::function<bool(size_t)>& holds) {
    std::string servers = servers_where(range_, holds);
    out_ += fmt::format("servers that {}: {}\n", what, servers.empty() ? "none" : servers);
  }

  const SkewReport& report_;
  const ServerRange range_;
  const Paint& paint_ = paint(colour_out());
  size_t label_ = 0;
  std::string out_;
};

// --- for programs

class SkewMembers {
 public:
  SkewMembers(const SkewReport& report, std::string& out) : w_(out), range_(report.range) {}

  void write(const SkewReport& report) {
    w_.begin_object();
    servers("accept", [&](size_t s) { return !report.refuses(s); });
    write_errors(w_, said_errors());
    w_.member("from", minor_text(range_.from));
    w_.list("objects", report.objects, [&](const ObjectSkew& o) { object(o); });
    servers("run", [&](size_t s) { return !report.stops(s); });
    w_.member("to", minor_text(range_.to));
    w_.list("verdicts", report.verdicts, [&](const ManifestVerdicts& v) { verdict(v); });
    w_.end_object();
  }

 private:
  void servers(std::string_view key, const std::function<bool(size_t)>& holds) {
    std::vector<std::string> names;
    for (size_t s = 0; s < range_.count(); s++) {
      if (holds(s)) names.push_back(servers_text(range_, s, s));
    }
    w_.member(key, names);
  }

  // Runs of servers with the same text; `write` writes the other members of the first one's.
  void runs(std::string_view key, const std::vector<std::string>& on,
            const std::function<void(size_t)>& before, const std::function<void(size_t)>& after) {
    w_.key(key);
    w_.begin_list();
    for_runs(on, [&](size_t first, size_t last) {
      if (on[first].empty()) return;
      w_.begin_object();
      before(first);
      servers("servers", [&](size_t s) { return s >= first && s <= last; });
      after(first);
      w_.end_object();
    });
    w_.end_list();
  }

  void object(const ObjectSkew& o) {
    w_.member("apiVersion", o.object->api_version);
    if (o.enabled_since > range_.from) w_.member("enabledSince", minor_text(o.enabled_since));
    w_.list("expressions", o.expressions, [&](const ExpressionSkew& e) { expression(e); });
    w_.member("file", o.object->file->name);
    w_.member("kind", o.object->kind);
    w_.list("lateFields", o.late, [&](const LateField& f) {
      w_.member("field", f.path);
      w_.member("line", f.position.line);
      w_.member("since", minor_text(f.since));
    });
    w_.member("line", o.object->locate("").line);
    w_.member("name", o.object->name);
    if (o.off_by_default) w_.member("offByDefault", true);
    servers("served", [&](size_t s) { return o.served[s]; });
  }

  void expression(const ExpressionSkew& e) {
    servers("accept", [&](size_t s) { return e.accepts(s); });
    w_.member("column", e.position.column);
    costs(e);
    runs(
        "errors", by_server(range_, [&](size_t s) { return e.refusal(s); }), [](size_t) {},
        [&](size_t s) { w_.member("text", e.refusal(s)); });
    w_.member("field", e.path);
    w_.member("line", e.position.line);
    w_.list("needs", e.needs, [&](const Need& n) {
      w_.optional("library", n.library);
      w_.member("since", minor_text(n.minor));
      w_.member("what", n.what);
    });
    w_.list("results", e.results, [&](const ManifestResults& r) { result(r); });
    servers("run", [&](size_t s) { return e.runs(s); });
    runs(
        "types", by_server(range_, [&](size_t s) { return e.stored(s).type; }), [](size_t) {},
        [&](size_t s) { w_.member("type", e.stored(s).type); });
  }
  void costs(const ExpressionSkew& e) {
    auto key = [&](size_t s) {
      const ExpressionState& state = e.stored(s);
      return state.compiles() ? fmt::format("{} {}", state.min, state.max) : std::string();
    };
    runs(
        "costs", by_server(range_, key),
        [&](size_t s) {
          w_.member("max", std::to_string(e.stored(s).max));
          w_.member("min", std::to_string(e.stored(s).min));
        },
        [](size_t) {});
  }

  void result(const ManifestResults& r) {
    w_.member("file", r.manifest->file->name);
    w_.member("kind", r.manifest->kind);
    w_.member("name", r.manifest->name);
    auto key = [&](size_t s) { return r.on[s] ? skewed_result(r.on[s]) : std::string(); };
    runs(
        "on", by_server(range_, key),
        [&](size_t s) {
          w_.member("cost", r.on[s]->cost);
          if (r.on[s]->failed) w_.member("error", r.on[s]->value);
        },
        [&](size_t s) {
          if (!r.on[s]->failed) w_.member("value", r.on[s]->value);
        });
    w_.optional("param", r.param);
  }

  void verdict(const ManifestVerdicts& v) {
    w_.member("file", v.manifest->file->name);
    w_.member("kind", v.manifest->kind);
    w_.member("name", v.manifest->name);
    runs("on", v.on, [](size_t) {}, [&](size_t s) { w_.member("verdict", v.on[s]); });
  }

  JsonWriter w_;
  ServerRange range_;
};

template <class T>
bool same(const std::vector<T>& on) {
  return std::ranges::all_of(on, [&](const T& x) { return x == on[0]; });
}

}  // namespace

bool SkewReport::refuses(size_t server) const {
  return std::ranges::any_of(objects, [&](const ObjectSkew& o) {
    return !o.served[server] ||
           std::ranges::any_of(o.late, [&](const LateField& f) { return range.from + server < f.since; }) ||
           !std::ranges::all_of(o.expressions, [&](const ExpressionSkew& e) { return e.accepts(server); });
  });
}

bool SkewReport::stops(size_t server) const {
  return std::ranges::any_of(objects, [&](const ObjectSkew& o) {
    return !has_kind(o, range, server) ||
           !std::ranges::all_of(o.expressions, [&](const ExpressionSkew& e) { return e.runs(server); });
  });
}

bool SkewReport::results_differ() const {
  auto varies = [](const ManifestResults& r) {
    return !same(by_server({.from = 0, .to = static_cast<uint32_t>(r.on.size()) - 1}, [&](size_t s) {
      return r.on[s] ? (r.on[s]->failed ? "error " : "value ") + r.on[s]->value : std::string();
    }));
  };
  return std::ranges::any_of(verdicts, [](const ManifestVerdicts& v) { return !same(v.on); }) ||
         std::ranges::any_of(objects, [&](const ObjectSkew& o) {
           return std::ranges::any_of(o.expressions, [&](const ExpressionSkew& e) {
             return std::ranges::any_of(e.results, varies);
           });
         });
}

std::string skew_text(const SkewReport& report) { return Table(report).text(); }

std::string skew_json(const SkewReport& report) {
  std::string out;
  SkewMembers(report, out).write(report);
  return out + "\n";
}

}  // namespace portcullis
