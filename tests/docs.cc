// docs: checks that docs/functions.md and docs/bytecode.md match the tables; --write updates them.
//
// usage: docs [--write] DIRECTORY
#include <cstdio>
#include <fstream>

#include "cli/functions/reference.h"
#include "interpreter/compile/disasm.h"
#include "tests/fields.h"

int main(int argc, char** argv) {
  bool write = false;
  std::string directory;
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    arg == "--write" ? void(write = true) : void(directory = arg);
  }
  int stale = 0;
  for (auto& [name, text] :
       {std::pair<std::string, std::string>("functions.md", portcullis::functions_markdown()),
        std::pair<std::string, std::string>("bytecode.md", portcullis::bytecode_markdown())}) {
    std::string path = directory + "/" + name, is;
    if (portcullis::tests::read_file(path, is) && is == text) continue;
    if (write) {
      std::ofstream(path) << text;
    } else {
      std::printf("%s is stale: run ./dev docs\n", path.c_str());
      ++stale;
    }
  }
  return stale == 0 ? 0 : 1;
}
