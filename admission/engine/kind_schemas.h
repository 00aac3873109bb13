// KindSchemas: what is known of the kinds that requests are about, kept from one request to the next.
//
// Limits: kMost kinds, then it begins anew. Tested by tests/allocations.cc, tests/admission/mutation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/engine/policy.h"
#include "admission/patching/kind.h"

namespace portcullis {

class KindSchemas {
 public:
  static constexpr size_t kMost = 64;

  // What belongs to another engine is forgotten.
  void begin(const Engine::Loaded& engine);
  // Of an engine's definitions, else of the built-in kinds. `typed` as in AdmissionRequest. Lives until the next
  // `begin`, as long as the engine.
  const patching::KindSchema& find(const Engine::Loaded& engine, const GroupVersionKind& kind, bool typed);

 private:
  struct Known {
    std::string group, version, kind;  // of the schema, which has views of them
    bool typed;
    patching::KindSchema schema;
  };
  std::shared_ptr<const void> engine_;  // tells engines apart, and keeps the address taken
  std::vector<std::unique_ptr<Known>> known_;
};

}  // namespace portcullis
