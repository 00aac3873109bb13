// What is said of a request beside its verdict. See decider.h.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "admission/objects/difference.h"
#include "chain/client_warnings.h"
#include "cli/messages/lists.h"
#include "cli/messages/messages.h"
#include "cli/session/decider.h"
#include "interpreter/values/json.h"
#include "interpreter/values/list_types.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// Whether `after` has what was there; a list may have more items.
bool keeps(const Value& before, const Value& after) {
  if (!before.is(Kind::List) || !after.is(Kind::List)) return same_data(before, after);
  return std::ranges::all_of(before.as_list(), [&](const Value& item) {
    return std::ranges::any_of(after.as_list(), [&](const Value& other) { return same_data(item, other); });
  });
}

bool is_nothing(const Value& v) {
  return v.is_null() || (v.is(Kind::List) && v.as_list().empty()) ||
         (v.is(Kind::Map) && v.as_map().size() == 0);
}

// Whether one JSON pointer is the other, or of a part of it. "/-", the end of a list, is taken for the list.
bool overlap(std::string_view a, std::string_view b) {
  for (std::string_view* p : {&a, &b}) {
    if (p->ends_with("/-")) p->remove_suffix(2);
  }
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
}

}  // namespace

// Says once of a verb and resource that the user of --as may not make such requests, by the RBAC objects of the files.
// The API server asks before it reads the body, so no policy sees them.
void Decider::note_forbidden() {
  const RbacFiles& rbac = session_.cluster().authorizer();
  const AdmissionRequest& a = asked_;
  if (options_.user.empty() || rbac.empty() || role_of(*request_.object) == Role::Review) return;
  // A client may also patch what it updates, and open a connection with either method.
  std::vector<std::string_view> verbs;
  switch (a.operation) {
    case Operation::Create: verbs = {"create"}; break;
    case Operation::Update: verbs = {"update", "patch"}; break;
    case Operation::Delete: verbs = {"delete"}; break;
    case Operation::Connect: verbs = {"create", "get"}; break;
  }
  const bool unnamed = a.operation == Operation::Create && a.subresource.empty();  // the URL has no name
  const bool made_namespace = unnamed && a.resource.group.empty() && a.resource.resource == "namespaces";
  AuthorizationAttributes asked{.user = &a.user, .resource_request = true};
  asked.group = a.resource.group;
  asked.version = a.resource.version;
  asked.resource = a.resource.resource;
  asked.subresource = a.subresource;
  asked.namespace_name = made_namespace ? std::string_view() : a.namespace_name;
  asked.name = unnamed ? std::string_view() : a.name;
  for (std::string_view verb : verbs) {
    asked.verb = verb;
    if (rbac.may(asked, arena_)) return;
  }
  const std::string resource =
      std::string(a.resource.resource) + (a.subresource.empty() ? "" : "/" + std::string(a.subresource));
  const std::string where = asked.namespace_name.empty()
                                ? "at the cluster scope"
                                : "in the namespace " + quote_json(asked.namespace_name);
  say({.severity = Severity::Note,
       .file = request_.object->file->name,
       .position = request_.object->locate("kind"),
       .text = fmt::format(
           "by the roles and bindings among the files, User {} cannot {} resource {} in API group {} {}; the "
           "API server refuses that before any policy sees it, and the verdict does not count it",
           quote_json(a.user.username), verbs.front(), quote_json(resource), quote_json(a.resource.group),
           where),
       .hint = {},
       .source = {},
       .once = fmt::format("forbidden {} {}.{}", verbs.front(), resource, a.resource.group),
       .excerpt = {}});
}

