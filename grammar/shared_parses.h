// SharedParses: parses each text once for all its readers.
//
// Idea: a policy's expressions are looked at by validation, type check, costs, loading and more, in environments that
// differ in types but parse alike. Parsing takes most of that time, so whoever comes first parses, and the others
// get a copy of the tree to write their types onto.
// Limits: a tree is some kilobytes, and is kept until its text is forgotten (whoever looks last does so) or this dies
// with the set of policies. Options are told apart by what parse() makes of them.
// One thread at a time.
// Tested by grammar/shared_parses_test.cc.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/parse.h"

namespace portcullis {

class SharedParses {
 public:
  // What parse() says of the text, to be read only; stays where it is until it is forgotten. After errors there are
  // diagnostics and no tree.
  const Parsed& read(const Source& source, const ParseOptions& options);
  // The same with a tree that belongs to the caller.
  Parsed copy(const Source& source, const ParseOptions& options);
  // Drops the trees of a text; whoever asks for it again has it parsed again.
  void forget(std::string_view text);

 private:
  struct Known {
    ParseOptions options;
    MacroTable macros;
    std::map<std::string, Parsed, std::less<>> texts;
  };
  std::vector<Known> known_;
};

// A copy of the tree with the same nodes, ids and places, without types.
Ast copy_of(const Ast& ast);

}  // namespace portcullis
