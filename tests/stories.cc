// stories: rules of admission that need requests or clusters which no manifest makes, such as versions that no release
// serves, namespaces that are gone, patches that are no JSON: tests/stories/<topic>/<rule>.yaml. All other rules are suites
// of `portcullis test` (tests/admission).
//
// usage: stories DIR [--only TEXT] [--requests] [--judge ANSWERS] [--rebase [ANSWERS]]
//   --requests: print the cases as requests of mode `review` and stop
//   --judge: compare with the answers in a file, one line a case, instead of our own (the oracle's:
//            tests/oracle/stories.py)
//   --rebase: write our answers (or those in the file) into the stories
// A story is a YAML mapping. The simplest cluster supplies what it omits, so a story only has
// what it is about:
//   policies: {p: SPEC}     by name; the default of matchConstraints matches everything, the default of
//                           validations fails with `no`
//   bindings: {b: SPEC}     by name; policyName defaults to `p`, validationActions to [Deny]; if there is
//                           none, a binding `b` is made
//   mutating: {m: SPEC}     mutating policies by name; the default of matchConstraints matches everything,
//                           that of reinvocationPolicy is Never; a story with `mutating` may lack `policies`
//   mutatingBindings: {b: SPEC}   by name; policyName defaults to the first policy; if there is none, each
//                           policy P has a binding `P-b`
//   validatingWebhooks, mutatingWebhooks: {c: [WEBHOOK]}   the webhooks of configuration `c`; in each, name
//                           defaults to `w.example.com`, url to `https://example.com/`, rules to everything,
//                           sideEffects to None, admissionReviewVersions to [v1]; a story with webhooks may
//                           lack `policies`, and its requests are of mode `admit`, not `review`
//   namespaces, params, paramKinds, paramScope, authz, equivalents, crds, typed: as in the batch protocol;
//                           the default of namespaces is `default` with the label env: prod
//   cases:                  each with
//     when: CREATE apps/v1/deployments/scale default/web    operation, resource with its version,
//                                                           [namespace/]name
//     kind: autoscaling/v1/Scale    if it differs from that of the resource
//     object, oldObject: OBJECT     apiVersion, kind, name and namespace default to those of `when`
//     request: {dryRun: true}       further members of the request
//     responses: {NAME: RESPONSE}   what webhooks answer, as in the batch protocol; instead of `body` there may be
//                                   `response`, that of an AdmissionReview of v1: `uid` and `allowed` default to
//                                   what admits, and `patch` is the list of operations
//     reviews: true                 `then` shows the AdmissionReviews that are sent
//     then: |                       the whole answer, one line each: allowed or denied (details and causes
//                                   if they are not those of the message), error, warning, audit, called
//                                   (webhook and path), and the changes that mutation made to the object, one
//                                   line each
// Closes with `N passed, N failed, N skipped`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <span>

#include "batch/batch.h"
#include "batch/tagged.h"
#include "interpreter/values/json.h"
#include "manifests/yaml.h"
#include "tests/fields.h"
#include "tests/tally.h"

namespace portcullis::tests {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io/v1";
constexpr std::string_view kAnyRule =
    R"({"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]})";
constexpr std::string_view kFails = R"([{"expression":"false","message":"no"}])";
constexpr std::string_view kDefaultNamespace =
    R"([{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default","labels":{"env":"prod"}}}])";

// The members of a story that are those of a request of the batch protocol; its other members; and those of a case.
constexpr std::string_view kPassedOn[] = {"namespaces", "params",      "paramKinds", "paramScope",
                                          "authz",      "equivalents", "crds",       "typed"};
constexpr std::string_view kOfStories[] = {
    "policies",           "bindings",         "mutating", "mutatingBindings",
    "validatingWebhooks", "mutatingWebhooks", "cases"};
constexpr std::string_view kOfCases[] = {"when",    "kind",      "object",  "oldObject",
                                         "request", "responses", "reviews", "then"};

