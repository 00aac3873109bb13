#include "chain/webhook_patch.h"

#include <map>

#include "interpreter/values/json.h"

namespace portcullis::chain {
namespace {

// A member that is not null; null if there is none.
const Document* member(const Document& object, std::string_view name) {
  const Document* found = object.find(name);
  return found == nullptr || found->is(Document::Kind::Null) ? nullptr : found;
}

// Go's error for a value that is no text; empty if it is one.
std::string_view text_error(Arena& arena, const Document* value, std::string_view missing) {
  if (value == nullptr) return missing;
  if (value->is(Document::Kind::String)) return {};
  return patching::refused(arena,
                           {"json: cannot unmarshal ", json_word(*value), " into Go value of type string"})
      .error;
}

// JSON without white space, with Go's escapes.
void append_compact(std::string& out, std::string_view json) {
  bool in_string = false;
  for (size_t i = 0; i < json.size(); i++) {
    const char c = json[i];
    if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) continue;
    if (in_string && c == '\\') {
      out += c;
      out += json[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    const bool line = json.substr(i).starts_with("\u2028") || json.substr(i).starts_with("\u2029");
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else if (line) {
      out += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
}

}  // namespace

Result<std::span<const patching::JsonOperation>> read_operations(Arena& arena, const Document& patch) {
  auto* made = arena.array<patching::JsonOperation>(patch.items.size());
  for (size_t i = 0; i < patch.items.size(); i++) {
    const Document& given = patch.items[i];
    patching::JsonOperation& operation = *new (&made[i]) patching::JsonOperation{};
    const Document *op = member(given, "op"), *path = member(given, "path"), *from = member(given, "from");
    operation.op =
        op != nullptr && op->is(Document::Kind::String) ? arena.copy(op->text) : patching::kUnknownOperation;
    operation.path_error = text_error(arena, path, patching::kMissingPath);
    operation.from_error = text_error(arena, from, patching::kMissingFrom);
    if (operation.path_error.empty()) operation.path = arena.copy(path->text);
    if (operation.from_error.empty()) operation.from = arena.copy(from->text);
    const Document* value = member(given, "value");
    if (value == nullptr) continue;  // upstream reads a null as no value
    operation.has_value = true;
    Result<Value> read = read_json(value->raw, arena);
    if (!read.ok()) return read.error();
    operation.value = *read;
  }
  return std::span<const patching::JsonOperation>(made, patch.items.size());
}

std::string print_operations(const Document& patch) {
  std::string out = "[";
  for (const Document& operation : patch.items) {
    std::map<std::string_view, std::string_view> sorted;
    for (const auto& [key, value] : operation.members) sorted[key] = value.raw;
    out += out.size() > 1 ? ",{" : "{";
    bool first = true;
    for (const auto& [key, raw] : sorted) {
      if (!first) out += ',';
      first = false;
      out += quote_json(key, JsonEscape::Go) + ":";
      append_compact(out, raw);
    }
    out += '}';
  }
  return out + "]";
}

}  // namespace portcullis::chain
