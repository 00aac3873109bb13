// See webhook_client.h.
#include "admission/policies/webhook_client.h"

#include <fmt/format.h>

#include <set>

#include "admission/scalars/names.h"
#include "admission/scalars/url.h"

namespace portcullis {
namespace {

// The userinfo of the URL, as Go prints it.
std::string user_text(Arena& arena, const Url& u) {
  Url only;
  only.username = u.username;
  only.password = u.password;
  only.has_user = true;
  only.has_password = u.has_password;
  only.host = "h";
  std::string_view printed = url::print(arena, only);
  return std::string(printed.substr(2, printed.size() - 4));
}

void validate_url_path(std::string_view text, const std::string& path, FieldErrors& errors) {
  if (text.empty() || text == "/") return;
  if (text == "//") return errors.invalid(path, text, "segment[0] may not be empty");
  if (text[0] != '/') errors.invalid(path, text, "must start with a '/'");
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (size_t i = 0;; i++) {
    size_t slash = rest.find('/');
    std::string_view step = rest.substr(0, slash);
    if (step.empty()) {
      errors.invalid(path, text, fmt::format("segment[{}] may not be empty", i));
    } else {
      for (const std::string& message : names::dns1123_subdomain(step)) {
        errors.invalid(path, text, fmt::format("segment[{}]: {}", i, message));
      }
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

}  // namespace

void validate_webhook_url(std::string_view text, const std::string& path, FieldErrors& errors) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  Arena arena;
  Url u;
  std::string_view problem = url::parse(arena, text, u);
  if (!problem.empty())
    return errors.required(path, fmt::format("url must be a valid URL: {}{}", problem, kForm));
  if (u.scheme != "https")
    errors.invalid(path, u.scheme, fmt::format("'https' is the only allowed URL scheme{}", kForm));
  if (u.host.empty()) errors.invalid(path, u.host, fmt::format("host must be specified{}", kForm));
  if (u.has_user) errors.invalid(path, user_text(arena, u), "user information is not permitted in the URL");
  if (!u.fragment.empty()) errors.invalid(path, u.fragment, "fragments are not permitted in the URL");
  if (!u.query.empty()) errors.invalid(path, u.query, "query parameters are not permitted in the URL");
}

void validate_webhook_service(const WebhookService& service, const std::string& path, FieldErrors& errors) {
  // Upstream swaps name and namespace in this call, so it reports each as the other.
  if (service.name_space.empty()) errors.required(child(path, "name"));
  if (service.name.empty()) errors.required(child(path, "namespace"));
  if (service.port < 1 || service.port > 65535) {
    errors.invalid_number(child(path, "port"), service.port,
                          "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (service.path) validate_url_path(*service.path, child(path, "path"), errors);
}

void validate_review_versions(std::span<const std::string_view> versions, const std::string& path,
                              FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    const std::string field = index(path, i);
    if (!seen.insert(versions[i]).second) {
      errors.invalid(field, versions[i], "duplicate version");
      continue;
    }
    for (const std::string& message : names::dns1035_label(versions[i]))
      errors.invalid(field, versions[i], message);
  }
}

}  // namespace portcullis
