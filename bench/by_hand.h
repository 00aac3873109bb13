// The five checks written by hand in C++ on simdjson's DOM, as somebody would write them who needs only these
// five.
#pragma once

#include <cstddef>
#include <memory>

namespace portcullis::bench {

// A DOM parser and the document that it parsed last.
class HandWritten {
 public:
  HandWritten();
  ~HandWritten();
  // Parses `text`, which must have simdjson::SIMDJSON_PADDING readable bytes behind its end. False if it is not
  // JSON.
  bool parse(const char* text, size_t size);
  // The number of the five checks that the document passes.
  int passed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace portcullis::bench
