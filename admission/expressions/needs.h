// What a checked expression uses that not every release has: functions, overloads, macros, syntax, and the first minor
// whose environment has each.
//
// Idea: the checked tree names the overloads and the macros that were called, and the environments of all minors are at
// hand (environment.h), so each name is looked up in them, as servers of that minor have them.
// Limits: what only changes an error text is no need. Of a call with several candidates (arguments are dyn) the oldest
// counts, since it makes the call valid.
// Tested by admission/expressions/needs_test.cc.
#pragma once

#include <string>
#include <vector>

#include "interpreter/cel.h"

namespace portcullis {

struct Need {
  std::string what;     // "ip()", "string(net.IP) -> string", "optional syntax such as a.?b"
  std::string library;  // "kubernetes.net.ip"; empty for a part of the language
  uint32_t minor = 0;   // the first server that has it
  bool at_once =
      false;  // its cel-go brought it, whatever the environment, so it accepts it in new expressions, too
  bool operator==(const Need&) const = default;
};

// Each need once, the newest first. `keywords`: a property of a custom resource that is named by a keyword is a need
// (self.namespace), as in rules of definitions.
std::vector<Need> needs_of(const Expression& expression, bool keywords = false);

}  // namespace portcullis
