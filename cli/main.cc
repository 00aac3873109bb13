// The command line and its options. Only this file uses CLI11.
//
// Idea: options fill the structs of commands.h; then one function runs. A usage error exits with kNoVerdict,
// since nothing was decided, and suggests the flag or command that was probably meant. Tested by
// tests/cli.py.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <span>
#include <sstream>

#include "admission/expressions/environment.h"
#include "admission/scalars/spelling.h"
#include "cli/checks/skew.h"
#include "cli/commands.h"
#include "cli/formats/outputs.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"

namespace {

using namespace portcullis;

constexpr const char* kAbout =
    "Decides Kubernetes admission policies (ValidatingAdmissionPolicy, CEL) outside a cluster, as "
    "kube-apiserver would.\n";
constexpr const char* kExit =
    "Exit status: 0 nothing denied, 1 something denied, 2 no verdict (usage, unreadable input, invalid "
    "policy).";

// Formats help as kubectl does: the name of an argument, without its type, default and check.
class Help final : public CLI::Formatter {
 public:
  Help() { column_width(30); }
  // A flag with an optional value is shown with it: --flag[=all].
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    size_t open = name.find('{'), close = name.find('}', open);
    if (close == name.npos) return name;
    return name.substr(0, open) + "[=" + name.substr(open + 1, close - open - 1) + "]" +
           name.substr(close + 1);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0 || option->get_expected_min() == 0) return "";
    std::string name = option->get_type_name();  // after a colon it says how the value is checked
    return " " + name.substr(0, name.find(':')) +
           (option->get_items_expected_max() > 1 && option->get_positional() ? "..." : "");
  }
};

// After a colon, the type name lists the possible values. Help omits them, completion uses them.
constexpr const char* kFiles = ":FILE";

// An option that may be repeated takes one argument each time; by default CLI11 would also take the
// positional ones.
CLI::Option* add_repeated(CLI::App* command, const char* name, std::vector<std::string>& values,
                          const char* type, const char* about) {
  return command->add_option(name, values, about)->allow_extra_args(false)->type_name(type);
}

CLI::Option* add_text(CLI::App* command, const char* name, std::string& value, const char* type,
                      const char* about) {
  return command->add_option(name, value, about)->type_name(type);
}

void add_output(CLI::App* command, std::string& value, std::vector<std::string> formats) {
  std::string about = "One of " + formats[0];
  for (size_t i = 1; i < formats.size(); i++) about += (i + 1 < formats.size() ? ", " : " or ") + formats[i];
  command->add_option("-o,--output", value, about)->check(CLI::IsMember(formats))->type_name("FORMAT");
}

// -o of a command with reports for other programs: its `own` formats first, each to a file if it has one.
void add_outputs(CLI::App* command, std::vector<std::string>& values, std::span<const std::string_view> own) {
  std::string names, listed;
  for (const std::string& name : all_formats(own)) {
    names += (names.empty() ? "" : ",") + name;
    listed += (listed.empty() ? "" : ", ") + name;
  }
  std::string about = "A report, printed or written to a file; may be repeated: " + listed;
  add_repeated(command, "-o,--output", values, "", about.c_str())
      ->check([own](const std::string& value) { return output_misuse(value, own); })
      ->type_name("FORMAT[=FILE]:{" + names + "}");
}

void add_reading(CLI::App* command, ReadOptions& o) {
  command->add_flag("-R,--recursive", o.recursive, "Also read the directories below the given ones");
  add_repeated(command, "--ignore", o.ignore, "GLOB",
               "Skip matching files in directories, as .portcullisignore does; may be repeated");
  command->add_flag("--strict-files", o.strict, "Refuse files in directories that are no manifests");
}

void add_params_scope(CLI::App* command, std::vector<std::string>& scopes) {
  add_repeated(command, "--params-scope", scopes, "KIND=SCOPE",
               "Cluster or Namespaced: scope of a kind of params without a CustomResourceDefinition");
}

