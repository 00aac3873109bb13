// See report.h.
#include "cli/mutants/report.h"

#include <fmt/format.h>

#include <map>
#include <ranges>

#include "cli/messages/visible.h"

namespace portcullis {
namespace {

using Fate = MutantResult::Fate;

std::string_view unreached(const InputObject& object) {
  return is_definition(object) ? "no case has an object of this kind" : "no case reaches the policy";
}

std::string_view hint_of(const MutantResult& r) {
  return r.reached ? std::string_view(r.mutant.hint) : unreached(*r.mutant.object);
}

// The survivors in an expression that no case depends on: they say nothing more than that.
class Folded {
 public:
  explicit Folded(const MutantRun& run) {
    for (const MutantResult& r : run.results) {
      if (r.fate == Fate::Survived && r.mutant.whole) within_[place_of_edit(r.mutant)];
    }
    for (const MutantResult& r : run.results) {
      if (has(r)) within_[place_of_edit(r.mutant)]++;
    }
  }
  bool has(const MutantResult& r) const {
    return r.fate == Fate::Survived && !r.mutant.whole && within_.contains(place_of_edit(r.mutant));
  }
  size_t within(const Mutant& m) const { return m.whole ? within_.at(place_of_edit(m)) : 0; }

 private:
  using Key = std::pair<const InputObject*, FieldSteps>;
  static Key place_of_edit(const Mutant& m) { return {m.object, m.edit.at}; }
  std::map<Key, size_t> within_;  // the number, by the field of the expression
};

// `within`: the number of survivors that are folded under it.
std::string survivor(const MutantResult& r, size_t within, const Paint& paint) {
  const Mutant& m = r.mutant;
  std::string out = fmt::format("{}{}: {}survives{} ({}): {}\n", paint.bold,
                                place_text(visible(m.object->file->name), m.position), paint.red, paint.reset,
                                m.sort, visible(hint_of(r)));
  const std::string lines = difference(m, "");
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    const std::string_view colour = lines[at] == '-' ? paint.red : paint.green;
    out += fmt::format("    {}{}{}\n", colour, visible(lines.substr(at, end - at)), paint.reset);
    at = end + 1;
  }
  if (within > 0) out += fmt::format("    {}and {} more within it{}\n", paint.dim, within, paint.reset);
  return out;
}

// Policies that no case reaches have one line each.
std::string unreached(const MutantRun& run, const Paint& paint) {
  std::map<std::string, std::pair<const MutantResult*, size_t>> objects;
  std::vector<std::string> order;
  for (const MutantResult& r : run.results) {
    if (r.fate != Fate::Survived || r.reached) continue;
    const std::string key = place_text(r.mutant.object->file->name, r.mutant.object->locate(""));
    auto [slot, fresh] = objects.try_emplace(key, &r, 0);
    if (fresh) order.push_back(key);
    slot->second.second++;
  }
  std::string out;
  for (const std::string& key : order) {
    const auto& [first, count] = objects[key];
    out += fmt::format("{}{}: {}{} mutants survive{}: {} ({})\n", paint.bold, visible(key), paint.red, count,
                       paint.reset, unreached(*first->mutant.object), visible(first->mutant.object->name));
  }
  return out;
}

}  // namespace

std::string mutants_text(const MutantRun& run, const Paint& paint) {
  std::string out = unreached(run, paint);
  const Folded folded(run);
  for (const MutantResult& r : run.results) {
    if (r.fate == Fate::Survived && r.reached && !folded.has(r))
      out += survivor(r, folded.within(r.mutant), paint);
  }
  const size_t noticed = run.count(Fate::Noticed), survived = run.count(Fate::Survived),
               refused = run.count(Fate::Refused);
  out += fmt::format("mutants: {} noticed, {}{} survived{}", noticed, survived == 0 ? paint.green : paint.red,
                     survived, paint.reset);
  if (const size_t accepted = run.count(Fate::Accepted); accepted > 0)
    out += fmt::format(", {} accepted", accepted);
  if (refused > 0) out += fmt::format(", {} refused by the API server", refused);
  if (run.of_large_definitions > 0)
    out += fmt::format(", {} left out of definitions with many rules", run.of_large_definitions);
  if (run.left_out > 0) out += fmt::format(", {} left out (--max-mutants)", run.left_out);
  return out + "\n";
}

void write_mutants(JsonWriter& w, const MutantRun& run) {
  w.member("accepted", run.count(Fate::Accepted));
  w.member("leftOut", run.left_out + run.of_large_definitions);
  w.member("noticed", run.count(Fate::Noticed));
  w.member("refused", run.count(Fate::Refused));
  w.member("survived", run.count(Fate::Survived));
  auto survivors = run.results | std::views::filter([](auto& r) { return r.fate == Fate::Survived; });
  w.list("survivors", survivors, [&](const MutantResult& r) {
    const Mutant& m = r.mutant;
    w.member("after", m.new_text);
    w.member("before", m.old_text);
    w.member("change", m.sort);
    w.member("column", std::max(m.position.column, 0));
    w.member("field", path_of(m.edit.at));
    w.member("file", m.object->file->name);
    w.member("hint", hint_of(r));
    w.member("kind", m.object->kind);
    w.member("line", std::max(m.position.line, 0));
    w.member("name", m.object->name);
  });
}

}  // namespace portcullis
