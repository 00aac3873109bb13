// The tag of a container image, from which Kubernetes derives the default imagePullPolicy. Source of
// behaviour: pkg/util/parsers (the reference grammar of container registries). Tested by
// admission/builtin/normalize_test.cc.
#pragma once

#include <string_view>

namespace portcullis::builtin {

// "latest" also for an image with neither tag nor digest; "" for an image with only a digest and for one that
// does not parse.
std::string_view image_tag(std::string_view image);

}  // namespace portcullis::builtin
