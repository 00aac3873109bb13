// See report.h.
#include "cli/mutants/report.h"

#include <fmt/format.h>

#include <map>

#include "cli/messages/visible.h"

namespace portcullis {
namespace {

using Fate = MutantResult::Fate;

constexpr std::string_view kUnreached = "no case reaches the policy";

std::string_view hint_of(const MutantResult& r) {
  return r.reached ? std::string_view(r.mutant.hint) : kUnreached;
}

std::string survivor(const MutantResult& r, const Paint& paint) {
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
                       paint.reset, kUnreached, visible(first->mutant.object->name));
  }
  return out;
}

}  // namespace

std::string mutants_text(const MutantRun& run, const Paint& paint) {
  std::string out = unreached(run, paint);
  for (const MutantResult& r : run.results) {
    if (r.fate == Fate::Survived && r.reached) out += survivor(r, paint);
  }
  const size_t noticed = run.count(Fate::Noticed), survived = run.count(Fate::Survived),
               refused = run.count(Fate::Refused);
  out += fmt::format("mutants: {} noticed, {}{} survived{}", noticed, survived == 0 ? paint.green : paint.red,
                     survived, paint.reset);
  if (refused > 0) out += fmt::format(", {} refused by the API server", refused);
  if (run.left_out > 0) out += fmt::format(", {} left out (--max-mutants)", run.left_out);
  return out + "\n";
}

void write_mutants(JsonWriter& w, const MutantRun& run) {
  auto number = [&](std::string_view name, size_t value) {
    w.key(name);
    w.integer(static_cast<int64_t>(value));
  };
  auto text = [&](std::string_view name, std::string_view value) {
    w.key(name);
    w.string(value);
  };
  w.begin_object();
  number("leftOut", run.left_out);
  number("noticed", run.count(Fate::Noticed));
  number("refused", run.count(Fate::Refused));
  number("survived", run.count(Fate::Survived));
  w.key("survivors");
  w.begin_list();
  for (const MutantResult& r : run.results) {
    if (r.fate != Fate::Survived) continue;
    const Mutant& m = r.mutant;
    w.begin_object();
    text("after", m.new_text);
    text("before", m.old_text);
    text("change", m.sort);
    number("column", static_cast<size_t>(std::max(m.position.column, 0)));
    text("field", m.edit.path);
    text("file", m.object->file->name);
    text("hint", hint_of(r));
    text("kind", m.object->kind);
    number("line", static_cast<size_t>(std::max(m.position.line, 0)));
    text("name", m.object->name);
    w.end_object();
  }
  w.end_list();
  w.end_object();
}

}  // namespace portcullis
