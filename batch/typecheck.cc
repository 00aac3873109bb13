// Mode `typecheck` of the batch protocol: type checking of policies.
#include <fmt/format.h>

#include "admission/typing/typecheck.h"
#include "batch/response.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

const SchemaCatalog& builtin_catalog() {
  static const SchemaCatalog catalog;
  return catalog;
}

}  // namespace

void answer_typecheck(const Document& request, Response& response) {
  const Document* policy = member(request, "policy");
  if (policy == nullptr) return response.input_error("there is no policy");
  Arena arena;
  TypeReport report =
      typecheck_policy(decode_object(arena, *policy), builtin_catalog(), TypecheckScope::ApiServer);
  if (!report.error.empty()) return response.input_error(report.error);
  std::string out = "[";
  for (const ExpressionWarning& w : report.warnings) {
    out += fmt::format(R"({}{{"fieldRef":{},"warning":{}}})", out.size() > 1 ? "," : "", quote_json(w.field),
                       quote_json(w.warning));
  }
  response.set("expressionWarnings", out + "]");
}

}  // namespace portcullis
