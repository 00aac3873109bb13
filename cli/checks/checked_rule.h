// CheckedRule: a rule of a policy, binding or webhook, and what is wrong with it.
//
// Idea: the lists of the rule are read and looked up once; every check then marks the entries that match nothing, so
// that a later one does not say it again. The checks of one subject have a file: rule_words.cc, rule_reach.cc,
// rule_operations.cc. Tested by tests/cli/rules.txt.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cli/checks/rule_catalog.h"
#include "cli/cluster/cluster.h"

namespace portcullis {

// The number of names that a text lists.
inline constexpr size_t kMaxListed = 8;

// An entry of one of the lists of a rule.
struct RuleEntry {
  std::string text;      // the entry as written, or its meaning if misspelt
  std::string path;      // of the field
  bool open = false;     // it may match something unknown
  bool dead = false;     // it matches nothing
  bool said = false;     // a warning has been added
  std::string sub = {};  // the subresource
  bool any() const { return text == "*"; }
  std::string name() const { return sub.empty() ? text : text + "/" + sub; }
};
using Entries = std::vector<RuleEntry>;

std::vector<std::string> entry_texts(const Entries& entries);
// The group or groups in messages.
std::string group_words(const std::vector<std::string>& groups);

class CheckedRule {
 public:
  CheckedRule(const RuleCatalog& catalog, const Resources& known, const InputObject& object,
              const Value& rule, std::string path, std::vector<PolicyProblem>& out)
      : catalog_(catalog), known_(known), object_(object), rule_(rule), path_(std::move(path)), out_(out) {}

  // Adds a warning for each wrong entry.
  void check();

 private:
  void warn(RuleEntry& e, std::string text, std::string hint = {});

  // What the lists name (checked_rule.cc).
  Entries read_list(std::string_view field) const;
  void know_groups();
  void know_versions();
  bool open_groups() const;
  bool in_groups(const RuleTarget& t) const;
  bool in_versions(const RuleTarget& t) const;
  static bool fits(const RuleEntry& r, const RuleTarget& t);
  bool any_target(const std::function<bool(const RuleTarget&)>& test) const;
  // Whether the release may have served a resource at a version that no table has.
  bool may_be_served(const RuleEntry& r, const RuleEntry& v) const;
  bool may_be_served(const RuleEntry& r) const;
  // The release that removed a resource at a version in one of the groups; 0 if none did.
  uint32_t gone_at(std::string_view version, const RuleEntry& r) const;
  // Resources that can be judged: they are served, and no unknown group has another of the same name.
  std::vector<RuleEntry*> settled();
  bool all_settled() const;

  // Entries that name nothing (rule_words.cc).
  void check_group(RuleEntry& g, const std::vector<std::string>& resources);
  void check_version(RuleEntry& v);
  void check_resource(RuleEntry& r);
  void check_subresource(RuleEntry& r);
  void check_names();
  void check_deletions(const Entries& names);
  bool has_resource(const RuleEntry& r) const;
  std::string meant_resource(const RuleTarget& meant, const std::string& sub) const;
  bool gone_resource(RuleEntry& r, const RuleCatalog::Meaning& meaning);

  // Resources that the rule never matches (rule_reach.cc).
  void check_served();
  void check_seen();
  void check_idle_groups();
  void check_scope();
  std::string where_served(const RuleEntry& r) const;
  std::string not_served(const std::vector<RuleEntry*>& list, const std::string& version) const;
  std::string version_hint(const std::vector<RuleEntry*>& list, uint32_t gone) const;

  // Operations that the resources do not take (rule_operations.cc).
  void check_operations();
  std::optional<uint8_t> taken(const RuleEntry& r) const;
  std::string takes(const std::vector<RuleEntry*>& list, uint8_t taken, uint8_t named) const;
  std::string connect_hint(const std::vector<RuleEntry*>& list, uint8_t named) const;

  const RuleCatalog& catalog_;
  const Resources& known_;
  const InputObject& object_;
  const Value& rule_;
  const std::string path_;
  std::vector<PolicyProblem>& out_;
  Entries groups_, versions_, resources_, operations_;
  std::vector<bool> here_;                // by target of the catalog: whether one of the groups has it
  bool groups_unknown_ = false;           // whether an unknown resource may belong to one of the groups
  std::vector<std::string> with_former_;  // the groups of which a release removed something
  // The versions once they are what they mean, and those at which a release may have served what no table has.
  std::vector<std::string> version_texts_;
  std::unordered_set<std::string_view> version_names_;
  std::vector<const RuleEntry*> doubtful_versions_;
};

}  // namespace portcullis
