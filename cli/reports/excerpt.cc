#include "cli/reports/excerpt.h"

#include <algorithm>

#include "grammar/utf8.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

constexpr int kAround = 3;           // lines before and after the place
constexpr size_t kMostOfLine = 400;  // bytes of a line that people see

// The start of the line that is `lines` lines before the one that starts at `at`, or of the first; counts them.
size_t start_before(std::string_view text, size_t at, int lines, int& passed) {
  for (passed = 0; passed < lines && at > 0; passed++) {
    size_t end = at < 2 ? text.npos : text.rfind('\n', at - 2);
    at = end == text.npos ? 0 : end + 1;
  }
  return at;
}

std::string_view without_break(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  return line;
}

// At most kMostOfLine bytes, ending with a whole character.
std::string cut_line(std::string_view line) {
  line = without_break(line);
  if (line.size() <= kMostOfLine) return std::string(line);
  size_t end = kMostOfLine;
  while (end > 0 && (line[end] & 0xc0) == 0x80) end--;
  return std::string(line.substr(0, end)) + "…";
}

void add_excerpt(outcomes::Region& region, const PointedText& source) {
  auto place = find_place(source, region.start);
  if (!place) return;
  const std::string_view text = source;
  int before = 0;
  size_t at = start_before(text, place->line_start, kAround, before);
  region.excerpt_line = region.start.line - before;
  for (int line = 0; line <= before + kAround && at < text.size(); line++) {
    size_t end = std::min(text.find('\n', at), text.size());
    region.excerpt += cut_line(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
}

}  // namespace

outcomes::Region region_at(const SourceFile& file, Position position) {
  outcomes::Region region{.file = file.name, .start = position};
  if (position.line > 0) add_excerpt(region, file.text);
  return region;
}

outcomes::Region region_of(const InputObject& object, std::string_view path) {
  return region_at(*object.file, object.locate(path, !path.empty()));
}

outcomes::Item item_of(const InputObject& o) {
  outcomes::Item item;
  item.suite = o.file->name;
  item.api_version = o.api_version;
  item.kind = o.kind;
  item.namespace_name = o.namespace_name;
  item.object_name = o.name;
  item.name = std::string(o.kind) + " " + std::string(o.name);
  item.place = {.file = o.file->name, .start = o.locate("")};
  item.document = o.document->index;
  return item;
}

}  // namespace portcullis
