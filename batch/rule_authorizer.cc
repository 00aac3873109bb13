#include "batch/rule_authorizer.h"

#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// The text of a member; nothing if it is absent or no string.
std::optional<std::string_view> map_text(const Value& map, std::string_view name) {
  const Value* v = find_member(map, name, Kind::String);
  return v != nullptr ? std::optional(v->as_text()) : std::nullopt;
}

AuthorizationAnswer answer_of(const Value& rule) {
  AuthorizationAnswer answer;
  std::string_view decision = map_text(rule, "decision").value_or("");
  if (decision == "allow") answer.decision = AuthorizationDecision::Allow;
  if (decision == "deny") answer.decision = AuthorizationDecision::Deny;
  answer.reason = map_text(rule, "reason").value_or("");
  if (auto error = map_text(rule, "error"); error && !error->empty()) answer.error = *error;
  return answer;
}

bool fits(const std::optional<std::string_view>& want, std::string_view got) {
  return !want || *want == "*" || *want == got;
}

// Rules write selectors in canonical form, and one that does not parse as "error".
bool matches_selector(const std::optional<std::string_view>& want, std::string_view got, Arena& arena,
                      std::optional<std::string_view> (*canonical)(Arena&, std::string_view)) {
  if (!want || *want == "*") return true;
  return *want == (got.empty() ? got : canonical(arena, got).value_or("error"));
}

}  // namespace

RuleAuthorizer::RuleAuthorizer(const Value& rules) {
  if (!rules.is(Kind::List)) return;
  for (const Value& v : rules.as_list()) {
    rules_.push_back({map_text(v, "user"), map_text(v, "verb"), map_text(v, "group"), map_text(v, "version"),
                      map_text(v, "resource"), map_text(v, "subresource"), map_text(v, "namespace"),
                      map_text(v, "name"), map_text(v, "path"), map_text(v, "fieldSelector"),
                      map_text(v, "labelSelector"), answer_of(v)});
  }
}

AuthorizationAnswer RuleAuthorizer::authorize(const AuthorizationAttributes& a, Arena& arena) const {
  for (const Rule& r : rules_) {
    bool plain = fits(r.user, a.user ? a.user->username : "") && fits(r.verb, a.verb) &&
                 fits(r.group, a.group) && fits(r.version, a.version) && fits(r.resource, a.resource) &&
                 fits(r.subresource, a.subresource) && fits(r.namespace_name, a.namespace_name) &&
                 fits(r.name, a.name) && fits(r.path, a.path);
    if (plain && matches_selector(r.field_selector, a.field_selector, arena, canonical_field_selector) &&
        matches_selector(r.label_selector, a.label_selector, arena, canonical_label_selector)) {
      return r.answer;
    }
  }
  return {};
}

}  // namespace portcullis
