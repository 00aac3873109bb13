// KindSchemas: the schemas of the kinds of recent requests, kept for later requests; and what the object of a request
// says about the definitions of the API server that sent it.
//
// Limits: kMost kinds, then the cache is cleared. Tested by tests/allocations.cc, tests/admission/mutation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/engine/loaded.h"
#include "admission/patching/kind.h"

namespace portcullis {

class KindSchemas {
 public:
  static constexpr size_t kMost = 64;

  // Starts a request, whose object nothing has changed yet. Forgets schemas of another engine. The engine and the
  // object must live until the next `begin`.
  void begin(const Engine::Loaded& engine, const AdmissionRequest& request);
  // The schema of a kind: from the definitions of the engine, else of the built-in kind. Valid until the next `begin`.
  const patching::KindSchema& find(const GroupVersionKind& kind);
  // What a schema that mutates the object has in `fills_defaults` and `is_older`: whether the API server that sent the
  // object, if one did, seems to have our definition, and whether its definition seems to be newer.
  bool fills_defaults(Arena& arena, const patching::KindSchema& schema);
  bool is_older(const patching::KindSchema& schema);

 private:
  struct Known {
    std::string group, version, kind;  // of the schema, which has views of them
    bool typed;
    patching::KindSchema schema;
  };
  std::shared_ptr<const void> engine_;  // identifies the engine, and keeps its address in use
  std::vector<std::unique_ptr<Known>> known_;

  const Engine::Loaded* loaded_ = nullptr;
  bool typed_ = false, served_ = false;  // as in AdmissionRequest
  Value given_;                          // the object
  // Whether it has the defaults of our definition, and no field but those that this declares; unset until asked.
  std::optional<bool> has_defaults_, declares_all_;
};

}  // namespace portcullis
