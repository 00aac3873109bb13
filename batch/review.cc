// Mode `review` of the batch protocol: answers with the mutated object and the decision on it. Tested by
// tests/corpus, tests/cli/requests.txt.
#include <fmt/format.h>

#include <chrono>

#include "admission/builtin/normalize.h"
#include "admission/mutation.h"
#include "batch/response.h"
#include "batch/review_line.h"
#include "interpreter/values/json.h"
#include "manifests/status.h"

namespace portcullis {
namespace {

void print_decision(const Decision& decision, const Mutation& mutation, Response& response) {
  response.member("allowed", decision.allowed);
  response.member("auditAnnotations", decision.audit_annotations);
  response.member("warnings", decision.warnings);
  response.member("patchedObject", mutation.changed ? mutation.object : Value());
  if (!decision.error.empty()) response.member("error", decision.error);
  if (!decision.allowed && decision.error.empty()) response.raw("status", status_json(decision.status));
}

// The nanoseconds of one request, with the decoding of its object, measured for `milliseconds`. The oracle's
// `dispatchNs` measures the same.
double time_dispatch(const Engine& engine, const RequestLine& asked, std::string_view object,
                     int64_t milliseconds) {
  using Clock = std::chrono::steady_clock;
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
      Value read = reader.read(object, arena).value();
      request.object = request.typed ? builtin::normalize(arena, read).object : read;
      engine.admit(request, context, mutation, decision);
    }
  }
  return std::chrono::duration<double, std::nano>(spent).count() / static_cast<double>(count);
}

// The nanoseconds of loading, likewise (the oracle's `compileAllNs`).
double time_load(const ReviewLine& read, int64_t milliseconds) {
  using Clock = std::chrono::steady_clock;
  int64_t count = 0;
  const auto start = Clock::now();
  Clock::duration spent{};
  for (; spent < std::chrono::milliseconds(milliseconds); spent = Clock::now() - start, count++)
    Engine::load(read.objects, read.options).value();
  return std::chrono::duration<double, std::nano>(spent).count() / static_cast<double>(count);
}

}  // namespace

Result<void> answer_review(const Document& line, Response& response) {
  ReviewLine read;
  if (auto done = read_review_line(line, read); !done.ok()) return done;
  const RequestLine& asked = read.asked;
  auto engine = Engine::load(read.objects, read.options);
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
  Result<Value> milliseconds = read_json(bench->raw, read.asked.arena);
  if (!milliseconds.ok() || !milliseconds->is(Kind::Int)) return Error{"bench is not an integer"};
  if (milliseconds->as_int() > 0) {
    response.raw("dispatchNs",
                 fmt::format("{:.1f}", time_dispatch(**engine, asked, object->raw, milliseconds->as_int())));
    response.raw("compileAllNs", fmt::format("{:.1f}", time_load(read, milliseconds->as_int())));
  }
  return {};
}

}  // namespace portcullis
