// parse: text to AST. The front door of grammar/.
//
// Idea: the ANTLR parser generated from CEL.g4 makes a parse tree; one walk builds the AST in cel-go's
// visiting order (so that ids agree), expands macros, balances && and ||, and checks what the grammar cannot
// say (reserved words, literals). Errors are cel-go's, character for character.
// Limits: ParseLimits, each with cel-go's text; they also bound stack (8 MB suffices with sanitizers) and
// time. The folder in reading order: ascii, utf8, quote (with printable), escape, result, source, diagnostic, ast,
// literal, macros; the front door parse, and behind it tokens, prediction (with learned_rows), context, walk, build;
// then shared_parses, unparse, extent. Tested by grammar/parse_test.cc, grammar/macros_test.cc, tests/language.
#pragma once

#include <cstdint>

#include "grammar/ast.h"
#include "grammar/diagnostic.h"
#include "grammar/macros.h"
#include "grammar/source.h"

namespace portcullis {

// The default limits are cel-go's.
struct ParseLimits {
  int32_t code_points = 100'000;  // size of the text
  int32_t recursion = 250;      // nesting of one grammar rule while parsing; nesting of nodes while building
  int32_t recoveries = 30;      // syntax errors that are recovered from
  int32_t lookahead = 256;      // tokens skipped in one recovery
  int32_t syntax_errors = 100;  // syntax errors reported
};

struct ParseOptions {
  const MacroTable* macros = nullptr;  // null: no macros. Must outlive the call only
  bool optional_syntax = false;        // a.?b, a[?i], {?k: v}: brought by the optionals library
  bool escape_idents = true;           // a.`b-c`
  bool hidden_accumulator = true;      // "@result"; false: "__result__", which expressions could name
  bool variadic_logic = false;         // one call for a && b && c instead of a balanced tree
  bool record_macro_calls = true;      // fill Ast::macro_calls
  ParseLimits limits = {};
};

struct Parsed {
  Ast ast;  // root is null or holds Unspecified nodes when there are diagnostics
  Diagnostics diagnostics;
  bool ok() const { return diagnostics.empty(); }
};

// Parses one expression. Never throws, never fails to answer; thread-safe.
Parsed parse(const Source& source, const ParseOptions& options);

}  // namespace portcullis
