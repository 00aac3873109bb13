// `portcullis normalize`: objects as policies see them, or what the API server changes of them.
//
// Idea: builtin/normalize.h does the work; the difference is that of the two as sorted YAML, line by line.
// Objects that are of no built-in kind are printed as they stand, which a note says. Tested by
// tests/cli/normalize.txt.
#include <algorithm>
#include <string>
#include <vector>

#include "admission/builtin/hub.h"
#include "admission/builtin/normalize.h"
#include "admission/builtin/surroundings.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/request.h"
#include "cli/resources.h"

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
    for (const InputObject& o : objects) around_.add(inputs_.arena(), o.value, options_.namespace_name);
    bool first = true;
    for (const InputObject& o : objects) {
      Value made;
      if (!normalize(o, made)) {
        refused = true;
        continue;
      }
      print(o, made, first);
      first = false;
    }
    return refused ? kNoVerdict : kAdmitted;
  }

 private:
  bool normalize(const InputObject& o, Value& out) {
    out = o.value;
    if (!builtin::is_builtin(o.value)) {
      say(Severity::Note, o.file->name, o.locate("kind"),
          std::string(o.api_version) + " " + std::string(o.kind) +
              " is not a built-in kind and stands as it is");
      return true;
    }
    std::vector<builtin::UnknownField> unknown;
    builtin::DecodeOptions options;
    options.phase = builtin::Phase::Validating;
    options.unknown = &unknown;
    options.around = &around_;
    constexpr std::string_view kGroups[] = {"system:masters", "system:authenticated"};
    options.sender.groups = kGroups;
    if (resources_.find(o.api_version, o.kind).namespaced) {
      options.name_space =
          o.namespace_name.empty() ? std::string_view(options_.namespace_name) : o.namespace_name;
    }
    if (options_.show_managed_fields)
      options.manager = field_manager(options_.field_manager, Operation::Create);
    builtin::Normalized made = builtin::normalize(inputs_.arena(), o.value, options);
    say_unknown_fields(o, unknown);
    if (!made.error.empty()) return say_decoding_error(o, made), false;
    out = made.object;
    return true;
  }

  // As kubectl prints an object.
  Value shown(const Value& object) {
    const Value* metadata = find_member(object, "metadata");
    if (options_.show_managed_fields || metadata == nullptr ||
        find_member(*metadata, "managedFields") == nullptr)
      return object;
    Arena& arena = inputs_.arena();
    return with_member(object, "metadata", builtin::without_member(arena, *metadata, "managedFields"), arena);
  }

  void print(const InputObject& o, const Value& whole, bool first) {
    Value made = shown(whole);
    if (options_.output == "json" && !options_.diff) {
      put(to_json(made) + "\n");
      return;
    }
    if (!first) put("---\n");
    std::string after = to_yaml(sorted(inputs_.arena(), made));
    if (options_.diff) {
      print_difference(to_yaml(sorted(inputs_.arena(), shown(o.value))), after);
    } else {
      put(after);
    }
  }

  const NormalizeOptions& options_;
  Inputs inputs_;
  Resources resources_;
  builtin::Surroundings around_;
};

}  // namespace

int normalize(const NormalizeOptions& options) {
  int status = Normalizer(options).run();
  if (options.output == "json") put(said_errors_json());
  return status;
}

}  // namespace portcullis
