#include "interpreter/compile/disasm.h"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/values/print.h"

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
    case Operand::element: return i.flags & kTwo ? fmt::format("r{}..r{}", x, x + 1) : fmt::format("r{}", x);
    case Operand::args:
      if (i.n == 0) return "()";
      [[fallthrough]];
    case Operand::two:
    case Operand::loop: return fmt::format("r{}..r{}", x, x + registers_of(kind, x, i).count - 1);
    case Operand::constant:
    case Operand::text: return format_cel(code.constants[x]);
    case Operand::path: return path_text(*code.paths, x);
    case Operand::checks: return fmt::format("to @{}", code.checks[x + i.n - 1].at);
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
  size_t width = 12;
  for (const Instruction& i : code.instructions)
    width = std::max(width, kOpcodes[static_cast<int>(i.op)].name.size());
  for (size_t at = 0; at < code.instructions.size(); ++at) {
    const Instruction& i = code.instructions[at];
    const OpcodeRow& row = kOpcodes[static_cast<int>(i.op)];
    std::string line = fmt::format("{:4}  {:<{}}", at, row.name, width);
    for (auto [kind, x] : {std::pair{row.a, i.a}, {row.b, i.b}, {row.c, i.c}}) {
      std::string text = operand_text(code, i, kind, x);
      if (!text.empty()) line += " " + text;
    }
    for (const FlagRow& flag : flag_rows()) {
      if ((i.flags & flag.bit) && has_flag(flag, i.op)) line += fmt::format(" {}", flag.name);
    }
    if (i.n && row.b != Operand::args && row.c != Operand::keys && row.b != Operand::checks)
      line += fmt::format(" n={}", i.n);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace portcullis
