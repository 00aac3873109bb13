#include "http/verify.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <optional>
#include <vector>

#include "http/key_pair.h"

namespace portcullis::http {
namespace {

struct Free {
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(GENERAL_NAMES* p) const { GENERAL_NAMES_free(p); }
};

// The time of a certificate in RFC 3339.
std::string printed(const std::tm& t) {
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &t)};
}

// The error if the certificate is not valid at the present time, else empty.
std::string time_error(const X509& leaf) {
  const std::time_t now = std::time(nullptr);
  std::tm now_parts{}, limit{};
  gmtime_r(&now, &now_parts);
  const std::string prefix =
      "x509: certificate has expired or is not yet valid: current time " + printed(now_parts) + " is ";
  const ASN1_TIME* first = X509_get0_notBefore(&leaf);
  const ASN1_TIME* last = X509_get0_notAfter(&leaf);
  if (X509_cmp_current_time(first) > 0 && ASN1_TIME_to_tm(first, &limit))
    return prefix + "before " + printed(limit);
  if (X509_cmp_current_time(last) < 0 && ASN1_TIME_to_tm(last, &limit))
    return prefix + "after " + printed(limit);
  return {};
}

bool is_address(const std::string& host) {
  in6_addr out;
  return inet_pton(AF_INET, host.c_str(), &out) == 1 || inet_pton(AF_INET6, host.c_str(), &out) == 1;
}

std::string asn1_text(const ASN1_STRING* s) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(s)),
          static_cast<size_t>(ASN1_STRING_length(s))};
}

