// Reads files, directories and standard input into Kubernetes objects, each with its place.
//
// Idea: the rules are kubectl's. files.h finds the files; "-" is standard input. A file has documents, a
// document has one object or a List. Everything stays in memory as long as the Inputs. Errors are printed at
// once (messages.h), with file, line and column, and counted; reading continues, so that one run shows all of
// them. In a file with a syntax error, the documents before the error count and those after it do not, as in
// kubectl. A file of a directory without objects (foreign.h) is skipped with a note; a file on the command
// line must have objects. Empty files are noted, too. Tested by tests/cli/files.txt.
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
#include "manifests/object.h"

namespace portcullis {

// The largest file size. No dump of a cluster comes near, and reading a device must end.
inline constexpr size_t kMaxFileSize = size_t{1} << 30;

// The text of a file; "-" is standard input, which only the first call can read. The error is that of the
// system, without position and file name.
Result<std::string> read_file(const std::string& path);
// The name of the file in messages.
std::string file_name(const std::string& path);
// For messages about several files: "a.yaml, b.yaml and 3 more"; says so if it means directories without
// manifests, unless those below are read, too (`recursive`).
std::string list_files(std::span<const std::string> paths, bool recursive);

// For messages about several objects: "ConfigMap a, Pod default/b, Pod c and 2 more". One without a name has its
// generateName.
std::string list_objects(std::span<const InputObject* const> objects);

// Reads the documents of a file into `out`, with values in `arena`; after an error those before it.
std::optional<Error> read_all_documents(const SourceFile& file, JsonReader& reader, Arena& arena,
                                        std::vector<YamlDocument>& out);

class Inputs {
 public:
  Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  // All objects in `paths`, in order. Errors are printed and counted; skipped and empty files are noted. If
  // the call yields nothing, the notes are printed only if `may_be_empty`, since otherwise the caller prints
  // more.
  std::vector<InputObject> read(std::span<const std::string> paths, const ReadOptions& options,
                                bool may_be_empty = false);
  // The files that these calls skipped.
  const std::vector<LeftOut>& left_out() const { return left_out_; }

  // The documents of a file, whatever they are; null if it cannot be read, and prints and counts the error.
  const SourceFile* read_documents_of(const std::string& path);
  // The objects in a text that the program makes, with its name in messages; one that is wrong is printed and counted.
  std::vector<InputObject> read_text(std::string text, std::string name);

  // The only document of a file, which may have any value; null if the file has none. Returns nothing if the
  // file cannot be read, and prints and counts the error. The second form takes the text itself and its name
  // in messages.
  std::optional<Value> read_value(const std::string& path);
  // The same with its place, kind and name, which may be absent.
  std::optional<InputObject> read_object(const std::string& path);
  std::optional<Value> read_value(std::string text, std::string name);

  size_t errors() const { return errors_; }
  Arena& arena() { return arena_; }

 private:
  void read_path(const std::string& path, const ReadOptions& options, std::vector<InputObject>& out);
  friend class ManifestStream;
  // What came of a file, before anything is said.
  struct FileFindings {
    SourceFile* file = nullptr;
    std::optional<Error> error = {};                // of its syntax, which ends it
    size_t documents = 0, values = 0, objects = 0;  // values: documents with content
    bool meant = false;                             // a document may be meant as an object
    std::string_view why = "empty";                 // if none is, what it is
    std::vector<Error> refused = {};                // documents that are no objects
  };
  // Takes the text of a file. Prints and counts the error if there is none; `findings.file` is null then.
  FileFindings take_text(std::string name, Result<std::string> bytes);
  // Looks at documents of a file and appends their objects to `out`.
  static void look_at(std::span<const YamlDocument> documents, std::string_view path, Arena& arena,
                      FileFindings& findings, std::vector<InputObject>& out);
  // Says and counts what is wrong with a file, or that it is skipped.
  void conclude(const FoundFile& found, const ReadOptions& options, const FileFindings& findings);
  void fail_syntax(const FileFindings& findings, std::string_view hint);

  // Parses a text; null if there is none. Syntax errors are printed.
  const SourceFile* parse(std::string name, Result<std::string> text);
  std::optional<Value> value_of(const SourceFile* file);
  void add_file(const FoundFile& found, const ReadOptions& options, std::vector<InputObject>& out);
  void fail(std::string_view file, Position position, std::string_view text, const PointedText& source = {},
            std::string_view hint = {});

  Arena arena_;
  JsonReader reader_;
  std::deque<SourceFile> files_;
  std::vector<LeftOut> left_out_;
  size_t errors_ = 0;
};

// Notes files that are left out: one note for each reason.
void say_left_out(std::span<const LeftOut> files);

// Writes the members that identify the object and its place: document, file, kind, line, name, namespace.
void write_place(JsonWriter& w, const InputObject& object);

}  // namespace portcullis
