// See cluster_set.h.
#include "server/cluster_set.h"

#include "admission/builtin/registration.h"
#include "admission/scalars/group_version.h"
#include "manifests/roles.h"

namespace portcullis::server {
namespace {

using Severity = v1::Problem::Severity;

// The most problems that are remembered, so that each is told once.
constexpr size_t kMostTold = 10000;

std::string_view group_of(std::string_view api_version) { return split_api_version(api_version).group; }

bool is_rule(const v1::Manifest& m) {
  const std::string_view group = group_of(m.api_version);
  return group == kRegistrationGroup || group == kDefinitionGroup;
}

// How an object is told apart from others, whatever its version.
std::string identity(std::string_view api_version, std::string_view kind, std::string_view key) {
  std::string out(group_of(api_version));
  return out.append(" ").append(kind).append(" ").append(key);
}

// The name of an object of the cluster as a text among Manifests.
std::string source_of(const ClusterKind& kind, std::string_view key) {
  return kind.api_version + " " + kind.kind + " " + std::string(key);
}

// "ValidatingAdmissionPolicy/limits spec.validations[0].expression: ...": the place in the text of an object of the
// cluster tells nobody anything.
std::string problem_message(const v1::Problem& p, bool in_file) {
  if (in_file) return p.message();
  return "in the cluster: " + (p.object.empty() ? p.source : p.object) +
         (p.path.empty() ? "" : " " + p.path) + ": " + p.text;
}

void add_needs(const InputObject& o, Needs& out) {
  if (role_of(o) != Role::Policy) return;
  if (const Value* kind = param_kind(o)) {
    const std::string_view api_version = text_member(*kind, "apiVersion"), name = text_member(*kind, "kind");
    if (!api_version.empty() && !name.empty()) out.params.emplace(api_version, name);
  }
  out.authorizer |= !authorizer_use(o.value).empty();
}

}  // namespace

void ClusterSet::set_files(PolicyFiles files) {
  files_ = std::move(files);
  file_names_.clear();
  in_files_.clear();
  file_kinds_.clear();
  for (const SourceFile& f : files_.all()) file_names_.insert(f.name);
  for (size_t i = 0; i < files_.manifests.size(); i++) {
    const v1::Manifest m = files_.manifests[i];
    const std::string key = std::string(m.namespace_name) + "/" + std::string(m.name);
    in_files_.insert(identity(m.api_version, m.kind, key));
    // If its kind is namespaced, it is in the namespace of LoadOptions.
    if (m.namespace_name.empty()) in_files_.insert(identity(m.api_version, m.kind, "default" + key));
    if (is_rule(m)) continue;
    file_kinds_.push_back({std::string(m.api_version), std::string(m.kind), !m.namespace_name.empty()});
  }
}

v1::Manifests ClusterSet::copy_of_files() const {
  v1::Manifests out;
  for (const SourceFile& f : files_.all()) out.add(f.text, f.name);
  return out;
}

bool ClusterSet::in_files(const ClusterKind& kind, const std::string& key) const {
  return in_files_.contains(identity(kind.api_version, kind.kind, key));
}

void ClusterSet::add(const std::vector<ClusterKind>& kinds, v1::Manifests& to) const {
  for (const ClusterKind& k : kinds) {
    for (const auto& [key, json] : *k.objects) {
      if (!in_files(k, key)) to.add(json, source_of(k, key));
    }
  }
}

Needs ClusterSet::needs(const std::vector<ClusterKind>& rules) const {
  v1::Manifests manifests = copy_of_files();
  std::vector<ClusterKind> policies;
  for (const ClusterKind& k : rules) {
    if (k.kind.ends_with("AdmissionPolicy")) policies.push_back(k);
  }
  add(policies, manifests);
  Needs out;
  for (const InputObject& o : manifests.state()->objects) add_needs(o, out);
  return out;
}

// Logs what is wrong, each problem once, and counts it. The first error in a file, or that there is no engine.
std::string ClusterSet::judge(const v1::LoadResult& made) {
  std::string error;
  if (told_.size() > kMostTold) told_.clear();
  for (const v1::Problem& p : made.problems) {
    const bool in_file = file_names_.contains(p.source);
    const std::string message = problem_message(p, in_file);
    const bool fatal = in_file && p.severity == Severity::Error && !options_.stored;
    if (fatal && error.empty()) error = message;
    if (!in_file && p.severity == Severity::Error) invalid_.emplace(p.source, message);
    if (told_.insert(message).second) log_.line(fatal ? LogLevel::Error : LogLevel::Warning, message);
  }
  if (made.engine == nullptr && error.empty()) error = "the policies cannot be loaded";
  return error;
}

std::shared_ptr<const v1::Engine> ClusterSet::load(const std::vector<ClusterKind>& rules,
                                                   const std::vector<ClusterKind>& data,
                                                   std::vector<v1::LoadOptions::ParamKind> params,
                                                   bool authorizer, std::string& error) {
  v1::Manifests manifests = copy_of_files();
  add(rules, manifests);
  add(data, manifests);
  v1::LoadOptions how;
  how.keep_invalid = true;
  how.assume_namespaces = options_.unknown_namespaces == "assume";
  how.default_roles = !authorizer;
  how.roles_as_stored = authorizer;
  params.insert(params.end(), file_kinds_.begin(), file_kinds_.end());
  how.param_kinds = std::move(params);
  v1::LoadResult made = v1::Engine::load(manifests, how);
  std::map<std::string, std::string> before;
  before.swap(invalid_);
  error = judge(made);
  if (!error.empty()) return invalid_.swap(before), nullptr;
  return made_ = made.engine;
}

std::shared_ptr<const v1::Engine> ClusterSet::change(const std::vector<ClusterKind>& data,
                                                     std::string& error) {
  v1::Manifests manifests;
  std::vector<v1::ObjectName> gone;
  for (const ClusterKind& k : data) {
    for (const std::string& key : *k.changed) {
      if (in_files(k, key)) continue;
      invalid_.erase(source_of(k, key));
      const auto found = k.objects->find(key);
      const size_t slash = key.find('/');
      const std::string_view name(key);
      if (found != k.objects->end())
        manifests.add(found->second, source_of(k, key));
      else
        gone.push_back({k.api_version, k.kind, name.substr(0, slash), name.substr(slash + 1)});
    }
  }
  v1::LoadResult made = made_->change(manifests, gone);
  error = judge(made);
  if (!error.empty()) return nullptr;
  return made_ = made.engine;
}

}  // namespace portcullis::server
