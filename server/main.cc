// The server program: `portcullis serve` starts it. Only this file uses CLI11, with those of cli/ that it includes.
//
// Idea: a program of its own, so that the command line stays small and starts quickly, and does not link the
// libraries of the server. Tested by tests/server/lifecycle.py.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

#include "admission/scalars/spelling.h"
#include "cli/commands.h"
#include "cli/given_words.h"
#include "cli/messages/output.h"
#include "cli/messages/visible.h"
#include "server/cluster_policies.h"
#include "server/file_policies.h"
#include "server/http_server.h"
#include "server/memory_limit.h"
#include "server/watch.h"

namespace {

using namespace portcullis;
using namespace portcullis::server;

#include "cli/main_help.inc"
#include "cli/main_reading.inc"

constexpr const char* kAbout =
    "Decides AdmissionReviews with policy objects, as an admission webhook: POST /validate, /mutate and "
    "/review "
    "over HTTPS.\n";
constexpr const char* kFooter =
    "Signals: SIGTERM ends it, SIGHUP reads the policies, the certificate and the audit log again.\n"
    "Exit status: 0 it ended with every request answered, 1 some were not, 2 it did not start.\n"
    "docs/server.md describes how it runs in a cluster.";

// The parser of headers counts with 32 bits, and each connection may hold a header.
constexpr uint64_t kMostHeader = uint64_t{16} << 20;

// What the values of a request of usual size need, many times.
constexpr uint64_t kLeastMemory = uint64_t{16} << 20;

// Defaults that fit into the memory that the process may use.
void fit_memory(Options& o, std::optional<size_t> limit) {
  if (!limit) return;
  o.max_memory = std::clamp<size_t>(*limit / 8, 4 * kLeastMemory, o.max_memory);
  o.max_pending_bytes = std::min(o.max_pending_bytes, *limit / 8);
  o.max_cluster_bytes = std::min(o.max_cluster_bytes, *limit / 4);
  // A body that never fits is refused as too large, not as one that is to be sent again.
  o.max_body = std::min(o.max_body, o.max_pending_bytes);
}

// A duration as Kubernetes writes it, 10s, 1m30s or 500ms, or a number of seconds. Nothing if it is none.
std::optional<std::chrono::milliseconds> parse_time(const std::string& text) {
  const bool number = text.find_first_not_of("0123456789.") == text.npos;
  auto time = parse_timeout(number ? text + "s" : text);
  if (!time) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*time);
}

std::string time_text(std::chrono::milliseconds time) {
  if (time.count() % 1000 != 0) return std::to_string(time.count()) + "ms";
  return time.count() == 0 ? "0" : std::to_string(time.count() / 1000) + "s";
}

// What the help says of an option whose value is `value` before the command line is read.
std::string with_default(const std::string& about, const std::string& value) {
  return value.empty() ? about : about + " (default: " + value + ")";
}

// `least`: the shortest time that makes sense.
void add_duration(CLI::App& app, const char* name, std::chrono::milliseconds& value, const char* about,
                  std::chrono::milliseconds least = std::chrono::milliseconds(10)) {
  auto sound = [least](const std::string& text) -> std::string {
    auto time = parse_time(text);
    const bool good = time && *time >= least && *time <= std::chrono::hours(24);
    return good ? "" : "want a time such as 10s, 1m30s or 500ms, not " + text;
  };
  app.add_option_function<std::string>(
         name, [&value](const std::string& text) { value = *parse_time(text); },
         with_default(about, time_text(value)))
      ->check(sound)
      ->type_name("TIME");
}

