// See tls.h.
#include "server/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <boost/asio/ssl/context.hpp>
#include <ctime>

#include "http/key_pair.h"

namespace portcullis::server {
namespace {

namespace ssl = boost::asio::ssl;

// Protocols as in ALPN: each with its length before it.
constexpr unsigned char kHttp[] = "\x08http/1.1";

int choose_protocol(SSL*, const unsigned char** out, unsigned char* length, const unsigned char* in,
                    unsigned int in_length, void*) {
  unsigned char* chosen = nullptr;
  int found = SSL_select_next_proto(&chosen, length, kHttp, sizeof kHttp - 1, in, in_length);
  *out = chosen;
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// The common name of a certificate's subject, with the bytes 0 that it may have; the last of several, as in Go.
std::string common_name(X509* certificate) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  int index = -1;
  for (int next; (next = X509_NAME_get_index_by_NID(subject, NID_commonName, index)) >= 0;) index = next;
  if (index < 0) return {};
  unsigned char* text = nullptr;
  int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
  std::string out(reinterpret_cast<char*>(text), static_cast<size_t>(std::max(size, 0)));
  OPENSSL_free(text);
  return out;
}

double expiry_of(const ssl::context& context) {
  X509* own = SSL_CTX_get0_certificate(const_cast<ssl::context&>(context).native_handle());
  std::tm end{};
  if (own == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(own), &end) != 1) return 0;
  return static_cast<double>(timegm(&end));
}

}  // namespace

bool Certificates::admits(const std::string& name) {
  if (std::ranges::find(options_.client_names, name) != options_.client_names.end()) return true;
  uint64_t left_out = 0;
  if (strangers_.pass(std::chrono::steady_clock::now(), left_out)) {
    log_.line(LogLevel::Warning, "a client is refused, its common name is none of --client-cn",
              {{"commonName", name}, {"leftOut", static_cast<int64_t>(left_out)}});
  }
  return false;
}

std::string Certificates::read(ssl::context& context, double& expires) {
  boost::system::error_code error;
  SSL_CTX* raw = context.native_handle();
  const bool modern = options_.tls_min_version == "1.3";
  SSL_CTX_set_min_proto_version(raw, modern ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);  // an idle connection holds no buffers
  // A client that comes again is checked again, with the certificates of that time; and nothing is kept of one that left.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(raw, 0);
  SSL_CTX_set_default_passwd_cb(raw, portcullis::http::no_password);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  const std::string chain = options_.cert_dir + "/tls.crt", key = options_.cert_dir + "/tls.key";
  if (context.use_certificate_chain_file(chain, error); error) return chain + ": " + error.message();
  bool encrypted = false;
  SSL_CTX_set_default_passwd_cb_userdata(raw, &encrypted);
  context.use_private_key_file(key, ssl::context::pem, error);
  SSL_CTX_set_default_passwd_cb_userdata(raw, nullptr);  // else the context's destructor would delete it
  if (error) return key + ": " + (encrypted ? portcullis::http::kEncryptedKey : error.message());
  if (SSL_CTX_check_private_key(raw) != 1) return key + ": it is not the key of " + chain;
  expires = expiry_of(context);
  if (options_.client_ca_file.empty()) return {};
  if (context.load_verify_file(options_.client_ca_file, error); error)
    return options_.client_ca_file + ": " + error.message();
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  if (options_.client_names.empty()) return {};
  context.set_verify_callback(
      [this](bool sound, ssl::verify_context& checked) {
        X509_STORE_CTX* store = checked.native_handle();
        if (!sound || X509_STORE_CTX_get_error_depth(store) > 0) return sound;
        if (admits(common_name(X509_STORE_CTX_get_current_cert(store)))) return true;
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);  // the alert is bad_certificate
        return false;
      },
      error);
  return error ? error.message() : std::string();
}

bool Certificates::reload() {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  double expires = 0;
  ERR_clear_error();
  std::string error = read(*context, expires);
  ERR_clear_error();
  metrics_.certificate(error.empty(), expires);
  if (!error.empty()) {
    log_.line(LogLevel::Error,
              current() == nullptr ? "there is no certificate" : "the last good certificate stays in use",
              {{"error", error}});
    return false;
  }
  if (expires < static_cast<double>(std::time(nullptr)))
    log_.line(LogLevel::Warning, "the certificate has expired", {{"directory", options_.cert_dir}});
  {
    std::lock_guard lock(mutex_);
    current_ = std::move(context);
  }
  log_.line(LogLevel::Info, "the certificate is loaded",
            {{"directory", options_.cert_dir},
             {"expires", time_text(std::chrono::system_clock::from_time_t(static_cast<time_t>(expires)))}});
  return true;
}

std::shared_ptr<ssl::context> Certificates::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

}  // namespace portcullis::server
