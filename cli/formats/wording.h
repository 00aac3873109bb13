// What several formats say in the same words: a finding for people, the rules of a run, its summary.
// Tested by tests/cli/formats.txt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/formats/outcomes.h"

namespace portcullis::formats {

// "passed", "warned", "failed", "error", "skipped".
std::string_view status_word(outcomes::Status status);
// The same in the words of the command: a review admits and denies.
std::string_view status_word(const outcomes::Run& run, outcomes::Status status);
// "error", "warning", "note".
std::string_view level_word(outcomes::Finding::Level level);

// The findings of an item; of one that is no success and says nothing of its own accord, also what it is:
// "portcullis/error", "portcullis/skipped".
std::vector<outcomes::Finding> findings_of(const outcomes::Item& item);

// The rules of the run and then those that only findings name, each once.
std::vector<outcomes::Rule> rules_of(const outcomes::Run& run);

// "7 manifests: 4 admitted, 1 warned, 2 denied".
std::string summary_of(const outcomes::Run& run);

// "denied by require-owner/validations[0], binding b, param p".
std::string origin_of(const outcomes::Finding& finding);

// The name of a file in every report: its path in the repository, without a leading "./".
std::string_view repository_path(std::string_view file);

// "file.yaml:3:5", with the parts that are known.
std::string place_of(const outcomes::Region& region);

// The gravest of findings_of(item), which says why the item is what it is; nothing if there are none.
std::optional<outcomes::Finding> gravest_finding(const outcomes::Item& item);

// Why the item is what it is, on one line: its message, or that of its gravest finding.
std::string headline_of(const outcomes::Item& item);

// A finding in lines: its origin, message, expression with the part that decided, values. No line is hidden or forged
// by what it contains.
std::string detail_of(const outcomes::Finding& finding);

}  // namespace portcullis::formats
