// See formats.h.
#include "cli/formats/formats.h"

#include <algorithm>
#include <array>

namespace portcullis {
namespace {

struct Format {
  std::string_view name;
  std::string (*write)(const outcomes::Run&);
};

constexpr std::array kFormats = {Format{"junit", formats::junit},
                                 Format{"tap", formats::tap},
                                 Format{"sarif", formats::sarif},
                                 Format{"github", formats::github},
                                 Format{"gitlab", formats::gitlab},
                                 Format{"html", formats::html},
                                 Format{"policyreport", formats::policyreport}};

constexpr auto kNames = [] {
  std::array<std::string_view, kFormats.size()> names;
  std::ranges::transform(kFormats, names.begin(), &Format::name);
  return names;
}();

}  // namespace

std::span<const std::string_view> report_formats() { return kNames; }

std::string report(std::string_view format, const outcomes::Run& run) {
  auto found = std::ranges::find(kFormats, format, &Format::name);
  return found == kFormats.end() ? std::string() : found->write(run);
}

}  // namespace portcullis
