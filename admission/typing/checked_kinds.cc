#include "admission/typing/checked_kinds.h"

#include <algorithm>
#include <string>
#include <vector>

#include "admission/objects/request.h"
#include "admission/scalars/group_version.h"

namespace portcullis {
namespace {

std::vector<std::string> texts(const Data& list) {
  std::vector<std::string> out;
  for (const Data& d : list.items) out.emplace_back(d.text);
  return out;
}

// The groups or versions of a rule, sorted; empty if they include a wildcard.
std::vector<std::string> without_wildcards(const Data& list) {
  std::vector<std::string> out = texts(list);
  for (const std::string& t : out) {
    if (t.find('*') != t.npos) return {};
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> plain_resources(const Data& list) {
  std::vector<std::string> out = texts(list);
  std::erase_if(out, [](const std::string& t) { return t.find_first_of("*/") != t.npos; });
  std::sort(out.begin(), out.end());
  return out;
}

// A set of operations (operation_bit): those of a rule; all if it names none that there is.
uint8_t operations_of(const Data& rule) {
  uint8_t all = 0, named = 0;
  for (Operation o : kAllOperations) {
    all |= operation_bit(o);
    for (const Data& name : rule["operations"].items) {
      if (name.text == "*" || name.text == operation_name(o)) named |= operation_bit(o);
    }
  }
  return named == 0 ? all : named;
}

// Whether a list of a rule has the name or a wildcard. Of a resource its name counts, whatever its subresource.
bool has_name(const Data& list, std::string_view name) {
  for (const Data& item : list.items) {
    const std::string_view has = split_resource(item.text).resource;
    if (has == "*" || has == name) return true;
  }
  return false;
}

// The operations of all rules that are about the resource, also by wildcards.
uint8_t operations_for(const Data& spec, std::string_view group, std::string_view version,
                       std::string_view resource) {
  uint8_t out = 0;
  for (const Data& rule : spec["matchConstraints"]["resourceRules"].items) {
    if (has_name(rule["apiGroups"], group) && has_name(rule["apiVersions"], version) &&
        has_name(rule["resources"], resource))
      out |= operations_of(rule);
  }
  return out;
}

}  // namespace

CheckedKinds kinds_to_check(const Data& spec, const SchemaCatalog& catalog, bool all) {
  CheckedKinds found;
  for (const Data& rule : spec["matchConstraints"]["resourceRules"].items) {
    auto resources = plain_resources(rule["resources"]);
    auto versions = without_wildcards(rule["apiVersions"]);
    int count = 0;
    for (const std::string& group : without_wildcards(rule["apiGroups"])) {
      for (const std::string& version : versions) {
        for (const std::string& resource : resources) {
          for (const KindId& kind : catalog.kinds_for(group, version, resource, all)) {
            found[kind] |= operations_for(spec, group, version, resource);
            if (++count == kMaxTypesToCheck) return found;
          }
        }
      }
    }
  }
  return found;
}

}  // namespace portcullis
