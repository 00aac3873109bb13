// `portcullis version`.
#include "cli/commands.h"
#include "cli/messages/output.h"

namespace portcullis {

int version() {
  put("portcullis " PORTCULLIS_VERSION "\nanswers as kube-apiserver 1.37\n");
  return kAdmitted;
}

}  // namespace portcullis
