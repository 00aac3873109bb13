// The same five policies and the same request, through the public interface (include/portcullis).
#pragma once

#include <portcullis/admission.h>

#include <memory>

namespace portcullis::bench {

std::shared_ptr<const v1::Engine> five_behind_the_face();
// The request that creates `pod`.
v1::Request pod_request(const v1::Value& pod);

}  // namespace portcullis::bench
