// Suggestions for fields that rules of a definition cannot read: which one was meant, or why this one is not visible.
//
// Idea: the schema of what the field was asked of is found by walking the expression before it, `self.spec.list[0]` or
// the variable of a macro over such a path. Only names that are visible there are suggested. Limits: of other
// expressions (results of functions, computed lists) nothing is known, and nothing is said; below a place a field is
// looked for in a thousand others. Tested by tests/cli/crd.txt.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/crd/definition.h"
#include "grammar/result.h"

namespace portcullis {

class RuleHints {
 public:
  // Of the rules of `definition`, which it does not keep.
  explicit RuleHints(const crd::Definition& definition);

  // What helps against "undefined field 'NAME'" at `position` of the expression `text`, which is at `path` in the
  // definition; empty if nothing is known.
  std::string meant_field(std::string_view issue, Position position, std::string_view text,
                          std::string_view path);

 private:
  struct Search;
  std::vector<std::pair<std::string, crd::SchemaPtr>> schemas_;
  std::map<crd::SchemaPtr, std::vector<std::string>> visible_;  // of schemas that were looked at: the fields
};

}  // namespace portcullis
