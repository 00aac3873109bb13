#include "admission/builtin/system_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "admission/builtin/access.h"
#include "admission/builtin/conversion.h"
#include "admission/builtin/encode.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis::builtin {
namespace {

constexpr std::string_view kWiped[] = {"uid", "creationTimestamp", "deletionTimestamp",
                                       "deletionGracePeriodSeconds", "selfLink"};

// All members of an owner in one text. Absent members, null and empty texts are the same.
std::string owner_key(const Value& owner) {
  std::string key;
  for (std::string_view name : {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}) {
    const Value* member = find_member(owner, name);
    if (member != nullptr && !member->is_null() && !(member->is(Kind::String) && member->size() == 0))
      key += to_json(*member);
    key += ',';
  }
  return key;
}

}  // namespace

Value without_system_fields(Arena& arena, const Value& metadata) {
  const auto is_wiped = [](const MapEntry& e) {
    return std::ranges::find(kWiped, e.key.as_text()) != std::end(kWiped);
  };
  if (!metadata.is(Kind::Map) || std::ranges::none_of(metadata.as_map(), is_wiped)) return metadata;
  MapEntry* entries = alloc_entries(arena, metadata.size());
  size_t n = 0;
  for (const MapEntry& e : metadata.as_map()) {
    if (!is_wiped(e)) new (&entries[n++]) MapEntry(e);
  }
  return make_map(entries, n);
}

Value with_system_fields(Arena& arena, const Value& metadata, std::string_view now) {
  return with_member(arena, with_member(arena, metadata, "uid", Value::string(kUid)), "creationTimestamp",
                     Value::string(now));
}

Value distinct_owners(Arena& arena, const Value& owners, bool mutated, std::vector<std::string>* warnings) {
  if (!owners.is(Kind::List) || owners.size() < 2) return owners;
  std::vector<Value> kept;
  std::unordered_set<std::string> known;
  std::string dropped;
  for (const Value& item : owners.as_list()) {
    const Value owner = is_object(item) ? encode_plain(arena, as_object(item)) : item;
    if (!owner.is(Kind::Map)) return owners;
    if (known.insert(owner_key(owner)).second) {
      kept.push_back(item);
    } else {
      dropped.append(dropped.empty() ? "" : ", ").append(text_member(owner, "uid"));
    }
  }
  if (kept.size() == owners.size()) return owners;
  if (warnings != nullptr) {
    warnings->push_back(fmt::format(
        ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in "
        "1.20+, and may "
        "reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
        mutated ? " after mutating admission happens" : "", dropped));
  }
  return list_of(arena, kept);
}

}  // namespace portcullis::builtin