// The members of an object in order; `fill` adds a member if it is absent.
class Members {
 public:
  explicit Members(const Value& object = Value()) {
    if (!object.is(Kind::Map)) return;
    for (const MapEntry& e : object.as_map()) list_.emplace_back(e.key.as_text(), to_json(e.value));
  }
  void fill(std::string_view name, std::string json) {
    if (std::none_of(list_.begin(), list_.end(), [&](auto& m) { return m.first == name; }))
      list_.emplace_back(name, std::move(json));
  }
  void set(std::string_view name, std::string json) {
    std::erase_if(list_, [&](auto& m) { return m.first == name; });
    list_.emplace_back(name, std::move(json));
  }
  std::string json() const {
    std::string out = "{";
    for (const auto& [name, value] : list_)
      out += (out.size() > 1 ? "," : "") + quote_json(name) + ":" + value;
    return out + "}";
  }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) c == at ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

// "pods" -> "Pod", for the resources in stories only.
std::string kind_of(std::string resource) {
  static const std::map<std::string, std::string> kKinds = {
      {"configmaps", "ConfigMap"},
      {"replicasets", "ReplicaSet"},
      {"serviceaccounts", "ServiceAccount"},
      {"networkpolicies", "NetworkPolicy"},
      {"validatingadmissionpolicies", "ValidatingAdmissionPolicy"},
      {"mutatingadmissionpolicies", "MutatingAdmissionPolicy"},
      {"validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"},
      {"mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding"},
      {"validatingwebhookconfigurations", "ValidatingWebhookConfiguration"},
      {"mutatingwebhookconfigurations", "MutatingWebhookConfiguration"}};
  if (auto found = kKinds.find(resource); found != kKinds.end()) return found->second;
  if (resource.ends_with('s')) resource.pop_back();
  if (!resource.empty())
    resource[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(resource[0])));
  return resource;
}

// [group/]version/name
struct Versioned {
  std::string group, version, name, rest;
  static Versioned of(std::string_view text) {
    std::vector<std::string> parts = split(text, '/');
    // A version begins with v and a digit.
    auto is_version = [](const std::string& s) {
      return s.size() > 1 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9';
    };
    Versioned out;
    if (!is_version(parts[0])) {
      out.group = parts[0];
      parts.erase(parts.begin());
    }
    parts.resize(3);
    out.version = parts[0], out.name = parts[1], out.rest = parts[2];
    return out;
  }
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  std::string json(std::string_view last) const {
    return fmt::format(R"({{"group":{},"version":{},"{}":{}}})", quote_json(group), quote_json(version), last,
                       quote_json(name));
  }
};

// `object` completed by the data of the request; an absent one is made.
std::string complete(const Value* given, const Versioned& kind, const std::string& space,
                     const std::string& name) {
  if (given != nullptr && given->is_null()) return "null";
  Members object(given == nullptr ? Value() : *given);
  object.fill("apiVersion", quote_json(kind.api_version()));
  object.fill("kind", quote_json(kind.name));
  if (kind.name.ends_with("Options")) return object.json();
  const Value* meta = given == nullptr ? nullptr : field(*given, "metadata");
  if (meta != nullptr && !meta->is(Kind::Map)) return object.json();
  Members metadata(meta == nullptr ? Value() : *meta);
  if (!name.empty()) metadata.fill("name", quote_json(name));
  if (!space.empty() && kind.name != "Namespace") metadata.fill("namespace", quote_json(space));
  object.set("metadata", metadata.json());
  return object.json();
}

