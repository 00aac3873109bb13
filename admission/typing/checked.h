// An expression of a policy, type-checked for one kind.
#pragma once

#include <string>
#include <string_view>

#include "grammar/shared_parses.h"
#include "typecheck/check.h"
#include "typecheck/environment.h"

namespace portcullis {

// Suffixes of the type names of `object` and `params`. Kubernetes appends nanoseconds, so that no expression
// can name the type. These bytes, which UTF-8 does not have, stand in no expression either, and are not shown.
inline constexpr char kObjectMark = '\xfe', kParamsMark = '\xff';

inline std::string without_marks(std::string text) {
  std::erase_if(text, [](char c) { return c == kObjectMark || c == kParamsMark; });
  return text;
}

class Checked {
 public:
  Checked(std::string_view text, const Environment& environment, SharedParses& parses) : source_(text) {
    Parsed parsed = parses.copy(source_, environment.parse_options());
    diagnostics_ = std::move(parsed.diagnostics);
    if (!diagnostics_.empty()) return;
    ast_ = std::move(parsed.ast);
    diagnostics_ = check(ast_, environment, annotations_);
    if (diagnostics_.empty()) output_ = ast_.root->type;
  }

  const Type* output() const { return output_; }  // null if there are diagnostics
  const Diagnostics& diagnostics() const { return diagnostics_; }
  std::string rendered() const { return without_marks(render(source_, diagnostics_)); }
  const Ast& ast() const { return ast_; }
  Position position(const Diagnostic& d) const {
    if (d.offset < 0) return {};
    Location l = source_.location(d.offset);
    return {l.line, l.column + 1};
  }

 private:
  Source source_;
  Ast ast_;
  Annotations annotations_;
  Diagnostics diagnostics_;
  const Type* output_ = nullptr;
};

// The node with this id; null if there is none.
inline const Expr* find_node(const Expr* e, ExprId id) {
  if (e == nullptr || e->id == id) return e;
  const Expr* found = nullptr;
  for_each_child(*e, [&](const Expr& child) {
    if (found == nullptr) found = find_node(&child, id);
  });
  return found;
}

}  // namespace portcullis
