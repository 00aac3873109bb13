#include "batch/cel.h"

#include <optional>
#include <utility>

#include "admission/objects/document.h"
#include "batch/batch.h"
#include "batch/evaluation.h"
#include "batch/response.h"
#include "batch/tagged.h"
#include "grammar/powers.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

const Value* last_member(const Value& object, std::string_view name) {
  const Value* v = find_member(object, name);
  return v == nullptr || v->is_null() ? nullptr : v;
}

// Takes the JSON value at the start of `text`, without white space outside of strings. `text` is valid JSON.
std::string take_compact(std::string_view& text) {
  std::string out;
  int depth = 0;
  bool quoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      out += c;
      if (c == '\\') out += text[++i];
      if (c == '"') quoted = false;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    quoted = c == '"';
    out += c;
  }
  text.remove_prefix(i);
  return out;
}

// The member `name` of the object `line` as written (the last one if repeated); `line` must be valid JSON.
std::optional<std::string> raw_member(std::string_view line, std::string_view name) {
  std::optional<std::string> found;
  std::string wanted = "\"" + std::string(name) + "\"";
  line.remove_prefix(std::min(line.find('{') + 1, line.size()));
  while (!line.empty() && line.front() != '}') {
    size_t colon = 0;
    bool quoted = false;
    while (colon < line.size() && (quoted || line[colon] != ':')) {
      if (quoted && line[colon] == '\\') {
        ++colon;
      } else if (line[colon] == '"') {
        quoted = !quoted;
      }
      ++colon;
    }
    if (colon >= line.size()) break;
    std::string_view key = line.substr(0, colon);
    line.remove_prefix(colon + 1);
    std::string value = take_compact(line);
    std::string_view trimmed = key.substr(std::min(key.find('"'), key.size()));
    if (trimmed.substr(0, wanted.size()) == wanted) found = value;
    if (!line.empty() && line.front() == ',') line.remove_prefix(1);
  }
  return found;
}

// Reads the members of a request; keeps the first error about a member of a wrong kind.
class Reader {
 public:
  explicit Reader(const Value& line) : line_(line) {}

  void text(std::string_view name, std::string& out) {
    const Value* v = typed(name, Kind::String);
    if (v != nullptr) out = std::string(v->as_text());
  }
  void flag(std::string_view name, bool& out) {
    const Value* v = typed(name, Kind::Bool);
    if (v != nullptr) out = v->as_bool();
  }
  std::span<const MapEntry> map(std::string_view name) {
    const Value* v = typed(name, Kind::Map);
    return v == nullptr ? std::span<const MapEntry>() : v->as_map();
  }
  std::optional<uint64_t> number(std::string_view name) {
    const Value* v = last_member(line_, name);
    if (v == nullptr) return std::nullopt;
    return number_of(*v, name);
  }
  std::optional<uint64_t> number_of(const Value& v, std::string_view name) {
    if (v.is(Kind::Int) && v.as_int() >= 0) return static_cast<uint64_t>(v.as_int());
    // A number beyond int64 was read as a double; the largest one was rounded up.
    if (v.is(Kind::Double) && v.as_double() >= kTwoTo63 && v.as_double() <= kTwoTo64) {
      return v.as_double() == kTwoTo64 ? UINT64_MAX : static_cast<uint64_t>(v.as_double());
    }
    fail(name);
    return std::nullopt;
  }
  void fail(std::string_view name) {
    if (error_.empty()) error_ = "field " + std::string(name) + " is of the wrong kind";
  }
  const std::string& error() const { return error_; }

 private:
  const Value* typed(std::string_view name, Kind kind) {
    const Value* v = last_member(line_, name);
    if (v == nullptr || v->is(kind)) return v;
    fail(name);
    return nullptr;
  }

  const Value& line_;
  std::string error_;
};

