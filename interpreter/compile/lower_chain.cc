// Lowering: puts a Chain before three or more terms of && or ||, or conditions of ?:, that are tests.
//
// Idea: a term that is a test of what is read without computing (a variable, a path, a field of a loop's variable)
// does not decide if the value has a certain kind and lies in a certain range; what it costs is then known as well. So
// a chain is a list of checks. The code of the terms stays behind it, and runs from the first term on that fails one.
// Limits: a term whose cost depends on the value is only passed with the usual one (see `add_equal`).
// Tested by interpreter/run/shortcuts_test.cc.
#include <algorithm>
#include <utility>

#include "interpreter/compile/lower.h"

namespace portcullis {
namespace {

using enum Check::Kind;

// A chain, which grows by one term after the other.
class Chain {
 public:
  Chain(const Code& code, size_t at) : code_(code), next_(at) {}

  // Adds the next term, if it is one that a chain may pass.
  bool add_term() {
    const size_t checks = checks_.size();
    const uint8_t reads = reads_;
    at_ = next_, cost_ = 0;
    if (checks < kMost && read_term(next_) && reads_ <= Check::kReads) {
      total_ += cost_, ++terms_;
      return true;
    }
    checks_.resize(checks), reads_ = reads, next_ = at_;
    return false;
  }
  size_t terms() const { return terms_; }
  // The instructions of the last term.
  ptrdiff_t begin() const { return static_cast<ptrdiff_t>(at_); }
  ptrdiff_t end() const { return static_cast<ptrdiff_t>(end_); }
  // The register of the value of the first term.
  uint32_t first() const { return first_; }
  // The value with which a term does not decide.
  bool passing_value() const { return of_ == Opcode::And; }
  // All checks, with the end.
  std::vector<Check> take() {
    at_ = next_;
    put({.kind = End});
    return std::move(checks_);
  }

 private:
  static constexpr size_t kMost = 1000;  // checks; Instruction::n has room for more

  const Instruction& at(size_t i) const {
    return code_.instructions[std::min(i, code_.instructions.size() - 1)];
  }

  void put(Check check) {
    check.at = static_cast<uint32_t>(at_), check.cost = total_;
    checks_.push_back(check);
  }

  // The number of the value that `check` reads. It is put unless another one has read the same.
  uint8_t read(Check check) {
    for (const Check& c : checks_) {
      if (c.kind != check.kind || c.of != check.of || c.wanted != check.wanted) continue;
      if (c.kind == Field ? same_text(code_.keys[c.operand].value, code_.keys[check.operand].value)
                          : c.operand == check.operand)
        return c.read;
    }
    check.read = reads_++;
    put(check);
    return check.read;
  }
  uint8_t read_register(uint32_t reg) { return read({.kind = Register, .operand = reg}); }
  Check path(uint32_t node) {
    const uint32_t depth = code_.paths->node(node).depth;
    cost_ += depth;
    return {.kind = Path, .operand = node, .low = depth};
  }

  // What the instructions from `i` on read: `value` is a read that is not yet put, or Present, a question that is not
  // yet put. Returns whether a chain can do it.
  bool read_value(size_t& i, Check& value) {
    const Instruction& x = at(i++);
    cost_ += x.n;
    switch (x.op) {
      case Opcode::Variable: {
        value = {.kind = Variable, .operand = x.b};
        const Instruction& next = at(i);
        if (next.op != Opcode::HasField || next.b != x.a) return true;
        value = {.kind = Present, .of = read(value), .operand = next.c};
        ++i, cost_ += next.n;
        break;
      }
      case Opcode::Path: value = path(x.b); return x.flags == 0;
      case Opcode::HasPath: value = {.kind = Present, .of = read(path(x.b)), .operand = x.c}; break;
      case Opcode::Move: value = {.kind = Register, .operand = x.b}; return true;
      case Opcode::Kept: value = {.kind = Register, .operand = x.b}; break;
      case Opcode::Field:
      case Opcode::KeptField: value = {.kind = Field, .of = read_register(x.b), .operand = x.c}; break;
      case Opcode::HasField:
      case Opcode::HasKeptField: value = {.kind = Present, .of = read_register(x.b), .operand = x.c}; break;
      default: return false;
    }
    skips_next(x.op) ? ++i : ++cost_;
    return true;
  }

  // Puts the check that `of` lies between low and low + width; or that it does not.
  bool add_range(bool inside, uint8_t of, uint64_t low, uint64_t width) {
    if (!inside && width == UINT64_MAX) return false;
    if (!inside) low += width + 1, width = ~width - 1;
    put({.kind = Range, .of = of, .low = low, .width = width});
    return true;
  }

  // The value equals the constant, or does not. A text is not empty, so comparing it with one of at most ten code
  // points costs what comparing that with itself does (test.n), and comparing one of at most ten bytes with a longer
  // one costs 1.
  bool add_equal(bool equal, uint8_t of, const Instruction& test, const Value& constant) {
    const bool is_text = constant.is(Kind::String);
    if (is_text && !equal && test.n > 1) {
      ++cost_;
      return add_range(true, of, uint64_t{1} << 32, (uint64_t{10} << 32) - 1);
    }
    cost_ += test.n;
    if (!is_text || !equal)
      return add_range(equal, of, is_text ? constant.raw_head() : constant.raw_payload(), 0);
    put({.kind = Equal, .of = of, .operand = test.c});
    return true;
  }

