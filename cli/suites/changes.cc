// See changes.h.
#include "cli/suites/changes.h"

#include <algorithm>
#include <charconv>

#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "manifests/object.h"

namespace portcullis::suites {
namespace {

// Takes the first step of a path such as "spec.containers[0].image" or "metadata.labels[a/b]".
std::string_view first_step(std::string_view& path) {
  const bool bracket = path.starts_with('[');
  const size_t end = bracket ? path.find(']') : path.find_first_of(".[");
  std::string_view step = path.substr(bracket ? 1 : 0, bracket && end != path.npos ? end - 1 : end);
  path = end == path.npos ? std::string_view() : path.substr(bracket ? end + 1 : end);
  if (path.starts_with('.')) path.remove_prefix(1);
  return step;
}

// For a step that is no index: which one it means, if it is written as name=proxy or name="proxy".
std::string meant_index(std::string_view step, std::span<const Value> items) {
  const size_t sign = step.find('=');
  if (sign == step.npos) return {};
  std::string_view wanted = step.substr(sign + 1);
  if (wanted.size() > 1 && wanted.starts_with('"') && wanted.ends_with('"'))
    wanted = wanted.substr(1, wanted.size() - 2);
  for (size_t i = 0; i < items.size(); i++) {
    if (text_member(items[i], step.substr(0, sign)) == wanted)
      return "; that element is [" + std::to_string(i) + "]";
  }
  return {};
}

// The index that a step means in a list; that behind the last element adds one.
Result<size_t> index_of(std::string_view step, std::span<const Value> items) {
  const size_t size = items.size();
  size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || end != step.data() + step.size())
    return Error{quote_json(step) + " is no index, and there is a list" + meant_index(step, items)};
  if (index <= size) return index;
  return Error{"the list has " + std::to_string(size) + (size == 1 ? " element" : " elements") + ", so [" +
               std::to_string(index) + "] is none of them, and [" + std::to_string(size) + "] adds one"};
}

}  // namespace

Result<Value> with_path(const Value& object, std::string_view path, const Value& value, Arena& arena) {
  if (path.empty()) return value;
  const bool removes = value.is_null();
  const std::string_view step = first_step(path);
  if (object.is(Kind::List)) {
    std::vector<Value> items(object.as_list().begin(), object.as_list().end());
    const Result<size_t> index = index_of(step, items);
    if (!index.ok()) return index.error();
    if (*index == items.size()) items.emplace_back();
    Result<Value> made = with_path(items[*index], path, value, arena);
    if (!made.ok()) return made;
    items[*index] = *made;
    if (path.empty() && removes) items.erase(items.begin() + static_cast<ptrdiff_t>(*index));
    Value* out = arena.array<Value>(items.size());
    std::ranges::copy(items, out);
    return Value::list(out, items.size());
  }
  const Value map = object.is(Kind::Map) ? object : Value::map(nullptr, 0);
  if (path.empty() && removes) return without_member(arena, map, step);
  const Value* inner = find_member(map, step);
  Result<Value> made = with_path(inner == nullptr ? Value() : *inner, path, value, arena);
  return made.ok() ? Result<Value>(with_member(arena, map, step, *made)) : made;
}

std::string path_of_pointer(std::string_view pointer) {
  std::string out, step;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    step.clear();
    for (size_t i = 0; i < end; i++) {
      const bool escape = pointer[i] == '~' && i + 1 < end;
      step += !escape ? pointer[i] : pointer[++i] == '1' ? '/' : '~';
    }
    const bool index = !step.empty() && step.find_first_not_of("0123456789") == step.npos;
    if (index && !out.empty()) {
      out += "[" + step + "]";
    } else {
      append_member(out, step);
    }
    pointer.remove_prefix(end);
  }
  return out;
}

std::string with_brackets(const Value& object, std::string_view path) {
  const std::string_view whole = path;
  const Value* at = &object;
  while (!path.empty() && at != nullptr && at->is(Kind::Map)) {
    std::string_view rest = path;
    const Value* inner = find_member(*at, first_step(rest));
    if (inner == nullptr || rest.empty()) break;
    at = inner;
    path = rest;
  }
  const size_t begin = whole.size() - path.size();
  if (begin == 0 || path.find('/') == path.npos || path.find_first_of("[]") != path.npos) return {};
  return std::string(whole.substr(0, begin - 1)) + "[" + std::string(path) + "]";
}

std::string changes_json(const std::vector<Difference>& differences) {
  std::string out;
  for (const Difference& d : differences) {
    if (d.path.starts_with("metadata.managedFields")) continue;
    const std::string last = d.pointer.substr(d.pointer.rfind('/') + 1);
    const bool element = !last.empty() && last.find_first_not_of("0123456789") == last.npos;
    if (element && d.operation != Difference::Operation::Replace) return {};
    out += (out.empty() ? "{" : ",") + quote_json(d.path) + ":" + to_json(d.after);
  }
  return out.empty() ? out : out + "}";
}

}  // namespace portcullis::suites
