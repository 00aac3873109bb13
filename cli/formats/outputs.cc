// See outputs.h.
#include "cli/formats/outputs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/formats/formats.h"

namespace portcullis {
namespace {

struct Wish {
  std::string format, file;  // no file: "-"
  bool empty_file = false;
};

Wish wish_of(const std::string& value) {
  size_t equals = value.find('=');
  if (equals == value.npos) return {value, "-"};
  return {value.substr(0, equals), value.substr(equals + 1), equals + 1 == value.size()};
}

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<std::string> all_formats(std::span<const std::string_view> own) {
  std::vector<std::string> all(own.begin(), own.end());
  all.insert(all.end(), report_formats().begin(), report_formats().end());
  return all;
}

std::string output_misuse(const std::string& value, std::span<const std::string_view> own) {
  Wish wish = wish_of(value);
  std::string names;
  if (!has(own, wish.format) && !has(report_formats(), wish.format)) {
    for (const std::string& name : all_formats(own)) names += (names.empty() ? "" : ",") + name;
    return wish.format + " not in {" + names + "}";
  }
  return wish.empty_file ? "no file after " + value : "";
}

Result<Outputs> Outputs::parse(std::span<const std::string> values, std::span<const std::string_view> own) {
  Outputs out;
  const std::string usual(own.front());
  std::set<std::string> files;
  for (const std::string& value : values.empty() ? std::span(&usual, 1) : values) {
    if (std::string misuse = output_misuse(value, own); !misuse.empty()) return Error{"--output: " + misuse};
    Wish wish = wish_of(value);
    if (!files.insert(std::filesystem::path(wish.file).lexically_normal().string()).second)
      return Error{wish.file == "-" ? "--output: more than one report for standard output; want FORMAT=FILE"
                                    : "--output: more than one report for the file " + wish.file};
    out.all_.push_back({wish.format, Destination(wish.file), has(own, wish.format)});
  }
  return out;
}

bool Outputs::wants_run() const {
  return std::ranges::any_of(all_, [](const Output& o) { return !o.own; });
}

bool Outputs::wants(std::string_view format) const {
  return std::ranges::any_of(all_, [&](const Output& o) { return o.format == format; });
}

void Outputs::put(const outcomes::Run& run) {
  for (Output& o : all_) {
    if (!o.own) o.destination.put(report(o.format, run));
  }
}

bool Outputs::close() const {
  bool good = true;
  for (const Output& o : all_) good &= o.destination.close();
  return good;
}

}  // namespace portcullis
