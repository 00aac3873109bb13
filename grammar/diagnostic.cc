#include "grammar/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grammar/utf8.h"

namespace portcullis {
namespace {

// Source lines of more bytes are not shown, as in cel-go.
constexpr size_t kMaxSnippet = 16384;

// The marks below a source line; the wide ones below code points of more than one byte.
constexpr std::string_view kDot = ".", kWideDot = "\uFF0E", kCaret = "^", kWideCaret = "\uFF3E";

Location locate(const Source& source, const Diagnostic& diagnostic) {
  return diagnostic.offset == kNoOffset ? Location{} : source.location(diagnostic.offset);
}

std::string render_at(const Source& source, Location at, std::string_view message) {
  std::string out = fmt::format("ERROR: {}:{}:{}: {}", source.description(), at.line, at.column + 1, message);
  std::optional<std::string> line = source.line(at.line);
  if (!line || line->size() > kMaxSnippet) return out;
  std::replace(line->begin(), line->end(), '\t', ' ');
  out.append("\n | ").append(*line).append("\n | ");
  std::string_view rest = *line;
  for (int32_t i = 0; i < at.column && !rest.empty(); ++i) {
    const uint32_t size = utf8::decode(rest).size;
    out += size > 1 ? kWideDot : kDot;
    rest.remove_prefix(size);
  }
  out += utf8::decode(rest).size > 1 ? kWideCaret : kCaret;
  return out;
}

}  // namespace

void Diagnostics::report(int32_t offset, std::string message, ExprId id) {
  if (items_.size() >= kMaxDiagnostics) {
    ++dropped_;
    return;
  }
  items_.push_back({offset, std::move(message), id});
}

std::string render(const Source& source, const Diagnostic& diagnostic) {
  return render_at(source, locate(source, diagnostic), diagnostic.message);
}

std::string render(const Source& source, const Diagnostics& diagnostics) {
  std::vector<std::pair<Location, const Diagnostic*>> order;
  for (const Diagnostic& item : diagnostics.items()) order.emplace_back(locate(source, item), &item);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  std::string out;
  for (const auto& [at, item] : order) {
    if (!out.empty()) out += '\n';
    out += render_at(source, at, item->message);
  }
  if (diagnostics.dropped() > 0) out += fmt::format("\n{} more errors were truncated", diagnostics.dropped());
  return out;
}

}  // namespace portcullis
