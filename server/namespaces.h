// Asks whoever knows the namespaces for one that the set of policies does not have yet.
// Tested by tests/server/watching.py.
#pragma once

#include <functional>
#include <string>

namespace portcullis::server {

class Namespaces {
 public:
  virtual ~Namespaces() = default;
  // Looks for a namespace, and calls `done` from another thread, once: with an empty text if it is in the current set
  // now, or certainly nowhere; otherwise with the reason why that is unknown. Thread-safe; does not wait.
  virtual void find(const std::string& name, std::function<void(std::string)> done) = 0;
};

}  // namespace portcullis::server
