// See files.h.
#include "cli/reading/files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "cli/reading/ignore.h"
#include "cli/reading/input.h"
#include "grammar/ascii.h"
#include "interpreter/values/member.h"
#include "manifests/yaml.h"

namespace portcullis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIgnoreFile = ".portcullisignore";

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// The extension in lower case.
std::string extension_of(const fs::path& path) { return lower_case(path.extension().string()); }

// Whether a link leads into the data of the mounted ConfigMap or Secret that it is in.
bool is_of_volume(const fs::path& link) {
  std::error_code error;
  return fs::read_symlink(link, error).string().starts_with("..data/");
}

bool is_chart(const fs::path& file) {
  return is_one_of(file.filename().string(), {"Chart.yaml", "Chart.yml"});
}

// What the kustomization.yaml of a directory says of others: paths from the root.
struct Kustomization {
  std::vector<fs::path> patches, resources;
};

// Adds the files and directories of a list: names, or maps with a path. Patches may also be written there; no file has
// such a name.
void add_paths(const fs::path& directory, const Value& kustomization, std::string_view name,
               std::vector<fs::path>& to) {
  const Value* list = find_member(kustomization, name, Kind::List);
  if (list == nullptr) return;
  for (const Value& v : list->as_list()) {
    const std::string_view path = v.is(Kind::String) ? v.as_text()
                                  : v.is(Kind::Map)  ? text_member(v, "path")
                                                     : std::string_view();
    if (path.empty() || path.find('\n') != path.npos) continue;
    const fs::path whole = (directory / path).lexically_normal();
    to.push_back(whole.has_filename() ? whole : whole.parent_path());
  }
}

// That of a directory; it says nothing if there is none, or it cannot be read.
Kustomization read_kustomization(const fs::path& directory) {
  Kustomization out;
  for (std::string_view name : {"kustomization.yaml", "kustomization.yml", "Kustomization"}) {
    std::error_code error;
    const fs::path file = directory / name;
    if (!fs::is_regular_file(file, error)) continue;
    Result<std::string> text = read_file(file.string());
    if (!text.ok()) continue;
    Arena arena;
    const Result<Value> value = read_yaml(*text, arena);
    if (!value.ok() || !value->is(Kind::Map)) continue;
    for (std::string_view list : {"patches", "patchesStrategicMerge", "patchesJson6902"})
      add_paths(directory, *value, list, out.patches);
    for (std::string_view list : {"resources", "bases", "components"})
      add_paths(directory, *value, list, out.resources);
  }
  return out;
}

// What kustomizations say of other files.
class Kustomizations {
 public:
  void read(const fs::path& directory) {
    const Kustomization k = read_kustomization(directory);
    for (const fs::path& file : k.patches) patches_[file.string()].insert(directory.string());
    for (const fs::path& file : k.resources) resources_.insert(file.string());
  }

  // The directories of those that name a file as a patch; none if one names it as a resource.
  std::vector<std::string> patching(const fs::path& file) const {
    const auto found = patches_.find(file.string());
    if (found == patches_.end() || resources_.contains(file.string())) return {};
    return {found->second.begin(), found->second.end()};
  }

 private:
  std::map<std::string, std::set<std::string>> patches_;
  std::set<std::string> resources_;
};

// Rules, and the directory that their paths are relative to.
struct IgnoreList {
  std::string base;
  IgnoreRules rules;
};

class Search {
 public:
  // `reviewed`: whether kustomizations count.
  Search(const ReadOptions& options, FoundFiles& out, bool reviewed)
      : options_(options), out_(out), reviewed_(reviewed) {}

  void start(const std::string& path) {
    const fs::path root = from_root(path);
    const fs::path here = begin(root);
    // Reads the ignore files of the directories from the working directory down to the given one.
    fs::path below = root.lexically_relative(here);
    if (!below.empty() && *below.begin() != "..") {
      fs::path at = here;
      if (below != ".") read_rules(at);
      for (const fs::path& name : below) {
        at /= name;
        if (at != root && name != ".") read_rules(at);
      }
    }
    directory(path, root);
  }

