#include "tests/debug.h"

#include <fmt/format.h>

#include "grammar/quote.h"

namespace portcullis {
namespace {

std::string format_literal(const Literal& literal) {
  struct Format {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(uint64_t value) const { return fmt::format("{}u", value); }
    std::string operator()(double value) const { return format_double(value); }
    std::string operator()(const std::string& value) const { return quote(value); }
    std::string operator()(const BytesLiteral& value) const { return "b" + quote(value.data); }
  };
  return std::visit(Format{}, literal);
}

class Printer {
 public:
  explicit Printer(const Adorn& adorn) : adorn_(adorn) {}

  void print(const Expr* expr) {
    if (!expr) return;
    switch (expr->kind) {
      case ExprKind::Unspecified: break;
      case ExprKind::Literal: write(format_literal(expr->literal)); break;
      case ExprKind::Ident: write(expr->name); break;
      case ExprKind::Select: print_select(*expr); break;
      case ExprKind::Call: print_call(*expr); break;
      case ExprKind::List: print_list(*expr); break;
      case ExprKind::Map:
      case ExprKind::Struct: print_entries(*expr); break;
      case ExprKind::Comprehension: print_fold(*expr->fold); break;
    }
    if (adorn_) write(adorn_(expr, nullptr));
  }

  std::string take() { return std::move(out_); }

 private:
  void write(std::string_view text) {
    if (line_start_) out_.append(2 * static_cast<size_t>(indent_), ' ');
    line_start_ = false;
    out_ += text;
  }

  void newline() {
    out_ += '\n';
    line_start_ = true;
  }

  void print_select(const Expr& expr) {
    print(expr.target);
    write(".");
    write(expr.name);
    if (expr.test_only) write("~test-only~");
  }

  void print_call(const Expr& expr) {
    if (expr.target) {
      print(expr.target);
      write(".");
    }
    write(expr.name);
    print_items("(", expr.args, ")");
  }

  void print_list(const Expr& expr) { print_items("[", expr.args, "]"); }

  void print_items(std::string_view open, const std::vector<Expr*>& items, std::string_view close) {
    write(open);
    begin_block(!items.empty());
    for (const Expr* const& item : items) {
      if (&item != &items.front()) separate();
      print(item);
    }
    end_block(!items.empty());
    write(close);
  }

  void print_entries(const Expr& expr) {
    write(expr.name);
    write("{");
    begin_block(!expr.entries.empty());
    for (const Entry& entry : expr.entries) {
      if (&entry != &expr.entries.front()) separate();
      if (entry.optional) write("?");
      if (entry.key) {
        print(entry.key);
      } else {
        write(entry.field);
      }
      write(":");
      print(entry.value);
      if (adorn_) write(adorn_(nullptr, &entry));
    }
    end_block(!expr.entries.empty());
    write("}");
  }

  void print_fold(const Comprehension& fold) {
    write("__comprehension__(");
    ++indent_;
    newline();
    write("// Variable");
    newline();
    write(fold.iter_var);
    separate();
    if (!fold.iter_var2.empty()) {
      write(fold.iter_var2);
      separate();
    }
    print_part("// Target", fold.range);
    write("// Accumulator");
    newline();
    write(fold.accu_var);
    separate();
    print_part("// Init", fold.accu_init);
    print_part("// LoopCondition", fold.loop_condition);
    print_part("// LoopStep", fold.loop_step);
    write("// Result");
    newline();
    print(fold.result);
    write(")");
    --indent_;
  }

  void print_part(std::string_view title, const Expr* part) {
    write(title);
    newline();
    print(part);
    separate();
  }

  void separate() {
    write(",");
    newline();
  }

  void begin_block(bool some) {
    if (!some) return;
    ++indent_;
    newline();
  }

  void end_block(bool some) {
    if (!some) return;
    --indent_;
    newline();
  }

  const Adorn& adorn_;
  std::string out_;
  int indent_ = 0;
  bool line_start_ = true;
};

// The names that cel-go's debug print takes from its protobuf classes.
std::string_view kind_name(const Expr& expr) {
  static constexpr std::string_view kLiterals[] = {"*expr.Constant_NullValue",   "*expr.Constant_BoolValue",
                                                   "*expr.Constant_Int64Value",  "*expr.Constant_Uint64Value",
                                                   "*expr.Constant_DoubleValue", "*expr.Constant_StringValue",
                                                   "*expr.Constant_BytesValue"};
  switch (expr.kind) {
    case ExprKind::Unspecified: return "";
    case ExprKind::Literal: return kLiterals[expr.literal.index()];
    case ExprKind::Ident: return "*expr.Expr_IdentExpr";
    case ExprKind::Select: return "*expr.Expr_SelectExpr";
    case ExprKind::Call: return "*expr.Expr_CallExpr";
    case ExprKind::List: return "*expr.Expr_ListExpr";
    case ExprKind::Map:
    case ExprKind::Struct: return "*expr.Expr_StructExpr";
    case ExprKind::Comprehension: return "*expr.Expr_ComprehensionExpr";
  }
  return "";
}

}  // namespace

std::string debug_print(const Expr* expr, const Adorn& adorn) {
  Printer printer(adorn);
  printer.print(expr);
  return printer.take();
}

std::string debug_print_kinds(const Expr* expr, const Ast* calls) {
  return debug_print(expr, [calls](const Expr* node, const Entry* entry) {
    if (entry) return fmt::format("^#{}:*expr.Expr_CreateStruct_Entry#", entry->id);
    const auto call = calls ? calls->macro_calls.find(node->id) : decltype(calls->macro_calls.end())();
    const bool macro = calls && call != calls->macro_calls.end();
    return fmt::format("^#{}:{}#", node->id, macro ? call->second->name : kind_name(*node));
  });
}

std::string debug_print_locations(const Expr* expr, const Ast& ast, const Source& source) {
  return debug_print(expr, [&](const Expr* node, const Entry* entry) {
    const ExprId id = entry ? entry->id : node->id;
    const Span span = ast.span(id);
    const Location at = span.start == kNoOffset ? Location{} : source.location(span.start);
    return fmt::format("^#{}[{},{}]#", id, at.line, at.column);
  });
}

std::string debug_print_macro_calls(const Ast& ast) {
  std::string out;
  for (auto call = ast.macro_calls.rbegin(); call != ast.macro_calls.rend(); ++call) {
    Expr written;  // the call, with the id of the node that replaced it
    written.kind = ExprKind::Call;
    written.id = call->first;
    written.name = call->second->name;
    written.target = call->second->target;
    written.args = call->second->args;
    if (!out.empty()) out += ",\n";
    out += debug_print_kinds(&written, &ast);
  }
  return out;
}

}  // namespace portcullis
