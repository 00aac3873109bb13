// Mode `admit` of the batch protocol: one request through the whole chain, with webhooks that answer what the line
// says. Time passes only where an answer is delayed. Tested by tests/oracle/random_webhooks.py.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "batch/response.h"
#include "batch/review_line.h"
#include "chain/chain.h"
#include "chain/replay.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kUid = "$UID";  // of every AdmissionReview

using Answers = std::map<std::string, std::vector<chain::WrittenAnswer>, std::less<>>;

// What the servers of webhooks answer, by name of the webhook.
Result<Answers> read_responses(const Document& line) {
  Answers out;
  const Document* given = member(line, "responses");
  if (given == nullptr) return out;
  if (!given->is(Document::Kind::Object)) return Error{"responses is not an object"};
  for (const auto& [name, value] : given->members) {
    auto answers = chain::read_answers(value);
    if (!answers.ok()) return Error{fmt::format("responses: {}: {}", name, answers.error().text)};
    out[name] = std::move(*answers);
  }
  return out;
}

// The servers of all webhooks, and the calls that reached them.
class Servers : public chain::Callers {
 public:
  explicit Servers(Answers answers) : answers_(std::move(answers)) {}

  Result<chain::Asker*> caller(const chain::Target& target) override {
    note_calls();
    auto found = answers_.find(target.webhook);
    std::span<const chain::WrittenAnswer> list;
    if (found != answers_.end()) list = found->second;
    last_ = &servers_
                 .try_emplace({target.mutating, std::string(target.uid)},
                              Server{std::string(target.webhook), target.mutating, chain::Replay(list, kUid)})
                 .first->second;
    return static_cast<chain::Asker*>(&last_->replay);
  }
  std::string new_uid() override { return std::string(kUid); }

  // The calls of mutating webhooks as they were sent, then those of validating ones by name.
  void print_calls(Response& response) {
    note_calls();
    std::ranges::stable_sort(calls_, {}, &Call::rank);
    response.list("calls", calls_, [](JsonWriter& w, const Call& c) {
      w.member("path", c.path);
      w.raw("review", c.review);
      w.member("webhook", c.webhook);
    });
  }

 private:
  struct Server {
    std::string webhook;
    bool mutating;
    chain::Replay replay;
    size_t noted = 0;  // of its calls
  };
  struct Call {
    std::string rank, path, review, webhook;
  };

  void note_calls() {
    if (last_ == nullptr) return;
    const auto& sent = last_->replay.sent();
    for (; last_->noted < sent.size(); last_->noted++) {
      const chain::Replay::Sent& s = sent[last_->noted];
      Arena arena;
      const std::string review = s.review.empty() ? "null" : to_json(*read_json(s.review, arena));
      calls_.push_back({last_->mutating ? "" : last_->webhook, s.path, review, last_->webhook});
    }
  }

  Answers answers_;
  std::map<std::pair<bool, std::string>, Server> servers_;  // by sort and uid of the webhook
  Server* last_ = nullptr;
  std::vector<Call> calls_;
};

Result<void> read_configurations(const Document& line, ReviewLine& out) {
  auto configurations = list_member(line, "webhookConfigurations");
  if (!configurations.ok()) return configurations.error();
  std::set<std::pair<std::string, std::string>> seen;
  for (const Document* d : *configurations) {
    auto decoded = std::make_shared<Decoded>(decode_object(out.asked.arena, *d));
    if (decoded->error.empty() && decoded->kind != nullptr &&
        !seen.insert({std::string(decoded->kind->kind),
                      std::string(decoded->data["metadata"].field_text("name"))})
             .second)
      return Error{"two webhookConfigurations of one kind have one name"};
    out.objects.configurations.emplace_back(std::move(decoded));
  }
  return {};
}

void print_admission(const chain::Admission& admission, Response& response) {
  response.member("allowed", admission.allowed);
  response.member("auditAnnotations", admission.audit_annotations);
  response.member("warnings", admission.warnings);
  response.member("patchedObject", admission.changed ? admission.object : Value());
  if (!admission.error.empty()) response.member("error", admission.error);
  if (!admission.status.is_null()) response.member("status", admission.status);
}

}  // namespace

Result<void> answer_admit(const Document& line, Response& response) {
  ReviewLine read;
  if (auto done = read_review_line(line, read); !done.ok()) return done;
  if (auto done = read_configurations(line, read); !done.ok()) return done;
  auto responses = read_responses(line);
  if (!responses.ok()) return responses.error();
  auto engine = Engine::load(read.objects, read.options);
  if (!engine.ok()) return engine.error();
  static thread_local ReviewContext context;
  context.authorizer = read.asked.authorizer.get();
  chain::Admission admission;
  Servers servers(std::move(*responses));
  // A request with an unknown operation reaches nobody.
  if (read.asked.known_operation) chain::admit(**engine, read.asked.request, context, &servers, admission);
  print_admission(admission, response);
  servers.print_calls(response);
  return {};
}

}  // namespace portcullis
