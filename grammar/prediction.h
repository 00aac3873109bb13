// LearnedPrediction: what the generated parser asks where one token does not decide, from learned rows.
//
// Idea: ANTLR's SLL prediction depends on the decision, the tokens ahead and, in rules that recurse to the left, the
// precedence; nothing else. What it has answered is kept in rows (learned_rows.h).
// Limits: for attempts that end at their first error (parse.cc), since SLL prediction has other errors than
// cel-go's. The grammar has no predicates but those of precedence.
// Tested by grammar/parse_test.cc.
#pragma once

#include <atn/ParserATNSimulator.h>

#include "grammar/tokens.h"

namespace portcullis {

class LearnedPrediction final : public antlr4::atn::ParserATNSimulator {
 public:
  // For a parser that reads `tokens`. Both must outlive this.
  LearnedPrediction(antlr4::Parser* parser, const TokenList& tokens);

  // The alternative to take; throws NoViableAltException where there is none.
  size_t adaptivePredict(antlr4::TokenStream* input, size_t decision,
                         antlr4::ParserRuleContext* context) override;

 private:
  size_t learn(antlr4::TokenStream* input, size_t decision, antlr4::ParserRuleContext* context);

  const TokenList& tokens_;
};

}  // namespace portcullis
