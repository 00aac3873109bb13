#include "admission/builtin/defaults.h"

#include <string>
#include <vector>

#include "admission/builtin/access.h"
#include "admission/builtin/decode.h"
#include "admission/builtin/default_rows.h"
#include "admission/builtin/unchanged.h"
#include "interpreter/values/json.h"

namespace portcullis::builtin {
namespace {

// A row whose names are resolved.
struct DefaultStep {
  std::vector<int> path;  // field indices from the struct to the field
  const FieldRow* field;
  Value value;  // a decoded scalar; `{}` and lists are decoded at use
  bool (*when)(Object&);
};

struct StructPlan {
  std::vector<void (*)(const Defaulting&, Object&)> rules;
  std::vector<DefaultStep> steps;
  std::vector<int> inner;  // fields that hold structs with defaults
};

// All plans, by struct. Built once, then immutable.
class Plans {
 public:
  Plans() : plans_(all_structs().size()) {
    for (const DefaultRule& rule : default_rules()) {
      each_struct(rule.structs,
                  [&](const StructRow& row) { plans_[struct_index(row)].rules.push_back(rule.apply); });
    }
    for (const DefaultRow& row : default_rows()) {
      each_struct(row.structs,
                  [&](const StructRow& s) { plans_[struct_index(s)].steps.push_back(step(s, row)); });
    }
    find_inner();
  }
  const StructPlan& of(const StructRow& row) const { return plans_[struct_index(row)]; }

 private:
  // Calls `act` for "apps/v1,v1beta2.Deployment" with the structs of both versions; skips a version without
  // the struct.
  template <class Do>
  static void each_struct(std::string_view structs, Do act) {
    size_t slash = structs.rfind('/'), dot = structs.rfind('.');
    std::string_view group = structs.substr(0, slash), name = structs.substr(dot),
                     versions = structs.substr(slash + 1, dot - slash - 1);
    while (true) {
      size_t comma = versions.find(',');
      bool whole = group.find('/') != std::string_view::npos;  // of another API server
      std::string path = (whole ? "" : "api/") + std::string(group) + "/" +
                         std::string(versions.substr(0, comma)) + std::string(name);
      if (const StructRow* row = find_struct(path)) act(*row);
      if (comma == std::string_view::npos) return;
      versions.remove_prefix(comma + 1);
    }
  }

  DefaultStep step(const StructRow& row, const DefaultRow& def) {
    DefaultStep made{{}, nullptr, read(def.value), def.when};
    const StructRow* at = &row;
    std::string_view path = def.field;
    while (true) {
      size_t dot = path.find('.');
      int i = field_index(*at, path.substr(0, dot));
      made.path.push_back(i);
      made.field = &fields_of(*at)[static_cast<size_t>(i)];
      if (dot == std::string_view::npos) return made;
      at = &struct_at(made.field->structure);
      path.remove_prefix(dot + 1);
    }
  }

  Value read(std::string_view json) { return *reader_.read(json, arena_); }

  // Marks the fields to walk into: those whose struct, or a struct within it, has a plan. Structs may be
  // recursive, so this is a fixed point.
  void find_inner() {
    // Kubernetes has the defaults of what is within it, but does not register them.
    const StructRow* undefaulted = find_struct("api/storage/v1alpha1.VolumeAttachment");
    std::vector<bool> matters(plans_.size());
    for (size_t i = 0; i < plans_.size(); ++i)
      matters[i] = !plans_[i].rules.empty() || !plans_[i].steps.empty();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < plans_.size(); ++i) {
        for (const FieldRow& f : fields_of(struct_at(i))) {
          if (!matters[i] && f.scalar == kStruct && matters[f.structure]) matters[i] = changed = true;
        }
      }
    }
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (&struct_at(i) == undefaulted) continue;
      std::span<const FieldRow> fields = fields_of(struct_at(i));
      for (size_t k = 0; k < fields.size(); ++k) {
        if (fields[k].scalar == kStruct && matters[fields[k].structure])
          plans_[i].inner.push_back(static_cast<int>(k));
      }
    }
  }

  std::vector<StructPlan> plans_;
  Arena arena_;
  JsonReader reader_;
};

const Plans& plans() {
  static const Plans all;
  return all;
}

// Absent, or the zero value of a plain scalar.
bool is_unset(const FieldRow& f, const Value& v) {
  if (is_absent(v)) return true;
  if (f.shape != kOne) return v.size() == 0 && f.shape == kList;
  if (f.flags & kPointer) return false;
  return (v.is(Kind::String) && v.size() == 0) || (v.is(Kind::Int) && v.as_int() == 0);
}

Value made_struct(Arena& arena, const StructRow& row, const Value& value) {
  return decodes_unchanged(row, value) ? value : Value::opaque(decode(arena, row, value, {}).object);
}
// The default of a field that holds structs.
Value made_value(Arena& arena, const DefaultStep& step) {
  const StructRow& row = struct_at(step.field->structure);
  if (step.field->shape == kOne) return made_struct(arena, row, step.value);
  Value* items = arena.array<Value>(step.value.size());
  for (size_t i = 0; i < step.value.size(); ++i)
    new (&items[i]) Value(made_struct(arena, row, step.value.as_list()[i]));
  return Value::list(items, step.value.size());
}

void apply_step(Arena& arena, Object& object, const DefaultStep& step) {
  Object* at = &object;
  for (size_t i = 0; i + 1 < step.path.size(); ++i) {
    at = open(*at, step.path[i]);
    if (at == nullptr) return;
  }
  Value& slot = at->slots[step.path.back()];
  if (is_unset(*step.field, slot) && (step.when == nullptr || step.when(object)))
    slot = step.field->scalar == kStruct ? made_value(arena, step) : step.value;
}

void apply_to_object(const Defaulting& with, Object& object);

void apply_to(const Defaulting& with, const Value& v) {
  if (is_object(v)) apply_to_object(with, as_object(v));  // an unchanged struct has no defaults
}
void walk(const Defaulting& with, const FieldRow& f, const Value& v) {
  if (f.shape == kOne) return apply_to(with, v);
  if (v.is(Kind::List)) {
    for (const Value& item : v.as_list()) apply_to(with, item);
  } else if (v.is(Kind::Map)) {
    for (const MapEntry& entry : v.as_map()) apply_to(with, entry.value);
  }
}

void apply_to_object(const Defaulting& with, Object& object) {
  const StructPlan& plan = plans().of(*object.row);
  for (auto rule : plan.rules) rule(with, object);
  for (const DefaultStep& step : plan.steps) apply_step(with.arena, object, step);
  for (int i : plan.inner) walk(with, kFieldRows[object.row->first + i], object.slots[i]);
}

}  // namespace

bool has_defaults(const StructRow& row) {
  const StructPlan& plan = plans().of(row);
  return !plan.rules.empty() || !plan.steps.empty();
}

void apply_defaults(Arena& arena, Object& object, std::string_view now) {
  apply_to_object({arena, now}, object);
}

}  // namespace portcullis::builtin
