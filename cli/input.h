// Files, directories and standard input -> Kubernetes objects, each with the place it came from.
//
// Idea: kubectl's rules. A directory gives its *.yaml, *.yml and *.json in the order of their names, with
// `recursive` also those of folders below (links to folders are not followed, pipes and sockets in folders
// not read); a file that is named is read whatever it is; "-" is standard input. A file has documents, a
// document one object or a List of them. Everything stays in memory until the Inputs die.
// Errors are said at once (messages.h), with file, line and column, and counted; reading goes on, so that one
// run shows all of them. Tested by tests/cli.py.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/yaml.h"
#include "interpreter/arena.h"
#include "interpreter/json.h"
#include "interpreter/member.h"

namespace portcullis {

// A file may be this large: no dump of a cluster comes near, and reading a device has to end.
inline constexpr size_t kMaxFileSize = size_t{1} << 30;

// The text of a file; "-" is standard input, which only the first call can have. The error is that of the
// system, without position and the file's name.
Result<std::string> read_file(const std::string& path);
// What messages call it.
std::string file_name(const std::string& path);
// For messages about several: "a.yaml, b.yaml and 3 more"; of directories with nothing to read that is said.
std::string list_files(std::span<const std::string> paths);

struct SourceFile {
  std::string name;  // as given, "<stdin>" for standard input
  std::string text;
  std::vector<YamlDocument> documents;
};

// An object with apiVersion and kind. Views and values live as long as the Inputs.
struct InputObject {
  const SourceFile* file = nullptr;
  const YamlDocument* document = nullptr;
  std::string path;  // "items[2]" for an element of a List, else empty
  Value value;
  std::string_view api_version, kind, name, namespace_name;  // the last two may be empty

  // Position in the file of the node at a field path of the object.
  Position locate(std::string_view field, bool key = false) const;
  std::string_view group() const;
};

class Inputs {
 public:
  Inputs() = default;
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  // All objects in `paths`, in order. What cannot be read is said and counted.
  std::vector<InputObject> read(std::span<const std::string> paths, bool recursive);

  // The one document of a file, any value, null if there is none; nothing, said and counted, if it cannot be
  // read. The second form takes the text itself, and what messages call it.
  std::optional<Value> read_value(const std::string& path);
  std::optional<Value> read_value(std::string text, std::string name);

  size_t errors() const { return errors_; }
  Arena& arena() { return arena_; }

 private:
  void read_path(const std::string& path, bool recursive, bool named, std::vector<InputObject>& out);
  void read_directory(const std::string& path, bool recursive, std::vector<InputObject>& out);
  const SourceFile* parse(std::string name, Result<std::string> text);
  std::optional<Value> value_of(const SourceFile* file);
  void add_file(const std::string& path, std::vector<InputObject>& out);
  void add_object(const SourceFile& file, const YamlDocument& document, std::string path, Value value,
                  std::vector<InputObject>& out);
  void add_list(const SourceFile& file, const YamlDocument& document, const InputObject& list,
                std::vector<InputObject>& out);
  void fail(std::string_view file, Position position, std::string_view text, std::string_view source = {});

  Arena arena_;
  JsonReader reader_;
  std::deque<SourceFile> files_;
  size_t errors_ = 0;
};

// `map` with `key` set to `value`, at the end unless it is there; in the arena.
Value with_member(const Value& map, std::string_view key, const Value& value, Arena& arena);
// The node at a path as "spec.validations[0].expression", or null.
const Value* find_path(const Value& root, std::string_view path);

}  // namespace portcullis
