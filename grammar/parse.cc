// parse(): the generated ANTLR parser, made to behave like cel-go's, and the walk from its parse tree to the AST.
//
// Idea: Recognizer runs lexer and parser with cel-go's limits; Walker visits the parse tree in cel-go's order and lets
// the Builder make nodes. This is the only file that knows ANTLR.
// Limits: an ANTLR parser recurses on nesting, so the depth guard (a parse listener) must see every rule.
// Tested by grammar/parse_test.cc.
#include "grammar/parse.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "CELLexer.h"
#include "CELParser.h"
#include "grammar/build.h"
#include "grammar/literal.h"
#include "grammar/utf8.h"

namespace portcullis {
namespace {

using Grammar = generated::CELParser;
using antlr4::ParserRuleContext;
using antlr4::Token;

// Thrown through the generated parser to give up; everything has been reported then.
struct GiveUp {};

// --- Running the parser ---

// The code points of a Source, as ANTLR reads them. (ANTLR's own stream drops a byte order mark.)
class RuneStream final : public antlr4::CharStream {
 public:
  explicit RuneStream(const Source& source) : source_(source) {}

  void consume() override { ++position_; }
  size_t LA(ssize_t i) override {
    if (i == 0) return 0;
    const ssize_t at = static_cast<ssize_t>(position_) + (i < 0 ? i : i - 1);
    return at < 0 || at >= source_.size() ? EOF : source_.runes()[static_cast<size_t>(at)];
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return position_; }
  void seek(size_t index) override { position_ = std::min(index, size()); }
  size_t size() override { return static_cast<size_t>(source_.size()); }
  std::string getSourceName() const override { return source_.description(); }
  std::string getText(const antlr4::misc::Interval& range) override {
    return source_.slice(static_cast<int32_t>(range.a), static_cast<int32_t>(range.b) + 1);
  }
  std::string toString() const override { return source_.text(); }

 private:
  const Source& source_;
  size_t position_ = 0;
};

class Lexer final : public generated::CELLexer {
 public:
  using CELLexer::CELLexer;

  // cel-go shows the skipped text as it is; ANTLR would escape newlines and tabs.
  void notifyListeners(const antlr4::LexerNoViableAltException&) override {
    const antlr4::misc::Interval range(static_cast<ssize_t>(tokenStartCharIndex),
                                       static_cast<ssize_t>(_input->index()));
    getErrorListenerDispatch().syntaxError(this, nullptr, tokenStartLine, tokenStartCharPositionInLine,
                                           "token recognition error at: '" + _input->getText(range) + "'",
                                           std::exception_ptr());
  }
};

// Reports what ANTLR complains of.
class SyntaxErrors final : public antlr4::BaseErrorListener {
 public:
  SyntaxErrors(const Source& source, const ParseLimits& limits, Diagnostics& diagnostics)
      : source_(source), limits_(limits), diagnostics_(diagnostics) {}

  void syntaxError(antlr4::Recognizer*, Token*, size_t line, size_t column, const std::string& message,
                   std::exception_ptr) override {
    const int32_t at = source_.offset({static_cast<int32_t>(line), static_cast<int32_t>(column)});
    if (reported_ == limits_.syntax_errors) {
      diagnostics_.report(at, fmt::format("Syntax error: More than {} syntax errors", limits_.syntax_errors));
      throw GiveUp{};
    }
    ++reported_;
    diagnostics_.report(at, "Syntax error: " + reworded(message));
  }

 private:
  // cel-go's wording for `a.true`: ANTLR's text says nothing about the reserved word.
  static std::string reworded(const std::string& message) {
    static constexpr std::string_view kPrefix = "no viable alternative at input '";
    if (!message.starts_with(kPrefix)) return message;
    std::string_view input = std::string_view(message).substr(kPrefix.size());
    input.remove_suffix(1);
    input.remove_prefix(utf8::decode(input).size);
    if (input != "true" && input != "false" && input != "null") return message;
    return fmt::format("mismatched input '{}' expecting IDENTIFIER", input);
  }

  const Source& source_;
  const ParseLimits& limits_;
  Diagnostics& diagnostics_;
  int32_t reported_ = 0;
};

// Gives up when a grammar rule nests too deep; this is what protects the stack.
class DepthGuard final : public antlr4::tree::ParseTreeListener {
 public:
  DepthGuard(const ParseLimits& limits, Diagnostics& diagnostics) : limits_(limits), diagnostics_(diagnostics) {}

  void visitTerminal(antlr4::tree::TerminalNode*) override {}
  void visitErrorNode(antlr4::tree::ErrorNode*) override {}
  void enterEveryRule(ParserRuleContext* context) override {
    if (++depth_[context->getRuleIndex()] <= limits_.recursion) return;
    diagnostics_.report(kNoOffset, fmt::format("expression recursion limit exceeded: {}", limits_.recursion));
    throw GiveUp{};
  }
  void exitEveryRule(ParserRuleContext* context) override { --depth_[context->getRuleIndex()]; }

