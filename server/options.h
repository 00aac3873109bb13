// The options of the server. main.cc reads them from the command line, and its help tells the defaults.
// Tested by tests/server/lifecycle.py.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/reading/files.h"
#include "server/cluster_access.h"

namespace portcullis::server {

enum class LogFormat { Text, Json };
enum class LogLevel { Debug, Info, Warning, Error };

struct Options {
  // Policies.
  std::vector<std::string> policies;        // -p: files or directories
  ReadOptions reading;                      // -R, --ignore, --strict-files
  bool stored = false;                      // --policies-as stored: keep what an API server would refuse
  std::vector<std::string> param_scopes;    // --params-scope KIND=SCOPE
  std::string unknown_namespaces = "auto";  // --unknown-namespaces: auto, assume, refuse
  std::chrono::milliseconds settle{200};    // how long files must be quiet before they are read again

  // Policies from a cluster.
  std::string kubeconfig, context;
  bool in_cluster = false;
  std::string service_account = kServiceAccount;  // --service-account-dir: token and ca.crt
  bool cluster_policies = true;                   // --no-cluster-policies: only those of -p
  size_t max_cluster_bytes = size_t{1} << 30;     // of all objects
  bool from_cluster() const { return in_cluster || !kubeconfig.empty(); }

  // Listening. An address is HOST:PORT; without a host, all addresses of the machine.
  std::string listen = ":9443";
  std::string metrics_listen = ":8080";  // empty: nowhere
  std::string cert_dir = "/certs";       // tls.crt and tls.key, PEM
  std::string tls_min_version = "1.2";
  std::string client_ca_file;             // empty: clients need no certificate
  std::vector<std::string> client_names;  // --client-cn; empty: any
  unsigned threads = 0;                   // 0: one for each processor

  // Limits.
  // Bytes. The API server takes bodies of 3 MiB; an AdmissionReview may have two such objects, and Go writes some
  // characters (<, >, &) in six bytes.
  size_t max_body = (2 * 6 * 3 + 1) * (size_t{1} << 20);
  size_t max_header = size_t{16} << 10;          // bytes
  size_t max_pending_bytes = size_t{256} << 20;  // bodies that are being read, all together
  size_t max_memory = size_t{1} << 30;           // of the values of one request, and of its evaluation
  size_t max_connections = 4096;
  size_t max_in_flight = 400;                        // requests that are read and not answered
  std::chrono::milliseconds read_timeout{10000};     // of each: handshake, header, body, answer
  std::chrono::milliseconds idle_timeout{180000};    // between two requests
  std::chrono::milliseconds request_timeout{30000};  // the longest; ?timeout= can only shorten it

  // Operation.
  std::chrono::milliseconds shutdown_delay{0};
  std::chrono::milliseconds shutdown_timeout{30000};
  bool fail_open = false;
  LogFormat log_format = LogFormat::Text;
  LogLevel log_level = LogLevel::Info;
  size_t log_denials = 10;  // lines a second; 0: none
  std::string audit_log;    // file, "-" is standard output; empty: none
};

}  // namespace portcullis::server
