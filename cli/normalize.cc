// `portcullis normalize`: objects as policies see them, or what the API server changes of them.
//
// Idea: seen.h does the work; the difference is that of the two as sorted YAML, line by line, or for programs a
// JSON Patch (changes.h). Objects of kinds that nobody defines are printed as they stand, which a note says. Tested by
// tests/cli/normalize.txt.
#include <algorithm>
#include <string>
#include <vector>

#include "admission/builtin/conversion.h"
#include "cli/changes.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/seen.h"

namespace portcullis {
namespace {

// Keys in byte order, as kubectl prints objects.
Value sorted(Arena& arena, const Value& v) {
  if (v.is(Kind::List)) {
    Value* items = arena.array<Value>(v.size());
    for (size_t i = 0; i < v.size(); ++i) new (&items[i]) Value(sorted(arena, v.as_list()[i]));
    return Value::list(items, v.size());
  }
  if (!v.is(Kind::Map)) return v;
  MapEntry* entries = alloc_entries(arena, v.size());
  size_t n = 0;
  for (const MapEntry& e : v.as_map()) new (&entries[n++]) MapEntry{e.key, sorted(arena, e.value)};
  std::sort(entries, entries + n,
            [](const MapEntry& a, const MapEntry& b) { return a.key.as_text() < b.key.as_text(); });
  return make_map(arena, entries, n);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// The longest common lines stay; quadratic, so what is beyond kMaxLines is shown as replaced.
void print_difference(std::string_view before, std::string_view after) {
  constexpr size_t kMaxLines = 4000;
  std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
  bool compared = a.size() <= kMaxLines && b.size() <= kMaxLines;
  size_t rows = compared ? a.size() : 0, columns = compared ? b.size() : 0;
  std::vector<uint16_t> common((rows + 1) * (columns + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint16_t& { return common[i * (columns + 1) + j]; };
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      at(i, j) =
          a[i] == b[j] ? static_cast<uint16_t>(at(i + 1, j + 1) + 1) : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  const Paint& p = paint(colour_out());
  auto print = [&](char mark, std::string_view colour, std::string_view line) {
    std::string text(colour);
    text.append(1, mark).append(" ").append(line);
    if (!colour.empty()) text.append(p.reset);
    portcullis::print(text + "\n");
  };
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    bool inside = i < rows && j < columns;
    if (inside && a[i] == b[j]) {
      print(' ', {}, a[i]);
      ++i, ++j;
    } else if (i < a.size() && (!inside || at(i + 1, j) >= at(i, j + 1))) {
      print('-', p.red, a[i++]);
    } else {
      print('+', p.green, b[j++]);
    }
  }
}

class Normalizer {
 public:
  explicit Normalizer(const NormalizeOptions& options) : options_(options) {}

  int run() {
    if (options_.manifests.empty()) {
      say(Severity::Error, {}, {}, "no manifests given; - is standard input");
      return kNoVerdict;
    }
    std::vector<InputObject> objects = inputs_.read(options_.manifests, options_.reading);
    bool refused = inputs_.errors() > 0;
    if (objects.empty() && !refused) {
      say(Severity::Error, {}, {}, "no manifests in " + list_files(options_.manifests));
      return kNoVerdict;
    }
    std::vector<Value> given;
    for (const InputObject& o : objects) given.push_back(o.value);
    seen_.learn(objects);
    bool first = true;
    for (size_t i = 0; i < objects.size(); i++) {
      std::optional<Value> made = seen_.created(objects[i]);
      if (!made) {
        refused = true;
        continue;
      }
      print(objects[i], shown(given[i]), shown(*made), first);
      first = false;
    }
    return refused ? kNoVerdict : kAdmitted;
  }

 private:
  // As kubectl prints an object.
  Value shown(const Value& object) {
    const Value* metadata = find_member(object, "metadata");
    if (options_.show_managed_fields || metadata == nullptr ||
        find_member(*metadata, "managedFields") == nullptr)
      return object;
    Arena& arena = inputs_.arena();
    return with_member(object, "metadata", builtin::without_member(arena, *metadata, "managedFields"), arena);
  }

  void print(const InputObject& o, const Value& before, const Value& after, bool first) {
    if (options_.output == "json")
      return put((options_.diff ? difference_json(o, before, after) : to_json(after)) + "\n");
    if (!first) put("---\n");
    std::string text = to_yaml(sorted(inputs_.arena(), after));
    if (!options_.diff) return put(text);
    print_difference(to_yaml(sorted(inputs_.arena(), before)), text);
  }

  // What was changed of an object, and which one it is.
  static std::string difference_json(const InputObject& o, const Value& before, const Value& after) {
    std::string out;
    JsonWriter w(out);
    auto text = [&](std::string_view key, std::string_view value) {
      w.key(key);
      w.string(value);
    };
    w.begin_object();
    text("apiVersion", o.api_version);
    w.key("changes");
    w.raw(changes_json(before, after));
    w.key("document");
    w.integer(o.document->index);
    text("file", o.file->name);
    text("kind", o.kind);
    w.key("line");
    w.integer(o.locate("").line);
    text("name", o.name);
    text("namespace", o.namespace_name);
    if (!o.path.empty()) text("path", o.path);
    w.end_object();
    return out;
  }

  const NormalizeOptions& options_;
  Inputs inputs_;
  SeenObjects seen_{inputs_.arena(),
                    {options_.namespace_name, options_.show_managed_fields, options_.field_manager}};
};

}  // namespace

int normalize(const NormalizeOptions& options) {
  int status = Normalizer(options).run();
  if (options.output == "json") put(said_errors_json());
  if (options.output == "yaml" && !options.diff && !said_errors().empty()) put("---\n" + said_errors_yaml());
  return status;
}

}  // namespace portcullis
