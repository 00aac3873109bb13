#include "http/libcurl.h"

#include <dlfcn.h>

#include <string_view>

namespace portcullis::http {
namespace {

// The same on all distributions since 2006.
constexpr const char* kName = "libcurl.so.4";
constexpr unsigned kOldest = 0x075500;  // 7.85, for CURLOPT_PROTOCOLS_STR

struct Loaded {
  Libcurl functions{};
  std::string error;

  Loaded() {
    void* library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      fail();
      return;
    }
    find(library, "curl_global_init", functions.global_init);
    find(library, "curl_version_info", functions.version_info);
    find(library, "curl_easy_init", functions.easy_init);
    find(library, "curl_easy_setopt", functions.easy_setopt);
    find(library, "curl_easy_perform", functions.easy_perform);
    find(library, "curl_easy_getinfo", functions.easy_getinfo);
    find(library, "curl_easy_strerror", functions.easy_strerror);
    find(library, "curl_easy_cleanup", functions.easy_cleanup);
    find(library, "curl_slist_append", functions.slist_append);
    find(library, "curl_slist_free_all", functions.slist_free_all);
    if (!error.empty()) return;
    const curl_version_info_data& info = *functions.version_info(CURLVERSION_NOW);
    const std::string_view tls = info.ssl_version == nullptr ? "no TLS" : info.ssl_version;
    if (info.version_num < kOldest) error = std::string("libcurl ") + info.version + " is older than 7.85";
    if (!tls.starts_with("OpenSSL/"))
      error = std::string(kName) + " has " + std::string(tls) + ", not OpenSSL";
    if (!error.empty()) return;
    if (const CURLcode code = functions.global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK)
      error = functions.easy_strerror(code);
  }

  template <class F>
  void find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (function == nullptr) fail();
  }
  void fail() { error = dlerror(); }
};

const Loaded& loaded() {
  static const Loaded once;
  return once;
}

}  // namespace

const std::string& libcurl_error() { return loaded().error; }

const Libcurl& libcurl() { return loaded().functions; }

}  // namespace portcullis::http
