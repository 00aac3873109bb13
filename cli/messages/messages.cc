// See messages.h.
#include "cli/messages/messages.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "cli/messages/visible.h"
#include "grammar/utf8.h"
#include "manifests/place.h"

namespace portcullis {
namespace {

// Longer lines are cut around the caret.
constexpr size_t kWidth = 120;

Colour wished = Colour::Auto;

// NO_COLOR counts if it is not empty (no-color.org); a terminal that is dumb or has no name shows no colour.
bool terminal_shows_colour(int fd) {
  const char *none = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (none != nullptr && *none != '\0') return false;
  return terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb" && isatty(fd) == 1;
}

std::vector<SaidError> errors_said;
size_t warnings_said = 0;

thread_local Listening* listening = nullptr;

bool continues_character(char c) { return (c & 0xc0) == 0x80; }

}  // namespace

void set_colour(Colour wish) { wished = wish; }

bool colour_out() {
  static const bool able = terminal_shows_colour(STDOUT_FILENO);
  return wished == Colour::Auto ? able : wished == Colour::Always;
}
bool colour_files() { return wished == Colour::Always; }
bool colour_error() {
  static const bool able = terminal_shows_colour(STDERR_FILENO);
  return wished == Colour::Auto ? able : wished == Colour::Always;
}

const Paint& paint(bool colour) {
  static const Paint kPlain = {},
                     kColour = {"\033[1m", "\033[1;31m", "\033[1;33m", "\033[32m", "\033[2m", "\033[0m"};
  return colour ? kColour : kPlain;
}

std::string point_at(const PointedText& source, Position position, std::string_view indent) {
  if (position.line < 1 || position.column < 1) return {};
  std::optional<TextMark> place = find_place(source, position);
  if (!place) return {};
  // Reads no more of the line than can be shown: a file may be one long line with very many messages.
  std::string_view line =
      std::string_view(source).substr(place->line_start, place->at - place->line_start + 4 * kWidth);
  size_t at = place->at - place->line_start;
  line = line.substr(0, line.find_first_of("\r\n", at));
  if (line.empty()) return {};
  size_t from = at > kWidth / 2 && line.size() > kWidth ? at - kWidth / 2 : 0;
  while (from > 0 && continues_character(line[from])) from--;
  size_t length = std::min(kWidth, line.size() - from);
  while (from + length < line.size() && continues_character(line[from + length])) length++;
  size_t columns = utf8::length(line.substr(from, at - from));
  return std::string(indent) + visible_columns(line.substr(from, length)) + "\n" + std::string(indent) +
         std::string(columns, ' ') + "^\n";
}

std::string excerpt_at(const PointedText& source, Position position) {
  return point_at(source, position, "  | ");
}

std::string message_text(Severity severity, std::string_view file, Position position, std::string_view text,
                         const PointedText& source, const Paint& p, std::string_view hint,
                         std::string_view indent) {
  static constexpr const char* kNames[] = {"error", "warning", "note"};
  std::string_view colours[] = {p.red, p.yellow, p.dim};
  std::string out(indent);
  out += p.bold;
  if (!file.empty()) {
    out += visible(file);
    if (position.line > 0) out += ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
    out += ": ";
  }
  out.append(p.reset).append(colours[static_cast<int>(severity)]).append(kNames[static_cast<int>(severity)]);
  out.append(p.reset).append(": ");
  std::string all(text);
  if (!hint.empty()) all.append("; ").append(hint);
  std::string more(indent);
  out += visible_block(all, more + "  ").substr(more.size() + 2);
  return out + point_at(source, position, more + "  | ");
}

std::string place_text(std::string_view file, Position position) {
  std::string out(file);
  if (position.line > 0) out += ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
  return out;
}

void say(Severity severity, std::string_view file, Position position, std::string_view text,
         const PointedText& source, std::string_view hint) {
  say({severity, std::string(file), position, std::string(text), std::string(hint), source, {}, {}});
}

void say(const Message& m) {
  if (listening != nullptr) return listening->messages.push_back(m);
  if (m.severity == Severity::Warning) warnings_said++;
  if (m.severity == Severity::Error) errors_said.push_back({m.file, m.position, m.text, m.hint});
  std::string out =
      message_text(m.severity, m.file, m.position, m.text, m.source, paint(colour_error()), m.hint);
  out += m.excerpt;
  std::fwrite(out.data(), 1, out.size(), stderr);
}

Listening::Listening() : outer_(std::exchange(listening, this)) {}
Listening::~Listening() { listening = outer_; }

void say_lines(std::string_view text) {
  std::string out = visible_lines(text, colour_error());
  std::fwrite(out.data(), 1, out.size(), stderr);
}

std::span<const SaidError> said_errors() { return errors_said; }
size_t said_warnings() { return warnings_said; }

}  // namespace portcullis
