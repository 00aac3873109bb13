#include "admission/foresight/condition.h"

#include <algorithm>
#include <memory>

#include "grammar/ast.h"
#include "interpreter/values/activation.h"

namespace portcullis::foresight {
namespace {

constexpr Limits kLimits{.cost_limit = kMostCost, .max_memory = size_t{64} << 20, .max_steps = 1'000'000};

const Value& unknown() {
  static constexpr int32_t kNodes[] = {1};
  static const UnknownValue value{kNodes};
  static const Value made = Value::unknown(&value);
  return made;
}

// A map of which some entries are known.
struct PartialMap : Opaque {
  struct Entry {
    std::string_view key;
    Value value;          // perhaps unknown
    bool present = true;  // false: there may be no entry
  };
  Entry* entries;
  size_t count;
  bool closed;                       // it has no other entries
  const builtin::StructRow* fields;  // it has no entries but these; null: not known
};

Value partial(Arena& arena, std::span<const PartialMap::Entry> entries, bool closed,
              const builtin::StructRow* fields = nullptr);

bool always_there(const builtin::FieldRow& f) {
  return f.shape == builtin::kOne && f.scalar == builtin::kStruct &&
         !(f.flags & (builtin::kPointer | builtin::kOmitZero));
}

bool find_entry(const Opaque& self, const Value& key, Ask ask, Arena& arena, Value* out) {
  const auto& map = static_cast<const PartialMap&>(self);
  auto open = [&] { return *out = unknown(), true; };
  if (!key.is(Kind::String)) return open();
  for (size_t i = 0; i < map.count; i++) {
    const PartialMap::Entry& e = map.entries[i];
    if (e.key != key.as_text()) continue;
    *out = e.present && ask == Ask::Presence ? Value::boolean(true) : e.present ? e.value : unknown();
    return true;
  }
  if (map.closed) return false;
  if (map.fields == nullptr) return open();
  int index = builtin::field_index(*map.fields, key.as_text());
  if (index < 0) return false;
  const builtin::FieldRow& f = builtin::fields_of(*map.fields)[static_cast<size_t>(index)];
  if (!always_there(f)) return open();
  *out = ask == Ask::Presence ? Value::boolean(true)
                              : partial(arena, {}, false, &builtin::struct_at(f.structure));
  return true;
}

const OpaqueClass kPartialMap = {
    .type_name = "map",
    .equal = [](const Opaque&, const Value& other,
                Arena&) { return other.is_null() ? Value::boolean(false) : unknown(); },
    .print = [](const Opaque&, Arena&) { return std::string_view("map"); },
    .find = find_entry,
};

Value partial(Arena& arena, std::span<const PartialMap::Entry> entries, bool closed,
              const builtin::StructRow* fields) {
  auto* map = arena.make<PartialMap>();
  map->cls = &kPartialMap;
  map->entries = arena.array<PartialMap::Entry>(entries.size());
  map->count = entries.size();
  std::uninitialized_copy(entries.begin(), entries.end(), map->entries);
  map->closed = closed;
  map->fields = fields;
  return Value::opaque(map);
}

// A text of which is only known that it is not empty.
const OpaqueClass kSomeText = {
    .type_name = "string",
    .equal =
        [](const Opaque&, const Value& other, Arena&) {
          return other.is(Kind::String) && other.size() == 0 ? Value::boolean(false) : unknown();
        },
    .print = [](const Opaque&, Arena&) { return std::string_view("text"); },
};
const Opaque kSomeTextValue{&kSomeText};

bool is_partial(const Value& v) { return v.is(Kind::Opaque) && v.as_opaque().cls == &kPartialMap; }

Value text(const KnownRequest::Text& t) { return t ? Value::string(*t) : unknown(); }

// The value of an absent field, which is what an empty text is.
PartialMap::Entry unless_empty(std::string_view key, const KnownRequest::Text& t) {
  return {key, text(t), t.has_value()};
}

class Values {
  using Entries = std::vector<PartialMap::Entry>;

