// KindSchemas: the schemas of the kinds of recent requests, kept for later requests.
//
// Limits: kMost kinds, then the cache is cleared. Tested by tests/allocations.cc, tests/admission/mutation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/engine/loaded.h"
#include "admission/patching/kind.h"

namespace portcullis {

class KindSchemas {
 public:
  static constexpr size_t kMost = 64;

  // Forgets schemas of another engine.
  void begin(const Engine::Loaded& engine);
  // The schema of a kind: from the definitions of the engine, else of the built-in kind. `typed` as in
  // AdmissionRequest. Valid until the next `begin`, and while the engine lives.
  const patching::KindSchema& find(const Engine::Loaded& engine, const GroupVersionKind& kind, bool typed);

 private:
  struct Known {
    std::string group, version, kind;  // of the schema, which has views of them
    bool typed;
    patching::KindSchema schema;
  };
  std::shared_ptr<const void> engine_;  // identifies the engine, and keeps its address in use
  std::vector<std::unique_ptr<Known>> known_;
};

}  // namespace portcullis
