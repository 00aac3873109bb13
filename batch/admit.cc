// Mode `admit` of the batch protocol: one request through the whole chain, with webhooks that answer what the line
// says. Time passes only where an answer is delayed. Tested by tests/oracle/random_webhooks.py.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "batch/response.h"
#include "batch/review_line.h"
#include "chain/chain.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr std::string_view kUid = "$UID";  // of every AdmissionReview
constexpr int64_t kNanosPerMillisecond = 1'000'000;

// What the server of a webhook answers to one call.
struct Canned {
  int code = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string content;  // with kUid where the uid of the review belongs
  std::string type = "application/json";
  bool allows = true;  // no content is said: an AdmissionReview that allows
  int64_t delay = 0;   // nanoseconds
  bool refuse = false;
};

Result<Canned> read_canned(const Document& d) {
  Canned out;
  if (d.is(Document::Kind::Null)) return out;
  if (!d.is(Document::Kind::Object)) return Error{"responses: an element is not an object"};
  auto whole = [&](std::string_view name) -> Result<int64_t> {
    const Document* found = member(d, name);
    if (found == nullptr) return int64_t{0};
    Arena arena;
    auto value = read_json(found->raw, arena);
    if (!value.ok() || !value->is(Kind::Int))
      return Error{fmt::format("responses: {} is not an integer", name)};
    return value->as_int();
  };
  auto code = whole("code"), delay = whole("delayMs");
  auto refuse = bool_member(d, "refuse");
  auto text = text_member(d, "text");
  for (const auto* error : {code.ok() ? nullptr : &code.error(), delay.ok() ? nullptr : &delay.error(),
                            refuse.ok() ? nullptr : &refuse.error(), text.ok() ? nullptr : &text.error()}) {
    if (error != nullptr) return *error;
  }
  if (*code != 0 && (*code < 200 || *code > 599))
    return Error{fmt::format("code {} is none of an HTTP response", *code)};
  if (*code != 0) out.code = static_cast<int>(*code);
  out.delay = std::max<int64_t>(*delay, 0) * kNanosPerMillisecond;
  out.refuse = *refuse;
  if (member(d, "text") != nullptr) {
    out.content = *text;
    out.type = "text/plain; charset=utf-8";
    out.allows = false;
  } else if (const Document* body = member(d, "body")) {
    out.content = body->raw;
    out.allows = false;
  }
  if (const Document* headers = member(d, "headers")) {
    if (!headers->is(Document::Kind::Object)) return Error{"responses: headers is not an object"};
    for (const auto& [name, value] : headers->members) {
      if (!value.is(Document::Kind::String) && !value.is(Document::Kind::Null))
        return Error{"responses: a header is not a text"};
      out.headers.emplace_back(name, value.text);
    }
  }
  return out;
}

using Responses = std::map<std::string, std::vector<Canned>, std::less<>>;

Result<Responses> read_responses(const Document& line) {
  Responses out;
  const Document* given = member(line, "responses");
  if (given == nullptr) return out;
  if (!given->is(Document::Kind::Object)) return Error{"responses is not an object"};
  for (const auto& [name, value] : given->members) {
    std::vector<Canned>& list = out[name];
    list.clear();
    const std::vector<Document> one = {value};
    for (const Document& d : value.is(Document::Kind::List) ? value.items : one) {
      auto canned = read_canned(d);
      if (!canned.ok()) return canned.error();
      list.push_back(*canned);
    }
  }
  return out;
}

// The servers of all webhooks, and the calls that reached them.
class Servers : public chain::Callers, public chain::Asker {
 public:
  explicit Servers(Responses responses) : responses_(std::move(responses)) {}

  Result<chain::Asker*> caller(const chain::Target& target) override {
    target_ = target;
    return static_cast<chain::Asker*>(this);
  }
  std::string new_uid() override { return std::string(kUid); }
  int64_t now() override { return now_; }
  void wait_until(int64_t time) override { now_ = std::max(now_, time); }

