// What became of mutants, as people and programs read it. Tested by tests/cli/mutants.txt.
#pragma once

#include <string>

#include "cli/messages/messages.h"
#include "cli/mutants/run.h"
#include "interpreter/values/json.h"

namespace portcullis {

// The survivors, each with what changes and the case that is missing, then a line of numbers.
std::string mutants_text(const MutantRun& run, const Paint& paint);
// An object with the numbers and the survivors.
void write_mutants(JsonWriter& w, const MutantRun& run);

}  // namespace portcullis
