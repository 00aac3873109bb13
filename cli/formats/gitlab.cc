// GitLab's code quality: a list of findings, which GitLab compares with those of the target branch.
//
// Idea: an error is "critical" if there is no verdict and "major" if something is denied, a warning "minor", the rest
// "info". The fingerprint stays the same where lines move (fingerprint.h). The place is that in the manifest.
#include "cli/formats/fingerprint.h"
#include "cli/formats/formats.h"
#include "cli/formats/wording.h"
#include "interpreter/values/json.h"

namespace portcullis::formats {
namespace {

using outcomes::Finding;
using outcomes::Item;
using outcomes::Region;

std::string_view gitlab_severity(const Item& item, const Finding& f) {
  if (f.level == Finding::Level::Warning) return "minor";
  if (f.level == Finding::Level::Note) return "info";
  return item.status == outcomes::Status::Error ? "critical" : "major";
}

void write_issue(JsonWriter& w, const Item& item, const Finding& f, Fingerprints& fingerprints) {
  const Region& region = f.place.file.empty() ? item.place : f.place;
  w.begin_object();
  w.member("check_name", f.rule);
  w.member("description", item.name + ": " + f.message + (f.hint.empty() ? "" : "; " + f.hint));
  w.member("fingerprint", fingerprints.of(item, f));
  w.object("location", [&] {
    w.object("lines", [&] {
      w.member("begin", std::max(region.start.line, 1));
      w.optional("end", region.end.line);
    });
    const std::string_view path = repository_path(region.file);
    w.member("path", path.empty() ? "-" : path);
  });
  w.member("severity", gitlab_severity(item, f));
  w.end_object();
}

}  // namespace

std::string gitlab(const outcomes::Run& run) {
  std::string out;
  JsonWriter w(out);
  Fingerprints fingerprints;
  w.begin_list();
  for (const Item& item : run.items) {
    for (const Finding& f : findings_of(item)) write_issue(w, item, f, fingerprints);
  }
  w.end_list();
  return out + "\n";
}

}  // namespace portcullis::formats