std::string request_of(const Value& test) {
  std::vector<std::string> words = split(text_field(test, "when"), ' ');
  words.resize(3);
  Versioned resource = Versioned::of(words[1]), kind = resource;
  kind.name = kind_of(resource.name);
  if (std::string text = text_field(test, "kind"); !text.empty()) kind = Versioned::of(text);
  size_t slash = words[2].find('/');
  std::string space = slash == std::string::npos ? "" : words[2].substr(0, slash);
  std::string name = slash == std::string::npos ? words[2] : words[2].substr(slash + 1);
  if (resource.name == "namespaces" && resource.group.empty()) space = name;
  const Value* more = field(test, "request");
  Members request(more == nullptr ? Value() : *more);
  request.fill("operation", quote_json(words[0]));
  request.fill("kind", kind.json("kind"));
  request.fill("resource", resource.json("resource"));
  request.fill("name", quote_json(name));
  request.fill("namespace", quote_json(space));
  if (!resource.rest.empty()) request.fill("subResource", quote_json(resource.rest));
  bool made = words[0] != "DELETE", had = words[0] == "UPDATE" || words[0] == "DELETE";
  if (made || field(test, "object") != nullptr)
    request.fill("object", complete(field(test, "object"), kind, space, name));
  if (had || field(test, "oldObject") != nullptr)
    request.fill("oldObject", complete(field(test, "oldObject"), kind, space, name));
  return request.json();
}

// A policy or binding.
std::string object(std::string_view kind, std::string_view name, const Members& spec) {
  return fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":{}}},"spec":{}}})", kGroup, kind,
                     quote_json(name), spec.json());
}

// Policies or bindings by name; if there are none and `some` is set, one with the default name.
std::vector<std::string> objects(const Value& story, std::string_view of, std::string_view kind, bool some,
                                 const std::function<void(Members&)>& complete) {
  std::vector<std::string> out;
  auto add = [&](std::string_view name, Members spec) {
    complete(spec);
    out.push_back(object(kind, name, spec));
  };
  for (const MapEntry& e : map_field(story, of)) add(e.key.as_text(), Members(e.value));
  if (out.empty() && some) add(of == "policies" ? "p" : "b", Members());
  return out;
}

std::string list_of(const std::vector<std::string>& validating, const std::vector<std::string>& mutating) {
  std::string out = "[";
  for (const auto* list : {&validating, &mutating}) {
    for (const std::string& o : *list) out += (out.size() > 1 ? "," : "") + o;
  }
  return out + "]";
}

bool has_webhooks(const Value& story) {
  return field(story, "validatingWebhooks") != nullptr || field(story, "mutatingWebhooks") != nullptr;
}

void add_policies(const Value& story, Members& line) {
  bool validates =
      (field(story, "mutating") == nullptr && !has_webhooks(story)) || field(story, "policies") != nullptr;
  auto policies = objects(story, "policies", "ValidatingAdmissionPolicy", validates, [](Members& spec) {
    spec.fill("matchConstraints", fmt::format(R"({{"resourceRules":[{}]}})", kAnyRule));
    spec.fill("validations", std::string(kFails));
  });
  auto bindings =
      objects(story, "bindings", "ValidatingAdmissionPolicyBinding", validates, [](Members& spec) {
        spec.fill("policyName", "\"p\"");
        spec.fill("validationActions", "[\"Deny\"]");
      });
  auto mutating = objects(story, "mutating", "MutatingAdmissionPolicy", false, [](Members& spec) {
    spec.fill("matchConstraints", fmt::format(R"({{"resourceRules":[{}]}})", kAnyRule));
    spec.fill("reinvocationPolicy", "\"Never\"");
  });
  std::string first;
  std::vector<std::string> own;
  for (const MapEntry& e : map_field(story, "mutating")) {
    std::string name(e.key.as_text());
    if (first.empty()) first = name;
    Members spec;
    spec.fill("policyName", quote_json(name));
    own.push_back(object("MutatingAdmissionPolicyBinding", name + "-b", spec));
  }
  auto bound = objects(story, "mutatingBindings", "MutatingAdmissionPolicyBinding", false,
                       [&](Members& spec) { spec.fill("policyName", quote_json(first)); });
  line.fill("policies", list_of(policies, mutating));
  line.fill("bindings", list_of(bindings, bound.empty() ? own : bound));
}

