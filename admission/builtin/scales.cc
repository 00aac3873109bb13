#include "admission/builtin/scales.h"

#include <algorithm>
#include <string>
#include <vector>

#include "admission/builtin/access.h"

namespace portcullis::builtin {
namespace {

constexpr std::string_view kShown[] = {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"};

struct Term {
  std::string_view key;
  std::string text;
};

void add_equalities(const Value* labels, std::vector<Term>& terms) {
  if (labels == nullptr || !labels->is(Kind::Map)) return;
  for (const MapEntry& e : labels->as_map()) {
    std::string_view key = e.key.as_text();
    std::string text(key);
    text += '=';
    if (e.value.is(Kind::String)) text += e.value.as_text();
    terms.push_back({key, std::move(text)});
  }
}

std::string expression(Object& requirement) {
  std::string key(text(requirement, "key"));
  std::string_view relation = text(requirement, "operator");
  if (relation == "Exists") return key;
  if (relation == "DoesNotExist") return "!" + key;
  std::vector<std::string_view> values;
  for (const Value& v : values_of(requirement, "values"))
    values.push_back(v.is(Kind::String) ? v.as_text() : "");
  std::ranges::sort(values);
  std::string out = key + (relation == "In" ? " in (" : " notin (");
  for (size_t i = 0; i < values.size(); ++i) out.append(i == 0 ? "" : ",").append(values[i]);
  return out + ")";
}

// The selector as Go prints it, by the names of labels.
std::string printed_selector(Object& workload) {
  std::vector<Term> terms;
  Object* selector = child(workload, "spec.selector");
  if (selector == nullptr) {
    add_equalities(find(workload, "spec.selector"), terms);  // of a ReplicationController
  } else {
    add_equalities(find(*selector, "matchLabels"), terms);
    each_item(*selector, "matchExpressions",
              [&](Object& o) { terms.push_back({text(o, "key"), expression(o)}); });
  }
  std::ranges::stable_sort(terms, {}, &Term::key);
  std::string out;
  for (const Term& t : terms) out.append(out.empty() ? "" : ",").append(t.text);
  return out;
}

void set_count(Object& scale, std::string_view path, Object& workload) {
  if (const Value* held = find(workload, path); held != nullptr) set(scale, path, *held);
}

}  // namespace

bool is_scale(const StructRow& row) { return text_at(row.name) == "Scale"; }

Object* shown_as_scale(Arena& arena, Object& o) {
  Object* made = make_object(arena, is_scale(*o.row) ? *o.row : *find_kind("autoscaling/v1", "Scale"));
  for (std::string_view name : kShown)
    set(*child(*made, "metadata"), name, *find(*child(o, "metadata"), name));
  if (is_scale(*o.row)) {
    for (std::string_view part : {"apiVersion", "kind", "spec", "status"}) set(*made, part, *find(o, part));
    return made;
  }
  set(*made, "apiVersion", Value::string("autoscaling/v1"));
  set(*made, "kind", Value::string("Scale"));
  set_count(*made, "spec.replicas", o);
  set_count(*made, "status.replicas", o);
  if (std::string selector = printed_selector(o); !selector.empty())
    set(*made, "status.selector", Value::string(arena.copy(selector)));
  return made;
}

void complete_scale(Object& scale, Object& stored) {
  for (std::string_view part : {"metadata", "status"}) set(scale, part, *find(stored, part));
}

}  // namespace portcullis::builtin
