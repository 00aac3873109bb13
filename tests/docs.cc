// docs: checks that docs/functions.md and docs/bytecode.md match the tables; --write updates them.
//
// usage: docs [--write] DIRECTORY
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "cli/functions/reference.h"
#include "interpreter/compile/bytecode.h"
#include "tests/fields.h"

namespace portcullis {
namespace {

// The whole text of docs/bytecode.md, from opcodes.def.
std::string bytecode_markdown() {
  auto cell = [](std::string_view text) {
    std::string out;
    for (char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  constexpr std::string_view kNames[] = {
#define X(name) #name,
      OPERANDS(X)
#undef X
  };
  std::string out =
      "# Bytecode\n\nMade from `interpreter/compile/opcodes.def` by `./dev docs`; do not edit. `portcullis "
      "disasm "
      "EXPRESSION` "
      "shows a program.\n";
  for (const MachineNote& note : machine_notes()) {
    out += fmt::format("\n## {}\n\n", note.title);
    // Wraps lines at 118 characters, like the other documents.
    size_t column = 0;
    for (std::string_view rest = note.text; !rest.empty();) {
      std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (column > 0) out += column + 1 + word.size() > 118 ? (column = 0, '\n') : (++column, ' ');
      out += word;
      column += word.size();
    }
    out += '\n';
  }
  out += "\n## Flags\n\n| flag | of | means |\n| --- | --- | --- |\n";
  for (const FlagRow& flag : flag_rows())
    out += fmt::format("| {} | {} | {} |\n", flag.name, flag.opcodes, cell(flag.sentence));
  out += "\n## Opcodes\n\n| opcode | a | b | c | cost | does |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const OpcodeRow& row : kOpcodes) {
    auto name = [&](Operand o) { return kNames[static_cast<int>(o)]; };
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.name, name(row.a), name(row.b), name(row.c),
                       cell(row.cost), cell(row.sentence));
  }
  return out;
}

}  // namespace
}  // namespace portcullis

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
