// What the benches work on: a Pod of 1.6 kB that every policy admits, and five policies that are typical.
// pod.json and five.json stand beside; their costs are those of Kubernetes 1.37 itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "interpreter/cel.h"

namespace portcullis::bench {

// A text that may be read a little beyond its end, as simdjson wants it.
struct PaddedText {
  std::string memory;
  size_t size = 0;
  std::string_view view() const { return {memory.data(), size}; }
};

// bench/NAME; ends the program if it cannot be read.
PaddedText read_input(const std::string& name);

// Cost of the five checks on the Pod, as the API server counts it.
inline constexpr uint64_t kFiveCost = 28 + 31 + 31 + 3 + 6;

// What normalising the Pod may cost beyond decoding it, in microseconds.
inline constexpr double kWantedPod = 3;

// The policies and bindings of five.json, with the namespace that the Pod is in. Values live in `arena`.
Cluster five_policies(Arena& arena);
// Expressions of the five policies.
std::vector<std::string> five_expressions();
// The request that creates `pod`.
AdmissionRequest pod_request(const Value& pod);
// The environment that expressions of policies compile in.
std::shared_ptr<const Environment> policy_environment();

}  // namespace portcullis::bench