  // Marks the files that a kustomization.yaml of what was searched names as patches.
  void mark_patches() {
    for (FoundFile& f : out_.files) {
      if (f.error.empty()) f.patch_of = kustomizations_.patching(from_root(f.path));
    }
  }

  // One file, as if it were found: in the working directory or below, or else in its own directory.
  void one(const std::string& path) {
    const fs::path whole = from_root(path);
    const fs::path here = begin(whole.parent_path());
    fs::path below = whole.lexically_relative(here), at = here;
    if (below.empty() || *below.begin() == "..") {
      at = whole.parent_path();
      below = whole.filename();
    }
    std::error_code error;
    for (const fs::path& name : below) {
      read_rules(at);
      if (reviewed_) kustomizations_.read(at);
      const bool in_chart = fs::exists(at / "Chart.yaml", error) || fs::exists(at / "Chart.yml", error);
      at /= name;
      const bool is_directory = at != whole;
      const std::string_view why = reason(name.string(), is_directory, in_chart);
      if (!why.empty()) return leave_out(path, why);
      if (is_ignored(at, is_directory)) return leave_out(path, kIgnored);
    }
    if (!has_manifest_name(path)) return leave_out(path, "not *.yaml, *.yml or *.json");
    out_.files.push_back({.path = path});
  }

 private:
  static constexpr std::string_view kIgnored = "named by --ignore or .portcullisignore";

  static fs::path from_root(const std::string& path) {
    std::error_code error;
    fs::path whole = fs::absolute(path, error).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
  }

  // The working directory. Patterns of --ignore are relative to it and to `root`.
  fs::path begin(const fs::path& root) {
    std::error_code error;
    fs::path here = fs::current_path(error).lexically_normal();
    IgnoreRules flags;
    for (const std::string& pattern : options_.ignore) flags.add(pattern);
    flags_ = {{here.string(), flags}, {root.string(), flags}};
    return here;
  }

  void read_rules(const fs::path& directory) {
    std::string file = (directory / kIgnoreFile).string();
    std::error_code error;
    if (!fs::exists(file, error)) return;
    Result<std::string> text = read_file(file);
    if (!text.ok()) return out_.files.push_back({.path = file, .error = text.error().text});
    IgnoreList list{directory.string(), {}};
    constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of UTF-8, which git skips, too
    std::string_view lines = *text;
    if (lines.starts_with(kMark)) lines.remove_prefix(kMark.size());
    list.rules.add(lines);
    if (!list.rules.empty()) lists_.push_back(std::move(list));
  }

  // `path`: as in messages; `whole`: the same from the root.
  void directory(const std::string& path, const fs::path& whole) {
    std::error_code error;
    std::vector<fs::path> entries;
    fs::directory_iterator it(path, error), end;
    for (; !error && it != end; it.increment(error)) entries.push_back(it->path());
    if (error) return out_.files.push_back({.path = path, .error = error.message()});
    std::sort(entries.begin(), entries.end());
    size_t lists = lists_.size();
    read_rules(whole);
    if (reviewed_) kustomizations_.read(whole);
    bool chart = std::ranges::any_of(entries, is_chart);
    for (const fs::path& e : entries) entry(e, whole / e.filename(), chart);
    lists_.resize(lists);
  }

  void entry(const fs::path& path, const fs::path& whole, bool in_chart) {
    std::error_code error;
    std::string name = path.filename().string();
    fs::file_type type = fs::status(path, error).type();
    bool is_directory = type == fs::file_type::directory;
    if (!is_directory && !has_manifest_name(name)) {
      if (is_one_of(extension_of(path), {".yaml", ".yml", ".json"}) && !is_ignored(whole, false))
        pass_over(path, "a name must end in .yaml, .yml or .json, in lower case");
      return;
    }
    std::string_view why = reason(name, is_directory, in_chart);
    if (!why.empty()) return leave_out(path, why);
    if (is_ignored(whole, is_directory)) return leave_out(path, kIgnored);
    if (!is_directory) {
      if (type == fs::file_type::fifo || type == fs::file_type::socket)
        return leave_out(path, "a pipe or a socket");
      return out_.files.push_back({.path = path.string()});
    }
    const bool link = fs::is_symlink(path, error);
    if (link && (in_volume_ || !is_of_volume(path))) return pass_over(path, "a link to a directory");
    if (!options_.recursive) return leave_out(path, "directories below need -R");
    in_volume_ |= link;
    directory(path.string(), whole);
    if (link) in_volume_ = false;
  }

