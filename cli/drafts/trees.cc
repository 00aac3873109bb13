#include "cli/drafts/trees.h"

namespace portcullis::drafts {

const Expr* Trees::parse(std::string_view text) {
  ParseOptions options;
  options.optional_syntax = true;
  Parsed& made = *made_.emplace_back(std::make_unique<Parsed>(portcullis::parse(Source{text}, options)));
  return made.ok() ? made.ast.root : nullptr;
}

}  // namespace portcullis::drafts