  // The test of a value with a constant comes out so.
  bool add_test(bool result, Check value, const Instruction& test, uint32_t operand) {
    const Value& constant = code_.constants[operand];
    value.wanted = constant.kind();
    const uint8_t of = read(value);
    switch (test.op) {
      case Opcode::EqualConst: return add_equal(result != ((test.flags & kNegated) != 0), of, test, constant);
      case Opcode::Less: {
        if (!constant.is(Kind::Int) || !(test.flags & kUnit)) return false;
        ++cost_;
        const bool or_equal = test.flags & kOrEqual, greater = test.flags & kGreater;
        const uint64_t least = uint64_t{1} << 63, c = constant.raw_payload();
        return or_equal == greater ? add_range(result == or_equal, of, c, ~least - c)
                                   : add_range(result == or_equal, of, least, c - least);
      }
      default:
        if (!constant.is(Kind::String)) return false;
        cost_ += static_cast<uint32_t>(code_.calls[test.c].cost.fixed);
        put({.kind = test.op == Opcode::StartsWith ? Starts : Ends,
             .of = of,
             .operand = operand,
             .low = result});
        return true;
    }
  }

  // A term: what it reads, a test, perhaps a negation, and what it is a term of.
  bool read_term(size_t i) {
    Check value;
    if (!read_value(i, value)) return false;
    const uint32_t reg = at(i - 1).a;
    const bool has_const = at(i).op == Opcode::Const;
    const Instruction& test = at(i + has_const);
    const bool tests =
        has_const ? test.op == Opcode::Less || test.op == Opcode::StartsWith || test.op == Opcode::EndsWith
                  : test.op == Opcode::EqualConst;
    const uint32_t constant = has_const ? at(i).b : test.c;
    if ((has_const && !tests) || (tests && test.b != reg)) return false;
    if (tests) i += has_const + 1;
    const bool negated = at(i).op == Opcode::Not;
    i += negated, cost_ += negated;

    // Behind the first term of && or || is a JumpFalse or JumpTrue.
    const Instruction& link = at(i);
    const Opcode of = link.op == Opcode::JumpFalse  ? Opcode::And
                      : link.op == Opcode::JumpTrue ? Opcode::Or
                                                    : link.op;
    const bool is_first = of != link.op, is_condition = of == Opcode::Branch;
    if (of != Opcode::And && of != Opcode::Or && !is_condition) return false;
    if ((is_first || is_condition ? link.a : link.b) != reg) return false;
    if (terms_ > 0 && (link.op != of_ || link.a != result_)) return false;
    if (terms_ == 0) {
      of_ = of, result_ = link.a, first_ = reg;
      if (!is_first && !is_condition) read({.kind = Register, .wanted = Kind::Bool, .operand = link.a});
    }
    end_ = i + 1, next_ = is_condition ? link.b : end_;

    const bool wanted = passing_value() != negated;
    if (value.kind == Present) {
      if (!wanted) value.kind = Absent;
      put(value);
      return !tests;
    }
    if (tests) return add_test(wanted, value, test, constant);
    value.wanted = Kind::Bool;
    return add_range(true, read(value), wanted, 0);
  }

  const Code& code_;
  std::vector<Check> checks_;
  uint8_t reads_ = 0;
  size_t next_, at_ = 0, end_ = 0, terms_ = 0;
  uint32_t total_ = 0, cost_ = 0;    // of all terms; of the one that is added
  Opcode of_ = Opcode::Return;       // And, Or or Branch
  uint32_t result_ = 0, first_ = 0;  // registers: of all terms, of the first one
};

}  // namespace

// Jumps to the first term of a chain then lead to the chain.
void Lowering::add_chains() {
  static constexpr size_t kLeast = 3;  // terms
  const std::vector<Instruction>& old = code_.instructions;
  std::vector<Instruction> all;
  std::vector<uint32_t> moved(old.size());  // where an instruction is in `all`, or the chain in front of it
  std::vector<bool> in_chain(old.size());
  for (size_t i = 0; i < old.size(); ++i) {
    moved[i] = static_cast<uint32_t>(all.size());
    Chain chain(code_, i);
    const bool may_begin = !in_chain[i] && (i == 0 || !skips_next(old[i - 1].op));
    while (may_begin && chain.add_term())
      std::fill(in_chain.begin() + chain.begin(), in_chain.begin() + chain.end(), true);
    if (chain.terms() >= kLeast) {
      const std::vector<Check> checks = chain.take();
      all.push_back({.op = Opcode::Chain,
                     .flags = chain.passing_value() ? uint8_t{0} : kNegated,
                     .n = static_cast<uint16_t>(checks.size()),
                     .a = chain.first(),
                     .b = static_cast<uint32_t>(code_.checks.size())});
      code_.checks.insert(code_.checks.end(), checks.begin(), checks.end());
    }
    all.push_back(old[i]);
  }
  if (code_.checks.empty()) return;
  for (Instruction& i : all) {
    const OpcodeRow& row = kOpcodes[static_cast<int>(i.op)];
    if (row.b == Operand::jump) i.b = moved[i.b];
    if (row.c == Operand::jump) i.c = moved[i.c];
  }
  for (Check& check : code_.checks) {
    check.at = moved[check.at];
    if (check.kind != End && all[check.at].op == Opcode::Chain) ++check.at;
  }
  code_.instructions = std::move(all);
}

}  // namespace portcullis