std::string webhook_of(const Value& given) {
  Members webhook(given);
  webhook.fill("name", R"("w.example.com")");
  webhook.fill("clientConfig", R"({"url":"https://example.com/"})");
  webhook.fill("rules", fmt::format("[{}]", kAnyRule));
  webhook.fill("sideEffects", "\"None\"");
  webhook.fill("admissionReviewVersions", R"(["v1"])");
  return webhook.json();
}

std::vector<std::string> configurations_of(const Value& story, std::string_view of, std::string_view kind) {
  std::vector<std::string> out;
  for (const MapEntry& e : map_field(story, of)) {
    std::string webhooks;
    if (e.value.is(Kind::List)) {
      for (const Value& w : e.value.as_list()) webhooks += (webhooks.empty() ? "" : ",") + webhook_of(w);
    }
    out.push_back(fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":{}}},"webhooks":[{}]}})",
                              kGroup, kind, quote_json(e.key.as_text()), webhooks));
  }
  return out;
}

// What the server of a webhook answers.
std::string answer_of(const Value& given) {
  const Value* response = field(given, "response");
  if (response == nullptr) return to_json(given);
  Members said(*response);
  said.fill("uid", "\"$UID\"");
  said.fill("allowed", "true");
  if (const Value* patch = field(*response, "patch")) {
    said.set("patch", quote_json(to_base64(to_json(*patch))));
    said.fill("patchType", "\"JSONPatch\"");
  }
  return fmt::format(
      R"({{"body":{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{}}}}})",
      said.json());
}

std::string responses_of(const Value& test) {
  std::string out;
  for (const MapEntry& e : map_field(test, "responses")) {
    std::string one = e.value.is(Kind::List) ? "" : answer_of(e.value);
    if (e.value.is(Kind::List)) {
      for (const Value& v : e.value.as_list()) one += (one.empty() ? "[" : ",") + answer_of(v);
      one += "]";
    }
    out += (out.empty() ? "" : ",") + quote_json(e.key.as_text()) + ":" + one;
  }
  return "{" + out + "}";
}

std::string line_of(const Value& story, const Value& test, const std::string& id) {
  Members line;
  line.fill("id", quote_json(id));
  line.fill("mode", has_webhooks(story) ? "\"admit\"" : "\"review\"");
  add_policies(story, line);
  if (has_webhooks(story)) {
    line.fill("webhookConfigurations",
              list_of(configurations_of(story, "mutatingWebhooks", "MutatingWebhookConfiguration"),
                      configurations_of(story, "validatingWebhooks", "ValidatingWebhookConfiguration")));
    line.fill("responses", responses_of(test));
  }
  for (std::string_view name : kPassedOn) {
    if (const Value* v = field(story, name)) line.fill(name, to_json(*v));
  }
  line.fill("namespaces", std::string(kDefaultNamespace));
  line.fill("request", request_of(test));
  return line.json();
}

// A text on one line: only line breaks and control characters are escaped, as in JSON.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      std::string quoted = quote_json(std::string_view(&c, 1));
      out += quoted.substr(1, quoted.size() - 2);
    } else {
      out += c;
    }
  }
  return out;
}

// The details of a status that its message does not repeat.
std::string told_details(const Value& details, const std::string& message) {
  std::string kind = text_field(details, "kind"), group = text_field(details, "group"),
              name = text_field(details, "name"), out;
  std::string subject =
      kind + (group.empty() ? "" : "." + group) + " " + quote_json(name) + " is forbidden: ";
  auto causes = list_field(details, "causes");
  if (causes.size() == 1 && subject + text_field(causes[0], "message") == message) return "";
  bool internal = kind.empty() && group.empty() && name.empty() && causes.size() == 1 &&
                  "Internal error occurred: " + text_field(causes[0], "message") == message;
  if (internal) return "";
  out += fmt::format("details: kind {}, group {}, name {}\n", quote_json(kind), quote_json(group),
                     quote_json(name));
  for (const Value& cause : causes)
    out += fmt::format("cause: {}\n", on_one_line(text_field(cause, "message")));
  return out;
}

