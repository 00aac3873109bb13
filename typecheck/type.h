// Type: static CEL types, and how they print.
//
// Idea: immutable nodes compared structurally; primitives are constants, composed types live in a TypePool.
// Everybody passes `const Type*`. Printing has two forms, as in cel-go: `format_type` for checker messages
// ("list(int)", "timestamp", "null"), `Type::name` form for "must evaluate to" texts and outputType
// ("google.protobuf.Timestamp", "null_type"): see cel-language.md 6.
// Tested by typecheck/type_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis {

enum class TypeKind : uint8_t {
  Dyn, Any, Error, Null, Bool, Int, Uint, Double, String, Bytes, Timestamp, Duration,
  List, Map,
  Type,     // type(T); params empty for the bare `type`
  Wrapper,  // nullable primitive; params[0] the primitive
  Opaque,   // named, with parameters: optional_type(T), net.IP, kubernetes.URL
  Struct,   // named, fields known to a TypeProvider
  Param,    // type parameter or type variable, by name
  Function, // internal to the checker: params[0] result, then arguments
};

class Type {
 public:
  Type(TypeKind kind, std::string name, std::vector<const Type*> params = {})
      : kind_(kind), name_(std::move(name)), params_(std::move(params)) {}

  TypeKind kind() const { return kind_; }
  bool is(TypeKind k) const { return kind_ == k; }
  // Runtime name: "int", "list", "google.protobuf.Timestamp", "optional_type", a struct's or parameter's name.
  const std::string& name() const { return name_; }
  std::span<const Type* const> params() const { return params_; }
  const Type* param(size_t i) const { return params_[i]; }
  bool is_optional() const { return kind_ == TypeKind::Opaque && name_ == "optional_type"; }

 private:
  TypeKind kind_;
  std::string name_;
  std::vector<const Type*> params_;
};

// The types without parameters. Constants; never destroyed.
namespace types {
extern const Type* const kDyn;
extern const Type* const kAny;
extern const Type* const kError;
extern const Type* const kNull;
extern const Type* const kBool;
extern const Type* const kInt;
extern const Type* const kUint;
extern const Type* const kDouble;
extern const Type* const kString;
extern const Type* const kBytes;
extern const Type* const kTimestamp;
extern const Type* const kDuration;
extern const Type* const kType;
extern const Type* const kListOfDyn;
extern const Type* const kMapOfDyn;  // map(dyn, dyn)
}  // namespace types

// Owns composed types; addresses are stable for the life of the pool. Not thread-safe while types are added.
class TypePool {
 public:
  const Type* list(const Type* element);
  const Type* map(const Type* key, const Type* value);
  const Type* type_of(const Type* t);
  const Type* wrapper(const Type* primitive);
  const Type* optional(const Type* t);
  const Type* opaque(std::string_view name, std::vector<const Type*> params = {});
  const Type* structure(std::string_view name);
  const Type* param(std::string_view name);
  const Type* function(const Type* result, std::span<const Type* const> args);

 private:
  const Type* add(TypeKind kind, std::string_view name, std::vector<const Type*> params);
  std::deque<Type> types_;
};

// Same kind, name and parameters.
bool same_type(const Type* a, const Type* b);

// As cel-go's checker.FormatCELType: "list(int)", "map(string, dyn)", "timestamp", "null", "wrapper(int)", "!error!".
std::string format_type(const Type* t);

// As cel-go's (*types.Type).String(): "google.protobuf.Timestamp", "null_type", "list(<T>)".
std::string type_string(const Type* t);

// The fields of struct types, where they are known (request, namespaceObject, variables, schema types).
// Implementations must be immutable while expressions are checked.
class TypeProvider {
 public:
  virtual ~TypeProvider() = default;
  // The struct type of this full name, or null.
  virtual const Type* find_struct(std::string_view name) const = 0;
  // Type of a field, or null if the struct has no such field.
  virtual const Type* find_field(std::string_view struct_name, std::string_view field) const = 0;
};

}  // namespace portcullis
