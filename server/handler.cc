// See handler.h.
#include "server/handler.h"

#include <algorithm>

#include "admission/matching/asked_versions.h"
#include "chain/media_type.h"
#include "interpreter/formats/duration.h"
#include "interpreter/values/member.h"
#include "manifests/admission_review.h"
#include "server/at_end.h"
#include "server/audit_line.h"
#include "server/request_words.h"

namespace portcullis::server {
namespace {

struct Endpoint {
  std::string_view path;
  v1::Plugins plugins;
};
// The endpoint of a path, and the versions that the rest of the path names for a webhook of some policies.
struct Route {
  const Endpoint* endpoint = nullptr;  // null: there is nothing at this path
  std::string_view versions = {};
};
constexpr Endpoint kEndpoints[] = {{"/validate", v1::Plugins::Validating},
                                   {"/mutate", v1::Plugins::Mutating},
                                   {"/mutate/never", v1::Plugins::MutatingNever},
                                   {"/mutate/if-needed", v1::Plugins::MutatingIfNeeded},
                                   {"/review", v1::Plugins::All}};

// Bytes of an answer: many times an object that an API server can store, in base64.
constexpr size_t kMostAnswer = size_t{16} << 20;

std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

Route route_of(std::string_view target) {
  const std::string_view path = path_of(target);
  for (const Endpoint& e : kEndpoints) {
    if (path == e.path) return {&e};
    if (e.plugins == v1::Plugins::All || !path.starts_with(e.path) || path[e.path.size()] != '/') continue;
    const std::string_view rest = path.substr(e.path.size() + 1);
    if (is_asked_versions(rest)) return {&e, rest};
  }
  return {};
}

const Endpoint* endpoint_of(std::string_view target) { return route_of(target).endpoint; }

// The value of a query's parameter; empty if it is absent.
std::string_view parameter(std::string_view target, std::string_view name) {
  size_t question = target.find('?');
  std::string_view rest = question == target.npos ? "" : target.substr(question + 1);
  while (!rest.empty()) {
    size_t end = std::min(rest.find('&'), rest.size());
    std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=')
      return pair.substr(name.size() + 1);
  }
  return {};
}

// The policy whose message the status has, and its binding: the one that denied first, unless a later mutation failed with
// a status of its own.
struct Denier {
  std::string_view policy, binding;
};
Denier first_denier(const v1::Decision& d) {
  using Kind = v1::MutationResult::Kind;
  const auto failed = [](const v1::MutationResult& r) {
    return (r.kind == Kind::Error || r.kind == Kind::ConfigError) && !r.ignored;
  };
  const auto own_status = [&](const v1::MutationResult& r) {
    return failed(r) && r.message == d.status.message;
  };
  auto error = std::ranges::find_if(d.mutations, own_status);
  if (error == d.mutations.end()) error = std::ranges::find_if(d.mutations, failed);
  if (error != d.mutations.end()) return {error->policy, error->binding};
  const auto denial = std::ranges::find_if(d.results, &v1::ValidationResult::denied);
  return denial == d.results.end() ? Denier() : Denier{denial->policy, denial->binding};
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_timeout(std::string_view text) {
  const std::optional<int64_t> time = parse_duration(text);
  return time && *time >= 0 ? std::optional(std::chrono::nanoseconds(*time)) : std::nullopt;
}

Handler::Handler(Service& service) : service_(service), policies_(service.policies), tally_(service.metrics) {
  renew_context();
}

void Handler::renew_context() {
  context_ = v1::Context();
  context_.want_results(v1::Results::Failures);
  context_.set_max_memory(service_.options.max_memory);
}

Response Handler::error(unsigned status, std::string_view reason, std::string_view message) {
  text_.clear();
  JsonWriter w(text_);
  w.begin_object();
  w.member("apiVersion", "v1");
  w.member("code", status);
  w.member("kind", "Status");
  w.member("message", message);
  w.raw("metadata", "{}");
  w.member("reason", reason);
  w.member("status", "Failure");
  w.end_object();
  return {.status = status, .body = text_};
}

Response Handler::refuse_bytes(unsigned status, std::string_view reason, std::string_view message) {
  tally_.request("other", status, 0);
  return error(status, reason, message);
}

std::optional<Response> Handler::refuse(const RequestHead& request) {
  auto counted = [&](Response answer) {
    const Endpoint* endpoint = endpoint_of(request.target);
    tally_.request(endpoint == nullptr ? "other" : endpoint->path, answer.status, 0);
    return answer;
  };
  if (endpoint_of(request.target) == nullptr) {
    return counted(
        error(404, "NotFound", "there is nothing at this path; want /validate, /mutate or /review"));
  }
  if (request.method != "POST") {
    Response answer = error(405, "MethodNotAllowed", "want POST with an AdmissionReview");
    answer.allow = "POST";
    return counted(answer);
  }
  chain::MediaType type = chain::read_media_type(request.content_type);
  if (!type.error.empty() || type.type != "application/json")
    return counted(error(415, "UnsupportedMediaType", "want the content type application/json"));
  if (!type.charset.empty() && type.charset != "utf-8")
    return counted(error(415, "UnsupportedMediaType", "want JSON in UTF-8"));
  if (!request.content_encoding.empty() && request.content_encoding != "identity")
    return counted(error(415, "UnsupportedMediaType", "want no content encoding"));
  if (std::string_view timeout = parameter(request.target, "timeout");
      !timeout.empty() && !parse_timeout(timeout))
    return counted(error(400, "BadRequest", "the parameter timeout is not a duration such as 10s"));
  return std::nullopt;
}

// Whether the decision depends on a namespace that the cluster may have, and the set does not.
bool Handler::lacks_namespace(const v1::JsonAnswer& answer, const PolicySet& set) const {
  const v1::Decision& d = *answer.decision;
  const v1::Request& r = answer.request;
  const bool matters = d.refused || d.policies_matched > 0 || !d.results.empty() || !d.mutations.empty();
  const bool is_namespace = r.kind.kind == "Namespace" && r.kind.group.empty();
  return service_.cluster != nullptr && matters && !is_namespace && !r.namespace_name.empty() &&
         !set.engine->has_namespace(r.namespace_name);
}

Response Handler::answer(const RequestHead& request, std::string_view body, Clock::time_point arrived) {
  return decide(request, body, arrived, true);
}

Response Handler::answer_with(std::string_view why, const RequestHead& request, std::string_view body,
                              Clock::time_point arrived) {
  if (why.empty()) return decide(request, body, arrived, false);
  Response out = undecided(Undecided::Namespace, body, why);
  tally_.request(endpoint_of(request.target)->path, out.status,
                 std::chrono::duration<double>(Clock::now() - arrived).count());
  return out;
}

// Why the body of a request that is refused is no AdmissionReview; empty if it is one.
std::string Handler::form_error(std::string_view body) {
  arena_.reset();
  auto review = reader_.read(body, arena_);
  auto refusal = review.ok() ? refuse_form(*review, text_member(*review, "apiVersion")) : std::nullopt;
  return refusal ? refusal->text : std::string();
}

// `asks`: whether a namespace that the set does not have can be asked for.
Response Handler::decide(const RequestHead& request, std::string_view body, Clock::time_point arrived,
                         bool asks) {
  PolicySetPtr set = policies_.take();
  AtEnd done([&] {  // a thread that waits for its next request holds no set that is exchanged meanwhile
    context_.release();
    policies_.keep(std::move(set));
  });
  std::chrono::nanoseconds patience = service_.options.request_timeout;
  if (auto asked = parse_timeout(parameter(request.target, "timeout"))) patience = std::min(patience, *asked);
  Response out;
  if (set == nullptr) {
    out = undecided(Undecided::NoPolicies, body);
  } else if (Clock::now() - request.first_byte > patience) {
    out = undecided(Undecided::Deadline, body);
  } else {
    context_.set_deadline(request.first_byte + patience);
    out = review(*set, request, body, asks);
    if (!out.unknown_namespace.empty()) return out;
  }
  tally_.request(endpoint_of(request.target)->path, out.status,
                 std::chrono::duration<double>(Clock::now() - arrived).count());
  return out;
}

// The answer of the policies, counted and logged unless a namespace is to be asked for.
Response Handler::review(const PolicySet& set, const RequestHead& request, std::string_view body, bool asks) {
  const Route route = route_of(request.target);
  const Endpoint& endpoint = *route.endpoint;
  auto too_large = [&](const std::string& details) {
    renew_context();
    return refuse_size(Undecided::Memory, request, details);
  };
  v1::Result<v1::JsonAnswer> answer = v1::Error{};
  try {
    answer = set.engine->review_json(body, context_, endpoint.plugins, route.versions);
  } catch (const std::bad_alloc&) {
    return too_large("its body has " + std::to_string(body.size()) + " bytes, and --max-request-memory is " +
                     std::to_string(service_.options.max_memory));
  }
  if (!answer.ok()) {
    const v1::Error& e = answer.error();
    std::string where =
        e.line > 0 ? " (line " + std::to_string(e.line) + ", column " + std::to_string(e.column) + ")" : "";
    return error(400, "BadRequest", e.text + where);
  }
  if (answer->json.size() > kMostAnswer) {
    return too_large("its answer has " + std::to_string(answer->json.size()) + " bytes, and may have " +
                     std::to_string(kMostAnswer));
  }
  if (answer->decision->interrupted) return undecided(Undecided::Deadline, body);
  if (std::string wrong = answer->decision->refused ? form_error(body) : ""; !wrong.empty())
    return error(400, "BadRequest", wrong);
  if (asks && lacks_namespace(*answer, set)) {
    text_ = answer->request.namespace_name;
    return {.unknown_namespace = text_};
  }
  if (service_.cluster == nullptr && !answer->decision->status.missing_namespace.empty())
    return refuse_namespace(*answer, request, body, set);
  tally_.review(*answer, endpoint.plugins);
  tell(*answer, endpoint.path, set);
  return {.body = answer->json};
}

// The answer to a request that is refused since no file of -p describes its namespace. The namespace may exist: so the
// answer does not say that it is not found, which ends controllers.
Response Handler::refuse_namespace(v1::JsonAnswer answer, const RequestHead& request, std::string_view body,
                                   const PolicySet& set) {
  const Endpoint& endpoint = *endpoint_of(request.target);
  const std::string name(answer.request.namespace_name);
  v1::Decision d = *answer.decision;
  std::string message(d.status.message);
  message.resize(message.size() - d.status.missing_namespace.size());
  message += "portcullis-server does not know the namespace \"" + name +
             "\": no file of -p describes it (--unknown-namespaces)";
  if (d.status.code == 404) d.status = {.code = 500, .reason = "InternalError"};
  d.status.message = message;
  d.status.missing_namespace = {};
  answer.decision = &d;
  service_.metrics.undecided(Undecided::Namespace);
  if (service_.unknown_namespaces.first(name))
    service_.log.line(LogLevel::Warning, "no file of -p describes a namespace, and its requests are refused",
                      {{"namespace", name}, {"uid", answer.uid}});
  tally_.review(answer, endpoint.plugins);
  tell(answer, endpoint.path, set);
  arena_.reset();
  auto review = reader_.read(body, arena_);
  text_.clear();
  write_admission_review(
      text_, {.api_version = review.ok() ? text_member(*review, "apiVersion") : std::string_view(),
              .uid = answer.uid,
              .allowed = false,
              .status = v1::status_json(d),
              .audit_annotations = {},
              .warnings = d.warnings});
  return {.body = text_};
}

Response Handler::too_many(const RequestHead& request, std::string_view body) {
  Response out = undecided(Undecided::Overload, body);
  tally_.request(endpoint_of(request.target)->path, out.status, 0);
  return out;
}

Response Handler::too_large(const RequestHead& request, std::optional<uint64_t> size) {
  Response out = refuse_size(Undecided::TooLarge, request,
                             (size ? std::to_string(*size) + " bytes, while " : "") + "--max-body is " +
                                 std::to_string(service_.options.max_body));
  tally_.request(endpoint_of(request.target)->path, out.status, 0);
  return out;
}

// Nothing is admitted here, whatever --fail-open says: a request that is not read has no uid to answer to.
Response Handler::refuse_size(Undecided why, const RequestHead& request, const std::string& details) {
  const UndecidedWords& words = words_of(why);
  const std::string text = std::string(words.text) + ": " + details;
  service_.metrics.undecided(why);
  if (uint64_t left_out = 0; service_.too_large.pass(Clock::now(), left_out)) {
    service_.log.line(LogLevel::Warning, "a request is not decided",
                      {{"reason", words.metric},
                       {"path", endpoint_of(request.target)->path},
                       {"error", text},
                       {"leftOut", static_cast<int64_t>(left_out)}});
  }
  return error(words.status, words.reason, text);
}

Response Handler::undecided(Undecided why, std::string_view body, std::string_view details) {
  const UndecidedWords& words = words_of(why);
  const std::string text = std::string(words.text) + (details.empty() ? "" : ": ") + std::string(details);
  service_.metrics.undecided(why);
  if (service_.options.fail_open) {
    arena_.reset();
    auto review = reader_.read(body, arena_);
    const Value* asked = review.ok() ? find_member(*review, "request") : nullptr;
    if (asked != nullptr && text_member(*review, "kind") == "AdmissionReview") {
      std::string warning = "not decided by policies: " + text;
      std::string_view warnings[] = {warning};
      text_.clear();
      write_admission_review(text_, {.api_version = text_member(*review, "apiVersion"),
                                     .uid = text_member(*asked, "uid"),
                                     .allowed = true,
                                     .status = {},
                                     .audit_annotations = {},
                                     .warnings = warnings});
      service_.log.line(LogLevel::Warning, "admitted without a decision",
                        {{"reason", words.metric}, {"uid", text_member(*asked, "uid")}});
      return {.status = 200, .body = text_};
    }
  }
  Response out = error(words.status, words.reason, text);
  out.retry = why == Undecided::Overload;
  return out;
}

bool ToldOnce::first(std::string_view name) {
  constexpr size_t kMost = 100;
  const std::lock_guard lock(mutex_);
  return told_.size() < kMost && told_.emplace(name).second;
}

void Handler::tell(const v1::JsonAnswer& answer, std::string_view path, const PolicySet& set) {
  if (!answer.unknown_kind.empty() && service_.unknown_kinds.first(answer.unknown_kind)) {
    service_.log.line(
        LogLevel::Warning,
        "neither Kubernetes 1.37 nor a definition has this kind: its objects are decided as custom resources",
        {{"kind", answer.unknown_kind}, {"resource", resource_text(answer.request)}, {"uid", answer.uid}});
  }
  if (!answer.decision->allowed) tell_denial(answer);
  if (!service_.audit.wanted()) return;
  write_audit_line(line_, {answer, path, set.generation});
  service_.audit.write(line_);
}

void Handler::tell_denial(const v1::JsonAnswer& answer) {
  uint64_t left_out = 0;
  if (!service_.denials.pass(Clock::now(), left_out)) return;
  if (left_out > 0) {
    service_.log.line(LogLevel::Info, "denials without a line of their own",
                      {{"count", static_cast<int64_t>(left_out)}});
  }
  const v1::Request& r = answer.request;
  const v1::Decision& d = *answer.decision;
  const Denier denier = first_denier(d);
  service_.log.line(
      LogLevel::Info, d.refused ? "refused" : "denied",
      {{"uid", answer.uid},
       {"operation", operation_text(r.operation)},
       {"resource", resource_text(r)},
       {"namespace", r.namespace_name},
       {"name", r.name},
       {"user", r.user.username},
       {"dryRun", r.dry_run},
       {"policy", denier.policy},
       {"binding", denier.binding},
       {"code", static_cast<int64_t>(d.status.code)},
       {"reason", d.status.reason},
       {"message", d.status.message},
       {"microseconds", std::chrono::duration_cast<std::chrono::microseconds>(answer.time).count()}});
}

}  // namespace portcullis::server