// A whole number; nothing if the text is none, or is larger than 64 bits.
std::optional<uint64_t> parse_number(const std::string& text) {
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Range {
  uint64_t least = 1, most = uint64_t{1} << 40;
};

// A default of zero means what `about` says.
template <class Number>
void add_number(CLI::App& app, const char* name, Number& value, const char* about, const char* type,
                Range range = {}) {
  auto sound = [range](const std::string& text) -> std::string {
    auto number = parse_number(text);
    if (number && *number >= range.least && *number <= range.most) return "";
    return "want a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most) +
           ", not " + text;
  };
  app.add_option_function<std::string>(
         name, [&value](const std::string& text) { value = static_cast<Number>(*parse_number(text)); },
         with_default(about, value == 0 ? "" : std::to_string(value)))
      ->check(sound)
      ->type_name(type);
}

// One of some words, each of which means a value.
template <class Value>
void add_word(CLI::App& app, const char* name, Value& value, const char* type, const char* about,
              const std::vector<std::pair<std::string, Value>>& meanings) {
  std::vector<std::string> words;
  std::string usual;
  for (const auto& [word, meaning] : meanings) {
    words.push_back(word);
    if (meaning == value) usual = word;
  }
  app.add_option_function<std::string>(
         name,
         [&value, meanings](const std::string& given) {
           value = std::ranges::find(meanings, given, &std::pair<std::string, Value>::first)->second;
         },
         with_default(about, usual))
      ->check(CLI::IsMember(words))
      ->type_name(type);
}

void add_options(CLI::App& app, Options& o) {
  auto text = [&](const char* name, std::string& value, const char* type, const char* about) {
    return app.add_option(name, value, with_default(about, value))->type_name(type);
  };
  add_repeated(
      &app, "-p,--policies", o.policies, "FILE",
      "Policies, bindings, params, namespaces, CRDs, RBAC: files or directories; read again when they "
      "change");
  add_reading(&app, o.reading);
  add_params_scope(&app, o.param_scopes);
  add_word(app, "--policies-as", o.stored, "HOW",
           "checked: refuse what an API server would refuse; stored: treat it as one that has stored it",
           {{"checked", false}, {"stored", true}});
  text("--unknown-namespaces", o.unknown_namespaces, "HOW",
       "Requests in a namespace that no file describes: refuse them, or assume one without labels; auto: "
       "refuse "
       "if a policy sees labels of namespaces")
      ->check(CLI::IsMember({"auto", "assume", "refuse"}));
  text("--listen", o.listen, "ADDRESS", "Where the webhook listens: HOST:PORT or :PORT");
  text("--metrics-listen", o.metrics_listen, "ADDRESS",
       "Where /metrics, /healthz, /livez and /readyz are, without TLS; \"\": nowhere");
  text("--cert-dir", o.cert_dir, "DIR", "Directory of tls.crt and tls.key, read again when they change");
  text("--tls-min-version", o.tls_min_version, "VERSION", "1.2 or 1.3")->check(CLI::IsMember({"1.2", "1.3"}));
  text("--client-ca-file", o.client_ca_file, "FILE", "Clients need a certificate of these authorities (PEM)");
  add_repeated(&app, "--client-cn", o.client_names, "NAME",
               "Common name that the client's certificate must have; may be repeated")
      ->needs("--client-ca-file");
  add_number(app, "--threads", o.threads, "Threads that decide (default: one for each processor)", "N",
             {1, 1024});
  add_number(app, "--max-body", o.max_body, "Largest body of a request", "BYTES");
  add_number(app, "--max-header", o.max_header, "Largest header of a request", "BYTES", {1, kMostHeader});
  add_number(app, "--max-pending-bytes", o.max_pending_bytes,
             "Most bytes of all bodies that are being read, and of answers that are being sent", "BYTES");
  add_number(app, "--max-request-memory", o.max_memory,
             "Most memory for the values of a request, and as much each for its mutation and validation",
             "BYTES", {kLeastMemory});
  add_number(app, "--max-connections", o.max_connections,
             "Most connections; beyond, the one that has waited for longest is closed", "N");
  add_number(app, "--max-requests-inflight", o.max_in_flight,
             "Most requests that are read and not answered; beyond, the answer is 429", "N");
  add_duration(app, "--read-timeout", o.read_timeout,
               "Longest time for a handshake, a header, a body, an answer");
  add_duration(app, "--idle-timeout", o.idle_timeout, "Longest time between two requests");
  add_duration(app, "--request-timeout", o.request_timeout,
               "Longest time that a request waits for its decision; ?timeout= can only shorten it");
  add_duration(app, "--shutdown-delay", o.shutdown_delay,
               "Time from SIGTERM, when readiness ends, until connections are refused",
               std::chrono::milliseconds(0));
  add_duration(app, "--shutdown-timeout", o.shutdown_timeout,
               "Longest time for requests in flight after that");
  app.add_flag("--fail-open", o.fail_open,
               "Admit, with a warning, what the server itself cannot decide (overload, deadline)");
  add_word(app, "--log-format", o.log_format, "FORMAT", "text or json",
           {{"text", LogFormat::Text}, {"json", LogFormat::Json}});
  add_word(app, "--log-level", o.log_level, "LEVEL", "debug, info, warning or error",
           {{"debug", LogLevel::Debug},
            {"info", LogLevel::Info},
            {"warning", LogLevel::Warning},
            {"error", LogLevel::Error}});
  add_number(app, "--log-denials", o.log_denials, "Most lines about denials in a second; 0: none", "N",
             {0, 1'000'000});
  text("--audit-log", o.audit_log, "FILE", "One JSON line for each decision; - is standard output");
}

void add_cluster_options(CLI::App& app, Options& o) {
  CLI::Option* kubeconfig =
      app.add_option(
             "--kubeconfig", o.kubeconfig,
             "Take policies, bindings, params, namespaces, CRDs and RBAC from the cluster of this file")
          ->type_name("FILE");
  app.add_option("--context", o.context, "Context of the kubeconfig (default: its current-context)")
      ->type_name("NAME")
      ->needs(kubeconfig);
  app.add_flag("--in-cluster", o.in_cluster,
               "The same with the service account of the Pod (default in a Pod without -p and --kubeconfig)")
      ->excludes(kubeconfig);
  app.add_option("--service-account-dir", o.service_account,
                 "With --in-cluster: where token and ca.crt are (default: where the kubelet puts them)")
      ->type_name("DIR");
  app.add_flag_callback(
      "--no-cluster-policies", [&o] { o.cluster_policies = false; },
      "Policies and bindings only from -p; the cluster gives the rest");
  add_number(app, "--max-cluster-bytes", o.max_cluster_bytes, "Most bytes of all objects of the cluster",
             "BYTES");
}

// The cluster that the options name.
Result<ClusterAccess> cluster_of(const Options& options) {
  auto variable = [](const char* name) {
    const char* found = std::getenv(name);
    return std::string(found == nullptr ? "" : found);
  };
  if (!options.kubeconfig.empty()) return read_kubeconfig_file(options.kubeconfig, options.context);
  return read_service_account(variable("KUBERNETES_SERVICE_HOST"), variable("KUBERNETES_SERVICE_PORT"),
                              options.service_account);
}

// What is wrong with the options together; empty if nothing is.
std::string settle_source(Options& o) {
  if (o.policies.empty() && !o.from_cluster()) {
    if (std::getenv("KUBERNETES_SERVICE_HOST") == nullptr)
      return "there are no policies: give -p, --kubeconfig, or --in-cluster in a Pod";
    o.in_cluster = true;
  }
  if (std::ranges::find(o.policies, "-") != o.policies.end())
    return "-p wants files or directories, not standard input: they are read again when they change";
  if (!o.from_cluster() && !o.cluster_policies)
    return "--no-cluster-policies wants --kubeconfig or --in-cluster";
  if (o.from_cluster() && !o.param_scopes.empty())
    return "--params-scope is for files alone: a cluster tells the scopes of its kinds";
  if (!o.in_cluster && o.service_account != kServiceAccount)
    return "--service-account-dir wants --in-cluster";
  if (o.policies.empty() && !o.cluster_policies) return "--no-cluster-policies wants policies of -p";
  return {};
}

int serve(const Options& options) {
  Log log(options.log_format, options.log_level);
  Metrics metrics;
  AuditLog audit(options.audit_log, log, metrics);
  Policies policies(log, metrics);
  Certificates certificates(options, log, metrics);
  Sampler denials(options.log_denials);
  auto fail = [&](std::string_view text) {
    log.line(LogLevel::Error, text);
    return kNoVerdict;
  };
  std::string error;
  if (!audit.open(error)) return fail(options.audit_log + ": " + error);
  std::unique_ptr<ClusterPolicies> cluster;
  if (options.from_cluster()) {
    Result<ClusterAccess> access = cluster_of(options);
    if (!access.ok()) return fail(access.error().text);
    cluster = std::make_unique<ClusterPolicies>(options, *access, log, metrics, policies);
  }
  auto reload_policies = [&] {
    if (cluster) return cluster->poke(), true;
    return reload_files(options, log, policies);
  };
  if (!certificates.reload() || !(cluster ? cluster->read_files() : reload_policies())) return kNoVerdict;
  Service service{options, log, audit, metrics, policies, denials, cluster.get()};
  HttpServer server(service, certificates);
  if (error = server.start(); !error.empty()) return fail(error);
  Watch policy_watch(
      log, [&] { return directories_of(options.policies, options.reading.recursive); }, options.settle,
      reload_policies);
  std::vector<std::string> files = {options.cert_dir + "/tls.crt", options.cert_dir + "/tls.key"};
  if (!options.client_ca_file.empty()) files.push_back(options.client_ca_file);
  Watch certificate_watch(
      log, [&] { return directories_of(files, false); }, options.settle, [&] { certificates.reload(); });
  if (!policy_watch.sees() || !certificate_watch.sees())
    log.line(LogLevel::Warning,
             "changes of files are not seen (inotify has no more room); SIGHUP reads them");
  server.on_hangup([&] {
    policy_watch.poke();
    certificate_watch.poke();
    std::string reason;
    if (!audit.open(reason)) log.line(LogLevel::Error, "the audit log cannot be opened", {{"error", reason}});
  });
  if (cluster) cluster->start();
  const Ending ending = server.run();
  if (cluster && ending != Ending::Stuck) cluster->stop();  // it may still know of requests
  const bool answered = ending == Ending::Answered;
  log.line(LogLevel::Info, answered ? "ended" : "ended with requests that are not answered");
  if (ending == Ending::Stuck) {
    audit.flush();
    log.flush();
    std::_Exit(1);
  }
  return answered ? 0 : 1;
}

// What is wrong with the words of the command line.
std::string usage_text(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error_text(error);
  const std::vector<std::string> extra = app.remaining();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError) || extra.empty()) return text;
  if (!extra[0].starts_with('-')) return "unexpected argument " + extra[0];
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_snames()) flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  const std::string_view meant = nearest(extra[0].substr(0, extra[0].find('=')), flags);
  return "unknown flag " + extra[0] + (meant.empty() ? "" : "; " + did_you_mean(meant));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const bool as_command = std::string_view(argv[0]) == "portcullis serve";  // cli/commands/serve.cc
  const std::string name = as_command ? argv[0] : "portcullis-server";
  CLI::App app{kAbout, name};
  app.set_version_flag("--version", "", "Print the version and exit");
  app.footer(kFooter);
  Options options;
  fit_memory(options, memory_limit());
  add_options(app, options);
  add_cluster_options(app, options);
  auto looks = std::make_shared<Help>();
  looks->column_width(34);
  app.formatter(looks);
  auto refuse = [&](const std::string& text) {
    std::fprintf(stderr, "error: %s\nSee '%s --help'.\n", visible(text).c_str(), name.c_str());
    return kNoVerdict;
  };
  try {
    app.parse(GivenWords(app).reversed({argv + 1, argv + argc}));
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion&) {
    const int status = version();
    return close_output() ? status : kNoVerdict;
  } catch (const CLI::ParseError& error) {
    return refuse(usage_text(app, error));
  }
  if (std::string wrong = settle_source(options); !wrong.empty()) return refuse(wrong);
  try {
    return serve(options);
  } catch (const std::system_error& error) {  // no thread, no file descriptor
    std::fprintf(stderr, "error: the server cannot go on: %s\n", error.code().message().c_str());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: the server cannot go on: no memory\n");
  }
  return kNoVerdict;
}
