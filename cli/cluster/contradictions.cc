// See contradictions.h.
#include "cli/cluster/contradictions.h"

#include <array>
#include <map>
#include <optional>

#include "admission/authorization/rbac.h"
#include "admission/builtin/surroundings.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "manifests/missing_params.h"
#include "manifests/namespaces.h"
#include "manifests/place.h"
#include "manifests/resources.h"

namespace portcullis {
namespace {

using Identity = std::array<std::string_view, 4>;

// What policies, bindings and webhooks look at.
class Looks {
 public:
  bool labels = false;      // of namespaces
  bool namespaces = false;  // as wholes
  bool authorizer = false;

  explicit Looks(const ReviewCluster& cluster) {
    for (const auto* list : {&cluster.policies(), &cluster.bindings(), &cluster.configurations()}) {
      for (const InputObject* o : *list) {
        labels |= sees_namespaces(o->value);
        const std::string text = to_json(o->value);
        namespaces |= text.find("namespaceObject") != text.npos;
        authorizer |= !authorizer_use(o->value).empty();
      }
    }
    for (const InputObject* b : cluster.bindings()) {
      if (const auto p = params_of(cluster, *b))
        takers_[{p->group, p->kind, p->name_space, p->name}].push_back(b);
    }
  }

  // Calls `visit` with each list of bindings that take the object as a param, at whatever version.
  template <class Do>
  void each_takers(const InputObject& o, Do visit) {
    for (std::string_view space : {o.namespace_name, std::string_view()}) {
      for (std::string_view name : {o.name, std::string_view()}) {
        if (const auto found = takers_.find({o.group(), o.kind, space, name}); found != takers_.end())
          visit(found->second);
      }
    }
  }

 private:
  // By the group, kind, namespace and name that their paramRef wants; the last two may be empty: any.
  std::map<Identity, std::vector<const InputObject*>> takers_;
};

// The parts of an object that decide, and what a message calls them; nothing if nobody looks at it.
struct Aspect {
  std::string_view name;
  Value value;
};

Value metadata_of(const Value& object, std::string_view member) {
  const Value* metadata = find_member(object, "metadata");
  const Value* found = metadata == nullptr ? nullptr : find_member(*metadata, member);
  return found == nullptr ? Value() : *found;
}

std::optional<Aspect> aspect_of(const InputObject& o, Looks& looks, Arena& arena) {
  constexpr std::string_view kContent = "other content";
  // The object with one part of its metadata, the only one that decides.
  const auto with = [&](std::string_view member) {
    const Value whole = without_member(arena, o.value, "metadata");
    return Aspect{kContent, with_member(arena, whole, "metadata", metadata_of(o.value, member))};
  };
  switch (role_of(o)) {
    case Role::Namespace:
      if (looks.namespaces) return Aspect{kContent, o.value};
      if (looks.labels) return Aspect{"other labels", metadata_of(o.value, "labels")};
      return std::nullopt;
    case Role::Definition: return Aspect{"another spec", *find_member(o.value, "spec")};
    case Role::Other: break;
    default: return std::nullopt;
  }
  bool taken = false;
  looks.each_takers(o, [&](const auto&) { taken = true; });
  if (taken) return Aspect{kContent, o.value};
  if (RbacAuthorizer::is_rbac(o.value))
    return looks.authorizer ? std::optional(with("labels")) : std::nullopt;
  if (builtin::Surroundings::reads(o.value)) return with("annotations");
  return std::nullopt;
}

struct Copies {
  size_t use = 0;
  std::vector<const InputObject*> objects = {};
};

}  // namespace

std::string Contradictions::Found::text() const {
  const std::string space(counts->namespace_name);
  return "another " + std::string(counts->kind) + " " + (space.empty() ? "" : space + "/") +
         std::string(counts->name) + " is at " + place_text(other->file->name, other->locate("")) + " with " +
         std::string(with) + (others > 1 ? ", one of " + std::to_string(others) : "") +
         "; this one, the last, counts";
}

Contradictions::Contradictions(const ReviewCluster& cluster) {
  std::map<Identity, Copies> known;
  size_t use = 0;
  for (const auto* list : {&cluster.reviewed(), &cluster.former(), &cluster.held()}) {
    use++;
    for (const InputObject* o : *list) {
      Identity identity{o->api_version, o->kind, o->namespace_name, o->name};
      if (role_of(*o) == Role::Definition) {
        if (list == &cluster.former() || !defines_kind(o->value)) continue;
        const DefinedResource resource = DefinedResource::of(o->value);
        if (list == &cluster.reviewed() && o->name != resource.name()) continue;  // counts for nothing
        identity = {o->group(), o->kind, resource.group, resource.plural};
      } else if (o->name.empty()) {
        continue;
      }
      Copies& copies = known[identity];
      if (copies.use < use) copies = {use};
      copies.objects.push_back(o);
    }
  }
  std::erase_if(known, [](const auto& entry) { return entry.second.objects.size() < 2; });
  if (known.empty()) return;
  Looks looks(cluster);
  std::map<const InputObject*, Found> found;
  for (auto& [identity, copies] : known) {
    Arena arena;
    std::erase_if(copies.objects, [](const InputObject* o) { return !decodes(*o, true); });
    if (copies.objects.size() < 2) continue;
    const InputObject* last = copies.objects.back();
    Found f{.counts = last, .other = nullptr, .others = 0, .with = {}};
    const std::optional<Aspect> mine = aspect_of(*last, looks, arena);
    for (const InputObject* o : copies.objects) {
      const std::optional<Aspect> its = mine && o != last ? aspect_of(*o, looks, arena) : std::nullopt;
      if (!its || same_data(mine->value, its->value)) continue;
      f.other = o;
      f.others++;
      f.with = mine->name;
    }
    if (f.other != nullptr) found.emplace(last, f);
  }
  for (const InputObject* o : cluster.others()) {
    const auto it = found.find(o);
    if (it == found.end()) continue;
    all_.push_back(it->second);
    learn(*o);
    looks.each_takers(*o, [&](std::vector<const InputObject*>& bindings) {
      for (const InputObject* b : bindings) bindings_[is_mutating(*b)].insert(b->name);
      bindings.clear();  // known for all their params
    });
  }
}

// What verdicts may rest on the object.
void Contradictions::learn(const InputObject& o) {
  if (role_of(o) == Role::Namespace) namespaces_.insert(o.name);
  if (role_of(o) == Role::Definition) {
    const Value& spec = *find_member(o.value, "spec");
    definitions_.insert({text_member(spec, "group"), text_member(*find_member(spec, "names"), "kind")});
  }
  roles_ |= RbacAuthorizer::is_rbac(o.value);
}

}  // namespace portcullis
