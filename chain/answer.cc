#include "chain/answer.h"

#include <algorithm>
#include <optional>

#include "admission/builtin/access.h"
#include "admission/builtin/data.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/repeated.h"
#include "admission/builtin/type_meta.h"
#include "admission/scalars/group_version.h"
#include "chain/media_type.h"
#include "grammar/quote.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "manifests/documents.h"
#include "manifests/yaml.h"

namespace portcullis::chain {
namespace {

constexpr std::string_view kGroup = "admission.k8s.io", kReview = "AdmissionReview";
constexpr std::string_view kInvalid = "received invalid webhook response: ";
// The part of a body that errors quote (client-go's maxUnstructuredResponseTextBytes).
constexpr size_t kMaxQuotedBody = 2048;
constexpr int kFirstAnswer = 200, kLastAnswer = 206;  // the codes of answers
constexpr int kLeastRefusal = 400;                    // of a rejection

// Kinds of the scheme of webhooks' clients besides AdmissionReview and those of all groups, whatever the apiVersion.
constexpr std::string_view kUnversionedKinds[] = {"Status", "APIVersions", "APIGroup", "APIGroupList",
                                                  "APIResourceList"};

std::string concat(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (std::string_view part : parts) out += part;
  return out;
}

// client-go's text for a status code that is no answer; `said` is what the server said, "unknown" if it sent
// no text.
std::string refused_text(int code, const std::string& said) {
  switch (code) {
    case 400: return "the server rejected our request for an unknown reason";
    case 401: return "the server has asked for the client to provide credentials";
    case 403:
    case 415: return said;
    case 404: return "the server could not find the requested resource";
    case 405: return "the server does not allow this method on the requested resource";
    case 406:
      return said.empty() || said == "unknown"
                 ? "the server was unable to respond with a content type that the client supports"
                 : said;
    case 409: return "the server reported a conflict";
    case 422: return "the server rejected our request due to an error in our request";
    case 429: return "the server has received too many requests and has asked us to try again later";
    case 503: return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default: break;
  }
  if (code >= 500)
    return "an error on the server (" + quote(said) + ") has prevented the request from succeeding";
  return "the server responded with the status code " + std::to_string(code) +
         " but did not return more information";
}

// A body as data, with the members of the same name and the numbers beyond a double that its JSON has.
struct Body {
  Document document;  // if there are any; the data refers to it
  Value data;
  builtin::DecodeOptions options;
  std::string error;
};

// goyaml's text: with the line, unless it is the first. Its parser counts lines from 0, its scanner from 1.
std::string yaml_error(const Error& error) {
  constexpr std::string_view kPrefix = "yaml: ";
  constexpr std::string_view kOfParser[] = {"did not find expected <document start>",
                                            "did not find expected node content",
                                            "did not find expected key",
                                            "did not find expected '-' indicator",
                                            "did not find expected ',' or ']'",
                                            "did not find expected ',' or '}'"};
  std::string_view text = error.text;
  if (!text.starts_with(kPrefix)) return error.text;
  text.remove_prefix(kPrefix.size());
  text = text.substr(0, text.find(" while "));  // what our reader adds about unclosed collections
  auto begins = [&](std::string_view known) { return text.starts_with(known); };
  int line = error.position.line - (std::ranges::any_of(kOfParser, begins) ? 1 : 0);
  if (error.position.line <= 1 || line == 0) return concat({kPrefix, text});
  return concat({kPrefix, "line ", std::to_string(line), ": ", text});
}

// The JSON text of a body: what begins with `{` as it is, anything else from YAML, with the keys of its maps
// sorted (recognizer.NewDecoder, yaml.YAMLToJSON).
Result<std::string_view> json_text(Arena& arena, std::string_view text) {
  if (trim_space(text).starts_with('{')) return text;
  Result<Value> yaml = read_yaml(text, arena, RepeatedKeys::LastCounts);
  if (!yaml.ok()) return Error{yaml_error(yaml.error())};
  return arena.copy(to_json(*yaml));
}

Body read_body(Arena& arena, std::string_view text) {
  Body out;
  Result<std::string_view> json = json_text(arena, text);
  if (!json.ok()) {
    out.error = json.error().text;
    return out;
  }
  Result<Value> data = read_json(*json, arena);
  // A Document takes ten times the memory of the data, so it is made only if it is needed.
  if (data.ok() ? repeated_key(*json, *data).has_value() : is_large_number(data.error())) {
    out.document = *read_document(*json);
    data = builtin::read_repeated(arena, out.document, out.options);
  } else {
    out.options.json = *json;
  }
  if (data.ok()) {
    out.data = *data;
  } else {
    out.error = "couldn't get version/kind; json parse error: " + data.error().text;
  }
  return out;
}

// The kind of a body, with those parts of `known` that it leaves out.
builtin::TypeMeta identify(const Value& data, const GroupVersionKind& known, std::string_view text) {
  builtin::TypeMeta meta = builtin::read_type_meta(data);
  if (!meta.error.empty()) return meta;
  static_cast<GroupVersionKind&>(meta) = builtin::kind_with_defaults(meta, known);
  if (meta.kind.empty()) meta.error = builtin::missing_member("Kind", text);
  if (meta.version.empty()) meta.error = builtin::missing_member("apiVersion", text);
  return meta;
}

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::ranges::find(list, text) != std::end(list);
}

bool is_review_version(const GroupVersionKind& name) {
  return name.group == kGroup && (name.version == "v1" || name.version == "v1beta1");
}

// Whether the scheme of webhooks' clients has the kind; `path`: its struct in admission/builtin.
bool is_registered(const GroupVersionKind& name, std::string& path) {
  if (is_review_version(name) && name.kind == kReview) {
    path = concat({"api/admission/", name.version, ".", kReview});
    return true;
  }
  path = concat({"apimachinery/pkg/apis/meta/v1.", name.kind});
  return contains(kUnversionedKinds, name.kind) ||
         (is_review_version(name) && contains(kKindsOfAllGroups, name.kind));
}

const builtin::StructRow& status_row() {
  static const builtin::StructRow& row = *builtin::find_struct("apimachinery/pkg/apis/meta/v1.Status");
  return row;
}

struct DecodedBody {
  const builtin::Object* object = nullptr;
  std::string error;
};

// Decodes a body of the kind `name`. A struct that is no row of the table decodes to null.
DecodedBody decode_body(Arena& arena, const Body& body, const GroupVersionKind& name) {
  std::string path;
  if (!is_registered(name, path)) {
    return {nullptr, builtin::not_registered(name.kind, join_api_version(name.group, name.version))};
  }
  const builtin::StructRow* row = builtin::find_struct(path);
  if (row == nullptr) return {};
  builtin::Decoded made = builtin::decode(arena, *row, body.data, body.options);
  return {made.object, std::move(made.error)};
}

// The message of a Status in the body of an answer that is none, as far as there is one.
std::optional<std::string> status_message(Arena& arena, std::string_view text) {
  const Body body = read_body(arena, text);
  if (!body.error.empty()) return {};
  const builtin::TypeMeta found = identify(body.data, {{}, "v1", {}}, text);
  if (!found.error.empty() || found.kind != "Status") return {};
  const DecodedBody made = decode_body(arena, body, found);
  if (!made.error.empty() || made.object == nullptr) return {};
  Data status(*made.object);
  if (status.field_text("status") != "Failure") return {};
  return std::string(status.field_text("message"));
}

std::string refusal(Arena& arena, const HttpAnswer& answer, const std::string& media_type) {
  std::string_view body = answer.body;
  if (!body.empty()) {
    if (auto message = status_message(arena, body)) return *message;
  }
  const bool text = answer.header("Content-Type").empty() || media_type.starts_with("text/");
  return refused_text(answer.code,
                      text ? std::string(trim_space(body.substr(0, kMaxQuotedBody))) : "unknown");
}

std::string_view bytes_of(Arena& arena, std::string_view base64) {
  TextBuilder out(arena);
  decode_base64(out, base64, true);
  return out.view();
}

// Checks a review and copies its response (VerifyAdmissionResponse). Returns the error.
std::string verify(Arena& arena, Data review, const Question& question, Response& out) {
  const Data response = review["response"];
  if (!response.set) return "webhook response was absent";
  const Data patch = response["patch"], type = response["patchType"];
  const bool has_patch = !patch.text.empty();
  if (question.v1) {
    if (response.field_text("uid") != question.uid)
      return concat(
          {"expected response.uid=", quote(question.uid), ", got ", quote(response.field_text("uid"))});
    const std::string_view api_version = review.field_text("apiVersion"), kind = review.field_text("kind");
    const GroupVersion version = split_api_version(api_version);
    if (version.group != kGroup || version.version != "v1" || kind != kReview) {
      const GroupVersion shown = version.well_formed ? version : GroupVersion{};
      return concat({"expected webhook response of ", kind_text(kGroup, "v1", kReview), ", got ",
                     kind_text(shown.group, shown.version, kind)});
    }
    if (!question.mutating && has_patch) return "validating webhook may not return response.patch";
    if (!question.mutating && type.set) return "validating webhook may not return response.patchType";
    if (has_patch && !type.set) return "webhook returned response.patch but not response.patchType";
    if (!has_patch && type.set) return "webhook returned response.patchType but not response.patch";
    if (type.set && type.text.empty()) return "webhook returned invalid response.patchType of \"\"";
  }
  out.allowed = response["allowed"].flag;
  // A copy, as the struct refers to the body.
  if (const Data status = response["status"]; status.is_struct() && !out.allowed)
    out.status = *read_json(to_json(builtin::encode_plain(arena, builtin::as_object(status.value))), arena);
  if (has_patch && question.mutating) {
    out.patch = bytes_of(arena, patch.text);
    out.patch_type = question.v1 ? arena.copy(type.text) : "JSONPatch";
  }
  return {};
}

void copy_texts(Arena& arena, Data response, Response& out) {
  const DataList warnings = response["warnings"].items;
  auto* texts = arena.array<std::string_view>(warnings.size());
  for (size_t i = 0; i < warnings.size(); ++i) new (&texts[i]) std::string_view(arena.copy(warnings[i].text));
  out.warnings = {texts, warnings.size()};
  const auto annotations = response["auditAnnotations"].sorted_texts();
  using Annotation = std::pair<std::string_view, std::string_view>;
  auto* pairs = arena.array<Annotation>(annotations.size());
  for (size_t i = 0; i < annotations.size(); ++i)
    new (&pairs[i]) Annotation(arena.copy(annotations[i].first), arena.copy(annotations[i].second));
  out.audit_annotations = {pairs, annotations.size()};
}

// The error of an answer that brings no AdmissionReview of the right version, else empty.
std::string decode_review(Arena& arena, std::string_view text, const Question& question, Body& body,
                          const builtin::Object*& review) {
  const std::string_view version = question.v1 ? "v1" : "v1beta1";
  body = read_body(arena, text);
  if (!body.error.empty()) return body.error;
  const builtin::TypeMeta found = identify(body.data, {kGroup, version, kReview}, text);
  if (!found.error.empty()) return found.error;
  const DecodedBody made = decode_body(arena, body, found);
  if (!made.error.empty()) return made.error;
  review = made.object;
  if (found.kind == kReview && found.version == version) return {};
  const std::string_view package = found.kind == kReview ? found.version : "v1";
  return builtin::unknown_conversion(package, found.kind, version, kReview);
}

}  // namespace

