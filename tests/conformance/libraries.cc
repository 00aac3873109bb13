#include "tests/conformance/libraries.h"

#include "interpreter/functions/call.h"
#include "interpreter/functions/cost.h"

namespace portcullis::tests {
namespace {

constexpr int64_t kNanosPerMillisecond = 1'000'000;

constexpr Function kSpecRows[] = {
    {.id = "duration_to_milliseconds",
     .signature = "duration.getMilliseconds() -> int",
     .call = wrap([](Duration d) { return d.nanos / kNanosPerMillisecond % 1000; }),
     .doc = "the milliseconds of the second",
     .examples = ""},
};

// The run-time cost counts the receiver, the estimate counts the argument.
constexpr Cost kEarlierAffix = {actual_by<shapes::kScan0>, estimate_by<shapes::kScan1>,
                                "size0 / 10 (estimated: size1 / 10)"};

constexpr Function kEarlierRows[] = {
    {.id = "ends_with_string",
     .signature = "string.endsWith(string) -> bool",
     .call = wrap([](std::string_view s, std::string_view end) { return s.ends_with(end); }),
     .cost = kEarlierAffix,
     .doc = "whether a string ends with another",
     .examples = ""},
    {.id = "starts_with_string",
     .signature = "string.startsWith(string) -> bool",
     .call = wrap([](std::string_view s, std::string_view start) { return s.starts_with(start); }),
     .cost = kEarlierAffix,
     .doc = "whether a string starts with another",
     .examples = ""},
};

}  // namespace

const Library kSpecLibrary = {.name = "cel-spec", .functions = kSpecRows};
const Library kEarlierLibrary = {.name = "cel-go-0.28", .functions = kEarlierRows};

}  // namespace portcullis::tests
