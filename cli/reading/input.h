// Files, directories and standard input -> Kubernetes objects, each with the place it came from.
//
// Idea: kubectl's rules. files.h finds the files; "-" is standard input. A file has documents, a document one object or
// a List of them. Everything stays in memory until the Inputs die.
// Errors are said at once (messages.h), with file, line and column, and counted; reading goes on, so that one
// run shows all of them. Of a file that does not parse the documents in front of the error count, those behind it do
// not: so does kubectl. A file of a directory that holds no object of a cluster (foreign.h) is left out, which a note
// says; one that is named must hold some. What is empty is said as well. Tested by tests/cli/files.txt.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/reading/files.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/object.h"

namespace portcullis {

// A file may be this large: no dump of a cluster comes near, and reading a device has to end.
inline constexpr size_t kMaxFileSize = size_t{1} << 30;

// The text of a file; "-" is standard input, which only the first call can have. The error is that of the
// system, without position and the file's name.
Result<std::string> read_file(const std::string& path);
// What messages call it.
std::string file_name(const std::string& path);
// For messages about several: "a.yaml, b.yaml and 3 more"; of directories without manifests that is said.
std::string list_files(std::span<const std::string> paths);

class Inputs {
 public:
  Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  // All objects in `paths`, in order. What cannot be read is said and counted, what is left out or empty is
  // said; of a call that gives nothing at all only where `may_be_empty`, else the caller says more of it.
  std::vector<InputObject> read(std::span<const std::string> paths, const ReadOptions& options,
                                bool may_be_empty = false);
  // What those calls left out.
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  // The one document of a file, any value, null if there is none; nothing, said and counted, if it cannot be
  // read. The second form takes the text itself, and what messages call it.
  std::optional<Value> read_value(const std::string& path);
  // The same with its place, and what it says of its kind and name; it need say nothing.
  std::optional<InputObject> read_object(const std::string& path);
  std::optional<Value> read_value(std::string text, std::string name);

  size_t errors() const { return errors_; }
  Arena& arena() { return arena_; }

 private:
  void read_path(const std::string& path, const ReadOptions& options, std::vector<InputObject>& out);
  // Null if there is no text. What does not parse is said; but where `foreign` is asked for and the text is plainly
  // no manifest, that is all it is told.
  const SourceFile* parse(std::string name, Result<std::string> text, std::string_view hint = {},
                          bool* foreign = nullptr);
  std::optional<Value> value_of(const SourceFile* file);
  void add_file(const FoundFile& found, const ReadOptions& options, std::vector<InputObject>& out);
  void fail(std::string_view file, Position position, std::string_view text, std::string_view source = {},
            std::string_view hint = {});

  Arena arena_;
  JsonReader reader_;
  std::deque<SourceFile> files_;
  std::vector<LeftOut> left_out_;
  size_t errors_ = 0;
};

// The members that say which object it is and where it stands: document, file, kind, line, name, namespace.
void write_place(JsonWriter& w, const InputObject& object);

}  // namespace portcullis
