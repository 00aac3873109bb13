// Semver: semantic versions as github.com/blang/semver reads and orders them.
//
// Idea: a version is three numbers and the identifiers of the pre-release, which are views of the parsed
// text. Build metadata does not affect order or equality.
// Source of behaviour: blang/semver v4 semver.go; normalization: apiserver pkg/cel/library/semverlib.go.
// Tested by admission/scalars/semver_test.cc, the conformance table `semver`, and against the oracle.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "interpreter/values/arena.h"

namespace portcullis {

struct Semver {
  struct Identifier {
    std::string_view text;
    uint64_t number = 0;  // if it is one
    bool numeric = false;
  };
  uint64_t major = 0, minor = 0, patch = 0;
  std::span<const Identifier> prerelease = {};
  std::string_view build = {};  // without the '+'
};

namespace semver {

// Parses `text` into `out`, which refers to `text` and to the arena. Returns "" or the error, in the arena.
std::string_view parse(Arena& arena, std::string_view text, Semver& out);
// The same after normalization, which drops one leading "v", drops leading zeros and adds missing numbers:
// "v01.2" becomes 1.2.0.
std::string_view parse_normalized(Arena& arena, std::string_view text, Semver& out);
// -1, 0, 1: precedence of SemVer 2.0.
int compare(const Semver& a, const Semver& b);
// "1.2.3-rc.1+build", in the arena.
std::string_view print(Arena& arena, const Semver& v);

}  // namespace semver
}  // namespace portcullis
