// See memory_limit.h.
#include "server/memory_limit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace portcullis::server {
namespace {

namespace fs = std::filesystem;

// What version 1 says where there is no limit is near the largest number.
constexpr size_t kNoLimit = size_t{1} << 60;

// The least limit of a cgroup and those above it, which have `file` in their directories.
size_t least_limit(const fs::path& root, const std::string& cgroup, const char* file) {
  size_t least = kNoLimit;
  for (fs::path at = fs::path(cgroup).relative_path();; at = at.parent_path()) {
    size_t limit = 0;
    if (std::ifstream in(root / at / file); in >> limit) least = std::min(least, limit);  // not "max"
    if (at.empty()) return least;
  }
}

}  // namespace

std::optional<size_t> memory_limit(const std::string& cgroups, const std::string& files) {
  size_t least = kNoLimit;
  std::ifstream in(cgroups);
  for (std::string line; std::getline(in, line);) {  // NUMBER:CONTROLLERS:PATH
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, least_limit(files, path, "memory.max"));
    else if (controllers.find(",memory,") != controllers.npos)
      least = std::min(least, least_limit(files + "/memory", path, "memory.limit_in_bytes"));
  }
  return least < kNoLimit ? std::optional(least) : std::nullopt;
}

}  // namespace portcullis::server
