// See cluster_access.h.
#include "server/cluster_access.h"

#include <filesystem>

#include "cli/reading/input.h"
#include "interpreter/formats/text.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/member.h"
#include "manifests/documents.h"

namespace portcullis::server {
namespace {

// The entry `name` of a list of named ones, such as `clusters`: its member `what`. Null if there is none.
const Value* named(const Value& config, std::string_view list, std::string_view name, std::string_view what) {
  const Value* entries = find_member(config, list, Kind::List);
  if (entries == nullptr) return nullptr;
  for (const Value& entry : entries->as_list()) {
    if (text_member(entry, "name") == name) return find_member(entry, what, Kind::Map);
  }
  return nullptr;
}

bool true_member(const Value& map, std::string_view name) {
  const Value* found = find_member(map, name, Kind::Bool);
  return found != nullptr && found->as_bool();
}

class Kubeconfig {
 public:
  Kubeconfig(const Value& config, const std::string& file) : config_(config), file_(file) {}

  Result<ClusterAccess> read(std::string context) {
    if (context.empty()) context = text_member(config_, "current-context");
    if (context.empty()) return Error{file_ + ": there is no current-context; name one with --context"};
    const Value* found = named(config_, "contexts", context, "context");
    if (found == nullptr) return Error{file_ + ": there is no context \"" + context + "\""};
    out_.name = "context " + context + " of " + file_;
    const std::string cluster(text_member(*found, "cluster")), user(text_member(*found, "user"));
    const Value* c = named(config_, "clusters", cluster, "cluster");
    if (c == nullptr) return Error{where("contexts", context) + "there is no cluster \"" + cluster + "\""};
    read_cluster(*c, where("clusters", cluster));
    // As with kubectl, a context without a user asks as nobody.
    if (const Value* u = named(config_, "users", user, "user")) {
      read_user(*u, where("users", user));
    } else if (!user.empty()) {
      fail(where("contexts", context) + "there is no user \"" + user + "\"");
    }
    if (!error_.empty()) return Error{error_};
    return std::move(out_);
  }

 private:
  std::string where(std::string_view list, std::string_view name) const {
    return file_ + ": " + std::string(list) + "[" + std::string(name) + "]: ";
  }
  void fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
  }

  // A text member. Another kind of value is an error.
  std::string text(const Value& map, std::string_view name, const std::string& place) {
    const Value* found = find_member(map, name);
    if (found == nullptr || found->is_null()) return {};
    if (!found->is(Kind::String)) return fail(place + std::string(name) + " is not a text"), std::string();
    return std::string(found->as_text());
  }
  // A path, made relative to the directory of the kubeconfig.
  std::string path(const Value& map, std::string_view name, const std::string& place) {
    std::string found = text(map, name, place);
    if (found.empty()) return found;
    return (std::filesystem::path(file_).parent_path() / found).string();
  }
  // NAME-data in base64, or else the file NAME.
  Pem pem(const Value& map, const std::string& name, const std::string& place) {
    Pem out;
    const std::string data = text(map, name + "-data", place);
    if (data.empty()) return out.file = path(map, name, place), out;
    Arena arena;
    TextBuilder decoded(arena);
    if (decode_base64(decoded, data, true)) fail(place + name + "-data is not base64");
    out.text = decoded.view();
    if (out.text.find("-----BEGIN ") == std::string::npos) fail(place + name + "-data has no PEM block");
    return out;
  }

  void read_cluster(const Value& c, const std::string& place) {
    out_.server = text(c, "server", place);
    while (out_.server.ends_with('/')) out_.server.pop_back();
    if (out_.server.find("://") == std::string::npos && !out_.server.empty())
      out_.server = "https://" + out_.server;
    if (out_.server.empty()) fail(place + "server is missing");
    if (!out_.server.empty() && !out_.server.starts_with("https://") && !out_.server.starts_with("http://"))
      fail(place + "server is not a URL with https or http");
    out_.authority = pem(c, "certificate-authority", place);
    out_.insecure = true_member(c, "insecure-skip-tls-verify");
    if (out_.insecure && out_.authority.given())
      fail(place + "insecure-skip-tls-verify and a certificate-authority exclude each other");
    out_.server_name = text(c, "tls-server-name", place);
    out_.proxy = text(c, "proxy-url", place);
  }

