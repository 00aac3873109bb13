// See messages.h.
#include "cli/messages.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace portcullis {
namespace {

// Wider lines than this are cut around the caret.
constexpr size_t kWidth = 120;

bool colourful(int fd) { return std::getenv("NO_COLOR") == nullptr && isatty(fd) == 1; }

// Smaller texts are searched from the start; they may be gone, and others in their place, when the
// next message comes.
constexpr size_t kWholeFile = 64 * 1024;

// Finds lines of a text. Messages come in the order of the file for the most part, and a file may give very
// many, so in a large one the search goes on from the line that was found last.
class LineSearch {
 public:
  std::string_view find(std::string_view source, int number) {
    bool same =
        source.size() >= kWholeFile && source.data() == source_.data() && source.size() == source_.size();
    if (!same || number < line_) {
      source_ = source;
      line_ = 1;
      start_ = 0;
    }
    for (; line_ < number; line_++) {
      size_t end = source.find('\n', start_);
      if (end == source.npos) return {};
      start_ = end + 1;
    }
    size_t end = source.find_first_of("\r\n", start_);
    return source.substr(start_, end == source.npos ? end : end - start_);
  }

 private:
  std::string_view source_;
  int line_ = 1;
  size_t start_ = 0;
};

bool continues_character(char c) { return (c & 0xc0) == 0x80; }

}  // namespace

bool colour_out() {
  static const bool yes = colourful(STDOUT_FILENO);
  return yes;
}
bool colour_error() {
  static const bool yes = colourful(STDERR_FILENO);
  return yes;
}

const Paint& paint(bool colour) {
  static const Paint kPlain = {},
                     kColour = {"\033[1m", "\033[1;31m", "\033[1;33m", "\033[32m", "\033[2m", "\033[0m"};
  return colour ? kColour : kPlain;
}

std::string point_at(std::string_view source, Position position, std::string_view indent) {
  if (position.line < 1 || position.column < 1) return {};
  static thread_local LineSearch search;
  std::string_view line = search.find(source, position.line);
  if (line.empty()) return {};
  size_t at = 0;
  for (int column = 1; column < position.column && at < line.size(); column++) {
    do {
      at++;
    } while (at < line.size() && continues_character(line[at]));
  }
  size_t from = at > kWidth / 2 && line.size() > kWidth ? at - kWidth / 2 : 0;
  while (from > 0 && continues_character(line[from])) from--;
  size_t length = std::min(kWidth, line.size() - from);
  while (from + length < line.size() && continues_character(line[from + length])) length++;
  std::string shown, caret;
  for (size_t i = from; i < from + length; i++) {
    auto c = static_cast<unsigned char>(line[i]);
    shown += c < ' ' || c == 0x7f ? (c == '\t' ? ' ' : '?')
                                  : static_cast<char>(c);  // nothing that moves the cursor
    if (i < at && !continues_character(line[i])) caret += ' ';
  }
  return std::string(indent) + shown + "\n" + std::string(indent) + caret + "^\n";
}

std::string message_text(Severity severity, std::string_view file, Position position, std::string_view text,
                         std::string_view source, const Paint& p) {
  static constexpr const char* kNames[] = {"error", "warning", "note"};
  std::string_view colours[] = {p.red, p.yellow, p.dim};
  std::string out(p.bold);
  if (!file.empty()) {
    out += file;
    if (position.line > 0) out += ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
    out += ": ";
  }
  out.append(p.reset).append(colours[static_cast<int>(severity)]).append(kNames[static_cast<int>(severity)]);
  out.append(p.reset).append(": ").append(text).append("\n");
  return out + point_at(source, position, "  | ");
}

void say(Severity severity, std::string_view file, Position position, std::string_view text,
         std::string_view source) {
  std::string out = message_text(severity, file, position, text, source, paint(colour_error()));
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace portcullis
