// corpus: runs every case of a directory that is laid out like the shared policy corpus.
//
// usage: corpus DIR [--only TEXT] [--requests]
//   --requests: print the requests of mode `review` and stop
// A case becomes one request of the batch protocol, answered as `portcullis review --batch` does. The answer
// is compared with the manifest (verdict, message) and, if the directory has verdicts.jsonl, with the whole
// recorded answer. Mode `validate` must accept policies without cases. Closes with `N passed, N failed, N
// skipped`.
#include <re2/re2.h>

#include <cstdio>
#include <map>

#include "batch/batch.h"
#include "interpreter/values/json.h"
#include "tests/corpus/request.h"
#include "tests/fields.h"
#include "tests/tally.h"

namespace portcullis::tests {
namespace {

using Verdicts = std::map<std::string, std::string, std::less<>>;

// The compared part of an answer: all but the members that only the record has.
std::string essence(const Value& answer) {
  std::string out;
  for (const char* name : {"allowed", "auditAnnotations", "error", "patchedObject", "status", "warnings"}) {
    const Value* v = field(answer, name);
    bool none = v == nullptr || v->is_null();  // a record omits an object that did not change
    if (!none) out += std::string(name) + "=" + to_json(*v) + " ";
  }
  return out;
}

Verdicts read_verdicts(const std::string& directory) {
  Verdicts verdicts;
  std::string text;
  if (!read_file(directory + "/verdicts.jsonl", text)) return verdicts;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    Arena arena;
    Result<Value> line = read_json(std::string_view(text).substr(start, end - start), arena);
    if (line.ok()) verdicts[text_field(*line, "id")] = essence(*line);
    start = end + 1;
  }
  return verdicts;
}

// The statement of the case that the answer violates; empty if there is none.
std::string unmet(const Value& stated, const Value& answer) {
  std::string expect = text_field(stated, "expect");
  bool allowed = flag(answer, "allowed");
  const Value* status = field(answer, "status");
  std::string message = status == nullptr ? "" : text_field(*status, "message");
  if (expect == "deny" ? allowed : !allowed) return expect;
  const Value* patched = field(answer, "patchedObject");
  bool changed = patched != nullptr && !patched->is_null();
  // `mutate` states the object after the mutation, which may equal the one before; the record has the result.
  if (expect == "unchanged" && changed) return expect;
  if (expect == "warn" && list_field(answer, "warnings").empty()) return expect;
  if (std::string text = text_field(stated, "expectMessage");
      !text.empty() && message.find(text) == std::string::npos) {
    return "a message with " + text;
  }
  if (std::string regex = text_field(stated, "expectMessageRegex");
      !regex.empty() && !re2::RE2::PartialMatch(message, regex)) {
    return "a message that matches " + regex;
  }
  return "";
}

void run_case(const CorpusCase& test, const Verdicts& verdicts, Tally& tally) {
  Arena arena;
  std::string text = answer_batch(test.line);
  Result<Value> answer = read_json(text, arena);
  if (!answer.ok() || field(*answer, "inputError") != nullptr) return tally.fail(test.id, "an answer", text);
  bool judged = false;
  if (auto recorded = verdicts.find(test.id); recorded != verdicts.end()) {
    judged = true;
    if (essence(*answer) != recorded->second) return tally.fail(test.id, recorded->second, essence(*answer));
  }
  if (field(*test.stated, "needs") == nullptr && field(*test.stated, "doubt") == nullptr) {
    judged = true;
    if (std::string lacking = unmet(*test.stated, *answer); !lacking.empty())
      return tally.fail(test.id, lacking, text);
  }
  if (field(*test.stated, "needs") != nullptr &&
      field(*test.stated, "doubt") == nullptr) {  // the API server adds them
    judged = true;
    constexpr std::string_view kStart = "{";
    std::string typed = "{\"typed\":true," + test.line.substr(kStart.size());
    std::string normalised = answer_batch(typed);
    Result<Value> verdict = read_json(normalised, arena);
    std::string lacking = verdict.ok() ? unmet(*test.stated, *verdict) : "an answer";
    if (!lacking.empty()) return tally.fail(test.id + ", normalised", lacking, normalised);
  }
  judged ? tally.pass(test.id) : tally.leave_out("cases", "their verdict is in doubt");
}

// A policy without cases must only be accepted.
void run_load(const std::string& id, const std::vector<std::string>& objects, Tally& tally) {
  Arena arena;
  for (const std::string& object : objects) {
    std::string text = answer_batch("{\"mode\":\"validate\",\"object\":" + object + "}");
    Result<Value> answer = read_json(text, arena);
    if (!answer.ok() || !list_field(*answer, "errors").empty() || field(*answer, "decodeError") != nullptr ||
        field(*answer, "inputError") != nullptr) {
      return tally.fail(id, "a policy that is accepted", text);
    }
  }
  tally.pass(id);
}

int run(const std::string& directory, const std::string& only, bool requests) {
  Tally tally;
  Result<std::unique_ptr<Corpus>> corpus = Corpus::open(directory);
  if (!corpus.ok()) {
    std::fprintf(stderr, "%s\n", corpus.error().text.c_str());
    return 2;
  }
  Verdicts verdicts = read_verdicts(directory);
  for (const Value& entry : (*corpus)->entries()) {
    std::string id = text_field(entry, "id");
    if (id.find(only) == std::string::npos) continue;
    if (list_field(entry, "cases").empty() && !requests) run_load(id, (*corpus)->policies(entry), tally);
    for (const Value& test : list_field(entry, "cases")) {
      Result<CorpusCase> made = (*corpus)->request(entry, test);
      if (requests) {
        std::printf("%s\n", made.ok() ? made->line.c_str() : made.error().text.c_str());
      } else {
        made.ok() ? run_case(*made, verdicts, tally)
                  : tally.fail(id + "/" + text_field(test, "name"), "a request", made.error().text);
      }
    }
  }
  return requests ? 0 : tally.finish();
}

}  // namespace
}  // namespace portcullis::tests

int main(int argc, char** argv) {
  std::string directory, only;
  bool requests = false;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--requests") {
      requests = true;
    } else if (arg == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      directory = arg;
    }
  }
  if (directory.empty()) {
    std::fprintf(stderr, "usage: corpus DIR [--only TEXT] [--requests]\n");
    return 2;
  }
  return portcullis::tests::run(directory, only, requests);
}
