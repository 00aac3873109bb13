// The memory that the process may use, as its cgroup says.
//
// Idea: the limit of a container is that of its cgroup or of one above. Version 2 has it in memory.max, version 1 in
// memory.limit_in_bytes of the memory controller. A container often sees its own cgroup as the root of the files,
// whatever /proc/self/cgroup says, so the root is looked at in any case. Tested by server/memory_limit_test.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace portcullis::server {

// The least limit in bytes; nothing if there is none. `cgroups`: the file that names the cgroups of the process; `files`:
// the directory of their files.
std::optional<size_t> memory_limit(const std::string& cgroups = "/proc/self/cgroup",
                                   const std::string& files = "/sys/fs/cgroup");

}  // namespace portcullis::server
