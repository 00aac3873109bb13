// See suite.h.
#include "cli/suites/suite.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "admission/scalars/spelling.h"

namespace portcullis::suites {
namespace {

// The kinds that admission plugins read (admission/builtin/surroundings.h).
constexpr std::array<std::string_view, 6> kSurroundings = {"LimitRange",   "ServiceAccount", "PriorityClass",
                                                           "RuntimeClass", "StorageClass",   "IngressClass"};

bool is_param(const InputObject& o, const std::vector<InputObject>& policies) {
  return std::ranges::any_of(policies, [&](const InputObject& p) {
    const Value* kind = param_kind(p);
    return kind != nullptr && text_member(*kind, "kind") == o.kind;
  });
}

// Whether the object of a case changes how the cluster decides: `review` takes its manifests so.
bool shapes_cluster(const InputObject& o, const std::vector<InputObject>& policies) {
  const Role role = role_of(o);
  return (role != Role::Other && role != Role::Review) || is_astray(o) ||
         o.group() == "rbac.authorization.k8s.io" || std::ranges::count(kSurroundings, o.kind) > 0 ||
         is_param(o, policies);
}

bool same(const InputObject& a, const InputObject& b) { return a.document == b.document && a.path == b.path; }
bool same(const std::vector<InputObject>& a, const std::vector<InputObject>& b) {
  return std::ranges::equal(a, b, [](const InputObject& x, const InputObject& y) { return same(x, y); });
}
bool same(const ReviewOptions& a, const ReviewOptions& b) {
  auto key = [](const ReviewOptions& o) {
    return std::tie(o.kubernetes_version, o.namespace_name, o.param_scopes, o.namespace_labels, o.webhooks,
                    o.as_is, o.allow_invalid, o.subresource);
  };
  return key(a) == key(b);
}

// Whether the objects of a case need a cluster of their own.
bool stands_alone(const Case& test, const std::vector<InputObject>& policies) {
  auto shapes = [&](const InputObject& o) { return shapes_cluster(o, policies); };
  return std::ranges::any_of(test.objects, shapes) || std::ranges::any_of(test.old, shapes);
}

}  // namespace

bool Expected::empty() const {
  return !allowed && denials.empty() && !warnings && !errors && annotations.empty() && !mutation && !calls &&
         !cost && outcomes.empty();
}

Position Suite::locate(std::string_view path, bool key) const {
  return portcullis::locate(file->text, *document, path, key);
}

std::vector<std::string> files_of(const Suite& suite, const std::vector<InputObject>& objects) {
  std::vector<std::string> out;
  for (const InputObject& o : objects) {
    if (std::ranges::count(out, o.file->name) == 0) out.push_back(o.file->name);
  }
  if (out.empty()) out.push_back(suite.file->name);
  return out;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
  const std::string meant = did_you_mean(nearest(word, names));
  return meant.empty() ? "" : "; " + meant;
}

Case& add_case(Suite& suite, std::string path) {
  Case& out = *suite.cases.emplace_back(std::make_unique<Case>());
  out.suite = &suite;
  out.path = std::move(path);
  out.number = suite.cases.size();
  out.name = "case " + std::to_string(suite.cases.size());
  return out;
}

void add_to_batch(Suite& suite, const Case& test, const ReviewOptions& options,
                  const std::vector<InputObject>& policies, const std::vector<InputObject>& params) {
  const bool alone = stands_alone(test, policies);
  auto fits = [&](const Batch& b) {
    return same(b.options, options) && same(b.policies, policies) && same(b.params, params) &&
           b.cases.front()->stored == test.stored && !stands_alone(*b.cases.front(), policies);
  };
  auto found = alone ? suite.batches.end() : std::ranges::find_if(suite.batches, fits);
  if (found == suite.batches.end()) {
    suite.batches.push_back({&suite, options, policies, params, {}});
    found = suite.batches.end() - 1;
  }
  found->cases.push_back(&test);
}

}  // namespace portcullis::suites
