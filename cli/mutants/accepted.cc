// See accepted.h.
#include "cli/mutants/accepted.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cli/messages/messages.h"

namespace portcullis {
namespace {

using Fate = MutantResult::Fate;
using Field = std::pair<const InputObject*, FieldSteps>;

bool reads(const suites::Suite& suite, const InputObject& object) {
  return suite.file->name == object.file->name || std::ranges::count(suite.files, object.file->name) > 0;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

// The mutants that an entry may be about, by the name of their object and the path of the field.
class Index {
 public:
  explicit Index(MutantRun& run) {
    for (MutantResult& r : run.results)
      all_[{std::string(r.mutant.object->name), path_of(r.mutant.edit.at)}].push_back(&r);
  }
  std::vector<MutantResult*> find(const suites::Suite& suite, const suites::AcceptedMutant& entry) const {
    std::vector<MutantResult*> out;
    const auto found = all_.find({entry.policy, entry.field});
    if (found == all_.end()) return out;
    for (MutantResult* r : found->second) {
      const bool same = trimmed(r->mutant.old_text) == trimmed(entry.before) &&
                        trimmed(r->mutant.new_text) == trimmed(entry.after);
      if (same && reads(suite, *r->mutant.object)) out.push_back(r);
    }
    return out;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<MutantResult*>> all_;
};

}  // namespace

void accept_survivors(std::span<const std::unique_ptr<suites::Suite>> suites, MutantRun& run) {
  const Index index(run);
  std::vector<Field> whole;
  for (const auto& suite : suites) {
    for (const suites::AcceptedMutant& entry : suite->accepted) {
      const std::vector<MutantResult*> found = index.find(*suite, entry);
      bool survives = false;
      for (MutantResult* r : found) {
        if (r->fate != Fate::Survived && r->fate != Fate::Accepted) continue;
        survives = true;
        r->fate = Fate::Accepted;
        if (r->mutant.whole) whole.emplace_back(r->mutant.object, r->mutant.edit.at);
      }
      const bool unknown =
          found.empty() && run.left_out + run.of_large_definitions > 0;  // it may be left out
      if (survives || unknown) continue;
      say(Severity::Warning, suite->file->name, suite->locate(entry.path),
          found.empty() ? "there is no such mutant any more; this entry has no effect"
                        : "this mutant does not survive any more; this entry has no effect",
          suite->file->text);
    }
  }
  for (MutantResult& r : run.results) {
    const bool within =
        r.fate == Fate::Survived && std::ranges::count(whole, Field(r.mutant.object, r.mutant.edit.at)) > 0;
    if (within) r.fate = Fate::Accepted;
  }
}

}  // namespace portcullis
