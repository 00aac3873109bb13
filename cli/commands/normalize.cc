// `portcullis normalize`: prints objects as policies see them, or the changes that the API server makes to
// them.
//
// Idea: seen.h does the work. The difference is that of both objects as sorted YAML, line by line, or for
// programs a JSON Patch (admission/objects/difference.h). Objects of undefined kinds are printed unchanged,
// with a note. Tested by tests/cli/normalize.txt.
#include <algorithm>
#include <string>
#include <vector>

#include "admission/builtin/conversion.h"
#include "admission/objects/difference.h"
#include "cli/commands.h"
#include "cli/messages/errors.h"
#include "cli/messages/line_diff.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/reading/input.h"
#include "cli/requests/seen.h"

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
  Value shown(const Value& object) {
    return options_.show_managed_fields ? object : without_managed_fields(inputs_.arena(), object);
  }

  void print(const InputObject& o, const Value& before, const Value& after, bool first) {
    if (options_.output == "json")
      return put((options_.diff ? difference_json(o, before, after) : to_json(after)) + "\n");
    if (!first) put("---\n");
    std::string text = to_yaml(sorted(inputs_.arena(), after));
    if (!options_.diff) return put(text);
    portcullis::print(marked_lines(to_yaml(sorted(inputs_.arena(), before)), text, colour_out()));
  }

  // The changes of an object, and its identity.
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
    w.raw(json_patch_text(differences(before, after), true));
    write_place(w, o);
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
