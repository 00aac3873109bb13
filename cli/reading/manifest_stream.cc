// See manifest_stream.h.
#include "cli/reading/manifest_stream.h"

#include <algorithm>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "cli/messages/messages.h"
#include "cli/reading/ordered_work.h"
#include "cli/reading/packed_documents.h"
#include "manifests/resources.h"
#include "manifests/roles.h"

namespace portcullis {
namespace {

// A part has at most this much text or this many documents, but at least one.
constexpr size_t kPartBytes = size_t{64} << 10, kPartDocuments = 128;  // or objects of one document
// What parts in memory may take.
constexpr size_t kInMemory = size_t{4} << 20;

// The splitter of a text whose documents can be read one after the other. Nothing if it is small, or if the first
// values of JSON show that YAML follows.
std::optional<DocumentSplitter> splitter_of(std::string_view text) {
  if (text.size() <= kPartBytes) return std::nullopt;
  DocumentSplitter whole(text), first = whole;
  JsonReader reader;
  Arena arena;
  for (int value = 0; value < 2 && first.form() == DocumentSplitter::Form::Json; value++) {
    auto piece = first.next();
    if (piece && piece->document.json && read_piece(*piece, reader, arena)) return std::nullopt;
  }
  return whole;
}

// The rough size of a part in memory.
size_t size_of(const ManifestPart& part) {
  return sizeof part + part.arena.reserved() + part.documents.capacity() * sizeof(YamlDocument) +
         part.objects.capacity() * sizeof(InputObject);
}

}  // namespace

// The reading. Parts are read on several threads and taken in their order.
class ManifestStream::Scan {
 public:
  Scan(ManifestStream& stream, std::span<const std::string> paths, const Wanted& wanted, const Seen& seen)
      : stream_(stream), inputs_(stream.inputs_), wanted_(wanted), seen_(seen) {
    for (const std::string& path : paths) paths_.push_back({path, find_reviewed(path, stream.options_)});
    for (Path& path : paths_) {
      for (const FoundFile& f : path.found.files) order_.emplace_back(&path, &f);
    }
    // What patches patch is known at the end.
    patches_ = std::ranges::stable_partition(order_, [](const auto& at) {
                 return at.second->patch_of.empty();
               }).size();
  }

  void run() {
    const size_t threads = std::max(1U, std::thread::hardware_concurrency()),
                 left_out = inputs_.left_out_.size();
    std::vector<JsonReader> readers(threads);
    OrderedWork<Job>(threads, {.make = [&] { return make(); },
                               .work = [&](Job& job, size_t worker) { work(job, readers[worker]); },
                               .take = [&](Job& job) { take(job); }})
        .run();
    begin(paths_.size());
    say_left_out(std::span(inputs_.left_out_).subspan(left_out));
    for (const Path& p : paths_) {
      if (stream_.options_.lenient) break;  // named files that are skipped were said
      if (p.objects == 0 && !p.failed && stream_.objects_ > 0)
        say(Severity::Note, file_name(p.path), {}, "there are no objects in it");
    }
  }

 private:
  struct Path {
    std::string path;
    FoundFiles found;
    size_t objects = 0;
    bool failed = false;
  };
  struct File {
    const FoundFile* found;
    Path* path;
    Inputs::FileFindings findings = {};
    std::vector<Message> messages = {};         // why it cannot be read
    std::optional<DocumentSplitter> rest = {};  // absent: it is read as a whole
    bool over = false;                          // what follows in it does not count
  };
  struct Job {
    std::shared_ptr<File> file;
    std::optional<DocumentSplitter> start = {};
    std::vector<DocumentSplitter::Piece> pieces = {};
    bool last = false;
    // Of the work:
    Inputs::FileFindings findings = {};
    std::shared_ptr<ManifestPart> part = {};
    std::vector<bool> wanted = {};                   // of each object
    std::shared_ptr<const std::string> packed = {};  // if it is likely to be needed
  };