// An option whose value is a minor from `first` on.
void add_minor(CLI::App* command, const char* name, std::string& value, const char* about, uint32_t first) {
  constexpr uint32_t kLast = KubernetesVersion::kLast;
  auto known = [first](const std::string& text) -> std::string {
    Result<KubernetesVersion> version = parse_kubernetes_version(text);
    if (!version.ok()) return version.error().text;
    if (version->major == 1 && version->minor >= first && version->minor <= kLast) return {};
    return "\"" + text + "\" is none of the versions known here, 1." + std::to_string(first) + " to 1." +
           std::to_string(kLast);
  };
  std::string minors;
  for (uint32_t minor = first; minor <= kLast; minor++)
    minors += (minors.empty() ? "1." : ",1.") + std::to_string(minor);
  command->add_option(name, value, about)->check(known)->type_name("VERSION:{" + minors + "}");
}

void add_version(CLI::App* command, std::string& value) {
  add_minor(command, "--kubernetes-version", value, "Compatibility version of expressions, such as 1.30",
            KubernetesVersion::kFirst);
}

// `others`: options that cannot be combined with --batch, whose lines contain everything.
void add_batch(CLI::App* command, bool& batch, int& jobs, std::initializer_list<const char*> others) {
  CLI::Option* flag = command->add_flag("--batch", batch, "Answer the batch protocol on standard input");
  for (const char* other : others) flag->excludes(command->get_option(other));
  command->add_option("-j,--jobs", jobs, "Threads of --batch")->check(CLI::Range(1, 256))->type_name("N");
}

// Replaces the range check of CLI11, whose message shows unreadable bounds of 64 bits.
std::string positive(const std::string& text) {
  bool whole = !text.empty() && text.find_first_not_of("0123456789") == text.npos &&
               text.find_first_not_of('0') != text.npos;
  return whole ? "" : "want a whole number above 0, not " + text;
}

void add_colour(CLI::App* command) {
  command
      ->add_option_function<std::string>(
          "--color",
          [](const std::string& when) {
            set_colour(when == "always" ? Colour::Always : when == "never" ? Colour::Never : Colour::Auto);
          },
          "One of auto, always or never; auto: on a terminal, unless NO_COLOR is set or TERM is dumb")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->trigger_on_parse()
      ->type_name("WHEN");
}

CLI::App* add_command(CLI::App& app, const char* name, const char* about, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, about);
  command->footer((examples.empty() ? "" : "Examples:\n" + examples + "\n") + kExit);
  return command;
}

// What webhooks answer.
void add_webhooks(CLI::App* c, ReviewOptions& o) {
  add_text(c, "--webhooks", o.webhooks, "MODE",
           "Where the answers of webhooks come from: note (nobody asks them), call (HTTPS), recorded=DIR "
           "(default: note)");
  add_text(c, "--record", o.record, "DIR",
           "Write what webhooks were sent and answered, for --webhooks recorded=DIR");
  add_repeated(
      c, "--webhook-address", o.webhook_addresses, "NAME=HOST:PORT",
      "Where to reach a service (NAME: service.namespace) or the host of a URL instead; may be repeated");
  add_text(c, "--webhook-cert", o.webhook_certificate, "FILE", "Client certificate for webhooks (PEM)");
  add_text(c, "--webhook-key", o.webhook_key, "FILE", "Key of the client certificate (PEM)");
}

