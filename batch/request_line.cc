#include "batch/request_line.h"

#include <fmt/format.h>

#include <map>

#include "admission/builtin/encode.h"
#include "admission/builtin/repeated.h"
#include "admission/engine/objects_to_load.h"
#include "admission/engine/params.h"
#include "admission/scalars/group_version.h"
#include "batch/rule_authorizer.h"
#include "interpreter/values/json.h"

namespace portcullis {
namespace {

using DKind = Document::Kind;

Error wrong_type(std::string_view name, std::string_view want) {
  return Error{fmt::format("{} is not a {}", name, want)};
}

// Reads members; keeps the first error.
class Members {
 public:
  Members(const Document& object, std::string_view what) : object_(object), what_(what) {
    if (!object.is(DKind::Object)) fail(wrong_type(what, "object"));
  }
  bool ok() const { return ok_; }
  const Error& error() const { return error_; }

  std::string_view text(std::string_view name) { return take(text_member(object_, name)); }
  bool flag(std::string_view name) { return take(bool_member(object_, name)); }
  std::vector<const Document*> list(std::string_view name) { return take(list_member(object_, name)); }
  const Document* any(std::string_view name) { return ok_ ? member(object_, name) : nullptr; }
  void fail(Error e) {
    if (ok_) error_ = std::move(e);
    ok_ = false;
  }

  static const Document* member(const Document& object, std::string_view name) {
    const Document* found = object.find(name);
    return found == nullptr || found->is(DKind::Null) ? nullptr : found;
  }

