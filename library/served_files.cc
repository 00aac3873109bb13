// See served_files.h.
#include "library/served_files.h"

#include <algorithm>

#include "admission/scalars/group_version.h"
#include "library/manifests.h"
#include "manifests/namespaces.h"
#include "manifests/roles.h"
#include "manifests/undefined_params.h"

namespace portcullis {
namespace {

using Severity = v1::Problem::Severity;

void add_to_problems(v1::LoadResult& to, Severity severity, std::string text) {
  v1::Problem& p = to.problems.emplace_back();
  p.severity = severity;
  p.text = std::move(text);
}

// A problem that the library's user could solve, in words for that of the server.
void name_flag(v1::Problem& p) {
  if (p.option == "LoadOptions::param_scopes")
    p.text.replace(p.text.size() - p.option.size(), p.option.size(),
                   "--params-scope KIND=Cluster or =Namespaced");
}

}  // namespace

v1::LoadResult load_served_files(const v1::Manifests& files, const ServedFilesOptions& options) {
  const std::vector<InputObject>& objects = files.state()->objects;
  v1::LoadOptions how;
  how.keep_invalid = options.stored;
  how.fail_unknown_scopes = how.all_given = true;
  v1::LoadResult out;
  const NamedKinds kinds = named_kinds(objects);
  for (const std::string& given : options.param_scopes) {
    const Result<StatedScope> stated = read_stated_scope(given, kinds);
    if (stated.ok()) {
      how.param_scopes.push_back(
          {std::string(split_api_version(stated->api_version).group), stated->kind, stated->namespaced});
    } else {
      add_to_problems(out, Severity::Error, "--params-scope " + given + ": " + stated.error().text);
    }
  }
  if (!out.problems.empty()) return out;
  const bool sees = std::ranges::any_of(objects, [](const auto& o) { return sees_namespaces(o.value); });
  const bool has = std::ranges::any_of(objects, [](const auto& o) { return role_of(o) == Role::Namespace; });
  const bool automatic = options.unknown_namespaces == "auto";
  how.assume_namespaces = automatic ? !sees : options.unknown_namespaces == "assume";
  out = v1::Engine::load(files, how);
  std::ranges::for_each(out.problems, name_flag);
  if (automatic && sees && !has) {
    add_to_problems(
        out, Severity::Warning,
        "policies see labels of namespaces, and no Namespace is in the files of -p, so the server refuses "
        "requests in namespaces; add the Namespaces, or start it with --unknown-namespaces assume");
  }
  return out;
}

}  // namespace portcullis