// The options that review and mutate share: manifests, policies, and how requests are made.
void add_requests(CLI::App* c, ReviewOptions& o) {
  c->add_option("manifests", o.manifests, "Files or directories to decide; - is standard input")
      ->type_name(kFiles);
  add_repeated(c, "-f,--filename", o.files, "FILE", "The same as an argument");
  add_repeated(c, "-p,--policies", o.policies, "FILE",
               "Policies, bindings, params, namespaces, CRDs, RBAC (default: those among the manifests)");
  add_repeated(c, "--params", o.params, "FILE",
               "More params, namespaces, CustomResourceDefinitions and RBAC objects");
  add_params_scope(c, o.param_scopes);
  c->add_flag("--require-known-kinds", o.require_known_kinds,
              "Refuse kinds that are neither built in nor defined among the files");
  add_repeated(c, "--old", o.old, "FILE",
               "Former states of objects: their manifests become an UPDATE; same: each replaces itself");
  add_reading(c, o.reading);
  add_text(c, "--operation", o.operation, "OPERATION:{CREATE,UPDATE,DELETE,CONNECT}",
           "CREATE, UPDATE, DELETE or CONNECT (default: CREATE, or UPDATE with --old, or what the "
           "subresource takes)");
  add_text(c, "--subresource", o.subresource, "NAME",
           "Subresource of the request: status, eviction, deployments/scale, ...");
  add_text(c, "-n,--namespace", o.namespace_name, "NAME",
           "Namespace of manifests without one (default: default)");
  add_text(c, "--as", o.user, "USER",
           "Username of the request (default: kubernetes-admin, of system:masters)");
  add_repeated(c, "--as-group", o.groups, "GROUP", "Group of the request's user; may be repeated");
  c->add_flag("--as-is", o.as_is, "Do not decode and default objects of built-in kinds");
  add_text(c, "--field-manager", o.field_manager, "NAME",
           "Field manager of the request (default: kubectl-create, or kubectl-replace)");
  c->add_flag("--dry-run", o.dry_run, "Set request.dryRun");
  add_repeated(
      c, "--namespace-label", o.namespace_labels, "LABEL",
      "NAMESPACE:KEY=VALUE, a label of a namespace, added to those of the files or replacing one; may "
      "be repeated");
  c->add_flag("--allow-invalid", o.allow_invalid,
              "Continue without policies that the API server would refuse");
  add_version(c, o.kubernetes_version);
  add_webhooks(c, o);
}

// The options that make a review fail in addition to its verdicts.
void add_gates(CLI::App* c, ReviewOptions& o) {
  c->add_flag("--fail-on-warn", o.fail_on_warn,
              "Exit with 1 if a manifest has a warning, as if it were denied");
  c->add_flag("--require-match{all}", o.require_match,
              "Exit with 2 if no policy applied to a manifest, or a policy applied to none; =manifests or "
              "=policies asks for one of them")
      ->type_name(":{all,manifests,policies}");
  c->add_option("--require-policies", o.require_policies,
                "Exit with 2, before anything is decided, if fewer policies with a binding are loaded")
      ->check(positive)
      ->type_name("N");
}

void add_review(CLI::App& app, ReviewOptions& o) {
  CLI::App* c =
      add_command(app, "review", "Decide manifests with policies",
                  "  portcullis review -p policies/ manifests/           all manifests of a directory\n"
                  "  helm template . | portcullis review -p policies/ -  standard input\n"
                  "  portcullis review -p policies/ --old before.yaml after.yaml  an update\n"
                  "  portcullis review -p policies/ --as eve --as-group dev pod.yaml\n"
                  "  portcullis review -p policies/ -o admissionreview recorded.json\n");
  add_requests(c, o);
  add_gates(c, o);
  add_outputs(c, o.outputs, kReviewFormats);
  c->add_flag("--explain", o.explain,
              "Show the values in failed expressions, and why policies did not apply");
  c->add_flag("-q,--quiet", o.quiet, "Omit manifests that are admitted without remark (text)");
  add_batch(c, o.batch, o.jobs, {"manifests", "--filename", "--policies", "--params", "--old"});
}

void add_mutate(CLI::App& app, MutateOptions& o) {
  CLI::App* c = add_command(
      app, "mutate", "Print manifests after mutating policies",
      "  kustomize build . | portcullis mutate -p policies/ - | kubectl apply -f -\n"
      "  portcullis mutate -p policies/ --diff manifests/     what policies change\n"
      "  portcullis mutate -p policies/ -o patch pod.yaml     the same as JSON Patches, one a line\n");
  o.output = "yaml";
  add_requests(c, o);
  add_gates(c, o);
  add_output(c, o.output, {"yaml", "json", "patch"});
  c->add_flag("--diff", o.diff, "Print only a unified diff of the changes that policies make")
      ->excludes(c->get_option("--output"));
  c->add_flag("--normalized", o.normalized,
              "Print objects that change as the API server completes them, for validating policies");
}

void add_who(CLI::App& app, WhoOptions& o) {
  CLI::App* c = add_command(
      app, "who", "List the policies, bindings and webhooks that a request meets, and why not the others",
      "  portcullis who -p policies/ pod.yaml\n"
      "  portcullis who -p policies/ --operation UPDATE --subresource status --as eve pod.yaml\n"
      "  portcullis who -p policies/ --policy require-owner manifests/    what a policy reaches\n");
  add_requests(c, o);
  add_text(c, "--policy", o.policy, "NAME",
           "Only this policy, webhook configuration or webhook: one line for each manifest");
  c->add_flag("-q,--quiet", o.quiet, "Omit what is not reached (text)");
  add_output(c, o.output, {"text", "json"});
}