// Leaves the warnings that a client receives, and tells of the others.
void Decider::keep_sent_warnings() {
  if (result_.warnings.empty()) return;
  chain::ClientWarnings w = chain::client_warnings(result_.warnings);
  result_.warnings = std::move(w.sent);
  const auto note = [&](const std::string& text) {
    const InputObject& o = *request_.object;
    say(Severity::Note, o.file->name, o.locate("metadata.name"), text);
  };
  for (const std::string& text : w.unsendable) {
    note("the API server does not send a warning to the client, since it " +
         (text.empty() ? "is empty" : "has control characters or is no UTF-8: " + text));
  }
  if (w.cut)
    note("the API server cuts all warnings to 256 characters, since together they have more than 4,096");
  if (w.beyond > 0)
    note("the API server does not send the last " + std::to_string(w.beyond) + " of these warnings at all");
}

// Says once of a field that a plugin of the API server would look at it again after mutation, and may refuse it.
void Decider::note_plugins() const {
  struct Watched {
    std::string_view field, plugin;
  };
  static constexpr Watched kWatched[] = {{"priorityClassName", "Priority"},
                                         {"runtimeClassName", "RuntimeClass"}};
  const AdmissionRequest& a = request_.attributes;
  if (a.kind != GroupVersionKind{"", "v1", "Pod"} || a.operation != Operation::Create) return;
  const Value *before = find_member(asked_.object, "spec"), *after = find_member(a.object, "spec");
  if (before == nullptr || after == nullptr) return;
  for (const Watched& w : kWatched) {
    const Value *was = find_member(*before, w.field), *is = find_member(*after, w.field);
    if (was == is || (was != nullptr && is != nullptr && keeps(*was, *is))) continue;
    say({.severity = Severity::Note,
         .file = request_.object->file->name,
         .position = request_.object->locate("spec"),
         .text = "mutations change spec." + std::string(w.field) + ", at which an API server's plugin " +
                 std::string(w.plugin) + " looks again; whether it refuses the Pod is not known here",
         .hint = {},
         .source = {},
         .once = "plugin " + std::string(w.plugin),
         .excerpt = {}});
  }
}

// Says once of fields that mutations write them in vain: the object that the API server completes has it as it was.
void Decider::note_dropped() const {
  constexpr size_t kMostNamed = 5;
  const AdmissionRequest& a = request_.attributes;
  const bool custom = custom_.has_value();
  Arena arena;
  // Of a custom resource, unknown fields stay until it is written.
  const Value stored = custom ? served(a.object, arena) : a.object;
  if (!stored.is(Kind::Map)) return;
  const std::vector<Difference> kept = differences(asked_.object, stored);
  std::vector<std::string> dropped;
  bool only_status = true, only_undeclared = true;
  for (const Difference& d : differences(asked_.object, admission_.object)) {
    // An update with another one is refused, and one without it replaces any state.
    const bool decides = a.operation == Operation::Update && d.path == "metadata.resourceVersion";
    // Nothing is lost with a null or an empty value.
    if (decides || (d.operation == Difference::Operation::Add && is_nothing(d.after))) continue;
    if (std::ranges::any_of(kept, [&](const Difference& k) { return overlap(k.pointer, d.pointer); }))
      continue;
    const bool status = overlap(d.pointer, "/status");
    only_status &= status;
    only_undeclared &= custom && !status && !overlap(d.pointer, "/metadata");
    dropped.push_back(d.path);
  }
  if (dropped.empty()) return;
  const std::string names = first_few(dropped, kMostNamed);
  std::string why;
  if (only_status && a.subresource.empty())
    why = custom ? "requests for the subresource status write it, if the definition of the kind declares that"
                 : "only requests for the subresource status write it";
  if (only_undeclared) why = "the definition of the kind does not declare it";
  const std::string kind(a.kind.kind);
  say({.severity = Severity::Note,
       .file = request_.object->file->name,
       .position = request_.object->locate("metadata.name"),
       .text = "mutations change " + names + " of this " + kind + " in vain: the API server drops the change",
       .hint = std::move(why),
       .source = {},
       .once = "dropped " + kind + " " + names,
       .excerpt = {}});
}

}  // namespace portcullis
