// See foreign.h.
#include "manifests/foreign.h"

#include <algorithm>

#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// Groups of configuration files of Kubernetes' own programs and of tools that make manifests or clusters.
constexpr std::string_view kConfigurations[] = {
    "apiserver.config.k8s.io",
    "audit.k8s.io",
    "client.authentication.k8s.io",
    "kind.x-k8s.io",
    "kubeadm.k8s.io",
    "kubecontrollermanager.config.k8s.io",
    "kubectl.config.k8s.io",
    "kubelet.config.k8s.io",
    "kubeproxy.config.k8s.io",
    "kubescheduler.config.k8s.io",
    "skaffold",
};

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether a file holds another tool's kind or apiVersion: dot files are settings of tools, values*.yaml are
// Helm's, and Chart.yaml has only an apiVersion.
bool is_of_a_tool(std::string_view file) {
  std::string_view name = file_of(file);
  return name.starts_with('.') || name.starts_with("values") || name.starts_with("Chart.");
}

// Kustomize reads its file with a kind and no apiVersion, too.
bool is_kustomization(std::string_view file, std::string_view kind) {
  const std::string_view name = file_of(file);
  return (name == "kustomization.yaml" || name == "kustomization.yml") &&
         (kind == "Kustomization" || kind == "Component");
}

// Whether it is the index.yaml of a Helm repository, which has an apiVersion and no kind.
bool is_chart_index(const Value& document) {
  const Value* entries = find_member(document, "entries");
  return entries != nullptr && entries->is(Kind::Map) && find_member(document, "metadata") == nullptr &&
         find_member(document, "spec") == nullptr;
}

}  // namespace

std::string_view foreign_to_cluster(const Value& document, std::string_view file) {
  constexpr std::string_view kNothing = "without apiVersion and kind",
                             kKustomize = "a file of kustomize, which makes manifests of it";
  if (!document.is(Kind::Map)) return kNothing;
  const Value* version = find_member(document, "apiVersion");
  const Value* kind = find_member(document, "kind");
  bool shaped = find_member(document, "metadata") != nullptr && find_member(document, "spec") != nullptr;
  if (version == nullptr && kind == nullptr && !shaped) return kNothing;
  std::string_view group = text_member(document, "apiVersion"), name = text_member(document, "kind");
  if (version == nullptr && is_kustomization(file, name)) return kKustomize;
  if (kind == nullptr && is_chart_index(document)) return "the index of a Helm repository";
  if (version == nullptr || kind == nullptr) return is_of_a_tool(file) ? "a file of another tool" : "";
  if (group == "v1" && name == "Config") return "a kubeconfig";
  if (group == "builtin") return kKustomize;  // its transformers and generators
  size_t slash = group.find('/');
  if (slash == group.npos) return {};
  group = group.substr(0, slash);
  if (group == "kustomize.config.k8s.io") return kKustomize;
  return std::ranges::find(kConfigurations, group) == std::end(kConfigurations)
             ? ""
             : "configuration of a program";
}

}  // namespace portcullis
