// Mode `review` of the batch protocol: a line's policies, bindings, params, namespaces, definitions and
// request -> what mutating policies make of the object, and the decision on that.
//
// The line is read strictly, so that a slip in a test is an input error and no verdict. Tested by
// tests/corpus, tests/stories.
#include <fmt/format.h>

#include "admission/crd/object.h"
#include "admission/engine/policy.h"
#include "admission/mutation.h"
#include "batch/request_line.h"
#include "batch/response.h"
#include "interpreter/values/json.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

// The members of a review's line that say which kinds of params there are.
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

void print_decision(const Decision& decision, const Mutation& mutation, Response& response) {
  response.set("allowed", decision.allowed ? "true" : "false");
  std::string annotations = "{", warnings = "[";
  for (const auto& [key, value] : decision.audit_annotations) {
    if (annotations.size() > 1) annotations += ',';
    annotations += quote_json(key) + ":" + quote_json(value);
  }
  for (std::string_view w : decision.warnings) {
    if (warnings.size() > 1) warnings += ',';
    warnings += quote_json(w);
  }
  response.set("auditAnnotations", annotations + "}");
  response.set("warnings", warnings + "]");
  response.set("patchedObject", mutation.changed ? to_json(mutation.object) : "null");
  if (!decision.error.empty()) response.set_text("error", decision.error);
  if (!decision.allowed && decision.error.empty()) response.set("status", status_json(decision.status));
}

// The definitions of custom resources; every schema must be structural, as in a cluster.
Result<void> read_definitions(const Document& line, Arena& arena, Cluster& out) {
  auto items = list_member(line, "crds");
  if (!items.ok()) return items.error();
  for (size_t i = 0; i < items->size(); i++) {
    auto value = read_json((*items)[i]->raw, arena);
    if (!value.ok()) return Error{fmt::format("crds[{}]: {}", i, value.error().text)};
    // A definition refers to its object.
    auto definition = crd::Definition::read(*arena.make<Value>(*value));
    if (!definition.ok()) return Error{fmt::format("crds[{}]: {}", i, definition.error().text)};
    if (std::string error = (*definition)->schema_error(); !error.empty())
      return Error{fmt::format("crds[{}]: {}", i, error)};
    out.definitions.push_back(std::move(*definition));
  }
  return {};
}

Result<void> review(const Document& line, Response& response) {
  RequestLine asked;
  Cluster cluster;
  DecodedCluster objects;
  if (auto done = read_param_kinds(line, cluster); !done.ok()) return done;
  auto policies = list_member(line, "policies"), bindings = list_member(line, "bindings"),
       params = list_member(line, "params");
  if (!policies.ok()) return policies.error();
  if (!bindings.ok()) return bindings.error();
  if (!params.ok()) return params.error();
  for (const Document* d : *policies)
    objects.policies.push_back(std::make_shared<Decoded>(decode_object(asked.arena, *d)));
  for (const Document* d : *bindings)
    objects.bindings.push_back(std::make_shared<Decoded>(decode_object(asked.arena, *d)));
  for (const Document* d : *params) objects.params.emplace_back(d->raw);
  if (auto done = read_request_line(line, asked); !done.ok()) return done;
  for (const Document* d : asked.namespaces) {
    auto space = read_json(d->raw, asked.arena);
    if (!space.ok()) return space.error();
    objects.namespaces.push_back(*space);
  }
  cluster.equivalents = asked.equivalents;
  cluster.typed_params = asked.request.typed;
  if (auto done = read_definitions(line, asked.arena, cluster); !done.ok()) return done;
  auto engine = Engine::load(objects, cluster);
  if (!engine.ok()) return engine.error();
  static thread_local ReviewContext context;
  Mutation mutation;
  Decision decision;
  context.authorizer = asked.authorizer.get();
  // What is no operation that policies know reaches no policy.
  if (asked.known_operation) (*engine)->admit(asked.request, context, mutation, decision);
  print_decision(decision, mutation, response);
  return {};
}

}  // namespace

void answer_review(const Document& request, Response& response) {
  auto done = review(request, response);
  if (!done.ok()) response.input_error(done.error().text);
}

}  // namespace portcullis
