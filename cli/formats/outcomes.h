// What a run of `review`, `check` or `test` found, as reports for other programs need it.
//
// Idea: the three commands fill one model, and each format is one function of it (formats.h). A run has items (a
// manifest, a policy object, a case of a test), an item has findings. Everything without a verdict is an item, too:
// a file that cannot be read is an Error, a policy that is not evaluated is Skipped; so no format can forget it.
// Limits: texts are as they came, each format escapes them; nothing here depends on time, order of threads or the
// machine, so that two runs on the same files give the same report. Tested by cli/formats/formats_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grammar/result.h"

namespace portcullis::outcomes {

// Worst first: the status of a run is the minimum over its items.
enum class Status : uint8_t {
  Error,    // no verdict: unreadable input, a refused manifest, an invalid policy
  Failed,   // denied; of a test: not as expected
  Warned,   // passed, with warnings
  Skipped,  // not evaluated on purpose: an excluded case, a policy that this command does not decide
  Passed,
};

// A place in a file; lines and columns from 1, columns in code points.
struct Region {
  std::string file;      // as given on the command line; "<stdin>" for standard input; empty: no place
  Position start = {};   // line 0: the file as a whole
  Position end = {};     // behind the last character; line 0: unknown
  int excerpt_line = 0;  // number of the first line of `excerpt`
  std::string excerpt;   // lines of the file around the place, for people; may be empty
};

// A part of an expression and its value; parents precede their children.
struct Part {
  int depth = 0;
  std::string text;   // as CEL source, or the name of a loop's variable
  std::string value;  // as CEL; empty: not evaluated
};

// Something to say about an item. Its rule is what stays the same from item to item: one validation of one policy.
struct Finding {
  enum class Level : uint8_t { Error, Warning, Note };
  Level level = Level::Error;
  std::string action;  // what follows from it, one word: "denied", "warning", "audit", "ignored", "expected"

  std::string rule;                    // id: "require-owner/validations[0]", "portcullis/unreadable"
  std::string policy, binding, param;  // names, each empty if there is none
  std::string field;         // of the item, by which the finding is told from others: "spec.variables[0]"
  std::string expression;    // CEL; may be empty
  int blame = -1;            // code point in `expression` of the part that decided; -1: unknown
  std::vector<Part> values;  // the values that explain it; may be empty
  Region policy_place;       // of the expression, or of the cause in a policy or binding

  std::string message;           // as the API server words it, if it does
  std::string reason;            // "Invalid", "Forbidden", ...; may be empty
  std::string hint;              // what may help; may be empty
  std::string expected, actual;  // of a test: both or none
  std::optional<uint64_t> cost;  // of the evaluation
  Region place;                  // in the item: the field that the expression looks at; else the item's
};

struct Item {
  bool extra =
      false;  // is not what the command was asked about: an unreadable file, a policy that is not evaluated
  std::string suite;  // what groups items: the file of a manifest, the suite of a case
  std::string name;   // for people, unique in its suite if possible: "Pod shop/cart", "denies latest"
  // Of an object; of a case the object that it is about. Each empty if it is unknown.
  std::string api_version, kind, namespace_name, object_name;
  std::string operation;  // "CREATE", ...
  Region place;
  int document = 0;  // in the file, from 1; 0: none
  Status status = Status::Passed;
  std::string message;  // why it is Failed, Error or Skipped: the refusal of the API server, the error
  std::vector<uint32_t> passed;   // the rules that it passed, as indices in Run::rules; may be left out
  std::vector<Finding> findings;  // may be empty whatever the status
};

// The highest cost of an expression in a run.
struct Cost {
  std::string policy;  // name
  std::string label;   // "validations[0]"
  uint64_t cost = 0, limit = 0;
  bool bound = false;      // the static upper bound, not a measured cost
  bool unbounded = false;  // there is no such bound; `cost` is 0
  Region place;
};

// One validation, or one kind of problem.
struct Rule {
  std::string id;          // Finding::rule
  std::string policy;      // name; empty: of Portcullis itself
  std::string summary;     // one line: the message of the validation, or what the problem is
  std::string expression;  // may be empty
  Region place;            // may be unknown
};

struct Run {
  std::string command;     // "review", "check", "test"
  std::string noun;        // of an item: "manifest", "policy object", "case"
  std::string kubernetes;  // the version whose answers these are: "1.37"
  std::vector<Item> items;
  std::vector<Cost> costs;
  std::vector<Rule>
      rules;  // of everything that was evaluated; may lack those of findings: formats add them by the id

  // Items of a status.
  size_t count(Status status) const;
  // The gravest status of an item; Passed if there are none.
  Status status() const;
};

}  // namespace portcullis::outcomes