  void read_user(const Value& u, const std::string& place) {
    for (std::string_view plugin : {"exec", "auth-provider"}) {
      const Value* found = find_member(u, plugin);
      if (found == nullptr || found->is_null()) continue;
      return fail(
          place + std::string(plugin) +
          " wants a credential plugin, and the server starts no programs; use a token, a tokenFile or "
          "a client certificate, such as those of a service account");
    }
    out_.certificate = pem(u, "client-certificate", place);
    out_.key = pem(u, "client-key", place);
    if (out_.certificate.given() != out_.key.given())
      fail(place + "client-certificate and client-key belong together, and one of them is missing");
    out_.token = text(u, "token", place);
    out_.token_file = path(u, "tokenFile", place);
    out_.username = text(u, "username", place);
    out_.password = text(u, "password", place);
    if ((!out_.token.empty() || !out_.token_file.empty()) && !out_.username.empty())
      fail(place + "a token and a username exclude each other");
    read_impersonation(u, place);
  }

  void read_impersonation(const Value& u, const std::string& place) {
    auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) out_.headers.emplace_back(name, value);
    };
    add("Impersonate-User", text(u, "as", place));
    add("Impersonate-Uid", text(u, "as-uid", place));
    if (const Value* groups = find_member(u, "as-groups", Kind::List)) {
      for (const Value& group : groups->as_list())
        if (group.is(Kind::String)) add("Impersonate-Group", std::string(group.as_text()));
    }
    const Value* extra = find_member(u, "as-user-extra");
    if (extra != nullptr && !extra->is_null()) fail(place + "as-user-extra is not supported");
    for (const auto& [name, value] : out_.headers) {
      if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos)
        fail(place + "the value of " + name + " has a line break");
    }
  }

  const Value& config_;
  const std::string& file_;
  ClusterAccess out_;
  std::string error_;  // the first
};

}  // namespace

std::string without_password(std::string_view url) {
  std::string out(url);
  const size_t scheme = url.find("://");
  const size_t begin = scheme == url.npos ? 0 : scheme + 3;
  const size_t end = url.substr(0, url.find_first_of("/?#", begin)).rfind('@');
  if (end == url.npos || end < begin) return out;
  const size_t colon = url.find(':', begin);
  if (colon < end) out.replace(colon + 1, end - colon - 1, "xxxxx");
  return out;
}

Result<ClusterAccess> read_kubeconfig(std::string_view text, const std::string& file,
                                      const std::string& context) {
  if (text.size() > kMaxKubeconfig)
    return Error{file + ": a kubeconfig has at most " + std::to_string(kMaxKubeconfig) + " bytes"};
  Arena arena;
  JsonReader reader;
  auto documents = read_documents(text, reader, arena);
  if (!documents.ok()) {
    const Error& e = documents.error();
    return Error{file + ":" + std::to_string(e.position.line) + ":" + std::to_string(e.position.column) +
                 ": " + e.text};
  }
  for (const YamlDocument& d : *documents) {
    if (!d.value.is(Kind::Map)) continue;
    const std::string_view kind = text_member(d.value, "kind");
    if (kind != "Config" && !kind.empty())
      return Error{file + ": this is a " + std::string(kind) + ", not a kubeconfig"};
    return Kubeconfig(d.value, file).read(context);
  }
  return Error{file + ": this is not a kubeconfig: there is no mapping"};
}

Result<ClusterAccess> read_kubeconfig_file(const std::string& file, const std::string& context) {
  Result<std::string> text = read_file(file);
  if (!text.ok()) return Error{file + ": " + text.error().text};
  return read_kubeconfig(*text, file, context);
}

Result<ClusterAccess> read_service_account(const std::string& host, const std::string& port,
                                           const std::string& directory) {
  if (host.empty() || port.empty())
    return Error{
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is not a Pod of a cluster"};
  ClusterAccess out;
  out.name = "service account of the Pod";
  out.server = "https://" + (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + port;
  out.authority.file = directory + "/ca.crt";
  out.token_file = directory + "/token";
  for (const std::string& file : {out.token_file, out.authority.file}) {
    Result<std::string> text = read_file(file);
    if (!text.ok()) return Error{file + ": " + text.error().text};
  }
  return out;
}

}  // namespace portcullis::server