 private:
  const ParseLimits& limits_;
  Diagnostics& diagnostics_;
  std::array<int32_t, Grammar::RuleLiteral + 1> depth_ = {};
};

// ANTLR's error recovery, which is quadratic on broken nesting, within cel-go's limits.
class Recovery final : public antlr4::DefaultErrorStrategy {
 public:
  Recovery(const ParseLimits& limits, Diagnostics& diagnostics) : limits_(limits), diagnostics_(diagnostics) {}

  void recover(antlr4::Parser* parser, std::exception_ptr error) override {
    count_attempt(parser);
    recovery_start_ = parser->getInputStream()->index();
    recovering_ = true;
    DefaultErrorStrategy::recover(parser, error);
    recovering_ = false;
  }

  Token* recoverInline(antlr4::Parser* parser) override {
    count_attempt(parser);
    return DefaultErrorStrategy::recoverInline(parser);
  }

 protected:
  // The C++ runtime forgets to forget the states of earlier errors, and skips a token too many at the next one.
  void endErrorCondition(antlr4::Parser* parser) override {
    DefaultErrorStrategy::endErrorCondition(parser);
    lastErrorStates.clear();
  }

  // Only tokens skipped by recover() count; one of them may have been skipped before this is called.
  void consumeUntil(antlr4::Parser* parser, const antlr4::misc::IntervalSet& set) override {
    int32_t skipped = parser->getInputStream()->index() == recovery_start_ ? 0 : 1;
    for (size_t type = parser->getInputStream()->LA(1); type != Token::EOF && !set.contains(type);
         type = parser->getInputStream()->LA(1)) {
      if (recovering_ && skipped++ >= limits_.lookahead) {
        diagnostics_.report(kNoOffset,
                            fmt::format("error recovery token lookahead limit exceeded: {}", limits_.lookahead));
        throw GiveUp{};
      }
      parser->consume();
    }
  }

 private:
  void count_attempt(antlr4::Parser* parser) {
    if (attempts_++ < limits_.recoveries) return;
    parser->notifyErrorListeners(parser->getCurrentToken(),
                                 fmt::format("error recovery attempt limit exceeded: {}", limits_.recoveries), nullptr);
    throw GiveUp{};
  }