void add_test(CLI::App& app, TestOptions& o) {
  CLI::App* c =
      add_command(app, "test", "Run suites of tests of policies",
                  "  portcullis test                                   all suites below this directory\n"
                  "  portcullis test policies/labels_test.yaml --run 'owner'\n");
  c->add_option("paths", o.paths,
                "Suites, or directories with *_test.yaml, portcullis-test.yaml, kyverno-test.yaml")
      ->type_name(kFiles);
  add_text(c, "--run", o.run, "REGEX", "Only cases whose SUITE/NAME matches");
  c->add_flag("--fail-fast", o.fail_fast, "End at the first case that does not pass");
  c->add_option("-j,--jobs", o.jobs, "Threads (default: one for each core)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  c->add_flag("-q,--quiet", o.quiet, "Omit suites whose cases all pass");
  add_repeated(c, "--ignore", o.reading.ignore, "GLOB",
               "Skip matching files in directories, as .portcullisignore does; may be repeated");
  add_outputs(c, o.outputs, kTestFormats);
  c->add_flag("--update", o.update, "Write what came into the suites, for review as a diff");
  c->add_flag("--watch", o.watch, "Run again what a changed file touches, until it is interrupted")
      ->excludes(c->get_option("--update"));
  add_text(
      c, "--init", o.init, "FILE",
      "Write a first suite for the policies in FILE, with objects that pass and fail where they are found");
  c->add_flag("--coverage{text}", o.coverage,
              "What cases show of each policy: text, html, json or lcov; FORMAT=FILE; may be repeated")
      ->excludes(c->get_option("--watch"))
      ->type_name(":{text,html,json,lcov}");
  c->add_option("--min-coverage", o.min_coverage, "Fail if coverage is below")
      ->check(CLI::Range(0.0, 100.0))
      ->excludes(c->get_option("--watch"))
      ->type_name("PERCENT");
  c->add_flag("--mutants", o.mutants,
              "Change the policies in small ways, and name changes that no case notices")
      ->excludes(c->get_option("--watch"));
  c->add_option("--max-mutants", o.max_mutants, "Try at most so many changes (default: 10000)")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  c->add_option("--max-survivors", o.max_survivors, "Fail if more changes go unnoticed (default: 0)")
      ->type_name("N");
  c->add_flag("--members", o.members, "Print what a suite may contain");
  c->add_flag("--schema", o.schema, "Print the JSON schema of suites, for editors");
}

void add_check(CLI::App& app, CheckOptions& o) {
  CLI::App* c = add_command(
      app, "check", "Check policies and bindings as the API server would, and compute their costs",
      "  portcullis check policies/                                 errors, and static cost\n"
      "  portcullis check policies/ --object pod.yaml               what they cost on this object\n"
      "  portcullis check policies/ --kubernetes-version 1.30       do older clusters accept them?\n"
      "  portcullis check policies/ -o json                         with \"ours\": true where the API server "
      "is silent\n");
  c->add_option("policies", o.policies, "Files or directories; - is standard input")->type_name(kFiles);
  add_repeated(c, "-f,--filename,-p,--policies", o.files, "FILE", "The same as an argument");
  add_repeated(c, "--object", o.objects, "FILE", "Measure costs on these manifests");
  add_params_scope(c, o.param_scopes);
  add_repeated(c, "--openapi", o.openapi, "FILE", "Types of another cluster: OpenAPI v3 documents in JSON");
  c->add_flag("--types", o.types,
              "Check types of variables, match conditions, audit annotations and results, too");
  c->add_flag("-q,--quiet", o.quiet, "Omit the costs (text)");
  add_reading(c, o.reading);
  add_outputs(c, o.outputs, kCheckFormats);
  add_version(c, o.kubernetes_version);
}

void add_cost(CLI::App& app, CostOptions& o) {
  CLI::App* c = add_command(
      app, "cost", "What expressions cost at most, which parts of them, and what lowers it",
      "  portcullis cost policies/                              for the largest objects of a request\n"
      "  portcullis cost policies/ --assume containers=50 --assume object.metadata.labels=20\n"
      "  portcullis cost policies/ --object manifests/          and what they cost on these objects\n"
      "  portcullis cost crd.yaml                               why a rule exceeds its budget\n");
  c->add_option("policies", o.policies, "Files or directories; - is standard input")->type_name(kFiles);
  add_repeated(c, "-f,--filename,-p,--policies", o.files, "FILE", "The same as an argument");
  add_repeated(c, "--assume", o.assume, "PATH=N",
               "The largest size of a list, map or text, by its path or last name; may be repeated");
  add_repeated(c, "--object", o.objects, "FILE", "Measure costs on these manifests");
  add_params_scope(c, o.param_scopes);
  add_reading(c, o.reading);
  add_output(c, o.output, {"text", "json"});
}

void add_skew(CLI::App& app, SkewOptions& o) {
  CLI::App* c = add_command(
      app, "skew", "Which API servers accept and run policies, and what changes between them",
      "  portcullis skew policies/ --from 1.30 --to 1.37\n"
      "  portcullis skew policies/ manifests/ -R                does a verdict depend on the release?\n"
      "  portcullis skew policies/ --from 1.36 --to 1.37 --stored   is a rollback safe?\n");
  c->add_option("files", o.paths,
                "Files or directories with policies, definitions and manifests; - is standard input")
      ->type_name(kFiles);
  add_repeated(c, "-f,--filename,-p,--policies", o.files, "FILE", "The same as an argument");
  add_minor(c, "--from", o.from, "The oldest API server (default: 1.30)", ServerRange::kFirst);
  add_minor(c, "--to", o.to, "The newest API server (default: 1.37)", ServerRange::kFirst);
  c->add_flag("--stored", o.stored,
              "Fail for what stored expressions lack (upgrade, rollback), not for what new ones do");
  add_params_scope(c, o.param_scopes);
  add_reading(c, o.reading);
  add_output(c, o.output, {"text", "json"});
}

void add_eval(CLI::App& app, EvalOptions& o) {
  CLI::App* c = add_command(app, "eval", "Evaluate one expression: its value, type and cost",
                            "  portcullis eval '1 + 1'\n"
                            "  portcullis eval --object pod.yaml 'object.spec.containers.map(c, c.image)'\n"
                            "  portcullis eval --var n=3 --type n=uint --explain 'n > 2u && n < 9u'\n"
                            "  portcullis eval --rbac rbac.yaml --as eve "
                            "\"authorizer.group('apps').resource('deployments').check('create').allowed()\"\n"
                            "  portcullis eval --kubernetes-version 1.30 \"ip('10.0.0.1').family()\"\n");
  c->add_option("expression", o.expression, "The expression")->type_name("");
  add_text(c, "--object", o.object, "FILE", "The variable object, as policies see it; - is standard input");
  add_text(c, "--old", o.old_object, "FILE", "The variable oldObject");
  add_text(c, "--params", o.params, "FILE", "The variable params");
  c->add_flag("--as-is", o.as_is, "Do not decode and default object, oldObject and params");
  add_text(c, "--request", o.request, "FILE", "The variable request");
  add_repeated(c, "--var", o.variables, "NAME=YAML", "A variable; may be repeated");
  add_text(c, "--vars", o.variables_file, "FILE", "More variables, a mapping from names to values");
  add_repeated(c, "--rbac", o.rbac, "FILE",
               "The variable authorizer: files or directories with RBAC objects");
  add_text(c, "--as", o.user, "USER",
           "User of authorizer's checks (default: kubernetes-admin, of system:masters)");
  add_repeated(c, "--as-group", o.groups, "GROUP", "Group of that user; may be repeated");
  add_repeated(c, "--type", o.types, "NAME=TYPE",
               "Type of a variable (int, list(string), quantity ...); may be repeated");
  add_output(c, o.output, {"text", "json", "yaml"});
  c->add_flag("--explain", o.explain, "Show the value of every part");
  c->add_flag("--check", o.check_only, "Compile and estimate only");
  c->add_option("--cost-limit", o.cost_limit, "Limit on the cost (default: that of Kubernetes)")
      ->check(positive)
      ->type_name("N");
  add_version(c, o.kubernetes_version);
  add_batch(c, o.batch, o.jobs,
            {"expression", "--object", "--old", "--params", "--request", "--var", "--vars", "--rbac", "--as",
             "--as-group"});
}

void add_functions(CLI::App& app, FunctionsOptions& o) {
  CLI::App* c = add_command(app, "functions", "The reference of functions and macros",
                            "  portcullis functions\n"
                            "  portcullis functions startsWith\n"
                            "  portcullis functions --kubernetes-version 1.29     what that release has\n");
  c->add_option("name", o.name, "One function (default: all)")->type_name("");
  add_output(c, o.output, {"text", "json", "markdown"});
  add_version(c, o.kubernetes_version);
}

void add_normalize(CLI::App& app, NormalizeOptions& o) {
  CLI::App* c =
      add_command(app, "normalize", "Print objects as policies see them: decoded, defaulted, filled in",
                  "  portcullis normalize deployment.yaml\n"
                  "  portcullis normalize --diff deployment.yaml      what the API server changes\n");
  c->add_option("manifests", o.manifests, "Files or directories; - is standard input")->type_name(kFiles);
  add_repeated(c, "-f,--filename", o.files, "FILE", "The same as an argument");
  add_reading(c, o.reading);
  add_text(c, "-n,--namespace", o.namespace_name, "NAME",
           "Namespace of manifests without one (default: default)");
  c->add_flag("--diff", o.diff, "Show added (+) and removed (-) lines; with -o json a JSON Patch");
  c->add_flag("--show-managed-fields", o.show_managed_fields,
              "Keep metadata.managedFields, as kubectl get does");
  add_text(c, "--field-manager", o.field_manager, "NAME", "Their manager (default: kubectl-create)");
  add_output(c, o.output, {"yaml", "json"});
}

void add_disasm(CLI::App& app, DisasmOptions& o) {
  CLI::App* c = add_command(app, "disasm", "The bytecode of an expression",
                            "  portcullis disasm '1 + size(object.spec)'\n");
  c->add_option("expression", o.expression, "The expression")->required()->type_name("");
  add_version(c, o.kubernetes_version);
}

void add_manifests(CLI::App& app, ManifestsOptions& o) {
  CLI::App* c = add_command(
      app, "manifests", "Print what runs the server in a cluster, for kubectl apply",
      "  portcullis manifests --create-namespace -p policies/ | kubectl apply -f -\n"
      "  portcullis manifests -n policy --cert tls.crt --key tls.key -p policies/   without cert-manager\n"
      "  portcullis manifests --param-resource configmaps                           policies of the "
      "cluster\n");
  add_repeated(c, "-p,--policies", o.policies, "FILE",
               "Policies for a ConfigMap (default: the server reads those of the cluster)");
  add_reading(c, o.reading);
  add_text(c, "-n,--namespace", o.namespace_name, "NAME", "Namespace of the server (default: portcullis)");
  c->add_flag("--create-namespace", o.create_namespace, "Print the namespace, too");
  add_text(c, "--name", o.name, "NAME", "Name of the objects (default: portcullis)");
  add_text(c, "--image", o.image, "IMAGE",
           "Image of the server (default: portcullis-server of this version)");
  c->add_option("--replicas", o.replicas, "Number of servers (default: 2)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  c->add_option("--max-replicas", o.most_replicas,
                "Scale up to so many by their latency: needs an adapter of metrics")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  CLI::Option* certificate = add_text(c, "--cert", o.certificate, "FILE",
                                      "Certificate of the server, PEM (default: one of cert-manager)");
  CLI::Option* key = add_text(c, "--key", o.key, "FILE", "Its key, PEM");
  certificate->needs(key);
  key->needs(certificate);
  add_text(c, "--ca", o.authority, "FILE", "Authority that signed it, PEM (default: the certificate itself)")
      ->needs(certificate);
  c->add_option("--failure-policy", o.failure_policy, "Of the webhooks: Fail or Ignore (default: Fail)")
      ->check(CLI::IsMember({"Fail", "Ignore"}))
      ->type_name("POLICY");
  c->add_option("--timeout", o.timeout, "Seconds that the API server waits for an answer (default: 5)")
      ->check(CLI::Range(1, 30))
      ->type_name("N");
  add_repeated(c, "--exclude-namespace", o.left_out, "NAME",
               "Namespace whose requests are not decided, besides kube-system, kube-public, kube-node-lease, "
               "cert-manager and the server's own; may be repeated");
  add_repeated(c, "--param-resource", o.param_resources, "RESOURCE.GROUP",
               "Resource of params that the server may read in the cluster; may be repeated");
  c->add_flag("--authorizer", o.authorizer, "Let the server read RBAC objects, for the variable authorizer");
}

// The words that may follow a command.
std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) out.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

