#include "batch/batch.h"

#include <fmt/format.h>

#include <algorithm>

#include "admission/admission.h"
#include "batch/response.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

struct ModeRow {
  std::string_view name;
  BatchMode answer;
};
constexpr ModeRow kModes[] = {
    {"admit", answer_admit},       {"condition", answer_condition}, {"crdrule", answer_crdrule},
    {"decode", answer_decode},     {"review", answer_review},       {"typecheck", answer_typecheck},
    {"validate", answer_validate}, {"webhook", answer_webhook},
};

const ModeRow* find_mode(std::string_view name) {
  auto row =
      std::find_if(std::begin(kModes), std::end(kModes), [&](const ModeRow& r) { return r.name == name; });
  return row == std::end(kModes) ? nullptr : row;
}

// JSON without white space between tokens; tokens keep their spelling.
std::string compact(std::string_view json) {
  std::string out;
  bool in_string = false, escaped = false;
  for (char c : json) {
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    out += c;
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = in_string && c == '\\' && !escaped;
  }
  return out;
}

}  // namespace

void set_errors(Response& response, const std::vector<FieldError>& errors) {
  response.list("errors", errors, [](JsonWriter& w, const FieldError& e) {
    if (!e.bad_value.empty()) w.raw("badValue", e.bad_value);
    w.member("detail", e.detail);
    w.member("field", e.field);
    w.member("message", e.message);
    w.member("type", e.type);
  });
}

void Response::input_error(std::string_view text) {
  members_.clear();
  member("inputError", text);
}

std::string Response::print() const {
  std::string out;
  JsonWriter w(out);
  w.begin_object();
  for (const auto& [name, json] : members_) w.raw(name, json);
  w.end_object();
  return out;
}

const Document* member(const Document& object, std::string_view name) {
  const Document* found = object.find(name);
  return found == nullptr || found->is(Document::Kind::Null) ? nullptr : found;
}

Result<void> answer_validate(const Document& request, Response& response) {
  const Document* object = request.find("object");
  ObjectReport report;
  if (object == nullptr) {
    report.decode_error = "couldn't get version/kind; json parse error: unexpected end of JSON input";
  } else {
    report = check_object(*object, request.find("oldObject"));
  }
  if (!report.input_error.empty()) return Error{report.input_error};
  if (report.decode_error.empty()) {
    response.raw("defaulted", report.defaulted);
  } else {
    report.strict_errors.clear();
    response.member("decodeError", report.decode_error);
  }
  set_errors(response, report.errors);
  std::vector<std::string> strict;
  for (const builtin::UnknownField& f : report.strict_errors) strict.push_back(f.text());
  response.member("strictErrors", strict);
  response.member("warnings", report.warnings);
  return {};
}

bool is_batch_mode(std::string_view mode) { return find_mode(mode) != nullptr; }

std::string answer_batch(std::string_view line) {
  Response response;
  auto request = read_document(line);
  if (!request.ok()) {
    response.input_error(request.error().text);
    return response.print();
  }
  if (!request->is(Document::Kind::Object)) {
    response.input_error("the request is not an object");
    return response.print();
  }
  const Document* mode = member(*request, "mode");
  const ModeRow* row = mode == nullptr ? nullptr : find_mode(mode->text);
  if (row == nullptr) {
    response.input_error(fmt::format("unknown mode {}", quote_json(mode == nullptr ? "" : mode->text)));
  } else if (auto done = row->answer(*request, response); !done.ok()) {
    response.input_error(done.error().text);
  }
  if (const Document* id = request->find("id")) response.raw("id", compact(id->raw));
  return response.print();
}

}  // namespace portcullis
