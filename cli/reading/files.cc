// See files.h.
#include "cli/reading/files.h"

#include <algorithm>
#include <filesystem>

#include "cli/reading/ignore.h"
#include "cli/reading/input.h"
#include "grammar/ascii.h"

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

// Rules, and the directory that their paths are relative to.
struct IgnoreList {
  std::string base;
  IgnoreRules rules;
};

class Search {
 public:
  Search(const ReadOptions& options, FoundFiles& out) : options_(options), out_(out) {}

  void start(const std::string& path) {
    std::error_code error;
    fs::path here = fs::current_path(error).lexically_normal();
    fs::path root = fs::absolute(path, error).lexically_normal();
    if (!root.has_filename()) root = root.parent_path();
    IgnoreRules flags;
    for (const std::string& pattern : options_.ignore) flags.add(pattern);
    flags_ = {{here.string(), flags}, {root.string(), flags}};
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

 private:
  void read_rules(const fs::path& directory) {
    std::string file = (directory / kIgnoreFile).string();
    std::error_code error;
    if (!fs::exists(file, error)) return;
    Result<std::string> text = read_file(file);
    if (!text.ok()) return out_.files.push_back({file, false, text.error().text});
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
    if (error) return out_.files.push_back({path, false, error.message()});
    std::sort(entries.begin(), entries.end());
    size_t lists = lists_.size();
    read_rules(whole);
    auto is_chart = [](const fs::path& p) {
      return is_one_of(p.filename().string(), {"Chart.yaml", "Chart.yml"});
    };
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
    if (is_ignored(whole, is_directory)) return leave_out(path, "named by --ignore or .portcullisignore");
    if (!is_directory) {
      if (type == fs::file_type::fifo || type == fs::file_type::socket)
        return leave_out(path, "a pipe or a socket");
      return out_.files.push_back({path.string(), false, {}});
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
    out_.files.push_back({path.string(), false, std::string(why) + ", so it is not read"});
  }

  const ReadOptions& options_;
  FoundFiles& out_;
  std::vector<IgnoreList> lists_, flags_;
  bool in_volume_ =
      false;  // below a link of a volume, where no further one is followed: links may form a circle
};

}  // namespace

bool has_manifest_name(const std::string& path) {
  return is_one_of(fs::path(path).extension().string(), {".yaml", ".yml", ".json"});
}

FoundFiles find_manifests(const std::string& path, const ReadOptions& options) {
  FoundFiles out;
  std::error_code error;
  if (path == "-" || fs::status(path, error).type() != fs::file_type::directory) {
    out.files.push_back({path, true, {}});
  } else {
    Search(options, out).start(path);
  }
  return out;
}

}  // namespace portcullis
