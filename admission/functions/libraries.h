// The Kubernetes CEL libraries, and their opaque values.
//
// Idea: each file has one table of rows (lists.cc, regex.cc, url.cc, authz.cc, quantity.cc, ip.cc, cidr.cc,
// format.cc, semver.cc, jsonpatch.cc). Only admission/expressions/environment.cc says which version of
// Kubernetes has which library. Source of behaviour: k8s.io/apiserver pkg/cel/library. Tested by
// admission/expressions/environment_test.cc, the conformance tables, and against the oracle.
#pragma once

#include <span>
#include <string_view>

#include "admission/authorization/authorizer.h"
#include "interpreter/values/value.h"
#include "typecheck/function.h"

namespace portcullis::kubernetes {

extern const Library kLists;           // "kubernetes.lists", versions 0 and 1
extern const Library kRegex;           // "kubernetes.regex"
extern const Library kUrls;            // "kubernetes.urls"
extern const Library kAuthz;           // "kubernetes.authz"
extern const Library kAuthzSelectors;  // "kubernetes.authzSelectors"
extern const Library kQuantity;        // "kubernetes.quantity"
extern const Library kIp;              // "kubernetes.net.ip"
extern const Library kCidr;            // "kubernetes.net.cidr"
extern const Library kFormat;          // "kubernetes.format"
extern const Library kSemver;          // "kubernetes.Semver", versions 0 and 1
extern const Library kJsonPatch;       // "kubernetes.jsonpatch"

// All of the above, for documentation and tests.
std::span<const Library* const> libraries();

// Values made of texts outside of expressions (batch requests, defaults). Each function returns what the CEL
// function (`quantity(text)` and so on) returns, or an error value. The value lives in the arena; `text` need
// not outlive the call.
Value quantity_value(Arena& arena, std::string_view text);
Value ip_value(Arena& arena, std::string_view text);
Value cidr_value(Arena& arena, std::string_view text);
Value semver_value(Arena& arena, std::string_view text);
Value url_value(Arena& arena, std::string_view text);

}  // namespace portcullis::kubernetes

namespace portcullis {

// The CEL values of `authorizer` and `authorizer.requestResource`. They refer to `authorizer` and to everything in
// `user`. `authorizer` null: it has no opinion.
Value authorizer_value(Arena& arena, const Authorizer* authorizer, const UserInfo& user);
struct CheckedResource {
  std::string_view group, resource, subresource, namespace_name, name;
};
Value resource_check_value(Arena& arena, const Authorizer* authorizer, const UserInfo& user,
                           const CheckedResource& resource);

}  // namespace portcullis
