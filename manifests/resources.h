// Which resource a kind is: plural, scope, versions.
//
// Idea: a manifest names its kind, policies match resources; the API server knows both sides by discovery, we
// know them from a table of the built-in kinds, from the CustomResourceDefinitions that were given, or else
// by guessing, which callers tell the user. Of
// the groups that Kubernetes owns, and of kinds that are defined, we also know which kinds and versions
// there are not. What to say of a kind is in kind_words.h.
// Limits: aggregated APIs are unknown. Tested by manifests/resources_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/admission.h"
#include "interpreter/values/value.h"
#include "manifests/served.h"

namespace portcullis {

// Whether a server has a kind at a version.
enum class Availability : uint8_t {
  Served,
  OffByDefault,  // alpha and beta versions, which a cluster serves only if it is told to
  Gone,          // served once, by releases before 1.`gone`
  Absent,        // of a group or a definition that is known, and there is no such kind or version
  Guessed,       // nobody says that there is such a kind; plural and scope are guesses
};

struct Resource {
  std::string group, version, kind, plural;
  bool namespaced = true;
  Availability availability = Availability::Guessed;
  uint32_t gone = 0;
  bool exists() const { return availability != Availability::Gone && availability != Availability::Absent; }
};

// Whether a version of a built-in kind is one that a cluster serves only if told to.
bool off_by_default(std::string_view version);

// "apps/v1", or "v1" of the core group: what split_api_version() takes apart.
std::string join_api_version(std::string_view group, std::string_view version);

class Resources {
 public:
  // The release that serves, where another than the newest is asked for: then versions that are gone since
  // are still there.
  void set_minor(uint32_t minor) { minor_ = minor; }

  // Adds the kinds of a CustomResourceDefinition object. False if it is not one that can be read.
  bool add_definition(const Value& definition);

  // What is known of kinds that are else guessed: the scope of one, and names of resources in a group
  // ("*": any), one of which may be its plural.
  void set_scope(std::string_view group, std::string_view kind, bool namespaced);
  // Whether a kind that is else guessed is namespaced, if that is known.
  std::optional<bool> known_scope(std::string_view group, std::string_view kind) const;
  void add_name(std::string_view group, std::string_view resource);

  // The resource of a kind.
  Resource find(std::string_view api_version, std::string_view kind) const;

  // Resources that are the same objects at several versions, for matchPolicy Equivalent.
  std::vector<std::vector<EquivalentResource>> equivalents() const;

  // The scope of every kind that is known, for params.
  std::vector<ParamKindInfo> kinds() const;

  // Everything that is served: each resource, its subresources behind it, at each version. Views live as long
  // as the definitions.
  std::vector<Served> served() const;

  // Resources that Kubernetes served once, at versions that are gone since release 1.`gone`.
  struct Former {
    std::string_view group, version, kind;
    std::string plural;
    bool namespaced = true;
    uint32_t gone = 0;
    bool served = false;  // the release that serves is older
  };
  static std::vector<Former> former(uint32_t minor);

  // The release that serves: 1.`minor`, or the newest that is known.
  uint32_t minor() const { return minor_; }

  // Whether a definition of the group was given.
  bool defines_group(std::string_view group) const;

  // Whether all kinds of a group are known: Kubernetes owns it, or no CustomResourceDefinition can have it.
  static bool is_closed(std::string_view group);

 private:
  struct Definition {
    std::string group, kind, plural;
    bool namespaced;
    std::vector<std::string> versions;
    std::vector<std::string> with_status, with_scale;  // versions that have the subresource
  };
  std::string plural_of(std::string_view group, std::string_view kind) const;

  std::vector<Definition> definitions_;
  std::map<std::pair<std::string, std::string>, bool> scopes_;  // by group and kind
  std::vector<std::pair<std::string, std::string>> names_;      // group, resource
  uint32_t minor_ = UINT32_MAX;
};

}  // namespace portcullis