// The values of an option, which are in braces after the name of its type: FORMAT:{text,json}.
std::vector<std::string> values_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  size_t open = type.find('{'), close = type.find('}', open);
  std::vector<std::string> out;
  if (close == type.npos) return out;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string value; std::getline(list, value, ',');) out.push_back(value);
  return out;
}

// A command as completion needs it.
CommandWords words_of(const CLI::App& command) {
  CommandWords out{.name = command.get_name(), .about = command.get_description()};
  for (const CLI::Option* option : command.get_options()) {
    std::string type = option->get_type_name();
    if (option->get_positional()) {
      out.files |= type == kFiles;
      for (std::string& value : values_of(*option)) out.arguments.push_back(std::move(value));
      continue;
    }
    OptionWords words{.about = option->get_description(), .values = values_of(*option)};
    for (const std::string& name : option->get_snames()) words.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) words.names.push_back("--" + name);
    words.value_optional = option->get_expected_min() == 0 && !words.values.empty();
    words.takes_value = option->get_expected_min() > 0 || words.value_optional;
    words.files = type == "FILE";
    out.options.push_back(std::move(words));
  }
  return out;
}

std::vector<CommandWords> all_words(const CLI::App& app) {
  std::vector<CommandWords> out;
  for (const CLI::App* c : app.get_subcommands({})) out.push_back(words_of(*c));
  return out;
}

