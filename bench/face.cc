// See face.h.
#include "bench/face.h"

#include "bench/input.h"
#include "interpreter/values/json.h"

namespace portcullis::bench {

std::shared_ptr<const v1::Engine> five_behind_the_face() {
  Arena arena;
  const Cluster cluster = five_policies(arena);
  v1::Manifests manifests;
  for (const auto* list : {&cluster.policies, &cluster.bindings, &cluster.namespaces}) {
    for (const Value& object : *list) manifests.add(to_json(object));
  }
  return v1::Engine::load(manifests).engine;
}

v1::Request pod_request(const v1::Value& pod) {
  v1::Request request;
  request.kind = {"", "v1", "Pod"};
  request.resource = {"", "v1", "pods"};
  request.name = "web-1";
  request.namespace_name = "prod";
  request.object = pod;
  request.user.username = "dev";
  return request;
}

}  // namespace portcullis::bench
