// VariableFields: the type of `variables`. Each variable of a policy adds a field.
//
// Source of behaviour: apiserver pkg/admission/plugin/cel/composition.go.
// Tested by admission/typing/typecheck_test.cc, tests/oracle/.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "typecheck/type.h"

namespace portcullis {

inline constexpr std::string_view kVariablesType = "kubernetes.variables";

// The struct type of `variables`; a constant.
const Type* variables_type();

class VariableFields final : public TypeProvider {
 public:
  const Type* find_struct(std::string_view name) const override;
  const Type* find_field(std::string_view structure, std::string_view field) const override;
  // Declares or replaces `variables.name`. If `type` is null (the variable does not compile), it is dyn.
  void add(std::string_view name, const Type* type);
  // The names of all fields, in byte order; valid until the next add().
  std::vector<std::string_view> names() const;

 private:
  const Type* convert(const Type* t, MadeTypes& made);

  TypePool pool_;
  std::map<std::string, const Type*, std::less<>> fields_;
};

}  // namespace portcullis
