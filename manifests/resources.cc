// See resources.h. resources.inc is the table of built-in kinds, removed.inc that of removed versions.
#include "manifests/resources.h"

#include <algorithm>

#include "grammar/ascii.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

struct BuiltIn {
  std::string_view group, kind, plural;
  bool namespaced;
  std::string_view versions;  // separated by spaces
};
constexpr BuiltIn kBuiltIn[] = {
#include "manifests/resources.inc"
};

struct Removed {
  std::string_view group, version;
  uint32_t gone;
  std::string_view kinds;  // separated by spaces
};
constexpr Removed kRemoved[] = {
#include "manifests/removed.inc"
};

// The scopes of kinds that policies of well-known projects use as params, from their published definitions.
struct PublishedScope {
  std::string_view group, kind;
  bool namespaced;
};
constexpr PublishedScope kPublished[] = {
    {"constraints.gatekeeper.sh", "*", false},  // generated from ConstraintTemplates
    {"kubescape.io", "ControlConfiguration", false},
};

template <class Do>
void each_word(std::string_view words, Do visit) {
  while (!words.empty()) {
    size_t end = std::min(words.find(' '), words.size());
    visit(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

bool has_word(std::string_view words, std::string_view word) {
  bool found = false;
  each_word(words, [&](std::string_view w) { found |= w == word; });
  return found;
}

const Removed* find_removed(std::string_view group, std::string_view version, std::string_view kind) {
  auto found = std::ranges::find_if(kRemoved, [&](const Removed& r) {
    return r.group == group && r.version == version && has_word(r.kinds, kind);
  });
  return found == std::end(kRemoved) ? nullptr : found;
}

// Whether the two tables have all kinds of the group.
bool is_built_in(std::string_view group) {
  auto of = [&](const auto& row) { return row.group == group; };
  return std::ranges::any_of(kBuiltIn, of) || std::ranges::any_of(kRemoved, of);
}

// A DNS label: lower-case letters, digits, and dashes within; a label of RFC 1035 begins with a letter.
bool is_label(std::string_view text, bool letter_first) {
  auto inside = [&](char c) { return is_lower(c) || is_digit(c) || c == '-'; };
  if (text.empty() || text.front() == '-' || text.back() == '-') return false;
  return std::ranges::all_of(text, inside) && (!letter_first || is_letter(text.front()));
}

// Whether a CustomResourceDefinition could define the kind: the API server requires a domain with a dot as
// group, and DNS labels as version and kind. "core/v1" and "v1/v1" cannot exist.
bool can_be_custom(std::string_view group, std::string_view version, std::string_view kind) {
  if (group.find('.') == group.npos) return false;
  for (std::string_view rest = group; !rest.empty();) {
    size_t dot = std::min(rest.find('.'), rest.size());
    if (!is_label(rest.substr(0, dot), false) || dot + 1 == rest.size()) return false;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return is_label(version, true) && is_label(lower_case(kind), true);
}

// Forms the English plural, as authors of definitions do.
std::string guess_plural(std::string_view kind) {
  std::string s = lower_case(kind);
  auto ends = [&](std::initializer_list<std::string_view> list) {
    return std::ranges::any_of(list, [&](std::string_view end) { return s.ends_with(end); });
  };
  if (s.empty() || s.ends_with("endpoints")) return s;
  if (ends({"s", "x", "z", "ch", "sh"})) return s + "es";
  bool vowel = ends({"ay", "ey", "iy", "oy", "uy"});
  return s.back() == 'y' && !vowel ? s.substr(0, s.size() - 1) + "ies" : s + "s";
}

// Whether `name` is the kind or an English plural of it.
bool is_plural_of(std::string_view name, std::string_view kind) {
  struct Ending {
    std::string_view one, many;
  };
  constexpr Ending kEndings[] = {
      {"", ""},       {"", "s"},       {"", "es"},       {"y", "ies"},   {"f", "ves"}, {"fe", "ves"},
      {"us", "i"},    {"is", "es"},    {"ex", "ices"},   {"ix", "ices"}, {"um", "a"},  {"on", "a"},
      {"man", "men"}, {"ouse", "ice"}, {"oose", "eese"}, {"z", "zzes"},  {"", "ren"},  {"a", "ae"}};
  std::string one = lower_case(kind);
  return std::ranges::any_of(kEndings, [&](const Ending& e) {
    return one.ends_with(e.one) && name == one.substr(0, one.size() - e.one.size()) + std::string(e.many);
  });
}

std::string text_of(const Value* v) {
  return v && v->is(Kind::String) ? std::string(v->as_text()) : std::string();
}

// Whether resources of two groups are stored as the same objects (kube-apiserver's cohabitating resources).
bool same_objects(std::string_view group, std::string_view plural, std::string_view other_group,
                  std::string_view other_plural) {
  if (plural != other_plural) return false;
  auto events = [&](std::string_view g) { return plural == "events" && (g.empty() || g == "events.k8s.io"); };
  return group == other_group || (events(group) && events(other_group));
}

// Calls `visit` with the versions that a release serves, including those that are off by default.
template <class Do>
void each_version(const BuiltIn& row, uint32_t minor, Do visit) {
  each_word(row.versions, visit);
  for (const Removed& r : kRemoved) {
    if (r.group == row.group && minor < r.gone && has_word(r.kinds, row.kind)) visit(r.version);
  }
}

void append_versions(std::vector<EquivalentResource>& out, const BuiltIn& row, uint32_t minor) {
  each_version(row, minor, [&](std::string_view v) {
    std::string g(row.group), version(v);
    out.push_back({g, version, std::string(row.plural), g, version, std::string(row.kind)});
  });
}

}  // namespace

// Since 1.24 new beta versions are off by default, and no older beta version remains.
bool off_by_default(std::string_view version) {
  return version.find("alpha") != version.npos || version.find("beta") != version.npos;
}

bool Resources::add_definition(const Value& object) {
  const Value* spec = find_member(object, "spec");
  const Value* names = spec ? find_member(*spec, "names") : nullptr;
  if (!names) return false;
  Definition d;
  d.group = text_of(find_member(*spec, "group"));
  d.kind = text_of(find_member(*names, "kind"));
  d.plural = text_of(find_member(*names, "plural"));
  d.list_kind = text_of(find_member(*names, "listKind"));
  if (d.list_kind.empty()) d.list_kind = d.kind + "List";
  const Value* conversion = find_member(*spec, "conversion");
  d.by_webhook = conversion != nullptr && text_member(*conversion, "strategy") == "Webhook";
  std::string scope = text_of(find_member(*spec, "scope"));
  d.namespaced = scope == "Namespaced";
  if (!d.namespaced && scope != "Cluster") return false;
  if (const Value* versions = find_member(*spec, "versions"); versions && versions->is(Kind::List)) {
    for (const Value& v : versions->as_list()) {
      const Value* served = find_member(v, "served");
      const Value* subresources = find_member(v, "subresources");
      auto has = [&](std::string_view name) {
        const Value* found = subresources ? find_member(*subresources, name) : nullptr;
        return found && !found->is_null();
      };
      d.versions.push_back({text_of(find_member(v, "name")), served != nullptr && served->is_true(),
                            has("status"), has("scale")});
    }
  }
  if (const Value* only = find_member(*spec, "version"); only && d.versions.empty())
    d.versions.push_back({text_of(only)});  // apiextensions v1beta1
  if (d.group.empty() || d.kind.empty() || d.plural.empty()) return false;
  const auto before = std::ranges::find_if(definitions_, [&](const Definition& other) {
    return other.group == d.group && other.plural == d.plural;
  });
  if (before == definitions_.end()) {
    definitions_.push_back(std::move(d));
  } else {
    *before = std::move(d);
  }
  return true;
}

bool defines_kind(const Value& definition) { return Resources().add_definition(definition); }

DefinedResource DefinedResource::of(const Value& definition) {
  const Value& spec = *find_member(definition, "spec");
  return {text_member(spec, "group"), text_member(*find_member(spec, "names"), "plural")};
}

void Resources::set_scope(std::string_view group, std::string_view kind, bool namespaced) {
  scopes_[{std::string(group), std::string(kind)}] = namespaced;
}

std::optional<bool> Resources::known_scope(std::string_view group, std::string_view kind) const {
  auto scope = scopes_.find({std::string(group), std::string(kind)});
  if (scope != scopes_.end()) return scope->second;
  auto published = std::ranges::find_if(kPublished, [&](const PublishedScope& p) {
    return p.group == group && (p.kind == kind || p.kind == "*");
  });
  if (published == std::end(kPublished)) return std::nullopt;
  return published->namespaced;
}

void Resources::add_name(std::string_view group, std::string_view resource) {
  names_.emplace_back(group, resource);
}

bool Resources::defines_group(std::string_view group) const {
  return std::ranges::any_of(definitions_, [&](const Definition& d) { return d.group == group; });
}

bool Resources::is_closed(std::string_view group) {
  return is_built_in(group) || !can_be_custom(group, "v1", "kind");
}

std::vector<Resources::Former> Resources::former(uint32_t minor) {
  std::vector<Former> out;
  for (const Removed& r : kRemoved) {
    each_word(r.kinds, [&](std::string_view kind) {
      auto row = std::ranges::find_if(kBuiltIn, [&](const BuiltIn& b) { return b.kind == kind; });
      bool now = row != std::end(kBuiltIn);
      out.push_back({r.group, r.version, kind, now ? std::string(row->plural) : guess_plural(kind),
                     now ? row->namespaced : kind == "PodPreset", r.gone, minor < r.gone});
    });
  }
  return out;
}

// The plural of a kind: a given name that fits the kind, the plain guess first.
std::string Resources::plural_of(std::string_view group, std::string_view kind) const {
  std::string guess = guess_plural(kind), other;
  for (const auto& [name_group, name] : names_) {
    if (name_group != group && name_group != "*") continue;
    if (name == guess) return guess;
    if (other.empty() && is_plural_of(name, kind)) other = name;
  }
  return other.empty() ? guess : other;
}

Resource Resources::find(std::string_view api_version, std::string_view kind) const {
  const auto [group, version, well_formed] = split_api_version(api_version);
  Resource r{std::string(group), std::string(version), std::string(kind), {}};
  for (const Definition& d : definitions_) {
    if (d.group != group || d.kind != kind) continue;
    r.plural = d.plural;
    r.namespaced = d.namespaced;
    bool served = std::ranges::any_of(
        d.versions, [&](const Definition::Version& v) { return v.served && v.name == version; });
    r.availability = served ? Availability::Served : Availability::Absent;
    return r;
  }
  const Removed* removed = find_removed(group, version, kind);
  for (const BuiltIn& row : kBuiltIn) {
    if (row.group != group || row.kind != kind) continue;
    r.plural = row.plural;
    r.namespaced = row.namespaced;
    r.availability = has_word(row.versions, version)
                         ? (off_by_default(version) ? Availability::OffByDefault : Availability::Served)
                     : removed == nullptr     ? Availability::Absent
                     : minor_ < removed->gone ? Availability::Served
                                              : Availability::Gone;
    r.gone = removed == nullptr ? 0 : removed->gone;
    return r;
  }
  r.plural = plural_of(group, kind);
  r.namespaced = known_scope(group, kind).value_or(true);  // most custom kinds are namespaced
  const bool taken = std::ranges::any_of(definitions_, [&](const Definition& d) {
    return d.group == group &&
           (d.plural == r.plural || d.list_kind == kind || lower_case(d.kind) == lower_case(kind));
  });
  bool guessed = !is_built_in(group) && can_be_custom(group, version, kind) && !taken;
  r.availability = removed != nullptr ? Availability::Gone
                   : guessed          ? Availability::Guessed
                                      : Availability::Absent;
  r.gone = removed == nullptr ? 0 : removed->gone;
  return r;
}

std::vector<std::vector<EquivalentResource>> Resources::equivalents() const {
  std::vector<std::vector<EquivalentResource>> out;
  std::vector<bool> done(std::size(kBuiltIn));
  for (size_t i = 0; i < std::size(kBuiltIn); i++) {
    std::vector<EquivalentResource> same;
    for (size_t j = i; j < std::size(kBuiltIn); j++) {
      const BuiltIn &a = kBuiltIn[i], &b = kBuiltIn[j];
      if (done[j] || !same_objects(a.group, a.plural, b.group, b.plural)) continue;
      done[j] = true;
      append_versions(same, b, minor_);
    }
    if (same.size() > 1) out.push_back(std::move(same));
  }
  for (const Definition& d : definitions_) {
    auto& same = out.emplace_back();
    for (const Definition::Version& v : d.versions) {
      same.push_back(
          {d.group, v.name, d.plural, d.group, v.name, d.kind, d.by_webhook, {!v.has_status, !v.has_scale}});
    }
  }
  return out;
}

std::vector<ParamKindInfo> Resources::kinds() const {
  std::vector<ParamKindInfo> out;
  for (const BuiltIn& row : kBuiltIn) {
    each_version(row, minor_, [&](std::string_view v) {
      out.push_back({join_api_version(row.group, v), std::string(row.kind), row.namespaced});
    });
  }
  for (const Definition& d : definitions_) {
    for (const Definition::Version& v : d.versions) {
      if (v.served) out.push_back({join_api_version(d.group, v.name), d.kind, d.namespaced});
    }
  }
  return out;
}

std::vector<Served> Resources::served() const {
  std::vector<Served> out;
  for (const BuiltIn& row : kBuiltIn) {
    each_version(row, minor_, [&](std::string_view v) {
      Served own{row.group, v, row.plural, {}, row.kind, row.group, v, row.kind, row.namespaced};
      size_t at = out.size();
      out.push_back(own);
      for (const ServedRow& r : served_rows()) {
        if (r.group != row.group || r.resource != row.plural || !has_word(r.versions, v)) continue;
        Served made = own;
        made.subresource = r.subresource;
        made.body_group = r.body_group;
        made.body_version = r.body_version.empty() ? v : r.body_version;
        made.body_kind = r.body_kind;
        made.operations = r.operations;
        r.subresource.empty() ? void(out[at] = made) : out.push_back(made);
      }
    });
  }
  for (const Definition& d : definitions_) {
    for (const Definition::Version& v : d.versions) {
      if (!v.served) continue;
      Served own{d.group, v.name, d.plural,     {},       d.kind, d.group,
                 v.name,  d.kind, d.namespaced, kWritten, false};
      out.push_back(own);
      own.operations = kUpdate;
      own.subresource = "status";
      if (v.has_status) out.push_back(own);
      own.subresource = "scale";
      own.body_group = "autoscaling";
      own.body_version = "v1";
      own.body_kind = "Scale";
      if (v.has_scale) out.push_back(own);
    }
  }
  return out;
}

}  // namespace portcullis
