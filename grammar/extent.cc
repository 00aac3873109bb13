#include "grammar/extent.h"

#include <algorithm>

#include "grammar/ascii.h"

namespace portcullis {
namespace {

bool is_name(char32_t c) { return c == '_' || c == '`' || is_alphanumeric(c); }

class Measure {
 public:
  Measure(const Ast& ast, const Source& source) : ast_(ast), text_(source.runes()) {}

  Span of(const Expr* e) const {
    const Expr& w = *ast_.written(e);
    Span out;
    take_parts(out, w);
    const Span own = ast_.span(e->id);
    if (own.start < 0) return out;
    take(out, {own.start, std::max(own.stop, own.start + 1)});
    take_tokens(out, w, own.start);
    balance(out);
    return out;
  }

 private:
  static void take(Span& out, Span more) {
    if (more.start < 0) return;
    out.start = out.start < 0 ? more.start : std::min(out.start, more.start);
    out.stop = std::max(out.stop, more.stop);
  }

  void take_parts(Span& out, const Expr& w) const {
    auto part = [&](const Expr* e) {
      if (e != nullptr) take(out, of(e));
    };
    part(w.target);
    for (const Expr* arg : w.args) part(arg);
    for (const Entry& entry : w.entries) {
      part(entry.key);
      part(entry.value);
    }
  }

  char32_t at(int32_t i) const {
    return i >= 0 && static_cast<size_t>(i) < text_.size() ? text_[static_cast<size_t>(i)] : U'\0';
  }
  bool is_space(int32_t i) const { return at(i) != 0 && at(i) <= ' '; }

  // The name before an opening bracket or after a dot, and what closes the bracket.
  void take_tokens(Span& out, const Expr& w, int32_t token) const {
    const char32_t c = at(token);
    if (c == '.') {
      int32_t end = token + 1;
      while (is_space(end) || at(end) == '?') end++;
      while (is_name(at(end))) end++;
      take(out, {token, end});
    }
    const bool named = (c == '(' && w.kind == ExprKind::Call) || (c == '{' && w.kind == ExprKind::Struct);
    if (named) take(out, {start_of_name(token), token + 1});
    if (c == '(' || c == '[' || c == '{') take(out, {token, closing(token)});
  }

  // Of the name before `bracket`, with its qualification.
  int32_t start_of_name(int32_t bracket) const {
    int32_t start = bracket;
    while (is_space(start - 1)) start--;
    while (is_name(at(start - 1)) || at(start - 1) == '.') start--;
    return start;
  }

  // Tells `bracket` each bracket from `start` on that is in no text or comment, until it returns false or the text
  // ends at `stop`.
  template <class F>
  void each_bracket(int32_t start, int32_t stop, F bracket) const {
    char32_t quote = 0;
    for (int32_t i = start; i < stop && at(i) != 0; i++) {
      const char32_t c = at(i);
      if (quote != 0) {
        if (c == '\\') i++;
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '/' && at(i + 1) == '/') {
        while (at(i + 1) != '\n' && at(i + 1) != 0) i++;
      } else if (c == '(' || c == '[' || c == '{') {
        if (!bracket(i, 1)) return;
      } else if (c == ')' || c == ']' || c == '}') {
        if (!bracket(i, -1)) return;
      }
    }
  }

  // Behind the bracket that closes the one at `open`, or behind that if none does.
  int32_t closing(int32_t open) const {
    int depth = 0;
    int32_t out = open + 1;
    each_bracket(open, static_cast<int32_t>(text_.size()), [&](int32_t i, int change) {
      depth += change;
      if (depth == 0) out = i + 1;
      return depth > 0;
    });
    return out;
  }

  // Takes in the other half of parentheses of which the parts have left out one.
  void balance(Span& out) const {
    int open = 0, closed = 0;
    each_bracket(out.start, out.stop, [&](int32_t, int change) {
      open += change;
      if (open < 0) closed++, open = 0;
      return true;
    });
    for (int32_t i = out.start - 1; closed > 0 && (is_space(i) || at(i) == '('); i--) {
      if (at(i) == '(') out.start = i, closed--;
    }
    for (int32_t i = out.stop; open > 0 && (is_space(i) || at(i) == ')'); i++) {
      if (at(i) == ')') out.stop = i + 1, open--;
    }
  }

  const Ast& ast_;
  const std::u32string& text_;
};

}  // namespace

Span extent(const Ast& ast, const Expr* expr, const Source& source) { return Measure(ast, source).of(expr); }

}  // namespace portcullis
