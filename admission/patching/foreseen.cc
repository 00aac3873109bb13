#include "admission/patching/foreseen.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "admission/patching/outlined_pointer.h"
#include "interpreter/cel.h"

namespace portcullis::patching {

std::vector<Value> read_way(Arena& arena, std::string_view path) {
  std::vector<Value> out;
  while (!path.empty()) {
    if (path[0] == '[') {
      size_t end = path.find(']');
      std::optional<int64_t> index = index_in_path(path.substr(1, end - 1));
      out.push_back(index ? Value::integer(*index) : Value::string(arena.copy(path.substr(1, end - 1))));
      path.remove_prefix(end == path.npos ? path.size() : end + 1);
    } else {
      if (path[0] == '.') path.remove_prefix(1);
      size_t end = std::min(path.find_first_of(".["), path.size());
      out.push_back(Value::string(arena.copy(path.substr(0, end))));
      path.remove_prefix(end);
      if (end == 0 && !path.empty() && path[0] == '.') path.remove_prefix(1);
    }
  }
  return out;
}

DefinitionProblems definition_problems(Arena& arena, const KindSchema& kind, const Value& object) {
  DefinitionProblems out;
  if (!kind.definition->has_version(kind.version)) return out;
  Context context;
  crd::ObjectOutcome made = kind.definition->decode(kind.version, object, nullptr, arena);
  out.unknown = made.unknown;
  if (!made.decode_error.empty()) return out;
  kind.definition->complete(kind.version, made, arena);
  kind.definition->validate(kind.version, made, arena, context);
  for (const FieldError& e : made.errors) {
    if (!e.field.starts_with("metadata"))
      out.errors.emplace_back(e.field, "refused by its definition: " + e.message);
  }
  return out;
}

std::string question(const std::string& meant) {
  return meant.empty() ? std::string() : "did you mean " + meant + "?";
}

void sort_foreseen(std::vector<Foreseen>& all) {
  std::ranges::stable_sort(all, [](const Foreseen& a, const Foreseen& b) {
    return std::tie(a.place.source->path, a.place.offset, a.text, a.guarded) <
           std::tie(b.place.source->path, b.place.offset, b.text, b.guarded);
  });
  auto same = [](const Foreseen& a, const Foreseen& b) { return a.place == b.place && a.text == b.text; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  if (all.size() > kMostForeseen) all.resize(kMostForeseen);
}

}  // namespace portcullis::patching
