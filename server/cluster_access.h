// Where a cluster is and who asks it: from a kubeconfig, or from the service account of a Pod.
//
// Idea: what a kubeconfig says is read once; files that it names (tokens, certificates) are only named here, since
// they are read again for each request (cluster_api.h): their content is exchanged while the server runs.
// Source of behaviour: client-go tools/clientcmd (client_config.go, validation.go), rest/config.go
// (InClusterConfig). Stricter than upstream: a cluster without `server` is an error, not localhost:8080. Limits: one
// file; `exec` and `auth-provider` are refused, since the server starts no other programs. Tested by
// server/cluster_access_test.cc, fuzz/cluster.cc, tests/server/watching.py.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/result.h"

namespace portcullis::server {

// A PEM text, given as such or by the file that has it. Both empty: none.
struct Pem {
  std::string text, file;
  bool given() const { return !text.empty() || !file.empty(); }
};

struct ClusterAccess {
  std::string name;    // for logs: "context kind of ~/.kube/config"
  std::string server;  // "https://10.0.0.1:6443", without a slash at its end
  Pem authority;       // none: the authorities of the system
  bool insecure = false;
  std::string server_name;  // the name in the server's certificate, where it is not that of `server`
  std::string proxy;
  Pem certificate, key;           // of the client
  std::string token, token_file;  // the file wins
  std::string username, password;
  std::vector<std::pair<std::string, std::string>> headers;  // Impersonate-User and so on
};

// A URL for people: "xxxxx" instead of its password, as Go's URL.Redacted.
std::string without_password(std::string_view url);

// The context `context` of a kubeconfig, or the current one if that is empty. `file` is the name of the file; the
// files that it names are relative to its directory.
Result<ClusterAccess> read_kubeconfig(std::string_view text, const std::string& file,
                                      const std::string& context);

// The largest kubeconfig.
inline constexpr size_t kMaxKubeconfig = size_t{1} << 20;
Result<ClusterAccess> read_kubeconfig_file(const std::string& file, const std::string& context);

// Where Pods find their service account.
inline constexpr const char* kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";
// The cluster that the server runs in. `host` and `port` are the values of KUBERNETES_SERVICE_HOST and
// KUBERNETES_SERVICE_PORT.
Result<ClusterAccess> read_service_account(const std::string& host, const std::string& port,
                                           const std::string& directory = kServiceAccount);

}  // namespace portcullis::server
