// Kubeconfigs as people have them, and wrong ones.
#include "server/cluster_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace portcullis::server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(ClusterAccess, UrlsAreShownWithoutPassword) {
  for (auto [url, shown] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"https://user:secret@127.0.0.1:6443/x", "https://user:xxxxx@127.0.0.1:6443/x"},
           {"https://user:se:c@ret@[::1]:1", "https://user:xxxxx@[::1]:1"},
           {"https://user:@a", "https://user:xxxxx@a"},
           {"https://user@a/b:c@d", "https://user@a/b:c@d"},
           {"https://a:6443/?b=c:d@e", "https://a:6443/?b=c:d@e"}}) {
    EXPECT_EQ(without_password(url), shown);
  }
}

constexpr std::string_view kConfig = R"(
apiVersion: v1
kind: Config
current-context: kind
contexts:
- {name: kind, context: {cluster: kind, user: admin, namespace: shop}}
- {name: other, context: {cluster: other, user: robot}}
- {name: nobody, context: {cluster: other}}
- {name: lost, context: {cluster: none, user: robot}}
- {name: cloud, context: {cluster: kind, user: cloud}}
clusters:
- {name: kind, cluster: {server: "https://127.0.0.1:6443/", certificate-authority-data: LS0tLS1CRUdJTiBBLS0tLS0K,
   tls-server-name: kubernetes, proxy-url: "socks5://127.0.0.1:1"}}
- {name: other, cluster: {server: "https://[fd00::1]:443/k8s", certificate-authority: ca.crt}}
users:
- {name: admin, user: {client-certificate-data: LS0tLS1CRUdJTiBBLS0tLS0K, client-key: /keys/admin.key, as: eve,
   as-groups: [a, b]}}
- {name: robot, user: {token: text, tokenFile: secrets/token}}
- {name: cloud, user: {exec: {command: aws}}}
)";

ClusterAccess read(const std::string& context) {
  Result<ClusterAccess> out = read_kubeconfig(kConfig, "/home/eve/.kube/config", context);
  EXPECT_TRUE(out.ok()) << out.error().text;
  return *out;
}

// The error of the configuration with a part of it replaced.
std::string error_of(std::string_view from, std::string_view to, const std::string& context = "") {
  std::string text(kConfig);
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  Result<ClusterAccess> out = read_kubeconfig(text, "config", context);
  return out.ok() ? "" : out.error().text;
}

TEST(Kubeconfig, IsRead) {
  const ClusterAccess kind = read("");
  EXPECT_EQ(kind.name, "context kind of /home/eve/.kube/config");
  EXPECT_EQ(kind.server, "https://127.0.0.1:6443");
  EXPECT_EQ(kind.authority.text, "-----BEGIN A-----\n");
  EXPECT_EQ(kind.server_name, "kubernetes");
  EXPECT_EQ(kind.proxy, "socks5://127.0.0.1:1");
  EXPECT_EQ(kind.certificate.text, "-----BEGIN A-----\n");
  EXPECT_EQ(kind.key.file, "/keys/admin.key");
  ASSERT_EQ(kind.headers.size(), 3);
  EXPECT_EQ(kind.headers[0], std::make_pair(std::string("Impersonate-User"), std::string("eve")));
  EXPECT_EQ(kind.headers[2], std::make_pair(std::string("Impersonate-Group"), std::string("b")));
}

TEST(Kubeconfig, FilesAreRelativeToIt) {
  const ClusterAccess other = read("other");
  EXPECT_EQ(other.server, "https://[fd00::1]:443/k8s");
  EXPECT_EQ(other.authority.file, "/home/eve/.kube/ca.crt");
  EXPECT_EQ(other.token_file, "/home/eve/.kube/secrets/token");
  EXPECT_EQ(other.token, "text");
  EXPECT_EQ(read("nobody").token, "");
}

TEST(Kubeconfig, MistakesAreTold) {
  EXPECT_EQ(error_of("x", "x", "none"), "config: there is no context \"none\"");
  EXPECT_EQ(error_of("current-context: kind\n", "", ""),
            "config: there is no current-context; name one with --context");
  EXPECT_EQ(error_of("x", "x", "lost"), "config: contexts[lost]: there is no cluster \"none\"");
  EXPECT_THAT(error_of("x", "x", "cloud"), HasSubstr("users[cloud]: exec wants a credential plugin"));
  EXPECT_THAT(error_of("LS0tLS1CRUdJTiBBLS0tLS0K,", "'*',"),
              EndsWith("clusters[kind]: certificate-authority-data is not base64"));
  EXPECT_THAT(error_of("LS0tLS1CRUdJTiBBLS0tLS0K,", "YQ==,"),
              EndsWith("clusters[kind]: certificate-authority-data has no PEM block"));
  EXPECT_THAT(error_of("client-key: /keys/admin.key, ", ""), HasSubstr("belong together"));
  EXPECT_THAT(error_of("server: \"https://127.0.0.1:6443/\", ", ""), EndsWith("server is missing"));
  EXPECT_THAT(error_of("https://127.0.0.1", "ftp://127.0.0.1"),
              EndsWith("server is not a URL with https or http"));
  EXPECT_THAT(error_of("tls-server-name", "insecure-skip-tls-verify: true, tls-server-name"),
              HasSubstr("exclude each other"));
  EXPECT_THAT(error_of("token: text", "username: eve", "other"), HasSubstr("exclude each other"));
  EXPECT_THAT(error_of("as: eve", "as: \"eve\\r\\nX: y\""), HasSubstr("has a line break"));
  EXPECT_THAT(error_of("as: eve", "as: [eve]"), EndsWith("users[admin]: as is not a text"));
  EXPECT_EQ(error_of("kind: Config", "kind: Pod"), "config: this is a Pod, not a kubeconfig");
  EXPECT_THAT(error_of("contexts:", "contexts: ["), testing::StartsWith("config:"));
  EXPECT_EQ(read_kubeconfig("", "config", "").error().text,
            "config: this is not a kubeconfig: there is no mapping");
}

TEST(ServiceAccount, IsThatOfThePod) {
  const std::filesystem::path directory = testing::TempDir() + "/service-account";
  std::filesystem::create_directories(directory);
  std::filesystem::remove(directory / "ca.crt");
  std::ofstream(directory / "token") << "t";
  EXPECT_THAT(read_service_account("", "", directory).error().text, HasSubstr("this is not a Pod"));
  EXPECT_THAT(read_service_account("10.0.0.1", "443", directory).error().text, HasSubstr("ca.crt: "));
  std::ofstream(directory / "ca.crt") << "c";
  Result<ClusterAccess> access = read_service_account("fd00::1", "443", directory);
  ASSERT_TRUE(access.ok());
  EXPECT_EQ(access->server, "https://[fd00::1]:443");
  EXPECT_EQ(access->token_file, (directory / "token").string());
}

}  // namespace
}  // namespace portcullis::server
