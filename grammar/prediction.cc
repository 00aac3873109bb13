#include "grammar/prediction.h"

#include <antlr4-runtime.h>

#include <map>
#include <mutex>
#include <utility>

#include "CELLexer.h"
#include "grammar/learned_rows.h"

namespace portcullis {
namespace {

using antlr4::Token;
using antlr4::dfa::DFAState;

// There is a row to start from for each decision at each precedence, and a column for each type of tokens, with
// the next row, or the alternative as a negative number.
constexpr size_t kDecisions = 40, kPrecedences = 4, kTypes = 40;
static_assert(generated::CELLexer::ESC_IDENTIFIER < kTypes);
LearnedRows<kDecisions * kPrecedences, 1024, kTypes> prediction_rows;  // for all threads

int16_t start_of(size_t decision, size_t precedence) {
  return static_cast<int16_t>(1 + decision * kPrecedences + precedence);
}

// ANTLR's states, which fill the rows.
struct PredictionTeacher {
  explicit PredictionTeacher(const antlr4::atn::ATN& atn) {
    for (size_t i = 0; i < atn.getNumberOfDecisions(); i++) states.emplace_back(atn.getDecisionState(i), i);
  }

  std::mutex mutex;  // for all else, and for writing rows
  std::vector<antlr4::dfa::DFA> states;
  antlr4::atn::PredictionContextCache contexts;
  std::map<std::pair<const DFAState*, int>, int16_t> known;  // the row of a state at a precedence
};

PredictionTeacher& teacher(const antlr4::atn::ATN& atn) {
  static PredictionTeacher one(atn);
  return one;
}

}  // namespace

LearnedPrediction::LearnedPrediction(antlr4::Parser* parser, const TokenList& tokens)
    : ParserATNSimulator(parser, parser->getATN(), teacher(parser->getATN()).states,
                         teacher(parser->getATN()).contexts),
      tokens_(tokens) {
  setPredictionMode(antlr4::atn::PredictionMode::SLL);
}

size_t LearnedPrediction::adaptivePredict(antlr4::TokenStream* input, size_t decision,
                                          antlr4::ParserRuleContext* context) {
  const int precedence = parser->getPrecedence();
  if (decision >= kDecisions || precedence < 0 || static_cast<size_t>(precedence) >= kPrecedences)
    return learn(input, decision, context);
  int16_t row = start_of(decision, static_cast<size_t>(precedence));
  for (const uint8_t* type = tokens_.ahead();; type += *type != 0) {  // stays at the end of the text
    row = prediction_rows.at(row, *type);
    if (row < 0) return static_cast<size_t>(-row);
    if (row == 0) return learn(input, decision, context);
  }
}

// Has ANTLR predict, and copies the states that it went through.
size_t LearnedPrediction::learn(antlr4::TokenStream* input, size_t decision,
                                antlr4::ParserRuleContext* context) {
  PredictionTeacher& teacher = portcullis::teacher(atn);
  std::lock_guard lock(teacher.mutex);
  const size_t alternative = ParserATNSimulator::adaptivePredict(input, decision, context);
  const int precedence = parser->getPrecedence();
  if (decision >= kDecisions || precedence < 0 || static_cast<size_t>(precedence) >= kPrecedences)
    return alternative;
  const antlr4::dfa::DFA& states = teacher.states[decision];
  const DFAState* state = states.isPrecedenceDfa() ? states.getPrecedenceStartState(precedence) : states.s0;
  int16_t row = start_of(decision, static_cast<size_t>(precedence));
  for (const uint8_t* type = tokens_.ahead(); state != nullptr; type += *type != 0) {
    const auto edge = state->edges.find(*type == 0 ? Token::EOF : *type);
    if (edge == state->edges.end()) break;
    state = edge->second;
    if (state->isAcceptState) {
      prediction_rows.set(row, *type, static_cast<int16_t>(-static_cast<int>(alternative)));
      break;
    }
    auto [known, fresh] = teacher.known.try_emplace({state, precedence});
    if (fresh) known->second = prediction_rows.fresh();
    if (known->second == 0) break;
    prediction_rows.set(row, *type, known->second);
    row = known->second;
  }
  return alternative;
}

}  // namespace portcullis