  chain::HttpAnswer send(const chain::HttpRequest& request, int64_t deadline) override {
    chain::HttpAnswer out;
    const Canned canned = next();
    if (canned.refuse) {
      out.error = "dial tcp webhook.invalid:443: connect: connection refused";
      return out;
    }
    note(request);
    if (now_ + canned.delay >= deadline) {
      now_ = deadline;
      out.error = chain::kDeadlineExceeded;
      return out;
    }
    now_ += canned.delay;
    out.code = canned.code;
    set_headers(canned, out);
    out.body = canned.allows ? allowing(request) : canned.content;
    if (!request.post) erase_uid(out.body);
    if (canned.code == 204 || canned.code == 304) out.body.clear();
    return out;
  }

  std::string calls_json() {
    std::ranges::stable_sort(calls_, {}, &Sent::rank);
    std::string out = "[";
    for (const Sent& c : calls_) out += (out.size() > 1 ? "," : "") + c.json;
    return out + "]";
  }

 private:
  struct Sent {
    std::string rank;  // empty for mutating webhooks
    std::string json;
  };

  Canned next() {
    auto found = responses_.find(target_.webhook);
    if (found == responses_.end() || found->second.empty()) return {};
    size_t& turn = turns_[{target_.mutating, std::string(target_.uid)}];
    return found->second[std::min(turn++, found->second.size() - 1)];
  }

  static void set_headers(const Canned& canned, chain::HttpAnswer& out) {
    out.headers.emplace_back("Content-Type", canned.type);
    for (const auto& [name, value] : canned.headers) {
      auto same = [&](const auto& h) {
        return std::ranges::equal(h.first, name,
                                  [](char a, char b) { return std::tolower(a) == std::tolower(b); });
      };
      std::erase_if(out.headers, same);
      out.headers.emplace_back(name, value);
    }
    if (canned.code == 304) out.headers.erase(out.headers.begin());  // Go sends no type with it
  }

  static std::string allowing(const chain::HttpRequest& request) {
    std::string_view version;
    for (std::string_view known : {"admission.k8s.io/v1", "admission.k8s.io/v1beta1"}) {
      if (request.body.find(fmt::format("\"apiVersion\":\"{}\"", known)) != request.body.npos) {
        version = known;
        break;
      }
    }
    return fmt::format(
        R"({{"apiVersion":"{}","kind":"AdmissionReview","response":{{"uid":"{}","allowed":true}}}})", version,
        kUid);
  }
  static void erase_uid(std::string& text) {
    for (size_t at = 0; (at = text.find(kUid, at)) != text.npos;) text.erase(at, kUid.size());
  }

  void note(const chain::HttpRequest& request) {
    std::string_view path = request.url;
    path.remove_prefix(std::min(path.find("://") + 3, path.size()));
    path.remove_prefix(std::min(path.find('/'), path.size()));
    std::string review = "null";
    if (request.post) {
      Arena arena;
      review = to_json(*read_json(request.body, arena));
    }
    calls_.push_back({target_.mutating ? "" : std::string(target_.webhook),
                      fmt::format(R"({{"path":{},"review":{},"webhook":{}}})", quote_json(path), review,
                                  quote_json(target_.webhook))});
  }

  Responses responses_;
  chain::Target target_;
  std::map<std::pair<bool, std::string>, size_t> turns_;
  std::vector<Sent> calls_;
  int64_t now_ = 0;
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
    out.objects.configurations.push_back(std::move(decoded));
  }
  return {};
}

void print(const chain::Admission& admission, Response& response) {
  response.set("allowed", admission.allowed ? "true" : "false");
  std::string annotations = "{";
  for (const auto& [key, value] : admission.audit_annotations)
    annotations += (annotations.size() > 1 ? "," : "") + quote_json(key) + ":" + quote_json(value);
  response.set("auditAnnotations", annotations + "}");
  response.set("warnings", texts_json(admission.warnings));
  response.set("patchedObject", admission.changed ? to_json(admission.object) : "null");
  if (!admission.error.empty()) response.set_text("error", admission.error);
  if (!admission.status.is_null()) response.set("status", to_json(admission.status));
}

Result<void> admit(const Document& line, Response& response) {
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
  print(admission, response);
  response.set("calls", servers.calls_json());
  return {};
}

}  // namespace

void answer_admit(const Document& request, Response& response) {
  auto done = admit(request, response);
  if (!done.ok()) response.input_error(done.error().text);
}

}  // namespace portcullis
