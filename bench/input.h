// The input of the benches: a Pod of 1.6 kB that every policy admits (pod.json) and five typical policies
// (five.json). Their costs are those that Kubernetes 1.37 itself counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "interpreter/cel.h"

namespace portcullis::bench {

// A text with readable bytes behind its end, as simdjson needs it.
struct PaddedText {
  std::string memory;
  size_t size = 0;
  std::string_view view() const { return {memory.data(), size}; }
};

// The content of bench/NAME, or of an absolute NAME. Ends the program if it cannot be read.
PaddedText read_input(const std::string& name);

// The cost of the five checks on the Pod, as the API server counts it.
inline constexpr uint64_t kFiveCost = 28 + 31 + 31 + 3 + 6;

// The time that normalising the Pod may take beyond decoding it, in microseconds.
inline constexpr double kWantedPod = 3;

// The policies and bindings of five.json, and the namespace of the Pod. Values live in `arena`.
Cluster five_policies(Arena& arena);
// The expressions of the five policies.
std::vector<std::string> five_expressions();
// The request that creates `pod`.
AdmissionRequest pod_request(const Value& pod);
// The environment of policy expressions.
std::shared_ptr<const Environment> policy_environment();

}  // namespace portcullis::bench
