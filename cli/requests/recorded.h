// Flags about requests, combined with recorded requests, which have their own values.
//
// Idea: a user who asks for the answer to eve, but gives the recorded request of another user, would get the
// answer to another question. So a flag that affects no request is an error, and one that affects only some
// is a note. Tested by tests/cli/replay.txt.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "manifests/object.h"

namespace portcullis {

// How many manifests are recorded requests, and how many others become requests.
struct RequestCounts {
  size_t recorded = 0, others = 0;
  void add(const InputObject& manifest);
};

// Reports which of `flags`, as given on the command line, do not affect the recorded requests, of which `manifests`
// has the first. False if they affect no request. `named`: some object among the files is in the namespace of
// -n.
bool heeds_flags(const std::vector<std::string>& flags, std::span<const InputObject> manifests,
                 const RequestCounts& counts, bool named);

}  // namespace portcullis