 private:
  template <class T>
  T take(Result<T> r) {
    if (r.ok()) return std::move(*r);
    fail(Error{fmt::format("{}: {}", what_, r.error().text)});
    return {};
  }
  const Document& object_;
  std::string_view what_;
  bool ok_ = true;
  Error error_;
};

Result<void> read_kind(const Document* d, std::string_view what, GroupVersionKind& out) {
  if (d == nullptr) return {};
  Members m(*d, what);
  out = {m.text("group"), m.text("version"), m.text("kind")};
  if (!m.ok()) return m.error();
  return {};
}
Result<void> read_resource(const Document* d, std::string_view what, GroupVersionResource& out) {
  if (d == nullptr) return {};
  Members m(*d, what);
  out = {m.text("group"), m.text("version"), m.text("resource")};
  if (!m.ok()) return m.error();
  return {};
}

Result<std::span<const std::string_view>> read_texts(const Document& d, Arena& arena) {
  if (d.is(DKind::Null)) return std::span<const std::string_view>();
  if (!d.is(DKind::List)) return wrong_type("value", "list");
  std::string_view* out = arena.array<std::string_view>(d.items.size());
  for (size_t i = 0; i < d.items.size(); i++) {
    if (!d.items[i].is(DKind::String) && !d.items[i].is(DKind::Null)) return wrong_type("element", "string");
    out[i] = d.items[i].text;
  }
  return std::span<const std::string_view>(out, d.items.size());
}

Result<void> read_user(const Document* d, UserInfo& out, Arena& arena) {
  if (d == nullptr) return {};
  Members m(*d, "userInfo");
  out.username = m.text("username");
  out.uid = m.text("uid");
  if (!m.ok()) return m.error();
  if (const Document* groups = m.any("groups")) {
    auto texts = read_texts(*groups, arena);
    if (!texts.ok()) return texts.error();
    out.groups = *texts;
  }
  const Document* extra = m.any("extra");
  if (extra == nullptr) return {};
  if (!extra->is(DKind::Object)) return wrong_type("userInfo.extra", "object");
  std::map<std::string_view, std::span<const std::string_view>> sorted;
  for (const auto& [key, value] : extra->members) {
    auto texts = read_texts(value, arena);
    if (!texts.ok()) return texts.error();
    sorted[key] = *texts;
  }
  auto* list = static_cast<UserInfo::Extra*>(arena.allocate(sorted.size() * sizeof(UserInfo::Extra)));
  size_t n = 0;
  for (const auto& [key, values] : sorted) list[n++] = {key, values};
  out.extra = {list, n};
  return {};
}

}  // namespace

GroupVersionKind kind_of(const Document& object) {
  const Document *api_version = object.find("apiVersion"), *kind = object.find("kind");
  GroupVersionKind out;
  if (kind != nullptr && kind->is(DKind::String)) out.kind = kind->text;
  if (api_version != nullptr && api_version->is(DKind::String)) {
    std::string_view text = api_version->text;
    GroupVersion parts = split_api_version(text);
    if (!parts.well_formed) return {};  // Kubernetes then drops the kind, too
    out.group = parts.group;
    out.version = parts.version;
  }
  return out;
}

std::string kind_text(const GroupVersionKind& kind) {
  return fmt::format("{}/{}, Kind={}", kind.group, kind.version, kind.kind);
}

namespace {

Result<Value> read_object(const Document* d, std::string_view what, const GroupVersionKind& kind, bool typed,
                          Arena& arena) {
  if (d == nullptr) return Value();
  if (!d->is(DKind::Object)) return Error{fmt::format("{} is not an object", what)};
  if (GroupVersionKind said = kind_of(*d); said != kind) {
    return Error{fmt::format("{} is a {}, the request is for {}", what, kind_text(said), kind_text(kind))};
  }
  if (!typed) return read_json(d->raw, arena);
  auto object = builtin::normalize_document(arena, *d);
  if (!object.ok()) return Error{fmt::format("{}: {}", what, object.error().text)};
  return object;
}

Result<void> read_options(const Document& given, Operation operation, Arena& arena, Value& out) {
  if (operation == Operation::Connect) return Error{"request.options: operation CONNECT has none"};
  const builtin::StructRow* row =
      builtin::find_kind("v1", operation == Operation::Create   ? "CreateOptions"
                               : operation == Operation::Update ? "UpdateOptions"
                                                                : "DeleteOptions");
  builtin::DecodeOptions options;
  const Value data = builtin::read_repeated(arena, given, options);
  builtin::Decoded decoded = builtin::decode(arena, *row, data, options);
  if (!decoded.error.empty()) return Error{"request.options: " + decoded.error};
  out = builtin::encode_plain(arena, *decoded.object);
  return {};
}

Result<void> read_request(const Document& d, RequestLine& out) {
  Members m(d, "request");
  AdmissionRequest& r = out.request;
  std::string_view operation = m.text("operation");
  out.known_operation = parse_operation(operation, r.operation);
  r.subresource = m.text("subResource");
  r.name = m.text("name");
  r.namespace_name = m.text("namespace");
  r.dry_run = m.flag("dryRun");
  if (!m.ok()) return m.error();
  if (auto done = read_kind(m.any("kind"), "request.kind", r.kind); !done.ok()) return done;
  if (auto done = read_resource(m.any("resource"), "request.resource", r.resource); !done.ok()) return done;
  if (auto done = read_user(m.any("userInfo"), r.user, out.arena); !done.ok()) return done;
  auto object = read_object(m.any("object"), "request.object", r.kind, r.typed, out.arena);
  if (!object.ok()) return object.error();
  auto old_object = read_object(m.any("oldObject"), "request.oldObject", r.kind, r.typed, out.arena);
  if (!old_object.ok()) return old_object.error();
  r.object = *object;
  r.old_object = *old_object;
  const Document* options = m.any("options");
  if (options == nullptr) return {};
  if (!out.known_operation) return Error{fmt::format("request.options: operation {} has none", operation)};
  return read_options(*options, r.operation, out.arena, r.options);
}

// The rules of the authorizer must be objects whose members are texts.
Result<void> check_rules(const Document& authz) {
  if (!authz.is(DKind::List)) return wrong_type("authz", "list");
  for (const Document& rule : authz.items) {
    if (rule.is(DKind::Null)) continue;
    Members m(rule, "authz");
    for (std::string_view name :
         {"user", "verb", "group", "version", "resource", "subresource", "namespace", "name", "path",
          "fieldSelector", "labelSelector", "decision", "reason", "error"}) {
      m.text(name);
    }
    if (!m.ok()) return m.error();
  }
  return {};
}

Result<void> read_equivalents(const std::vector<const Document*>& groups, RequestLine& out) {
  for (const Document* group : groups) {
    auto& made = out.equivalents.emplace_back();
    if (group->is(DKind::Null)) continue;
    if (!group->is(DKind::List)) return wrong_type("equivalents", "list of lists");
    for (const Document& entry : group->items) {
      Members m(entry, "equivalents");
      GroupVersionResource resource;
      GroupVersionKind kind;
      if (!m.ok()) return m.error();
      if (auto done = read_resource(m.any("resource"), "equivalents.resource", resource); !done.ok())
        return done;
      if (auto done = read_kind(m.any("kind"), "equivalents.kind", kind); !done.ok()) return done;
      auto s = [](std::string_view v) { return std::string(v); };
      made.push_back({s(resource.group), s(resource.version), s(resource.resource), s(kind.group),
                      s(kind.version), s(kind.kind)});
    }
  }
  return {};
}

}  // namespace

Result<std::string_view> text_member(const Document& object, std::string_view name) {
  const Document* d = Members::member(object, name);
  if (d == nullptr) return std::string_view();
  if (!d->is(DKind::String)) return wrong_type(name, "string");
  return std::string_view(d->text);
}

Result<bool> bool_member(const Document& object, std::string_view name) {
  const Document* d = Members::member(object, name);
  if (d == nullptr) return false;
  if (!d->is(DKind::Bool)) return wrong_type(name, "boolean");
  return d->boolean;
}

Result<std::vector<const Document*>> list_member(const Document& object, std::string_view name) {
  std::vector<const Document*> out;
  const Document* d = Members::member(object, name);
  if (d == nullptr) return out;
  if (!d->is(DKind::List)) return wrong_type(name, "list");
  for (const Document& item : d->items) out.push_back(&item);
  return out;
}

Result<void> read_request_line(const Document& line, RequestLine& out) {
  Members m(line, "the request");
  out.request.typed = m.flag("typed");
  out.namespaces = m.list("namespaces");
  auto equivalents = m.list("equivalents");
  if (!m.ok()) return m.error();
  static const Document kNone = [] {
    Document d;
    d.kind = DKind::Object;
    return d;
  }();
  const Document* request = m.any("request");
  if (auto done = read_request(request == nullptr ? kNone : *request, out); !done.ok()) return done;
  Value rules;
  if (const Document* authz = m.any("authz")) {
    if (auto done = check_rules(*authz); !done.ok()) return done;
    auto value = read_json(authz->raw, out.arena);
    if (!value.ok()) return value.error();
    rules = *value;
  }
  out.authorizer = std::make_unique<RuleAuthorizer>(rules);
  return read_equivalents(equivalents, out);
}

Result<void> read_namespaces(RequestLine& line, ObjectsToLoad& out) {
  for (const Document* d : line.namespaces) {
    auto space = read_json(d->raw, line.arena);
    if (!space.ok()) return space.error();
    out.namespaces.push_back(*space);
  }
  return {};
}

}  // namespace portcullis
