// Flags that say how requests are made, beside recorded ones, which say it themselves.
//
// Idea: whoever asks what eve would hear, and gives the recorded request of another user, gets the answer to
// another question. So a flag that no request heeds is an error, and one that only some heed a note.
// Tested by tests/cli/replay.txt.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/reading/input.h"

namespace portcullis {

// Says which of `flags`, as given on the command line, do not apply to recorded requests among `manifests`. False
// if no request is left that they apply to. `named`: some object among the files is in the namespace of -n.
bool heeds_flags(const std::vector<std::string>& flags, std::span<const InputObject> manifests, bool named);

}  // namespace portcullis
