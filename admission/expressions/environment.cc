// Environments of Kubernetes' expressions: see environment.h.
#include "admission/expressions/environment.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>

#include "admission/builtin/types.h"
#include "admission/expressions/costs.h"
#include "admission/expressions/patches.h"
#include "admission/functions/libraries.h"
#include "interpreter/cel.h"
#include "interpreter/functions/call.h"
#include "interpreter/functions/libraries.h"

namespace portcullis {
namespace {

using EnvironmentPtr = std::shared_ptr<const Environment>;
using Builder = EnvironmentBuilder;

constexpr uint32_t kAlways = 0;      // upstream says 1.0
constexpr uint32_t kNever = 0xffff;  // not removed

void add_standard(Builder& b, std::string_view name, uint8_t version = 255) {
  const Library* library = find_standard_library(name);
  if (library) b.library(*library, version);
}

// A library of the language, or an option, with the minors that introduced and removed it.
struct Part {
  uint32_t introduced, removed;
  const Library* library;     // null: `standard` or `apply`
  std::string_view standard;  // the name of a library of CEL itself
  uint8_t version;
  void (*apply)(Builder&);
  // The servers whose cel-go has it: from one minor to before another.
  uint32_t first_compiler = 0, later_compiler = kNever;

  bool is_in(const KubernetesVersion& v) const {
    return introduced <= v.minor && v.minor < removed && first_compiler <= v.compiler &&
           v.compiler < later_compiler;
  }
};

constexpr uint8_t kNewest = 255;

constexpr Part library_part(uint32_t introduced, const Library& library, uint8_t version = kNewest,
                            uint32_t removed = kNever) {
  return {introduced, removed, &library, {}, version, nullptr};
}
constexpr Part library_part(uint32_t introduced, std::string_view standard, uint8_t version = kNewest,
                            uint32_t removed = kNever) {
  return {introduced, removed, nullptr, standard, version, nullptr};
}
constexpr Part library_part(uint32_t introduced, void (*apply)(Builder&)) {
  return {introduced, kNever, nullptr, {}, 0, apply};
}
constexpr Part compiled(uint32_t first, uint32_t later, Part part) {
  part.first_compiler = first;
  part.later_compiler = later;
  return part;
}

// What servers had before 1.37, whose cel-go is 0.29. The function has an implementation in no release.
constexpr Function kDroppedRows[] = {
    {.id = "int64_to_duration",
     .signature = "duration(int) -> duration",
     .call =
         [](CallContext& c, const Value*, size_t) {
           return c.error("type conversion error from 'int' to 'google.protobuf.Duration'");
         }},
};
constexpr Library kDropped{.name = "stdlib before cel-go 0.29", .functions = kDroppedRows};

// The base environment in upstream's order, which determines the order of a function's overloads.
constexpr Part kParts[] = {
    library_part(kAlways, "stdlib"),
    library_part(kAlways,
                 [](Builder& b) {
                   b.validator(kHomogeneousLiterals);
                   b.options().presence_test_cost = false;
                   b.options().run_time_presence_test_cost = false;
                   b.options().constant_folding = true;
                   b.options().named_costs = kubernetes::named_costs();
                 }),
    library_part(kAlways, kubernetes::kUrls),
    library_part(kAlways, kubernetes::kRegex),
    library_part(kAlways, kubernetes::kLists, 0, 37),
    library_part(27, kubernetes::kAuthz),
    library_part(28, [](Builder& b) { b.options().cross_type_numeric_comparisons = true; }),
    compiled(0, 29, library_part(28, "optional", 0)),
    compiled(29, 33, library_part(28, "optional", 1)),
    compiled(33, kNever, library_part(28, "optional", 2)),
    library_part(28, kubernetes::kQuantity),
    library_part(29,
                 [](Builder& b) {
                   b.validator(kDurationLiterals).validator(kTimestampLiterals).validator(kPatternLiterals);
                 }),
    library_part(kAlways, "strings", 0, 29),
    library_part(29, "strings", 2),
    library_part(29, "sets"),
    library_part(30, kubernetes::kIp),
    library_part(30, kubernetes::kCidr),
    library_part(31, kubernetes::kFormat),
    library_part(31, kubernetes::kAuthzSelectors),
    library_part(32, "two-var-comprehensions"),
    library_part(33, kubernetes::kSemver, 1),
    library_part(34, "lists", 3),
    library_part(37, kubernetes::kLists, 1),
    // What differs between releases of cel-go, whatever the compatibility version: go.mod of k8s.io/apiserver.
    compiled(0, 33, library_part(kAlways, [](Builder& b) { b.options().types_untyped_values = false; })),
    compiled(0, 37, library_part(kAlways, kDropped)),
    compiled(0, 37,
             library_part(kAlways,
                          [](Builder& b) {
                            b.options().escape_identifiers = false;
                            b.options().leading_dot_skips_locals = false;
                          })),
};

// Fails only if the tables of this program are wrong; then it aborts.
EnvironmentPtr built(Builder& builder) {
  Result<EnvironmentPtr> made = builder.build();
  if (!made.ok()) std::abort();
  return *made;
}

// The environment with all parts that were introduced and not removed.
EnvironmentPtr make_environment(const KubernetesVersion& version) {
  Builder builder;
  for (const Part& p : kParts) {
    if (!p.is_in(version)) continue;
    if (p.library != nullptr) builder.library(*p.library, p.version);
    if (!p.standard.empty()) add_standard(builder, p.standard, p.version);
    if (p.apply != nullptr) p.apply(builder);
  }
  return built(builder);
}

EnvironmentPtr build_library_test() {
  Builder builder;
  add_standard(builder, "stdlib");
  add_standard(builder, "strings", 2);
  for (const Library* library : {&kubernetes::kUrls, &kubernetes::kRegex, &kubernetes::kLists,
                                 &kubernetes::kAuthz, &kubernetes::kAuthzSelectors, &kubernetes::kQuantity}) {
    builder.library(*library);
  }
  add_standard(builder, "sets");
  for (const Library* library :
       {&kubernetes::kIp, &kubernetes::kCidr, &kubernetes::kFormat, &kubernetes::kJsonPatch}) {
    builder.library(*library);
  }
  add_standard(builder, "optional");
  add_standard(builder, "two-var-comprehensions");
  builder.library(kubernetes::kSemver);
  builder.options().presence_test_cost = false;  // for the estimate only: run time charges 1
  builder.options().named_costs = kubernetes::named_costs();
  return built(builder);
}

}  // namespace

Result<KubernetesVersion> parse_kubernetes_version(std::string_view text) {
  Error wrong = {"\"" + std::string(text) + "\" is no Kubernetes version such as 1.30"};
  std::string_view rest = text.starts_with('v') ? text.substr(1) : text;
  KubernetesVersion v;
  const char* end = rest.data() + rest.size();
  auto major = std::from_chars(rest.data(), end, v.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return wrong;
  auto minor = std::from_chars(major.ptr + 1, end, v.minor);
  if (minor.ec != std::errc() ||
      (minor.ptr != end && *minor.ptr != '.' && *minor.ptr != '-' && *minor.ptr != '+')) {
    return wrong;
  }
  return v;
}

EnvironmentPtr stored_environment() {
  static const EnvironmentPtr environment = make_environment({1, kNever - 1});
  return environment;
}

EnvironmentPtr new_environment(KubernetesVersion version) {
  constexpr uint32_t kLast = KubernetesVersion::kLast;
  static std::mutex mutex;
  static std::array<std::array<EnvironmentPtr, kLast + 1>, kLast + 1> known;  // by minor and compiler
  static std::map<std::string, EnvironmentPtr> cache;                         // by the parts
  version.minor = version.major > 1 ? kLast : version.major < 1 ? 0 : std::min(version.minor, kLast);
  version.compiler = std::min(version.compiler, kLast);
  std::lock_guard lock(mutex);
  EnvironmentPtr& found = known[version.minor][version.compiler];
  if (found) return found;
  std::string parts;
  for (const Part& p : kParts) parts += p.is_in(version) ? '+' : '-';
  EnvironmentPtr& made = cache[parts];
  if (!made) made = make_environment(version);
  return found = made;
}

EnvironmentPtr library_test_environment() {
  static const EnvironmentPtr environment = build_library_test();
  return environment;
}

void add_patch_types(EnvironmentBuilder& builder) {
  builder.provider(patch_types());
  builder.library(kubernetes::kJsonPatch);
}

void add_policy_variables(EnvironmentBuilder& builder, const PolicyVariables& declared) {
  const TypeProvider* provider = admission_types();
  builder.provider(provider);
  builder.variable("object", types::kDyn);
  builder.variable("oldObject", types::kDyn);
  builder.variable("namespaceObject", provider->find_struct(kNamespaceType));
  builder.variable("request", provider->find_struct(kRequestType));
  if (declared.params) builder.variable("params", types::kDyn);
  if (declared.authorizer) {
    builder.variable("authorizer", builder.types().structure(kAuthorizerType));
    builder.variable("authorizer.requestResource", builder.types().structure(kResourceCheckType));
  }
  if (declared.patch_types) add_patch_types(builder);
}

std::optional<uint32_t> minor_of_function(std::string_view name) {
  for (uint32_t minor = KubernetesVersion::kFirst; minor <= KubernetesVersion::kLast; minor++) {
    EnvironmentPtr environment = new_environment({1, minor});
    if (environment->find_function(name)) return minor;
  }
  return std::nullopt;
}

std::optional<uint32_t> minor_of_expression(std::string_view text,
                                            const std::function<void(EnvironmentBuilder&)>& declare,
                                            uint32_t from) {
  for (uint32_t minor = std::max(from, KubernetesVersion::kFirst); minor <= KubernetesVersion::kLast;
       minor++) {
    EnvironmentBuilder builder(new_environment({1, minor}));
    if (declare) declare(builder);
    Result<EnvironmentPtr> environment = builder.build();
    if (environment.ok() && compile(text, *environment).ok()) return minor;
  }
  return std::nullopt;
}

std::string explain_missing_function(std::string_view error, KubernetesVersion version) {
  constexpr std::string_view kBefore = "undeclared reference to '";
  for (size_t at; (at = error.find(kBefore)) != error.npos;) {
    error.remove_prefix(at + kBefore.size());
    std::string_view name = error.substr(0, error.find('\''));
    std::optional<uint32_t> minor = minor_of_function(name);
    if (!minor || KubernetesVersion{1, *minor} <= version) continue;
    return "`" + std::string(name) + "` needs Kubernetes 1." + std::to_string(*minor);
  }
  return {};
}

}  // namespace portcullis
