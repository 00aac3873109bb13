// Builds the AST from the parse tree, in cel-go's visiting order.
//
// Idea: the Walker gives each alternative of the grammar its meaning and checks what the grammar cannot
// express; the Builder makes the nodes. A syntax error leaves holes in the parse tree, which become
// Unspecified nodes: cel-go still checks, and reports, what is around them.
// Tested by grammar/parse_test.cc.
#include "grammar/walk.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "CELParser.h"
#include "grammar/build.h"
#include "grammar/escape.h"
#include "grammar/literal.h"

namespace portcullis {
namespace {

using Grammar = generated::CELParser;
using antlr4::ParserRuleContext;
using antlr4::Token;

// Thrown when the AST nests too deep, after the error has been reported.
struct TooDeep {};

// The function of an operator token in the rules relation and calc; empty for other tokens.
std::string_view operator_of(const Token* token) {
  switch (token ? token->getType() : Token::INVALID_TYPE) {
    case Grammar::EQUALS: return operators::kEquals;
    case Grammar::NOT_EQUALS: return operators::kNotEquals;
    case Grammar::IN: return operators::kIn;
    case Grammar::LESS: return operators::kLess;
    case Grammar::LESS_EQUALS: return operators::kLessEquals;
    case Grammar::GREATER_EQUALS: return operators::kGreaterEquals;
    case Grammar::GREATER: return operators::kGreater;
    case Grammar::PLUS: return operators::kAdd;
    case Grammar::MINUS: return operators::kSubtract;
    case Grammar::STAR: return operators::kMultiply;
    case Grammar::SLASH: return operators::kDivide;
    case Grammar::PERCENT: return operators::kModulo;
    default: return {};
  }
}

// Returns the context as alternative T of its rule, or null. The classes of alternatives are leaves, so
// comparing types is enough; comparing the addresses of their type_info is much faster than dynamic_cast and
// correct within one library.
template <class T, class Context>
T* as(Context* context) {
  return context && &typeid(*context) == &typeid(T) ? static_cast<T*>(context) : nullptr;
}

// Follows the left side down to the first node with a meaning: an operator or an atom; null where a syntax
// error left a hole. Parentheses and rules with one child are skipped without recursion.
antlr4::tree::ParseTree* unnest(antlr4::tree::ParseTree* tree) {
  while (tree) {
    antlr4::tree::ParseTree* next = nullptr;
    switch (static_cast<ParserRuleContext*>(tree)->getRuleIndex()) {
      case Grammar::RuleExpr: {
        const auto* at = static_cast<Grammar::ExprContext*>(tree);
        if (at->op) return tree;
        next = at->test;
        break;
      }
      case Grammar::RuleConditionalOr: {
        const auto* at = static_cast<Grammar::ConditionalOrContext*>(tree);
        if (!at->ops.empty()) return tree;
        next = at->first;
        break;
      }
      case Grammar::RuleConditionalAnd: {
        const auto* at = static_cast<Grammar::ConditionalAndContext*>(tree);
        if (!at->ops.empty()) return tree;
        next = at->first;
        break;
      }
      case Grammar::RuleRelation: {
        auto* at = static_cast<Grammar::RelationContext*>(tree);
        if (at->op) return tree;
        next = at->only;
        break;
      }
      case Grammar::RuleCalc: {
        auto* at = static_cast<Grammar::CalcContext*>(tree);
        if (at->op) return tree;
        next = at->only;
        break;
      }
      default:
        if (const auto* plain = as<Grammar::PlainContext>(tree)) {
          next = plain->only;
        } else if (const auto* atom = as<Grammar::AtomContext>(tree)) {
          next = atom->only;
        } else if (const auto* nested = as<Grammar::NestedContext>(tree)) {
          next = nested->body;
        } else if (const auto* constant = as<Grammar::ConstantContext>(tree)) {
          next = constant->only;
        } else {
          return tree;
        }
    }
    tree = next;
  }
  return nullptr;
}

class Walker {
 public:
  Walker(const Source& source, const ParseOptions& options, Builder& builder, Diagnostics& diagnostics)
      : source_(source), options_(options), builder_(builder), diagnostics_(diagnostics) {}

  Expr* visit(antlr4::tree::ParseTree* tree);

