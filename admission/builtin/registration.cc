#include "admission/builtin/registration.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "admission/builtin/access.h"
#include "admission/builtin/defaults.h"
#include "admission/builtin/repeated.h"
#include "admission/builtin/type_meta.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

constexpr ApiKind kApiKinds[] = {
    {"ValidatingAdmissionPolicy", "validatingadmissionpolicies", ApiKind::Sort::Policy},
    {"ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", ApiKind::Sort::Binding},
    {"MutatingAdmissionPolicy", "mutatingadmissionpolicies", ApiKind::Sort::Policy},
    {"MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", ApiKind::Sort::Binding},
    {"ValidatingWebhookConfiguration", "validatingwebhookconfigurations", ApiKind::Sort::Configuration},
    {"MutatingWebhookConfiguration", "mutatingwebhookconfigurations", ApiKind::Sort::Configuration},
};
constexpr std::string_view kVersions[] = {"v1", "v1beta1", "v1alpha1"};
constexpr std::string_view kDecodedVersion = "admissionregistration.k8s.io/v1";

Decoded failed(std::string error) {
  Decoded out;
  out.error = std::move(error);
  return out;
}

// The answer for an object of any other kind.
Decoded unknown_kind(std::string_view kind, std::string_view api_version, bool our_version) {
  constexpr std::string_view kList = "List";
  if (our_version && kind.ends_with(kList) && find_api_kind(kind.substr(0, kind.size() - kList.size()))) {
    Decoded out;
    out.unsupported = kind_text(api_version, kind) + " is not a kind that can be validated";
    return out;
  }
  if (our_version && std::ranges::find(kKindsOfAllGroups, kind) != std::end(kKindsOfAllGroups)) {
    return failed(
        fmt::format("no kind \"{}\" is registered for the internal version of group \"{}\" in scheme {}",
                    kind, kRegistrationGroup, builtin::kSchemeName));
  }
  return failed(builtin::not_registered(kind, api_version));
}

// The unknown and duplicate fields, each once, up to the limit.
std::vector<builtin::UnknownField> reported(std::vector<builtin::UnknownField> all) {
  std::set<std::pair<std::string, bool>> seen;
  std::erase_if(all,
                [&](const builtin::UnknownField& f) { return !seen.emplace(f.path, f.repeated).second; });
  if (all.size() > kMaxStrictErrors) all.resize(kMaxStrictErrors);
  return all;
}

// `text`: makes the JSON text of the object.
template <class Text>
Decoded decode_registered(Arena& arena, const Value& object, builtin::DecodeOptions options, Text text) {
  const builtin::TypeMeta meta = builtin::read_type_meta(object);
  if (!meta.error.empty()) return failed(meta.error);
  const auto [group, version, kind] = static_cast<const GroupVersionKind&>(meta);
  if (kind.empty()) return failed(builtin::missing_member("Kind", text()));
  if (version.empty()) return failed(builtin::missing_member("apiVersion", text()));

  const std::string api_version = join_api_version(group, version);
  const bool ours =
      group == kRegistrationGroup && std::ranges::find(kVersions, version) != std::end(kVersions);
  const ApiKind* found = find_api_kind(kind);
  const builtin::StructRow* row = ours && found ? builtin::find_kind(api_version, kind) : nullptr;
  if (row == nullptr) return unknown_kind(kind, api_version, ours);
  Decoded out;
  out.kind = found;
  options.unknown = &out.strict;
  builtin::Decoded made = builtin::decode(arena, *row, object, options);
  out.strict = reported(std::move(out.strict));
  out.error = std::move(made.error);
  out.error_place = std::move(made.error_path);
  builtin::apply_defaults(arena, *made.object, {});
  builtin::set(*made.object, "apiVersion", Value::string(kDecodedVersion));
  builtin::set(*made.object, "kind", Value::string(found->kind));
  out.data = Data(*made.object);
  return out;
}

}  // namespace

const std::span<const ApiKind> api_kinds = kApiKinds;

const ApiKind* find_api_kind(std::string_view kind) {
  const ApiKind* found = std::ranges::find(kApiKinds, kind, &ApiKind::kind);
  return found == std::end(kApiKinds) ? nullptr : found;
}

Decoded decode_object(Arena& arena, const Document& object) {
  builtin::DecodeOptions options;
  const Value value = builtin::read_repeated(arena, object, options);
  return decode_registered(arena, value, options, [&] { return object.raw; });
}

Decoded decode_object(Arena& arena, const Value& object) {
  return decode_registered(arena, object, {}, [&] { return to_json(object); });
}

}  // namespace portcullis
