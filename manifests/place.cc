// See place.h.
#include "manifests/place.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "grammar/utf8.h"

namespace portcullis {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool continues_character(char c) { return (c & 0xc0) == 0x80; }

// Walks a scalar in the file as it is written.
class Walk {
 public:
  Walk(const PointedText& file, Position node) : file_(file) {
    at_ = offset_in(file, node);
    position_ = node;
    skip_properties();
    char c = at_ < file_.size() ? file_[at_] : '\0';
    if (c == '|' || c == '>') {
      while (at_ < file_.size() && file_[at_] != '\n') step();
    } else if (c == '"' || c == '\'') {
      quote_ = c;
      step();
    }
  }

  Position position() const { return position_; }

  // Reads the next characters that are not white space into `out` (one, or those of an escape), and their
  // position; false at the end.
  bool next(std::string& out, Position& start) {
    out.clear();
    for (;;) {
      while (at_ < file_.size() && is_space(file_[at_])) step();
      if (at_ >= file_.size()) return false;
      start = position_;
      if (quote_ != '\0' && file_[at_] == quote_) {
        step();
        if (quote_ == '"' || at_ >= file_.size() || file_[at_] != '\'') return false;
        out = "'";
        step();
        return true;
      }
      if (quote_ == '"' && file_[at_] == '\\') {
        escape(out);
        if (out.empty() || is_space(out[0])) {
          out.clear();
          continue;
        }
        return true;
      }
      out += file_[at_];
      step();
      return true;
    }
  }

 private:
  void step() {
    char c = file_[at_++];
    if (c == '\n') {
      position_ = {position_.line + 1, 1};
    } else if (at_ >= file_.size() || !continues_character(file_[at_])) {
      position_.column++;
    }
  }
  // Skips tags and anchors.
  void skip_properties() {
    while (at_ < file_.size() && (file_[at_] == '&' || file_[at_] == '!')) {
      while (at_ < file_.size() && !is_space(file_[at_])) step();
      while (at_ < file_.size() && is_space(file_[at_])) step();
    }
  }
  uint32_t hex(size_t digits) {
    uint32_t code = 0;
    size_t end = std::min(at_ + digits, file_.size());
    std::from_chars(file_.data() + at_, file_.data() + end, code, 16);
    while (at_ < end) step();
    return code;
  }
  void escape(std::string& out) {
    step();
    if (at_ >= file_.size()) return;
    char c = file_[at_];
    step();
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
      uint32_t code = hex(digits);
      bool half =
          code >= 0xd800 && code < 0xdc00 && file_.substr(at_, 2) == "\\u";  // JSON escapes surrogate pairs
      if (half) {
        step();
        step();
        code = 0x10000 + ((code - 0xd800) << 10) + ((hex(4) - 0xdc00) & 0x3ff);
      }
      utf8::append(out, code);
    } else if (c == 'n' || c == 't' || c == 'r' || c == '\n') {
      out = " ";
    } else {
      out = std::string(1, c);
    }
  }

  std::string_view file_;
  size_t at_ = 0;
  Position position_;
  char quote_ = '\0';
};

}  // namespace

std::optional<TextMark> find_place(const PointedText& source, Position wanted) {
  const std::string_view text = source;
  TextMark mark = source.mark_before(wanted);
  auto& [line, column] = mark.position;
  for (; line < wanted.line; line++) {
    const size_t end = text.find('\n', mark.at);
    if (end == text.npos) return std::nullopt;
    mark.line_start = mark.at = end + 1;
    column = 1;
  }
  for (; column < wanted.column && mark.at < text.size() && text[mark.at] != '\n'; column++) {
    do {
      mark.at++;
    } while (mark.at < text.size() && continues_character(text[mark.at]));
  }
  return mark;
}

size_t offset_in(const PointedText& text, Position position) {
  const std::optional<TextMark> mark = find_place(text, position);
  return mark ? mark->at : std::string_view(text).size();
}

Position position_in(std::string_view text, int code_point) {
  Position p = {1, 1};
  for (size_t i = 0; i < text.size() && code_point > 0; code_point--) {
    bool line_break = text[i] == '\n';
    do {
      i++;
    } while (i < text.size() && (text[i] & 0xc0) == 0x80);
    p = line_break ? Position{p.line + 1, 1} : Position{p.line, p.column + 1};
  }
  return p;
}

std::optional<Position> place_in_scalar(const PointedText& file, Position node, std::string_view scalar,
                                        size_t offset) {
  if (node.line < 1) return std::nullopt;
  Walk walk(file, node);
  std::string piece;
  Position start = walk.position();
  Position after = start;  // after the last matched character
  size_t i = 0;
  while (i < scalar.size()) {
    while (i < scalar.size() && is_space(scalar[i])) {
      if (i == offset) return after;
      i++;
    }
    if (i >= scalar.size()) break;
    if (!walk.next(piece, start) || scalar.substr(i, piece.size()) != piece) return std::nullopt;
    if (offset < i + piece.size()) return start;
    i += piece.size();
    after = walk.position();
  }
  return after;
}

std::vector<Position> places_in_scalar(const PointedText& file, Position node, std::string_view scalar) {
  std::vector<Position> out(scalar.size());
  if (node.line < 1) return {};
  Walk walk(file, node);
  std::string piece;
  Position start;
  for (size_t i = 0; i < scalar.size(); i += piece.size()) {
    while (i < scalar.size() && is_space(scalar[i])) i++;
    if (i >= scalar.size()) break;
    if (!walk.next(piece, start) || scalar.substr(i, piece.size()) != piece) return {};
    std::fill_n(out.begin() + static_cast<ptrdiff_t>(i), piece.size(), start);
  }
  return out;
}

std::vector<CelIssue> cel_issues(std::string_view message) {
  constexpr std::string_view kStart = "ERROR: <input>:";
  std::vector<CelIssue> out;
  for (size_t at = message.find(kStart); at != message.npos; at = message.find(kStart, at)) {
    at += kStart.size();
    CelIssue issue;
    const char* end = message.data() + message.size();
    auto line = std::from_chars(message.data() + at, end, issue.position.line);
    if (line.ec != std::errc() || line.ptr == end || *line.ptr != ':') continue;
    auto column = std::from_chars(line.ptr + 1, end, issue.position.column);
    if (column.ec != std::errc()) continue;
    size_t text = static_cast<size_t>(column.ptr - message.data()) + 2;
    size_t stop = std::min(message.find("\n | ", std::min(text, message.size())), message.size());
    if (text > stop) continue;
    issue.text = message.substr(text, stop - text);
    out.push_back(issue);
  }
  return out;
}

}  // namespace portcullis
