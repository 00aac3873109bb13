// See explain.h.
#include "cli/explain.h"

#include "grammar/parse.h"

namespace portcullis {

void explain_failure(ReviewFailure& failure, bool, const AdmissionRequest&) {
  if (failure.expression.empty()) return;
  ParseOptions options;
  options.optional_syntax = true;
  Parsed parsed = parse(Source(failure.expression), options);
  if (!parsed.ok() || parsed.ast.root == nullptr) return;
  failure.blame = parsed.ast.span(parsed.ast.root->id).start;
}

}  // namespace portcullis
