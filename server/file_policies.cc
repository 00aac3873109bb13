// See file_policies.h.
#include "server/file_policies.h"

#include <algorithm>
#include <filesystem>

#include "cli/reading/files.h"
#include "cli/reading/input.h"
#include "library/served_files.h"
#include "manifests/foreign.h"

namespace portcullis::server {
namespace {

namespace fs = std::filesystem;
using Severity = v1::Problem::Severity;

// The largest file of policies: an object of a cluster has a few MiB at most.
constexpr uintmax_t kMostFile = uintmax_t{64} << 20;

// Whether a file of a directory holds none but documents that are plainly no objects of a cluster.
bool is_foreign(const SourceFile& file) {
  return std::ranges::all_of(file.documents, [&](const YamlDocument& d) {
    return d.value.is_null() || !foreign_to_cluster(d.value, file.name).empty();
  });
}

// Reads the files of -p.
class FileReader {
 public:
  FileReader(const Options& options, Log& log) : options_(options), log_(log) {}

  PolicyFiles read() {
    for (const std::string& path : options_.policies) read(path);
    return std::move(out_);
  }

 private:
  void fail(const std::string& text) {
    log_.line(LogLevel::Error, text);
    if (out_.error.empty()) out_.error = text;
  }

  void read(const std::string& path) {
    FoundFiles found = find_manifests(path, options_.reading);
    for (const LeftOut& l : found.left_out)
      log_.line(LogLevel::Debug, "a file is left out", {{"file", l.file}, {"why", l.why}});
    for (const FoundFile& f : found.files) {
      if (!f.error.empty()) {
        fail(f.path + ": error: " + f.error);
        continue;
      }
      std::error_code unknown;
      const fs::file_status status = fs::status(f.path, unknown);
      if (!f.named && fs::exists(status) && !fs::is_regular_file(status)) {
        log_.line(LogLevel::Debug, "a file is left out", {{"file", f.path}, {"why", "it is a device"}});
        continue;
      }
      if (const uintmax_t size = fs::file_size(f.path, unknown); !unknown && size > kMostFile) {
        fail(f.path + ": error: larger than 64 MiB, the most that is read of one file");
        continue;
      }
      Result<std::string> text = read_file(f.path);
      if (!text.ok()) {
        fail(f.path + ": error: " + text.error().text);
        continue;
      }
      v1::Manifests::State& manifests = *out_.manifests.state();
      const size_t problems = manifests.problems.size();
      const SourceFile& file = manifests.parse(*text, f.path);
      const bool sound = manifests.problems.size() == problems;  // else its errors are told
      if (sound && !f.named && !options_.reading.strict && is_foreign(file)) {
        log_.line(LogLevel::Debug, "a file is left out", {{"file", f.path}, {"why", "it is no manifest"}});
        manifests.files.pop_back();
      } else {
        manifests.add_objects(file);
      }
    }
  }

  const Options& options_;
  Log& log_;
  PolicyFiles out_;
};

class Loader {
 public:
  Loader(const Options& options, Log& log)
      : options_(options), log_(log), read_(read_policy_files(options, log)), error_(read_.error) {}

  // The engine, or null after an error.
  std::shared_ptr<const v1::Engine> load() {
    v1::LoadResult loaded =
        load_served_files(read_.manifests, {.param_scopes = options_.param_scopes,
                                            .unknown_namespaces = options_.unknown_namespaces,
                                            .stored = options_.stored});
    for (const v1::Problem& p : loaded.problems) {
      const bool error = p.severity == Severity::Error && (!options_.stored || loaded.engine == nullptr);
      const std::string text = p.source.empty() ? p.text : p.message();
      if (error) fail(text);
      if (!error) log_.line(LogLevel::Warning, text);
    }
    if (!error_.empty()) return nullptr;
    if (loaded.engine == nullptr) return fail("the policies cannot be loaded"), nullptr;
    if (loaded.engine->binding_count() == 0) {
      return fail("no policy with a binding is in the files of -p, so nothing would be decided"), nullptr;
    }
    return loaded.engine;
  }

  // The first error.
  const std::string& error() const { return error_; }
  size_t files() const { return read_.all().size(); }

 private:
  void fail(const std::string& text) {
    log_.line(LogLevel::Error, text);
    if (error_.empty()) error_ = text;
  }

  const Options& options_;
  Log& log_;
  const PolicyFiles read_;
  std::string error_;
};

}  // namespace

PolicyFiles read_policy_files(const Options& options, Log& log) { return FileReader(options, log).read(); }

bool reload_files(const Options& options, Log& log, Policies& policies) {
  const auto start = std::chrono::steady_clock::now();
  try {
    Loader loader(options, log);
    std::shared_ptr<const v1::Engine> engine = loader.load();
    if (engine == nullptr) return policies.keep(loader.error()), false;
    policies.exchange(std::move(engine), std::chrono::steady_clock::now() - start,
                      {{"files", static_cast<int64_t>(loader.files())}});
    return true;
  } catch (const std::bad_alloc&) {
    return policies.keep(kNoMemory), false;
  }
}

}  // namespace portcullis::server