 public:
  Values(const KnownRequest& known, Arena& arena) : known_(known), arena_(arena) {}

  bool namespace_compared = false;  // request.namespace is only compared with an empty text

  Value request() const {
    Value kind = partial(arena_,
                         Entries{{"group", text(known_.kind_group)},
                                 {"version", text(known_.kind_version)},
                                 {"kind", text(known_.kind)}},
                         true);
    Value own_kind = partial(arena_,
                             Entries{{"group", text(known_.own_group)},
                                     {"version", text(known_.own_version)},
                                     {"kind", text(known_.kind)}},
                             true);
    Value resource = partial(arena_,
                             Entries{{"group", text(known_.group)},
                                     {"version", text(known_.version)},
                                     {"resource", text(known_.resource)}},
                             true);
    Value operation = Value::string(operation_name(known_.operation));
    Entries entries = {{"kind", kind},           {"requestKind", own_kind},
                       {"resource", resource},   {"requestResource", resource},
                       {"operation", operation}, {"dryRun", unknown()},
                       {"options", unknown()},   {"name", unknown(), false},
                       {"userInfo", user()}};
    bool plain = known_.subresource && known_.subresource->empty();
    for (std::string_view key : {"subResource", "requestSubResource"}) {
      if (!plain) entries.push_back(unless_empty(key, known_.subresource));
    }
    bool cluster = known_.namespaced && !*known_.namespaced;
    if (!cluster) entries.push_back({"namespace", namespace_name(), known_.namespaced.has_value()});
    return partial(arena_, entries, true);
  }

  Value object() const {
    switch (known_.operation) {
      case Operation::Delete: return Value::null();
      case Operation::Connect: return unknown();
      case Operation::Create:
      case Operation::Update: break;
    }
    return body();
  }
  // A request to delete a collection has none.
  Value old_object() const {
    switch (known_.operation) {
      case Operation::Create:
      case Operation::Connect: return Value::null();
      case Operation::Delete: return unknown();
      case Operation::Update: break;
    }
    return body();
  }

 private:
  Value body() const {
    const builtin::StructRow* row = known_.fields;
    PartialMap::Entry kind{"kind", text(known_.kind)}, version{"apiVersion", api_version()};
    bool has_metadata = row == nullptr || builtin::field_index(*row, "metadata") >= 0;
    if (!has_metadata) return partial(arena_, Entries{kind, version}, false, row);
    return partial(arena_, Entries{kind, version, {"metadata", metadata()}}, false, row);
  }
  Value metadata() const {
    const builtin::StructRow* row =
        known_.fields == nullptr ? nullptr : builtin::find_struct(builtin::kObjectMeta);
    bool own = known_.subresource && known_.subresource->empty();
    if (!own || !known_.namespace_name) return partial(arena_, {}, false, row);
    return partial(arena_, Entries{{"namespace", text(known_.namespace_name)}}, false, row);
  }
  Value namespace_name() const {
    bool some = namespace_compared && known_.namespaced && !known_.namespace_name;
    return some ? Value::opaque(&kSomeTextValue) : text(known_.namespace_name);
  }
  Value api_version() const {
    if (!known_.kind_group || !known_.kind_version) return unknown();
    if (known_.kind_group->empty()) return text(known_.kind_version);
    std::string joined(*known_.kind_group);
    return Value::string(arena_.copy(joined.append("/").append(*known_.kind_version)));
  }
  Value user() const {
    if (known_.groups.empty()) return partial(arena_, {}, false);
    Value* groups = arena_.array<Value>(known_.groups.size());
    for (size_t i = 0; i < known_.groups.size(); i++) groups[i] = Value::string(known_.groups[i]);
    return partial(arena_,
                   Entries{{"username", text(known_.username), true},
                           {"groups", Value::list(groups, known_.groups.size())}},
                   false);
  }

