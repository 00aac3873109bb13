// The policies of a text, loaded into an engine: what tests of coverage begin with.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/cluster/cluster.h"
#include "manifests/documents.h"

namespace portcullis {

struct LoadedPolicies {
  LoadedPolicies(std::string name, std::string text) {
    file.name = std::move(name);
    file.text = std::move(text);
    file.documents = *read_documents(file.text, reader, arena);
    for (const YamlDocument& d : file.documents)
      split_document(file, d, arena, [](Position, std::string_view why) { fail(why); }, objects);
    cluster.add(objects, true);
    std::vector<std::string_view> assumed;
    auto loaded = cluster.load({"default"}, arena, assumed, {});
    if (!loaded.ok()) fail(loaded.error().text);
    engine = *loaded;
  }
  [[noreturn]] static void fail(std::string_view why) { throw std::runtime_error(std::string(why)); }

  Arena arena;
  JsonReader reader;
  SourceFile file;
  std::vector<InputObject> objects;
  ReviewCluster cluster;
  std::shared_ptr<const Engine> engine;
};

}  // namespace portcullis
