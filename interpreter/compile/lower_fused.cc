// Lowering: makes one instruction of reading a value and comparing it with a constant.
// Tested by interpreter/run/shortcuts_test.cc.
#include <algorithm>
#include <iterator>

#include "interpreter/compile/lower.h"

namespace portcullis {
namespace {

// Whether ops_fused.cc has a case for this test of the constant.
bool is_usual(const Instruction& test, const Value& constant) {
  if (test.op == Opcode::Less) return (test.flags & kUnit) && constant.is(Kind::Int);
  return test.op == Opcode::EqualConst || constant.is(Kind::String);
}

}  // namespace

// The test reads and writes the register that the value is read into, so nothing else needs the value there.
void Lowering::fuse_tests() {
  std::vector<Instruction>& all = code_.instructions;
  for (size_t i = 0; i + 2 < all.size(); ++i) {
    Instruction& read = all[i];
    const Instruction& second = all[i + 1];
    const bool has_const = second.op == Opcode::Const && second.a == read.a + 1;
    const Instruction& test = has_const ? all[i + 2] : second;
    const auto row = std::ranges::find_if(kReadAndTest, [&](const ReadAndTest& x) {
      return x.read == read.op && x.test == test.op && x.has_const() == has_const;
    });
    if (row == std::end(kReadAndTest) || read.flags != 0 || test.a != read.a || test.b != read.a) continue;
    if (is_usual(test, code_.constants[has_const ? second.b : test.c])) read.op = row->both;
  }
}

}  // namespace portcullis
