// Type: the static types of CEL, and how they are printed.
//
// Idea: types are immutable nodes, compared by structure and passed as `const Type*`. Primitive types are
// constants; composed types live in a TypePool. There are two printed forms, as in cel-go: `format_type` for
// checker messages ("list(int)", "timestamp", "null"), `type_string` for "must evaluate to" texts and
// outputType ("google.protobuf.Timestamp", "null_type").
// Limits: the checker refuses expressions with types deeper than kMaxTypeDepth, since functions that walk a type
// recurse.
// Tested by typecheck/type_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "grammar/ast.h"

namespace portcullis {

enum class TypeKind : uint8_t {
  Dyn,
  Any,
  Error,
  Null,
  Bool,
  Int,
  Uint,
  Double,
  String,
  Bytes,
  Timestamp,
  Duration,
  List,
  Map,
  Type,      // type(T); no params for the bare `type`
  Wrapper,   // a nullable primitive; params[0] is the primitive
  Opaque,    // named, with parameters and without fields: optional_type(T), net.IP
  Struct,    // named; a TypeProvider knows the fields (kubernetes.URL is also one, without fields)
  Param,     // a type parameter or type variable, by name
  Function,  // only in the checker: params[0] is the result, then the arguments
};

// The greatest depth of the type of an expression. Expressions of ordinary policies stay far below; but variables, and
// loops over the results of loops, can nest types without end. Kubernetes has no such bound.
inline constexpr int kMaxTypeDepth = 1000;

class Type {
 public:
  Type(TypeKind kind, std::string name, std::vector<const Type*> params = {}, int32_t variable = -1)
      : kind_(kind),
        open_(kind == TypeKind::Param),
        depth_(1),
        variable_(variable),
        name_(std::move(name)),
        params_(std::move(params)) {
    for (const Type* p : params_) {
      open_ = open_ || p->open_;
      depth_ = std::max<uint16_t>(depth_, p->depth_ < UINT16_MAX ? p->depth_ + 1 : UINT16_MAX);
    }
  }

  TypeKind kind() const { return kind_; }
  bool is(TypeKind k) const { return kind_ == k; }
  // The run-time name: "int", "list", "google.protobuf.Timestamp", "optional_type", the name of a struct or
  // parameter; for a wrapper the name of its primitive.
  const std::string& name() const { return name_; }
  std::span<const Type* const> params() const { return params_; }
  const Type* param(size_t i) const { return params_[i]; }
  // The kind that cel-go compares; for a wrapper the kind of its primitive.
  TypeKind base_kind() const { return kind_ == TypeKind::Wrapper ? params_[0]->kind_ : kind_; }
  bool is_optional() const { return kind_ == TypeKind::Opaque && name_ == "optional_type"; }
  // dyn or any, to which every type can be assigned.
  bool is_dyn() const { return kind_ == TypeKind::Dyn || kind_ == TypeKind::Any; }
  // Whether the type contains a type parameter or variable.
  bool is_open() const { return open_; }
  // The levels of nested types: 1 for int, 2 for list(int). At most 65,535.
  int depth() const { return depth_; }
  // The number of a free variable of the checker ("_var3": 3), -1 for other types.
  int32_t variable() const { return variable_; }

 private:
  TypeKind kind_;
  bool open_;
  uint16_t depth_;
  int32_t variable_;
  std::string name_;
  std::vector<const Type*> params_;
};

// The types without parameters, as constants that are never destroyed.
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
extern const Type* const kMapOfDyn;          // map(dyn, dyn)
extern const Type* const kMapOfStringToDyn;  // map(string, dyn)
}  // namespace types

class MadeTypes;

// Owns composed types, whose addresses stay valid as long as the pool. Not thread-safe while types are added.
// The same parts give the same node again, so comparing stays cheap where each step of an expression doubles
// a type. Types of different pools must be compared by same_type.
class TypePool {
 public:
  TypePool() = default;
  TypePool(const TypePool&) = delete;
  TypePool& operator=(const TypePool&) = delete;
  TypePool(TypePool&&) = default;
  TypePool& operator=(TypePool&&) = default;

