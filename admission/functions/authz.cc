// Libraries kubernetes.authz and kubernetes.authzSelectors: checks by the authorizer.
//
// Idea: an expression builds the attributes of a check (authorizer.group().resource()...check()). Each step
// copies an opaque value and adds one attribute. Only check() calls the Authorizer.
#include "admission/authorization/authorizer.h"
#include "admission/functions/libraries.h"
#include "admission/functions/values.h"
#include "admission/scalars/names.h"
#include "interpreter/formats/text.h"
#include "interpreter/functions/call.h"

namespace portcullis {
namespace kubernetes {
namespace {

struct AuthorizerValue : Opaque {
  const Authorizer* authorizer;
  const UserInfo* user;
};
struct PathCheck : Opaque {
  const AuthorizerValue* asker;
  std::string_view path;
};
struct GroupCheck : Opaque {
  const AuthorizerValue* asker;
  std::string_view group;
};
struct ResourceCheck : Opaque {
  const AuthorizerValue* asker;
  CheckedResource resource;
  std::string_view field_selector, label_selector;
};
struct DecisionValue : Opaque {
  AuthorizationAnswer answer;
};

// Upstream compares a member that never matches, so these values equal nothing, not even themselves.
Value equal(const Opaque&, const Value&, Arena& arena) { return no_such_overload(arena); }
std::string_view print(const Opaque&, Arena&) { return {}; }

using A = const AuthorizerValue&;
using R = const ResourceCheck&;

Value decide(CallContext& context, const AuthorizerValue& asker, AuthorizationAttributes asked) {
  asked.user = asker.user;
  AuthorizationAnswer answer;
  if (asker.authorizer) answer = asker.authorizer->authorize(asked, context.arena());
  return Value::opaque(context.arena().make<DecisionValue>(Opaque{&kDecisionClass}, answer));
}

Value check_path(CallContext& context, const PathCheck& check, std::string_view verb) {
  AuthorizationAttributes asked;
  asked.verb = verb;
  asked.path = check.path;
  return decide(context, *check.asker, asked);
}

Value check_resource(CallContext& context, R check, std::string_view verb) {
  AuthorizationAttributes asked;
  asked.verb = verb;
  asked.resource_request = true;
  asked.group = check.resource.group;
  asked.version = "*";
  asked.resource = check.resource.resource;
  asked.subresource = check.resource.subresource;
  asked.namespace_name = check.resource.namespace_name;
  asked.name = check.resource.name;
  asked.field_selector = check.field_selector;
  asked.label_selector = check.label_selector;
  return decide(context, *check.asker, asked);
}

Value make_path(CallContext& context, A asker, std::string_view path) {
  if (trim_space(path).empty()) return context.error("path must not be empty");
  return Value::opaque(context.arena().make<PathCheck>(Opaque{&kPathCheckClass}, &asker, path));
}

Value make_resource(CallContext& context, const GroupCheck& group, std::string_view resource) {
  if (trim_space(resource).empty()) return context.error("resource must not be empty");
  CheckedResource checked = {.group = group.group, .resource = resource};
  return Value::opaque(
      context.arena().make<ResourceCheck>(Opaque{&kResourceCheckClass}, group.asker, checked));
}

// A copy of `check`, changed by `change`.
template <class F>
Value changed(CallContext& context, R check, F change) {
  ResourceCheck* copy = context.arena().make<ResourceCheck>(check);
  change(*copy);
  return Value::opaque(copy);
}

// The user of a service account, as the API server derives it from a token.
Value service_account(CallContext& context, A asker, std::string_view space, std::string_view name) {
  if (!names::dns1123_subdomain(name).empty()) return context.error("Invalid service account name");
  if (!names::dns1123_label(space).empty()) return context.error("Invalid service account namespace");
  Arena& arena = context.arena();
  TextBuilder username(arena), group(arena);
  for (std::string_view part :
       {std::string_view("system:serviceaccount:"), space, std::string_view(":"), name}) {
    username.append(part);
  }
  group.append("system:serviceaccounts:");
  group.append(space);
  std::string_view* groups = arena.array<std::string_view>(2);
  groups[0] = "system:serviceaccounts";
  groups[1] = group.view();
  UserInfo* user = arena.make<UserInfo>();
  user->username = username.view();
  user->groups = {groups, 2};
  return Value::opaque(arena.make<AuthorizerValue>(Opaque{&kAuthorizerClass}, asker.authorizer, user));
}

constexpr Function kRows[] = {
    {.id = "authorizer_path",
     .signature = "kubernetes.authorization.Authorizer.path(string) -> kubernetes.authorization.PathCheck",
     .call = wrap([](CallContext& c, A a, std::string_view path) { return make_path(c, a, path); }),
     .doc = "a check for a path that is no resource, such as '/healthz'",
     .examples = "authorizer.path('/healthz').check('get').allowed()  // => false"},
    {.id = "authorizer_group",
     .signature = "kubernetes.authorization.Authorizer.group(string)"
                  " -> kubernetes.authorization.GroupCheck",
     .call = wrap([](CallContext& c, A a, std::string_view group) {
       return Value::opaque(c.arena().make<GroupCheck>(Opaque{&kGroupCheckClass}, &a, group));
     }),
     .doc = "a check for an API group; '' is the core group",
     .examples = "authorizer.group('apps').resource('deployments').check('get').allowed()  // => false"},
    {.id = "authorizer_serviceaccount",
     .signature = "kubernetes.authorization.Authorizer.serviceAccount(string, string)"
                  " -> kubernetes.authorization.Authorizer",
     .call = wrap([](CallContext& c, A a, std::string_view space, std::string_view name) {
       return service_account(c, a, space, name);
     }),
     .doc = "an authorizer for the service account with this namespace and name, instead of the user of the "
            "request",
     .examples = "authorizer.serviceAccount('default', 'builder').path('/')"
                 ".check('get').allowed()  // => false"},
    {.id = "groupcheck_resource",
     .signature = "kubernetes.authorization.GroupCheck.resource(string)"
                  " -> kubernetes.authorization.ResourceCheck",
     .call =
         wrap([](CallContext& c, const GroupCheck& g, std::string_view s) { return make_resource(c, g, s); }),
     .doc = "a check for a resource of the group",
     .examples = "authorizer.group('').resource('pods').check('create').reason()  // => ''"},
    {.id = "resourcecheck_subresource",
     .signature = "kubernetes.authorization.ResourceCheck.subresource(string)"
                  " -> kubernetes.authorization.ResourceCheck",
     .call = wrap([](CallContext& c, R r, std::string_view s) {
       return changed(c, r, [s](ResourceCheck& x) { x.resource.subresource = s; });
     }),
     .doc = "the same check for a subresource",
     .examples = "authorizer.group('').resource('pods').subresource('log')"
                 ".check('get').allowed()  // => false"},
    {.id = "resourcecheck_namespace",
     .signature = "kubernetes.authorization.ResourceCheck.namespace(string)"
                  " -> kubernetes.authorization.ResourceCheck",
     .call = wrap([](CallContext& c, R r, std::string_view s) {
       return changed(c, r, [s](ResourceCheck& x) { x.resource.namespace_name = s; });
     }),
     .doc = "the same check in a namespace; '' means all namespaces",
     .examples = "authorizer.group('').resource('pods').namespace('default')"
                 ".check('get').allowed()  // => false"},
    {.id = "resourcecheck_name",
     .signature = "kubernetes.authorization.ResourceCheck.name(string)"
                  " -> kubernetes.authorization.ResourceCheck",
     .call = wrap([](CallContext& c, R r, std::string_view s) {
       return changed(c, r, [s](ResourceCheck& x) { x.resource.name = s; });
     }),
     .doc = "the same check for the object with this name",
     .examples = "authorizer.group('').resource('pods').name('web').check('get').allowed()  // => false"},
    {.id = "pathcheck_check",
     .signature = "kubernetes.authorization.PathCheck.check(string) -> kubernetes.authorization.Decision",
     .call = wrap(
         [](CallContext& c, const PathCheck& p, std::string_view verb) { return check_path(c, p, verb); }),
     .flags = kLateBound,
     .doc = "asks whether the HTTP verb is allowed for the path",
     .examples = "authorizer.path('/healthz').check('get').allowed()  // => false"},
    {.id = "resourcecheck_check",
     .signature = "kubernetes.authorization.ResourceCheck.check(string)"
                  " -> kubernetes.authorization.Decision",
     .call = wrap([](CallContext& c, R r, std::string_view verb) { return check_resource(c, r, verb); }),
     .flags = kLateBound,
     .doc = "asks whether the API verb is allowed for the resource",
     .examples = "authorizer.group('').resource('pods').check('create').allowed()  // => false"},
    {.id = "decision_errored",
     .signature = "kubernetes.authorization.Decision.errored() -> bool",
     .call = wrap([](const DecisionValue& d) { return d.answer.error.has_value(); }),
     .doc = "whether the authorizer failed; it may have decided nevertheless",
     .examples = "authorizer.path('/').check('get').errored()  // => false"},
    {.id = "decision_error",
     .signature = "kubernetes.authorization.Decision.error() -> string",
     .call = wrap([](const DecisionValue& d) { return d.answer.error.value_or(std::string_view{}); }),
     .doc = "the error of the authorizer, or ''",
     .examples = "authorizer.path('/').check('get').error()  // => ''"},
    {.id = "decision_allowed",
     .signature = "kubernetes.authorization.Decision.allowed() -> bool",
     .call = wrap([](const DecisionValue& d) { return d.answer.decision == AuthorizationDecision::Allow; }),
     .doc = "whether the authorizer allows it; false if it denies it or has no opinion",
     .examples = "authorizer.path('/').check('get').allowed()  // => false"},
    {.id = "decision_reason",
     .signature = "kubernetes.authorization.Decision.reason() -> string",
     .call = wrap([](const DecisionValue& d) { return d.answer.reason; }),
     .doc = "the reason in the authorizer's words; may be ''",
     .examples = "authorizer.path('/').check('get').reason()  // => ''"},
};

constexpr Function kSelectorRows[] = {
    {.id = "authorizer_fieldselector",
     .signature = "kubernetes.authorization.ResourceCheck.fieldSelector(string)"
                  " -> kubernetes.authorization.ResourceCheck",
     .call = wrap([](CallContext& c, R r, std::string_view s) {
       return changed(c, r, [s](ResourceCheck& x) { x.field_selector = s; });
     }),
     .doc = "the same check for the objects that a field selector selects; the authorizer decides about a "
            "selector that cannot be parsed",
     .examples = "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=n1')"
                 ".check('list').allowed()  // => false"},
    {.id = "authorizer_labelselector",
     .signature = "kubernetes.authorization.ResourceCheck.labelSelector(string)"
                  " -> kubernetes.authorization.ResourceCheck",
     .call = wrap([](CallContext& c, R r, std::string_view s) {
       return changed(c, r, [s](ResourceCheck& x) { x.label_selector = s; });
     }),
     .doc = "the same check for the objects that a label selector selects; the authorizer decides about a "
            "selector that cannot be parsed",
     .examples = "authorizer.group('').resource('pods').labelSelector('app=web')"
                 ".check('list').allowed()  // => false"},
};

}  // namespace

const OpaqueClass kAuthorizerClass = {.type_name = "kubernetes.authorization.Authorizer",
                                      .equal = equal,
                                      .print = print,
                                      .go_type = "library.authorizerVal"};
const OpaqueClass kPathCheckClass = {.type_name = "kubernetes.authorization.PathCheck",
                                     .equal = equal,
                                     .print = print,
                                     .go_type = "library.pathCheckVal"};
const OpaqueClass kGroupCheckClass = {.type_name = "kubernetes.authorization.GroupCheck",
                                      .equal = equal,
                                      .print = print,
                                      .go_type = "library.groupCheckVal"};
const OpaqueClass kResourceCheckClass = {.type_name = "kubernetes.authorization.ResourceCheck",
                                         .equal = equal,
                                         .print = print,
                                         .go_type = "library.resourceCheckVal"};
const OpaqueClass kDecisionClass = {.type_name = "kubernetes.authorization.Decision",
                                    .equal = equal,
                                    .print = print,
                                    .go_type = "library.decisionVal"};

const Library kAuthz = {.name = "kubernetes.authz",
                        .functions = kRows,
                        .doc = "whether the user or a service account may do something"};
const Library kAuthzSelectors = {.name = "kubernetes.authzSelectors",
                                 .functions = kSelectorRows,
                                 .doc = "checks for the objects that a field or label selector selects"};

}  // namespace kubernetes

Value authorizer_value(Arena& arena, const Authorizer* authorizer, const UserInfo& user) {
  return Value::opaque(
      arena.make<kubernetes::AuthorizerValue>(Opaque{&kubernetes::kAuthorizerClass}, authorizer, &user));
}

Value resource_check_value(Arena& arena, const Authorizer* authorizer, const UserInfo& user,
                           const CheckedResource& resource) {
  const auto& asker =
      static_cast<const kubernetes::AuthorizerValue&>(authorizer_value(arena, authorizer, user).as_opaque());
  return Value::opaque(
      arena.make<kubernetes::ResourceCheck>(Opaque{&kubernetes::kResourceCheckClass}, &asker, resource));
}

}  // namespace portcullis
