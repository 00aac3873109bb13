#include "grammar/unparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "grammar/ascii.h"
#include "grammar/quote.h"

namespace portcullis {
namespace {

// How an operator is written. `symbol` is empty if one symbol is not enough. A higher precedence binds
// looser; 0 means that the function is no operator.
struct Operator {
  std::string_view function, symbol;
  int precedence, arity;
};

constexpr int kConditionalPrecedence = 8;
constexpr Operator kNone = {"", "", 0, -1};
constexpr Operator kOperators[] = {
    {operators::kConditional, "", kConditionalPrecedence, 3},
    {operators::kLogicalOr, "||", 7, 2},
    {operators::kLogicalAnd, "&&", 6, 2},
    {operators::kEquals, "==", 5, 2},
    {operators::kGreater, ">", 5, 2},
    {operators::kGreaterEquals, ">=", 5, 2},
    {operators::kIn, "in", 5, 2},
    {operators::kLess, "<", 5, 2},
    {operators::kLessEquals, "<=", 5, 2},
    {operators::kNotEquals, "!=", 5, 2},
    {operators::kLegacyIn, "in", 5, 2},
    {operators::kAdd, "+", 4, 2},
    {operators::kSubtract, "-", 4, 2},
    {operators::kDivide, "/", 3, 2},
    {operators::kModulo, "%", 3, 2},
    {operators::kMultiply, "*", 3, 2},
    {operators::kLogicalNot, "!", 2, 1},
    {operators::kNegate, "-", 2, 1},
    {operators::kIndex, "", 1, 2},
    {operators::kOptIndex, "", 1, 2},
    {operators::kOptSelect, "", 1, 2},
};

const Operator& find_operator(std::string_view function) {
  const auto* row = std::find_if(std::begin(kOperators), std::end(kOperators),
                                 [function](const Operator& each) { return each.function == function; });
  return row == std::end(kOperators) ? kNone : *row;
}

bool is_complex(const Expr* expr) { return expr->kind == ExprKind::Call && expr->args.size() >= 2; }

int precedence(const Expr* expr) { return find_operator(expr->name).precedence; }

bool same_precedence(int level, const Expr* expr) {
  return expr->kind == ExprKind::Call && level == precedence(expr);
}

bool is_binary_or_ternary(const Expr* expr) {
  if (!is_complex(expr)) return false;
  const Operator& op = find_operator(expr->name);
  return (op.arity == 2 && !op.symbol.empty()) || op.precedence == kConditionalPrecedence;
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return is_letter(c) || c == '_'; };
  const auto part = [letter](char c) { return letter(c) || is_digit(c); };
  return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), part);
}

class Writer {
 public:
  Writer(const Ast& ast, const UnparseOptions& options) : ast_(ast), options_(options) {}

  void write(const Expr* expr);

  Result<std::string> take() {
    if (!failure_.empty()) return Error{failure_};
    return std::move(out_);
  }

 private:
  void write_call(const Expr& expr);
  void write_conditional(const Expr& expr);
  void write_binary(const Expr& expr, const Operator& op);
  void write_unary(const Expr& expr, const Operator& op);
  void write_function(const Expr& expr);
  void write_index(const Expr& expr, std::string_view open);
  void write_select(const Expr* operand, bool test_only, std::string_view dot, std::string_view field);
  void write_literal(const Literal& literal);
  void write_list(const Expr& expr);
  void write_entries(const Expr& expr);
  void write_nested(const Expr* expr, bool nested);
  void write_operator(const Operator& op, std::string_view symbol);
  void write_field(std::string_view name);

  void fail(std::string text) {
    if (failure_.empty()) failure_ = std::move(text);
  }

  const Ast& ast_;
  const UnparseOptions& options_;
  std::string out_;
  std::string failure_;
  size_t wrapped_at_ = 0;  // the offset of the last line break
};

void Writer::write(const Expr* expr) {
  if (!expr) return fail("unsupported expression");
  if (const auto call = ast_.macro_calls.find(expr->id); call != ast_.macro_calls.end()) {
    return write(call->second);
  }
  switch (expr->kind) {
    case ExprKind::Call: return write_call(*expr);
    case ExprKind::Literal: return write_literal(expr->literal);
    case ExprKind::Ident: out_ += expr->name; return;
    case ExprKind::List: return write_list(*expr);
    case ExprKind::Map:
    case ExprKind::Struct: return write_entries(*expr);
    case ExprKind::Select: return write_select(expr->target, expr->test_only, ".", expr->name);
    case ExprKind::Unspecified:
    case ExprKind::Comprehension: return fail("unsupported expression");
  }
}

// --- Calls ---

void Writer::write_call(const Expr& expr) {
  const Operator& op = find_operator(expr.name);
  if (op.arity < 0) return write_function(expr);
  if (expr.args.size() < static_cast<size_t>(op.arity)) return fail("unsupported expression");
  if (op.function == operators::kConditional) return write_conditional(expr);
  if (op.function == operators::kIndex) return write_index(expr, "[");
  if (op.function == operators::kOptIndex) return write_index(expr, "[?");
  if (op.function == operators::kOptSelect) {
    const auto* field = std::get_if<std::string>(&expr.args[1]->literal);
    return field ? write_select(expr.args[0], false, ".?", *field) : fail("unsupported expression");
  }
  return op.arity == 1 ? write_unary(expr, op) : write_binary(expr, op);
}

