#include "cli/requests/webhook_callers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <utility>

#include "cli/formats/percent.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "http/key_pair.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kRecorded = "recorded=";

// A part of a file name: whatever is no letter, digit, '.' or '-' becomes %XX.
std::string file_part(std::string_view text) {
  return text.starts_with('.') ? "%2E" + percent_encoded(text.substr(1), "-.") : percent_encoded(text, "-.");
}

std::string request_key(const AdmissionRequest& request) {
  std::string out(operation_name(request.operation));
  out += "_" + file_part(request.resource.resource);
  if (!request.resource.group.empty()) out += "." + file_part(request.resource.group);
  if (!request.subresource.empty()) out += "_" + file_part(request.subresource);
  return out + "_" + file_part(request.namespace_name) + "_" + file_part(request.name);
}

}  // namespace

// The answers in a file, and who serves them.
struct WebhookCallers::Written {
  std::vector<chain::WrittenAnswer> answers;
  std::string uid;  // of all reviews
  std::unique_ptr<chain::Replay> replay;
  std::string webhook;
  bool mutating = false;
  size_t noted = 0;  // of its calls
};

// Passes requests on and keeps them with their answers.
class WebhookCallers::Recorder final : public chain::Asker {
 public:
  Recorder(chain::Asker& asker, const chain::Target& target, std::string request)
      : asker_(&asker),
        configuration_(target.configuration),
        webhook_(target.webhook),
        request_(std::move(request)) {}
  // The next requests go to `asker`, in a review with this uid.
  void go_on(chain::Asker& asker, std::string_view uid) {
    asker_ = &asker;
    uid_ = uid;
  }

  int64_t now() override { return asker_->now(); }
  void wait_until(int64_t time) override { asker_->wait_until(time); }
  chain::HttpAnswer send(const chain::HttpRequest& request, int64_t deadline) override {
    chain::HttpAnswer answer = asker_->send(request, deadline);
    // Two webhooks of one name, which the API server would refuse, share a file.
    std::lock_guard lock(mutex_);
    answers_ += answers_.empty() ? "" : ",\n  ";
    chain::write_answer(answers_, answer, uid_);
    sent_ += sent_.empty() ? "" : ",\n  ";
    sent_ += R"({"review":)" + (request.post ? std::string(request.body) : "null") + R"(,"url":)" +
             quote_json(request.url) + "}";
    return answer;
  }

  std::string text() const {
    return R"({"configuration":)" + quote_json(configuration_) + R"(,"webhook":)" + quote_json(webhook_) +
           R"(,"request":)" + quote_json(request_) + ",\n \"sent\":[\n  " + sent_ + "],\n \"answers\":[\n  " +
           answers_ + "]}\n";
  }

 private:
  chain::Asker* asker_;
  std::mutex mutex_;
  std::string configuration_, webhook_, request_, uid_, answers_, sent_;
};

WebhookCallers::WebhookCallers(const WebhookOptions& options) : record_(options.record) {
  std::string_view mode = options.mode;
  if (mode.starts_with(kRecorded)) {
    mode_ = Mode::Recorded;
    directory_ = mode.substr(kRecorded.size());
    std::error_code error;
    if (!std::filesystem::is_directory(directory_, error))
      fail("--webhooks recorded: there is no directory " + quote_json(directory_));
  } else if (mode == "call") {
    mode_ = Mode::Call;
    if (auto started = http::start(); !started.ok()) fail("--webhooks call: " + started.error().text);
  } else if (mode == kGivenAnswers) {
    mode_ = Mode::Given;
  } else if (mode != "note") {
    fail("--webhooks is " + quote_json(mode) + "; want note, call or recorded=DIR");
  }
  if (mode_ != Mode::Call) {
    if (!record_.empty()) fail("--record needs --webhooks call: nothing else is worth a record");
    if (!options.addresses.empty() || !options.certificate.empty() || !options.key.empty())
      fail("--webhook-address, --webhook-cert and --webhook-key need --webhooks call");
  }
  if (options.certificate.empty() != options.key.empty())
    fail("--webhook-cert and --webhook-key belong together");
  if (mode_ == Mode::Call && !options.certificate.empty() && !options.key.empty())
    check_certificate(options.certificate, options.key);
  http_.client_certificate = options.certificate;
  http_.client_key = options.key;
  for (const std::string& given : options.addresses) {
    const size_t equals = given.find('='), colon = given.rfind(':');
    if (equals == 0 || equals == given.npos || colon == given.npos || colon < equals ||
        colon + 1 == given.size()) {
      fail("--webhook-address is " + quote_json(given) + "; want NAME=HOST:PORT");
      continue;
    }
    const std::string name = given.substr(0, equals), address = given.substr(equals + 1);
    http_.addresses.emplace_back(name, address);
    if (!name.ends_with(".svc")) http_.addresses.emplace_back(name + ".svc", address);
  }
}

WebhookCallers::~WebhookCallers() = default;

void WebhookCallers::fail(std::string_view text) {
  say(Severity::Error, {}, {}, text);
  ok_ = false;
}

void WebhookCallers::begin(const AdmissionRequest& request) {
  if (!asks()) return;
  finish();
  key_ = name_ = request_key(request);
  // Requests for one object follow each other in the order of the manifests.
  if (int before = keys_[name_]++; before > 0) key_ += "_" + std::to_string(before + 1);
  missing_.clear();
  last_ = nullptr;
  calls_.clear();
  written_.clear();
}