 private:
  // Counts one level of nesting of the AST (not of the parse tree) while it lives.
  class Level {
   public:
    explicit Level(Walker& walker) : walker_(walker) {
      if (++walker_.depth_ <= walker_.options_.limits.recursion) return;
      walker_.diagnostics_.report(kNoOffset, "max recursion depth exceeded");
      throw TooDeep{};
    }
    ~Level() { --walker_.depth_; }

   private:
    Walker& walker_;
  };

  Span span(const Token* token) const;
  Span span(const ParserRuleContext* context) const;
  ExprId id(const Token* token) { return token ? builder_.next_id(span(token)) : -1; }

  Expr* hole(Span at = {}) { return builder_.node(ExprKind::Unspecified, at); }
  Expr* literal(Span at, Literal value);
  Expr* unquoted(const ParserRuleContext* context, Token* token, bool bytes);

  Expr* conditional(Grammar::ExprContext* at);
  template <class Context>
  Expr* logic(Context* at, std::string_view function, std::string_view token);
  Expr* binary(const ParserRuleContext* at, const Token* op, antlr4::tree::ParseTree* left,
               antlr4::tree::ParseTree* right);
  Expr* unary(Grammar::UnaryContext* at);
  Expr* repeated(const std::vector<Token*>& ops, std::string_view function, antlr4::tree::ParseTree* operand);
  Expr* member(Grammar::MemberContext* at);
  Expr* select(Grammar::SelectContext* at);
  Expr* member_call(Grammar::MemberCallContext* at);
  Expr* index(Grammar::IndexContext* at);
  Expr* primary(Grammar::PrimaryContext* at);
  Expr* ident(Grammar::IdentContext* at);
  Expr* global_call(Grammar::GlobalCallContext* at);
  Expr* create_list(Grammar::CreateListContext* at);
  Expr* create_map(Grammar::CreateMapContext* at);
  Expr* create_struct(Grammar::CreateStructContext* at);
  std::vector<Entry> fields(Grammar::FieldInitContext* at);
  std::vector<Entry> entries(Grammar::MapInitContext* at);
  Expr* constant(Grammar::LiteralContext* at);
  Expr* unknown();

  // Reads a field name, escaped or not. Returns false after reporting an unusable one at `where`.
  bool field_name(Grammar::EscapeIdentContext* at, const ParserRuleContext* where, std::string& out);
  std::vector<Expr*> arguments(Grammar::ExprListContext* at);

