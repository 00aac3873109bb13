#include "admission/engine/kind_schemas.h"

#include "admission/crd/definition.h"

namespace portcullis {
namespace {

patching::KindSchema kind_schema_of(const Engine::Loaded& engine, const GroupVersionKind& kind, bool typed) {
  bool version_known = false;
  for (const auto& definition : engine.definitions) {
    if (definition->group != kind.group || !definition->serves(kind.version)) continue;
    if (definition->kind == kind.kind) return patching::custom_kind(*definition, kind.version);
    version_known = true;
  }
  // Schemas are published for a group and version. If only the version is known, a kind can be patched, but
  // no configuration can be applied to it.
  if (version_known)
    return {.group = kind.group,
            .version = kind.version,
            .kind = kind.kind,
            .handling = patching::Handling::Plain};
  return patching::builtin_kind(kind.group, kind.version, kind.kind, typed);
}

}  // namespace

void KindSchemas::begin(const Engine::Loaded& engine, const AdmissionRequest& request) {
  loaded_ = &engine;
  typed_ = request.typed;
  served_ = request.served;
  given_ = request.object;
  has_defaults_.reset();
  declares_all_.reset();
  if (engine_ == engine.paths && known_.size() < kMost) return;
  engine_ = engine.paths;
  known_.clear();
}

const patching::KindSchema& KindSchemas::find(const GroupVersionKind& kind) {
  for (const auto& k : known_) {
    if (k->typed == typed_ && k->kind == kind.kind && k->version == kind.version && k->group == kind.group)
      return k->schema;
  }
  Known& made = *known_.emplace_back(std::make_unique<Known>());
  made.group = kind.group;
  made.version = kind.version;
  made.kind = kind.kind;
  made.typed = typed_;
  made.schema = kind_schema_of(*loaded_, {made.group, made.version, made.kind}, typed_);
  return made.schema;
}

bool KindSchemas::fills_defaults(Arena& arena, const patching::KindSchema& schema) {
  if (!served_) return true;
  if (!has_defaults_) has_defaults_ = patching::has_defaults(arena, schema, given_);
  return *has_defaults_;
}

bool KindSchemas::is_older(const patching::KindSchema& schema) {
  if (!served_) return false;
  if (!declares_all_) declares_all_ = patching::declares_all(schema, given_);
  return !*declares_all_;
}

}  // namespace portcullis
