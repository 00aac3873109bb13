// The list of the Kubernetes libraries: see libraries.h.
#include "admission/functions/libraries.h"

namespace portcullis::kubernetes {

std::span<const Library* const> libraries() {
  static constexpr const Library* kAll[] = {&kLists,          &kRegex,    &kUrls,     &kAuthz,
                                            &kAuthzSelectors, &kQuantity, &kIp,       &kCidr,
                                            &kFormat,         &kSemver,   &kJsonPatch};
  return kAll;
}

}  // namespace portcullis::kubernetes
