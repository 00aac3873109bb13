// See type.h.
#include "typecheck/type.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "typecheck/shared_nodes.h"

namespace portcullis {

namespace types {
namespace {

using K = TypeKind;
struct Nodes {
  Type dyn{K::Dyn, "dyn"}, any{K::Any, "google.protobuf.Any"}, error{K::Error, "error"},
      null{K::Null, "null_type"}, boolean{K::Bool, "bool"}, integer{K::Int, "int"}, uinteger{K::Uint, "uint"},
      real{K::Double, "double"}, string{K::String, "string"}, bytes{K::Bytes, "bytes"},
      timestamp{K::Timestamp, "google.protobuf.Timestamp"}, duration{K::Duration, "google.protobuf.Duration"},
      type{K::Type, "type"}, list_of_dyn{K::List, "list", {&dyn}}, map_of_dyn{K::Map, "map", {&dyn, &dyn}},
      map_of_string_to_dyn{K::Map, "map", {&string, &dyn}};
};

// Made before all variables of usual priority, since these may be environments, those of an embedder, too; and never
// destroyed, since such variables are destroyed later.
struct Kept {
  union {
    Nodes nodes;
  };
  Kept() : nodes() {}
  ~Kept() {}
};
[[gnu::init_priority(102)]] Kept kept;

}  // namespace

constinit const Type* const kDyn = &kept.nodes.dyn;
constinit const Type* const kAny = &kept.nodes.any;
constinit const Type* const kError = &kept.nodes.error;
constinit const Type* const kNull = &kept.nodes.null;
constinit const Type* const kBool = &kept.nodes.boolean;
constinit const Type* const kInt = &kept.nodes.integer;
constinit const Type* const kUint = &kept.nodes.uinteger;
constinit const Type* const kDouble = &kept.nodes.real;
constinit const Type* const kString = &kept.nodes.string;
constinit const Type* const kBytes = &kept.nodes.bytes;
constinit const Type* const kTimestamp = &kept.nodes.timestamp;
constinit const Type* const kDuration = &kept.nodes.duration;
constinit const Type* const kType = &kept.nodes.type;
constinit const Type* const kListOfDyn = &kept.nodes.list_of_dyn;
constinit const Type* const kMapOfDyn = &kept.nodes.map_of_dyn;
constinit const Type* const kMapOfStringToDyn = &kept.nodes.map_of_string_to_dyn;
}  // namespace types

namespace {

const Type* wrapper_constant(const Type* primitive) {
  return new Type(TypeKind::Wrapper, primitive->name(), {primitive});
}

struct WellKnown {
  std::string_view name;
  const Type* type;
};

// Of several names of a type the first one is what makes it.
const auto& well_known_types() {
  using namespace types;
  static const std::array<WellKnown, 16>* const table = new std::array<WellKnown, 16>{{
      {"Any", kAny},
      {"BoolValue", wrapper_constant(kBool)},
      {"BytesValue", wrapper_constant(kBytes)},
      {"DoubleValue", wrapper_constant(kDouble)},
      {"Duration", kDuration},
      {"FloatValue", wrapper_constant(kDouble)},
      {"Int64Value", wrapper_constant(kInt)},
      {"Int32Value", wrapper_constant(kInt)},
      {"ListValue", kListOfDyn},
      {"NullValue", kNull},
      {"StringValue", wrapper_constant(kString)},
      {"Struct", kMapOfStringToDyn},
      {"Timestamp", kTimestamp},
      {"UInt64Value", wrapper_constant(kUint)},
      {"UInt32Value", wrapper_constant(kUint)},
      {"Value", kDyn},
  }};
  return *table;
}

// The parameters that comparisons look at. A wrapper compares as its primitive, which has none.
std::span<const Type* const> params_of(const Type* t) {
  return t->is(TypeKind::Wrapper) ? std::span<const Type* const>{} : t->params();
}

bool compare_types(const Type* a, const Type* b, bool param_names_matter, MetPairs& met) {
  if (a == b) return true;
  if (a->base_kind() != b->base_kind()) return false;
  auto pa = params_of(a), pb = params_of(b);
  if (pa.size() != pb.size()) return false;
  if ((param_names_matter || !a->is(TypeKind::Param)) && a->name() != b->name()) return false;
  // A pair that differs ends the walk, so a pair visited before is equal.
  if (pa.empty() || met.holds(a, b)) return true;
  met.keep(a, b);
  for (size_t i = 0; i < pa.size(); ++i) {
    if (!compare_types(pa[i], pb[i], param_names_matter, met)) return false;
  }
  return true;
}

bool is_assignable(const Type* to, const Type* from, MetPairs& met) {
  if (to->is(TypeKind::Wrapper)) return from->is(TypeKind::Null) || is_assignable(to->param(0), from, met);
  if (to->is_dyn() || to->is(TypeKind::Param)) return true;
  if (to == from) return true;
  if (to->base_kind() != from->base_kind() || to->name() != from->name()) return false;
  auto pt = params_of(to), pf = params_of(from);
  if (pt.size() != pf.size()) return false;
  if (pt.empty() || met.holds(to, from)) return true;
  met.keep(to, from);
  for (size_t i = 0; i < pt.size(); ++i) {
    if (!is_assignable(pt[i], pf[i], met)) return false;
  }
  return true;
}

// The name of a type without parameters in messages, which have short names for timestamps and the like.
std::string_view message_name(const Type* t) {
  switch (t->kind()) {
    case TypeKind::Any: return "any";
    case TypeKind::Duration: return "duration";
    case TypeKind::Timestamp: return "timestamp";
    case TypeKind::Error: return "!error!";
    case TypeKind::Null: return "null";
    default: return t->name();
  }
}

// Appends the text of `t`, in the form of messages or of outputs, up to kMaxTypeText.
void print_type(const Type* t, bool for_message, std::string& out) {
  if (out.size() > kMaxTypeText) return;
  auto list = [&](std::span<const Type* const> types) {
    out += '(';
    for (size_t i = 0; i < types.size(); ++i) {
      if (i > 0) out += ", ";
      print_type(types[i], for_message, out);
    }
    out += ')';
  };
  if (t->is(TypeKind::Wrapper)) {
    out += "wrapper(" + t->name() + ")";
  } else if (t->is(TypeKind::Param) && !for_message) {
    out += "<" + t->name() + ">";
  } else if (t->is(TypeKind::Function) && for_message) {
    list(t->params().subspan(1));
    out += " -> ";
    print_type(t->param(0), for_message, out);
  } else {
    out += for_message ? message_name(t) : t->name();
    if (!t->params().empty()) list(t->params());
  }
}

constexpr std::string_view kMessagePackage = "google.protobuf.";

}  // namespace

const Type* basic_type(std::string_view name) {
  using namespace types;
  for (const Type* type : {kString, kInt, kBool, kDouble, kUint, kBytes, kType, kNull}) {
    if (type->name() == name) return type;
  }
  return nullptr;
}

const Type* well_known_type(std::string_view name) {
  if (!name.starts_with(kMessagePackage)) return nullptr;
  name.remove_prefix(kMessagePackage.size());
  for (const WellKnown& known : well_known_types()) {
    if (known.name == name) return known.type;
  }
  return nullptr;
}

std::string well_known_name(const Type* t) {
  for (const WellKnown& known : well_known_types()) {
    if (known.type->kind() == t->kind() && same_type(known.type, t))
      return std::string(kMessagePackage).append(known.name);
  }
  return {};
}

size_t TypePool::Shallow::hash(const Parts& p) {
  size_t h = std::hash<std::string_view>{}(p.name) * 31 + static_cast<size_t>(p.kind);
  for (const Type* param : p.params) h = h * 1000003 + reinterpret_cast<uintptr_t>(param) / alignof(Type);
  return h;
}

bool TypePool::Shallow::equal(const Parts& a, const Parts& b) {
  return a.kind == b.kind && a.name == b.name &&
         std::equal(a.params.begin(), a.params.end(), b.params.begin(), b.params.end());
}

const Type* TypePool::add(TypeKind kind, std::string_view name, std::vector<const Type*> params,
                          int32_t variable) {
  auto known = index_.find(Parts{kind, name, params});
  if (known != index_.end()) return *known;
  const Type* made = &types_.emplace_back(kind, std::string(name), std::move(params), variable);
  index_.insert(made);
  return made;
}

const Type* TypePool::list(const Type* element) {
  return element == types::kDyn ? types::kListOfDyn : add(TypeKind::List, "list", {element});
}
const Type* TypePool::map(const Type* key, const Type* value) {
  if (value == types::kDyn && key == types::kDyn) return types::kMapOfDyn;
  if (value == types::kDyn && key == types::kString) return types::kMapOfStringToDyn;
  return add(TypeKind::Map, "map", {key, value});
}
const Type* TypePool::type_of(const Type* t) { return add(TypeKind::Type, "type", {t}); }
const Type* TypePool::wrapper(const Type* primitive) {
  return add(TypeKind::Wrapper, primitive->name(), {primitive});
}
const Type* TypePool::optional(const Type* t) { return add(TypeKind::Opaque, "optional_type", {t}); }
const Type* TypePool::opaque(std::string_view name, std::vector<const Type*> params) {
  return add(TypeKind::Opaque, name, std::move(params));
}
const Type* TypePool::structure(std::string_view name) {
  const Type* known = well_known_type(name);
  return known ? known : add(TypeKind::Struct, name, {});
}
const Type* TypePool::param(std::string_view name) { return add(TypeKind::Param, name, {}); }
const Type* TypePool::function(const Type* result, std::span<const Type* const> args) {
  std::vector<const Type*> params{result};
  params.insert(params.end(), args.begin(), args.end());
  return add(TypeKind::Function, "function", std::move(params));
}
const Type* TypePool::variable(int32_t number) {
  return add(TypeKind::Param, "_var" + std::to_string(number), {}, number);
}

const Type* TypePool::copy(const Type* t) {
  MadeTypes made;
  return copy(t, made);
}

const Type* TypePool::copy(const Type* t, MadeTypes& made) {
  // All pools share the constant types.
  using namespace types;
  for (const Type* constant : {kDyn, kAny, kError, kNull, kBool, kInt, kUint, kDouble, kString, kBytes,
                               kTimestamp, kDuration, kType}) {
    if (t == constant) return t;
  }
  if (const Type* known = made.find(t)) return known;
  std::vector<const Type*> params;
  for (const Type* p : t->params()) params.push_back(copy(p, made));
  switch (t->kind()) {
    case TypeKind::List: return made.keep(t, list(params[0]));
    case TypeKind::Map: return made.keep(t, map(params[0], params[1]));
    default: return made.keep(t, add(t->kind(), t->name(), std::move(params), t->variable()));
  }
}

bool same_type(const Type* a, const Type* b) {
  MetPairs met;
  return compare_types(a, b, true, met);
}
bool equivalent_types(const Type* a, const Type* b) {
  MetPairs met;
  return compare_types(a, b, false, met);
}

bool assignable_type(const Type* to, const Type* from) {
  MetPairs met;
  return is_assignable(to, from, met);
}

std::string format_type(const Type* t) {
  std::string out;
  print_type(t, true, out);
  return out;
}

std::string type_mismatch(const Type* expected, const Type* found) {
  return "expected type '" + format_type(expected) + "' but found '" + format_type(found) + "'";
}

std::string type_string(const Type* t) {
  std::string out;
  print_type(t, false, out);
  return out;
}

}  // namespace portcullis
