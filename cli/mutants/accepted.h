// The survivors that suites accept (`mutants: {accepted: [...]}`): people have found that no case can notice them.
//
// Idea: an entry names the object, the field and the old and the new text, as -o json prints them, so that a change of
// the expression makes it void. Who accepts that an expression has no effect as a whole accepts the survivors within it,
// which the report folds under it. Tested by tests/cli/mutants_accepted.txt.
#pragma once

#include <memory>
#include <span>

#include "cli/mutants/run.h"
#include "cli/suites/suite.h"

namespace portcullis {

// Gives survivors that a suite with their object accepts that fate, and warns of entries of which there is no
// survivor, or no mutant.
void accept_survivors(std::span<const std::unique_ptr<suites::Suite>> suites, MutantRun& run);

}  // namespace portcullis
