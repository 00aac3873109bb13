// Arbitrary bytes as what a client of the server sends: one or more HTTP requests, read as session.cc reads them,
// and answered by the Handler. An answer to a review must be JSON with the uid that was asked.
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "server/file_policies.h"
#include "server/handler.h"

using namespace portcullis;
using namespace portcullis::server;
namespace http = boost::beast::http;

namespace {

constexpr const char* kPolicies = R"yaml(
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: p}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]},
  validations: [{expression: "object == null || object.metadata.name != request.name || has(object.spec)"}],
  auditAnnotations: [{key: a, valueExpression: "string(request.name)"}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: p},
  spec: {policyName: p, validationActions: [Warn, Audit]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: m}, spec: {
  matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*']}]},
  reinvocationPolicy: Never, failurePolicy: Ignore, mutations: [{patchType: JSONPatch, jsonPatch: {
    expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': request.name}}]"}}]}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: m},
  spec: {policyName: m}}
)yaml";

struct Whole {
  Options options;
  Log log{LogFormat::Json, LogLevel::Error};
  Metrics metrics;
  AuditLog audit{"", log, metrics};
  Policies policies{log, metrics};
  Sampler denials{0};
  Service service{options, log, audit, metrics, policies, denials};
  std::unique_ptr<Handler> handler;

  Whole() {
    auto file = std::filesystem::temp_directory_path() / "portcullis-fuzz-webhook.yaml";
    std::ofstream(file) << kPolicies;
    options.policies = {file.string()};
    if (!reload_files(options, log, policies)) std::abort();
    handler = std::make_unique<Handler>(service);
  }
};

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* whole = new Whole;
  boost::beast::flat_buffer input;
  input.commit(boost::asio::buffer_copy(input.prepare(size), boost::asio::buffer(data, size)));
  for (int requests = 0; input.size() > 0 && requests < 4; requests++) {
    http::request_parser<http::string_body> parser;
    parser.header_limit(1024);
    parser.body_limit(4096);
    parser.eager(true);
    boost::system::error_code error;
    input.consume(parser.put(input.data(), error));
    if (error || !parser.is_done()) break;
    const auto& asked = parser.get();
    RequestHead request{view(asked.method_string()), view(asked.target()),
                        view(asked[http::field::content_type])};
    if (auto refusal = whole->handler->refuse(request)) {
      if (refusal->status < 400) std::abort();
      continue;
    }
    Response answer = whole->handler->answer(request, asked.body(), Clock::now());
    Arena arena;
    auto value = read_json(answer.body, arena);
    if (!value.ok()) std::abort();
  }
  return 0;
}