  const KnownRequest& known_;
  Arena& arena_;
};

bool is_null(const Expr& e) {
  return e.kind == ExprKind::Literal && std::holds_alternative<std::monostate>(e.literal);
}

const std::string* text_literal(const Expr& e) {
  return e.kind == ExprKind::Literal ? std::get_if<std::string>(&e.literal) : nullptr;
}

// null, which no map is, or '', which no map and no known part of a request is.
bool is_nothing(const Expr& e) {
  const std::string* t = text_literal(e);
  return is_null(e) || (t != nullptr && t->empty());
}

bool is_index(const Expr& e) {
  return e.is_call(operators::kIndex, 2) || e.is_call(operators::kOptIndex, 2) ||
         e.is_call(operators::kOptSelect, 2);
}

}  // namespace

Condition::Condition(ExpressionPtr expression) : expression_(std::move(expression)) {
  auto program = make_program(expression_);
  if (!program.ok()) return;
  program_ = *program;
  collect(*expression_->ast().root, false);
}

bool Condition::read_use(const Expr& e, Use& out) {
  if (e.kind == ExprKind::Ident) {
    out.root = e.name;
    return e.name == "object" || e.name == "oldObject" || e.name == "request";
  }
  const bool select = e.kind == ExprKind::Select && !e.test_only;
  const std::string* key = select ? &e.name : is_index(e) ? text_literal(*e.args[1]) : nullptr;
  if (key == nullptr || !read_use(select ? *e.target : *e.args[0], out)) return false;
  out.keys.push_back(*key);
  return true;
}

// `as_container`: only a field of the value is read, or whether it is null or empty.
void Condition::collect(const Expr& e, bool as_container) {
  Use use;
  if (read_use(e, use)) {
    if (!as_container) whole_.push_back(std::move(use));
    return;
  }
  const bool compared = e.is_call(operators::kEquals, 2) || e.is_call(operators::kNotEquals, 2);
  for_each_child(e, [&](const Expr& child) {
    collect(child, &child == e.target ? e.kind == ExprKind::Select
                   : is_index(e)      ? &child == e.args[0]
                                      : compared && is_nothing(*e.args[&child == e.args[0] ? 1 : 0]));
  });
}

Foreseen Condition::judge(const KnownRequest& request, Context& context) const {
  if (program_ == nullptr) return {};
  context.reset();
  Arena& arena = context.arena();
  Values values(request, arena);
  values.namespace_compared = std::ranges::none_of(whole_, [](const Use& use) {
    return use.root == "request" && use.keys == std::vector<std::string_view>{"namespace"};
  });
  struct {
    std::string_view name;
    Value value;
  } known[] = {
      {"object", values.object()}, {"oldObject", values.old_object()}, {"request", values.request()}};
  for (auto& variable : known) {
    for (const Use& use : whole_) {
      if (use.root != variable.name) continue;
      Value at = variable.value;
      for (size_t i = 0; i < use.keys.size() && is_partial(at); i++) {
        if (!find_entry(at.as_opaque(), Value::string(use.keys[i]), Ask::Value, arena, &at))
          at = Value::null();
      }
      if (is_partial(at)) {
        variable.value = unknown();
        break;
      }
    }
  }
  Activation activation(program_->paths());
  for (std::string_view open :
       {"params", "namespaceObject", "authorizer", "authorizer.requestResource", "variables"})
    activation.set(open, unknown());
  for (const auto& variable : known) activation.set(variable.name, variable.value);
  Outcome outcome = evaluate(*program_, activation, context, kLimits);
  Foreseen out{.cost = outcome.cost};
  if (outcome.cancelled) return out;
  if (outcome.value.is_true()) out.result = Foreseen::Result::True;
  if (outcome.value.is_false()) out.result = Foreseen::Result::False;
  if (outcome.value.is_error()) {
    out.result = Foreseen::Result::Fails;
    out.error = outcome.value.as_error().message;
  }
  return out;
}

}  // namespace portcullis::foresight
