#include "interpreter/disasm.h"

#include <fmt/format.h>

#include "interpreter/print.h"

namespace portcullis {
namespace {

std::string path_text(const PathTable& paths, uint32_t number) {
  const PathTable::Node& node = paths.node(number);
  std::string parent =
      node.parent == PathTable::kNone ? paths.variable_name(node.variable) : path_text(paths, node.parent);
  return parent + "." + std::string(node.key.as_text());
}

std::string keys_text(const Code& code, uint32_t first, uint32_t count) {
  std::string out;
  for (uint32_t i = first; i < first + count; ++i) {
    const Key& k = code.keys[i];
    out += fmt::format("{}[{}{}]", k.test_only ? "has" : "", k.optional ? "?" : "", format_cel(k.value));
  }
  return out;
}

std::string operand_text(const Code& code, const Instruction& i, Operand kind, uint32_t x) {
  switch (kind) {
    case Operand::none: return {};
    case Operand::num: return {};
    case Operand::dst:
    case Operand::src: return fmt::format("r{}", x);
    case Operand::two: return fmt::format("r{}..r{}", x, x + 1);
    case Operand::args: return i.n == 0 ? "()" : fmt::format("r{}..r{}", x, x + i.n - 1);
    case Operand::constant:
    case Operand::text: return format_cel(code.constants[x]);
    case Operand::path: return path_text(*code.paths, x);
    case Operand::key: return keys_text(code, x, 1);
    case Operand::keys: return keys_text(code, x, i.n);
    case Operand::call: {
      const CallSite& site = code.calls[x];
      return std::string(site.overload_id.empty() ? site.function : site.overload_id);
    }
    case Operand::jump: return fmt::format("@{}", x);
    case Operand::variable: return code.paths->variable_name(x);
  }
  return {};
}

}  // namespace

std::string disassemble(const Code& code) {
  std::string out = fmt::format("{} registers\n", code.registers);
  for (size_t at = 0; at < code.instructions.size(); ++at) {
    const Instruction& i = code.instructions[at];
    const OpcodeRow& row = kOpcodes[static_cast<int>(i.op)];
    std::string line = fmt::format("{:4}  {:<12}", at, row.name);
    for (auto [kind, x] : {std::pair{row.a, i.a}, {row.b, i.b}, {row.c, i.c}}) {
      std::string text = operand_text(code, i, kind, x);
      if (!text.empty()) line += " " + text;
    }
    if (i.flags) line += fmt::format(" flags={}", i.flags);
    if (i.n && row.b != Operand::args && row.c != Operand::keys) line += fmt::format(" n={}", i.n);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string opcode_reference() {
  constexpr std::string_view kNames[] = {"",    "dst",  "src",  "args", "two",      "constant", "path",
                                         "key", "keys", "call", "jump", "variable", "text",     "num"};
  std::string out = "| opcode | a | b | c | cost | meaning |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const OpcodeRow& row : kOpcodes) {
    auto name = [&](Operand o) { return kNames[static_cast<int>(o)]; };
    std::string sentence;
    for (char c : row.sentence) sentence += c == '|' ? std::string("\\|") : std::string(1, c);
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.name, name(row.a), name(row.b), name(row.c),
                       row.cost, sentence);
  }
  return out;
}

}  // namespace portcullis
