// Mode `typecheck` of the batch protocol: type checking of policies.
#include "admission/typing/typecheck.h"
#include "batch/response.h"

namespace portcullis {
namespace {

const SchemaCatalog& builtin_catalog() {
  static const SchemaCatalog catalog;
  return catalog;
}

}  // namespace

Result<void> answer_typecheck(const Document& request, Response& response) {
  const Document* policy = member(request, "policy");
  if (policy == nullptr) return Error{"there is no policy"};
  Arena arena;
  TypeReport report =
      typecheck_policy(decode_object(arena, *policy), builtin_catalog(), TypecheckScope::ApiServer);
  if (!report.error.empty()) return Error{report.error};
  response.list("expressionWarnings", report.warnings, [](JsonWriter& w, const ExpressionWarning& warning) {
    w.member("fieldRef", warning.field);
    w.member("warning", warning.warning);
  });
  return {};
}

}  // namespace portcullis
