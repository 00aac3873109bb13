// parse(): runs the generated ANTLR parser so that it behaves like cel-go's.
//
// Idea: an Attempt runs lexer and parser with cel-go's limits and error texts; walk.cc builds the AST from
// its parse tree. The first attempt uses what was learned of ANTLR's lexer and of its SLL prediction (tokens.h,
// prediction.h); it either finds the same tree or meets an error. After an error a second attempt uses ANTLR's own
// lexer and full LL prediction, whose errors are cel-go's. No other files know ANTLR.
// Limits: an ANTLR parser recurses on nesting, so the depth guard (a parse listener) must see every rule.
// Tested by grammar/parse_test.cc.
#include "grammar/parse.h"

#include <antlr4-runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>

#include "CELLexer.h"
#include "CELParser.h"
#include "grammar/context.h"
#include "grammar/prediction.h"
#include "grammar/tokens.h"
#include "grammar/utf8.h"
#include "grammar/walk.h"

namespace portcullis {
namespace {

using Grammar = generated::CELParser;
using antlr4::ParserRuleContext;
using antlr4::Token;

// Thrown through the generated parser to end the parse, after the error has been reported.
struct GiveUp {};

class Lexer final : public generated::CELLexer {
 public:
  using CELLexer::CELLexer;

  // Shows the skipped text unchanged, as cel-go does; ANTLR would escape newlines and tabs.
  void notifyListeners(const antlr4::LexerNoViableAltException&) override {
    const antlr4::misc::Interval range(static_cast<ssize_t>(tokenStartCharIndex),
                                       static_cast<ssize_t>(_input->index()));
    getErrorListenerDispatch().syntaxError(this, nullptr, tokenStartLine, tokenStartCharPositionInLine,
                                           "token recognition error at: '" + _input->getText(range) + "'",
                                           std::exception_ptr());
  }
};

// Makes tokens as ANTLR's own factory does, but in the pool of the parse.
class TokenMaker final : public antlr4::TokenFactory<antlr4::CommonToken> {
 public:
  std::unique_ptr<antlr4::CommonToken> create(std::pair<antlr4::TokenSource*, antlr4::CharStream*> source,
                                              size_t type, const std::string& text, size_t channel,
                                              size_t start, size_t stop, size_t line,
                                              size_t column) override {
    auto token = std::make_unique<PooledToken>(source, type, channel, start, stop);
    token->setLine(line);
    token->setCharPositionInLine(column);
    if (!text.empty()) token->setText(text);
    return token;
  }
  std::unique_ptr<antlr4::CommonToken> create(size_t type, const std::string& text) override {
    return std::make_unique<PooledToken>(type, text);
  }
};

// Turns ANTLR's complaints into diagnostics.
class SyntaxErrors final : public antlr4::BaseErrorListener {
 public:
  // Reports `limit` errors; the next one is reported as too many and ends the parse.
  SyntaxErrors(const Source& source, int32_t limit, Diagnostics& diagnostics)
      : source_(source), limit_(limit), diagnostics_(diagnostics) {}

  void syntaxError(antlr4::Recognizer*, Token*, size_t line, size_t column, const std::string& message,
                   std::exception_ptr) override {
    const int32_t at = source_.offset({static_cast<int32_t>(line), static_cast<int32_t>(column)});
    if (reported_ == limit_) {
      diagnostics_.report(at, fmt::format("Syntax error: More than {} syntax errors", limit_));
      throw GiveUp{};
    }
    ++reported_;
    diagnostics_.report(at, "Syntax error: " + reworded(message));
  }

 private:
  // Gives the error for `a.true` cel-go's words: ANTLR's own text does not mention the reserved word.
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
  const int32_t limit_;
  Diagnostics& diagnostics_;
  int32_t reported_ = 0;
};

// Ends the parse where a grammar rule nests too deep, which protects the stack.
class DepthGuard final : public antlr4::tree::ParseTreeListener {
 public:
  DepthGuard(const ParseLimits& limits, Diagnostics& diagnostics)
      : limits_(limits), diagnostics_(diagnostics) {}

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

// ANTLR's error recovery, which takes quadratic time on broken nesting, held to cel-go's limits.
class Recovery final : public antlr4::DefaultErrorStrategy {
 public:
  Recovery(const ParseLimits& limits, bool exact, Diagnostics& diagnostics)
      : limits_(limits), exact_(exact), diagnostics_(diagnostics) {}

  // Looks for an unexpected token before every decision, so that recovery starts at a good place. Not needed
  // in an attempt that ends at its first error: a later step meets the same token.
  void sync(antlr4::Parser* parser) override {
    if (exact_) DefaultErrorStrategy::sync(parser);
  }

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
  // ANTLR's C++ runtime does not forget the states of earlier errors here, and would skip one token too many
  // at the next error.
  void endErrorCondition(antlr4::Parser* parser) override {
    DefaultErrorStrategy::endErrorCondition(parser);
    lastErrorStates.clear();
  }

