#include "admission/builtin/slices.h"

#include <set>
#include <string_view>

#include "admission/builtin/access.h"
#include "admission/builtin/encode.h"
#include "admission/builtin/updates.h"
#include "admission/scalars/names.h"

namespace portcullis::builtin {
namespace {

constexpr std::string_view kTopology = "deprecatedTopology";

// The name of the node in the topology of an endpoint; empty if there is none.
std::string_view node_of(Object& endpoint) {
  const Value* topology = find(endpoint, kTopology);
  if (topology == nullptr || !topology->is(Kind::Map)) return {};
  return access::text(find_key(*topology, Value::string("kubernetes.io/hostname")));
}

void drop_topology(Object& slice, const std::set<std::string_view>& nodes) {
  each_item(slice, "endpoints", [&](Object& endpoint) {
    const std::string_view node = node_of(endpoint);
    if (nodes.contains(node) && !has(endpoint, "nodeName") && names::dns1123_subdomain(node).empty())
      set(endpoint, "nodeName", Value::string(node));
    set(endpoint, kTopology, absent());
  });
}

}  // namespace

void fill_slice(const Filling&, Object& slice) { drop_topology(slice, {}); }

void keep_slice(const Filling& with, Object& slice, Object& stored) {
  const Value now = encode(with.arena, slice), was = encode(with.arena, stored);
  const Value endpoints = Value::string("endpoints");
  if (semantically_equal(find_key(now, endpoints), find_key(was, endpoints))) return;
  std::set<std::string_view> nodes;
  each_item(stored, "endpoints", [&](Object& endpoint) {
    if (const std::string_view node = node_of(endpoint); !node.empty()) nodes.insert(node);
  });
  drop_topology(slice, nodes);
}

}  // namespace portcullis::builtin
