// See scope_doubt.h.
#include "cli/reports/scope_doubt.h"

#include <tuple>

namespace portcullis {
namespace {

// What the API server answers and records, except the words of a denial.
auto answer(const Decision& d) { return std::tie(d.allowed, d.warnings, d.audit_annotations); }

std::string_view word(const Decision& d) {
  return !d.allowed ? "denied" : d.warnings.empty() ? "admitted" : "admitted with warnings";
}

}  // namespace

ScopeDoubt::ScopeDoubt(std::shared_ptr<const Engine> namespaced, const Authorizer* authorizer)
    : engine_(std::move(namespaced)), context_(std::make_unique<ReviewContext>()) {
  context_->authorizer = authorizer;
}

std::string ScopeDoubt::differs(const AdmissionRequest& request, const Decision& cluster_scoped,
                                const ParamScopes& scopes) {
  if (engine_ == nullptr) return {};
  engine_->review(request, *context_, decision_);
  bool same = !decision_.allowed && !cluster_scoped.allowed;  // a denial, regardless of its words
  if (same || answer(decision_) == answer(cluster_scoped)) return {};
  std::string_view one = word(cluster_scoped), other = word(decision_);
  if (one == other) return "warnings and audit annotations depend on the scope of " + scopes.in_doubt();
  return "the verdict depends on the scope of " + scopes.in_doubt() + ": " + std::string(one) +
         " if cluster-scoped, " + std::string(other) + " if namespaced";
}

}  // namespace portcullis
