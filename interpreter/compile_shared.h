// compile() for callers that compile the same texts more than once and share their parses.
// Tested by grammar/shared_parses_test.cc, admission/engine/engine_test.cc.
#pragma once

#include <memory>
#include <string_view>

#include "grammar/shared_parses.h"
#include "interpreter/cel.h"

namespace portcullis {

// As compile() of cel.h, but takes the parse from `parses`. Null: the text is parsed for this call alone.
Result<ExpressionPtr> compile_shared(std::string_view text, std::shared_ptr<const Environment> environment,
                                     SharedParses* parses);

}  // namespace portcullis
