// See patch_hints.h.
#include "cli/reports/patch_hints.h"

#include <charconv>
#include <vector>

#include "admission/patching/json_patch.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"

namespace portcullis {
namespace {

// The path in the message, without its quotes; empty: the message is another one.
std::string_view path_in(std::string_view message) {
  constexpr std::string_view kBefore = "is missing path: ", kAfter = ": missing value";
  const size_t begin = message.find(kBefore);
  if (begin == message.npos || !message.ends_with(kAfter)) return {};
  std::string_view path = message.substr(begin + kBefore.size());
  path.remove_suffix(kAfter.size());
  if (path.size() >= 2 && path.starts_with('"') && path.ends_with('"'))
    path = path.substr(1, path.size() - 2);
  return path.starts_with('/') ? path : std::string_view();
}

std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> out;
  for (size_t i = 0; i < path.size(); i++) {
    if (path[i] == '/') {
      out.emplace_back();
    } else if (path[i] == '~' && i + 1 < path.size()) {
      out.back() += path[++i] == '1' ? '/' : '~';
    } else {
      out.back() += path[i];
    }
  }
  return out;
}

bool is_index(std::string_view step) {
  return step == "-" || (!step.empty() && step.find_first_not_of("0123456789") == step.npos);
}

// The part of `of` that a step names; null: there is none.
const Value* part_of(const Value& of, std::string_view step) {
  if (of.is(Kind::Map)) return find_member(of, step);
  size_t index = 0;
  const char* end = step.data() + step.size();
  if (!of.is(Kind::List) || std::from_chars(step.data(), end, index).ptr != end) return nullptr;
  return index < of.as_list().size() ? &of.as_list()[index] : nullptr;
}

}  // namespace

std::string patch_hint(std::string_view message, const Value& object) {
  if (message.find(patching::kNoGoMap) != message.npos) return std::string(patching::kGoMapHint);
  const std::string_view path = path_in(message);
  const std::vector<std::string> steps = steps_of(path);
  const Value* at = &object;
  std::string name;
  size_t end = 0;  // of the step in the path
  for (size_t i = 0; i + 1 < steps.size(); i++) {
    end = path.find('/', end + 1);
    const bool of_list = at->is(Kind::List);
    if (!of_list && !at->is(Kind::Map)) return {};
    at = part_of(*at, steps[i]);
    name += of_list ? "[" + steps[i] + "]" : (name.empty() ? "" : ".") + steps[i];
    if (at != nullptr && !at->is_null()) continue;
    if (of_list && steps[i] == "-") return {};
    if (of_list || message.find("add operation") == message.npos) return "the object has no " + name;
    const bool list = is_index(steps[i + 1]);
    return "the object has no " + name + "; where it has none, the patch must add it first, with " +
           "JSONPatch{op: \"add\", path: " + quote_json(path.substr(0, end)) +
           ", value: " + (list ? "[]" : "{}") + "}";
  }
  return {};
}

}  // namespace portcullis
