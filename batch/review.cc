// Mode `review` of the batch protocol: reads policies, bindings, params, namespaces, definitions and a
// request from a line; answers with the mutated object and the decision on it. The line is read strictly, so
// that a mistake in a test is an input error and no verdict. Tested by tests/corpus, tests/stories.
#include <fmt/format.h>

#include <chrono>

#include "admission/builtin/normalize.h"
#include "admission/crd/object.h"
#include "admission/engine/policy.h"
#include "admission/mutation.h"
#include "batch/request_line.h"
#include "batch/response.h"
#include "interpreter/values/json.h"
#include "manifests/status.h"

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

// Reads the definitions of custom resources; every schema must be structural, as in a cluster.
Result<void> read_definitions(const Document& line, Arena& arena, Cluster& out) {
  auto items = list_member(line, "crds");
  if (!items.ok()) return items.error();
  for (size_t i = 0; i < items->size(); i++) {
    auto value = read_json((*items)[i]->raw, arena);
    if (!value.ok()) return Error{fmt::format("crds[{}]: {}", i, value.error().text)};
    // The definition refers to its object.
    auto definition = crd::Definition::read(*arena.make<Value>(*value));
    if (!definition.ok()) return Error{fmt::format("crds[{}]: {}", i, definition.error().text)};
    if (std::string error = (*definition)->schema_error(); !error.empty())
      return Error{fmt::format("crds[{}]: {}", i, error)};
    out.definitions.push_back(std::move(*definition));
  }
  return {};
}

// The nanoseconds of one request, with the decoding of its object, measured for `milliseconds`. The oracle's
// `dispatchNs` measures the same.
double time_dispatch(const Engine& engine, const RequestLine& asked, std::string_view object,
                     int64_t milliseconds) {
  using Clock = std::chrono::steady_clock;
  std::string padded(object);
  padded.resize(object.size() + JsonReader::kPadding);
  JsonReader reader;
  Arena arena;
  ReviewContext context;
  context.authorizer = asked.authorizer.get();
  AdmissionRequest request = asked.request;
  Mutation mutation;
  Decision decision;
  int64_t count = 0;
  const auto start = Clock::now();
  Clock::duration spent{};
  for (; spent < std::chrono::milliseconds(milliseconds); spent = Clock::now() - start) {
    for (int i = 0; i < 16; i++, count++) {
      arena.reset();
      Value read = reader.read_padded({padded.data(), object.size()}, arena).value();
      request.object = request.typed ? builtin::normalize(arena, read).object : read;
      engine.admit(request, context, mutation, decision);
    }
  }
  return std::chrono::duration<double, std::nano>(spent).count() / static_cast<double>(count);
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
  if (auto done = read_namespaces(asked, objects); !done.ok()) return done;
  cluster.equivalents = asked.equivalents;
  cluster.typed_params = asked.request.typed;
  if (auto done = read_definitions(line, asked.arena, cluster); !done.ok()) return done;
  auto engine = Engine::load(objects, cluster);
  if (!engine.ok()) return engine.error();
  static thread_local ReviewContext context;
  Mutation mutation;
  Decision decision;
  context.authorizer = asked.authorizer.get();
  // A request with an unknown operation reaches no policy.
  if (asked.known_operation) (*engine)->admit(asked.request, context, mutation, decision);
  print_decision(decision, mutation, response);
  const Document *bench = member(line, "bench"), *request = member(line, "request");
  const Document* object = request == nullptr ? nullptr : member(*request, "object");
  if (bench == nullptr || object == nullptr || !asked.known_operation) return {};
  Result<Value> milliseconds = read_json(bench->raw, asked.arena);
  if (!milliseconds.ok() || !milliseconds->is(Kind::Int)) return Error{"bench is not an integer"};
  if (milliseconds->as_int() > 0) {
    response.set("dispatchNs",
                 fmt::format("{:.1f}", time_dispatch(**engine, asked, object->raw, milliseconds->as_int())));
  }
  return {};
}

}  // namespace

void answer_review(const Document& request, Response& response) {
  auto done = review(request, response);
  if (!done.ok()) response.input_error(done.error().text);
}

}  // namespace portcullis
