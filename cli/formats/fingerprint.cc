#include "cli/formats/fingerprint.h"

#include <fmt/format.h>

#include "cli/formats/wording.h"

namespace portcullis::formats {
namespace {

uint64_t fnv1a(std::string_view text, uint64_t hash) {
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string Fingerprints::of(const outcomes::Item& item, const outcomes::Finding& f) {
  std::string identity;
  for (std::string_view part :
       {repository_path(item.place.file), std::string_view(item.name), std::string_view(item.operation),
        std::string_view(f.rule), std::string_view(f.binding), std::string_view(f.param),
        std::string_view(f.field)})
    identity.append(part).push_back('\0');
  identity += std::to_string(seen_[identity]++);
  return fmt::format("{:016x}{:016x}", fnv1a(identity, 0xcbf29ce484222325),
                     fnv1a(identity, 0x84222325cbf29ce4));
}

}  // namespace portcullis::formats