Response read_answer(Arena& arena, const HttpAnswer& answer, const Question& question) {
  Response out;
  auto call_failed = [&](std::string_view why) {
    out.error = concat({kCallFailed, why});
    return std::move(out);
  };
  if (!answer.error.empty()) return call_failed(answer.error);
  if (!answer.body_error.empty())
    return call_failed("unexpected error when reading response body. Please retry. Original error: " +
                       answer.body_error);
  std::string_view type = answer.header("Content-Type");
  if (type.empty()) type = "application/json";
  const MediaType media = read_media_type(type);
  if (!media.error.empty()) return call_failed("Internal error occurred: " + media.error);
  if (answer.code < kFirstAnswer || answer.code > kLastAnswer)
    return call_failed(refusal(arena, answer, media.type));
  if (answer.body.empty())
    return call_failed(concat(
        {"0-length response with status code: ", std::to_string(answer.code), " and content type: ", type}));
  Body body;
  const builtin::Object* review = nullptr;
  // The data refers to the text, and the response to the data.
  const std::string_view text = arena.copy(answer.body);
  if (std::string error = decode_review(arena, text, question, body, review); !error.empty())
    return call_failed(error);
  if (std::string error = verify(arena, Data(*review), question, out); !error.empty()) {
    out = {};
    out.error = concat({kInvalid, error});
    return out;
  }
  copy_texts(arena, Data(*review)["response"], out);
  return out;
}

