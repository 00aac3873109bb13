// Files of cgroups as containers and machines have them.
#include "server/memory_limit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace portcullis::server {
namespace {

namespace fs = std::filesystem;

class MemoryLimit : public testing::Test {
 protected:
  ~MemoryLimit() override { fs::remove_all(place_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((place_ / name).parent_path());
    std::ofstream(place_ / name) << text;
  }
  size_t limit() const { return memory_limit(place_ / "cgroup", place_ / "files").value_or(0); }

 private:
  const fs::path place_ = fs::temp_directory_path() / ("portcullis-cgroup-" + std::to_string(getpid()));
};

TEST_F(MemoryLimit, OfVersionTwo) {
  EXPECT_EQ(limit(), 0);
  write("cgroup", "0::/kubepods/pod1/c\n");
  EXPECT_EQ(limit(), 0);
  write("files/kubepods/pod1/c/memory.max", "max\n");
  EXPECT_EQ(limit(), 0);
  write("files/kubepods/pod1/memory.max", "536870912\n");
  EXPECT_EQ(limit(), 536870912);
  write("files/kubepods/pod1/c/memory.max", "1000000\n");
  EXPECT_EQ(limit(), 1000000);
}

TEST_F(MemoryLimit, OfAContainerThatSeesItsOwnAsTheRoot) {
  write("cgroup", "0::/\n");
  write("files/memory.max", "2000000\n");
  EXPECT_EQ(limit(), 2000000);
  write("cgroup", "0::/../../elsewhere\n");
  EXPECT_EQ(limit(), 2000000);
}

TEST_F(MemoryLimit, OfVersionOne) {
  write("cgroup", "12:cpu,cpuacct:/a\n5:memory:/docker/x\n0::/\n");
  write("files/memory/docker/x/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limit(), 0);
  write("files/memory/memory.limit_in_bytes", "3000000\n");
  EXPECT_EQ(limit(), 3000000);
}

}  // namespace
}  // namespace portcullis::server