bool WebhookCallers::finish() {
  for (const auto& [file, recorder] : recorders_) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
    std::ofstream out(file, std::ios::binary);
    out << recorder->text();
    out.close();
    if (!out) fail("--record: cannot write " + quote_json(file) + ": " + std::strerror(errno));
  }
  recorders_.clear();
  return ok_;
}

// Else the first call would fail, as a failure of its webhook.
void WebhookCallers::check_certificate(const std::string& certificate, const std::string& key) {
  const Result<std::string> certificate_text = read_file(certificate), key_text = read_file(key);
  if (!certificate_text.ok()) fail("--webhook-cert " + certificate + ": " + certificate_text.error().text);
  if (!key_text.ok()) fail("--webhook-key " + key + ": " + key_text.error().text);
  if (!certificate_text.ok() || !key_text.ok()) return;
  const http::PairCheck found =
      http::check_pair(*certificate_text, *key_text, {});  // the warnings are about a host
  if (!found.certificate_error.empty())
    fail("--webhook-cert " + certificate + ": " + found.certificate_error);
  if (!found.key_error.empty()) fail("--webhook-key " + key + ": " + found.key_error);
}

std::string WebhookCallers::file_of(std::string_view directory, const chain::Target& target) const {
  // Webhooks of one name are told apart by their number among them.
  std::string name = file_part(target.webhook);
  std::string_view number = target.uid.substr(target.uid.rfind('/') + 1);
  if (number != "0") name += "_" + std::string(number);
  return std::string(directory) + "/" + file_part(target.configuration) + "/" + name + "/" + key_ + ".json";
}

Result<chain::Asker*> WebhookCallers::caller(const chain::Target& target) {
  if (mode_ == Mode::Note) return static_cast<chain::Asker*>(nullptr);
  // The chain asks for the uid of a call after its caller.
  uid_ = {};
  return mode_ == Mode::Call ? client(target) : replay(target);
}

std::unique_ptr<WebhookCallers::Written> WebhookCallers::serving(
    const std::vector<chain::WrittenAnswer>& answers) {
  auto out = std::make_unique<Written>();
  out->answers = answers;
  out->uid = chain::random_uid();
  out->replay = std::make_unique<chain::Replay>(out->answers, out->uid, true);
  return out;
}

std::unique_ptr<WebhookCallers::Written> WebhookCallers::given(const chain::Target& target) {
  auto found = given_ == nullptr ? WebhookAnswers::const_iterator() : given_->find(target.webhook);
  if (given_ != nullptr && found != given_->end()) return serving(found->second);
  if (missing_.empty()) missing_ = target.webhook;
  return nullptr;
}

std::unique_ptr<WebhookCallers::Written> WebhookCallers::recorded(const std::string& file) {
  Result<std::string> text = read_file(file);
  if (!text.ok()) {
    if (missing_.empty()) missing_ = file;
    return nullptr;
  }
  auto failed = [&](const Error& error) {
    fail(place_text(file, error.position) + ": " + error.text);
    if (missing_.empty()) missing_ = file;
    return nullptr;
  };
  Result<Document> document = read_document(*text);
  if (!document.ok()) return failed(document.error());
  const Document* answers = document->find("answers");
  auto read = chain::read_answers(answers == nullptr ? *document : *answers);
  if (!read.ok()) return failed(read.error());
  return serving(*read);
}

Result<chain::Asker*> WebhookCallers::replay(const chain::Target& target) {
  note_calls();
  const std::string file = file_of(directory_, target);
  std::unique_ptr<Written>& written = written_[(target.mutating ? "m" : "v") + file];
  if (written == nullptr) {
    written = mode_ == Mode::Given ? given(target) : recorded(file);
    if (written == nullptr) return static_cast<chain::Asker*>(nullptr);
    written->webhook = target.webhook;
    written->mutating = target.mutating;
  }
  last_ = written.get();
  uid_ = written->uid;
  return static_cast<chain::Asker*>(written->replay.get());
}

void WebhookCallers::note_calls() {
  if (last_ == nullptr) return;
  const auto& sent = last_->replay->sent();
  for (; last_->noted < sent.size(); last_->noted++)
    calls_.push_back({last_->webhook, sent[last_->noted], last_->mutating});
}

std::vector<WebhookCallers::Call> WebhookCallers::calls() {
  note_calls();
  std::vector<Call> out = calls_;
  std::ranges::stable_sort(out, {}, [](const Call& c) { return c.mutating ? "" : c.webhook; });
  return out;
}

std::string_view WebhookCallers::missing_hint() const {
  return mode_ == Mode::Given ? "`webhooks` of the case must have one; {} lets the request through"
                              : "--webhooks call --record writes it";
}

Result<chain::Asker*> WebhookCallers::client(const chain::Target& target) {
  std::unique_ptr<chain::Asker>& known = clients_[std::string(target.ca_bundle)];
  if (known == nullptr) {
    auto made = http::make_client(http_, target.ca_bundle);
    if (!made.ok()) return made.error();
    known = std::move(*made);
  }
  if (record_.empty()) return known.get();
  std::unique_ptr<Recorder>& recorder = recorders_[file_of(record_, target)];
  if (recorder == nullptr) recorder = std::make_unique<Recorder>(*known, target, key_);
  uid_ = new_uid();
  recorder->go_on(*known, uid_);
  return static_cast<chain::Asker*>(recorder.get());
}

std::string WebhookCallers::new_uid() {
  if (!uid_.empty()) return std::exchange(uid_, {});  // of the call that a caller was asked for
  return chain::random_uid();
}

}  // namespace portcullis