void Writer::write_conditional(const Expr& expr) {
  const auto nested = [](const Expr* part) {
    return same_precedence(kConditionalPrecedence, part) || is_complex(part);
  };
  write_nested(expr.args[0], nested(expr.args[0]));
  write_operator(find_operator(expr.name), "?");
  write_nested(expr.args[1], nested(expr.args[1]));
  out_ += " : ";
  write_nested(expr.args[2], nested(expr.args[2]));
}

// Puts parentheses around an operand that binds looser, and around a right operand that binds alike; not for
// && and ||, whose trees are balanced anyway.
void Writer::write_binary(const Expr& expr, const Operator& op) {
  const auto looser = [&op](const Expr* part) {
    return is_complex(part) && op.precedence < precedence(part);
  };
  const bool associative = op.function == operators::kLogicalAnd || op.function == operators::kLogicalOr;
  const Expr *lhs = expr.args[0], *rhs = expr.args[1];
  write_nested(lhs, looser(lhs));
  write_operator(op, op.symbol);
  write_nested(rhs, looser(rhs) || (!associative && same_precedence(op.precedence, rhs)));
}

void Writer::write_unary(const Expr& expr, const Operator& op) {
  out_ += op.symbol;
  write_nested(expr.args[0], is_complex(expr.args[0]));
}

void Writer::write_function(const Expr& expr) {
  if (expr.target) {
    write_nested(expr.target, is_binary_or_ternary(expr.target));
    out_ += '.';
  }
  out_ += expr.name;
  out_ += '(';
  for (size_t i = 0; i < expr.args.size(); ++i) {
    if (i > 0) out_ += ", ";
    write(expr.args[i]);
  }
  out_ += ')';
}

void Writer::write_index(const Expr& expr, std::string_view open) {
  write_nested(expr.args[0], is_binary_or_ternary(expr.args[0]));
  out_ += open;
  write(expr.args[1]);
  out_ += ']';
}

void Writer::write_nested(const Expr* expr, bool nested) {
  if (nested) out_ += '(';
  write(expr);
  if (nested) out_ += ')';
}

// Measures a line with the function name of the operator ("_&&_"), as cel-go does.
void Writer::write_operator(const Operator& op, std::string_view symbol) {
  const auto& wrapping = options_.wrap_operators;
  const bool wraps =
      std::find(wrapping.begin(), wrapping.end(), op.function) != wrapping.end() &&
      out_.size() - wrapped_at_ + op.function.size() >= static_cast<size_t>(options_.wrap_column);
  if (wraps) wrapped_at_ = out_.size();
  out_ += wraps && !options_.wrap_after_operator ? '\n' : ' ';
  out_ += symbol;
  out_ += wraps && options_.wrap_after_operator ? '\n' : ' ';
}

// --- Everything else ---

void Writer::write_field(std::string_view name) {
  if (is_identifier(name) && name != "in") {
    out_ += name;
  } else {
    out_.append("`").append(name).append("`");
  }
}

void Writer::write_select(const Expr* operand, bool test_only, std::string_view dot, std::string_view field) {
  if (test_only) out_ += "has(";
  write_nested(operand, !test_only && operand && is_binary_or_ternary(operand));
  out_ += dot;
  write_field(field);
  if (test_only) out_ += ')';
}

struct LiteralText {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(uint64_t value) const { return fmt::format("{}u", value); }
  std::string operator()(const std::string& value) const { return quote(value); }
  std::string operator()(double value) const {
    std::string out = format_double(value);
    if (out.find_first_of(".eE") == std::string::npos) out += ".0";
    return out;
  }
  std::string operator()(const BytesLiteral& value) const {
    std::string out = "b\"";
    for (const char byte : value.data) out += fmt::format("\\{:03o}", static_cast<uint8_t>(byte));
    return out + '"';
  }
};

void Writer::write_literal(const Literal& literal) { out_ += std::visit(LiteralText{}, literal); }

void Writer::write_list(const Expr& expr) {
  const auto& optional = expr.optional_indices;
  out_ += '[';
  for (size_t i = 0; i < expr.args.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (std::find(optional.begin(), optional.end(), static_cast<int32_t>(i)) != optional.end()) out_ += '?';
    write(expr.args[i]);
  }
  out_ += ']';
}

void Writer::write_entries(const Expr& expr) {
  out_ += expr.name;  // the type of a struct; empty for a map
  out_ += '{';
  for (size_t i = 0; i < expr.entries.size(); ++i) {
    const Entry& entry = expr.entries[i];
    if (i > 0) out_ += ", ";
    if (entry.optional) out_ += '?';
    if (entry.key) {
      write(entry.key);
    } else {
      write_field(entry.field);
    }
    out_ += ": ";
    write(entry.value);
  }
  out_ += '}';
}

// cel-go's error for options that make no sense; empty if they are fine.
std::string invalid_option(const UnparseOptions& options) {
  constexpr std::string_view kPrefix = "Invalid unparser option.";
  if (options.wrap_column < 1) {
    return fmt::format("{} Wrap column value must be greater than or equal to 1. Got {} instead", kPrefix,
                       options.wrap_column);
  }
  for (const std::string_view function : options.wrap_operators) {
    const Operator& op = find_operator(function);
    if (op.arity < 0) return fmt::format("{} Unsupported operator: {}", kPrefix, function);
    if (op.arity < 2) return fmt::format("{} Unary operators are unsupported: {}", kPrefix, function);
  }
  return {};
}

}  // namespace

Result<std::string> unparse(const Ast& ast, const Expr* expr, const UnparseOptions& options) {
  if (std::string invalid = invalid_option(options); !invalid.empty()) return Error{std::move(invalid)};
  Writer writer(ast, options);
  writer.write(expr);
  return writer.take();
}

}  // namespace portcullis
