// Carries the changes that policies made to an object over into its manifest.
//
// Idea: three states of an object: the manifest as it is written, the object that the API server made of it (with
// defaults, as mutating policies saw it), and what the policies left. Where the last two are equal, the manifest
// stays as it is; where they differ, it gets what the policies left. Items of lists are aligned
// (admission/objects/difference.h). Values that are new have defaults, too: what another pass through the API server
// gives back anyway is taken out again, within kMaxTrials and kMaxTrialWork.
// Tested by cli/reports/carried_test.cc, tests/cli/mutate.txt.
#pragma once

#include <functional>

#include "interpreter/values/arena.h"
#include "interpreter/values/value.h"

namespace portcullis {

// How many values are taken out to see whether they come back; each time the whole object is made anew, so of objects with
// many values fewer are tried.
inline constexpr size_t kMaxTrials = 500;
inline constexpr size_t kMaxTrialWork = 2'000'000;  // in values of the object, over all tries

// What becomes of items of lists that the manifest lacks and that no policy changed: somebody adds them again. Where one of
// them precedes a new item, that may be another order than the policies left.
enum class UnwrittenItems { Omitted, WrittenBeforeNewOnes };

// `manifest` with the changes from `before` to `after`. The result lives in `arena` and shares parts of all
// three.
Value carry(Arena& arena, const Value& manifest, const Value& before, const Value& after,
            UnwrittenItems unwritten = UnwrittenItems::Omitted);

// `carried` without the new members (those that `manifest` lacks) that `served` adds again. `served` makes
// the API server's object of a manifest; null if there is none.
Value without_defaults(Arena& arena, const Value& carried, const Value& manifest,
                       const std::function<Value(const Value&)>& served);

}  // namespace portcullis
