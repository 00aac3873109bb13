#include "admission/foresight/known_request.h"

#include <algorithm>

namespace portcullis::foresight {
namespace {

using Text = KnownRequest::Text;

// Namespaces are cluster-scoped, but their requests have a namespace: their own name.
bool is_namespaces(const ServedResource& s) { return s.group.empty() && s.resource == "namespaces"; }

bool fits_scope(const ResourceRule& rule, const ServedResource& s) {
  switch (rule.scope) {
    case ResourceRule::Scope::Any: return true;
    case ResourceRule::Scope::Namespaced: return s.namespaced;
    case ResourceRule::Scope::Cluster: return !s.namespaced;
    case ResourceRule::Scope::Never: break;
  }
  return false;
}

bool fits_name(const ResourceRule::Resource& r, const ServedResource& s) {
  return (r.name == "*" || r.name == s.resource) && (r.subresource == "*" || r.subresource == s.subresource);
}

bool fits_resource(const ResourceRule& rule, const ServedResource& s) {
  return rule.groups.contains(s.group) && fits_scope(rule, s) &&
         std::ranges::any_of(rule.resources, [&](const auto& r) { return fits_name(r, s); });
}

class Requests {
 public:
  Requests(const MatchRules& rules, Audience audience, const ServedResources& served)
      : rules_(rules), audience_(audience), served_(served) {}

  std::vector<KnownRequest> run() {
    for (const ResourceRule& rule : rules_.rules()) {
      if (rule.scope == ResourceRule::Scope::Never) continue;
      for (const ServedResource& s : served_.list) add_served(rule, s);
      add_unknown(rule);
    }
    if (full()) out_.clear();
    return std::move(out_);
  }

 private:
  bool full() const { return out_.size() > kMostRequests; }

  uint8_t operations(const ResourceRule& rule) const {
    uint8_t never = audience_ == Audience::MutatingPolicy ? operation_bit(Operation::Delete) : 0;
    return rule.operations & static_cast<uint8_t>(~never);
  }

  void add_served(const ResourceRule& rule, const ServedResource& s) {
    if (!fits_resource(rule, s) || !is_seen(s, audience_)) return;
    // A server may have versions that the table lacks, so those that the rule names are possible.
    if (rule.versions.contains(s.version)) add(rule, s, rule.versions.any() ? Text() : Text(s.version), true);
    if (rule.versions.any()) return;
    bool newest = std::ranges::none_of(served_.list, [&](const ServedResource& other) {
      return &other < &s && other.group == s.group && other.resource == s.resource &&
             other.subresource == s.subresource;
    });
    for (const std::string& v : rule.versions.names()) {
      if (full()) return;
      bool known = std::ranges::any_of(served_.list, [&](const ServedResource& other) {
        return other.group == s.group && other.resource == s.resource && other.version == v;
      });
      if (newest && !known && s.built_in) add(rule, s, v, false);
    }
  }

  bool is_excluded(const ServedResource& s, Operation o) const {
    return std::ranges::any_of(rules_.excludes(), [&](const ResourceRule& e) {
      return e.names.empty() && (e.operations & operation_bit(o)) != 0 && e.versions.contains(s.version) &&
             fits_resource(e, s);
    });
  }

  void add(const ResourceRule& rule, const ServedResource& s, Text version, bool exact) {
    for (Operation o : kAllOperations) {
      if ((operations(rule) & s.operations & operation_bit(o)) == 0 || is_excluded(s, o)) continue;
      KnownRequest& k = out_.emplace_back();
      k.operation = o;
      k.resource = s.resource;
      k.subresource = s.subresource;
      k.kind = s.body_kind;
      k.kind_group = s.body_group;
      if (s.body_group == s.group) k.kind_version = version;
      // A request for an equivalent resource matches as well, and request.resource stays that of the request.
      bool own = !rules_.equivalent();
      if (own || has_one_group(s.resource)) k.group = s.group;
      if (own) k.version = version;
      if (own) k.own_group = k.kind_group;
      if (own) k.own_version = k.kind_version;
      if (!is_namespaces(s)) k.namespaced = s.namespaced;
      if (exact) k.fields = s.fields;
    }
  }

  bool has_one_group(std::string_view resource) const {
    const ServedResource* first = nullptr;
    for (const ServedResource& s : served_.list) {
      if (s.resource != resource) continue;
      if (first != nullptr && s.group != first->group) return false;
      first = &s;
    }
    return true;
  }

  // Resources that the rule may mean and no table has.
  void add_unknown(const ResourceRule& rule) {
    if (rule.groups.any()) return add_unknown(rule, Text());
    for (const std::string& group : rule.groups.names()) {
      if (!served_.is_closed(group)) add_unknown(rule, group);
    }
  }
  void add_unknown(const ResourceRule& rule, Text group) {
    for (const ResourceRule::Resource& r : rule.resources) {
      if (full()) return;
      bool known = group && r.name != "*" && std::ranges::any_of(served_.list, [&](const ServedResource& s) {
                     return s.group == *group && fits_name(r, s);
                   });
      if (known) continue;
      for (Operation o : kAllOperations) {
        if ((operations(rule) & operation_bit(o)) == 0) continue;
        KnownRequest& k = out_.emplace_back();
        k.operation = o;
        k.group = group;
        if (r.name != "*") k.resource = r.name;
        if (r.subresource != "*") k.subresource = r.subresource;
        if (group && r.subresource.empty()) k.kind_group = group;
        if (rule.scope == ResourceRule::Scope::Namespaced) k.namespaced = true;
        if (rule.scope == ResourceRule::Scope::Cluster && r.name != "*" && r.name != "namespaces")
          k.namespaced = false;
      }
    }
  }

  const MatchRules& rules_;
  const Audience audience_;
  const ServedResources& served_;
  std::vector<KnownRequest> out_;
};

}  // namespace

KnownRequest exact_request(const ServedResource& s, Operation operation) {
  KnownRequest k;
  k.operation = operation;
  k.group = s.group;
  k.version = s.version;
  k.resource = s.resource;
  k.subresource = s.subresource;
  k.kind_group = k.own_group = s.body_group;
  k.kind_version = k.own_version = s.body_version;
  k.kind = s.body_kind;
  k.namespaced = s.namespaced;
  k.fields = s.fields;
  return k;
}

bool is_seen(const ServedResource& s, Audience audience) {
  GroupVersionResource resource{s.group, s.version, s.resource};
  if (audience != Audience::Webhook) return !exempt_from_policies(resource);
  AdmissionRequest request;
  request.kind = {s.body_group, s.body_version, s.body_kind};
  request.resource = resource;
  request.subresource = s.subresource;
  return !exempt_from_webhooks(request);
}

std::vector<KnownRequest> requests_of(const MatchRules& rules, Audience audience,
                                      const ServedResources& served) {
  return Requests(rules, audience, served).run();
}

}  // namespace portcullis::foresight
