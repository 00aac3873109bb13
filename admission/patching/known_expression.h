// Expressions of a policy that are read before there is a request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "grammar/source.h"
#include "interpreter/cel.h"

namespace portcullis::patching {

// An expression of a policy, compiled.
struct KnownExpression {
  ExpressionPtr expression;
  std::string path;  // where it stands: "spec.variables[0].expression"

  mutable std::shared_ptr<const Source> source = {};  // its text; made by runes()

  // The characters of its text, read once. Not thread-safe.
  const std::u32string& runes() const {
    if (source == nullptr) source = std::make_shared<const Source>(expression->text());
    return source->runes();
  }
};

// The variables of a policy by name.
using KnownVariables = std::map<std::string, KnownExpression, std::less<>>;
inline constexpr int kMostVariableDepth = 100;  // of variables within variables

inline bool is_ident(const Expr* e, std::string_view name) {
  return e != nullptr && e->kind == ExprKind::Ident && e->name == name;
}

}  // namespace portcullis::patching
