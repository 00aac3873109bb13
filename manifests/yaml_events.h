// libyaml's events with their positions, for the readers of YAML (yaml.cc makes values, positions.cc an
// index).
//
// Limits: kMaxYamlWork. Tested by manifests/yaml_test.cc.
#pragma once

#include <yaml.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "grammar/result.h"
#include "manifests/yaml.h"

namespace portcullis {

// A text of libyaml; empty if null.
inline std::string_view view(const yaml_char_t* s) {
  return s == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(s));
}

// Whether a text is lines, of which a line break ends the last one, too: kubectl reads files so, and a block scalar
// at the end of a file ends with a line break.
enum class YamlForm : uint8_t { Text, Lines };

// libyaml's parser with the current event; frees both. The text must outlive it.
class YamlEvents {
 public:
  // `first_line`: the number of the text's first line in errors.
  explicit YamlEvents(std::string_view text, YamlForm form = YamlForm::Text, int first_line = 1)
      : text_(text),
        rest_(text),
        break_(form == YamlForm::Lines && !text.empty() && !text.ends_with('\n')),
        first_line_(first_line) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input(&parser_, read, this);
  }
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;
  ~YamlEvents() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  // Moves to the next event; false on a syntax error.
  bool next() {
    yaml_event_delete(&event_);
    event_ = {};
    if (!yaml_parser_parse(&parser_, &event_)) return false;
    const auto type = event_.type;
    const bool flow =
        (type == YAML_MAPPING_START_EVENT && event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE) ||
        (type == YAML_SEQUENCE_START_EVENT && event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
    if (flow) flow_depth_++;
    if (flow_depth_ > 0 && (type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT)) flow_depth_--;
    work_ += flow_depth_;
    return work_ <= kMaxYamlWork && !has_question_mark();
  }

  const yaml_event_t& event() const { return event_; }
  yaml_event_type_t type() const { return event_.type; }
  // The text of a scalar.
  std::string_view text() const {
    const auto& s = event_.data.scalar;
    return {reinterpret_cast<const char*>(s.value), s.length};
  }
  // The start of the event.
  Position position() const { return position_of(event_.start_mark); }

  // The text from the start of the event on.
  std::string_view from_here() const {
    constexpr std::string_view kByteOrderMark = "\ufeff";  // which libyaml does not count
    std::string_view rest = text_;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    size_t at = 0;
    for (size_t left = event_.start_mark.index; left > 0 && at < rest.size(); left--) {
      do at++;
      while (at < rest.size() && (rest[at] & 0xc0) == 0x80);
    }
    return rest.substr(at);
  }

  // The error after next() returned false.
  Error error() const {
    if (work_ > kMaxYamlWork)
      return {"yaml: too many values lie too deep to be read in bounded time", position()};
    if (has_question_mark())
      return {"yaml: found unexpected '?' within [] or {}; put the text in quotes", position()};
    std::string text = std::string("yaml: ") + (parser_.problem ? parser_.problem : "cannot be read");
    if (parser_.error == YAML_READER_ERROR) return {text, position_of(parser_.problem_offset)};
    if (text.ends_with("found unexpected ':'")) text += "; put the text before it in quotes";
    // An unclosed collection is detected at the end of the file; its start says more.
    if (parser_.context != nullptr && parser_.context_mark.line != parser_.problem_mark.line) {
      size_t line = parser_.context_mark.line + static_cast<size_t>(first_line_);
      text += std::string(" ") + parser_.context + " from line " + std::to_string(line);
    }
    return {text, position_of(parser_.problem_mark)};
  }

 private:
  // Hands the text to libyaml.
  static int read(void* self, unsigned char* buffer, size_t size, size_t* read) {
    YamlEvents& events = *static_cast<YamlEvents*>(self);
    *read = events.rest_.copy(reinterpret_cast<char*>(buffer), size);
    events.rest_.remove_prefix(*read);
    if (*read == 0 && size > 0 && events.break_) {
      events.break_ = false;
      buffer[(*read)++] = '\n';
    }
    return 1;
  }

  // A `?` ends a plain scalar in flow style for goyaml, which then finds no `,`. libyaml has it in the scalar.
  bool has_question_mark() const {
    return flow_depth_ > 0 && event_.type == YAML_SCALAR_EVENT &&
           event_.data.scalar.style == YAML_PLAIN_SCALAR_STYLE && text().find('?') != std::string_view::npos;
  }

  static Position position_of(const yaml_mark_t& mark) {
    return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
  }
  // An error of the reader (encoding, control characters) has a byte offset instead of a mark.
  Position position_of(size_t offset) const {
    Position p = {1, 1};
    for (char c : text_.substr(0, offset)) {
      p.column = c == '\n' ? 1 : p.column + ((c & 0xc0) != 0x80);
      p.line += c == '\n';
    }
    return p;
  }

  std::string_view text_, rest_;  // rest_: what libyaml has not yet
  bool break_;                    // a line break follows the text
  int first_line_;
  yaml_parser_t parser_ = {};
  yaml_event_t event_ = {};
  uint64_t flow_depth_ = 0, work_ = 0;  // kMaxYamlWork
};

}  // namespace portcullis