  const Type* list(const Type* element);
  const Type* map(const Type* key, const Type* value);
  const Type* type_of(const Type* t);
  const Type* wrapper(const Type* primitive);
  const Type* optional(const Type* t);
  const Type* opaque(std::string_view name, std::vector<const Type*> params = {});
  // The struct type of that name. A well-known protobuf name gives the CEL type it stands for, as in cel-go
  // ("google.protobuf.Struct": map(string, dyn), "google.protobuf.Int64Value": wrapper(int)).
  const Type* structure(std::string_view name);
  const Type* param(std::string_view name);
  const Type* function(const Type* result, std::span<const Type* const> args);
  // A free variable of the checker, printed as "_var<number>".
  const Type* variable(int32_t number);
  // A deep copy of `t` that lives in this pool (types without parameters are shared).
  const Type* copy(const Type* t);

 private:
  // The parts of a node by which the pool finds it.
  struct Parts {
    TypeKind kind;
    std::string_view name;
    std::span<const Type* const> params;
  };
  struct Shallow {
    using is_transparent = void;
    static Parts parts(const Type* t) { return {t->kind(), t->name(), t->params()}; }
    static const Parts& parts(const Parts& p) { return p; }
    size_t operator()(const auto& t) const { return hash(parts(t)); }
    bool operator()(const auto& a, const auto& b) const { return equal(parts(a), parts(b)); }
    static size_t hash(const Parts& p);
    static bool equal(const Parts& a, const Parts& b);
  };
  const Type* copy(const Type* t, MadeTypes& made);
  const Type* add(TypeKind kind, std::string_view name, std::vector<const Type*> params,
                  int32_t variable = -1);

  std::list<Type> types_;
  std::unordered_set<const Type*, Shallow, Shallow> index_;
};

// The type whose name is an identifier of CEL and that has no parameters ("int", "null_type"), or null.
const Type* basic_type(std::string_view name);
// The CEL type of a well-known protobuf name ("google.protobuf.Timestamp": timestamp), or null.
const Type* well_known_type(std::string_view name);
// The protobuf name that makes the type ("google.protobuf.Int64Value": wrapper(int)); empty if there is none.
std::string well_known_name(const Type* t);

// Same kind, name and parameters. As in cel-go a wrapper is the same as its primitive.
bool same_type(const Type* a, const Type* b);

// Like same_type, but the names of type parameters do not matter (cel-go: IsEquivalentType).
bool equivalent_types(const Type* a, const Type* b);

// Whether a value of static type `from` may be used where `to` is declared, without type variables. As
// cel-go's (*types.Type).IsAssignableType, which compares declarations; the checker has rules of its own
// (unify.h).
bool assignable_type(const Type* to, const Type* from);

// The longest text of a type, in bytes; the rest is cut off. A short expression can have a type whose text
// would not fit into memory.
inline constexpr size_t kMaxTypeText = 1 << 20;

// The form of cel-go's checker.FormatCELType: "list(int)", "map(string, dyn)", "timestamp", "null",
// "wrapper(int)", "!error!".
std::string format_type(const Type* t);
// What is reported where `found` is not assignable to `expected`.
std::string type_mismatch(const Type* expected, const Type* found);

// The form of cel-go's (*types.Type).String(): "google.protobuf.Timestamp", "null_type", "list(<T>)".
std::string type_string(const Type* t);

// The fields of struct types, where they are known (request, namespaceObject, variables, schema types).
// Implementations must be immutable while expressions are checked, and outlive the environments they are in.
// How values of a struct are made and read at run time: interpreter/values/structs.h.
struct StructForm;

class TypeProvider {
 public:
  virtual ~TypeProvider() = default;
  // The struct type of this full name, or null.
  virtual const Type* find_struct(std::string_view name) const = 0;
  // The form of values of the struct; null: plain ones. The name of a struct with a form is no
  // value of type `type`.
  virtual const StructForm* find_form(std::string_view /*name*/) const { return nullptr; }
  // The type that expressions can call by this name, or null.
  virtual const Type* find_type_name(std::string_view name) const { return find_struct(name); }
  // Type of a field, or null if the struct has no such field.
  virtual const Type* find_field(std::string_view struct_name, std::string_view field) const = 0;
  // The value of an enum constant by its full name, or null.
  virtual const int64_t* find_enum(std::string_view /*name*/) const { return nullptr; }
};

}  // namespace portcullis