// The differences, one line for each place; lists of different sizes are one place.
void tell_changes(const std::string& path, const Value* before, const Value* after, std::string& out) {
  auto both = [&](Kind kind) {
    return before != nullptr && after != nullptr && before->is(kind) && after->is(kind);
  };
  if (both(Kind::Map)) {
    std::map<std::string_view, std::pair<const Value*, const Value*>> members;
    for (const MapEntry& e : before->as_map()) members[e.key.as_text()].first = &e.value;
    for (const MapEntry& e : after->as_map()) members[e.key.as_text()].second = &e.value;
    for (const auto& [name, pair] : members) {
      bool plain = name.find_first_of("./[]") == name.npos;
      tell_changes(plain ? fmt::format("{}.{}", path, name) : fmt::format("{}['{}']", path, name), pair.first,
                   pair.second, out);
    }
  } else if (both(Kind::List) && before->size() == after->size()) {
    for (size_t i = 0; i < before->size(); ++i)
      tell_changes(fmt::format("{}[{}]", path, i), &before->as_list()[i], &after->as_list()[i], out);
  } else if (after == nullptr) {
    out += fmt::format("removed {}\n", path);
  } else if (before == nullptr || to_json(*before) != to_json(*after)) {
    out += fmt::format("changed {}: {}\n", path, on_one_line(to_json(*after)));
  }
}

// The changes that mutation made to the object of the request `line`; the object is decoded first if the
// server does so.
std::string told_mutation(const std::string& line, const Value& after) {
  Arena arena;
  Result<Value> request = read_json(line, arena);
  if (!request.ok()) return "";
  const Value* asked = field(*request, "request");
  const Value* before = asked == nullptr ? nullptr : field(*asked, "object");
  Result<Value> decoded = Value();
  std::string text;
  if (flag(*request, "typed") && before != nullptr) {
    text = answer_batch(fmt::format(R"({{"mode":"decode","object":{}}})", to_json(*before)));
    decoded = read_json(text, arena);
    if (decoded.ok()) before = field(*decoded, "object");
  }
  std::string out;
  tell_changes("", before, &after, out);
  return out;
}

// The answer to `line` in the notation of `then`, with the AdmissionReviews if `reviews` is set.
std::string told(const std::string& line, const std::string& text, bool reviews) {
  Arena arena;
  Result<Value> answer = read_json(text, arena);
  if (!answer.ok()) return text + "\n";
  if (std::string error = text_field(*answer, "inputError"); !error.empty())
    return "input error: " + error + "\n";
  std::string out;
  if (const Value* status = field(*answer, "status")) {
    const Value* code = field(*status, "code");
    const Value* details = field(*status, "details");
    out += fmt::format("denied {} {}: {}\n", code == nullptr ? "" : to_json(*code),
                       text_field(*status, "reason"), on_one_line(text_field(*status, "message")));
    out += details == nullptr ? "no details\n" : told_details(*details, text_field(*status, "message"));
  } else if (std::string error = text_field(*answer, "error"); !error.empty()) {
    out += "error: " + on_one_line(error) + "\n";
  } else {
    out += flag(*answer, "allowed") ? "allowed\n" : "denied\n";
  }
  for (const Value& w : list_field(*answer, "warnings"))
    out += fmt::format("warning: {}\n", on_one_line(w.as_text()));
  for (const MapEntry& e : map_field(*answer, "auditAnnotations")) {
    out += fmt::format("audit {}: {}\n", e.key.as_text(), on_one_line(e.value.as_text()));
  }
  for (const Value& call : list_field(*answer, "calls")) {
    out += fmt::format("called {} {}\n", text_field(call, "webhook"), text_field(call, "path"));
    if (reviews) out += fmt::format("review {}\n", to_json(*field(call, "review")));
  }
  if (const Value* after = field(*answer, "patchedObject"); after != nullptr && after->is(Kind::Map))
    out += told_mutation(line, *after);
  return out;
}

// Replaces the `then` blocks in a story's text by `answers`.
std::string rebased(const std::string& text, const std::vector<std::string>& answers) {
  std::string out;
  size_t next = 0;
  std::vector<std::string> lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); i++) {
    size_t indent = lines[i].find_first_not_of(' ');
    out += lines[i] + (i + 1 < lines.size() ? "\n" : "");
    if (indent == std::string::npos || lines[i].compare(indent, 6, "then: ") != 0 || next >= answers.size())
      continue;
    while (i + 1 < lines.size() && lines[i + 1].find_first_not_of(' ') != std::string::npos &&
           lines[i + 1].find_first_not_of(' ') > indent) {
      i++;
    }
    std::vector<std::string> told = split(answers[next++], '\n');
    for (size_t k = 0; k + 1 < told.size(); k++) out += std::string(indent + 2, ' ') + told[k] + "\n";
  }
  return out;
}

