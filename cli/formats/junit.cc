// XML of JUnit, in the form of Jenkins' xunit plugin, which pytest calls xunit2: a test suite for each file, a test
// case for each item.
//
// Idea: what has no verdict is an <error>, what is denied a <failure>, and both have the findings as text. Warnings and
// notes of what passes are in <system-out>. Characters that XML cannot hold are made visible. Readers tell cases by their
// names, and GitLab shows only the first of a name, so the second "Pod a" of a suite is "Pod a (2)": an ordinal, since
// line numbers change with every edit. Limits: no times, so that two runs are equal; the first finding is the message,
// since most readers show no more than one failure of a case.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
#include "cli/formats/xml.h"
#include "cli/messages/visible.h"

namespace portcullis::formats {
namespace {

using outcomes::Item;
using outcomes::Run;
using outcomes::Status;

struct Suite {
  std::vector<const Item*> items;
  size_t count(Status s) const {
    return static_cast<size_t>(std::ranges::count(items, s, [](const Item* i) { return i->status; }));
  }
};

// The suites in the order of their first items.
std::vector<std::pair<std::string, Suite>> suites_of(const Run& run) {
  std::vector<std::pair<std::string, Suite>> all;
  std::map<std::string, size_t> places;
  for (const Item& item : run.items) {
    auto [found, added] = places.emplace(item.suite, all.size());
    if (added) all.push_back({item.suite, {}});
    all[found->second].second.items.push_back(&item);
  }
  return all;
}

// Gives each name once.
class UniqueNames {
 public:
  std::string of(const std::string& name) {
    const size_t times = ++times_[name];
    return times == 1 ? name : of(fmt::format("{} ({})", name, times));
  }

 private:
  std::unordered_map<std::string, size_t> times_;
};

std::string details(const Item& item) {
  std::string out = visible(place_of(item.place)) + "\n";
  if (!item.message.empty()) out += visible_block(item.message, "");
  for (const outcomes::Finding& f : item.findings) out += detail_of(f);
  return out;
}

std::string_view element_of(Status status) {
  switch (status) {
    case Status::Error: return "error";
    case Status::Failed: return "failure";
    case Status::Skipped: return "skipped";
    default: return "system-out";
  }
}

// The rule of the finding that says why the item is what it is, or the element's own name.
std::string type_of(const Item& item) {
  return item.findings.empty() ? std::string(element_of(item.status)) : gravest_finding(item)->rule;
}

// `name`: the item's, for XML.
void add_case(std::string& out, const Item& item, std::string_view name) {
  out += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_attribute(item.suite), name);
  const bool passed = item.status == Status::Passed || item.status == Status::Warned;
  if (passed && item.findings.empty()) {
    out += "/>\n";
    return;
  }
  std::string_view element = element_of(item.status);
  out += fmt::format(">\n      <{}", element);
  if (!passed)
    out += fmt::format(" message=\"{}\" type=\"{}\"", xml_attribute(headline_of(item)),
                       xml_attribute(type_of(item)));
  out += fmt::format(">{}</{}>\n    </testcase>\n", xml(details(item)), element);
}

std::string counts(size_t tests, size_t failures, size_t errors) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
}

}  // namespace

std::string junit(const Run& run) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"portcullis {}\" {}>\n", xml_attribute(run.command),
                     counts(run.items.size(), run.count(Status::Failed), run.count(Status::Error)));
  for (const auto& [name, suite] : suites_of(run)) {
    out += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\">\n", xml_attribute(name),
                       counts(suite.items.size(), suite.count(Status::Failed), suite.count(Status::Error)),
                       suite.count(Status::Skipped));
    UniqueNames names;
    for (const Item* item : suite.items) add_case(out, *item, names.of(xml_attribute(item->name)));
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace portcullis::formats
