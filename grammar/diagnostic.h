// Diagnostics: the errors of an expression with their places, and their text as cel-go prints it.
//
// Idea: parser and checker report {offset, message, id}; only render() makes text of it, with line, column,
// source line and caret. That text is cel-go's to the byte, because authors search for it.
// Limits: each stage keeps kMaxDiagnostics and counts the rest.
// Tested by grammar/diagnostic_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "grammar/source.h"

namespace portcullis {

struct Diagnostic {
  // An offset in code points. kNoOffset: the error concerns the whole expression and is shown as "-1:0"
  // without source line. -1 (the place of a node that has no token) is shown as "1:0".
  int32_t offset = kNoOffset;
  std::string message;
  ExprId id = 0;  // the node or entry concerned; 0: none (syntax errors)
};

// The errors that cel-go keeps per stage; it counts the others in "N more errors were truncated".
inline constexpr size_t kMaxDiagnostics = 100;

class Diagnostics {
 public:
  void report(int32_t offset, std::string message, ExprId id = 0);

  bool empty() const { return items_.empty(); }
  const std::vector<Diagnostic>& items() const { return items_; }  // in order of reporting
  size_t dropped() const { return dropped_; }                      // reported after the first kMaxDiagnostics

 private:
  std::vector<Diagnostic> items_;
  size_t dropped_ = 0;
};

// One diagnostic as cel-go prints it: "ERROR: <input>:1:5: message\n | source line\n | ....^".
std::string render(const Source& source, const Diagnostic& diagnostic);

// All diagnostics, stably sorted by line and column, joined by '\n'.
std::string render(const Source& source, const Diagnostics& diagnostics);

}  // namespace portcullis
