// See false_alarms.h.
#include "admission/typing/false_alarms.h"

#include <algorithm>

#include "admission/expressions/environment.h"
#include "grammar/escape.h"
#include "grammar/parse.h"
#include "typecheck/check.h"

namespace portcullis {
namespace {

const crd::Schema* property_of(const crd::Schema& schema, std::string_view escaped) {
  for (const auto& [name, property] : schema.properties) {
    if (escape_property(name).value_or("") == escaped) return property.get();
  }
  return nullptr;
}

// The schema of a type that is named by its path ("Pod.spec.containers.@idx"); null if it has none.
const crd::Schema* schema_at(std::string_view name, std::span<const SchemaRoot> roots) {
  for (const SchemaRoot& root : roots) {
    if (root.schema == nullptr || !name.starts_with(root.type)) continue;
    const crd::Schema* at = root.schema.get();
    std::string_view rest = name.substr(root.type.size());
    while (at != nullptr && rest.starts_with('.')) {
      std::string_view step = rest.substr(1, rest.find('.', 1) - 1);
      rest.remove_prefix(step.size() + 1);
      at = step == "@idx" ? at->items.get() : step == "@elem" ? at->additional.get() : property_of(*at, step);
    }
    if (at != nullptr && rest.empty()) return at;
  }
  return nullptr;
}

bool is_data(const Type* t, std::span<const SchemaRoot> roots) {
  return t != nullptr && t->is(TypeKind::Struct) && std::ranges::any_of(roots, [&](const SchemaRoot& r) {
           std::string_view rest = std::string_view(t->name());
           if (!rest.starts_with(r.type)) return false;
           rest.remove_prefix(r.type.size());
           return rest.empty() || rest[0] == '.';
         });
}

const Type* operand_type(const Expr& select) {
  bool optional = select.is_call(operators::kOptSelect, 2);
  const Expr* operand = optional ? select.args[0] : select.target;
  if (operand == nullptr || operand->type == nullptr) return nullptr;
  return operand->type->is_optional() ? operand->type->param(0) : operand->type;
}

std::string false_field(std::string_view field, const Expr& node, std::span<const SchemaRoot> roots) {
  const Type* t = operand_type(node);
  if (t == nullptr) return {};
  if (t->name() == kAuthorizerType && field == "requestResource")
    return "authorizer.requestResource is there when the policy runs";
  const crd::Schema* schema = is_data(t, roots) ? schema_at(t->name(), roots) : nullptr;
  if (schema == nullptr) return {};
  if (schema->property(field) != nullptr) return "the field is there when the policy runs";
  bool open = schema->preserve_unknown_fields || (schema->properties.empty() && schema->type == "object");
  return open ? "the schema does not say which fields are there when the policy runs" : "";
}

// The types of values when the policy runs.
class Plain {
 public:
  Plain(TypePool& pool, std::span<const SchemaRoot> roots) : pool_(pool), roots_(roots) {}

  const Type* of(const Expr& e) {
    bool field = (e.kind == ExprKind::Select || e.is_call(operators::kOptSelect, 2)) &&
                 is_data(operand_type(e), roots_);
    return of(e.type, field);
  }
  bool changed() const { return changed_; }

 private:
  // `field`: the value comes directly from an object, where formats are texts.
  const Type* of(const Type* t, bool field) {
    bool format = t->is(TypeKind::Timestamp) || t->is(TypeKind::Duration) || t->is(TypeKind::Bytes);
    if (is_data(t, roots_) || (field && format)) {
      changed_ = true;
      return format ? types::kString : types::kMapOfStringToDyn;
    }
    if (t->is(TypeKind::List)) return pool_.list(of(t->param(0), field));
    if (t->is(TypeKind::Map)) return pool_.map(of(t->param(0), false), of(t->param(1), field));
    if (t->is_optional()) return pool_.optional(of(t->param(0), field));
    return t->is_open() ? types::kDyn : t;  // a free type variable has no meaning in another check
  }

  TypePool& pool_;
  std::span<const SchemaRoot> roots_;
  bool changed_ = false;
};

std::string name_of_argument(size_t i) { return "a" + std::to_string(i); }

// The call of the same function with arguments a0, a1, ..., as an expression; empty if it cannot be written.
std::string call_text(const Expr& call, size_t arguments) {
  std::string_view f = call.name;
  std::string first = name_of_argument(0), second = name_of_argument(1);
  if (f == operators::kIn) return first + " in " + second;
  if (f == operators::kIndex) return first + "[" + second + "]";
  if (f == operators::kOptIndex) return first + "[?" + second + "]";
  if (f == operators::kConditional) return first + " ? " + second + " : " + name_of_argument(2);
  bool infix = f.starts_with('_') && f.ends_with('_') && arguments == 2;
  if (infix) return first + " " + std::string(f.substr(1, f.size() - 2)) + " " + second;
  if (f.find_first_of("_@!-?") == 0) return {};
  std::string text = call.target != nullptr ? first + "." : "";
  text += std::string(f) + "(";
  for (size_t i = call.target != nullptr ? 1 : 0; i < arguments; i++)
    text += (text.ends_with('(') ? "" : ", ") + name_of_argument(i);
  return text + ")";
}

std::string false_overload(const Expr& call, std::span<const SchemaRoot> roots) {
  std::vector<const Expr*> arguments;
  if (call.target != nullptr) arguments.push_back(call.target);
  arguments.insert(arguments.end(), call.args.begin(), call.args.end());
  EnvironmentBuilder builder(stored_environment());
  Plain plain(builder.types(), roots);
  for (size_t i = 0; i < arguments.size(); i++) {
    if (arguments[i]->type == nullptr) return {};
    builder.variable(name_of_argument(i), plain.of(*arguments[i]));
  }
  std::string text = call_text(call, arguments.size());
  if (!plain.changed() || text.empty()) return {};
  auto environment = builder.build();
  if (!environment.ok()) return {};
  Source source(text);
  Parsed parsed = parse(source, (*environment)->parse_options());
  Annotations annotations;
  if (!parsed.diagnostics.empty()) return {};
  bool works = check(parsed.ast, **environment, annotations).empty();
  return works ? "objects are plain data when the policy runs" : "";
}

}  // namespace

std::string why_false(std::string_view message, const Expr& node, std::span<const SchemaRoot> roots) {
  if (message.starts_with("undefined field")) {
    size_t open = message.find('\''), close = message.rfind('\'');
    return false_field(message.substr(open + 1, close - open - 1), node, roots);
  }
  if (message.starts_with("unexpected failed resolution")) return false_field(node.name, node, roots);
  if (message.starts_with("found no matching overload") && node.kind == ExprKind::Call)
    return false_overload(node, roots);
  bool range = message.find("cannot be range of a comprehension") != message.npos;
  return range && is_data(node.type, roots) ? "objects are plain data when the policy runs" : "";
}

}  // namespace portcullis
