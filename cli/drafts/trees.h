// The parsed expressions of a policy or definition, which live as long as this. Tested by tests/cli/test_init.txt.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "grammar/parse.h"

namespace portcullis::drafts {

class Trees {
 public:
  // The root of the expression; null if the text is none.
  const Expr* parse(std::string_view text);

 private:
  std::vector<std::unique_ptr<Parsed>> made_;
};

}  // namespace portcullis::drafts