  // Counts only tokens that recover() skips; recover() may have skipped one of them before it calls this.
  void consumeUntil(antlr4::Parser* parser, const antlr4::misc::IntervalSet& set) override {
    int32_t skipped = parser->getInputStream()->index() == recovery_start_ ? 0 : 1;
    for (size_t type = parser->getInputStream()->LA(1); type != Token::EOF && !set.contains(type);
         type = parser->getInputStream()->LA(1)) {
      if (recovering_ && skipped++ >= limits_.lookahead) {
        diagnostics_.report(
            kNoOffset, fmt::format("error recovery token lookahead limit exceeded: {}", limits_.lookahead));
        throw GiveUp{};
      }
      parser->consume();
    }
  }

 private:
  void count_attempt(antlr4::Parser* parser) {
    if (attempts_++ < limits_.recoveries) return;
    parser->notifyErrorListeners(parser->getCurrentToken(),
                                 fmt::format("error recovery attempt limit exceeded: {}", limits_.recoveries),
                                 nullptr);
    throw GiveUp{};
  }

  const ParseLimits& limits_;
  const bool exact_;
  Diagnostics& diagnostics_;
  int32_t attempts_ = 0;
  size_t recovery_start_ = 0;
  bool recovering_ = false;
};

// The generated parser without what only serves to show parse trees. walk.cc reads the labels of the grammar,
// so an attempt that reports no errors need not keep the children of each rule; they take more than half of
// the memory.
class LeanParser final : public Grammar {
 public:
  LeanParser(antlr4::TokenStream* tokens, bool keep_children)
      : Grammar(tokens), keep_children_(keep_children) {
    setBuildParseTree(keep_children);
  }
  Token* consume() override {
    if (keep_children_) return Grammar::consume();
    Token* token = getCurrentToken();
    if (token->getType() != Token::EOF) getInputStream()->consume();
    return token;
  }

 private:
  const bool keep_children_;
};

// What both attempts to parse a text share. The second finds all errors and recovers from them (`exact`); the
// first ends at the first error.
class Attempt {
 public:
  Attempt(const Source& source, const ParseLimits& limits, bool exact, Diagnostics& diagnostics)
      : stream_(source),
        errors_(source, exact ? limits.syntax_errors : 0, diagnostics),
        guard_(limits, diagnostics),
        recovery_(std::make_shared<Recovery>(limits, exact, diagnostics)) {}

 protected:
  // The parse tree, which lives as long as the attempt; null if it was given up.
  Grammar::StartContext* run_parser(Grammar& parser) {
    parser.removeErrorListeners();
    parser.addErrorListener(&errors_);
    parser.addParseListener(&guard_);
    parser.setErrorHandler(recovery_);
    try {
      return parser.start();
    } catch (const GiveUp&) {
      return nullptr;
    }
  }

  ParsePool pool_;  // declared first: everything below allocates in it
  RuneStream stream_;
  SyntaxErrors errors_;

 private:
  DepthGuard guard_;
  std::shared_ptr<Recovery> recovery_;
};

class FirstAttempt : public Attempt {
 public:
  FirstAttempt(const Source& source, const ParseLimits& limits, Diagnostics& ignored)
      : Attempt(source, limits, false, ignored), tokens_(source, stream_), parser_(&tokens_, false) {
    parser_.setInterpreter(new LearnedPrediction(&parser_, tokens_));
  }
  Grammar::StartContext* tree() { return tokens_.ok() ? run_parser(parser_) : nullptr; }

 private:
  TokenList tokens_;
  LeanParser parser_;
};

class ExactAttempt : public Attempt {
 public:
  ExactAttempt(const Source& source, const ParseLimits& limits, Diagnostics& diagnostics)
      : Attempt(source, limits, true, diagnostics),
        lexer_(&stream_),
        tokens_(&lexer_),
        parser_(&tokens_, true) {
    lexer_.setTokenFactory(&token_maker_);
    lexer_.removeErrorListeners();
    lexer_.addErrorListener(&errors_);
  }
  Grammar::StartContext* tree() { return run_parser(parser_); }

 private:
  TokenMaker token_maker_;
  Lexer lexer_;
  antlr4::CommonTokenStream tokens_;
  LeanParser parser_;
};

Expr* run_parser(const Source& source, const ParseOptions& options, Ast& ast, Diagnostics& diagnostics) {
  {
    Diagnostics ignored;
    FirstAttempt first(source, options.limits, ignored);
    if (auto* tree = first.tree()) return walk(tree->body, source, options, ast, diagnostics);
  }
  ExactAttempt exact(source, options.limits, diagnostics);
  auto* tree = exact.tree();
  return tree ? walk(tree->body, source, options, ast, diagnostics) : nullptr;
}

}  // namespace

Parsed parse(const Source& source, const ParseOptions& options) {
  Parsed out;
  if (source.size() > options.limits.code_points) {
    out.diagnostics.report(
        kNoOffset, fmt::format("expression code point size exceeds limit: size: {}, limit {}", source.size(),
                               options.limits.code_points));
    return out;
  }
  try {
    out.ast.root = run_parser(source, options, out.ast, out.diagnostics);
  } catch (const std::bad_alloc&) {  // says nothing about the text
    throw;
  } catch (const std::exception& failure) {  // a defect of the generated parser, not of the text
    out.diagnostics.report(kNoOffset, fmt::format("internal error: {}", failure.what()));
  }
  return out;
}

}  // namespace portcullis
