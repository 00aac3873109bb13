// `portcullis version`.
#include <cstdio>

#include "cli/commands.h"

namespace portcullis {

int version() {
  std::puts("portcullis " PORTCULLIS_VERSION "\nanswers as kube-apiserver 1.37");
  return kAdmitted;
}

}  // namespace portcullis