  // --- the jobs ---

  std::unique_ptr<Job> make() {
    if (file_ == nullptr || file_->over) {
      file_ = nullptr;
      if (at_ == order_.size()) return nullptr;
      next_file();
    }
    auto job = std::make_unique<Job>(Job{file_});
    if (!file_->rest) {
      job->last = true;
    } else {
      split(*job, *file_->rest);
    }
    if (job->last) file_ = nullptr;
    return job;
  }

  void next_file() {
    const auto& [path, found] = order_[at_++];
    file_ = std::make_shared<File>(File{found, path});
    if (!found->error.empty()) return;
    Listening listening;  // it is said when its turn comes
    file_->findings = inputs_.take_text(file_name(file_->found->path), read_file(file_->found->path));
    file_->messages = std::move(listening.messages);
    // Of a patch all objects must be known.
    if (file_->findings.file == nullptr || !found->patch_of.empty()) return;
    file_->rest = splitter_of(file_->findings.file->text);
  }

  static void split(Job& job, DocumentSplitter& rest) {
    job.start = rest;
    for (size_t bytes = 0; bytes < kPartBytes && job.pieces.size() < kPartDocuments;) {
      auto piece = rest.next();
      if (!piece) {
        job.last = true;
        job.findings.error = rest.error();
        return;
      }
      bytes += piece->text.size();
      job.pieces.push_back(std::move(*piece));
    }
  }

  // --- the work ---

  void work(Job& job, JsonReader& reader) const {
    Inputs::FileFindings& f = job.findings;
    f.file = job.file->findings.file;
    if (f.file == nullptr) return;
    job.part = std::make_shared<ManifestPart>();
    ManifestPart& part = *job.part;
    if (!job.start) {
      f.error = read_all_documents(*f.file, reader, part.arena, part.documents);
    } else {
      part.documents.reserve(job.pieces.size());
      for (DocumentSplitter::Piece& piece : job.pieces) {
        if (auto error = read_piece(piece, reader, part.arena)) {
          f.error = error;
          break;
        }
        part.documents.push_back(std::move(piece.document));
      }
    }
    Inputs::look_at(part.documents, job.file->found->path, part.arena, f, part.objects);
    for (const InputObject& o : part.objects) job.wanted.push_back(wanted_(o));
    if (stream_.packs_.load(std::memory_order_relaxed)) job.packed = pack(part.documents);
  }

  // --- its results ---

  void take(Job& job) {
    File& file = *job.file;
    if (file.over) return;
    begin(static_cast<size_t>(file.path - paths_.data()) + 1);
    if (job.part == nullptr) return fail(file);
    if (!file.found->patch_of.empty() && is_patch(job)) {
      file.over = true;
      return inputs_.left_out_.push_back({file.found->path, "patches of kustomize, by a kustomization.yaml"});
    }
    add(file.findings, job.findings);
    add_part(job);
    if (job.last || file.findings.error) conclude(file);
  }

  // Whether nothing in a file that a kustomization.yaml names as a patch could stand alone: other files, or what that
  // kustomization.yaml builds, have all its objects, or they are half a CustomResourceDefinition.
  bool is_patch(const Job& job) {
    return !job.findings.error && job.findings.refused.empty() &&
           std::ranges::all_of(job.part->objects, [&](const InputObject& o) {
             const std::string name = identity(o);
             return bases_.contains(name) || (role_of(o) == Role::Definition && !defines_kind(o.value)) ||
                    std::ranges::any_of(job.file->found->patch_of, [&](const std::string& directory) {
                      return built_in(directory).contains(name);
                    });
           });
  }

