#include "grammar/tokens.h"

#include <antlr4-runtime.h>

#include <map>
#include <mutex>

#include "CELLexer.h"
#include "grammar/learned_rows.h"

namespace portcullis {
namespace {

using antlr4::Token;
using antlr4::dfa::DFAState;

// No token of the grammar tells the code points behind ASCII from DEL, and ANTLR keeps no states for them.
constexpr char32_t kLastRune = 127;
char32_t folded(char32_t rune) { return std::min(rune, kLastRune); }

// A row of the lexer's states has a column for each rune, with the next row or kNowhere, and one for the token that
// ends here: its type, negative if the token is hidden.
constexpr size_t kToken = kLastRune + 1;
constexpr int16_t kStart = 1, kNowhere = -1;
LearnedRows<1, 512, kToken + 1> token_rows;  // for all threads

// The text with its code points folded.
class FoldedStream final : public RuneStream {
 public:
  using RuneStream::RuneStream;
  size_t LA(ssize_t i) override {
    const size_t rune = RuneStream::LA(i);
    return rune == EOF ? rune : folded(static_cast<char32_t>(rune));
  }
};

class Failed final : public antlr4::BaseErrorListener {
 public:
  bool failed = false;
  void syntaxError(antlr4::Recognizer*, Token*, size_t, size_t, const std::string&,
                   std::exception_ptr) override {
    failed = true;
  }
};

// Has the generated lexer fill the rows.
class TokenTeacher {
 public:
  // Has the generated lexer find all tokens of the text, hidden ones too. Returns false if it meets an error.
  bool run(const Source& source, std::vector<std::unique_ptr<Token>>& out) {
    std::lock_guard lock(mutex_);
    FoldedStream stream(source);
    generated::CELLexer lexer(&stream);
    Failed errors;
    lexer.removeErrorListeners();
    lexer.addErrorListener(&errors);
    // States of its own: those of other lexers change in other threads.
    if (states_.empty()) states_.emplace_back(lexer.getATN().getDecisionState(0), 0);
    lexer.setInterpreter(new antlr4::atn::LexerATNSimulator(&lexer, lexer.getATN(), states_, contexts_));
    do {
      out.push_back(lexer.nextToken());
      if (errors.failed) return false;
      copy(source, out.back()->getStartIndex());
    } while (out.back()->getType() != Token::EOF);
    return true;
  }

 private:
  // Copies the states that the lexer goes through from a token's start on.
  void copy(const Source& source, size_t at) {
    const DFAState* state = states_[0].s0;
    for (int16_t row = kStart; at < source.runes().size(); at++) {
      const char32_t rune = folded(source.runes()[at]);
      const auto edge = state->edges.find(rune);
      if (edge == state->edges.end()) return;
      state = edge->second;
      const int16_t next = state == antlr4::atn::LexerATNSimulator::ERROR.get() ? kNowhere : row_of(state);
      if (next != 0) token_rows.set(row, rune, next);
      if (next <= 0) return;
      row = next;
    }
  }

  // The row of a state; 0 if it has none.
  int16_t row_of(const DFAState* state) {
    auto [known, fresh] = known_.try_emplace(state);
    if (!fresh) return known->second;
    const bool hidden = state->lexerActionExecutor != nullptr;  // the grammar's only action
    known->second = token_rows.fresh();
    if (known->second != 0 && state->isAcceptState) {
      const auto type = static_cast<int16_t>(state->prediction);
      token_rows.set(known->second, kToken, hidden ? static_cast<int16_t>(-type) : type);
    }
    return known->second;
  }

  std::mutex mutex_;
  std::vector<antlr4::dfa::DFA> states_;
  antlr4::atn::PredictionContextCache contexts_;
  std::map<const DFAState*, int16_t> known_;
};

}  // namespace

TokenList::TokenList(const Source& source, RuneStream& stream) : source_(source), stream_(stream) {
  ok_ = scan() || learn();
  if (!ok_) add(Token::EOF, 0, 0, 0, 0);
}

// Finds the tokens by what is known; false where that does not suffice.
bool TokenList::scan() {
  const std::u32string& runes = source_.runes();
  size_t line = 1, column = 0;
  for (size_t start = 0; start < runes.size();) {
    // The longest token that starts here, and the place behind it.
    int16_t token = 0;
    size_t stop = start, stop_line = line, stop_column = column;
    size_t at_line = line, at_column = column;
    int16_t row = kStart;
    for (size_t at = start; at < runes.size();) {
      const char32_t rune = runes[at];
      row = token_rows.at(row, folded(rune));
      if (row == 0) return false;
      if (row == kNowhere) break;
      at++;
      at_column++;
      if (rune == '\n') at_line++, at_column = 0;
      if (const int16_t ends = token_rows.at(row, kToken)) {
        token = ends;
        stop = at, stop_line = at_line, stop_column = at_column;
      }
    }
    if (token == 0) return false;
    if (token > 0) add(static_cast<size_t>(token), start, stop - 1, line, column);
    start = stop, line = stop_line, column = stop_column;
  }
  add(Token::EOF, runes.size(), runes.size() - 1, line, column);
  return true;
}

// Finds the tokens by the generated lexer, and remembers how.
bool TokenList::learn() {
  tokens_.clear();
  types_.clear();
  static TokenTeacher teacher;
  std::vector<std::unique_ptr<Token>> all;
  if (!teacher.run(source_, all)) return false;
  for (const auto& token : all) {
    if (token->getChannel() != Token::DEFAULT_CHANNEL) continue;
    add(token->getType(), token->getStartIndex(), token->getStopIndex(), token->getLine(),
        token->getCharPositionInLine());
  }
  return true;
}

void TokenList::add(size_t type, size_t start, size_t stop, size_t line, size_t column) {
  auto token =
      std::make_unique<PooledToken>(std::pair<antlr4::TokenSource*, antlr4::CharStream*>{nullptr, &stream_},
                                    type, Token::DEFAULT_CHANNEL, start, stop);
  token->setLine(line);
  token->setCharPositionInLine(column);
  token->setTokenIndex(tokens_.size());
  tokens_.push_back(std::move(token));
  types_.push_back(type == Token::EOF ? 0 : static_cast<uint8_t>(type));
}

Token* TokenList::LT(ssize_t k) {
  if (k == 0) return nullptr;
  const ssize_t at = static_cast<ssize_t>(position_) + (k < 0 ? k : k - 1);
  if (at < 0) return nullptr;
  return tokens_[std::min(static_cast<size_t>(at), tokens_.size() - 1)].get();
}

}  // namespace portcullis
