// The opaque values of the Kubernetes libraries: quantities, addresses, URLs, formats and so on.
//
// Idea: each class has one struct, derived from Opaque so that rows can take it as a parameter. Classes are
// compared by address. Only the functions of this folder and the cost table use this header; other code uses
// libraries.h. Tested as libraries.h is.
#pragma once

#include "admission/scalars/quantity.h"
#include "admission/scalars/semver.h"
#include "admission/scalars/url.h"
#include "interpreter/formats/netip.h"
#include "interpreter/values/value.h"

namespace portcullis::kubernetes {

struct QuantityValue : Opaque {
  Quantity quantity;
};
struct IpValue : Opaque {
  netip::Address address;
};
struct CidrValue : Opaque {
  netip::Prefix prefix;
};
struct SemverValue : Opaque {
  Semver version;
};
struct UrlValue : Opaque {
  Url url;
};
struct FormatValue : Opaque {
  std::string_view name;           // in expressions: "dns1123Label"
  std::string_view internal_name;  // compared by `==`: "DNS1123Label"
  uint32_t regex_size;             // for costs
  // Whether `text` has the format. If not, sets `messages` to the errors, in the arena.
  bool (*validate)(std::string_view text, Arena& arena, std::span<const Value>& messages);
};

extern const OpaqueClass kQuantityClass;
// The class of results of add() and sub(), which are pointers in upstream: `x == y` is an error if y is one.
extern const OpaqueClass kQuantityResultClass;
extern const OpaqueClass kIpClass;
extern const OpaqueClass kCidrClass;
extern const OpaqueClass kSemverClass;
extern const OpaqueClass kUrlClass;
extern const OpaqueClass kFormatClass;
// The classes of admission/functions/authz.cc.
extern const OpaqueClass kAuthorizerClass, kPathCheckClass, kGroupCheckClass, kResourceCheckClass,
    kDecisionClass;

// The operand if it has this class, else null.
template <class T>
const T* as(const Value& v, const OpaqueClass& cls) {
  return v.is(Kind::Opaque) && v.as_opaque().cls == &cls ? static_cast<const T*>(&v.as_opaque()) : nullptr;
}

// The result of `==` between an opaque value and a value of another class.
inline Value no_such_overload(Arena& arena) { return make_error(arena, "no such overload"); }

}  // namespace portcullis::kubernetes
