// Manifests that are read in parts, so that few of their values are in memory at once.
//
// Idea: what a review must know before the first verdict (policies, params, namespaces ...) is little, and the rest is
// much. scan() reads all files, reports errors, and keeps what is wanted by then; the rest it packs into bytes
// (packed_documents.h), but for the first parts, which stay as they are. Then the parts come again, one after the other,
// on any thread, and are forgotten when they are decided. The rules and messages are those of Inputs (input.h).
// Files that are marked as patches (files.h) are read last; those in which nothing could stand alone are skipped.
// Limits: texts of files stay in memory; a document is read as a whole, and so is one List of everything.
// Tested by tests/cli/files.txt, tests/cli/streams.txt.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/reading/input.h"
#include "manifests/documents.h"

namespace portcullis {

// Documents with their objects, which live as long as it and the stream.
struct ManifestPart {
  Arena arena;
  std::vector<YamlDocument> documents;  // stay where they are
  std::vector<InputObject> objects;
  size_t number = 0;  // of the first object in the input
  // What holds texts, documents and values of the objects, if the part itself does not.
  std::shared_ptr<const std::string> packed = {};
  std::shared_ptr<const ManifestPart> whole = {};
};

class ManifestStream {
 public:
  // Whether an object stays after the scan. Is asked on several threads.
  using Wanted = std::function<bool(const InputObject& object)>;
  // Is told of every object, in their order; whether it stays anyway.
  using Seen = std::function<bool(const InputObject& object)>;

  // Errors and skipped files are those of `inputs`, which must outlive the stream.
  ManifestStream(Inputs& inputs, const ReadOptions& options) : inputs_(inputs), options_(options) {}

  // Reads all files, once. Errors are said and counted as by Inputs::read().
  void scan(std::span<const std::string> paths, const Wanted& wanted, const Seen& seen);
  // Keeps these, too, of what was scanned.
  void keep_also(const Wanted& wanted);
  // The objects that stay, in their order.
  std::vector<InputObject> kept() const;
  // The number of all objects.
  size_t size() const { return objects_; }

  // How a part comes again.
  struct Ticket {
    const SourceFile* file = nullptr;
    size_t number = 0;
    std::shared_ptr<ManifestPart> part = {};         // if it is in memory
    std::shared_ptr<const std::string> packed = {};  // else
    bool stays = false;                              // kept objects are in `part`
  };
  // The parts after the scan, each once, in their order; nothing at the end.
  std::optional<Ticket> next();
  // Thread-safe.
  static std::shared_ptr<ManifestPart> open(const Ticket& ticket);

 private:
  class Scan;
  struct Kept {
    size_t number;
    InputObject object;
  };
  void keep(Ticket& ticket, const ManifestPart& part, size_t index);
  InputObject copy(const Ticket& ticket, const InputObject& object);

  Inputs& inputs_;
  const ReadOptions& options_;
  std::deque<Ticket> tickets_;
  std::vector<std::shared_ptr<ManifestPart>> staying_;
  std::vector<Kept> kept_;
  std::deque<YamlDocument> copies_;          // documents of kept objects whose parts are forgotten
  const SourceFile* copied_from_ = nullptr;  // the file of the last one
  size_t objects_ = 0, in_memory_ = 0;
  std::atomic<bool> packs_ = false;  // the parts in memory are as many as may be
};

}  // namespace portcullis
