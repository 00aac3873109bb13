// Coverage as a tracefile of lcov. See report.h.
//
// Idea: lcov knows lines, branches and functions. A line is one that an expression or a binding begins on, or one of
// its parts; it counts how often that was evaluated. Each goal with two outcomes is a block of two branches, each other
// goal a block of one. An expression is a function, by its path.
#include <fmt/format.h>

#include <map>

#include "cli/coverage/report.h"

namespace portcullis {
namespace {

struct Function {
  std::string name;
  int line = 0;
  uint64_t times = 0;
};

// What lcov says about one file.
class LcovFile {
 public:
  void add_line(int line, uint64_t times) {
    if (line <= 0) return;
    uint64_t& slot = lines_.try_emplace(line, 0).first->second;
    slot = std::max(slot, times);
  }
  void add_function(Function f) { functions_.push_back(std::move(f)); }
  // `evaluated`: whether the branch could have been taken.
  void add_branches(int line, std::span<const uint64_t> taken, bool evaluated) {
    const size_t block = blocks_[line]++;
    for (size_t i = 0; i < taken.size(); i++) {
      const std::string count = evaluated ? std::to_string(taken[i]) : "-";
      branches_[line] += fmt::format("BRDA:{},{},{},{}\n", line, block, i, count);
      found_++;
      hit_ += taken[i] > 0;
    }
  }

  std::string text(const std::string& name) const {
    std::string out = fmt::format("TN:\nSF:{}\n", one_line(name));
    size_t called = 0, covered = 0;
    for (const Function& f : functions_) out += fmt::format("FN:{},{}\n", f.line, one_line(f.name));
    for (const Function& f : functions_) {
      out += fmt::format("FNDA:{},{}\n", f.times, one_line(f.name));
      called += f.times > 0;
    }
    out += fmt::format("FNF:{}\nFNH:{}\n", functions_.size(), called);
    for (const auto& [line, text] : branches_) out += text;
    out += fmt::format("BRF:{}\nBRH:{}\n", found_, hit_);
    for (const auto& [line, times] : lines_) {
      out += fmt::format("DA:{},{}\n", line, times);
      covered += times > 0;
    }
    return out + fmt::format("LF:{}\nLH:{}\nend_of_record\n", lines_.size(), covered);
  }

 private:
  // A name with a line break would be a record of its own.
  static std::string one_line(std::string text) {
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < ' ') c = '?';
    }
    return text;
  }

  std::map<int, uint64_t> lines_;
  std::map<int, std::string> branches_;
  std::map<int, size_t> blocks_;
  std::vector<Function> functions_;
  size_t found_ = 0, hit_ = 0;
};

class Trace {
 public:
  void add(const CoveragePolicy& policy) {
    LcovFile& file = files_[policy.file];
    for (const CoverageExpression& e : policy.expressions) add(file, policy, e);
    for (const CoverageBinding& b : policy.bindings) files_[b.file].add_line(b.position.line, b.seen.times());
    const std::vector<CoverageGoal> goals = coverage_goals(policy);
    for (size_t i = 0; i < goals.size();) {
      size_t end = i + 1;
      auto same = [&](const CoverageGoal& g) {
        return g.expression == goals[i].expression && g.part == goals[i].part &&
               g.binding == goals[i].binding && g.position.line == goals[i].position.line;
      };
      while (end < goals.size() && same(goals[end])) end++;
      add_branches(std::span(goals).subspan(i, end - i));
      i = end;
    }
  }

  std::string text() const {
    std::string out;
    for (const auto& [name, file] : files_) out += file.text(name);
    return out;
  }

 private:
  static void add(LcovFile& file, const CoveragePolicy& policy, const CoverageExpression& e) {
    uint64_t times = e.whole.times();
    if (!e.seen.empty()) times = std::max(times, e.seen[0].times());
    file.add_function({policy.name + "/" + e.path, e.position.line, times});
    file.add_line(e.position.line, times);
    for (const auto& [line, count] : line_times(e)) file.add_line(line, count);
  }

  void add_branches(std::span<const CoverageGoal> goals) {
    std::vector<uint64_t> taken;
    bool evaluated = false;
    for (const CoverageGoal& g : goals) {
      taken.push_back(g.times);
      evaluated |= g.times > 0;
    }
    if (goals[0].position.line > 0)
      files_[std::string(goals[0].file)].add_branches(goals[0].position.line, taken, evaluated);
  }

  std::map<std::string, LcovFile> files_;
};

}  // namespace

std::string coverage_lcov(const Coverage& coverage) {
  Trace trace;
  for (const CoveragePolicy* policy : coverage.policies()) trace.add(*policy);
  return trace.text();
}

}  // namespace portcullis
