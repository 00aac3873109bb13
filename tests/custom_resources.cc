// custom_resources: validates custom resources by their definitions, and compares with the API server's own
// code.
//
// usage: custom_resources FILE            a line is {"id", "crd", "object", "old"?, "want"}
//        custom_resources --answer        reads such lines, without `want`, and prints the answers
//        custom_resources --definitions   prints the errors of their definitions
// An answer: {"decodeError"} or {"errors", "object", "warnings"}; texts are sorted, because Kubernetes' order
// is random. A refused object is omitted. `old` makes the case an update, `"status": true` one of the status. tests/oracle/custom_resources.py
// makes FILE. Closes with `N passed, N failed, N skipped`.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "admission/builtin/conversion.h"
#include "admission/builtin/system_metadata.h"
#include "admission/crd/definition.h"
#include "interpreter/values/changed.h"
#include "interpreter/values/json.h"
#include "tests/fields.h"
#include "tests/tally.h"

namespace portcullis::tests {
namespace {

std::string sorted_list(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  std::string out = "[";
  for (const std::string& t : texts) out += (out.size() > 1 ? "," : "") + quote_json(t);
  return out + "]";
}

// The value with the keys of every map sorted.
Value in_order(const Value& v, Arena& arena) {
  if (v.is(Kind::List)) {
    Value* items = arena.array<Value>(v.size());
    for (size_t i = 0; i < v.size(); ++i) new (&items[i]) Value(in_order(v.as_list()[i], arena));
    return Value::list(items, v.size());
  }
  if (!v.is(Kind::Map)) return v;
  std::vector<MapEntry> sorted(v.as_map().begin(), v.as_map().end());
  std::sort(sorted.begin(), sorted.end(),
            [](const MapEntry& a, const MapEntry& b) { return a.key.as_text() < b.key.as_text(); });
  MapEntry* entries = alloc_entries(arena, sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i)
    new (&entries[i]) MapEntry{sorted[i].key, in_order(sorted[i].value, arena)};
  return make_map(entries, sorted.size());
}

// The cases have objects without a uid; without one, the old object of an update would count as just created.
Value with_uid(const Value& object, Arena& arena) {
  const Value metadata = builtin::member(object, "metadata");
  if (!metadata.is(Kind::Map) || !text_field(metadata, "uid").empty()) return object;
  return with_member(arena, object, "metadata",
                     with_member(arena, metadata, "uid", Value::string(builtin::kUid)));
}

// `object` as Kubernetes' answers have it, without what a server makes of its own.
Value without_made_fields(const Value& object, bool created, Arena& arena) {
  Value metadata = builtin::member(object, "metadata");
  if (text_field(metadata, "uid") != builtin::kUid) return object;
  metadata = without_member(arena, metadata, "uid");
  if (created) metadata = without_member(arena, metadata, "creationTimestamp");
  return with_member(arena, object, "metadata", metadata);
}

std::string answer(const Value& line, Arena& arena) {
  const Value *crd = field(line, "crd"), *object = field(line, "object"), *old = field(line, "old");
  auto definition = crd::Definition::read(*crd);
  std::string version = text_field(*object, "apiVersion");
  version = version.substr(version.find('/') + 1);
  if (!definition->has_version(version)) return "{\"inputError\":\"no such version\"}";
  Context context;
  const Value* status = field(line, "status");
  const bool of_status = status != nullptr && status->is_true();
  Value stored = old == nullptr ? Value() : with_uid(*old, arena);
  crd::ObjectOutcome outcome =
      definition->review(version, *object, old == nullptr ? nullptr : &stored, arena, context, nullptr,
                         of_status ? crd::Written::Status : crd::Written::Resource);
  if (!outcome.decode_error.empty()) return "{\"decodeError\":" + quote_json(outcome.decode_error) + "}";
  std::vector<std::string> errors;
  for (const FieldError& e : outcome.errors) errors.push_back(e.message);
  std::vector<std::string> warnings = outcome.warnings;
  for (const std::string& path : outcome.unknown) warnings.push_back("unknown field " + quote_json(path));
  std::string shown =
      errors.empty() ? to_json(in_order(without_made_fields(outcome.object, old == nullptr, arena), arena))
                     : "null";
  return "{\"errors\":" + sorted_list(errors) + ",\"object\":" + shown +
         ",\"warnings\":" + sorted_list(warnings) + "}";
}

int compare(const std::string& file) {
  std::ifstream in(file);
  if (!in) return std::fprintf(stderr, "custom_resources: no %s\n", file.c_str()), 2;
  Tally tally;
  for (std::string text; std::getline(in, text);) {
    Arena arena;
    Result<Value> line = read_json(text, arena);
    std::string id = line.ok() ? text_field(*line, "id") : "?";
    if (!line.ok()) {
      tally.fail(id, "JSON", line.error().text);
      continue;
    }
    std::string want = to_json(in_order(*field(*line, "want"), arena)), got = answer(*line, arena);
    want == got ? tally.pass(id) : tally.fail(id, want, got);
  }
  return tally.finish();
}

// {"crdErrors": [...]}: the errors of the definition.
std::string definition_answer(const Value& line) {
  auto definition = crd::Definition::read(*field(line, "crd"));
  std::vector<std::string> errors;
  for (const crd::RuleReport& r : definition->check()) {
    if (!r.error.empty()) errors.push_back(r.message());
  }
  return "{\"crdErrors\":" + sorted_list(errors) + "}";
}

int answer_all(bool definitions) {
  for (std::string text; std::getline(std::cin, text);) {
    Arena arena;
    Result<Value> line = read_json(text, arena);
    std::puts(line.ok() ? (definitions ? definition_answer(*line) : answer(*line, arena)).c_str()
                        : "{\"inputError\":\"no JSON\"}");
  }
  return 0;
}

}  // namespace
}  // namespace portcullis::tests

int main(int argc, char** argv) {
  std::string argument = argc == 2 ? argv[1] : "";
  if (argument == "--answer" || argument == "--definitions")
    return portcullis::tests::answer_all(argument == "--definitions");
  if (!argument.empty()) return portcullis::tests::compare(argument);
  std::fputs("usage: custom_resources FILE | --answer | --definitions\n", stderr);
  return 2;
}
