// conformance: runs every table of a directory that is laid out like the shared conformance data.
//
// usage: conformance DIR [--exceptions FILE] [--only TEXT]
//   --only: tables whose "suite/file" contains TEXT
// Prints each failing id with the expected and the actual answer, then `N passed, N failed, N skipped`; tests
// that need protobuf are skipped. Exit status 0 if nothing failed, 1 if something did, 2 if there is nothing
// to run.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "interpreter/values/json.h"
#include "tests/conformance/case.h"
#include "tests/fields.h"

namespace portcullis::tests {
namespace {

void run_table(const Table& table, const Value& document, Tally& tally) {
  for (const Value& test : list_field(document, "tests")) {
    if (flag(test, "needs_proto")) {
      tally.skip();
      continue;
    }
    if (std::string path = unknown_field(table, test); !path.empty()) {
      tally.fail(test_id(table, test), "fields that this runner knows", path);
      continue;
    }
    Arena arena;
    if (is_kubernetes_table(table)) {
      run_kubernetes(table, test, arena, tally);
    } else {
      judge(table, test, run_expression(table, test, arena), tally);
    }
  }
}

std::vector<std::filesystem::path> tables_of(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

int run(const std::string& directory, const std::string& exceptions, const std::string& only) {
  Tally tally;
  if (!exceptions.empty() && !tally.read_exceptions(exceptions)) {
    std::fprintf(stderr, "cannot read %s\n", exceptions.c_str());
    return 2;
  }
  std::vector<std::filesystem::path> paths = tables_of(directory);
  if (paths.empty()) {
    std::fprintf(stderr, "no tables (*.json) in %s\n", directory.c_str());
    return 2;
  }
  for (const auto& path : paths) {
    std::string text;
    Arena arena;
    Result<Value> document =
        read_file(path.string(), text) ? read_json(text, arena) : Error{"cannot be read"};
    Table table{document.ok() ? text_field(*document, "suite") : "", path.filename().string()};
    if (table.suite.empty()) table.suite = path.parent_path().filename().string();
    if ((table.suite + "/" + table.file).find(only) == std::string::npos) continue;
    if (!document.ok()) {
      tally.fail(path.string(), "a table", document.error().text);
      continue;
    }
    run_table(table, *document, tally);
  }
  return tally.finish();
}

}  // namespace
}  // namespace portcullis::tests

int main(int argc, char** argv) {
  std::string directory, exceptions, only;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--exceptions" && i + 1 < argc) {
      exceptions = argv[++i];
    } else if (arg == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      directory = arg;
    }
  }
  if (directory.empty()) {
    std::fprintf(stderr, "usage: conformance DIR [--exceptions FILE] [--only TEXT]\n");
    return 2;
  }
  return portcullis::tests::run(directory, exceptions, only);
}
