#include "admission/expressions/variable_fields.h"

#include "typecheck/shared_nodes.h"

namespace portcullis {

const Type* variables_type() {
  static TypePool pool;
  static const Type* const made = pool.structure(kVariablesType);
  return made;
}

const Type* VariableFields::find_struct(std::string_view name) const {
  return name == kVariablesType ? variables_type() : nullptr;
}

const Type* VariableFields::find_field(std::string_view structure, std::string_view field) const {
  if (structure != kVariablesType) return nullptr;
  auto found = fields_.find(field);
  return found == fields_.end() ? nullptr : found->second;
}

void VariableFields::add(std::string_view name, const Type* type) {
  MadeTypes made;
  fields_[std::string(name)] = type == nullptr ? types::kDyn : convert(type, made);
}

std::vector<std::string_view> VariableFields::names() const {
  std::vector<std::string_view> out;
  for (const auto& [name, type] : fields_) out.push_back(name);
  return out;
}

// Kubernetes keeps scalars, lists and maps; any other type becomes dyn.
const Type* VariableFields::convert(const Type* t, MadeTypes& made) {
  if (const Type* known = made.find(t)) return known;
  switch (t->kind()) {
    case TypeKind::Any: return types::kAny;
    case TypeKind::Bool: return types::kBool;
    case TypeKind::Bytes: return types::kBytes;
    case TypeKind::Double: return types::kDouble;
    case TypeKind::Duration: return types::kDuration;
    case TypeKind::Int: return types::kInt;
    case TypeKind::Null: return types::kNull;
    case TypeKind::String: return types::kString;
    case TypeKind::Timestamp: return types::kTimestamp;
    case TypeKind::Uint: return types::kUint;
    case TypeKind::List: return made.keep(t, pool_.list(convert(t->param(0), made)));
    case TypeKind::Map: {
      const Type* key = convert(t->param(0), made);
      return made.keep(t, pool_.map(key, convert(t->param(1), made)));
    }
    default: return types::kDyn;
  }
}

}  // namespace portcullis
