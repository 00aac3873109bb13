// Corpus: turns the cases of a policy corpus (manifest.json and its files) into requests of mode `review`.
//
// Idea: a test cluster decides what the manifest omits: namespace `default` with its name label, user
// kubernetes-admin, plural names by English rules with a table of exceptions, scope by a table of kinds.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "grammar/result.h"
#include "interpreter/values/arena.h"
#include "interpreter/values/json.h"
#include "interpreter/values/value.h"

namespace portcullis::tests {

struct CorpusCase {
  std::string id, line;
  const Value* stated = nullptr;  // the case in the manifest
};

class Corpus {
 public:
  static Result<std::unique_ptr<Corpus>> open(const std::string& directory);

  std::span<const Value> entries() const { return manifest_.as_list(); }
  // The policies of an entry, as JSON.
  std::vector<std::string> policies(const Value& entry);
  Result<CorpusCase> request(const Value& entry, const Value& test);

 private:
  struct Request;
  // The documents of the file that the case or else the entry names in its member `name`.
  Result<std::vector<Value>> load(std::string_view name, const Value& entry, const Value& test);
  Result<std::vector<Value>> documents(const std::string& file);
  Result<Request> request_of(const Value& test, Value object, Value old_object);
  Result<Request> request_of_review(const Value& review);

  std::string directory_;
  Arena arena_;
  JsonReader json_;
  std::map<std::string, std::string> texts_;  // files; documents refer to them
  Value manifest_;
};

}  // namespace portcullis::tests
