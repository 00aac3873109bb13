// Resources: maps a kind to its resource: plural, scope, versions.
//
// Idea: a manifest names its kind, but policies match resources. The API server knows both from discovery.
// Here they come from a table of the built-in kinds, from given CustomResourceDefinitions, or from a guess,
// which callers report to the user. For the groups that Kubernetes owns, and for defined kinds, it is also
// known which kinds and versions do not exist. Messages about kinds are in kind_words.h. Limits: aggregated
// APIs are unknown. Tested by manifests/resources_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/admission.h"
#include "admission/scalars/group_version.h"
#include "interpreter/values/value.h"
#include "manifests/served.h"

namespace portcullis {

// Whether a server has a kind at a version.
enum class Availability : uint8_t {
  Served,
  OffByDefault,  // alpha and beta versions, which a cluster serves only if configured
  Gone,          // served by releases before 1.`gone`
  Absent,        // no such kind or version in a group or definition that is known
  Guessed,       // unknown; plural and scope are guesses
};

struct Resource {
  std::string group, version, kind, plural;
  bool namespaced = true;
  Availability availability = Availability::Guessed;
  uint32_t gone = 0;
  bool exists() const { return availability != Availability::Gone && availability != Availability::Absent; }
};

// Whether a cluster serves this version of a built-in kind only if configured.
bool off_by_default(std::string_view version);

// Whether a CustomResourceDefinition says of which kind it is: a patch of one does not.
bool defines_kind(const Value& definition);

// The resource that such a definition defines. A server takes the definition only if it is named name().
struct DefinedResource {
  std::string_view group, plural;
  static DefinedResource of(const Value& definition);
  std::string name() const { return std::string(plural) + "." + std::string(group); }
  auto operator<=>(const DefinedResource&) const = default;
};

class Resources {
 public:
  // Selects an older release than the newest: versions removed since then are served.
  void set_minor(uint32_t minor) { minor_ = minor; }

  // Adds the kinds of a CustomResourceDefinition object; it replaces one of the same group and plural. False if it
  // cannot be read.
  bool add_definition(const Value& definition);

  // Adds knowledge about kinds that are otherwise guessed: the scope of a kind, and names of resources in a
  // group ("*": any group), which may be plurals.
  void set_scope(std::string_view group, std::string_view kind, bool namespaced);
  // The scope of a kind that is otherwise guessed, if it is known: true if namespaced.
  std::optional<bool> known_scope(std::string_view group, std::string_view kind) const;
  void add_name(std::string_view group, std::string_view resource);

  // The resource of a kind.
  Resource find(std::string_view api_version, std::string_view kind) const;

  // Resources that are versions of the same objects, for matchPolicy Equivalent. Those of a definition contain versions
  // that are not served: the API server converts to them, too. Even a single one tells an API server's newer versions
  // what they are versions of.
  std::vector<std::vector<EquivalentResource>> equivalents() const;

  // All known kinds with their scopes, for params.
  std::vector<ParamKindInfo> kinds() const;

  // All served resources at each version, each followed by its subresources. Views live as long as the
  // definitions.
  std::vector<Served> served() const;

  // Resources that Kubernetes served before release 1.`gone`.
  struct Former {
    std::string_view group, version, kind;
    std::string plural;
    bool namespaced = true;
    uint32_t gone = 0;
    bool served = false;  // the selected release still serves it
  };
  static std::vector<Former> former(uint32_t minor);

  // The selected release: 1.`minor`, by default the newest.
  uint32_t minor() const { return minor_; }

  // Whether a definition of the group was given.
  bool defines_group(std::string_view group) const;

  // Whether all kinds of a group are known: Kubernetes owns the group, or no CustomResourceDefinition can
  // have it.
  static bool is_closed(std::string_view group);

 private:
  struct Definition {
    std::string group, kind, plural, list_kind;
    bool namespaced;
    bool by_webhook;  // whether a webhook converts objects between its versions
    struct Version {
      std::string name;
      bool served = true, has_status = false, has_scale = false;  // the subresources of this version
    };
    std::vector<Version> versions;
  };
  std::string plural_of(std::string_view group, std::string_view kind) const;

  std::vector<Definition> definitions_;
  std::map<std::pair<std::string, std::string>, bool> scopes_;  // by group and kind
  std::vector<std::pair<std::string, std::string>> names_;      // group, resource
  uint32_t minor_ = UINT32_MAX;
};

}  // namespace portcullis