struct Mode {
  bool requests = false, rebase = false;
  std::vector<std::string> answers;  // if given
  size_t next = 0;
};

// Fails for each member that a story or case cannot have: it would be without effect.
void check_members(const Value& object, std::initializer_list<std::span<const std::string_view>> known,
                   const std::string& id, Tally& tally) {
  if (!object.is(Kind::Map)) return;
  for (const MapEntry& e : object.as_map()) {
    const std::string_view name = e.key.as_text();
    if (!std::ranges::any_of(known, [&](auto names) { return std::ranges::count(names, name) > 0; }))
      tally.fail(id, "a known member", std::string(name));
  }
}

void run_story(const std::string& path, const std::string& id, Mode& mode, Tally& tally) {
  Arena arena;
  JsonReader json;
  std::string text;
  if (!read_file(path, text)) return tally.fail(id, "a file", path);
  Result<std::vector<YamlDocument>> documents = read_documents(text, json, arena);
  if (!documents.ok()) return tally.fail(id, "a story", documents.error().text);
  std::vector<std::string> seen;
  for (const YamlDocument& document : *documents) {
    if (list_field(document.value, "cases").empty()) tally.fail(id, "cases", "none");
    check_members(document.value, {kPassedOn, kOfStories}, id, tally);
    for (const Value& test : list_field(document.value, "cases")) {
      std::string name = fmt::format("{}#{}", id, seen.size() + 1),
                  line = line_of(document.value, test, name);
      check_members(test, {kOfCases}, name, tally);
      if (mode.requests) {
        std::printf("%s\n", line.c_str());
        continue;
      }
      bool given = mode.next < mode.answers.size();
      seen.push_back(
          told(line, given ? mode.answers[mode.next++] : answer_batch(line), flag(test, "reviews")));
      if (seen.back().starts_with("input error")) tally.fail(name, "a request that can be read", seen.back());
      std::string wanted = text_field(test, "then");
      if (!mode.rebase) wanted == seen.back() ? tally.pass(name) : tally.fail(name, wanted, seen.back());
    }
  }
  if (!mode.rebase) return;
  std::string fresh = rebased(text, seen);
  if (fresh != text) std::ofstream(path, std::ios::binary) << fresh;
}

int run(const std::string& directory, const std::string& only, Mode mode) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  Tally tally;
  if (files.empty()) tally.fail(directory, "stories", "none");
  for (const std::string& file : files) {
    std::string id = file.substr(directory.size() + 1, file.size() - directory.size() - 6);
    if (id.find(only) != std::string::npos) run_story(file, id, mode, tally);
  }
  return mode.requests ? 0 : tally.finish();
}

}  // namespace
}  // namespace portcullis::tests

int main(int argc, char** argv) {
  using namespace portcullis::tests;
  std::string directory, only;
  Mode mode;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    bool value = i + 1 < argc && argv[i + 1][0] != '-';
    if (arg == "--requests") {
      mode.requests = true;
    } else if (arg == "--only" && value) {
      only = argv[++i];
    } else if (arg == "--judge" || arg == "--rebase") {
      mode.rebase = arg == "--rebase";
      std::string text;
      if (value && read_file(argv[++i], text)) mode.answers = split(text, '\n');
      if (!mode.answers.empty()) mode.answers.pop_back();
    } else {
      directory = arg;
    }
  }
  while (directory.ends_with('/')) directory.pop_back();
  if (directory.empty()) {
    std::fprintf(stderr,
                 "usage: stories DIR [--only TEXT] [--requests] [--judge ANSWERS] [--rebase [ANSWERS]]\n");
    return 2;
  }
  return run(directory, only, std::move(mode));
}