Result<EvalRequest> read_eval_request(const Value& line) {
  Reader reader(line);
  EvalRequest request;
  std::string env;
  reader.text("expr", request.expression);
  reader.text("env", env);
  reader.text("version", request.version);
  reader.text("container", request.container);
  reader.flag("patchTypes", request.patch_types);
  reader.flag("checkOnly", request.check_only);
  request.cost_limit = reader.number("costLimit");
  for (const MapEntry& entry : reader.map("types")) {
    if (!entry.value.is(Kind::String) && !entry.value.is_null()) reader.fail("types");
    request.types[std::string(entry.key.as_text())] =
        entry.value.is(Kind::String) ? std::string(entry.value.as_text()) : "";
  }
  for (const MapEntry& entry : reader.map("vars"))
    request.plain.emplace_back(entry.key.as_text(), entry.value);
  for (const MapEntry& entry : reader.map("bindings"))
    request.tagged.emplace_back(entry.key.as_text(), entry.value);
  for (const MapEntry& entry : reader.map("sizeHints")) {
    request.size_hints[std::string(entry.key.as_text())] =
        reader.number_of(entry.value, "sizeHints").value_or(0);
  }
  if (const Value* authz = last_member(line, "authz")) request.authz = *authz;
  if (const Value* user = last_member(line, "userInfo")) request.user_info = *user;
  if (env == "new") {
    request.environment = EvalEnvironment::New;
  } else if (env == "libraries") {
    request.environment = EvalEnvironment::Libraries;
  } else if (!env.empty() && env != "stored") {
    return Error{"env is \"" + env + "\", want stored, new or libraries"};
  }
  if (!reader.error().empty()) return Error{reader.error()};
  return request;
}

// The error of the first variable in `line` that has a number beyond a double.
std::optional<std::string> error_of_variables(const Document& line) {
  const Document* variables = line.find("vars");
  if (variables == nullptr) return std::nullopt;
  Arena arena;
  for (const auto& [name, variable] : variables->members) {
    if (auto value = read_json(variable.raw, arena); !value.ok())
      return "variable " + name + ": " + value.error().text;
  }
  return std::nullopt;
}

void set_answer(const EvalAnswer& answer, Response& response) {
  if (!answer.compile_error.empty()) response.member("compileError", answer.compile_error);
  if (!answer.output_type.empty() || answer.estimate) response.member("outputType", answer.output_type);
  if (answer.estimate) {
    const auto [min, max] = *answer.estimate;
    response.member("estimate", std::vector{std::to_string(min), std::to_string(max)});
  }
  if (answer.cost) response.member("cost", *answer.cost);
  if (answer.failed) response.member("evalError", answer.eval_error);
  if (answer.value) response.raw("value", tagged(*answer.value));
}

}  // namespace

std::string answer_json(const EvalAnswer& answer) {
  Response response;
  set_answer(answer, response);
  return response.print();
}

struct CelBatch::State {
  JsonReader json;
  Arena arena;
  Evaluator evaluator;
};

CelBatch::CelBatch() : state_(std::make_unique<State>()) {}
CelBatch::~CelBatch() = default;

std::string CelBatch::answer(std::string_view line) {
  Response response;
  state_->arena.reset();
  Result<Value> value = state_->json.read(line, state_->arena);
  if (!value.ok()) {
    // A number beyond a double is an error only of the part that has it.
    const Result<Document> document = read_document(line);
    const Document* mode = document.ok() ? document->find("mode") : nullptr;
    const bool named = mode != nullptr && mode->is(Document::Kind::String) && !mode->text.empty();
    if (named && is_batch_mode(mode->text)) return answer_batch(line);
    if (named && mode->text != "cel") {
      response.input_error("unknown mode " + quote_json(mode->text));
    } else if (auto error = document.ok() ? error_of_variables(*document) : std::nullopt) {
      response.input_error(*error);
    } else {
      response.input_error(value.error().text);
    }
    if (document.ok() && document->find("id") != nullptr)
      response.raw("id", std::string(document->find("id")->raw));
    return response.print();
  }
  const Value* mode = last_member(*value, "mode");
  if (!value->is(Kind::Map) && !value->is_null()) {
    response.input_error("a request is an object");
  } else if (mode != nullptr && mode->is(Kind::String) && is_batch_mode(mode->as_text())) {
    return answer_batch(line);
  } else if (mode != nullptr &&
             !(mode->is(Kind::String) && (mode->as_text() == "cel" || mode->as_text().empty()))) {
    response.input_error("unknown mode " + to_json(*mode));
  } else {
    Result<EvalRequest> request = read_eval_request(*value);
    Result<EvalAnswer> answer =
        request.ok() ? state_->evaluator.answer(*request, state_->arena) : request.error();
    answer.ok() ? set_answer(*answer, response) : response.input_error(answer.error().text);
  }
  if (std::optional<std::string> id = raw_member(line, "id")) response.raw("id", std::move(*id));
  return response.print();
}

}  // namespace portcullis
