// A suite of tests: what it decides with, its cases, and what they expect.
//
// Idea: reading (read.h, kyverno.h) resolves every file and default, so that a case is complete in itself. The cases
// that share a cluster are a batch, and share an engine: most suites are one batch. Everything that a suite refers to
// lives in its Inputs, unchanged from then on, so that threads share it. Tested by tests/cli/test.txt.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/reading/input.h"
#include "cli/requests/request.h"
#include "cli/requests/webhook_callers.h"
#include "cli/session/session.h"
#include "cli/suites/pattern.h"

namespace portcullis::suites {

// In all of these, `path` is the field path of the expectation in the suite's document.
struct ExpectedText {
  Pattern pattern;
  std::string path;
};
struct ExpectedTexts {
  std::vector<ExpectedText> texts;
  bool complete = false;  // a list: nothing else may come
  std::string path;
};
struct ExpectedDenial {
  std::string path;
  std::optional<std::string> policy, binding, param, reason;
  std::optional<int64_t> validation, code;
  std::optional<bool> error;  // whether an expression could not be evaluated
  std::optional<Pattern> message;
  Value status;  // if a map: what the Status has among others
};
struct ExpectedAnnotation {
  std::string key;
  std::optional<Pattern> value;  // nothing: there is none of this key
  std::string path;
};
struct ExpectedMutation {
  std::string path;
  bool changed = true;
  std::optional<InputObject> object;  // as which the object leaves the mutating policies
  Value subset;                       // if a map: what the object then has among others
  Value changes;                      // if a map: values by path, all that change; null: it is removed
};
struct ExpectedCall {
  std::string webhook, path;
  std::optional<std::string> url;  // path and query
  Value review;                    // if a map: what the AdmissionReview has among others
};
struct ExpectedCalls {
  std::vector<ExpectedCall> calls;
  bool complete = false;  // a list: nothing else is asked, and in this order
  std::string path;
};
// What a policy does, whatever its bindings make of it.
struct ExpectedOutcome {
  enum class Does { Pass, Fail, Skip };  // skip: it does not apply
  std::string policy, path;
  std::optional<bool> mutating;  // nothing: the policy of the name, of either kind
  Does does = Does::Pass;
};

struct Expected {
  std::optional<bool> allowed;
  std::string allowed_path;
  std::vector<ExpectedDenial> denials;
  std::optional<ExpectedTexts> warnings, errors;
  std::vector<ExpectedAnnotation> annotations;
  std::optional<ExpectedMutation> mutation;
  std::optional<ExpectedCalls> calls;
  std::optional<int64_t> cost;  // at most
  std::string cost_path;
  std::vector<ExpectedOutcome> outcomes;
  std::string
      exact_path;  // not empty: of warnings, annotations, changes and calls only what is mentioned comes
  bool empty() const;
};

struct Suite;

struct Case {
  const Suite* suite = nullptr;
  std::string name;
  std::string path;   // "cases[2]"
  size_t number = 0;  // in the suite
  RequestSettings settings;
  std::vector<InputObject> objects, old;  // each object is a request
  Expected expected;
  WebhookAnswers answers;
  std::string skipped;  // why it does not run; empty: it runs
  bool stored = false;  // policies decide although the API server would refuse them today
};

// Cases that share a cluster.
struct Batch {
  const Suite* suite = nullptr;
  ReviewOptions options;
  std::vector<InputObject> policies, params;
  std::vector<const Case*> cases;
};

// A mutant of a policy, binding or definition that may survive.
struct AcceptedMutant {
  std::string policy, field, before, after;
  std::string path;  // in the suite
};

// What a suite file says that has no effect here.
struct Unused {
  std::string path, text;
};

struct Suite {
  Inputs inputs;
  const SourceFile* file = nullptr;
  const YamlDocument* document = nullptr;
  std::string name;
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<Batch> batches;
  std::vector<Unused> unused;
  std::vector<AcceptedMutant> accepted;
  std::vector<std::string> files;  // everything that it reads, for --watch

  Position locate(std::string_view path, bool key = true) const;
};

// The files of the objects, each once, for messages; without objects that of the suite.
std::vector<std::string> files_of(const Suite& suite, const std::vector<InputObject>& objects);

// "; did you mean NAME?" for a word that is none of the names; empty if none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& names);

// Adds a case; one without a name is named by its number.
Case& add_case(Suite& suite, std::string path);
// Puts a complete case into the batch of its cluster. `policies` and `params`: what it decides with.
void add_to_batch(Suite& suite, const Case& test, const ReviewOptions& options,
                  const std::vector<InputObject>& policies, const std::vector<InputObject>& params);

}  // namespace portcullis::suites
