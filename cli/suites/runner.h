// Runs the cases of suites. Nothing here prints; threads run different batches, or the same with different policies.
//
// Idea: a batch is one session, so its policies are checked and compiled once. A request that is not decided as its
// case expects is decided once more, with explanations. Tested by tests/cli/test.txt.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/suites/expect.h"
#include "cli/suites/suite.h"

namespace portcullis::suites {

enum class Outcome { Passed, Failed, Skipped, Unusable };  // unusable: nothing can be decided

// What came of one request of a case.
struct CaseResult {
  const Case* test = nullptr;
  std::string name;  // that of the case; with that of the object if the case has several
  Outcome outcome = Outcome::Passed;
  std::vector<Mismatch> mismatches;
  std::string told;               // for people: the decision and its reasons, if the outcome is not Passed
  std::vector<Message> messages;  // about the request
  std::string api_version, kind, namespace_name, object;  // of the object; empty: unknown
  double seconds = 0;
  // What a suite would expect of it (for --update), as members of a case: name and YAML text of the value.
  std::vector<std::pair<std::string, std::string>> fresh;
};

struct BatchResult {
  std::vector<CaseResult> cases;
  std::vector<Message> messages;  // about the policies and other files
};

// A decided request. Good during the call.
struct Decided {
  const Batch& batch;
  const Case& test;
  const Session& session;
  const Decider& decider;
  const ReviewResult& result;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Called for each batch, before its first request: what hears of every expression; may be null.
  virtual ReviewTrace* trace(const Batch&, const Session&) { return nullptr; }
  // Called after it: what hears of the rules of definitions; may be null.
  virtual crd::RuleTrace* rules(const Batch&) { return nullptr; }
  // Called for each request, on the thread of the batch.
  virtual void decided(const Decided&) {}
};

struct RunOptions {
  std::function<bool(const Case&)> wanted;  // which cases run; empty: all
  bool stop_at_failure = false;             // the first case that does not pass ends the batch
  bool quiet = false;                       // results have no texts for people
  bool colour = false;                      // of these texts
};

// In place of the object of a batch at the same place in its file.
struct Changed {
  const InputObject* object = nullptr;
  InputObject by;
};

BatchResult run(const Batch& batch, const RunOptions& options, Observer* observer = nullptr,
                const Changed* changed = nullptr);

}  // namespace portcullis::suites
