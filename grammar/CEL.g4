// The grammar of CEL, after the sections Lexis and Syntax of cel-spec's language definition.
//
// Idea: the generated parser's own error texts reach users ("mismatched input ... expecting {...}"), so the
// rules must have cel-go's shape: its alternatives, and its tokens in the same order with the same names,
// show in messages and in error recovery. Labels do not show and are ours.
// Limits: walk.cc and literal.cc check reserved words, ranges of numbers and escapes.
// Tested by grammar/parse_test.cc.
grammar CEL;

options { contextSuperClass = PooledContext; }
@parser::postinclude { #include "grammar/context.h" }
@parser::members {
  // The only kind there is. (ANTLR's own function, which this hides, looks for the type each time.)
  template <class T>
  T* getInterpreter() const { return static_cast<T*>(_interpreter); }
}
// Each context that the generated code casts is of the type that it has just made.
@parser::definitions { #define dynamic_cast static_cast }

// An expression is the whole input.
start : body=expr EOF ;

// From loosest to tightest. Only the last branch of a conditional can be another conditional without
// parentheses.
expr : test=conditionalOr (op='?' yes=conditionalOr ':' no=expr)? ;

conditionalOr : first=conditionalAnd (ops+='||' rest+=conditionalAnd)* ;

conditionalAnd : first=relation (ops+='&&' rest+=relation)* ;

relation
  : only=calc
  | left=relation op=('<' | '<=' | '>=' | '>' | '==' | '!=' | 'in') right=relation
  ;

calc
  : only=unary
  | left=calc op=('*' | '/' | '%') right=calc
  | left=calc op=('+' | '-') right=calc
  ;

unary
  : only=member                # Plain
  | (ops+='!')+ operand=member # Not
  | (ops+='-')+ operand=member # Negate
  ;

member
  : only=primary                                                      # Atom
  | operand=member op='.' (opt='?')? name=escapeIdent                 # Select
  | operand=member op='.' name=IDENTIFIER open='(' args=exprList? ')' # MemberCall
  | operand=member op='[' (opt='?')? index=expr ']'                   # Index
  ;

primary
  : dot='.'? name=IDENTIFIER                                     # Ident
  | dot='.'? name=IDENTIFIER (op='(' args=exprList? ')')         # GlobalCall
  | '(' body=expr ')'                                            # Nested
  | op='[' elements=listInit? ','? ']'                           # CreateList
  | op='{' entries=mapInit? ','? '}'                             # CreateMap
  | dot='.'? names+=IDENTIFIER ('.' names+=IDENTIFIER)*
      op='{' entries=fieldInit? ','? '}'                         # CreateStruct
  | only=literal                                                 # Constant
  ;

exprList : items+=expr (',' items+=expr)* ;

listInit : items+=optExpr (',' items+=optExpr)* ;

mapInit : keys+=optExpr cols+=':' values+=expr (',' keys+=optExpr cols+=':' values+=expr)* ;

fieldInit : fields+=optField cols+=':' values+=expr (',' fields+=optField cols+=':' values+=expr)* ;

optField : (opt='?')? name=escapeIdent ;

optExpr : (opt='?')? body=expr ;

escapeIdent
  : name=IDENTIFIER     # SimpleName
  | name=ESC_IDENTIFIER # EscapedName
  ;

literal
  : sign='-'? token=NUM_INT   # Int
  | token=NUM_UINT            # Uint
  | sign='-'? token=NUM_FLOAT # Double
  | token=STRING              # String
  | token=BYTES               # Bytes
  | token='true'              # True
  | token='false'             # False
  | token='null'              # Null
  ;

// Tokens. Sets of expected tokens are printed in this order. No token tells the code points from DEL on apart, which
// tokens.cc relies on.
EQUALS : '==' ;
NOT_EQUALS : '!=' ;
IN : 'in' ;
LESS : '<' ;
LESS_EQUALS : '<=' ;
GREATER_EQUALS : '>=' ;
GREATER : '>' ;
LOGICAL_AND : '&&' ;
LOGICAL_OR : '||' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
LPAREN : '(' ;
RPAREN : ')' ;
DOT : '.' ;
COMMA : ',' ;
MINUS : '-' ;
EXCLAM : '!' ;
QUESTION : '?' ;
COLON : ':' ;
PLUS : '+' ;
STAR : '*' ;
SLASH : '/' ;
PERCENT : '%' ;
CEL_TRUE : 'true' ;
CEL_FALSE : 'false' ;
CEL_NULL : 'null' ;

WHITESPACE : [\t \r\n\u000C]+ -> channel(HIDDEN) ;
COMMENT : '//' ~[\n]* -> channel(HIDDEN) ;

NUM_FLOAT
  : DIGIT+ '.' DIGIT+ EXPONENT?
  | DIGIT+ EXPONENT
  | '.' DIGIT+ EXPONENT?
  ;

NUM_INT : DIGIT+ | '0x' HEX+ ;

NUM_UINT : (DIGIT+ | '0x' HEX+) [uU] ;

// Triple quotes end at the first three quotes; a raw string has no escapes, so nothing hides its closing quote.
STRING
  : '"' (ESCAPE | ~[\\"\n\r])* '"'
  | '\'' (ESCAPE | ~[\\'\n\r])* '\''
  | '"""' (ESCAPE | ~[\\])*? '"""'
  | '\'\'\'' (ESCAPE | ~[\\])*? '\'\'\''
  | RAW '"' ~["\n\r]* '"'
  | RAW '\'' ~['\n\r]* '\''
  | RAW '"""' .*? '"""'
  | RAW '\'\'\'' .*? '\'\'\''
  ;

BYTES : [bB] STRING ;

IDENTIFIER : [A-Za-z_] [A-Za-z0-9_]* ;

// Field names that are no identifiers: a.`b-c`.
ESC_IDENTIFIER : '`' [A-Za-z0-9_.\-/ ]+ '`' ;

fragment RAW : [rR] ;
fragment DIGIT : [0-9] ;
fragment HEX : [0-9a-fA-F] ;
fragment EXPONENT : [eE] [+\-]? DIGIT+ ;
fragment ESCAPE
  : '\\' [abfnrtv"'\\?`]
  | '\\' [xX] HEX HEX
  | '\\u' HEX HEX HEX HEX
  | '\\U' HEX HEX HEX HEX HEX HEX HEX HEX
  | '\\' [0-3] [0-7] [0-7]
  ;
