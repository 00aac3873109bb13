#include "cli/commands/no_verdict.h"

#include "cli/commands.h"
#include "cli/messages/messages.h"

namespace portcullis {

int no_verdict(std::string_view error) {
  say(Severity::Error, {}, {}, error);
  return kNoVerdict;
}

}  // namespace portcullis
