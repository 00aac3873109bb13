// compile() for those who look at the same texts: with the parses that they share.
// Tested by grammar/shared_parses_test.cc, admission/engine/engine_test.cc.
#pragma once

#include <memory>
#include <string_view>

#include "grammar/shared_parses.h"
#include "interpreter/cel.h"

namespace portcullis {

// As compile() of cel.h. Null `parses`: the text is parsed for this call alone.
Result<ExpressionPtr> compile_shared(std::string_view text, std::shared_ptr<const Environment> environment,
                                     SharedParses* parses);

}  // namespace portcullis