  // Why an entry of this name is skipped; empty if it is not.
  std::string_view reason(std::string_view name, bool is_directory, bool in_chart) const {
    if (is_directory && is_one_of(name, {".git", ".hg", ".svn", "node_modules", ".terraform"}))
      return "version control or packages";
    if (is_directory && name.starts_with("..")) return "where a mounted ConfigMap or Secret keeps its files";
    if (options_.strict || !in_chart) return {};
    bool of_chart =
        is_directory ? name == "templates" : name.starts_with("Chart.") || name.starts_with("values");
    return of_chart ? "part of a Helm chart, from which `helm template` makes manifests" : "";
  }

  bool is_ignored(const fs::path& whole, bool is_directory) const {
    bool out = false;
    for (const auto* lists : {&lists_, &flags_}) {
      for (const IgnoreList& list : *lists) {
        std::string path = whole.string();
        std::string_view below = path;
        if (list.base != "/") {
          if (!path.starts_with(list.base + "/")) continue;
          below.remove_prefix(list.base.size());
        }
        IgnoreRules::Answer answer = list.rules.of(below, is_directory);
        if (answer != IgnoreRules::Answer::Silent) out = answer == IgnoreRules::Answer::LeaveOut;
      }
    }
    return out;
  }

  void leave_out(const fs::path& path, std::string_view why) {
    out_.left_out.push_back({path.string(), why});
  }

  // Leaves out what may have manifests; with --strict-files that is an error.
  void pass_over(const fs::path& path, std::string_view why) {
    if (!options_.strict) return leave_out(path, why);
    out_.files.push_back({.path = path.string(), .error = std::string(why) + ", so it is not read"});
  }

  const ReadOptions& options_;
  FoundFiles& out_;
  const bool reviewed_;
  std::vector<IgnoreList> lists_, flags_;
  Kustomizations kustomizations_;
  bool in_volume_ =
      false;  // below a link of a volume, where no further one is followed: links may form a circle
};

bool is_directory(const std::string& path) {
  std::error_code error;
  return path != "-" && fs::is_directory(path, error);
}

}  // namespace

bool is_lasting(const std::string& path) {
  std::error_code error;
  return path != "-" && fs::is_regular_file(path, error) && !path.starts_with("/dev/") &&
         !path.starts_with("/proc/");
}

std::vector<std::string> files_built(const std::string& directory) {
  std::vector<std::string> files;
  std::vector<fs::path> open = {directory};
  std::set<fs::path> seen;  // without links, which could lead around for ever
  while (!open.empty()) {
    const Kustomization k = read_kustomization(open.back());
    open.pop_back();
    for (const fs::path& path : k.resources) {
      std::error_code error;
      if (const fs::path real = fs::canonical(path, error); error || !seen.insert(real).second) continue;
      if (fs::is_directory(path, error)) open.push_back(path);
      if (fs::is_regular_file(path, error)) files.push_back(path.string());
    }
  }
  return files;
}

bool has_manifest_name(const std::string& path) {
  return is_one_of(fs::path(path).extension().string(), {".yaml", ".yml", ".json"});
}

FoundFiles find_manifests(const std::string& path, const ReadOptions& options) {
  FoundFiles out;
  if (is_directory(path)) {
    Search(options, out, false).start(path);
  } else {
    out.files.push_back({.path = path, .named = true});
  }
  return out;
}

FoundFiles find_reviewed(const std::string& path, const ReadOptions& options) {
  const bool directory = is_directory(path);
  if (!directory && !(options.lenient && is_lasting(path))) return find_manifests(path, options);
  FoundFiles out;
  Search search(options, out, !options.strict);
  directory ? search.start(path) : search.one(path);
  search.mark_patches();
  return out;
}

}  // namespace portcullis