  // The identities of the objects that the kustomization.yaml of a directory builds, which need not be under review.
  const std::unordered_set<std::string>& built_in(const std::string& directory) {
    const auto [found, added] = built_.try_emplace(directory);
    if (!added) return found->second;
    for (const std::string& path : files_built(directory)) {
      Result<std::string> text = read_file(path);
      if (!text.ok()) continue;
      SourceFile file{path, std::move(*text), {}};
      Arena arena;
      std::vector<InputObject> objects;
      read_all_documents(file, inputs_.reader_, arena, file.documents);
      for (const YamlDocument& d : file.documents) {
        if (!d.value.is_null()) split_document(file, d, arena, [](Position, std::string_view) {}, objects);
      }
      for (const InputObject& o : objects) {
        if (!o.name.empty()) found->second.insert(identity(o));
      }
    }
    return found->second;
  }

  // As kustomize finds the base of a patch. Empty without a name.
  static std::string identity(const InputObject& o) {
    if (o.name.empty()) return {};
    const std::string_view in = o.namespace_name.empty() ? "default" : o.namespace_name;
    return fmt::format("{}\n{}\n{}\n{}", o.api_version, o.kind, in, o.name);
  }

  // Adds what a directory of the first paths skips.
  void begin(size_t paths) {
    for (; begun_ < paths; begun_++) {
      for (const LeftOut& l : paths_[begun_].found.left_out) inputs_.left_out_.push_back(l);
    }
  }

  void fail(File& file) {
    file.over = file.path->failed = true;
    for (const Message& m : file.messages) say(m);
    if (!file.found->error.empty()) inputs_.fail(file.found->path, {}, file.found->error);
  }

  static void add(Inputs::FileFindings& all, Inputs::FileFindings& some) {
    all.error = std::move(some.error);
    all.documents += some.documents;
    all.objects += some.objects;
    if (!all.meant && some.values > 0) {
      all.meant = some.meant;
      all.why = some.why;
    }
    all.values += some.values;
    std::ranges::move(some.refused, std::back_inserter(all.refused));
  }

  void add_part(Job& job) {
    ManifestPart& part = *job.part;
    if (part.objects.empty()) return;
    if (patches_ > 0 && job.file->found->patch_of.empty()) {
      for (const InputObject& o : part.objects) {
        if (!o.name.empty()) bases_.insert(identity(o));
      }
    }
    part.number = stream_.objects_;
    std::shared_ptr<const std::string> packed;
    if (!stream_.packs_) {
      stream_.in_memory_ += size_of(part);
      stream_.packs_ = stream_.in_memory_ > kInMemory;
    } else {
      packed = job.packed != nullptr ? job.packed : pack(part.documents);
    }
    size_t i = 0;  // of the object
    for (const auto& piece : packed != nullptr ? std::vector{job.part} : pieces(job.part)) {
      Ticket ticket{.file = job.findings.file, .number = piece->number, .packed = packed};
      if (packed == nullptr) ticket.part = piece;
      for (size_t at = 0; at < piece->objects.size(); at++, i++) {
        const bool stays = seen_(piece->objects[at]);
        if (stays || job.wanted[i]) stream_.keep(ticket, *piece, at);
      }
      stream_.tickets_.push_back(std::move(ticket));
    }
    stream_.objects_ += i;
    job.file->path->objects += i;
  }

  // The same part, or, if one document has many objects, several with some of them each: all cores have work then.
  static std::vector<std::shared_ptr<ManifestPart>> pieces(const std::shared_ptr<ManifestPart>& part) {
    auto& objects = part->objects;
    if (objects.size() <= 2 * kPartDocuments) return {part};
    std::vector<std::shared_ptr<ManifestPart>> out;
    for (size_t from = 0; from < objects.size(); from += kPartDocuments) {
      auto piece = std::make_shared<ManifestPart>();
      const size_t to = std::min(from + kPartDocuments, objects.size());
      piece->objects.assign(std::make_move_iterator(objects.begin() + static_cast<ptrdiff_t>(from)),
                            std::make_move_iterator(objects.begin() + static_cast<ptrdiff_t>(to)));
      piece->number = part->number + from;
      piece->whole = part;
      out.push_back(std::move(piece));
    }
    return out;
  }