Value rejection(Arena& arena, std::string_view name, const Response& response) {
  builtin::Object& status = *builtin::decode(arena, status_row(), response.status, {}).object;
  const Data given(status);
  std::string message = concat({"admission webhook ", quote(name), " denied the request"});
  std::string_view why = given.field_text("message");
  if (why.empty()) why = given.field_text("reason");
  message += why.empty() ? " without explanation" : concat({": ", why});
  if (given["code"].number < kLeastRefusal) builtin::set(status, "code", Value::integer(kLeastRefusal));
  if (given.field_text("status").empty() || given.field_text("status") == "Success")
    builtin::set(status, "status", Value::string("Failure"));
  builtin::set(status, "message", Value::string(arena.copy(message)));
  return builtin::encode_plain(arena, status);
}

Result<Document> read_patch(std::string_view patch) {
  constexpr std::string_view kUndecodable = "received undecodable patch in webhook response: ";
  Result<Document> read = read_document(patch);
  if (!read.ok()) return Error{concat({kUndecodable, read.error().text})};
  auto mismatch = [&](const Document& part, std::string_view type) {
    return Error{concat({kUndecodable, "json: cannot unmarshal ", json_word(part),
                         " into Go value of type jsonpatch.", type})};
  };
  if (read->is(Document::Kind::Null)) return read;
  if (!read->is(Document::Kind::List)) return mismatch(*read, "Patch");
  for (Document& operation : read->items) {
    if (operation.is(Document::Kind::Null)) operation.kind = Document::Kind::Object;
    if (!operation.is(Document::Kind::Object)) return mismatch(operation, "Operation");
  }
  return read;
}

std::string unsupported_patch_type(std::string_view type) {
  return concat({"unsupported patch type ", quote(type)});
}

}  // namespace portcullis::chain
