// Which request --subresource makes of a manifest.
//
// Idea: without a subresource an object goes to the resource of its kind. With one it is a body, and the table of
// what is served (resources.h) tells which resources take such a body there: a name alone is enough where that is
// one resource, RESOURCE/NAME says which where it is several (deployments/scale, deployments.apps/scale,
// deployments.v1.apps/scale). What no server takes is an error that names what is taken.
// Limits: of kinds without a definition nobody knows the subresources; such a one is taken to exist.
// Tested by tests/cli/subresource.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifests/resources.h"

namespace portcullis {

// Where an object goes. Views live as long as the definitions, the word and the kind that was asked about.
struct Route {
  Served served = {};
  bool assumed = false;    // no table and no definition tells this subresource
  std::string error = {};  // not empty: there is no such request
  std::string hint = {};   // may be empty
};

class Routes {
 public:
  // `word`: what --subresource gives, may be empty. Both must outlive the routes.
  Routes(const Resources& resources, std::string_view word);

  // What is wrong with the form of such a word; empty if nothing.
  static std::string misuse(std::string_view word);

  // The request that takes an object of a kind.
  Route find(const Resource& kind) const;
  // What takes `operation` on a resource whose own requests do not: "--subresource exec or proxy"; may be empty.
  std::string others_taking(Operation operation, const Served& resource) const;
  // Whether a resource that is known lacks a subresource.
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