  const Source& source_;
  const ParseOptions& options_;
  Builder& builder_;
  Diagnostics& diagnostics_;
  int32_t depth_ = 0;
};

// The place of a token. A token that error recovery made up has no text; its place is that of the token it is
// missing before.
Span Walker::span(const Token* token) const {
  const int32_t start = source_.offset(
      {static_cast<int32_t>(token->getLine()), static_cast<int32_t>(token->getCharPositionInLine())});
  if (token->getStartIndex() == INVALID_INDEX || token->getStopIndex() == INVALID_INDEX)
    return {start, start};
  const auto length =
      static_cast<int32_t>(token->getStopIndex()) - static_cast<int32_t>(token->getStartIndex()) + 1;
  return {start, start + std::max(length, 0)};
}

Span Walker::span(const ParserRuleContext* context) const {
  Span out = span(context->start);
  if (context->stop) out.stop = std::max(out.stop, span(context->stop).stop);
  return out;
}

Expr* Walker::visit(antlr4::tree::ParseTree* tree) {
  tree = unnest(tree);
  if (!tree) return unknown();
  switch (static_cast<ParserRuleContext*>(tree)->getRuleIndex()) {
    case Grammar::RuleExpr: return conditional(static_cast<Grammar::ExprContext*>(tree));
    case Grammar::RuleConditionalOr:
      return logic(static_cast<Grammar::ConditionalOrContext*>(tree), operators::kLogicalOr, "||");
    case Grammar::RuleConditionalAnd:
      return logic(static_cast<Grammar::ConditionalAndContext*>(tree), operators::kLogicalAnd, "&&");
    case Grammar::RuleRelation: {
      auto* at = static_cast<Grammar::RelationContext*>(tree);
      return binary(at, at->op, at->left, at->right);
    }
    case Grammar::RuleCalc: {
      auto* at = static_cast<Grammar::CalcContext*>(tree);
      return binary(at, at->op, at->left, at->right);
    }
    case Grammar::RuleUnary: return unary(static_cast<Grammar::UnaryContext*>(tree));
    case Grammar::RuleMember: return member(static_cast<Grammar::MemberContext*>(tree));
    case Grammar::RulePrimary: return primary(static_cast<Grammar::PrimaryContext*>(tree));
    case Grammar::RuleLiteral: return constant(static_cast<Grammar::LiteralContext*>(tree));
    default: return unknown();
  }
}

// The node for a hole; the syntax error behind it has usually been reported.
Expr* Walker::unknown() {
  if (!diagnostics_.empty()) return hole();
  return builder_.error({}, "unknown parse element encountered: <<nil>>");
}

Expr* Walker::literal(Span at, Literal value) {
  Expr* out = builder_.node(ExprKind::Literal, at);
  out->literal = std::move(value);
  return out;
}

// --- Operators ---

Expr* Walker::conditional(Grammar::ExprContext* at) {
  const Level level(*this);
  Expr* test = visit(at->test);
  const ExprId call = id(at->op);
  Expr* yes = visit(at->yes);
  Expr* no = visit(at->no);
  return builder_.call_or_macro(call, operators::kConditional, nullptr, {test, yes, no});
}

template <class Context>
Expr* Walker::logic(Context* at, std::string_view function, std::string_view token) {
  std::vector<Expr*> terms = {visit(at->first)};
  std::vector<ExprId> ops;
  for (size_t i = 0; i < at->ops.size(); ++i) {
    if (i >= at->rest.size())
      return builder_.error(span(at), fmt::format("unexpected character, wanted '{}'", token));
    terms.push_back(visit(at->rest[i]));
    ops.push_back(id(at->ops[i]));
  }
  return builder_.logic(function, terms, ops);
}

Expr* Walker::binary(const ParserRuleContext* at, const Token* op, antlr4::tree::ParseTree* left,
                     antlr4::tree::ParseTree* right) {
  const Level level(*this);
  const std::string_view function = operator_of(op);
  if (function.empty()) return builder_.error(span(at), "operator not found");
  Expr* lhs = visit(left);
  const ExprId call = id(op);
  Expr* rhs = visit(right);
  return builder_.call_or_macro(call, function, nullptr, {lhs, rhs});
}

Expr* Walker::unary(Grammar::UnaryContext* at) {
  if (auto* negation = as<Grammar::NotContext>(at)) {
    return repeated(negation->ops, operators::kLogicalNot, negation->operand);
  }
  if (auto* negative = as<Grammar::NegateContext>(at)) {
    return repeated(negative->ops, operators::kNegate, negative->operand);
  }
  // A hole as well, but macros must see a literal here, as in cel-go.
  return literal(span(at), std::string("<<error>>"));
}

// Pairs of the same prefix operator cancel out.
Expr* Walker::repeated(const std::vector<Token*>& ops, std::string_view function,
                       antlr4::tree::ParseTree* operand) {
  if (ops.size() % 2 == 0) return visit(operand);
  const ExprId call = id(ops[0]);
  Expr* value = visit(operand);
  return builder_.call_or_macro(call, function, nullptr, {value});
}

// --- Members ---

Expr* Walker::member(Grammar::MemberContext* at) {
  if (auto* chosen = as<Grammar::SelectContext>(at)) return select(chosen);
  if (auto* chosen = as<Grammar::MemberCallContext>(at)) return member_call(chosen);
  if (auto* chosen = as<Grammar::IndexContext>(at)) return index(chosen);
  return unknown();
}

Expr* Walker::select(Grammar::SelectContext* at) {
  const Level level(*this);
  Expr* operand = visit(at->operand);
  if (!at->name || !at->op) return hole(span(at));
  std::string field;
  field_name(at->name, at->name, field);
  if (!at->opt) {
    Expr* out = builder_.named(ExprKind::Select, id(at->op), field);
    out->target = operand;
    return out;
  }
  if (!options_.optional_syntax) return builder_.error(span(at->op), "unsupported syntax '.?'");
  Expr* name = literal(span(at->name), field);
  Expr* out = builder_.named(ExprKind::Call, id(at->op), operators::kOptSelect);
  out->args = {operand, name};
  return out;
}

Expr* Walker::member_call(Grammar::MemberCallContext* at) {
  const Level level(*this);
  Expr* operand = visit(at->operand);
  if (!at->name) return hole(span(at));
  const ExprId call = id(at->open);
  std::vector<Expr*> args = arguments(at->args);
  return builder_.call_or_macro(call, at->name->getText(), operand, std::move(args));
}

Expr* Walker::index(Grammar::IndexContext* at) {
  const Level level(*this);
  Expr* operand = visit(at->operand);
  if (!at->op) return hole(span(at));
  const ExprId call = id(at->op);
  Expr* key = visit(at->index);
  if (at->opt && !options_.optional_syntax) return builder_.error(span(at->op), "unsupported syntax '[?'");
  return builder_.call_or_macro(call, at->opt ? operators::kOptIndex : operators::kIndex, nullptr,
                                {operand, key});
}

// --- Atoms ---

Expr* Walker::primary(Grammar::PrimaryContext* at) {
  if (auto* chosen = as<Grammar::IdentContext>(at)) return ident(chosen);
  if (auto* chosen = as<Grammar::GlobalCallContext>(at)) return global_call(chosen);
  if (auto* chosen = as<Grammar::CreateListContext>(at)) return create_list(chosen);
  if (auto* chosen = as<Grammar::CreateMapContext>(at)) return create_map(chosen);
  if (auto* chosen = as<Grammar::CreateStructContext>(at)) return create_struct(chosen);
  return unknown();
}

Expr* Walker::ident(Grammar::IdentContext* at) {
  if (!at->name) return hole(span(at));
  const std::string name = at->name->getText();
  if (is_reserved_word(name)) return builder_.error(span(at), "reserved identifier: " + name);
  return builder_.named(ExprKind::Ident, id(at->name), (at->dot ? "." : "") + name);
}

Expr* Walker::global_call(Grammar::GlobalCallContext* at) {
  if (!at->name) return hole(span(at));
  const std::string name = at->name->getText();
  if (is_reserved_word(name)) return builder_.error(span(at), "reserved identifier: " + name);
  const ExprId call = id(at->op);
  std::vector<Expr*> args = arguments(at->args);
  return builder_.call_or_macro(call, (at->dot ? "." : "") + name, nullptr, std::move(args));
}

std::vector<Expr*> Walker::arguments(Grammar::ExprListContext* at) {
  std::vector<Expr*> out;
  if (at) {
    for (Grammar::ExprContext* item : at->items) out.push_back(visit(item));
  }
  return out;
}

Expr* Walker::create_list(Grammar::CreateListContext* at) {
  Expr* out = builder_.node(ExprKind::List, id(at->op));
  if (!at->elements) return out;
  for (Grammar::OptExprContext* item : at->elements->items) {
    out->args.push_back(visit(item->body));
    if (!item->opt) continue;
    if (options_.optional_syntax) {
      out->optional_indices.push_back(static_cast<int32_t>(out->args.size()) - 1);
    } else {
      builder_.error(span(item->opt), "unsupported syntax '?'");
    }
  }
  return out;
}

Expr* Walker::create_map(Grammar::CreateMapContext* at) {
  const ExprId map = id(at->op);
  std::vector<Entry> all = entries(at->entries);
  Expr* out = builder_.node(ExprKind::Map, map);
  out->entries = std::move(all);
  return out;
}

std::vector<Entry> Walker::entries(Grammar::MapInitContext* at) {
  std::vector<Entry> out;
  for (size_t i = 0; at && i < at->cols.size(); ++i) {
    Entry entry;
    entry.id = id(at->cols[i]);
    if (i >= at->keys.size() || i >= at->values.size()) return {};  // a syntax error elsewhere
    entry.optional = at->keys[i]->opt != nullptr;
    if (entry.optional && !options_.optional_syntax) {
      builder_.error(span(at->keys[i]), "unsupported syntax '?'");
      continue;
    }
    entry.key = visit(at->keys[i]->body);
    entry.value = visit(at->values[i]);
    out.push_back(std::move(entry));
  }
  return out;
}

Expr* Walker::create_struct(Grammar::CreateStructContext* at) {
  std::string name = at->dot ? "." : "";
  for (size_t i = 0; i < at->names.size(); ++i) {
    if (i > 0) name += '.';
    name += at->names[i]->getText();
  }
  const ExprId object = id(at->op);
  std::vector<Entry> all = fields(at->entries);
  Expr* out = builder_.named(ExprKind::Struct, object, name);
  out->entries = std::move(all);
  return out;
}

std::vector<Entry> Walker::fields(Grammar::FieldInitContext* at) {
  std::vector<Entry> out;
  for (size_t i = 0; at && i < at->fields.size(); ++i) {
    if (i >= at->cols.size() || i >= at->values.size()) return {};  // a syntax error elsewhere
    Entry entry;
    entry.id = id(at->cols[i]);
    Grammar::OptFieldContext* field = at->fields[i];
    entry.optional = field->opt != nullptr;
    if (entry.optional && !options_.optional_syntax) {
      builder_.error(span(field), "unsupported syntax '?'");
      continue;
    }
    if (!field_name(field->name, at, entry.field)) continue;
    entry.value = visit(at->values[i]);
    out.push_back(std::move(entry));
  }
  return out;
}

bool Walker::field_name(Grammar::EscapeIdentContext* at, const ParserRuleContext* where, std::string& out) {
  if (auto* simple = as<Grammar::SimpleNameContext>(at)) {
    out = simple->name->getText();
    return true;
  }
  auto* escaped = as<Grammar::EscapedNameContext>(at);
  if (!escaped || !options_.escape_idents) {
    builder_.error(span(where), escaped ? "unsupported syntax: '`'" : "unsupported ident kind");
    return false;
  }
  out = escaped->name->getText();
  out = out.substr(1, out.size() - 2);
  return true;
}

// --- Literals ---

template <class T>
Literal literal_of(T value) {
  return Literal(std::move(value));
}

Expr* Walker::unquoted(const ParserRuleContext* context, Token* token, bool bytes) {
  const std::string text = token->getText();
  Result<std::string> value = unescape(std::string_view(text).substr(bytes ? 1 : 0), bytes);
  if (!value) builder_.error(span(context), value.error().text);
  std::string content = value ? std::move(*value) : text;
  return literal(span(context),
                 bytes ? literal_of(BytesLiteral{std::move(content)}) : literal_of(std::move(content)));
}

Expr* Walker::constant(Grammar::LiteralContext* at) {
  if (auto* token = as<Grammar::IntContext>(at)) {
    const auto value = parse_int(token->token->getText(), token->sign != nullptr);
    return value ? literal(span(at), *value) : builder_.error(span(at), "invalid int literal");
  }
  if (auto* token = as<Grammar::UintContext>(at)) {
    const auto value = parse_uint(token->token->getText());
    return value ? literal(span(at), *value) : builder_.error(span(at), "invalid uint literal");
  }
  if (auto* token = as<Grammar::DoubleContext>(at)) {
    const auto value = parse_double(token->token->getText(), token->sign != nullptr);
    return value ? literal(span(at), *value) : builder_.error(span(at), "invalid double literal");
  }
  if (auto* token = as<Grammar::StringContext>(at)) return unquoted(at, token->token, false);
  if (auto* token = as<Grammar::BytesContext>(at)) return unquoted(at, token->token, true);
  if (as<Grammar::TrueContext>(at)) return literal(span(at), true);
  if (as<Grammar::FalseContext>(at)) return literal(span(at), false);
  if (as<Grammar::NullContext>(at)) return literal(span(at), std::monostate());
  return unknown();
}

}  // namespace

Expr* walk(antlr4::tree::ParseTree* tree, const Source& source, const ParseOptions& options, Ast& ast,
           Diagnostics& diagnostics) {
  Builder builder(options, ast, diagnostics);
  try {
    return Walker(source, options, builder, diagnostics).visit(tree);
  } catch (const TooDeep&) {
  } catch (const ExpansionTooLarge&) {
    diagnostics.report(kNoOffset, fmt::format("macro expansion copies more than {} nodes", kMaxCopies));
  }
  return nullptr;
}

}  // namespace portcullis
