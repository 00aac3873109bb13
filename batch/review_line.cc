#include "batch/review_line.h"

#include <fmt/format.h>

#include "admission/crd/definition.h"
#include "batch/response.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

// Reads the members of the line that declare kinds of params.
Result<void> read_param_kinds(const Document& line, Cluster& out) {
  auto scope = text_member(line, "paramScope");
  if (!scope.ok()) return scope.error();
  if (!scope->empty() && *scope != "Namespaced" && *scope != "Cluster") {
    return Error{fmt::format("paramScope is {}, want Namespaced or Cluster", quote_json(*scope))};
  }
  out.params_cluster_scoped = *scope == "Cluster";
  out.closed_param_kinds = member(line, "paramKinds") != nullptr;
  auto kinds = list_member(line, "paramKinds");
  if (!kinds.ok()) return kinds.error();
  for (const Document* k : *kinds) {
    if (!k->is(Document::Kind::Object)) return Error{"paramKinds: an element is not an object"};
    auto api_version = text_member(*k, "apiVersion"), kind = text_member(*k, "kind");
    auto namespaced = bool_member(*k, "namespaced");
    if (!api_version.ok()) return api_version.error();
    if (!kind.ok()) return kind.error();
    if (!namespaced.ok()) return namespaced.error();
    out.param_kinds.push_back({std::string(*api_version), std::string(*kind), *namespaced});
  }
  return {};
}

// Reads the definitions of custom resources; every schema must be structural, as in a cluster.
Result<void> read_definitions(const Document& line, Arena& arena, Cluster& out) {
  auto items = list_member(line, "crds");
  if (!items.ok()) return items.error();
  for (size_t i = 0; i < items->size(); i++) {
    auto value = read_json((*items)[i]->raw, arena);
    if (!value.ok()) return Error{fmt::format("crds[{}]: {}", i, value.error().text)};
    // The definition refers to its object.
    auto definition = crd::Definition::read(*arena.make<Value>(*value));
    if (std::string error = definition->schema_error(); !error.empty())
      return Error{fmt::format("crds[{}]: {}", i, error)};
    out.definitions.push_back(std::move(definition));
  }
  return {};
}

}  // namespace

Result<void> read_review_line(const Document& line, ReviewLine& out) {
  auto& [asked, cluster, objects] = out;
  if (auto done = read_param_kinds(line, cluster); !done.ok()) return done;
  auto policies = list_member(line, "policies"), bindings = list_member(line, "bindings"),
       params = list_member(line, "params");
  if (!policies.ok()) return policies.error();
  if (!bindings.ok()) return bindings.error();
  if (!params.ok()) return params.error();
  for (const Document* d : *policies)
    objects.policies.emplace_back(std::make_shared<Decoded>(decode_object(asked.arena, *d)));
  for (const Document* d : *bindings)
    objects.bindings.emplace_back(std::make_shared<Decoded>(decode_object(asked.arena, *d)));
  for (const Document* d : *params) objects.params.emplace_back(d->raw);
  if (auto done = read_request_line(line, asked); !done.ok()) return done;
  if (auto done = read_namespaces(asked, objects); !done.ok()) return done;
  cluster.equivalents = asked.equivalents;
  cluster.typed_params = asked.request.typed;
  if (auto done = read_definitions(line, asked.arena, cluster); !done.ok()) return done;
  return {};
}

}  // namespace portcullis