  const ParseLimits& limits_;
  Diagnostics& diagnostics_;
  int32_t attempts_ = 0;
  size_t recovery_start_ = 0;
  bool recovering_ = false;
};

// --- From the parse tree to the AST ---

constexpr std::string_view kReserved[] = {"as",   "break",  "const",  "continue",  "else",   "false", "for",
                                          "function", "if", "import", "in",        "let",    "loop",  "package",
                                          "namespace", "null", "return", "true",   "var",    "void",  "while"};

// The functions behind the tokens of relation and calc.
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

// Down the left side to the first node that means something: an operator, an atom, or null where a syntax error left
// a hole. Nesting that means nothing (parentheses, one-armed rules) costs no recursion.
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
        next = at->calc();
        break;
      }
      case Grammar::RuleCalc: {
        auto* at = static_cast<Grammar::CalcContext*>(tree);
        if (at->op) return tree;
        next = at->unary();
        break;
      }
      default:
        if (auto* plain = dynamic_cast<Grammar::PlainContext*>(tree)) {
          next = plain->member();
        } else if (auto* atom = dynamic_cast<Grammar::AtomContext*>(tree)) {
          next = atom->primary();
        } else if (auto* nested = dynamic_cast<Grammar::NestedContext*>(tree)) {
          next = nested->body;
        } else if (auto* constant = dynamic_cast<Grammar::ConstantContext*>(tree)) {
          next = constant->literal();
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
  // Counts a level of nesting of the AST (not of the parse tree) while it lives.
  class Level {
   public:
    explicit Level(Walker& walker) : walker_(walker) {
      if (++walker_.depth_ <= walker_.options_.limits.recursion) return;
      walker_.diagnostics_.report(kNoOffset, "max recursion depth exceeded");
      throw GiveUp{};
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
  Expr* unknown(const antlr4::tree::ParseTree* at);

  bool is_reserved(std::string_view name) const;
  // The field name of an identifier, escaped or not; false: reported at `where` and unusable.
  bool field_name(Grammar::EscapeIdentContext* at, const ParserRuleContext* where, std::string& out);
  std::vector<Expr*> arguments(Grammar::ExprListContext* at);

  const Source& source_;
  const ParseOptions& options_;
  Builder& builder_;
  Diagnostics& diagnostics_;
  int32_t depth_ = 0;
};

// Tokens that recovery made up have no text in the source; they stand where the token before which they are missing is.
Span Walker::span(const Token* token) const {
  const int32_t start = source_.offset(
      {static_cast<int32_t>(token->getLine()), static_cast<int32_t>(token->getCharPositionInLine())});
  if (token->getStartIndex() == INVALID_INDEX || token->getStopIndex() == INVALID_INDEX) return {start, start};
  const auto length = static_cast<int32_t>(token->getStopIndex()) - static_cast<int32_t>(token->getStartIndex()) + 1;
  return {start, start + std::max(length, 0)};
}

Span Walker::span(const ParserRuleContext* context) const {
  Span out = span(context->start);
  if (context->stop) out.stop = std::max(out.stop, span(context->stop).stop);
  return out;
}

Expr* Walker::visit(antlr4::tree::ParseTree* tree) {
  tree = unnest(tree);
  if (!tree) return unknown(tree);
  switch (static_cast<ParserRuleContext*>(tree)->getRuleIndex()) {
    case Grammar::RuleExpr: return conditional(static_cast<Grammar::ExprContext*>(tree));
    case Grammar::RuleConditionalOr:
      return logic(static_cast<Grammar::ConditionalOrContext*>(tree), operators::kLogicalOr, "||");
    case Grammar::RuleConditionalAnd:
      return logic(static_cast<Grammar::ConditionalAndContext*>(tree), operators::kLogicalAnd, "&&");
    case Grammar::RuleRelation: {
      auto* at = static_cast<Grammar::RelationContext*>(tree);
      return binary(at, at->op, at->relation(0), at->relation(1));
    }
    case Grammar::RuleCalc: {
      auto* at = static_cast<Grammar::CalcContext*>(tree);
      return binary(at, at->op, at->calc(0), at->calc(1));
    }
    case Grammar::RuleUnary: return unary(static_cast<Grammar::UnaryContext*>(tree));
    case Grammar::RuleMember: return member(static_cast<Grammar::MemberContext*>(tree));
    case Grammar::RulePrimary: return primary(static_cast<Grammar::PrimaryContext*>(tree));
    case Grammar::RuleLiteral: return constant(static_cast<Grammar::LiteralContext*>(tree));
    default: return unknown(tree);
  }
}

// Left by a syntax error that has been reported already.
Expr* Walker::unknown(const antlr4::tree::ParseTree*) {
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
    if (i >= at->rest.size()) return builder_.error(span(at), fmt::format("unexpected character, wanted '{}'", token));
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
  if (auto* negation = dynamic_cast<Grammar::NotContext*>(at)) {
    return repeated(negation->ops, operators::kLogicalNot, negation->member());
  }
  if (auto* negative = dynamic_cast<Grammar::NegateContext*>(at)) {
    return repeated(negative->ops, operators::kNegate, negative->member());
  }
  // A hole again, but one that macros see as a literal.
  return literal(span(at), std::string("<<error>>"));
}

// Pairs of the same prefix operator cancel out.
Expr* Walker::repeated(const std::vector<Token*>& ops, std::string_view function, antlr4::tree::ParseTree* operand) {
  if (ops.size() % 2 == 0) return visit(operand);
  const ExprId call = id(ops[0]);
  Expr* value = visit(operand);
  return builder_.call_or_macro(call, function, nullptr, {value});
}

// --- Members ---

Expr* Walker::member(Grammar::MemberContext* at) {
  if (auto* chosen = dynamic_cast<Grammar::SelectContext*>(at)) return select(chosen);
  if (auto* chosen = dynamic_cast<Grammar::MemberCallContext*>(at)) return member_call(chosen);
  if (auto* chosen = dynamic_cast<Grammar::IndexContext*>(at)) return index(chosen);
  return unknown(at);
}

Expr* Walker::select(Grammar::SelectContext* at) {
  const Level level(*this);
  Expr* operand = visit(at->member());
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
  Expr* operand = visit(at->member());
  if (!at->name) return hole(span(at));
  const ExprId call = id(at->open);
  std::vector<Expr*> args = arguments(at->args);
  return builder_.call_or_macro(call, at->name->getText(), operand, std::move(args));
}

Expr* Walker::index(Grammar::IndexContext* at) {
  const Level level(*this);
  Expr* operand = visit(at->member());
  if (!at->op) return hole(span(at));
  const ExprId call = id(at->op);
  Expr* key = visit(at->index);
  if (at->opt && !options_.optional_syntax) return builder_.error(span(at->op), "unsupported syntax '[?'");
  return builder_.call_or_macro(call, at->opt ? operators::kOptIndex : operators::kIndex, nullptr, {operand, key});
}

// --- Atoms ---

Expr* Walker::primary(Grammar::PrimaryContext* at) {
  if (auto* chosen = dynamic_cast<Grammar::IdentContext*>(at)) return ident(chosen);
  if (auto* chosen = dynamic_cast<Grammar::GlobalCallContext*>(at)) return global_call(chosen);
  if (auto* chosen = dynamic_cast<Grammar::CreateListContext*>(at)) return create_list(chosen);
  if (auto* chosen = dynamic_cast<Grammar::CreateMapContext*>(at)) return create_map(chosen);
  if (auto* chosen = dynamic_cast<Grammar::CreateStructContext*>(at)) return create_struct(chosen);
  return unknown(at);
}

bool Walker::is_reserved(std::string_view name) const {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

Expr* Walker::ident(Grammar::IdentContext* at) {
  if (!at->name) return hole(span(at));
  const std::string name = at->name->getText();
  if (is_reserved(name)) return builder_.error(span(at), "reserved identifier: " + name);
  return builder_.named(ExprKind::Ident, id(at->name), (at->dot ? "." : "") + name);
}

Expr* Walker::global_call(Grammar::GlobalCallContext* at) {
  if (!at->name) return hole(span(at));
  const std::string name = at->name->getText();
  if (is_reserved(name)) return builder_.error(span(at), "reserved identifier: " + name);
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
  if (auto* simple = dynamic_cast<Grammar::SimpleNameContext*>(at)) {
    out = simple->name->getText();
    return true;
  }
  auto* escaped = dynamic_cast<Grammar::EscapedNameContext*>(at);
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
  return literal(span(context), bytes ? literal_of(BytesLiteral{std::move(content)}) : literal_of(std::move(content)));
}

Expr* Walker::constant(Grammar::LiteralContext* at) {
  if (auto* token = dynamic_cast<Grammar::IntContext*>(at)) {
    const auto value = parse_int(token->token->getText(), token->sign != nullptr);
    return value ? literal(span(at), *value) : builder_.error(span(at), "invalid int literal");
  }
  if (auto* token = dynamic_cast<Grammar::UintContext*>(at)) {
    const auto value = parse_uint(token->token->getText());
    return value ? literal(span(at), *value) : builder_.error(span(at), "invalid uint literal");
  }
  if (auto* token = dynamic_cast<Grammar::DoubleContext*>(at)) {
    const auto value = parse_double(token->token->getText(), token->sign != nullptr);
    return value ? literal(span(at), *value) : builder_.error(span(at), "invalid double literal");
  }
  if (auto* token = dynamic_cast<Grammar::StringContext*>(at)) return unquoted(at, token->token, false);
  if (auto* token = dynamic_cast<Grammar::BytesContext*>(at)) return unquoted(at, token->token, true);
  if (dynamic_cast<Grammar::TrueContext*>(at)) return literal(span(at), true);
  if (dynamic_cast<Grammar::FalseContext*>(at)) return literal(span(at), false);
  if (dynamic_cast<Grammar::NullContext*>(at)) return literal(span(at), std::monostate());
  return unknown(at);
}

// Lexes, parses and walks; null when it gave up.
Expr* run(const Source& source, const ParseOptions& options, Ast& ast, Diagnostics& diagnostics) {
  RuneStream stream(source);
  SyntaxErrors errors(source, options.limits, diagnostics);
  DepthGuard guard(options.limits, diagnostics);
  Lexer lexer(&stream);
  lexer.removeErrorListeners();
  lexer.addErrorListener(&errors);
  antlr4::CommonTokenStream tokens(&lexer);
  Grammar parser(&tokens);
  parser.removeErrorListeners();
  parser.addErrorListener(&errors);
  parser.addParseListener(&guard);
  parser.setErrorHandler(std::make_shared<Recovery>(options.limits, diagnostics));
  Builder builder(options, ast, diagnostics);
  try {
    return Walker(source, options, builder, diagnostics).visit(parser.start()->body);
  } catch (const GiveUp&) {
  } catch (const ExpansionTooLarge&) {
    diagnostics.report(kNoOffset, fmt::format("macro expansion copies more than {} nodes", kMaxCopies));
  }
  return nullptr;
}

}  // namespace

Parsed parse(const Source& source, const ParseOptions& options) {
  Parsed out;
  if (source.size() > options.limits.code_points) {
    out.diagnostics.report(kNoOffset, fmt::format("expression code point size exceeds limit: size: {}, limit {}",
                                                  source.size(), options.limits.code_points));
    return out;
  }
  try {
    out.ast.root = run(source, options, out.ast, out.diagnostics);
  } catch (const std::exception& failure) {  // a defect of the generated parser, not of the text
    out.diagnostics.report(kNoOffset, fmt::format("internal error: {}", failure.what()));
  }
  return out;
}

}  // namespace portcullis
