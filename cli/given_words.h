// The words of a command line for CLI11, which reports empty and forgotten values.
//
// Idea: CLI11 (2.1) takes the next word for the value of `--name=`, and of `--name` whatever that word is. So a pipeline
// with an unset variable would lose a manifest or a gate. Here each value is found first, by the same rules but these: an
// empty value after `=` is one, and a flag is no value. A part of the programs that use CLI11. Tested by
// tests/cli/usage.txt.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace portcullis {

// The text of an error of CLI11. A flag that is given twice is told so, not counted.
inline std::string error_text(const CLI::ParseError& error) {
  const std::string text = error.what();
  const size_t repeated = text.find(": At Most 1 required but received");
  return repeated == text.npos ? text : text.substr(0, repeated) + " is given more than once";
}

class GivenWords {
 public:
  // `command` takes the words.
  explicit GivenWords(const CLI::App& command) : command_(command) {}

  // The words, last one first, as CLI::App::parse takes them. Throws a CLI::ParseError, as that does.
  std::vector<std::string> reversed(std::vector<std::string> words) {
    for (size_t i = 0; i < words.size(); i++) {
      if (words[i] == "--") {  // only arguments follow
        out_.insert(out_.end(), words.begin() + static_cast<ptrdiff_t>(i), words.end());
        break;
      }
      const std::string asking = take(words[i]);
      if (asking.empty() || i + 1 == words.size()) continue;
      const std::string& value = words[++i];
      const size_t name = value.starts_with("--") ? value.find('=') : 2;
      if (find(value.substr(0, name)) != nullptr)
        throw CLI::ArgumentMismatch(asking + " wants a value, and " + value + " is a flag");
      out_.push_back(value);
    }
    std::reverse(out_.begin(), out_.end());
    return std::move(out_);
  }

 private:
  // The option of a name with its dashes; null if there is none.
  const CLI::Option* find(const std::string& name) const {
    return name.starts_with('-') && name != "-" && name != "--" ? command_.get_option_no_throw(name)
                                                                : nullptr;
  }
  // Takes a word that is no value. Returns the option whose value the next word is; empty: none is.
  std::string take(const std::string& word) {
    out_.push_back(word);
    if (word.starts_with("--")) {
      const size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const CLI::Option* option = find(name);
      if (option == nullptr) return {};
      const bool wants = option->get_items_expected_min() > 0;
      if (equals == word.npos) return wants ? name : "";
      if (equals + 1 < word.size()) return {};
      if (!wants) throw CLI::ArgumentMismatch(word + " gives an empty value");
      out_.back() = name;
      out_.emplace_back();
      return {};
    }
    for (size_t i = 1; word.starts_with('-') && i < word.size(); i++) {
      const std::string name = {'-', word[i]};
      const CLI::Option* option = find(name);
      if (option == nullptr) break;
      if (option->get_items_expected_min() > 0) return i + 1 == word.size() ? name : "";
    }
    return {};
  }

  const CLI::App& command_;
  std::vector<std::string> out_;
};

}  // namespace portcullis
