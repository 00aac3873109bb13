#include "chain/replay.h"

#include <algorithm>
#include <charconv>

#include "admission/scalars/url.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::chain {
namespace {

constexpr std::string_view kUid = "$UID", kContentType = "Content-Type";
constexpr int64_t kMillisecond = 1'000'000;
constexpr int kLeastCode = 200, kMostCode = 599;
constexpr int64_t kMostDelay = int64_t{24} * 3600 * 1000;  // beyond every timeout

Error wrong(std::string_view field, std::string_view what) {
  return Error{std::string(field) + " is no " + std::string(what)};
}

// Reads a field of a wanted kind. Returns false if it has another; absent and null leave `out` as it is.
bool read(const Document* field, std::string& out) {
  if (field == nullptr || field->is(Document::Kind::Null)) return true;
  out = field->text;
  return field->is(Document::Kind::String);
}
bool read(const Document* field, int64_t& out) {
  if (field == nullptr || field->is(Document::Kind::Null)) return true;
  const char* end = field->text.data() + field->text.size();
  return field->is(Document::Kind::Number) && std::from_chars(field->text.data(), end, out).ptr == end;
}

Result<WrittenAnswer> read_written_answer(const Document& given) {
  WrittenAnswer out;
  if (given.is(Document::Kind::Null)) return out;
  if (!given.is(Document::Kind::Object)) return wrong("an answer", "object");
  int64_t code = 0;
  if (!read(given.find("code"), code)) return wrong("code", "integer");
  if (code != 0 && (code < kLeastCode || code > kMostCode))
    return Error{"code " + std::to_string(code) + " is none of an HTTP answer"};
  if (code != 0) out.code = static_cast<int>(code);
  if (!read(given.find("delayMs"), out.delay_ms)) return wrong("delayMs", "integer");
  out.delay_ms = std::clamp<int64_t>(out.delay_ms, 0, kMostDelay);
  const Document* refuse = given.find("refuse");
  out.refuse = refuse != nullptr && refuse->boolean;
  if (refuse != nullptr && !refuse->is(Document::Kind::Null) && !refuse->is(Document::Kind::Bool))
    return wrong("refuse", "boolean");
  if (!read(given.find("error"), out.error)) return wrong("error", "text");
  if (!read(given.find("bodyError"), out.body_error)) return wrong("bodyError", "text");
  const Document *text = given.find("text"), *body = given.find("body"), *headers = given.find("headers");
  if (text != nullptr && !text->is(Document::Kind::Null)) {
    if (!read(text, out.text.emplace())) return wrong("text", "text");
  } else if (body != nullptr && !body->is(Document::Kind::Null)) {
    out.text = body->raw;
    out.json = true;
  }
  if (headers == nullptr || headers->is(Document::Kind::Null)) return out;
  if (!headers->is(Document::Kind::Object)) return wrong("headers", "object");
  for (const auto& [name, value] : headers->members) {
    if (!read(&value, out.headers.emplace_back(name, "").second)) return wrong("a header", "text");
  }
  return out;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  if (from.empty()) return std::string(text);
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, done)) {
    out.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  return out.append(text, done);
}

// The path and the query of a URL, as a request names them.
std::string request_uri(std::string_view text) {
  Arena arena;
  Url url;
  (void)url::parse(arena, text, url);
  std::string out(url.opaque.empty() ? url::escaped_path(arena, url) : url.opaque);
  if (out.empty()) out = "/";
  if (url.force_query || !url.query.empty()) out.append("?").append(url.query);
  return out;
}

}  // namespace

Result<std::vector<WrittenAnswer>> read_answers(const Document& given) {
  std::vector<WrittenAnswer> out;
  const bool list = given.is(Document::Kind::List);
  for (const Document& one : list ? std::span<const Document>(given.items) : std::span(&given, 1)) {
    Result<WrittenAnswer> answer = read_written_answer(one);
    if (!answer.ok()) return answer.error();
    out.push_back(std::move(*answer));
  }
  if (out.empty()) out.emplace_back();
  return out;
}

void write_answer(std::string& out, const HttpAnswer& answer, std::string_view uid) {
  JsonWriter w(out);
  w.begin_object();
  w.optional("bodyError", answer.body_error);
  if (answer.error.empty()) w.member("code", answer.code);
  w.optional("error", answer.error);
  w.object("headers", [&] {
    w.member(kContentType, answer.header(kContentType));
    for (std::string_view name : {"Location", "Retry-After"}) w.optional(name, answer.header(name));
  });
  w.member("text", replaced(answer.body, uid, kUid));
  w.end_object();
}

void Replay::wait_until(int64_t time) { time_ = std::max(time_, time); }

std::string Replay::body(const WrittenAnswer& written, std::string_view review) const {
  std::string out = written.text.value_or("");
  if (!written.text) {
    Arena arena;
    const Result<Value> sent = read_json(review, arena);
    out = R"({"apiVersion":)" + quote_json(sent.ok() ? text_member(*sent, "apiVersion") : "") +
          R"(,"kind":"AdmissionReview","response":{"uid":"$UID","allowed":true}})";
  }
  return replaced(out, kUid, review.empty() ? "" : uid_);
}

HttpAnswer Replay::send(const HttpRequest& request, int64_t deadline) {
  static const WrittenAnswer allows;
  const WrittenAnswer& written = answers_.empty() ? allows : answers_[std::min(turn_, answers_.size() - 1)];
  ++turn_;
  HttpAnswer out;
  out.error = written.refuse ? "dial tcp webhook.invalid:443: connect: connection refused" : written.error;
  if (!out.error.empty()) return out;
  const bool given = of_all_ && turn_ <= answers_.size();
  if (request.url.starts_with("http:") && !given) {  // Go's servers of HTTPS answer so
    out.code = 400;
    out.body = "Client sent an HTTP request to an HTTPS server.\n";
    return out;
  }
  sent_.push_back({request_uri(request.url), std::string(request.body)});
  time_ += written.delay_ms * kMillisecond;
  if (time_ >= deadline) {
    time_ = deadline;
    out.error = kDeadlineExceeded;
    return out;
  }
  constexpr int kNoContent = 204, kNotModified = 304;
  out.code = written.code;
  out.headers = written.headers;
  out.headers.emplace_back(kContentType,
                           written.json || !written.text ? "application/json" : "text/plain; charset=utf-8");
  if (out.code == kNotModified) out.headers.clear();
  if (out.code != kNoContent && out.code != kNotModified) out.body = body(written, request.body);
  out.body_error = written.body_error;
  return out;
}

}  // namespace portcullis::chain