  void conclude(File& file) {
    file.over = true;
    const size_t errors = inputs_.errors_;
    inputs_.conclude(*file.found, stream_.options_, file.findings);
    file.path->failed |= inputs_.errors_ > errors;
  }

  ManifestStream& stream_;
  Inputs& inputs_;
  const Wanted& wanted_;
  const Seen& seen_;
  std::vector<Path> paths_;
  std::vector<std::pair<Path*, const FoundFile*>> order_;  // patches last
  size_t patches_ = 0;
  std::unordered_set<std::string>
      bases_;  // the identities of objects that patches may change, if there are patches
  std::unordered_map<std::string, std::unordered_set<std::string>> built_;  // by directories of patches
  size_t at_ = 0, begun_ = 0;
  std::shared_ptr<File> file_;  // whose documents are being split
};

void ManifestStream::scan(std::span<const std::string> paths, const Wanted& wanted, const Seen& seen) {
  Scan(*this, paths, wanted, seen).run();
}

void ManifestStream::keep(Ticket& ticket, const ManifestPart& part, size_t index) {
  const InputObject& object = part.objects[index];
  ticket.stays |= ticket.part != nullptr;
  kept_.push_back({part.number + index, ticket.part != nullptr ? object : copy(ticket, object)});
}

// The same object of the same document, read once more to stay.
InputObject ManifestStream::copy(const Ticket& ticket, const InputObject& object) {
  const bool known =
      !copies_.empty() && copied_from_ == ticket.file && copies_.back().start == object.document->start;
  if (!known) {
    copied_from_ = ticket.file;
    DocumentSplitter::Piece piece{*object.document, object.document->in(ticket.file->text)};
    piece.document.value = {};
    read_piece(piece, inputs_.reader_, inputs_.arena_);
    copies_.push_back(std::move(piece.document));
  }
  std::vector<InputObject> all;
  split_document(*ticket.file, copies_.back(), inputs_.arena_, [](Position, std::string_view) {}, all);
  auto same = std::ranges::find(all, object.path, &InputObject::path);
  return *same;
}

void ManifestStream::keep_also(const Wanted& wanted) {
  const std::vector<Kept> before = kept_;
  auto is_kept = [&](size_t number) {
    auto found = std::ranges::lower_bound(before, number, {}, &Kept::number);
    return found != before.end() && found->number == number;
  };
  for (Ticket& ticket : tickets_) {
    const std::shared_ptr<ManifestPart> part = open(ticket);
    for (size_t i = 0; i < part->objects.size(); i++) {
      if (wanted(part->objects[i]) && !is_kept(part->number + i)) keep(ticket, *part, i);
    }
  }
  std::ranges::sort(kept_, {}, &Kept::number);
}

std::vector<InputObject> ManifestStream::kept() const {
  std::vector<InputObject> out;
  for (const Kept& k : kept_) out.push_back(k.object);
  return out;
}

std::optional<ManifestStream::Ticket> ManifestStream::next() {
  if (tickets_.empty()) return std::nullopt;
  Ticket ticket = std::move(tickets_.front());
  tickets_.pop_front();
  if (ticket.stays) staying_.push_back(ticket.part);
  return ticket;
}

std::shared_ptr<ManifestPart> ManifestStream::open(const Ticket& ticket) {
  if (ticket.part != nullptr) return ticket.part;
  auto part = std::make_shared<ManifestPart>();
  part->number = ticket.number;
  part->packed = ticket.packed;
  unpack(*ticket.packed, part->arena, part->documents);
  const auto ignored = [](Position, std::string_view) {};
  for (const YamlDocument& d : part->documents) {
    if (!d.value.is_null()) split_document(*ticket.file, d, part->arena, ignored, part->objects);
  }
  return part;
}

}  // namespace portcullis