// The DNS names, or the addresses, of a certificate.
std::vector<std::string> names_of(const X509& leaf, bool addresses) {
  std::unique_ptr<GENERAL_NAMES, Free> all(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&leaf, NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> out;
  for (int i = 0; all != nullptr && i < sk_GENERAL_NAME_num(all.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(all.get(), i);
    if (name->type == GEN_DNS && !addresses) out.push_back(asn1_text(name->d.dNSName));
    if (name->type != GEN_IPADD || !addresses) continue;
    const std::string bytes = asn1_text(name->d.iPAddress);
    char text[INET6_ADDRSTRLEN];
    if (inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text, sizeof text))
      out.emplace_back(text);
  }
  return out;
}

// The error if the certificate is for another host, else empty (x509.HostnameError).
std::string name_error(X509& leaf, const std::string& host) {
  const bool address = is_address(host);
  constexpr unsigned kFlags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  const int found = address ? X509_check_ip_asc(&leaf, host.c_str(), 0)
                            : X509_check_host(&leaf, host.c_str(), host.size(), kFlags, nullptr);
  if (found == 1) return {};
  const std::vector<std::string> names = names_of(leaf, address);
  if (address && names.empty())
    return "x509: cannot validate certificate for " + host + " because it doesn't contain any IP SANs";
  if (X509_get_ext_by_NID(&leaf, NID_subject_alt_name, -1) < 0)
    return "x509: certificate relies on legacy Common Name field, use SANs instead";
  if (names.empty()) return "x509: certificate is not valid for any names, but wanted to match " + host;
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return "x509: certificate is valid for " + all + ", not " + host;
}

std::string chain_error(int code) {
  switch (code) {
    case X509_V_ERR_INVALID_PURPOSE: return "x509: certificate specifies an incompatible key usage";
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_INVALID_CA: return "x509: certificate signed by unknown authority";
    default: return std::string("x509: ") + X509_verify_cert_error_string(code);
  }
}

// OpenSSL's hook in place of its own check of the chain; 1 if the certificate is right.
int verify(X509_STORE_CTX* context, void* argument) {
  auto& verification = *static_cast<Verification*>(argument);
  X509& leaf = *X509_STORE_CTX_get0_cert(context);
  const bool chained = X509_verify_cert(context) == 1;
  verification.error = time_error(leaf);
  if (verification.error.empty()) verification.error = name_error(leaf, verification.host);
  if (verification.error.empty() && !chained)
    verification.error = chain_error(X509_STORE_CTX_get_error(context));
  if (verification.error.empty()) return 1;
  if (chained) X509_STORE_CTX_set_error(context, X509_V_ERR_APPLICATION_VERIFICATION);
  return 0;
}

// A block of a PEM text.
struct Block {
  std::string name, header;
  std::vector<unsigned char> data;
};

// The next block, as it is: nothing is decrypted. Skips malformed ones, as Go does. Nothing after the last one.
std::optional<Block> next_block(BIO& text) {
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  for (size_t left = BIO_pending(&text); PEM_read_bio(&text, &name, &header, &data, &size) != 1;) {
    const size_t now = BIO_pending(&text);
    if (now == 0 || now == left) return std::nullopt;
    left = now;
  }
  Block out{name, header, {data, data + size}};
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_free(data);
  return out;
}

std::unique_ptr<BIO, Free> reader_of(const std::string& text) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace

int no_password(char*, int, int, void* asked) {
  if (asked != nullptr) *static_cast<bool*>(asked) = true;
  return -1;
}

PairCheck check_pair(const std::string& certificate, const std::string& key, const std::string& host) {
  PairCheck out;
  bool encrypted = false;
  std::unique_ptr<X509, Free> leaf(
      PEM_read_bio_X509(reader_of(certificate).get(), nullptr, no_password, &encrypted));
  std::unique_ptr<EVP_PKEY, Free> own(
      PEM_read_bio_PrivateKey(reader_of(key).get(), nullptr, no_password, &encrypted));
  if (leaf == nullptr) out.certificate_error = "its first certificate cannot be read";
  if (own == nullptr) out.key_error = encrypted ? kEncryptedKey : "its key cannot be read";
  if (leaf != nullptr && own != nullptr && X509_check_private_key(leaf.get(), own.get()) != 1)
    out.key_error = "it is not the key of the certificate";
  ERR_clear_error();
  if (leaf == nullptr) return out;
  for (std::string& wrong : std::vector{time_error(*leaf), name_error(*leaf, host)}) {
    if (!wrong.empty()) out.warnings.push_back(std::move(wrong));
  }
  return out;
}

Result<Store> trusted(std::string_view bundle) {
  constexpr std::string_view kPrefix = "unable to load root certificates: ";
  Store store(X509_STORE_new());
  // As Go does, a certificate of the bundle is trusted whoever issued it.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
  if (bundle.empty()) {
    X509_STORE_set_default_paths(store.get());
    return store;
  }
  const std::string pem(bundle);
  const auto text = reader_of(pem);
  std::string
      error;  // the first, which counts if there is no certificate: Go skips what it does not understand
  int count = 0;
  while (std::optional<Block> block = next_block(*text)) {
    if (block->name != "CERTIFICATE" || !block->header.empty()) continue;
    const unsigned char* at = block->data.data();
    const std::unique_ptr<X509, Free> one(d2i_X509(nullptr, &at, static_cast<long>(block->data.size())));
    if (one == nullptr && error.empty()) error = "failed to parse certificate: x509: malformed certificate";
    if (one == nullptr) continue;
    X509_STORE_add_cert(store.get(), one.get());
    ++count;
  }
  ERR_clear_error();
  if (count > 0) return store;
  if (error.empty()) {
    const size_t end = bundle.rfind("-----END ");
    const bool more = end == bundle.npos || bundle.find('\n', end) < bundle.size() - 1;
    error = more ? "unable to parse bytes as PEM block" : "no valid certificate authority data seen";
  }
  return Error{std::string(kPrefix) + error};
}

namespace {

void take_first(int write, int, int type, const void* data, size_t size, SSL*, void* to) {
  std::string& first = static_cast<Verification*>(to)->first;
  if (write == 0 && type == SSL3_RT_HEADER && first.empty())
    first.assign(static_cast<const char*>(data), size);
}

}  // namespace

void check_server(SSL_CTX* context, Verification& verification) {
  SSL_CTX_set1_cert_store(context, verification.roots);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_cert_verify_callback(context, verify, &verification);
  SSL_CTX_set_msg_callback(context, take_first);
  SSL_CTX_set_msg_callback_arg(context, &verification);
  // Go accepts the end of a connection without a closing alert.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
}

}  // namespace portcullis::http
