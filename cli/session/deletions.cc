// See deletions.h.
#include "cli/session/deletions.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/messages/messages.h"
#include "cli/requests/request.h"
#include "cli/session/session.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// What keeps a tool from pruning an object: a word in the value of an annotation or label.
struct Keeper {
  std::string_view key, word;
};
constexpr Keeper kKeepers[] = {{"argocd.argoproj.io/sync-options", "Prune=false"},
                               {"kustomize.toolkit.fluxcd.io/prune", "disabled"},
                               {"helm.sh/resource-policy", "keep"}};

// Whether a list such as "Validate=false, Prune=false" has the word.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item == word) return true;
  }
  return false;
}

bool is_owned(const InputObject& o) { return !list_at(o.value, "metadata.ownerReferences").empty(); }

bool is_kept(const InputObject& o) {
  for (std::string_view path : {"metadata.annotations", "metadata.labels"}) {
    const Value* texts = find_path(o.value, path);
    if (texts == nullptr || !texts->is(Kind::Map)) continue;
    for (const auto& [key, word] : kKeepers) {
      if (lists(text_member(*texts, key), word)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<InputObject> deleted_objects(std::span<const InputObject> old,
                                         const std::unordered_set<const InputObject*>& replaced) {
  std::vector<InputObject> out;
  std::vector<const InputObject*> unnamed, owned, kept;
  std::unordered_set<std::string> seen;
  size_t requests = 0, gone = 0;
  for (const InputObject& o : old) {
    if (!is_request(o)) continue;
    requests++;
    if (replaced.contains(&o)) continue;
    gone++;
    if (o.name.empty())
      unnamed.push_back(&o);
    else if (is_owned(o))
      owned.push_back(&o);
    else if (is_kept(o))
      kept.push_back(&o);
    else if (seen.insert(identity_of(o)).second)
      out.push_back(o);
  }
  if (gone == requests && !out.empty())
    say(Severity::Warning, {}, {},
        "no manifest replaces an object of --old, so all of them count as deleted");
  auto note = [](std::string_view what, const std::vector<const InputObject*>& objects) {
    if (objects.empty()) return;
    say(Severity::Note, {}, {},
        std::string("no deletion is decided of objects of --old ").append(what) + ": " +
            list_objects(objects));
  };
  note("without a name", unnamed);
  note("with owners, which tools that prune leave alone", owned);
  note("with an annotation that keeps tools from pruning them", kept);
  return out;
}

}  // namespace portcullis
