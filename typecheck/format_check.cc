// See format_check.h.
#include "typecheck/format_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "grammar/ascii.h"
#include "grammar/utf8.h"
#include "typecheck/type.h"

namespace portcullis {

namespace {

using Kinds = std::initializer_list<TypeKind>;

// A formatting clause: the kinds it accepts and the error for others, before version 4 and since.
struct Clause {
  char verb;
  Kinds kinds;
  Kinds kinds_v4;
  std::string_view complaint;
  std::string_view complaint_v4;
};

constexpr Kinds kPrintable = {TypeKind::List,   TypeKind::Map,      TypeKind::Int,    TypeKind::Uint,
                              TypeKind::Double, TypeKind::Bool,     TypeKind::String, TypeKind::Timestamp,
                              TypeKind::Bytes,  TypeKind::Duration, TypeKind::Type,   TypeKind::Null};
constexpr Kinds kIntegers = {TypeKind::Int, TypeKind::Uint};
constexpr Kinds kNumbers = {TypeKind::Int, TypeKind::Uint, TypeKind::Double};
// Strings are accepted because "NaN" and "Infinity" stand for doubles.
constexpr Kinds kDoubles = {TypeKind::Double, TypeKind::String};
constexpr Kinds kBits = {TypeKind::Int, TypeKind::Uint, TypeKind::Bool};
constexpr Kinds kHexables = {TypeKind::Int, TypeKind::Uint, TypeKind::String, TypeKind::Bytes};
constexpr std::string_view kStringComplaint =
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, "
    "and "
    "timestamps, was given ";
constexpr std::string_view kHexComplaint =
    "only integers, byte buffers, and strings can be formatted as hex, was given ";
constexpr std::string_view kHexComplaintV4 =
    "only ints, uints, bytes, and strings can be formatted as hex, was given ";

constexpr std::array<Clause, 8> kClauses = {{
    {'s', kPrintable, kPrintable, kStringComplaint, kStringComplaint},
    {'d', kIntegers, kNumbers, "decimal clause can only be used on integers, was given ",
     "decimal clause can only be used on ints, uints, and doubles, was given "},
    {'f', kDoubles, kNumbers, "fixed-point clause can only be used on doubles, was given ",
     "fixed-point clause can only be used on ints, uints, and doubles, was given "},
    {'e', kDoubles, kNumbers, "scientific clause can only be used on doubles, was given ",
     "scientific clause can only be used on ints, uints, and doubles, was given "},
    {'b', kBits, kBits, "only integers and bools can be formatted as binary, was given ",
     "only ints, uints, and bools can be formatted as binary, was given "},
    {'x', kHexables, kHexables, kHexComplaint, kHexComplaintV4},
    {'X', kHexables, kHexables, kHexComplaint, kHexComplaintV4},
    {'o', kIntegers, kIntegers, "octal clause can only be used on integers, was given ",
     "octal clause can only be used on ints and uints, was given "},
}};

bool is_one_of(const Expr* e, Kinds kinds) {
  if (e->type->is(TypeKind::Dyn)) return true;
  for (TypeKind kind : kinds) {
    if (e->type->base_kind() == kind) return true;
  }
  return false;
}

// The first part of `e` that %s cannot print, or null.
const Expr* unprintable(const Expr* e) {
  if (!is_one_of(e, kPrintable)) return e;
  if (e->kind == ExprKind::List) {
    for (const Expr* element : e->args) {
      if (const Expr* bad = unprintable(element)) return bad;
    }
  }
  if (e->kind == ExprKind::Map) {
    for (const Entry& entry : e->entries) {
      if (const Expr* bad = unprintable(entry.key)) return bad;
      if (const Expr* bad = unprintable(entry.value)) return bad;
    }
  }
  return nullptr;
}

class FormatCheck {
 public:
  FormatCheck(std::string_view format, const std::vector<Expr*>& args, bool v4, uint32_t max_precision)
      : format_(format), args_(args), v4_(v4), max_precision_(max_precision) {}

  FormatProblem run() {
    while (at_ < format_.size() && problem_.message.empty()) {
      if (format_[at_] != '%') {
        ++at_;
      } else if (format_.substr(at_ + 1).starts_with('%')) {
        at_ += 2;
      } else {
        clause();
      }
    }
    if (problem_.message.empty() && args_.size() > used_) {
      problem_.message = "too many arguments supplied to string.format (expected " + std::to_string(used_) +
                         ", got " + std::to_string(args_.size()) + ")";
    }
    return problem_;
  }

 private:
  void clause() {
    size_t index = used_++;
    if (++at_ >= format_.size()) return fail("unexpected end of string");
    if (index >= args_.size()) return fail("index " + std::to_string(index) + " out of range");
    const int64_t max = max_precision_ > 0 ? int64_t{max_precision_} : INT64_MAX;
    if (std::string error = read_precision(format_, at_, max).error; !error.empty())
      return fail(std::move(error));
    char verb = format_[at_++];
    for (const Clause& c : kClauses) {
      if (c.verb == verb) return judge(c, args_[index]);
    }
    fail(unknown_verb(verb));
  }

  void judge(const Clause& clause, const Expr* arg) {
    const Expr* bad = clause.verb == 's'                                     ? unprintable(arg)
                      : is_one_of(arg, v4_ ? clause.kinds_v4 : clause.kinds) ? nullptr
                                                                             : arg;
    if (!bad) return;
    fail("error during formatting: " + std::string(format_complaint(clause.verb, v4_)) + bad->type->name());
    problem_.at = bad;
  }

  void fail(std::string message) { problem_.message = std::move(message); }

  std::string_view format_;
  const std::vector<Expr*>& args_;
  bool v4_;
  uint32_t max_precision_;
  size_t at_ = 0;
  size_t used_ = 0;
  FormatProblem problem_;
};

}  // namespace

Precision read_precision(std::string_view format, size_t& at, int64_t max) {
  auto fail = [](const std::string& why) {
    return Precision{{}, "could not parse formatting clause: error while parsing precision: " + why};
  };
  if (format[at] != '.') return {};
  const size_t start = ++at;
  while (at < format.size() && is_digit(format[at])) ++at;
  if (at == format.size()) return fail("could not find end of precision specifier");
  const std::string_view digits = format.substr(start, at - start);
  int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc{}) {
    return fail("error while converting precision to integer: strconv.Atoi: parsing \"" +
                std::string(digits) + "\": " + (digits.empty() ? "invalid syntax" : "value out of range"));
  }
  if (value <= max) return {value, {}};
  return fail("precision " + std::to_string(value) + " exceeds maximum allowed precision " +
              std::to_string(max));
}

std::string_view format_complaint(char verb, bool v4) {
  const auto clause = std::ranges::find(kClauses, verb, &Clause::verb);
  return v4 ? clause->complaint_v4 : clause->complaint;
}

std::string unknown_verb(char verb) {
  std::string text = "could not parse formatting clause: unrecognized formatting clause \"";
  utf8::append(text, static_cast<uint8_t>(verb));  // cel-go looks at a single byte
  return text + '"';
}

FormatProblem check_format_call(std::string_view format, const std::vector<Expr*>& args, bool v4,
                                uint32_t max_precision) {
  return FormatCheck(format, args, v4, max_precision).run();
}

}  // namespace portcullis
