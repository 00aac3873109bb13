// `portcullis normalize`: prints objects as policies see them, or the changes that the API server makes to
// them.
//
// Idea: seen.h does the work. The difference is that of both objects as sorted YAML, line by line, or for
// programs a JSON Patch (admission/objects/difference.h). Objects of undefined kinds are printed unchanged,
// with a note. Tested by tests/cli/normalize.txt.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "admission/builtin/conversion.h"
#include "admission/objects/difference.h"
#include "cli/commands.h"
#include "cli/commands/no_verdict.h"
#include "cli/messages/errors.h"
#include "cli/messages/line_diff.h"
#include "cli/messages/messages.h"
#include "cli/messages/output.h"
#include "cli/messages/progress.h"
#include "cli/messages/visible.h"
#include "cli/reading/manifest_stream.h"
#include "cli/reading/ordered_work.h"
#include "cli/requests/seen.h"
#include "manifests/kubectl.h"
#include "manifests/yaml.h"

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
  return make_map(entries, n);
}

class Normalizer {
 public:
  explicit Normalizer(const NormalizeOptions& options) : options_(options) {}

  int run() {
    if (options_.manifests.empty()) return no_verdict("no manifests given; - is standard input");
    stream_.scan(options_.manifests, SeenObjects::learns_from, [](const InputObject&) { return false; });
    refused_ = inputs_.errors() > 0;
    if (stream_.size() == 0 && !refused_)
      return no_verdict("no manifests in " + list_files(options_.manifests, options_.reading.recursive));
    learned_ = stream_.kept();
    seen_.learn(learned_);
    print_all();
    return refused_ ? kNoVerdict : kAdmitted;
  }

 private:
  struct Part {
    ManifestStream::Ticket ticket;
    std::string out = {};
    std::vector<Message> messages = {};
    bool refused = false;
    size_t objects = 0;
  };
  struct Worker {
    explicit Worker(const SeenObjects& all) : seen(all.in(arena)) {}
    Arena arena;  // of the present object
    SeenObjects seen;
  };

  void print_all() {
    const size_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::deque<Worker> workers;
    for (size_t i = 0; i < threads; i++) workers.emplace_back(seen_);
    OrderedWork<Part>(threads, {.make =
                                    [&] {
                                      auto ticket = stream_.next();
                                      return ticket ? std::make_unique<Part>(Part{std::move(*ticket)})
                                                    : nullptr;
                                    },
                                .work = [&](Part& part, size_t worker) { work(part, workers[worker]); },
                                .take = [&](Part& part) { take(part); }})
        .run();
  }

  void work(Part& part, Worker& worker) const {
    Listening listening;
    const auto manifests = ManifestStream::open(part.ticket);
    std::vector<Value> given;
    for (const InputObject& o : manifests->objects) given.push_back(o.value);
    seen_.settle(manifests->objects, manifests->arena);
    for (const InputObject& o : manifests->objects) {
      worker.arena.reset();
      std::optional<Value> made = worker.seen.created(o);
      part.refused |= !made;
      if (made)
        add(part.out, o, shown(given[part.objects], worker.arena), shown(*made, worker.arena), worker.arena);
      part.objects++;
    }
    part.messages = std::move(listening.messages);
  }

  void take(Part& part) {
    progress_.clear();
    for (const Message& m : part.messages) say(m);
    refused_ |= part.refused;
    if (options_.output != "json" && !first_ && !part.out.empty()) put("---\n");
    first_ &= part.out.empty();
    put(part.out);
    flush_output();
    done_ += part.objects;
    progress_.tell(done_, static_cast<double>(done_) / static_cast<double>(stream_.size()));
  }

  Value shown(const Value& object, Arena& arena) const {
    return options_.show_managed_fields ? object : without_managed_fields(arena, object);
  }

  void add(std::string& out, const InputObject& o, const Value& before, const Value& after,
           Arena& arena) const {
    if (options_.output == "json") {
      out += (options_.diff ? difference_json(o, before, after) : to_json(after)) + "\n";
      return;
    }
    if (!out.empty()) out += "---\n";
    std::string text = to_yaml(sorted(arena, after));
    out += options_.diff
               ? visible_lines(marked_lines(to_yaml(sorted(arena, before)), text, colour_out()), colour_out())
               : text;
  }

  // The changes of an object, and its identity.
  static std::string difference_json(const InputObject& o, const Value& before, const Value& after) {
    std::string out;
    JsonWriter w(out);
    w.begin_object();
    w.member("apiVersion", o.api_version);
    w.raw("changes", json_patch_text(differences(before, after), true));
    write_place(w, o);
    w.optional("path", o.path);
    w.end_object();
    return out;
  }

  const NormalizeOptions& options_;
  Inputs inputs_;
  SeenObjects seen_{inputs_.arena(),
                    {options_.namespace_name, options_.show_managed_fields, options_.field_manager}};
  ManifestStream stream_{inputs_, options_.reading};
  std::vector<InputObject> learned_;
  Progress progress_{"manifests"};
  bool refused_ = false, first_ = true;  // first: nothing is printed yet
  size_t done_ = 0;
};

}  // namespace

int normalize(const NormalizeOptions& options) {
  int status = Normalizer(options).run();
  if (options.output == "json") put(said_errors_json());
  if (options.output == "yaml" && !options.diff && !said_errors().empty()) put("---\n" + said_errors_yaml());
  return status;
}

}  // namespace portcullis
