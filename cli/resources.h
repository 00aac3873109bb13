// Which resource a kind is: plural, scope, versions.
//
// Idea: a manifest names its kind, policies match resources; the API server knows both sides by discovery, we
// know them from a table of the built-in kinds, from the CustomResourceDefinitions that were given, or else
// by guessing as Kubernetes itself does (meta.UnsafeGuessKindToResource), which callers tell the user.
// Limits: aggregated APIs are unknown. Tested by cli/resources_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "cli/served.h"
#include "interpreter/value.h"

namespace portcullis {

struct Resource {
  std::string group, version, kind, plural;
  bool namespaced = true;
  enum class Source { BuiltIn, Definition, Guessed } source = Source::Guessed;
  // For built-in groups: the version is one that the release serves.
  bool served = true;
};

// Splits "apps/v1" and "v1".
void split_api_version(std::string_view api_version, std::string_view& group, std::string_view& version);

class Resources {
 public:
  // Adds the kinds of a CustomResourceDefinition object. False if it is not one that can be read.
  bool add_definition(const Value& definition);

  // The resource of a kind. `in_namespace`: the object names a namespace, which decides the
  // scope of guessed kinds.
  Resource find(std::string_view api_version, std::string_view kind, bool in_namespace) const;

  // Resources that are the same objects at several versions, for matchPolicy Equivalent.
  std::vector<std::vector<EquivalentResource>> equivalents() const;

  // The scope of every kind that is known, for params.
  std::vector<ParamKindInfo> kinds() const;

  // Everything that is served: each resource, its subresources behind it, at each version. Views live as long
  // as the definitions.
  std::vector<Served> served() const;

 private:
  struct Definition {
    std::string group, kind, plural;
    bool namespaced;
    std::vector<std::string> versions;
    std::vector<std::string> with_status, with_scale;  // versions that have the subresource
  };
  std::vector<Definition> definitions_;
};

}  // namespace portcullis