// "; did you mean X?", or empty.
std::string suggestion(const std::string& word, const std::vector<std::string>& candidates) {
  std::string_view meant = nearest(word.substr(0, word.find('=')), candidates);
  return meant.empty() ? "" : "; did you mean " + std::string(meant) + "?";
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CommandWords& c : all_words(app)) names.push_back(c.name);
  const CLI::App* command = nullptr;
  if (argc > 1 && std::find(names.begin(), names.end(), argv[1]) != names.end())
    command = app.get_subcommand(argv[1]);
  std::string text = error.what();
  size_t repeated = text.find(": At Most 1 required but received");
  if (repeated != text.npos) text = text.substr(0, repeated) + " is given more than once";
  if (command == nullptr && argc > 1) {
    bool flag = argv[1][0] == '-';
    text = std::string(flag ? "unknown flag " : "unknown command ") + argv[1];
    text += suggestion(argv[1], flag ? flags_of(app) : names);
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    std::vector<std::string> extra = command == nullptr ? app.remaining() : command->remaining();
    std::string word = extra.empty() ? "" : extra[0];
    bool flag = word.starts_with("-");
    text = (flag ? "unknown flag " : "unexpected argument ") + word;
    if (flag) text += suggestion(word, flags_of(command == nullptr ? app : *command));
  }
  say(Severity::Error, {}, {}, text);
  std::string see = command == nullptr ? "portcullis help" : "portcullis help " + command->get_name();
  std::fprintf(stderr, "See '%s'.\n", see.c_str());
  return kNoVerdict;
}

