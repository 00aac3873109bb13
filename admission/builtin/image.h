// The tag of a container image, as Kubernetes reads it to choose a default imagePullPolicy.
// Source of behaviour: pkg/util/parsers (the reference grammar of container registries). Tested
// by normalize_test.cc.
#pragma once

#include <string_view>

namespace portcullis::builtin {

// "latest" also where there is neither tag nor digest; "" for a reference with only a digest and for one
// that does not parse.
std::string_view image_tag(std::string_view image);

}  // namespace portcullis::builtin
