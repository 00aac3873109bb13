// The request that --subresource makes of a manifest.
//
// Idea: without a subresource, an object goes to the resource of its kind. With one it is a body, and the
// table of served resources (resources.h) says which resources take it. A name alone suffices if there is one
// such resource; RESOURCE/NAME selects one of several (deployments/scale, deployments.apps/scale,
// deployments.v1.apps/scale). A request that no server takes is an error that names what is taken. Limits:
// subresources of undefined kinds are unknown; the given one is assumed to exist. Tested by
// tests/cli/subresource.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manifests/resources.h"

namespace portcullis {

// The resource for an object. Views live as long as the definitions, the word and the kind.
struct Route {
  Served served = {};
  bool assumed = false;    // no table or definition has this subresource
  std::string error = {};  // if not empty, there is no such request
  std::string hint = {};   // may be empty
};

class Routes {
 public:
  // `word`: the value of --subresource, may be empty. Both arguments must outlive the routes.
  Routes(const Resources& resources, std::string_view word);

  // Why the word is malformed; empty if it is not.
  static std::string misuse(std::string_view word);

  // The request that takes an object of a kind.
  Route find(const Resource& kind) const;
  // The subresources that take `operation` on a resource that does not: "--subresource exec or proxy"; may be
  // empty.
  std::string others_taking(Operation operation, const Served& resource) const;
  // Whether a known resource lacks a subresource.
  bool lacks(const GroupVersionResource& resource, std::string_view subresource) const;

 private:
  using Rows = std::vector<const Served*>;
  Route plain(const Resource& kind) const;
  Route of_kind(const Resource& kind) const;
  Route of_parent(const Resource& kind) const;
  Route guessed(const Resource& kind) const;
  Route of_stranger(const Resource& kind) const;
  static Route choose(const Rows& fitting, const Resource& kind);
  Route refuse_name(const Served& resource) const;

  const Resources& resources_;
  std::string_view parent_, name_;  // RESOURCE/NAME; the first may be empty
  std::vector<Served> all_;
};

}  // namespace portcullis
