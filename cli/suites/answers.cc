// See answers.h.
#include "cli/suites/answers.h"

#include <algorithm>
#include <span>
#include <string>

#include "admission/objects/document.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::suites {
namespace {

void add_member(std::string& json, std::string_view name, const std::string& value) {
  json += (json.size() > 1 ? "," : "") + quote_json(name) + ":" + value;
}

std::string review_json(const Value& response) {
  std::string said = "{";
  bool has_type = false;
  if (find_member(response, "uid") == nullptr) add_member(said, "uid", "\"$UID\"");
  if (find_member(response, "allowed") == nullptr) add_member(said, "allowed", "true");
  for (const MapEntry& e : response.as_map()) {
    const std::string_view name = e.key.as_text();
    has_type |= name == "patchType";
    if (name == "patch" && e.value.is(Kind::List)) {
      Arena arena;
      TextBuilder encoded(arena);
      append_base64(encoded, to_json(e.value));
      add_member(said, name, quote_json(encoded.view()));
    } else {
      add_member(said, name, to_json(e.value));
    }
  }
  if (!has_type && find_member(response, "patch") != nullptr) add_member(said, "patchType", "\"JSONPatch\"");
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)" + said + "}}";
}

std::string answer_json(const Value& answer) {
  const Value* response = find_member(answer, "response", Kind::Map);
  if (response == nullptr) return to_json(answer);
  std::string out = "{";
  add_member(out, "body", review_json(*response));
  for (const MapEntry& e : answer.as_map()) {
    if (e.key.as_text() != "response") add_member(out, e.key.as_text(), to_json(e.value));
  }
  return out + "}";
}

// The first member that no answer has; empty if there is none.
std::string_view unknown_member(const Value& answer) {
  static constexpr std::string_view kKnown[] = {"response", "code",   "headers", "body",     "text",
                                                "delayMs",  "refuse", "error",   "bodyError"};
  if (!answer.is(Kind::Map)) return {};
  for (const MapEntry& e : answer.as_map()) {
    if (std::ranges::count(kKnown, e.key.as_text()) == 0) return e.key.as_text();
  }
  return {};
}

}  // namespace

Result<std::vector<chain::WrittenAnswer>> answers_of(const Value& value) {
  std::string json;
  for (const Value& v : value.is(Kind::List) ? value.as_list() : std::span<const Value>(&value, 1)) {
    if (auto name = unknown_member(v); !name.empty())
      return Error{"an answer of a webhook has no member " + quote_json(name)};
  }
  if (value.is(Kind::List)) {
    for (const Value& v : value.as_list()) json += (json.empty() ? "[" : ",") + answer_json(v);
    json = (json.empty() ? "[" : json) + "]";
  } else {
    json = answer_json(value);
  }
  Result<Document> document = read_document(json);
  if (!document.ok()) return document.error();
  return chain::read_answers(*document);
}

}  // namespace portcullis::suites
