// The subcommands: their options, which main.cc reads from the command line, and the functions that run them.
//
// Idea: each command has one struct of options and one function; only main.cc uses CLI11. Every function
// returns the exit status: kAdmitted, kDenied or kNoVerdict. Results go to standard output, everything else
// to standard error. The rooms in reading order, which docs/architecture.md describes: messages/, formats/, reading/,
// functions/, cluster/, requests/, checks/, reports/, session/, suites/, drafts/, coverage/, mutants/, commands/ (one file
// for each command).
// Tested by tests/cli.py, which runs the command lines of tests/cli/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reading/files.h"

namespace portcullis {

// Exit status of the program.
inline constexpr int kAdmitted = 0;   // nothing is denied; or the command succeeded
inline constexpr int kDenied = 1;     // a verdict: something is denied
inline constexpr int kNoVerdict = 2;  // usage, unreadable input, invalid policy, refused manifest

// The formats of -o that are a command's own; formats.h has the others.
inline constexpr std::string_view kReviewFormats[] = {"text", "json", "yaml", "admissionreview"};
inline constexpr std::string_view kTestFormats[] = {"text", "json"};
inline constexpr std::string_view kCheckFormats[] = {"text", "json", "yaml"};

struct ReviewOptions {
  std::vector<std::string> policies;      // -p: files or directories
  std::vector<std::string> manifests;     // positional; main adds `files`
  std::vector<std::string> files;         // -f
  std::vector<std::string> params;        // --params: files of params, namespaces, CRDs, RBAC objects
  std::vector<std::string> param_scopes;  // --params-scope KIND=SCOPE: of undefined kinds of params
  bool require_known_kinds = false;       // --require-known-kinds: refuse kinds that may not exist
  std::vector<std::string> old;           // --old: files with the former objects; "same": unchanged
  bool deleted = false;                   // --deleted: those that no manifest has are deleted
  ReadOptions reading;                    // -R, --ignore, --strict-files, --lenient-files
  std::vector<std::string> outputs;       // -o: FORMAT or FORMAT=FILE, see outputs.h
  std::string output = "text";  // -o of mutate and who; of a review "text" if the values that decided suffice
  std::string
      operation;  // --operation: CREATE, UPDATE, DELETE, CONNECT; empty: what the resource takes, UPDATE
                  // for objects in --old
  std::string namespace_name = "default";  // -n: for manifests without a namespace
  std::string user;                        // --as
  std::vector<std::string> groups;         // --as-group
  std::string kubernetes_version;          // --kubernetes-version: "1.37"
  bool explain = false;                    // --explain: values of subexpressions of what failed
  bool allow_invalid = false;  // --allow-invalid: continue without policies that the API server refuses
  bool as_is = false;          // --as-is: do not decode and default objects of built-in kinds
  std::string field_manager;   // --field-manager: of the request
  bool dry_run = false;        // --dry-run: request.dryRun
  std::optional<int64_t> grace_period;     // --grace-period: of deletions, in seconds
  std::string cascade;                     // --cascade: of deletions: background, foreground, orphan
  std::vector<std::string> request_flags;  // the given flags that determine requests: --as, --old ...
  std::string subresource;                 // --subresource: status, deployments/scale, ...
  bool quiet = false;                      // -q: text without manifests that are admitted without remark
  bool fail_on_warn = false;               // --fail-on-warn: a warning counts as a denial
  bool fail_on_refused = false;  // --fail-on-refused: so does what an API server refuses for another reason
  bool fail_on_assumed = false;  // --fail-on-assumed: so does an assumption that a verdict rests on
  bool fail_on_ignored = false;  // --fail-on-ignored: so does an error that failurePolicy ignores
  bool strict = false;           // --strict: these three, --strict-files and --require-known-kinds
  std::string require_match;     // --require-match: all, manifests or policies must have a match
  size_t require_policies = 0;   // --require-policies: the least number with a binding
  std::vector<std::string> namespace_labels;   // --namespace-label: NAMESPACE:KEY=VALUE
  std::string webhooks = "note";               // --webhooks: note, call, recorded=DIR
  std::string record;                          // --record: directory for what webhooks were sent and answered
  std::vector<std::string> webhook_addresses;  // --webhook-address NAME=HOST:PORT
  std::string webhook_certificate, webhook_key;  // --webhook-cert, --webhook-key: PEM files
  bool reach = false;  // results say what each request reaches; webhooks that nobody asks are no gap then
  bool batch = false;  // --batch: the batch protocol on standard input and output
  int jobs = 1;        // -j: threads of --batch
};
// Decides manifests or, with `batch`, answers lines of the protocol; kDenied if anything is denied.
int review(const ReviewOptions& options);

struct MutateOptions : ReviewOptions {  // `output` is yaml, json or patch
  bool diff = false;                    // --diff: the changes, as a unified diff
  bool normalized = false;  // --normalized: objects as the API server stores them, with all defaults
};
// Prints the manifests after mutating policies; the status is that of review.
int mutate(const MutateOptions& options);

struct WhoOptions : ReviewOptions {  // `output` is text or json; `quiet` omits what is not reached
  std::string policy;                // --policy: only this policy, configuration or webhook
};
// Prints what manifests reach: policies, bindings, webhooks; kNoVerdict if a manifest is no request.
int who(const WhoOptions& options);

struct TestOptions {
  std::vector<std::string> paths;  // positional: suites, and directories with some below
  ReadOptions reading;
  std::string run;                    // --run: a regular expression for the names of cases
  bool fail_fast = false;             // --fail-fast: end at the first case that does not pass
  int jobs = 0;                       // -j: threads; 0: one for each core
  bool quiet = false;                 // -q: nothing of suites whose cases all pass
  std::vector<std::string> outputs;   // -o: FORMAT or FORMAT=FILE, see outputs.h
  bool update = false;                // --update: write what came into the suites
  bool watch = false;                 // --watch: run again what a changed file touches
  std::string init;                   // --init: a file of policies, for which to write a first suite
  bool schema = false;                // --schema: print the JSON schema of suites
  bool members = false;               // --members: print the members of suites
  std::vector<std::string> coverage;  // --coverage: FORMAT or FORMAT=FILE, of text, html, json and lcov
  double min_coverage = -1;           // --min-coverage: percent; negative: none is asked for
  bool mutants = false;               // --mutants: run again with small changes of the policies
  size_t max_mutants = 10'000;        // --max-mutants: the most that are tried; given, it sets `mutants`
  size_t max_survivors = 0;           // --max-survivors: the most that may survive; given, it sets `mutants`
};
// Runs suites of tests; kDenied if a case does not come as expected.
int test(const TestOptions& options);

struct CheckOptions {
  std::vector<std::string> policies;      // positional; main adds `files`
  std::vector<std::string> files;         // -f, -p
  std::vector<std::string> objects;       // --object: manifests on which to measure costs
  std::vector<std::string> param_scopes;  // --params-scope KIND=SCOPE
  std::vector<std::string> openapi;       // --openapi: OpenAPI v3 documents of another cluster
  bool types = false;                     // --types: also check types where the API server does not
  bool quiet = false;                     // -q: no costs
  // --fail-on-warn: which warnings make the status kDenied: none (empty), "real" (no false alarms), "all".
  std::string fail_on_warn;
  std::string baseline, write_baseline;  // --baseline, --write-baseline: the file of known warnings
  ReadOptions reading;
  std::vector<std::string> outputs;  // -o: FORMAT or FORMAT=FILE
  std::string kubernetes_version;
};
// Prints problems and costs of policies; kNoVerdict if there are errors.
int check(const CheckOptions& options);

struct SkewOptions {
  std::vector<std::string> paths;         // positional; main adds `files`
  std::vector<std::string> files;         // -f, -p
  std::vector<std::string> param_scopes;  // --params-scope KIND=SCOPE
  ReadOptions reading;
  std::string from = "1.30", to = "1.37";  // --from, --to: the API servers
  bool stored = false;                     // --stored: the status is about stored expressions, not new ones
  std::string output = "text";             // text, json
};
// Prints which API servers accept and run the policies among the objects, and what changes between them; kDenied if
// something does not work on one of them.
int skew(const SkewOptions& options);

struct CostOptions {
  std::vector<std::string> policies;      // positional; main adds `files`
  std::vector<std::string> files;         // -f, -p
  std::vector<std::string> objects;       // --object: manifests on which to measure costs
  std::vector<std::string> param_scopes;  // --params-scope KIND=SCOPE
  std::vector<std::string> assume;        // --assume PATH=N: the largest size of lists, maps and texts
  ReadOptions reading;
  std::string output = "text";  // text, json
};
// Prints the largest costs of expressions, what they consist of, and what lowers them; kNoVerdict if a definition costs
// more than the API server accepts, kDenied if an evaluation may be cancelled.
int cost(const CostOptions& options);

struct EvalOptions {
  std::string expression;
  std::string object, old_object, params;  // files; "-" is standard input
  bool as_is = false;                      // --as-is: do not decode, default and fill in these objects
  std::string request;                     // --request: file of an AdmissionRequest, declared with its type
  std::vector<std::string> variables;      // --var name=YAML
  std::string variables_file;              // --vars: file of a map name -> value
  std::vector<std::string> rbac;           // --rbac: files with RBAC objects that answer `authorizer`
  std::string user;                 // --as: the user of checks; empty: kubernetes-admin, of system:masters
  std::vector<std::string> groups;  // --as-group
  std::vector<std::string> types;   // --type name=TYPE, in the notation of the batch protocol: list(string)
  std::string output = "text";      // text, json, yaml
  std::string kubernetes_version;
  bool explain = false;
  bool check_only = false;
  bool batch = false;  // mode `cel` of the batch protocol
  int jobs = 1;
  uint64_t cost_limit = 0;  // 0: Kubernetes' limit
};
// Prints the value, type and cost of an expression; kNoVerdict if there is no value.
int eval(const EvalOptions& options);

struct FunctionsOptions {
  std::string name;             // empty: all
  std::string output = "text";  // text, json, markdown
  std::string kubernetes_version;
};
// Prints the reference of functions, macros or opcodes.
int functions(const FunctionsOptions& options);

struct NormalizeOptions {
  std::vector<std::string> manifests;  // positional; main adds `files`
  std::vector<std::string> files;      // -f
  ReadOptions reading;
  bool diff = false;                 // --diff: the changes instead of the object
  bool show_managed_fields = false;  // --show-managed-fields
  std::string field_manager;         // --field-manager: their manager
  std::string namespace_name = "default";
  std::string output;  // yaml, json; empty: YAML for people, without the errors
};
// Prints objects as policies see them; kNoVerdict if one of them cannot be read or is refused.
int normalize(const NormalizeOptions& options);

struct DisasmOptions {
  std::string expression;
  std::string kubernetes_version;
};
// Prints the bytecode of an expression.
int disasm(const DisasmOptions& options);

struct ManifestsOptions {
  std::vector<std::string> policies;  // -p: files or directories; none: the server reads those of the cluster
  ReadOptions reading;
  std::string namespace_name = "portcullis", name = "portcullis";
  bool create_namespace = false;  // --create-namespace
  std::string image;              // --image; empty: portcullis-server of this version
  int replicas = 2;
  int most_replicas = 0;                     // --max-replicas: a HorizontalPodAutoscaler; 0: none
  std::string certificate, key, authority;   // --cert, --key, --ca: PEM files; none: cert-manager
  std::string failure_policy = "Fail";       // --failure-policy of the webhooks
  int timeout = 5;                           // --timeout of the webhooks, in seconds
  std::vector<std::string> left_out;         // --exclude-namespace
  std::vector<std::string> param_resources;  // --param-resource RESOURCE[.GROUP]
  bool authorizer = false;                   // --authorizer
  std::vector<std::string> param_scopes;     // --params-scope KIND=SCOPE
  bool all_requests = false;                 // --all-requests: also what the cluster needs to start
};
// Prints what an operator applies to run the server in a cluster.
int manifests(const ManifestsOptions& options);

// Becomes the server, a program of its own: `arguments` are those after `serve`. Returns only if it cannot be started.
int serve(std::vector<std::string> arguments);

// An option for completion: its names with their dashes, and the possible values.
struct OptionWords {
  std::vector<std::string> names;
  std::string about;
  bool takes_value = false;
  bool value_optional = false;      // only after an equals sign
  bool files = false;               // the value is a file or directory
  std::vector<std::string> values;  // the possible values; empty: unknown
};
// A command for completion.
struct CommandWords {
  std::string name, about;
  std::vector<OptionWords> options;
  bool files = false;                  // arguments are files and directories
  std::vector<std::string> arguments;  // the possible arguments
};
// Prints the script that completes command lines in `shell`: bash, zsh or fish.
int completion(const std::string& shell, const std::vector<CommandWords>& commands);

// Prints the version of Portcullis and that of the Kubernetes it imitates.
int version();

}  // namespace portcullis