// `overview`: the help without a topic (after parsing a command, CLI11 only prints the help of that command).
int help(CLI::App& app, const std::string& topic, const std::string& overview) {
  std::vector<std::string> names;
  for (const CommandWords& c : all_words(app)) names.push_back(c.name);
  if (!topic.empty() && std::find(names.begin(), names.end(), topic) == names.end()) {
    say(Severity::Error, {}, {}, "unknown command " + topic + suggestion(topic, names));
    return kNoVerdict;
  }
  put(topic.empty() ? overview : app.get_subcommand(topic)->help("portcullis"));
  return kAdmitted;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

int run(int argc, char** argv) {
  CLI::App app{kAbout, "portcullis"};
  app.formatter(std::make_shared<Help>());
  app.require_subcommand(1);
  app.set_version_flag("--version", "", "Print the version and exit");
  app.footer("See 'portcullis help COMMAND' for the options of a command and examples.\n" +
             std::string(kExit));
  ReviewOptions review_options;
  MutateOptions mutate_options;
  WhoOptions who_options;
  TestOptions test_options;
  CheckOptions check_options;
  CostOptions cost_options;
  SkewOptions skew_options;
  EvalOptions eval_options;
  FunctionsOptions functions_options;
  NormalizeOptions normalize_options;
  DisasmOptions disasm_options;
  ManifestsOptions manifests_options;
  std::string topic, shell;
  add_review(app, review_options);
  add_mutate(app, mutate_options);
  add_who(app, who_options);
  add_test(app, test_options);
  add_check(app, check_options);
  add_cost(app, cost_options);
  add_skew(app, skew_options);
  add_eval(app, eval_options);
  add_functions(app, functions_options);
  add_normalize(app, normalize_options);
  add_disasm(app, disasm_options);
  add_manifests(app, manifests_options);
  CLI::App* completions = add_command(app, "completion", "A script that completes command lines",
                                      "  source <(portcullis completion bash)\n");
  completions->add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_command(app, "serve", "Decide AdmissionReviews over HTTPS, as an admission webhook", "");
  add_command(app, "version", "The version of this program and of the Kubernetes it answers for", "");
  CLI::App* helps = add_command(app, "help", "Help about a command", "");
  std::string topics;
  for (const CLI::App* command : app.get_subcommands({}))
    topics += (topics.empty() ? "" : ",") + command->get_name();
  helps->add_option("command", topic, "The command")->type_name(":{" + topics + "}");
  for (CLI::App* command : app.get_subcommands({})) add_colour(command);
  std::string overview = app.help();
  // The server reads its own command line.
  if (argc > 1 && argv[1] == std::string_view("serve")) return serve({argv + 2, argv + argc});
  if (argc == 3 && argv[1] == std::string_view("help") && argv[2] == std::string_view("serve"))
    return serve({"--help"});
  if (argc == 1) {
    std::fputs(overview.c_str(), stderr);
    return kNoVerdict;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& error) {
    std::ostringstream text;
    app.exit(error, text, text);
    put(text.str());
    return kAdmitted;
  } catch (const CLI::CallForVersion&) {
    return version();
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  auto complete = [&](const char* command, ReviewOptions& options) {
    for (const char* flag : {"--as", "--as-group", "--namespace", "--operation", "--subresource", "--old",
                             "--field-manager", "--dry-run"}) {
      if (app.get_subcommand(command)->count(flag) > 0) options.request_flags.emplace_back(flag);
    }
    append(options.manifests, options.files);
  };
  if (app.got_subcommand("review")) {
    complete("review", review_options);
    return review(review_options);
  }
  if (app.got_subcommand("mutate")) {
    complete("mutate", mutate_options);
    return mutate(mutate_options);
  }
  if (app.got_subcommand("who")) {
    complete("who", who_options);
    return who(who_options);
  }
  if (app.got_subcommand("test")) return test(test_options);
  if (app.got_subcommand("check")) {
    append(check_options.policies, check_options.files);
    return check(check_options);
  }
  if (app.got_subcommand("cost")) {
    append(cost_options.policies, cost_options.files);
    return cost(cost_options);
  }
  if (app.got_subcommand("skew")) {
    append(skew_options.paths, skew_options.files);
    return skew(skew_options);
  }
  if (app.got_subcommand("eval")) return eval(eval_options);
  if (app.got_subcommand("functions")) return functions(functions_options);
  if (app.got_subcommand("normalize")) {
    append(normalize_options.manifests, normalize_options.files);
    return normalize(normalize_options);
  }
  if (app.got_subcommand("disasm")) return disasm(disasm_options);
  if (app.got_subcommand("manifests")) return manifests(manifests_options);
  if (app.got_subcommand("completion")) return completion(shell, all_words(app));
  if (app.got_subcommand("help")) return help(app, topic, overview);
  return version();
}

}  // namespace

int main(int argc, char** argv) {
  int status = run(argc, argv);
  return portcullis::close_output() ? status
                                    : portcullis::kNoVerdict;  // a verdict that was not written is none
}
